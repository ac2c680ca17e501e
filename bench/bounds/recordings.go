package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// unruly are the modes of bench/programs/unruly.c.
var unruly = []string{"random", "graph", "polling", "types", "persist", "rma", "comms", "probe"}

// made are synthetic programs and the calls of a step on each rank, roughly.
var made = []struct {
	name  string
	calls float64
}{{"amr", 10.3}, {"master-worker", 5.9}}

// verified is the recording that has a raw log.
const verified = "types"

const unrulyRanks, madeRanks = 4, 64

// file is where a recording is: name is a mode or a program, which is 1 or 2.
func (b *bench) file(name string, which int) string {
	return filepath.Join(b.dir, fmt.Sprintf("%s-%d-%d.tabard", name, b.calls, which))
}

// corpus makes the recordings that are wanted and lack; it gives their names.
func (b *bench) corpus() (names []string, err error) {
	wanted := func(name string) bool {
		for _, q := range questions {
			if b.only.MatchString(name + "1: " + q) {
				return true
			}
		}
		return false
	}
	make := func(name string, record func(name, file string, seed int) error) error {
		if !wanted(name) {
			return nil
		}
		names = append(names, name)
		for which := 1; which <= 2; which++ {
			if _, err := os.Stat(b.file(name, which)); err == nil {
				continue
			}
			if err := record(name, b.file(name, which), which); err != nil {
				return fmt.Errorf("recording %s: %w", name, err)
			}
		}
		return nil
	}
	for _, name := range unruly {
		if err := make(name, b.record); err != nil {
			return nil, err
		}
	}
	for _, p := range made {
		if err := make(p.name, func(name, file string, seed int) error {
			return b.synthesize(name, file, seed, int(float64(b.calls)/madeRanks/p.calls))
		}); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// record records a mode of unruly.c.
func (b *bench) record(mode, file string, seed int) error {
	mpi, err := mpirun.Find("openmpi")
	if err != nil {
		return err
	}
	program := filepath.Join(b.dir, "unruly")
	if _, err := os.Stat(program); err != nil {
		if err := mpi.Build(filepath.Join(mpirun.Root(), "bench", "programs", "unruly.c"), program, "-O2"); err != nil {
			return err
		}
	}
	args := []string{b.tabard, "record", "--quiet", "-o", file}
	if mode == verified && seed == 1 {
		args = append(args, "--keep-raw", file+".raw")
	}
	j := &mpirun.Job{MPI: mpi, Ranks: unrulyRanks, Dir: b.dir, Timeout: 20 * time.Minute,
		Args: append(args, program, mode, fmt.Sprint(b.calls), fmt.Sprint(seed))}
	res, err := j.Start()
	if err == nil && (res.Code != 0 || res.TimedOut) {
		err = fmt.Errorf("exit code %d\n%s", res.Code, res.Stderr)
	}
	if err != nil {
		return err
	}
	// Commands wait for a recording that is still being written.
	if out, err := exec.Command(b.tabard, "info", file).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// synthesize makes a recording of a synthetic job.
func (b *bench) synthesize(name, file string, seed, steps int) error {
	job, err := synthetic.NewJob(synthetic.ByName(name),
		synthetic.Params{Ranks: madeRanks, Steps: max(steps, 1), Seed: uint64(seed), Timing: true})
	if err != nil {
		return err
	}
	out, err := job.Recording()
	if err != nil {
		return err
	}
	return os.WriteFile(file, out, 0o666)
}
