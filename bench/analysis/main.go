// Command analysis measures what answers from a recording cost, each by the tabard command that
// gives it, as a whole process:
//
//	go run ./bench/analysis [-calls N] [-timed N] [-runs N]
//
// The first table is of questions that need no times, on a recording of a stencil whose time-step
// loop was made longer in the file, to N calls in all (default 10^9); the bars are 100 ms and 100
// MB. The second is of questions that need times, on a ping-pong of two ranks that was recorded
// with N calls (default 20,000,000); the bar is 25 million calls per second and core. The command
// exits with 1 if a bar is missed. It needs Open MPI and bin/tabard.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// Bars.
const (
	longestTime = 100 * time.Millisecond
	mostMemory  = 100e6
	leastSpeed  = 25e6
)

func main() {
	b := &bench{}
	flag.Float64Var(&b.calls, "calls", 1e9, "calls of the recording without times")
	flag.IntVar(&b.timed, "timed", 20_000_000, "calls of the recording with times")
	flag.IntVar(&b.runs, "runs", 3, "runs of each command, of which the median counts")
	flag.StringVar(&b.tabard, "tabard", filepath.Join(mpirun.Root(), "bin", "tabard"), "the tabard command")
	flag.Parse()
	if b.calls < 1e4 || b.timed < 1000 || b.runs < 1 {
		fmt.Fprintln(os.Stderr, "analysis: at least 10,000 calls, 1,000 timed ones and one run")
		os.Exit(2)
	}
	ok, err := b.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "analysis:", err)
		os.Exit(1)
	}
	if !ok {
		fmt.Println("\nA bar is missed.")
		os.Exit(1)
	}
}

// bench holds what all measurements share.
type bench struct {
	calls       float64
	timed, runs int
	tabard, dir string
	mpi         *mpirun.MPI
}

func (b *bench) run() (ok bool, err error) {
	if _, err := os.Stat(b.tabard); err != nil {
		return false, fmt.Errorf("%w: run make first", err)
	}
	if b.mpi, err = mpirun.Find("openmpi"); err != nil {
		return false, err
	}
	if b.dir, err = os.MkdirTemp("", "tabard-analysis-"); err != nil {
		return false, err
	}
	defer os.RemoveAll(b.dir)
	plain, calls, err := b.long()
	if err != nil {
		return false, err
	}
	ok = true
	fmt.Printf("| %.3g calls, no times | CPU ms | MB |\n|---|---|---|\n", float64(calls))
	for _, args := range [][]string{{"info"}, {"info", "--comms"}, {"loops"}, {"profile"}, {"matrix"}, {"histogram"}} {
		m, err := b.measure(append(args, plain))
		if err != nil {
			return false, err
		}
		ok = ok && m.cpu <= longestTime && m.memory <= mostMemory
		fmt.Printf("| tabard %s | %.0f | %.0f |\n", strings.Join(args, " "), float64(m.cpu)/1e6, m.memory/1e6)
	}
	timed, calls, err := b.pingpong()
	if err != nil {
		return false, err
	}
	fmt.Printf("\n| %.3g calls with times | CPU s | million calls/s and core | MB |\n|---|---|---|---|\n",
		float64(calls))
	for _, args := range [][]string{{"profile"}, {"timeline"}, {"messages"}, {"waits"}, {"report"}} {
		m, err := b.measure(append(args, timed))
		if err != nil {
			return false, err
		}
		speed := float64(calls) / m.cpu.Seconds()
		ok = ok && speed >= leastSpeed
		fmt.Printf("| tabard %s | %.2f | %.1f | %.0f |\n", strings.Join(args, " "), m.cpu.Seconds(), speed/1e6,
			m.memory/1e6)
	}
	return ok, nil
}

// cost is what a command took.
type cost struct {
	cpu    time.Duration
	memory float64 // bytes, at most
}

// measure runs a command several times.
func (b *bench) measure(args []string) (cost, error) {
	var all []cost
	for range b.runs {
		c := exec.Command(b.tabard, args...)
		if out, err := c.CombinedOutput(); err != nil {
			return cost{}, fmt.Errorf("tabard %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		all = append(all, cost{c.ProcessState.UserTime() + c.ProcessState.SystemTime(), peak(c.ProcessState)})
	}
	slices.SortFunc(all, func(x, y cost) int { return int(min(max(x.cpu-y.cpu, -1), 1)) })
	return all[len(all)/2], nil
}
