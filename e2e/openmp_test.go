//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// openMPCompilers are those of the two ways to record OpenMP: calls of libgomp, and what libomp tells tools.
var openMPCompilers = []struct{ name, c, cxx string }{{"gcc", "gcc", "g++"}, {"clang", "clang", "clang++"}}

// openMPProgram compiles a program of testdata/openmp.
func openMPProgram(t *testing.T, compiler, source string, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), strings.ReplaceAll(source, ".", "-"))
	args := append([]string{"-g", "-O1", "-fopenmp", "-o", out,
		filepath.Join(mpirun.Root(), "testdata", "openmp", source)}, flags...)
	if b, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", compiler, source, err, b)
	}
	return out
}

// ran is what a program printed, and how it ended.
type ran struct {
	out  string
	code int
}

func runCommand(t *testing.T, env []string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); ctx.Err() != nil || err != nil && cmd.ProcessState == nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return ran{out.String(), cmd.ProcessState.ExitCode()}
}

// recordOpenMP records a program and checks that it does what it does otherwise.
func recordOpenMP(t *testing.T, prog string) (file string, result ran) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "omp.tabard")
	plain := runCommand(t, nil, prog)
	result = runCommand(t, nil, tabardBin, "record", "-q", "--events=openmp", "-o", file, prog)
	if plain != result {
		t.Errorf("%s: %+v, but recorded %+v", prog, plain, result)
	}
	return file, result
}

// recordedCounts are the events in a file, by function.
func recordedCounts(t *testing.T, file string) map[string]int {
	t.Helper()
	var info struct {
		Functions map[string]int
		Complete  bool
	}
	if err := json.Unmarshal([]byte(runCommand(t, nil, tabardBin, "info", "--json", file).out), &info); err != nil {
		t.Fatal(err)
	}
	if !info.Complete {
		t.Errorf("%s is not complete", file)
	}
	return info.Functions
}

// compareOpenMP compares counts with lines "event count".
func compareOpenMP(t *testing.T, who, lines string, got map[string]int) {
	t.Helper()
	n := 0
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		var name string
		var want int
		if _, err := fmt.Sscan(line, &name, &want); err != nil {
			t.Fatalf("%s: %q: %v", who, line, err)
		}
		if got[name] != want {
			t.Errorf("%s: %s %d times, recorded %d", who, name, want, got[name])
		}
		n++
	}
	if n < 10 {
		t.Errorf("%s counts only %d events", who, n)
	}
}

// TestOpenMPCounts compares what is recorded with what the program counts itself and, where the runtime tells tools,
// with what another tool counts in another run.
func TestOpenMPCounts(t *testing.T) {
	t.Parallel()
	for _, c := range openMPCompilers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			prog := openMPProgram(t, c.c, "constructs.c")
			file, result := recordOpenMP(t, prog)
			got := recordedCounts(t, file)
			compareOpenMP(t, "the program", result.out, got)
			if c.name != "clang" {
				return
			}
			tool := openMPProgram(t, c.c, "observer.c", "-shared", "-fPIC")
			seen := filepath.Join(t.TempDir(), "seen")
			runCommand(t, []string{"OMP_TOOL_LIBRARIES=" + tool, "OBSERVED=" + seen}, prog)
			b, err := os.ReadFile(seen)
			if err != nil {
				t.Fatal(err)
			}
			compareOpenMP(t, "the observer", string(b), got)
		})
	}
}

// TestOpenMPSacred records programs that do odd things.
func TestOpenMPSacred(t *testing.T) {
	t.Parallel()
	for _, c := range openMPCompilers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file, result := recordOpenMP(t, openMPProgram(t, c.cxx, "odd.cc"))
			got := recordedCounts(t, file)
			if result.code != 5 || got["omp_parallel_begin"] != 303 || got["omp_parallel_end"] != 303 {
				t.Errorf("exit code %d, events %v", result.code, got)
			}
			var info struct{ Threads int }
			out := runCommand(t, nil, tabardBin, "info", "--json", file).out
			if err := json.Unmarshal([]byte(out), &info); err != nil || info.Threads > 8 {
				t.Errorf("300 teams that come and go are %d threads (%v)", info.Threads, err)
			}
		})
	}
	file, _ := recordOpenMP(t, openMPProgram(t, "gfortran", "fortran.f90"))
	if got := recordedCounts(t, file); got["omp_lock_acquired"] != 67 || got["omp_body_begin"] != 3 {
		t.Errorf("Fortran: events %v", got)
	}
}

