package cli

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// manyRanks writes the recording of a job of any number of ranks: what a small one is, at that size, with
// the times of one rank at all of them.
func manyRanks(t *testing.T, file string, ranks, steps int) {
	t.Helper()
	small, err := archivetest.Open(t, jobBytes(t, "stencil-1d-periodic",
		synthetic.Params{Ranks: 8, Steps: steps, Seed: 1, Timing: true})).Content()
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := infer.Of(small, ranks, infer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Classes) != 1 || len(small.Timings) == 0 {
		t.Fatalf("%d classes, %d timings", len(c.Classes), len(small.Timings))
	}
	c.Timings = small.Timings[:1]
	c.Classes[0].Timing = archive.Cases[int]{Values: []int{0}}
	clocks, group := slices.Repeat([][]int64{small.Groups[0].Clocks.At(0)}, ranks), c.Groups[0]
	group.Clocks = rankfunc.FitVec(&rankfunc.Context{Size: ranks}, group.Ranks, clocks)
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// ranksVar is how many ranks TestManyRanks has if it is set: 100,000 take minutes.
const ranksVar = "TABARD_TEST_RANKS"

// TestManyRanks: every command that reads recordings keeps its bounds for recordings of many ranks.
func TestManyRanks(t *testing.T) {
	ranks := 5_000
	if testing.Short() {
		ranks = 1_000
	}
	if n, err := strconv.Atoi(os.Getenv(ranksVar)); err == nil {
		ranks = n
	}
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.tabard"), filepath.Join(dir, "b.tabard")
	manyRanks(t, a, ranks, 5)
	manyRanks(t, b, ranks, 6)
	bounds := Bounds()
	for _, q := range manyRanksQuestions(bounds) {
		name, _, _ := strings.Cut(q, " ")
		out := filepath.Join(dir, "out"+strings.NewReplacer("proxy", ".c", "merge", "1.tabard", "scale", "2.tabard").
			Replace(name))
		words := filled(q, map[string]string{"A": a, "B": b, "OUT": out})
		t.Run(q, func(t *testing.T) {
			cmd := ownProcess(words)
			cputime.ForgetPeak()
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			err := cmd.Run()
			var exit *exec.ExitError
			// Two look for events that are not there.
			differs := q == "diff A B" || q == "openmp A" || q == "functions A"
			if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1 && differs) {
				t.Errorf("%v: %.500s", err, errs.Bytes())
			}
			bound, ok := bounds[words[0]]
			s := cmd.ProcessState
			memory, cpu := uint64(s.SysUsage().(*syscall.Rusage).Maxrss)<<10, s.UserTime()+s.SystemTime()
			if !ok || memory > bound.At(ranks) || cpu.Seconds() > float64(bound.Seconds) {
				t.Errorf("%d MB, %v", memory/1e6, cpu)
			}
			t.Logf("%d MB, %v, %d lines", memory/1e6, cpu, bytes.Count(out.Bytes(), []byte("\n")))
		})
	}
}

// manyRanksQuestions asks every command with a bound about a recording A, but for two that need a raw log, and an MPI.
// B is another recording, OUT a file.
func manyRanksQuestions(bounds map[string]Bound) []string {
	all := []string{"info A", "info A --comms", "info A --cost", "view A --html OUT --force", "profile A --by rank",
		"dump A --rank 999", "dump A --last 3", "diff A A", "diff A B", "check A --against A", "trend A B",
		"merge OUT A", "scale A --ranks 64 -o OUT", "proxy A -o OUT", "export pprof A -o OUT --by rank",
		"export perfetto A -o OUT --force"}
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		asked := func(q string) bool { return strings.HasPrefix(q, name+" ") }
		if !slices.ContainsFunc(append(all, "verify A", "replay A"), asked) {
			all = append(all, name+" A")
		}
	}
	return all
}
