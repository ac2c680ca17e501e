// Command cost measures what recording costs and prints the tables of
// docs/benchmarks.md:
//
//	go run ./bench/cost [-pairs N] [-calls N] [-mpi openmpi,mpich] [-sources [-old BIN]]
//	go run ./bench/cost -producers 1,16,64 [-pairs N] [-calls N] [-modes simple,sendrecv,irregular] [-cpus 1,2]
//		[-old BIN] [-yield nice|idle]
//	go run ./bench/cost -programs FILE [-dir DIR] [-pairs N] [-mpi NAME] [-eztrace] [-pilgrim LIBRARY]
//
// Every number is a median over pairs of runs, one without and one with
// recording, interleaved and in alternating order. It compiles the runtime's
// variants itself, so that each feature has a price. The machine should be
// quiet and have at least two cores.
//
// With -programs it runs whole programs that are already built, as they are and recorded, with EZTrace and Pilgrim,
// too, if asked. Each line of FILE is a name, a number of ranks and a command with its arguments; # begins a comment.
// They run in DIR, where their input may be, or in a folder that is removed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	pairs := flag.Int("pairs", 5, "pairs of runs per number")
	calls := flag.Int("calls", 2_000_000, "calls per run")
	only := flag.Bool("sources", false, "measure only what is recorded beside MPI")
	names := flag.String("mpi", "openmpi,mpich", "MPIs to measure with")
	counts := flag.String("producers", "", "measure with so many synthetic processes instead, without an MPI")
	modes := flag.String("modes", "", "what producers do; empty: all there is")
	cpus := flag.String("cpus", "", "with producers: limits of the collector, such as 1,2 (record --collector-cpus)")
	yields := flag.String("yield", "",
		"with producers: measure collectors of the least priority in turn, too: nice (19), or idle (SCHED_IDLE)")
	old := flag.String("old", "", "another build of tabard, which is measured in turn with producers, or -sources")
	var of programsOf
	flag.StringVar(&of.list, "programs", "", "measure whole programs instead: lines of name, ranks, command")
	flag.StringVar(&of.dir, "dir", "", "the folder that they run in (default: one that is made)")
	flag.StringVar(&of.pilgrim, "pilgrim", "", "record them with this library of Pilgrim, too")
	flag.BoolVar(&of.eztrace, "eztrace", false, "record them with EZTrace, too")
	flag.Parse()
	if *pairs < 1 || *calls < 1000 {
		fmt.Fprintln(os.Stderr, "cost: at least one pair and 1,000 calls")
		os.Exit(2)
	}
	if of.list != "" {
		of.pairs = *pairs
		of.mpi, _, _ = strings.Cut(*names, ",")
		exitIf(wholePrograms(&of))
		return
	}
	if *counts != "" {
		n, err := numbers(*counts)
		m, wrong := modesOf(*modes)
		if err = errors.Join(err, wrong); err == nil {
			err = producers(producersOf{*pairs, *calls, n, m, strings.Split(*cpus, ","), *old, *yields})
		}
		exitIf(err)
		return
	}
	exitIf(run(*pairs, *calls, *only, strings.Split(*names, ","), *old))
}

// exitIf ends with an error if there is one.
func exitIf(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

func run(pairs, calls int, only bool, names []string, old string) error {
	b, err := newBench(pairs, calls, names)
	if err != nil {
		return err
	}
	b.old = old
	defer b.close()
	fmt.Printf("%s. Medians of %d pairs of runs of %d calls a rank; "+
		"in brackets the least and the greatest. ns per call.\n", machine(), pairs, calls)
	tables := []func(*bench) error{pathTable, cpuTable, bodyTable, sourcesTable}
	if only {
		tables = tables[3:]
	}
	for _, table := range tables {
		fmt.Println()
		if err := table(b); err != nil {
			return err
		}
	}
	return nil
}
