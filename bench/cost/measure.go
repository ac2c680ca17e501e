package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/answers"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// A variant is one way to run the program.
type variant struct {
	name    string
	record  []string // words before the program; nil runs it as it is
	preload string
}

// bench holds what all measurements share.
type bench struct {
	pairs, calls int
	dir          string
	mpis         []*mpirun.MPI
	programs     map[string]string // by MPI, or as loops name them
	old          string            // another build of tabard; empty: none

	plain, noop, noTiming, full variant
}

func newBench(pairs, calls int, names []string) (*bench, error) {
	if err := becomeReaper(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tabard-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{pairs: pairs, calls: calls, dir: dir, programs: map[string]string{}}
	if err := b.build(names); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// build compiles the measured program for each MPI and a runtime that only
// forwards.
func (b *bench) build(names []string) error {
	for _, name := range names {
		m, err := mpirun.Find(name)
		if err != nil {
			return err
		}
		b.mpis = append(b.mpis, m)
		b.programs[name] = filepath.Join(b.dir, "loop."+name)
		source := filepath.Join(mpirun.Root(), "bench", "programs", "loop.c")
		if err := m.Build(source, b.programs[name], "-O2"); err != nil {
			return err
		}
	}
	noop := filepath.Join(b.dir, "noop.so")
	build := exec.Command(filepath.Join(mpirun.Root(), "capture", "build.sh"), noop, "-DTB_NOOP")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the no-op runtime: %w\n%s", err, out)
	}
	tabard := filepath.Join(mpirun.Root(), "bin", "tabard")
	if _, err := os.Stat(tabard); err != nil {
		return fmt.Errorf("%w: run make first", err)
	}
	record := []string{tabard, "record", "--quiet", "-o", b.archive()}
	b.plain = variant{name: "untraced"}
	b.noop = variant{name: "no-op wrappers", preload: noop}
	b.noTiming = variant{name: "no timing", record: append(record[:len(record):len(record)], "--timing=off")}
	b.full = variant{name: "full", record: record}
	return nil
}

func (b *bench) archive() string { return filepath.Join(b.dir, "out.tabard") }

// cost is what one run took, in ns per call of one rank.
type cost struct {
	path float64 // elapsed in the loop
	cpu  float64 // user and system time of all processes, start and end included, all ranks together
}

// measure runs the program once.
func (b *bench) measure(m *mpirun.MPI, v variant, l loop) (cost, error) {
	if err := os.RemoveAll(b.archive()); err != nil {
		return cost{}, err
	}
	j := &mpirun.Job{MPI: m, Ranks: l.ranks, Dir: b.dir, Timeout: 5 * time.Minute}
	j.Args = append(append(append(j.Args, v.record...), b.programs[cmp.Or(l.program, m.Name)]), l.args...)
	if v.preload != "" {
		j.Args = append([]string{"env", "LD_PRELOAD=" + v.preload}, j.Args...)
	}
	// If ranks yielded when idle, the kernel would be measured.
	j.Env = []string{"OMPI_MCA_mpi_yield_when_idle=0"}
	r, err := j.Start()
	if err != nil {
		return cost{}, err
	}
	if r.Code != 0 || r.TimedOut {
		return cost{}, fmt.Errorf("%s %s: exit code %d\n%s%s", v.name, strings.Join(l.args, " "), r.Code, r.Stdout,
			r.Stderr)
	}
	var calls, ns float64
	if _, err := fmt.Sscan(r.Stdout, &calls, &ns); err != nil {
		return cost{}, fmt.Errorf("output %q: %w", r.Stdout, err)
	}
	detached, err := reap()
	if err != nil {
		return cost{}, err
	}
	return cost{path: ns / calls, cpu: float64(r.CPU+detached) / calls / float64(l.ranks)}, nil
}

// reap waits for all detached processes to end and sums their CPU time.
func reap() (time.Duration, error) {
	var sum time.Duration
	for {
		var usage syscall.Rusage
		_, err := syscall.Wait4(-1, nil, 0, &usage)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if errors.Is(err, syscall.ECHILD) {
			return sum, nil
		}
		if err != nil {
			return 0, err
		}
		sum += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
}

// compare measures the variants and the plain program b.pairs times,
// interleaved, and gives the costs of the plain runs and, by variant, what
// each run cost more than the plain run of its round.
func (b *bench) compare(m *mpirun.MPI, l loop, variants ...variant) (
	plain []cost, added [][]cost, err error) {
	added = make([][]cost, len(variants))
	for round := range b.pairs {
		costs := make([]cost, len(variants))
		order := make([]int, 0, len(variants)+1)
		for i := range variants {
			order = append(order, i)
		}
		// The plain run goes first in one round, last in the next.
		if round%2 == 0 {
			order = append([]int{-1}, order...)
		} else {
			order = append(order, -1)
		}
		var base cost
		for _, i := range order {
			if i < 0 {
				base, err = b.measure(m, b.plain, l)
			} else {
				costs[i], err = b.measure(m, variants[i], l)
			}
			if err != nil {
				return nil, nil, err
			}
		}
		plain = append(plain, base)
		for i, c := range costs {
			added[i] = append(added[i], cost{path: c.path - base.path, cpu: c.cpu - base.cpu})
		}
	}
	return plain, added, nil
}

// recording is what `tabard info` reports about the last recording.
type recording struct {
	Memory int64 `json:"collector_peak_bytes"`
	Bytes  struct {
		File      int64 `json:"file"`
		Structure int64 `json:"structure"`
	} `json:"bytes"`
	Lost uint64 `json:"lost_calls"`
}

func (b *bench) info() (*recording, error) {
	r := new(recording)
	if err := answers.Read(r, b.full.record[0], "info", "--json", b.archive()); err != nil {
		return nil, err
	}
	if r.Lost > 0 {
		return nil, fmt.Errorf("%d calls were lost", r.Lost)
	}
	return r, nil
}

// machine names the processor.
func machine() string {
	model := "unknown processor"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores", model, runtime.NumCPU())
}
