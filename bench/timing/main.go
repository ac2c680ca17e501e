// Command timing compares the ways to store times, on real programs: it records each under an MPI with exact
// times, encodes these times again in every mode, and prints the tables of docs/benchmarks.md:
//
//	go run ./bench/timing [-programs FILE] [-only REGEXP] [-mpi NAME] [-tabard FILE] [-timeout DURATION]
//		[-modes REGEXP] [-keep DIR] [-archive FILE,...]
//
// The programs are a stencil and an irregular code of bench/programs, compiled here; HPCC (with
// HPL) and LAMMPS, if they are installed; and those of FILE, already built: each line is a name, a
// number of ranks and a command, # begins a comment. With -archive the times of recordings that
// exist are taken instead, such as those that -keep has kept.
//
// Beside Tabard's modes stand the published ones (internal/codec/timing/published), raw times of 16 bytes a call, and
// what zstd -19 makes of delta-coded ones. The bars are below the tables; if one is missed, the exit code is 1.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// options are those of the command line.
type options struct {
	mpi, tabard, list, keep string
	archives                []string
	only, modes             *regexp.Regexp
	timeout                 time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.mpi, "mpi", "openmpi", "the MPI to run the programs with")
	flag.StringVar(&o.tabard, "tabard", filepath.Join(mpirun.Root(), "bin", "tabard"), "the tabard to record with")
	flag.StringVar(&o.list, "programs", "", "more programs: lines of name, ranks, command")
	flag.StringVar(&o.keep, "keep", "", "keep the recordings in this directory")
	archives := flag.String("archive", "", "take the times of these recordings, separated by commas, and run nothing")
	flag.DurationVar(&o.timeout, "timeout", 2*time.Minute, "the longest that one run may take")
	only := flag.String("only", "", "programs whose name matches this regular expression")
	modes := flag.String("modes", "", "modes that match this regular expression, as in 'lossless|^hist.* 1 %|zstd'")
	flag.Parse()
	if *archives != "" {
		o.archives = strings.Split(*archives, ",")
	}
	var err, err2 error
	o.only, err = regexp.Compile(*only)
	o.modes, err2 = regexp.Compile(*modes)
	if err != nil || err2 != nil || flag.NArg() > 0 || o.timeout <= 0 {
		fmt.Fprintln(os.Stderr, "timing: wrong arguments; see -help")
		os.Exit(2)
	}
	if err := run(&o); err != nil {
		fmt.Fprintln(os.Stderr, "timing:", err)
		os.Exit(1)
	}
}

// errMissed says that the tables are complete and something in them is not as it must be.
var errMissed = errors.New("not all bars are met")

func run(o *options) error {
	b := &bench{options: o}
	if err := b.prepare(); err != nil {
		return err
	}
	defer b.close()
	fmt.Print(legend)
	var all []*result
	measure := func(p program, archive string) error {
		times, ranks, err := readTimes(archive)
		if err != nil {
			return err
		}
		p.Ranks = ranks
		r, err := b.measure(p, times)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		r.print(os.Stdout)
		all = append(all, r)
		return nil
	}
	for _, file := range o.archives {
		if err := measure(program{Program: programs.Program{Name: filepath.Base(file)}}, file); err != nil {
			return err
		}
	}
	list, err := b.programs()
	if err != nil {
		return err
	}
	for _, p := range list {
		archive, err := b.record(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if err := measure(p, archive); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return errors.New("there is no program to measure")
	}
	printPaper(os.Stdout)
	if !printBars(os.Stdout, all) {
		return errMissed
	}
	return nil
}
