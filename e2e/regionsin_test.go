//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// limitedRun records a program, limited to regions if any are given; what is said at the end.
func limitedRun(t *testing.T, m *mpirun.MPI, dir, file string, program []string, flags ...string) string {
	t.Helper()
	args := append([]string{tabardBin, "record", "--force", "-o", filepath.Join(dir, file)}, flags...)
	j := mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Args: append(args, program...),
		Env: []string{"PYTHONPATH=" + filepath.Join(mpirun.Root(), "include"), "PYTHONDONTWRITEBYTECODE=1"}}
	r, err := j.Start()
	if err != nil || r.Code != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	return r.Stderr
}

var (
	// shownBefore is what dump says before a call: which one it is, and when.
	shownBefore = regexp.MustCompile(`(?m)^[0-9.]+ +[0-9]+ +[0-9.]+ +[0-9.a-z]+ +`)
	// shownPlace is where something lies, and which request it is: numbers count what was seen.
	shownPlace = regexp.MustCompile(`(heap|stack|static|request)(#[0-9]+)?([+-][0-9]+)?`)
)

// shownCalls are the calls of a rank as dump shows them, but for what depends on how much else was recorded.
func shownCalls(t *testing.T, file string, rank int, flags ...string) string {
	t.Helper()
	out, err := tabard(append([]string{"dump", file, "--rank", fmt.Sprint(rank)}, flags...)...)
	if err != nil {
		t.Fatal(err)
	}
	return shownPlace.ReplaceAllString(shownBefore.ReplaceAllString(string(out), ""), "$1")
}

// A recording that is limited to regions holds what is in these regions of a recording of all, with functions and
// without; and says what it was limited to.
func TestRecordInRegions(t *testing.T) {
	t.Parallel()
	source := filepath.Join(mpirun.Root(), "testdata", "regions", "limited")
	header := filepath.Join(mpirun.Root(), "include")
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		dir := t.TempDir()
		build := func(name, first string, more ...string) []string {
			program := filepath.Join(dir, name)
			if err := m.Build(first, program, more...); err != nil {
				t.Fatal(err)
			}
			return []string{program}
		}
		cpp := build("cpp", source+".cc", "-I"+header)
		for _, p := range []struct {
			name    string
			program []string
			flags   []string
			in      []string
		}{
			{"C++", cpp, nil, []string{"step/solve", "step/solve/solve/inner",
				"around/left", "odd/odd/odd", "part 0", "all/step"}},
			{"functions", cpp, []string{"--functions=main"}, []string{"solve", "even/even", "left"}},
			{"Fortran", build("fortran", filepath.Join(header, "tabard.f90"), source+".f90"), nil,
				[]string{"solve", "step/solve"}},
			{"Python", []string{"/usr/bin/python3", source + ".py"}, nil, []string{"solve", "step"}},
		} {
			if p.name == "Python" && m.Name != "openmpi" { // which mpi4py is built with
				continue
			}
			limitedRun(t, m, dir, "all.tabard", p.program, p.flags...)
			for _, in := range p.in {
				said := limitedRun(t, m, dir, "in.tabard", p.program, append(p.flags, "--in", in)...)
				if !strings.Contains(said, ", in region "+in+" only; next: ") {
					t.Errorf("%s: %s", p.name, said)
				}
				for rank := range 2 {
					want := shownCalls(t, filepath.Join(dir, "all.tabard"), rank, "--in", in)
					got := shownCalls(t, filepath.Join(dir, "in.tabard"), rank)
					if got != want || !strings.Contains(got, "MPI_") {
						t.Errorf("%s, rank %d in %s:\n%s\nwant\n%s", p.name, rank, in, got, want)
					}
				}
			}
		}
	})
}

// Regions that never come are named, and where there is no other, nothing is taken to be missing.
func TestRecordInNoRegion(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		dir := t.TempDir()
		program := filepath.Join(dir, "program")
		if err := m.Build(filepath.Join(mpirun.Root(), "testdata", "regions", "limited.cc"), program,
			"-I"+filepath.Join(mpirun.Root(), "include")); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "in.tabard")
		said := limitedRun(t, m, dir, "in.tabard", []string{program}, "--in", "sol*", "--in", "refine,solve/step")
		want := "in regions refine, sol*, solve/step only; regions refine, solve/step were never entered"
		if !strings.Contains(said, want) {
			t.Error(said)
		}
		for _, args := range [][]string{{"info", file}, {"report", file}} {
			if out, err := tabard(args...); err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		}
		said = limitedRun(t, m, dir, "in.tabard", []string{program}, "--in=refine")
		if !strings.Contains(said, "no MPI call was recorded: program never entered region refine") ||
			strings.Contains(said, "INCOMPLETE") {
			t.Error(said)
		}
		if out, err := tabard("info", file); err != nil || !strings.Contains(string(out), "\ncomplete   yes") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// As long as one thread is in the region, all are recorded.
func TestRecordInRegionThreads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := filepath.Join(dir, "program.c")
	if err := os.WriteFile(source, []byte(`
#include <omp.h>
#include "tabard.h"
static volatile int sum;
__attribute__((noinline)) void inside(int i) { sum = i; }
__attribute__((noinline)) void outside(int i) { sum = i; }
static void all(void (*f)(int))
{
    #pragma omp parallel num_threads(3)
    for (int i = 0; i < 100; i++) f(i);
}
int main(void)
{
    for (int i = 0; i < 10; i++) {
        all(outside);
        tabard_region_begin("solve");
        all(inside);
        tabard_region_end();
    }
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "gcc", "-O2", "-fopenmp", "-I"+filepath.Join(mpirun.Root(), "include"), "-o", "program", source)
	mustRun(t, dir, tabardBin, "record", "-q", "-o", "f.tabard", "--functions=main", "--in=solve", "./program")
	calls := map[string]int{}
	for _, thread := range recordedCalls(t, filepath.Join(dir, "f.tabard"))[0] {
		for _, c := range thread {
			calls[c.name]++
		}
	}
	if calls["inside"] != 10*3*100 || calls["outside"] != 0 {
		t.Errorf("calls of %v: %v", slices.Sorted(maps.Keys(calls)), calls)
	}
}
