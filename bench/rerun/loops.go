package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/bench/internal/roundtrip"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// Bars.
const (
	maxLoop = 1.3  // time of a replayed loop, in those of the original
	maxGap  = 0.05 // by which the time of a run with recorded gaps may differ
)

// loop is a program that does nothing but communicate: source, mode.
type loop struct{ name, source, mode string }

var loops = []loop{
	{"ping-pong, 4 bytes", "loop", "pingpong"},
	{"MPI_Sendrecv to itself", "loop", "self"},
	{"stencil, 8 KiB", "patterns", "stencil"},
	{"hub", "patterns", "hub"},
	{"tree", "patterns", "tree"},
}

// loopsTable compares loops with their replay.
func loopsTable(b *bench) (bool, error) {
	fmt.Printf("Loops of communication and their replay, as fast as possible, 2 ranks: "+
		"medians of %d pairs.\n\n"+
		"| MPI | program | steps | original, us a step | replay, us a step | ratio |\n|---|---|---|---|---|---|\n",
		b.pairs)
	met := true
	worst := 0.0
	for _, m := range b.libs {
		for _, l := range loops {
			if !b.only.MatchString(l.name) {
				continue
			}
			ratio, line, err := b.loop(m, l)
			if err != nil {
				return false, fmt.Errorf("%s, %s: %w", m.Name, l.name, err)
			}
			fmt.Println(line)
			worst = max(worst, ratio)
		}
	}
	fmt.Println()
	met = verdict(worst > 0 && worst <= maxLoop, "Replay at most %.1f times the original; the worst is %.2f", maxLoop,
		worst)
	return met, nil
}

// few is how many steps a short run has.
const few = 1000

// loop measures a loop: the ratio of medians, and the row.
func (b *bench) loop(m *mpirun.MPI, l loop) (float64, string, error) {
	path, err := b.program(m, l.source)
	if err != nil {
		return 0, "", err
	}
	command := func(steps int) []string { return []string{path, l.mode, strconv.Itoa(steps)} }
	steps, err := b.length(m, command)
	if err != nil {
		return 0, "", err
	}
	var ways [2][2][]string // original and replay, short and long
	for i, n := range []int{few, steps} {
		dir, failed, err := b.recorded(m, 2, command(n))
		if err != nil {
			return 0, "", err
		}
		defer os.RemoveAll(dir)
		if failed != nil {
			return 0, "", fmt.Errorf("%s", failed)
		}
		ways[0][i] = command(n)
		ways[1][i] = []string{b.tabard, "replay", roundtrip.Archive(dir), "--timing=asap"}
	}
	var times [2][]float64 // us a step
	var ratios []float64
	for pair := range b.pairs {
		var step [2]float64
		for k := range ways {
			way := (k + pair) % 2 // each goes first in turn
			var both [2]time.Duration
			for i := range both {
				if both[i], _, err = b.wall(m, 2, ways[way][i]); err != nil {
					return 0, "", err
				}
			}
			if both[1] <= both[0] {
				return 0, "", fmt.Errorf("a run of %d steps took no longer than one of %d: "+
					"the machine is too busy, or -seconds is too small", steps, few)
			}
			step[way] = float64(both[1]-both[0]) / 1e3 / float64(steps-few)
			times[way] = append(times[way], step[way])
		}
		ratios = append(ratios, step[1]/step[0])
	}
	ratio := median(ratios)
	return ratio, fmt.Sprintf("| %s | %s | %s | %s | %s | **%s** |", m.Name, l.name, programs.Commas(int64(steps)),
		spread(times[0]), spread(times[1]), spread(ratios)), nil
}

// length returns the number of steps of a run that takes the wanted time.
func (b *bench) length(m *mpirun.MPI, command func(steps int) []string) (int, error) {
	short, _, err := b.wall(m, 2, command(few))
	if err != nil {
		return 0, err
	}
	for n := 10 * few; ; n *= 4 {
		long, _, err := b.wall(m, 2, command(n))
		if err != nil {
			return 0, err
		}
		if extra := (long - short).Seconds(); extra > b.seconds/10 {
			return max(n, int(float64(n-few)*b.seconds/extra)+few), nil
		}
	}
}

// gapsTable compares a program that computes with its replay and its proxy.
func gapsTable(b *bench) (bool, error) {
	fmt.Printf("A program that computes half of the time, its replay with recorded gaps, "+
		"and its proxy with computation, 2 ranks, whole runs: medians of %d pairs.\n\n"+
		"| MPI | part computed | original, s | replay, s | ratio | proxy, s | ratio |\n|---|---|---|---|---|---|---|\n",
		b.pairs)
	worst := 0.0
	for _, m := range b.libs {
		path, err := b.program(m, "halves")
		if err != nil {
			return false, err
		}
		var parts []float64
		var times, ratios [3][]float64
		for range b.pairs {
			part, walls, err := b.gaps(m, []string{path, strconv.FormatFloat(b.seconds, 'f', -1, 64)})
			if err != nil {
				return false, err
			}
			parts = append(parts, part)
			for i, w := range walls {
				times[i], ratios[i] = append(times[i], w), append(ratios[i], w/walls[0])
			}
		}
		fmt.Printf("| %s | %s | %s | %s | **%s** | %s | **%s** |\n", m.Name, spread(parts), spread(times[0]),
			spread(times[1]), spread(ratios[1]), spread(times[2]), spread(ratios[2]))
		for _, r := range ratios[1:] {
			worst = max(worst, median(r)-1, 1-median(r))
		}
	}
	fmt.Println()
	return verdict(worst <= maxGap, "Within %.0f %% of the original; the worst is %.1f %%", 100*maxGap, 100*worst), nil
}

// gaps measures the share of computation in a program, and the seconds of its run, its replay, and
// its proxy. The number of steps differs between runs, so that replay and proxy are compared with
// the recorded run.
func (b *bench) gaps(m *mpirun.MPI, command []string) (part float64, walls [3]float64, err error) {
	dir, failed, wall, printed, err := b.timed(m, command)
	if err != nil {
		return 0, walls, err
	}
	defer os.RemoveAll(dir)
	if failed == nil {
		failed, err = b.runner(m).Compile(dir, &roundtrip.Outcome{}, "--compute")
	}
	if err != nil {
		return 0, walls, err
	}
	if failed != nil {
		return 0, walls, fmt.Errorf("%s", failed)
	}
	var steps, ns float64
	if _, err := fmt.Sscan(printed, &steps, &ns, &part); err != nil {
		return 0, walls, fmt.Errorf("output %q: %w", printed, err)
	}
	walls[0] = wall.Seconds()
	for i, again := range [][]string{{b.tabard, "replay", roundtrip.Archive(dir), "--timing=recorded"},
		{roundtrip.Program(dir)}} {
		w, _, err := b.wall(m, 2, again)
		if err != nil {
			return 0, walls, err
		}
		walls[i+1] = w.Seconds()
	}
	return part, walls, nil
}

// timed records a program and returns how long it ran and what it printed.
func (b *bench) timed(m *mpirun.MPI, command []string) (
	dir string, failed *roundtrip.Outcome, wall time.Duration, printed string, err error) {
	if dir, err = os.MkdirTemp(b.dir, "run-"); err != nil {
		return
	}
	quiet := *m
	quiet.YieldPreload = ""
	r, failed, err := b.runner(&quiet).Record(dir, 2, command)
	if err != nil {
		return dir, nil, 0, "", err
	}
	return dir, failed, r.Wall, r.Stdout, nil
}
