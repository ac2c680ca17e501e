// Command bounds measures what the reading commands of tabard need on recordings that do not repeat
// themselves, and whether each keeps the bounds that its help states:
//
//	go run ./bench/bounds [-calls N] [-corpus DIR] [-only REGEXP] [-tabard BIN]
//
// It makes two recordings each of the programs of bench/programs/unruly.c, on 4 ranks under Open
// MPI, and of synthetic jobs of 64 ranks, with N calls each (default 10^7). Then it asks every
// reading command about each of them, as a process of its own that has at most 4 GiB of address space and
// 300 s. The bars are what the commands' help states: see cli.Bounds. The command exits with 1 if
// one is missed. DIR keeps the recordings for the next time.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/cli"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// Limits that keep a command that misses the bars by far from harming the machine.
const (
	addressSpace = 4 << 30
	patience     = 300 * time.Second
)

// questions are asked about each recording: about a recording A and another one of the same program,
// B. OUT is a file that is written, RAW the raw log of A, which one recording has. Instead of a replay there is what
// its helpers do, for all ranks one after the other: no MPI takes part.
var questions = []string{
	"info A", "info A --comms", "info A --cost", "report A", "profile A", "profile A --by site --quantiles",
	"matrix A", "matrix A --kind collective", "histogram A --by site", "histogram A --durations", "waits A",
	"messages A", "timeline A", "timeline A --svg OUT", "dump A", "dump A --json --rank 1", "dump A --last 3",
	"dump A --raw", "loops A", "loops A --all --json", "profile A --steps 0", "diff A A", "diff A B",
	"diff A B --json", "merge OUT A", "scale A --ranks 128 -o OUT", "proxy A -o OUT", "replay A", "verify A RAW",
	"export pprof A -o OUT --force", "export folded A -o OUT --force", "export perfetto A -o OUT --force",
	"export chrome A -o OUT --force", "export parquet A -o OUT --force",
	"export parquet A --table messages -o OUT --force",
	"export arrow A -o OUT --force", "export otf2 A -o OUT --force", "export prv A -o OUT --force", "io A",
}

func main() {
	b := &bench{}
	flag.IntVar(&b.calls, "calls", 10_000_000, "calls of each recording")
	flag.StringVar(&b.dir, "corpus", "", "where recordings are kept (default: a temporary folder)")
	flag.StringVar(&b.tabard, "tabard", filepath.Join(mpirun.Root(), "bin", "tabard"), "the tabard command")
	only := flag.String("only", "", "recordings and questions that match this regular expression, as \"types1: diff "+
		"A B\"")
	lower := flag.String("lower", "",
		"turn a recording into what a replay makes calls from, and end (for internal use)")
	flag.Parse()
	if *lower != "" {
		if err := lowerAll(*lower); err != nil {
			fmt.Fprintln(os.Stderr, "bounds:", err)
			os.Exit(1)
		}
		return
	}
	choice, err := regexp.Compile(*only)
	if err != nil || b.calls < 1000 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "bounds: at least 1,000 calls, a regular expression, and no arguments:", err)
		os.Exit(2)
	}
	b.only = choice
	missed, err := b.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bounds:", err)
		os.Exit(1)
	}
	if missed > 0 {
		fmt.Printf("\n%d bars are missed.\n", missed)
		os.Exit(1)
	}
}

// bench holds what all measurements share.
type bench struct {
	calls       int
	tabard, dir string
	only        *regexp.Regexp
}

func (b *bench) run() (missed int, err error) {
	if _, err := os.Stat(b.tabard); err != nil {
		return 0, fmt.Errorf("%w: run make first", err)
	}
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "tabard-bounds-"); err != nil {
			return 0, err
		}
		defer os.RemoveAll(b.dir)
	}
	bounds := cli.Bounds()
	names, err := b.corpus()
	if err != nil {
		return 0, err
	}
	fmt.Printf("| recording of %d calls | command | CPU s | s | MB | lines | |\n|---|---|---|---|---|---|---|\n",
		b.calls)
	for _, name := range names {
		for _, q := range questions {
			if !b.only.MatchString(name+"1: "+q) || strings.HasSuffix(q, "RAW") && name != verified {
				continue
			}
			c, err := b.ask(name, q)
			if err != nil {
				return missed, err
			}
			command, _, _ := strings.Cut(q, " ")
			verdict := c.verdict(bounds[command])
			if verdict != "" {
				missed++
			}
			fmt.Printf("| %s | %s | %.1f | %.1f | %.0f | %d | %s |\n", name, q, c.cpu.Seconds(),
				c.wall.Seconds(), c.memory/1e6, c.lines, verdict)
		}
	}
	return missed, nil
}
