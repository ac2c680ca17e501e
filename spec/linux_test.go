package spec

import "testing"

func TestLinuxNames(t *testing.T) {
	for _, c := range []struct {
		function, param string
		n               int64
		want            string
	}{
		{"open", "flags", 0, "O_RDONLY"}, {"open", "flags", 578, "O_RDWR|O_CREAT|O_TRUNC"},
		{"openat", "flags", 0o2101, "O_WRONLY|O_CREAT|O_APPEND"}, {"open", "flags", 0o4010002, "O_RDWR|O_SYNC"},
		{"open", "flags", 0o40001, "O_WRONLY|0x4000"}, {"open", "flags", 3, ""}, {"open", "mode", 420, "0644"},
		{"mmap", "protection", 3, "PROT_READ|PROT_WRITE"}, {"mmap", "protection", 0, "PROT_NONE"},
		{"mmap", "flags", 1, "MAP_SHARED"}, {"mmap", "flags", 0x8002, "MAP_PRIVATE|MAP_POPULATE"},
		{"lseek", "whence", 2, "SEEK_END"}, {"posix_fadvise", "advice", 3, "WILLNEED"},
		{"fcntl", "command", 3, ""}, {"MPI_Send", "count", 3, ""},
	} {
		f := ByName(c.function)
		if f == nil {
			t.Fatalf("there is no %s", c.function)
		}
		found := false
		for i := range f.Params {
			if p := &f.Params[i]; p.Name == c.param {
				found = true
				if got := LinuxName(f, p, c.n); got != c.want {
					t.Errorf("%s of %s %d: %q, want %q", c.param, c.function, c.n, got, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s has no %s", c.function, c.param)
		}
	}
	open := ByName("open")
	if ErrnoName(open, 2) != "ENOENT" || ErrnoName(open, 40) != "ELOOP" || ErrnoName(open, 122) != "EDQUOT" ||
		ErrnoName(open, 99) != "" || ErrnoName(ByName("MPI_Send"), 2) != "" {
		t.Error("names of errors")
	}
}
