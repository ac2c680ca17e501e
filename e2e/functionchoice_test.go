//go:build e2e

package e2e

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/functions"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// recordedCalls are the calls of functions of each thread.
func recordedCalls(t *testing.T, file string) map[int][][]toldCall {
	t.Helper()
	a, err := archive.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ranks := map[int][][]toldCall{}
	for s := range a.Streams() {
		var calls []toldCall
		err := functions.Each(a, s, func(depth int, name string, _ bool) bool {
			calls = append(calls, toldCall{name, depth})
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		ranks[s.WorldRank()] = append(ranks[s.WorldRank()], calls)
	}
	return ranks
}

// above are the calls that are in fewer than depth others.
func above(calls []toldCall, depth int) []toldCall {
	return slices.DeleteFunc(slices.Clone(calls), func(c toldCall) bool { return c.depth >= depth })
}

func compareSequences(t *testing.T, got, want []toldCall) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("call %d: recorded %v, instead of %v (%d and %d calls)", i,
				got[min(i, len(got)):min(i+3, len(got))],
				want[min(i, len(want)):min(i+3, len(want))], len(got), len(want))
		}
	}
}

// What is recorded with --depth is what is recorded without, but for what is deeper: with jumps out of functions, tail
// calls, exceptions, threads and coroutines, in programs that tell of their functions, of which some are put into
// others, and in such that do not.
func TestFunctionsDepth(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("told ", seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			buildGenerated(t, dir, seed)
			file := filepath.Join(dir, "f.tabard")
			for _, depth := range []int{1, 3, 6} {
				mustRun(t, dir, tabardBin, "record", "-q", "--force", "--events=functions", "--depth",
					strconv.Itoa(depth), "-o", file,
					"./program")
				want := above(readCalls(t, filepath.Join(dir, "calls")), depth)
				compareSequences(t, recordedCalls(t, file)[0][0], want)
			}
		})
	}
	for _, p := range [][]string{
		{"gcc", "capture/testdata/functions/basics.c", "-O2"},
		{"gcc", "capture/testdata/functions/coroutines.c", "-O0"},
		{"g++", "capture/testdata/functions/exceptions.cc", "-O2"},
		{"gcc", "capture/testdata/functions/threads.c", "-O2"},
		{"gcc", "testdata/functions/files.c", "-O2"},
	} {
		t.Run(filepath.Base(p[1]), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			compile := []string{"-w", "-pthread", p[2], "-o", "program", filepath.Join(mpirun.Root(), p[1]), "-ldl"}
			mustRun(t, dir, p[0], compile...)
			sequences := func(which string, more ...string) [][]toldCall {
				file := filepath.Join(dir, "f.tabard")
				args := append([]string{"record", "-q", "--force", "--events=io,functions", "--functions=" + which,
					"-o", file}, more...)
				cmd := exec.Command(tabardBin, append(args, "./program")...)
				cmd.Dir = dir
				if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() < 0 { // they end with codes of their own
					t.Fatal(err)
				}
				waitFor(t, file)
				return recordedCalls(t, file)[0]
			}
			whole := sequences("main")
			if len(whole[0]) == 0 {
				t.Fatal("no calls were recorded")
			}
			for _, depth := range []int{1, 2, 4} {
				got := sequences("main", "--depth", strconv.Itoa(depth))
				var want [][]toldCall
				for _, w := range whole {
					want = append(want, above(w, depth))
				}
				byContent := func(x, y []toldCall) int { return cmp.Compare(fmt.Sprint(x), fmt.Sprint(y)) }
				slices.SortFunc(got, byContent)
				slices.SortFunc(want, byContent)
				if len(got) != len(want) {
					t.Fatalf("depth %d: calls of %d threads instead of %d", depth, len(got), len(want))
				}
				for i := range got {
					compareSequences(t, got[i], want[i])
				}
			}
		})
	}
}

// What a program calls while tracing is on is recorded, and nothing else, also where functions are open meanwhile; and
// of the ranks that are chosen only.
func TestFunctionsSwitched(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		for _, flags := range []string{"-O0", "-O2", "-O2 -finstrument-functions"} {
			dir := t.TempDir()
			program := filepath.Join(dir, "switched")
			source := filepath.Join(mpirun.Root(), "testdata", "functions", "switched.c")
			if err := m.Build(source, program, strings.Fields(flags)...); err != nil {
				t.Fatal(err)
			}
			for _, more := range [][]string{nil, {"--ranks=1", "--depth=3"}} {
				args := []string{tabardBin, "record", "-q", "--force", "-o", "f.tabard", "--events=mpi,functions"}
				if !strings.Contains(flags, "instrument") {
					args = append(args, "--functions=main")
				}
				r, err := (&mpirun.Job{MPI: m, Ranks: 2, Dir: dir,
					Args: slices.Concat(args, more, []string{program})}).Start()
				if err != nil || r.Code != 0 {
					t.Fatal(err, r)
				}
				got := recordedCalls(t, filepath.Join(dir, "f.tabard"))
				if want := 2 - min(len(more), 1); len(got) != want {
					t.Errorf("%s %v: %d ranks were recorded, not %d", flags, more, len(got), want)
				}
				for rank, threads := range got {
					want := append([]toldCall{{"main", 0}}, readCalls(t,
						filepath.Join(dir, fmt.Sprint("calls.", rank)))...)
					if len(more) > 0 {
						want = above(want, 3)
					}
					compareSequences(t, threads[0], want)
				}
			}
		}
	})
}
