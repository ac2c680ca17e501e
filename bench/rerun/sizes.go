package main

import (
	"fmt"
	"os"
	"strconv"

	"tabard/bench/internal/programs"
	"tabard/bench/internal/roundtrip"
)

// sized are the programs whose proxies are measured, in steps and ranks.
var sized = []struct {
	mode   string
	points [][2]int // steps, ranks
	same   bool     // the size must not depend on them, but for the digits of the numbers
}{
	{"stencil", [][2]int{{10, 16}, {1000, 16}, {100_000, 16}, {1000, 4}, {1000, 36}}, true},
	{"hub", [][2]int{{10, 16}, {1000, 16}, {1000, 4}, {1000, 36}}, true},
	{"tree", [][2]int{{10, 16}, {1000, 16}, {1000, 4}, {1000, 36}}, true},
	{"transpose", [][2]int{{10, 16}, {1000, 16}, {1000, 4}, {1000, 36}}, true},
	{"multipartition", [][2]int{{10, 16}, {1000, 16}, {100, 36}}, false},
}

// maxGrowth is by how much proxies of one program may differ in lines: ranks of a grid that is larger have more kinds of neighbours.
const maxGrowth = 2.0

// sizesTable measures the length of proxies.
func sizesTable(b *bench) (bool, error) {
	m := b.libs[0]
	fmt.Printf("Proxies of regular programs: C, %s.\n\n| program | ranks | steps | lines | bytes |\n|---|---|---|---|---|\n", m.Name)
	met := true
	var bars []string
	path, err := b.program(m, "patterns")
	if err != nil {
		return false, err
	}
	for _, p := range sized {
		if !b.only.MatchString(p.mode) {
			continue
		}
		bySteps := map[int]map[int]bool{} // ranks: numbers of lines
		least, most := 0, 0
		for _, at := range p.points {
			steps, ranks := at[0], at[1]
			size, err := b.proxySize(ranks, []string{path, p.mode, strconv.Itoa(steps)})
			if err != nil {
				return false, fmt.Errorf("%s: %w", p.mode, err)
			}
			fmt.Printf("| %s | %d | %s | %s | %s |\n", p.mode, ranks, programs.Commas(int64(steps)), programs.Commas(int64(size.Lines)), programs.Commas(int64(size.Bytes)))
			if bySteps[ranks] == nil {
				bySteps[ranks] = map[int]bool{}
			}
			bySteps[ranks][size.Lines] = true
			if least == 0 || size.Lines < least {
				least = size.Lines
			}
			most = max(most, size.Lines)
		}
		if !p.same {
			continue
		}
		ok := float64(most) <= maxGrowth*float64(least)
		for _, lines := range bySteps {
			ok = ok && len(lines) == 1
		}
		met = met && ok
		bars = append(bars, fmt.Sprintf("%s: as many lines whatever the steps, at most %.0f times whatever the ranks: %t", p.mode, maxGrowth, ok))
	}
	fmt.Println()
	for _, s := range bars {
		fmt.Println(s)
	}
	return met, nil
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
