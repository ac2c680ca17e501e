// Command functions shows what recording function calls costs: it runs programs as they are and in several ways of
// recording, in turns, and prints the table of docs/benchmarks.md:
//
//	go run ./bench/functions [-programs FILE] [-dir DIR] [-runs N] [-mpi NAME] [-tabard FILE] [-tools]
//
// The programs are one whose functions do nothing but call each other, and any others that are already built: each line
// of FILE is a name, a number of ranks and a command with its arguments; # begins a comment. They run in DIR, where
// their input may be, or in a folder that is removed. Silent is with all entries changed and nothing told
// (--start=off). Times of variants are over that of the program as it is.
//
// With -tools it puts the programs beside uftrace and callgrind, as far as these are installed, in turns; those of one
// rank without a launcher. uftrace patches the program as it is (-P .), without the calls of libraries.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/analysis/functions"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

type options struct {
	mpi, tabard, list, dir string
	runs                   int
	tools                  bool
}

func main() {
	var o options
	flag.StringVar(&o.mpi, "mpi", "openmpi", "the MPI to run the programs with")
	flag.StringVar(&o.tabard, "tabard", filepath.Join(mpirun.Root(), "bin", "tabard"), "the tabard to record with")
	flag.StringVar(&o.list, "programs", "", "more programs: lines of name, ranks, command")
	flag.StringVar(&o.dir, "dir", "", "the folder that programs run in (default: one that is made)")
	flag.IntVar(&o.runs, "runs", 3, "runs of each variant; the least counts")
	flag.BoolVar(&o.tools, "tools", false, "only the table beside other tools")
	flag.Parse()
	if flag.NArg() > 0 || o.runs < 1 {
		fmt.Fprintln(os.Stderr, "functions: wrong arguments; see -help")
		os.Exit(2)
	}
	if err := run(&o); err != nil {
		fmt.Fprintln(os.Stderr, "functions:", err)
		os.Exit(1)
	}
}

// variants are the ways to run a program; record is nil for the program as it is.
var variants = []struct {
	name   string
	record []string
}{
	{"as it is", nil},
	{"MPI", []string{}},
	{"main, silent", []string{"--functions=main", "--start=off"}},
	{"main", []string{"--functions=main"}},
	{"all, silent", []string{"--functions=all", "--start=off"}},
	{"all", []string{"--functions=all"}},
}

type bench struct {
	o   *options
	m   *mpirun.MPI
	dir string
}

// result is what a variant costs: the least of all runs.
type result struct {
	cpu, wall     float64 // seconds of the job without the collector
	collector     float64 // seconds of CPU
	bytes         int64
	calls, traced uint64 // of functions, and how many functions these are
}

func run(o *options) error {
	// Collectors outlive their launcher: this process reaps them, and waits for them so.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	m, err := mpirun.Find(o.mpi)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tabard-functions-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.dir == "" {
		o.dir = dir
	}
	b := &bench{o, m, dir}
	list, err := b.programs()
	if err != nil {
		return err
	}
	if o.tools {
		return b.compare(list)
	}
	fmt.Println(
		"| program | ranks | CPU, s | MPI | main, silent | main | calls | bytes | ratio | all, silent | all | calls | " +
			"bytes | ratio | start, s | collector, s |",
	)
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	var results [][]result
	for _, p := range list {
		r, err := b.measure(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		fmt.Println(line(p, r))
		results = append(results, r)
	}
	means(list[0].Name, results)
	return nil
}

// means prints the figures that have bars: what a call and its return take in the first program, which is nothing but
// calls, and the mean slowdown of the others.
func means(calls string, results [][]result) {
	r := results[0]
	fmt.Printf("\nA call and its return in %s: %.0f ns with %s\n", calls, (r[3].cpu-r[1].cpu)/float64(r[3].calls)*1e9,
		variants[3].name)
	others := results[1:]
	if len(others) == 0 {
		return
	}
	over := func(variant, base int) float64 {
		sum := 0.0
		for _, r := range others {
			sum += math.Log(r[variant].cpu / r[base].cpu)
		}
		return math.Exp(sum / float64(len(others)))
	}
	fmt.Printf("Geometric means of CPU time over the other programs as they are: main %.2f, all %.2f; "+
		"over recording MPI alone: main %.2f, all %.2f\n", over(3, 0), over(5, 0), over(3, 1), over(5, 1))
}

