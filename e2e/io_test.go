//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/strace"
	"github.com/tabard-hpc/tabard/spec"
)

// What is recorded of reads and writes equals what strace sees, by file: calls, bytes and offsets. Of streams only
// the bytes, since the C library makes its own system calls.
func TestIOTruth(t *testing.T) {
	t.Parallel()
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
			mustRun(t, recorded, tabardBin, append([]string{"record", "--events=io", "-o", "io.tabard"}, command...)...)
			want := straced(t, seen, command...)
			got := recordedIO(t, filepath.Join(recorded, "io.tabard"))
			if len(want) < 2 {
				t.Fatalf("strace saw %v", want)
			}
			// That MPI's calls were not asked for leaves nothing out.
			info, err := exec.Command(tabardBin, "info", filepath.Join(recorded, "io.tabard")).CombinedOutput()
			if err != nil || strings.Contains(string(info), "\npartial") {
				t.Errorf("tabard info: %v\n%s", err, info)
			}
			for of, w := range want {
				g := got[of]
				if slices.Contains(tt.streams, of.File) {
					g.Calls, g.Offsets, w.Calls, w.Offsets = 0, 0, 0, 0
					// what is behind a seek has been read ahead, or is read again
					if of.Call == "read" {
						g.Bytes, w.Bytes = 0, 0
					}
				}
				if g != w {
					t.Errorf("%v: recorded %+v, strace saw %+v", of, g, w)
				}
			}
		})
	}
}

// TestTraining records a training loop whose ranks read samples in no order from a disk that serves one of them at a
// time, with its functions: the report names what that costs, and the pictures show it.
func TestTraining(t *testing.T) {
	m := openMPI()
	dir := t.TempDir()
	disk := filepath.Join(dir, "onedisk.so")
	if err := mpirun.BuildLibrary(filepath.Join(mpirun.Root(), "testdata", "io", "onedisk.c"), disk); err != nil {
		t.Fatal(err)
	}
	j := mpirun.Job{MPI: m, Ranks: 4, Dir: dir, Env: []string{"LD_PRELOAD=" + disk,
		"ONEDISK=" + filepath.Join(dir, "disk")},
		Args: []string{tabardBin, "record", "-q", "--events=mpi,io,python", "-o", "t.tabard", "/usr/bin/python3",
			filepath.Join(mpirun.Root(), "testdata", "io", "training.py"), "samples"}}
	if r, err := j.Start(); err != nil || r.Code != 0 || r.Stdout != "training.py: done\n" {
		t.Fatalf("%+v, %v", r, err)
	}
	file := filepath.Join(dir, "t.tabard")
	for args, wants := range map[string][]string{
		"report": {`[Cc]ontention: ranks that read files slow each other down: reads take \d+\.\d times as long as alone`,
			`160 reads of samples are in random order`, `access(es)? files in \d+% of that time`},
		"io": {`samples +0-3 +10\.0 MiB +160 +4\.0 MiB`, `reads take \d+\.\d times as long as alone`,
			`of waiting was for ranks that accessed files`},
		"profile --by region": {`__main__\.load`},
	} {
		out := runCommand(t, nil, append(append([]string{tabardBin}, strings.Fields(args)...), file)...).out
		for _, want := range wants {
			if !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("%s: %s is missing:\n%s", args, want, out)
			}
		}
	}
	for _, args := range []string{"io --svg files.svg", "io --path sam*es --svg offsets.svg --png offsets.png"} {
		mustRun(t, dir, tabardBin, append(strings.Fields(args), file)...)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "offsets.svg")); err != nil ||
		!strings.Contains(string(b), "offset in the file") {
		t.Errorf("offsets over time: %v, %.200s", err, b)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "files.svg")); err != nil || !strings.Contains(string(b), "rank") {
		t.Errorf("files by ranks: %v, %.200s", err, b)
	}
}

// TestMPIIO: the bytes of MPI-IO by file are those that strace sees the library read and write, once.
func TestMPIIO(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		prog := filepath.Join(t.TempDir(), "mpiio")
		if err := m.Build(filepath.Join(mpirun.Root(), "testdata", "io", "mpiio.c"), prog); err != nil {
			t.Fatal(err)
		}
		seen, recorded := t.TempDir(), t.TempDir()
		mustRun(t, recorded, tabardBin, "record", "--events=mpi,io", "-o", "io.tabard", prog)
		var doc struct {
			Files []struct {
				Path          string
				Reads, Writes struct {
					Calls, Bytes int64
					Order        string
				}
			}
		}
		out := runCommand(t, nil, tabardBin, "io", "--json", "--path", "*.dat",
			filepath.Join(recorded, "io.tabard")).out
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatal(err)
		}
		want := straced(t, seen, prog)
		for _, f := range doc.Files {
			got := map[string]int64{"read": f.Reads.Bytes, "write": f.Writes.Bytes}
			for of, a := range want {
				if of.File == filepath.Base(f.Path) {
					got[strings.Trim(of.Call, "pv2")] -= a.Bytes
				}
			}
			if got["read"] != 0 || got["write"] != 0 || f.Writes.Calls != 10 || f.Writes.Order != "strided" {
				t.Errorf("%+v, strace saw %v", f, want)
			}
		}
		if len(doc.Files) != 2 || len(want) < 3 {
			t.Errorf("%d files, strace saw %v:\n%s", len(doc.Files), want, out)
		}
	})
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

// straced runs a command in a directory, and says what it did to the files there.
func straced(t *testing.T, dir string, command ...string) map[strace.Of]strace.Access {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	args := strace.Command(log, command...)
	mustRun(t, dir, args[0], args[1:]...)
	all, err := strace.Read(log, dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// recordedIO reads the same from a recording.
func recordedIO(t *testing.T, path string) map[strace.Of]strace.Access {
	t.Helper()
	a, err := archive.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	all := map[strace.Of]strace.Access{}
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
			of := strace.Of{Call: op, File: names[fmt.Sprint(c.Slots[on].Class, c.Slots[on].N)]}
			x := all[of]
			x.Calls++
			x.Bytes += bytes.N
			if op[0] == 'p' {
				offset, _ := c.Out("offset")
				x.Offsets += offset.N
			}
			all[of] = x
		}
	}
	return all
}
