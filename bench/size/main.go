// Command size shows how small recordings are: it records programs under an MPI, proves
// each recording lossless against the raw log of the same run, and prints the table of
// docs/benchmarks.md, side by side with what other tracers need:
//
//	go run ./bench/size [-programs FILE] [-pilgrim LIBRARY] [-only REGEXP] [-long] [-mpi NAME]
//		[-tabard FILE] [-timeout DURATION] [-keep DIR]
//
// The programs are those of bench/programs, compiled here, and any others that are already built: each
// line of FILE is a name, a number of ranks and a command with its arguments; # begins a
// comment. For names that peers.go knows (BT.S and so on, as NPB calls them, and LULESH) published bars and
// the figures of other tracers apply. With the library of Pilgrim, built for the same MPI, the same
// commands run once more under Pilgrim, and zstd -19 shrinks what that writes.
//
// The bars that the sizes have to meet stand below the table; if one is missed, or a
// recording differs from its raw log, the exit code is 1.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

func main() {
	var o options
	flag.StringVar(&o.mpi, "mpi", "openmpi", "the MPI to run the programs with")
	flag.StringVar(&o.tabard, "tabard", filepath.Join(mpirun.Root(), "bin", "tabard"), "the tabard to record with")
	flag.StringVar(&o.list, "programs", "", "more programs: lines of name, ranks, command")
	flag.StringVar(&o.pilgrim, "pilgrim", "", "also measure with this library of Pilgrim")
	flag.StringVar(&o.keep, "keep", "", "keep the archives in this directory")
	flag.BoolVar(&o.long, "long", false, "also the rows that take minutes")
	flag.DurationVar(&o.timeout, "timeout", 2*time.Minute, "the longest that one run may take")
	only := flag.String("only", "", "rows of programs whose name matches this regular expression")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err != nil || flag.NArg() > 0 || o.timeout <= 0 {
		fmt.Fprintln(os.Stderr, "size: wrong arguments; see -help")
		os.Exit(2)
	}
	if err := run(&o); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

// errMissed is returned if the table is complete, and a bar is missed or a recording differs.
var errMissed = errors.New("not all bars are met")

func run(o *options) error {
	b, err := newBench(o)
	if err != nil {
		return err
	}
	defer b.close()
	rows, err := b.rows()
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return errors.New("there is no program to measure")
	}
	fmt.Print(tableHead)
	var results []result
	for _, r := range rows {
		res, err := b.measure(r)
		if err != nil {
			return fmt.Errorf("%s, %d ranks: %w", r.name, r.ranks, err)
		}
		fmt.Println(res.line())
		results = append(results, res)
	}
	printEntropy(os.Stdout, results)
	fmt.Println()
	met := true
	for _, c := range bars() {
		met = c.print(os.Stdout, results) && met
	}
	if !met {
		return errMissed
	}
	return nil
}
