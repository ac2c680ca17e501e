package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/bench/internal/roundtrip"
)

// sized are the programs whose proxies are measured, with their steps and ranks.
var sized = []struct {
	mode   string
	points [][2]int // steps, ranks
}{
	{"stencil", [][2]int{{10, 4}, {1000, 4}, {100_000, 4}, {1000, 16}, {1000, 36}}},
	{"hub", [][2]int{{10, 4}, {1000, 4}, {1000, 16}, {1000, 36}}},
	{"tree", [][2]int{{10, 4}, {1000, 4}, {1000, 16}, {1000, 36}}},
	{"transpose", [][2]int{{10, 4}, {1000, 4}, {1000, 16}, {1000, 36}}},
	{"multipartition", [][2]int{{10, 4}, {100, 4}, {10, 16}, {10, 36}}},
}

// maxGrowth bounds the lines of the longest proxy of a program, as a multiple of the shortest. They
// differ because a loop around others that has only one iteration is not written as a loop.
const maxGrowth = 1.25

// allKinds is the number of ranks from which on a job has all kinds of neighbours: in a grid of 2 x
// 2 each rank is a corner.
const allKinds = 16

// sizesTable measures the length of proxies.
func sizesTable(b *bench) (bool, error) {
	m := b.libs[0]
	fmt.Printf("Proxies of regular programs: C, %s.\n\n"+
		"| program | ranks | steps | lines | bytes |\n|---|---|---|---|---|\n", m.Name)
	met := true
	var bars []bar
	path, err := b.program(m, "patterns")
	if err != nil {
		return false, err
	}
	for _, p := range sized {
		if !b.only.MatchString(p.mode) {
			continue
		}
		var all [][2]int // ranks, lines
		for _, at := range p.points {
			steps, ranks := at[0], at[1]
			size, err := b.proxySize(ranks, []string{path, p.mode, strconv.Itoa(steps)})
			if err != nil {
				return false, fmt.Errorf("%s: %w", p.mode, err)
			}
			fmt.Printf("| %s | %d | %s | %s | %s |\n", p.mode, ranks, programs.Commas(int64(steps)),
				programs.Commas(int64(size.Lines)), programs.Commas(int64(size.Bytes)))
			all = append(all, [2]int{ranks, size.Lines})
		}
		bars = append(bars, bar{p.mode, all})
	}
	fmt.Println()
	for _, x := range bars {
		steps, ranks := x.growth()
		met = verdict(steps <= maxGrowth && ranks <= maxGrowth,
			"%s: lines grow by at most %.2f times with the steps (it is %.2f) and with the ranks from %d on (%.2f)",
			x.name, maxGrowth, steps, allKinds, ranks) && met
	}
	return met, nil
}

// bar is the lengths of the proxies of one program: ranks, lines.
type bar struct {
	name string
	all  [][2]int
}

// growth returns the longest length as a multiple of the shortest: with the same ranks, and of
// those with all kinds of neighbours.
func (b *bar) growth() (steps, ranks float64) {
	for _, x := range b.all {
		for _, y := range b.all {
			g := float64(x[1]) / float64(y[1])
			if x[0] == y[0] {
				steps = max(steps, g)
			}
			if x[0] >= allKinds && y[0] >= allKinds {
				ranks = max(ranks, g)
			}
		}
	}
	return steps, ranks
}

// proxySize records a program and makes its proxy, which must compile.
func (b *bench) proxySize(ranks int, args []string) (*roundtrip.Outcome, error) {
	dir, failed, err := b.recorded(b.libs[0], ranks, args)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	size := &roundtrip.Outcome{}
	if failed == nil {
		failed, err = b.runner(b.libs[0]).Compile(dir, size)
	}
	if err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, fmt.Errorf("%s", failed)
	}
	return size, nil
}