// TestOpenMPSame records a hybrid program twice: threads have the same numbers and do the same, on all ranks, and a
// recording without OpenMP is what it would be without threads.
func TestOpenMPSame(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			prog := openMPProgram(t, m.CC, "hybrid.c")
			dir := t.TempDir()
			record := func(events, file string) {
				j := mpirun.Job{MPI: m, Ranks: 2, Dir: dir,
					Args: []string{tabardBin, "record", "-q", "--events=" + events, "-o", file, prog}}
				r, err := j.Start()
				if err != nil || r.Code != 0 || r.Stdout != "sum 272036 ordered 880\n" {
					t.Fatalf("%+v, %v", r, err)
				}
			}
			a, b, mpi := filepath.Join(dir, "a.tabard"), filepath.Join(dir, "b.tabard"), filepath.Join(dir, "m.tabard")
			record("mpi,openmp", a)
			record("mpi,openmp", b)
			record("mpi", mpi)
			if got := recordedCounts(t, a); got["omp_body_begin"] != 100 || got["MPI_Allreduce"] != 20 {
				t.Errorf("events %v", got)
			}
			if got := recordedCounts(t, mpi); len(got) != 4 {
				t.Errorf("without OpenMP there are events %v", got)
			}
			if d := runCommand(t, nil, tabardBin, "diff", a, b); d.code != 0 ||
				!strings.Contains(d.out, "the same in structure") {
				t.Errorf("two runs differ, code %d:\n%s", d.code, d.out)
			}
		})
	}
}

// TestOpenMPTeams: teams that come and go, in others, too, are the same few threads in each run.
func TestOpenMPTeams(t *testing.T) {
	t.Parallel()
	for _, c := range openMPCompilers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			prog := openMPProgram(t, c.c, "teams.c")
			a, _ := recordOpenMP(t, prog)
			b, _ := recordOpenMP(t, prog)
			var info struct{ Threads int }
			out := runCommand(t, nil, tabardBin, "info", "--json", a).out
			if err := json.Unmarshal([]byte(out), &info); err != nil || info.Threads > 16 {
				t.Errorf("the program has %d threads (%v)", info.Threads, err)
			}
			if d := runCommand(t, nil, tabardBin, "diff", a, b); d.code != 0 ||
				!strings.Contains(d.out, "the same in structure") {
				t.Errorf("two runs differ, code %d:\n%s", d.code, d.out)
			}
		})
	}
}

// middle is when the call in the middle of a recording's first thread begins. Half of the time may have none: without
// MPI_Init, nothing is recorded while a program starts.
func middle(t *testing.T, file string) time.Duration {
	t.Helper()
	a, err := archive.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	s := a.Stream(0)
	for c, err := range s.Iter(s.Calls() / 2) {
		if err != nil {
			t.Fatal(err)
		}
		return c.Start
	}
	t.Fatalf("%s has no calls", file)
	return 0
}

// TestOpenMPExport: constructs of OpenMP are slices and regions in the formats that show time, one for each that was
// recorded, also where a window cuts them, and they come back from an import.
func TestOpenMPExport(t *testing.T) {
	t.Parallel()
	for _, c := range openMPCompilers {
		t.Run(c.name, func(t *testing.T) {
			file, _ := recordOpenMP(t, openMPProgram(t, c.c, "constructs.c"))
			want := map[string]uint64{}
			for name, n := range recordedCounts(t, file) {
				if construct, begins := strings.CutSuffix(name, "_begin"); begins {
					want[construct] = uint64(n)
				}
			}
			dir := exported(t, "otf2", file)
			printed(t, dir)
			half := fmt.Sprintf("0ns..%dns", middle(t, file))
			printed(t, exported(t, "otf2", file, "--time", half))
			for who, dir := range map[string]string{"export": dir, "import": exported(t, "otf2", importOTF2(t, dir))} {
				got := map[string]uint64{}
				for _, line := range events(t, dir, nil) {
					if _, name, ok := strings.Cut(line, ` ENTER Region: "`); ok {
						got[strings.TrimSuffix(name, `"`)]++
					}
				}
				if len(want) < 5 || !maps.Equal(got, want) {
					t.Errorf("%s: %v, recorded %v", who, got, want)
				}
			}
			read := func(flags ...string) map[string]uint64 {
				out := exported(t, "chrome", file, flags...)
				return readTimelines[timelineRead](t, "python3", "read_chrome.py", out)[0].Regions
			}
			if whole, part := read(), read("--time", half); !maps.Equal(whole, want) || len(part) == 0 {
				t.Errorf("for Chrome %v and in a window %v, recorded %v", whole, part, want)
			}
		})
	}
}
