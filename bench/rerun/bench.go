package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/roundtrip"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// bench holds what all measurements share.
type bench struct {
	*options
	libs []*mpirun.MPI
	dir  string
}

func newBench(o *options) (*bench, error) {
	b := &bench{options: o}
	var err error
	if o.tabard, err = filepath.Abs(o.tabard); err != nil {
		return nil, err
	}
	if _, err := os.Stat(o.tabard); err != nil {
		return nil, fmt.Errorf("%w: run make first", err)
	}
	if b.dir, err = os.MkdirTemp("", "tabard-rerun-"); err != nil {
		return nil, err
	}
	for _, name := range o.mpis {
		m, err := mpirun.Find(name)
		if err != nil {
			b.close()
			return nil, err
		}
		if name == "mpich" {
			if m.YieldPreload, err = mpirun.BuildYield(b.dir); err != nil {
				b.close()
				return nil, err
			}
		}
		b.libs = append(b.libs, m)
	}
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.dir) }

func (b *bench) runner(m *mpirun.MPI) *roundtrip.Runner {
	return &roundtrip.Runner{MPI: m, Tabard: b.tabard, Timeout: b.timeout, Sanitize: b.asan}
}

// program compiles one of bench/programs.
func (b *bench) program(m *mpirun.MPI, name string) (string, error) {
	return b.compiled(m, filepath.Join(mpirun.Root(), "bench", "programs", name+".c"))
}

func (b *bench) compiled(m *mpirun.MPI, source string) (string, error) {
	out := filepath.Join(b.dir, strings.TrimSuffix(filepath.Base(source), filepath.Ext(source))+"."+m.Name)
	if _, err := os.Stat(out); err == nil {
		return out, nil
	}
	return out, m.Build(source, out, "-O2")
}

// recorded records a program in a folder of its own. The outcome is nil if that went well.
func (b *bench) recorded(m *mpirun.MPI, ranks int, args []string) (dir string, failed *roundtrip.Outcome, err error) {
	if dir, err = os.MkdirTemp(b.dir, "run-"); err != nil {
		return "", nil, err
	}
	_, failed, err = b.runner(m).Record(dir, ranks, args)
	return dir, failed, err
}

// wall returns how long a command runs on some ranks, and its output.
func (b *bench) wall(m *mpirun.MPI, ranks int, args []string) (time.Duration, string, error) {
	dir, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		return 0, "", err
	}
	defer os.RemoveAll(dir)
	j := &mpirun.Job{MPI: m, Ranks: ranks, Args: args, Dir: dir, Timeout: b.timeout}
	// If ranks yielded when idle, by themselves or by the library, the kernel would be measured.
	j.Env = []string{"OMPI_MCA_mpi_yield_when_idle=0"}
	quiet := *m
	quiet.YieldPreload = ""
	j.MPI = &quiet
	r, err := j.Start()
	if err != nil {
		return 0, "", err
	}
	if r.Code != 0 || r.TimedOut {
		return 0, "", fmt.Errorf("%s: exit code %d, out of time: %t\n%s%s", strings.Join(args, " "), r.Code, r.TimedOut,
			r.Stdout, r.Stderr)
	}
	return r.Wall, r.Stdout, nil
}

// spread is a median, and in brackets the least and the greatest.
func spread(values []float64) string {
	v := slices.Sorted(slices.Values(values))
	return fmt.Sprintf("%.2f (%.2f to %.2f)", median(v), v[0], v[len(v)-1])
}

func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// verdict prints a bar and reports whether it is met.
func verdict(ok bool, format string, args ...any) bool {
	word := "met"
	if !ok {
		word = "MISSED"
	}
	fmt.Printf("%s: %s\n", fmt.Sprintf(format, args...), word)
	return ok
}
