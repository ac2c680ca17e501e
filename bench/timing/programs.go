package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// A program is one to record. Its input, if any, lies in its working folder under a name that it expects.
type program struct {
	programs.Program
	input, inputName string
}

//go:embed inputs/hpccinf.txt
var hpccInput string

//go:embed inputs/in.melt
var meltInput string

// own are the programs of bench/programs: source, mode, steps. All run with four ranks.
var own = []struct{ source, mode, steps string }{
	{"patterns", "stencil", "20000"},
	{"irregular", "amr", "4000"},
}

// installed are programs that Debian has.
var installed = []program{
	{programs.Program{Name: "hpcc", Ranks: 4, Args: []string{"hpcc"}}, hpccInput, "hpccinf.txt"},
	{programs.Program{Name: "lammps", Ranks: 4, Args: []string{"lmp", "-in", "in.melt"}}, meltInput, "in.melt"},
}

// bench holds what all measurements share.
type bench struct {
	*options
	lib *mpirun.MPI
	dir string
}

func (b *bench) prepare() error {
	if _, err := exec.LookPath("zstd"); err != nil {
		return fmt.Errorf("%w: its level 19 is in the tables", err)
	}
	var err error
	if b.dir, err = os.MkdirTemp("", "tabard-timing-"); err != nil || len(b.archives) > 0 {
		return err
	}
	if b.tabard, err = filepath.Abs(b.tabard); err == nil {
		_, err = os.Stat(b.tabard)
	}
	if err == nil {
		b.lib, err = mpirun.Find(b.mpi)
	}
	if err == nil && b.mpi == "mpich" {
		b.lib.YieldPreload, err = mpirun.BuildYield(b.dir)
	}
	if err != nil {
		b.close()
	}
	return err
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// programs lists the programs that the options ask for. The project's own ones are compiled.
func (b *bench) programs() ([]program, error) {
	var list []program
	if len(b.archives) > 0 {
		return nil, nil
	}
	for _, p := range own {
		if !b.only.MatchString(p.mode) {
			continue
		}
		file := filepath.Join(b.dir, p.source)
		if err := b.lib.Build(filepath.Join(mpirun.Root(), "bench", "programs", p.source+".c"), file); err != nil {
			return nil, err
		}
		list = append(list, program{Program: programs.Program{Name: p.mode, Ranks: 4,
			Args: []string{file, p.mode, p.steps}}})
	}
	for _, p := range installed {
		if !b.only.MatchString(p.Name) {
			continue
		}
		if _, err := exec.LookPath(p.Args[0]); err != nil {
			fmt.Fprintf(os.Stderr, "timing: %s is left out: %s is not installed\n", p.Name, p.Args[0])
			continue
		}
		if b.mpi != "openmpi" {
			fmt.Fprintf(os.Stderr, "timing: %s is left out: it is built for Open MPI\n", p.Name)
			continue
		}
		list = append(list, p)
	}
	if b.list == "" {
		return list, nil
	}
	listed, err := programs.ReadList(b.list)
	if err != nil {
		return nil, err
	}
	for _, p := range listed {
		if b.only.MatchString(p.Name) {
			list = append(list, program{Program: p})
		}
	}
	return list, nil
}

// record runs a program with exact times and returns the archive.
func (b *bench) record(p program) (string, error) {
	dir, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		return "", err
	}
	if p.input != "" {
		if err := os.WriteFile(filepath.Join(dir, p.inputName), []byte(p.input), 0o666); err != nil {
			return "", err
		}
	}
	archive := filepath.Join(dir, "out.tabard")
	args := append([]string{b.tabard, "record", "--quiet", "--timing=lossless", "-o", archive}, p.Args...)
	j := &mpirun.Job{MPI: b.lib, Ranks: p.Ranks, Args: args, Dir: dir, Timeout: b.timeout}
	done, err := j.Start()
	if err != nil {
		return "", err
	}
	if done.TimedOut || done.Code != 0 {
		return "", fmt.Errorf("%s: exit code %d, out of time: %t\n%s%s", strings.Join(args, " "), done.Code,
			done.TimedOut, done.Stdout, done.Stderr)
	}
	if err := waitFor(archive, b.timeout); err != nil || b.keep == "" {
		return archive, err
	}
	text, err := os.ReadFile(archive)
	if err == nil {
		err = os.WriteFile(filepath.Join(b.keep, p.Name+".tabard"), text, 0o666)
	}
	return archive, err
}

// waitFor waits until the collector, which may outlive the program, has put the finished archive
// into its place.
func waitFor(archive string, limit time.Duration) error {
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		under, err := filepath.Glob(filepath.Join(filepath.Dir(archive), "."+filepath.Base(archive)+".*"))
		if err != nil {
			return err
		}
		_, err = os.Stat(archive)
		if err == nil && len(under) == 0 {
			return nil
		}
		if time.Since(begin) > limit {
			return fmt.Errorf("the collector does not come to an end: %s, %w", strings.Join(under, " "), err)
		}
	}
}
