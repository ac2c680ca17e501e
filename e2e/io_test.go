//go:build e2e

package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/spec"
)

// fileAccess is what was done to a file: calls, bytes, and the sum of the offsets of calls that name one.
type fileAccess struct{ calls, bytes, offsets int64 }

// What is recorded of reads and writes equals what strace sees, by file: calls, bytes and offsets. Of streams only
// the bytes, since the C library makes its own system calls.
func TestIOTruth(t *testing.T) {
	for _, tt := range []struct {
		source  string
		streams []string // files that are accessed by streams only
	}{
		{"posix.c", []string{"b.txt"}}, {"fortran.f90", nil}, {"python.py", nil},
	} {
		t.Run(tt.source, func(t *testing.T) {
			t.Parallel()
			source := filepath.Join(mpirun.Root(), "testdata", "io", tt.source)
			command := []string{filepath.Join(t.TempDir(), "program")}
			switch filepath.Ext(source) {
			case ".py":
				command = []string{"/usr/bin/python3", "-S", source}
			case ".c":
				mustRun(t, "", "gcc", "-O1", "-o", command[0], source)
			default:
				mustRun(t, "", "gfortran", "-O1", "-o", command[0], source)
			}
			seen, recorded := t.TempDir(), t.TempDir()
			mustRun(t, seen, "strace", append([]string{"-f", "-y", "-o", "strace.txt",
				"-e", "trace=read,write,pread64,pwrite64"}, command...)...)
			mustRun(t, recorded, tabardBin, append([]string{"record", "--events=io", "-o", "io.tabard"}, command...)...)
			want := straced(t, seen)
			got := recordedIO(t, filepath.Join(recorded, "io.tabard"))
			if len(want) < 2 {
				t.Fatalf("strace saw %v", want)
			}
			// That MPI's calls were not asked for leaves nothing out.
			info, err := exec.Command(tabardBin, "info", filepath.Join(recorded, "io.tabard")).CombinedOutput()
			if err != nil || strings.Contains(string(info), "\npartial") {
				t.Errorf("tabard info: %v\n%s", err, info)
			}
			for key, w := range want {
				g := got[key]
				for _, name := range tt.streams {
					if strings.HasSuffix(key, " "+name) {
						g.calls, g.offsets, w.calls, w.offsets = 0, 0, 0, 0
						if strings.HasPrefix(key, "read") { // what is behind a seek has been read ahead, or is read again
							g.bytes, w.bytes = 0, 0
						}
					}
				}
				if g != w {
					t.Errorf("%s: recorded %+v, strace saw %+v", key, g, w)
				}
			}
		})
	}
}

func mustRun(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

var stracedCall = regexp.MustCompile(`(read|write|pread64|pwrite64)\(\d+<([^>]*)>.*, (\d+)\)\s+= (\d+)`)

// straced reads what strace wrote, for the files in the directory.
func straced(t *testing.T, dir string) map[string]fileAccess {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "strace.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]fileAccess{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := stracedCall.FindStringSubmatch(lines.Text())
		if m == nil || filepath.Dir(m[2]) != dir {
			continue
		}
		last, _ := strconv.ParseInt(m[3], 10, 64)
		n, _ := strconv.ParseInt(m[4], 10, 64)
		key := strings.TrimSuffix(m[1], "64") + " " + filepath.Base(m[2])
		a := all[key]
		a.calls++
		a.bytes += n
		if m[1][0] == 'p' {
			a.offsets += last
		}
		all[key] = a
	}
	return all
}

// recordedIO reads the same from a recording.
func recordedIO(t *testing.T, path string) map[string]fileAccess {
	t.Helper()
	a, err := archive.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	all := map[string]fileAccess{}
	for s := range a.Streams() {
		names := map[string]string{}
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			if v, ok := c.Out("result"); ok && v.Kind == archive.Ref {
				if path, ok := c.In("path"); ok {
					names[fmt.Sprint(v.Class, v.N)] = filepath.Base(path.Str)
				} else if on := c.Func.Slot(spec.RoleOn); on >= 0 {
					from := c.Slots[on]
					names[fmt.Sprint(v.Class, v.N)] = names[fmt.Sprint(from.Class, from.N)]
				}
			}
			on := c.Func.Slot(spec.RoleOn)
			bytes, ok := c.Out("bytes")
			if !ok || on < 0 {
				continue
			}
			op := c.Func.Name
			if op[0] != 'p' || op == "printf" {
				op = map[spec.Operation]string{spec.OpRead: "read", spec.OpWrite: "write"}[c.Func.Op]
			}
			key := op + " " + names[fmt.Sprint(c.Slots[on].Class, c.Slots[on].N)]
			x := all[key]
			x.calls++
			x.bytes += bytes.N
			if op[0] == 'p' {
				offset, _ := c.Out("offset")
				x.offsets += offset.N
			}
			all[key] = x
		}
	}
	return all
}
