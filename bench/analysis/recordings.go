package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// peak is the largest resident size of a process, in bytes.
func peak(s *os.ProcessState) float64 { return float64(s.SysUsage().(*syscall.Rusage).Maxrss) * 1024 }

// record records a program of bench/programs, with a mode of timing or, if that is empty, the one that users get.
func (b *bench) record(source string, ranks int, timing string, args ...string) (string, error) {
	program := filepath.Join(b.dir, source)
	if err := b.mpi.Build(filepath.Join(mpirun.Root(), "bench", "programs", source+".c"), program, "-O2"); err != nil {
		return "", err
	}
	file := program + ".tabard"
	j := &mpirun.Job{MPI: b.mpi, Ranks: ranks, Dir: b.dir, Timeout: 10 * time.Minute,
		Args: []string{b.tabard, "record", "--quiet", "-o", file}}
	if timing != "" {
		j.Args = append(j.Args, "--timing="+timing)
	}
	j.Args = append(append(j.Args, program), args...)
	res, err := j.Start()
	if err == nil && (res.Code != 0 || res.TimedOut) {
		err = fmt.Errorf("recording %s: exit code %d\n%s", source, res.Code, res.Stderr)
	}
	if err != nil {
		return "", err
	}
	// Commands wait for a recording that is still being written.
	if out, err := exec.Command(b.tabard, "info", file).CombinedOutput(); err != nil {
		return "", fmt.Errorf("recording %s: %w\n%s", source, err, out)
	}
	return file, nil
}

// long is a recording of a stencil whose longest loop was made longer.
func (b *bench) long() (file string, calls uint64, err error) {
	if file, err = b.record("patterns", 16, "off", "stencil", "1000"); err != nil {
		return "", 0, err
	}
	a, err := archive.Open(file)
	if err != nil {
		return "", 0, err
	}
	defer a.Close()
	calls, err = callsOf(a)
	if err != nil {
		return "", 0, err
	}
	c, err := a.Content()
	if err != nil {
		return "", 0, err
	}
	longer := *c
	longer.Classes = slices.Clone(c.Classes)
	factor := uint64(math.Ceil(1.05 * b.calls / float64(calls))) // not all calls are in the loop
	for i, k := range longer.Classes {
		with := *k
		with.Grammar = lengthen(k.Grammar, factor)
		longer.Classes[i] = &with
	}
	var out bytes.Buffer
	if err := longer.Write(&out); err != nil {
		return "", 0, err
	}
	file += ".long"
	if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
		return "", 0, err
	}
	l, err := archive.Open(file)
	if err != nil {
		return "", 0, err
	}
	defer l.Close()
	if err := archive.Validate(l); err != nil {
		return "", 0, fmt.Errorf("the long recording: %w", err)
	}
	calls, err = callsOf(l)
	return file, calls, err
}

// lengthen repeats the rule that is repeated most in the start rule factor times as often.
func lengthen(g *archive.Grammar, factor uint64) *archive.Grammar {
	l := *g
	l.Rules = slices.Clone(g.Rules)
	l.Rules[0] = slices.Clone(g.Rules[0])
	most := 0
	for i, s := range l.Rules[0] {
		if s.IsRule() && (!l.Rules[0][most].IsRule() || s.Count > l.Rules[0][most].Count) {
			most = i
		}
	}
	l.Rules[0][most].Count *= factor
	return &l
}

func callsOf(a *archive.Archive) (calls uint64, err error) {
	for _, c := range a.Classes() {
		of, _, err := c.Counts()
		if err != nil {
			return 0, err
		}
		for _, n := range of {
			calls += n
		}
	}
	return calls, nil
}

// pingpong is a recording with times.
func (b *bench) pingpong() (file string, calls uint64, err error) {
	if file, err = b.record("loop", 2, "", "pingpong", fmt.Sprint(b.timed/2)); err != nil {
		return "", 0, err
	}
	a, err := archive.Open(file)
	if err != nil {
		return "", 0, err
	}
	defer a.Close()
	calls, err = callsOf(a)
	return file, calls, err
}
