package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// exportOTF2 runs the command and returns its exit code and messages.
func exportOTF2(args ...string) (code int, text string) {
	var out, errs bytes.Buffer
	code = Run(append([]string{"export", "otf2"}, args...), &out, &errs)
	return code, out.String() + errs.String()
}

// names lists a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// An archive appears when it is whole, replaces one of its kind and nothing else, and leaves nothing if it fails.
func TestExportOTF2Directory(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "a.tabard"), filepath.Join(dir, "out")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(file, string(jobBytes(t, "stencil-1d-periodic", synthetic.Params{Ranks: 8, Steps: 5, Seed: 1, Timing: true})))
	untimed := filepath.Join(dir, "untimed.tabard")
	write(untimed, string(jobBytes(t, "stencil-1d-periodic", synthetic.Params{Ranks: 8, Steps: 5, Seed: 1})))

	if code, text := exportOTF2(untimed, "-o", out); code == 0 || !strings.Contains(text, "has no times") {
		t.Errorf("without times: %d %s", code, text)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"a.tabard", "untimed.tabard"}) {
		t.Errorf("a failure left %v", got)
	}
	for _, flags := range [][]string{nil, {"--rank", "0"}} { // the second one replaces the first one
		if code, text := exportOTF2(append([]string{file, "-o", out + "/"}, flags...)...); code != 0 {
			t.Fatal(text)
		}
		if got := names(t, out); !slices.Equal(got, []string{"traces", "traces.def", "traces.otf2"}) {
			t.Errorf("%v", got)
		}
		if got := names(t, filepath.Join(out, "traces")); len(got) != 16 {
			t.Errorf("%v", got)
		}
	}
	for _, c := range []struct{ change, flag, want string }{
		{"traces.otf2", "", "overwrite it with --force"}, // of another program
		{"traces.otf2", "--force", ""},
		{"notes", "--force", "name another directory"},
		{"traces/notes", "--force", "name another directory"},
	} {
		write(filepath.Join(out, c.change), "precious")
		args := []string{file, "-o", out}
		if c.flag != "" {
			args = append(args, c.flag)
		}
		code, text := exportOTF2(args...)
		if (code == 0) != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %d %s", c.change, c.flag, code, text)
		}
		if b, _ := os.ReadFile(filepath.Join(out, c.change)); c.want != "" && string(b) != "precious" {
			t.Errorf("%s is lost", c.change)
		}
		if c.want != "" && c.flag != "" {
			os.Remove(filepath.Join(out, c.change))
		}
	}
	for _, bad := range []string{file, "-", filepath.Join(dir, "none", "out")} {
		if code, text := exportOTF2(file, "-o", bad); code == 0 {
			t.Errorf("%s: %s", bad, text)
		}
	}
	if got := names(t, dir); !slices.Equal(got, []string{"a.tabard", "out", "untimed.tabard"}) {
		t.Errorf("left: %v", got)
	}
}

// So many files are not written by accident. A few of many ranks are, with one location for all others.
func TestExportOTF2ManyRanks(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "a.tabard"), filepath.Join(dir, "out")
	manyRanks(t, file, 5000, 5)
	if code, text := exportOTF2(file, "-o", out); code == 0 || !strings.Contains(text, "10,000 files") {
		t.Errorf("%d %s", code, text)
	}
	if code, text := exportOTF2(file, "-o", out, "--rank", "0-3"); code != 0 {
		t.Fatal(text)
	}
	if got := names(t, filepath.Join(out, "traces")); len(got) != 10 {
		t.Errorf("%v", got)
	}
}

// TestExportOTF2LargeWorld: a world of which two ranks of two thousand million were recorded is not written, as OTF2
// lists all members.
func TestExportOTF2LargeWorld(t *testing.T) {
	const calls = " of 2000000000 on n\n0+10 MPI_Init()\n20+5 MPI_Barrier(comm=MPI_COMM_WORLD)\n"
	path := file(t, "abi mpich\nrank 0"+calls+"rank 7"+calls)
	code, text := exportOTF2(path, "-o", filepath.Join(t.TempDir(), "out"))
	if code == 0 || !strings.Contains(text, "4,000,000,000") {
		t.Errorf("%d %s", code, text)
	}
}

const fileCalls = `abi mpich
rank 0 of 1 on n
0+10 MPI_Init()
20+5 open(path="/data", flags=1090, mode=420) ; result=fd#0
30+5 write(fd=fd#0) ; offset=0 ; count=100 ; bytes=90
40+5 lseek(fd=fd#0, whence=0) ; offset=10
50+5 pread(fd=fd#0) ; offset=10 ; count=64 ; bytes=64
60+5 dup(fd=fd#0) ; result=fd#1
70+5 write(fd=fd#1) ; offset=74 ; count=8 ; bytes=8
100+5 close(fd=fd#0)
110+5 close(fd=fd#1)
120+5 fopen(path="/log", mode="a+") ; result=stream#0
130+5 fprintf(stream=stream#0) ; offset=0 ; count=7 ; bytes=7
140+5 fclose(stream=stream#0)
150+9 MPI_File_open(comm=MPI_COMM_WORLD, filename="/mpi", amode=9, info=MPI_INFO_NULL) ; fh=file#0
160+5 MPI_File_iwrite_at(fh=file#0, offset=16, buf=heap#0, count=5, datatype=MPI_INT) ; request=request#0
170+5 MPI_File_read_all_begin(fh=file#0, buf=heap#1, count=2, datatype=MPI_INT)
180+5 MPI_File_read_all_end(fh=file#0, buf=heap#1) ; status={source=-1 tag=-1 bytes=8}
190+5 MPI_Wait(request=request#0) ; status={source=-1 tag=-1 bytes=20}
200+5 MPI_File_close(fh=file#0)
210+5 MPI_Finalize()
thread 1
80+5 write(fd=fd#0) ; offset=82 ; count=4 ; bytes=4
`

// What is known of files goes into an archive and comes back, also of those that were opened before a window.
func TestFilesThroughOTF2(t *testing.T) {
	dir := t.TempDir()
	out, again, path := filepath.Join(dir, "otf2"), filepath.Join(dir, "again.tabard"), file(t, fileCalls)
	for _, window := range []string{"0ns+1us", "45ns+40ns"} {
		for _, args := range [][]string{{"export", "otf2", path, "--time", window, "-o", out},
			{"import", out, "--timing=lossless", "-o", again, "--force"}} {
			if code, _, stderr := run(args...); code != exitOK {
				t.Fatalf("%q: %s", args, stderr)
			}
		}
		_, want, _ := run("io", path, "--time", window)
		if _, got, _ := run("io", again); got != want || !strings.Contains(got, "/data") {
			t.Errorf("%s: imported are\n%s\nnot\n%s", window, got, want)
		}
		_, calls, _ := run("dump", again)
		for _, how := range []string{"O_RDWR|O_CREAT|O_APPEND", `mode="a+"`, "MPI_MODE_CREATE|MPI_MODE_RDWR"} {
			if window[0] == '0' && !strings.Contains(calls, how) {
				t.Errorf("no file is opened with %s:\n%s", how, calls)
			}
		}
	}
}