func (b *bench) programs() ([]programs.Program, error) {
	calls := filepath.Join(b.dir, "calls")
	if err := b.m.Build(filepath.Join(mpirun.Root(), "bench", "programs", "calls.c"), calls, "-O2"); err != nil {
		return nil, err
	}
	list := []programs.Program{{Name: "calls", Ranks: 1, Args: []string{calls}}}
	if b.o.list == "" {
		return list, nil
	}
	more, err := programs.ReadList(b.o.list)
	return append(list, more...), err
}

func (b *bench) measure(p programs.Program) ([]result, error) {
	best := make([]result, len(variants))
	for i := range best {
		best[i] = result{cpu: math.Inf(1), wall: math.Inf(1), collector: math.Inf(1)}
	}
	for range b.o.runs {
		for i := range variants {
			if err := b.once(p, variants[i].record, &best[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", variants[i].name, err)
			}
		}
	}
	return best, nil
}

func (b *bench) once(p programs.Program, record []string, best *result) error {
	file := filepath.Join(b.dir, "f.tabard")
	args := p.Args
	if record != nil {
		args = append(append([]string{b.o.tabard, "record", "-q", "--force", "-o", file}, record...), args...)
	}
	began := time.Now()
	r, err := (&mpirun.Job{MPI: b.m, Ranks: p.Ranks, Dir: b.o.dir, Args: args, Timeout: 10 * time.Minute}).Start()
	wall := time.Since(began)
	if err != nil {
		return err
	}
	if r.Code != 0 {
		return fmt.Errorf("exit code %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	collector := reap()
	best.cpu, best.wall = min(best.cpu, r.CPU.Seconds()), min(best.wall, wall.Seconds())
	best.collector = min(best.collector, collector.Seconds())
	if record == nil {
		return nil
	}
	return best.size(file)
}

// reap waits for all detached processes, and sums their CPU time.
func reap() time.Duration {
	var sum time.Duration
	for {
		var usage unix.Rusage
		_, err := unix.Wait4(-1, nil, 0, &usage)
		switch err {
		case nil:
			sum += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		case unix.EINTR:
		default:
			return sum
		}
	}
}

func (r *result) size(file string) error {
	st, err := os.Stat(file)
	if err != nil {
		return err
	}
	r.bytes = st.Size()
	a, err := archive.Open(file)
	if err != nil {
		return err
	}
	defer a.Close()
	s, err := (&selection.Selection{}).Resolve(a)
	if err != nil {
		return err
	}
	all, err := functions.Of(a, s)
	if err != nil {
		return err
	}
	r.calls, r.traced = 0, uint64(len(all.Functions))
	for _, f := range all.Functions {
		r.calls += f.Calls
	}
	return nil
}

// line is a row: times over those of the program as it is, and bytes that go to functions, with the ratio to 2 bytes
// for each call and each return. The collector's time is that with main and with all.
func line(p programs.Program, r []result) string {
	cells := []string{p.Name, fmt.Sprint(p.Ranks), fmt.Sprintf("%.2f", r[0].cpu)}
	over := func(i int) string { return fmt.Sprintf("%.2f", r[i].cpu/r[0].cpu) }
	cells = append(cells, over(1), over(2), over(3))
	sizes := func(i int) {
		ratio := float64(4*r[i].calls) / float64(max(1, r[i].bytes-r[1].bytes))
		cells = append(cells, programs.Commas(int64(r[i].calls)), programs.Commas(r[i].bytes),
			fmt.Sprintf("%.0f", ratio))
	}
	sizes(3)
	cells = append(cells, over(4), over(5))
	sizes(5)
	cells = append(cells, fmt.Sprintf("%.2f", r[4].wall-r[1].wall),
		fmt.Sprintf("%.2f, %.2f", r[3].collector, r[5].collector))
	return "| " + strings.Join(cells, " | ") + " |"
}
