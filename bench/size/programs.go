package main

import (
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// options are those of the command line.
type options struct {
	mpi, tabard, list, pilgrim, keep string
	long                             bool
	timeout                          time.Duration
	only                             *regexp.Regexp
}

// row is a program to record.
type row struct {
	name  string
	ranks int
	steps int      // of the project's own programs, else 0
	args  []string // the command
	// information is the number of bits in the random decisions of an irregular program,
	// and in the order of its messages at most; what depends on time alone is not in it.
	information float64
}

// own are the programs of bench/programs: source, mode, ranks, steps.
var own = []struct {
	source, mode string
	ranks, steps int
	long         bool
}{
	{"patterns", "stencil", 4, 100, false},
	{"patterns", "stencil", 9, 100, false},
	{"patterns", "stencil", 16, 100, false},
	{"patterns", "stencil", 25, 100, false},
	{"patterns", "stencil", 36, 10, false},
	{"patterns", "stencil", 36, 100, false},
	{"patterns", "stencil", 36, 1000, false},
	{"patterns", "stencil", 9, 100_000, true},
	{"patterns", "hub", 16, 100, false},
	{"patterns", "hub", 36, 100, false},
	{"patterns", "hub", 64, 100, false},
	{"patterns", "tree", 16, 100, false},
	{"patterns", "tree", 36, 100, false},
	{"patterns", "transpose", 16, 100, false},
	{"patterns", "transpose", 36, 100, false},
	{"patterns", "multipartition", 16, 20, false},
	{"patterns", "multipartition", 36, 20, false},
	{"patterns", "growing", 4, 10_000, false},
	{"irregular", "amr", 16, 200, false},
	{"irregular", "test", 16, 200, false},
	{"irregular", "iprobe", 16, 200, false},
	{"irregular", "waitsome", 16, 200, false},
}

// rows lists the programs that the options ask for. The project's own ones are compiled.
func (b *bench) rows() ([]row, error) {
	var rows []row
	built := map[string]string{}
	for _, p := range own {
		if p.long && !b.long || !b.only.MatchString(p.mode) {
			continue
		}
		if built[p.source] == "" {
			built[p.source] = filepath.Join(b.dir, p.source)
			source := filepath.Join(mpirun.Root(), "bench", "programs", p.source+".c")
			if err := b.lib.Build(source, built[p.source]); err != nil {
				return nil, err
			}
		}
		r := row{name: p.mode, ranks: p.ranks, steps: p.steps,
			args: []string{built[p.source], p.mode, strconv.Itoa(p.steps)}}
		r.information = information(p.mode, p.ranks, p.steps)
		rows = append(rows, r)
	}
	if b.list == "" {
		return rows, nil
	}
	listed, err := programs.ReadList(b.list)
	if err != nil {
		return nil, err
	}
	for _, p := range listed {
		if b.only.MatchString(p.Name) {
			rows = append(rows, row{name: p.Name, ranks: p.Ranks, args: p.Args})
		}
	}
	return rows, nil
}

// What bench/programs/irregular.c draws at random.
const (
	slots, sizes, tags, regrid = 6, 500, 1000, 8 // amr
	fan, fanTags               = 3, 8            // the others
)

// information is what the seed of an irregular program decides, in bits: each message's size and tag
// once, not at both ends. For the programs that poll it includes the order in which a rank's messages
// arrive, as if all orders were equally likely. It is 0 for regular programs.
func information(mode string, ranks, steps int) float64 {
	switch mode {
	case "amr":
		pairs := float64(ranks / 2)
		present := 0.75 * pairs
		slot := matchings(ranks) + pairs*binaryEntropy(0.75) + 2*present*math.Log2(sizes)
		epochs := (steps + regrid - 1) / regrid
		return float64(epochs*slots)*slot + float64(steps)*math.Log2(tags)
	case "test", "iprobe", "waitsome":
		order, _ := math.Lgamma(fan + 1)
		return float64(ranks*steps) * (fan*(math.Log2(sizes)+math.Log2(fanTags)) + order/math.Ln2)
	}
	return 0
}

// matchings is the information in a random pairing of n ranks.
func matchings(n int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v / math.Ln2 }
	return lg(n) - lg(n/2) - float64(n/2)
}

func binaryEntropy(p float64) float64 { return -p*math.Log2(p) - (1-p)*math.Log2(1-p) }
