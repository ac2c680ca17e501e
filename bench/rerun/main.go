// Command rerun measures how recordings run again and prints the tables of
// docs/benchmarks.md:
//
//	go run ./bench/rerun [-tables loops,gaps,trips,sizes] [-mpi openmpi,mpich] [-programs FILE]
//		[-scale FILE] [-keep DIR] [-asan] [-only REGEXP] [-pairs N] [-seconds S] [-tabard FILE] [-timeout DURATION]
//
// loops: programs that only communicate, on 2 ranks, and tabard replay --timing=asap of their
// recordings. What is compared is the time of the loop: that of a long run less that of a short
// one, so that start and end do not count. Runs of both kinds are interleaved, and numbers are
// medians of pairs.
//
// gaps: a program that computes half of the time, tabard replay --timing=recorded, and what tabard
// proxy --compute makes: the time of the whole run.
//
// trips: programs that are recorded, run again by tabard replay and as what tabard proxy makes, and
// recorded again: are the recordings equal (tabard diff --rerun)? The programs are those of
// testdata/mpi, HPL and LAMMPS as Debian builds them, mpi4py, and those of FILE: each line is a
// name, a number of ranks and a command with its arguments; # begins a comment.
//
// With -asan the proxies run once more, compiled with AddressSanitizer.
//
// scale: what tabard scale infers from small jobs, and the recording of a larger one: are they
// equal (tabard diff)? The programs are those of the file that -scale names: each line is a name, the
// small numbers of ranks with commas between, the large one, and a command with its arguments. Recordings
// stay in the folder that -keep names, and are used again: inference can be measured without running the
// programs once more. Times are those of the processor.
//
// sizes: how long proxies are, and how that depends on steps and ranks.
//
// The bars that the numbers have to meet stand below each table; if one is missed, the exit
// code is 1. For loops and gaps the machine should be quiet and have two cores.
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

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// options are those of the command line.
type options struct {
	tabard, list string
	scale, keep  string
	asan         bool
	tables, mpis []string
	only         *regexp.Regexp
	pairs        int
	seconds      float64
	timeout      time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.tabard, "tabard", filepath.Join(mpirun.Root(), "bin", "tabard"), "the tabard to measure")
	flag.StringVar(&o.list, "programs", "", "more programs for trips: lines of name, ranks, command")
	flag.StringVar(&o.scale, "scale", "", "programs for scale: lines of name, small sizes, large size, command")
	flag.StringVar(&o.keep, "keep", "", "a folder that recordings for scale stay in, to be used again")
	flag.BoolVar(&o.asan, "asan", false, "run proxies under AddressSanitizer, too")
	tables := flag.String("tables", "loops,gaps,trips,sizes", "tables to print")
	names := flag.String("mpi", "openmpi,mpich", "MPIs to measure with")
	only := flag.String("only", "", "rows whose name matches this regular expression")
	flag.IntVar(&o.pairs, "pairs", 5, "pairs of runs per number")
	flag.Float64Var(&o.seconds, "seconds", 4, "length of the long runs")
	flag.DurationVar(&o.timeout, "timeout", 2*time.Minute, "the longest that one run may take")
	flag.Parse()
	o.tables, o.mpis = strings.Split(*tables, ","), strings.Split(*names, ",")
	var err error
	if o.only, err = regexp.Compile(*only); err != nil || flag.NArg() > 0 || o.pairs < 1 || o.seconds <= 0 ||
		o.timeout <= 0 {
		fmt.Fprintln(os.Stderr, "rerun: wrong arguments; see -help")
		os.Exit(2)
	}
	if err := run(&o); err != nil {
		fmt.Fprintln(os.Stderr, "rerun:", err)
		os.Exit(1)
	}
}

// errMissed is returned if the tables are complete and a bar in them is missed.
var errMissed = errors.New("not all bars are met")

func run(o *options) error {
	b, err := newBench(o)
	if err != nil {
		return err
	}
	defer b.close()
	met := true
	for _, name := range o.tables {
		table := map[string]func(*bench) (bool, error){"loops": loopsTable, "gaps": gapsTable, "trips": tripsTable,
			"scale": scaleTable,
			"sizes": sizesTable}[name]
		if table == nil {
			return fmt.Errorf("there is no table %q", name)
		}
		ok, err := table(b)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Println()
		met = met && ok
	}
	if !met {
		return errMissed
	}
	return nil
}
