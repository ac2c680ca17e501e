package report

import (
	"cmp"
	"slices"
)

// A Bound is what a command needs at most for a recording of 10 million calls without any order, and
// for as many calls of that kind two recordings that are compared. The command states it in its help,
// and make bounds measures it.
type Bound struct {
	Command string
	// Memory is resident memory in bytes; each rank of a large job adds PerRank.
	Memory, PerRank uint64
	// Seconds are of processor time.
	Seconds int
	// Garbage is how much memory that is not in use any more a command leaves lying about, in per cent of what is in
	// use; 0 is 200: more makes it need less time.
	Garbage int
}

// Limit is what is in use, in bytes, when the garbage collector begins to work harder, so that garbage does not make a
// command need more than it states. What is in use is bounded by the analyses.
func (b *Bound) Limit() int64 { return int64(b.Memory) / 4 * 3 }

// Percent is Garbage as the garbage collector takes it. Far from the limit time matters more than memory.
func (b *Bound) Percent() int { return cmp.Or(b.Garbage, 200) }

// At is the memory in bytes for a job of so many ranks.
func (b *Bound) At(ranks int) uint64 { return b.Memory + b.PerRank*uint64(ranks) }

// Bounds are those of all commands that read recordings. Matching messages keeps the state of all ranks.
var Bounds = []Bound{
	{"info", 1.5e9, 0, 60, 0}, // with --comms; without it a fifth
	{"report", 1e9, 20e3, 60, 0},
	{"view", 1.5e9, 20e3, 60, 20},
	{"profile", 1e9, 0, 60, 0},
	{"matrix", 1e9, 0, 60, 0},
	{"histogram", 1e9, 0, 60, 0},
	{"waits", 1e9, 15e3, 60, 0},
	{"openmp", 1e9, 15e3, 60, 0},
	{"messages", 1e9, 15e3, 60, 0},
	{"timeline", 1e9, 15e3, 60, 0},
	{"dump", 400e6, 0, 60, 0},
	{"loops", 1e9, 0, 60, 0},
	{"diff", 1e9, 0, 10, 0},
	{"verify", 1e9, 0, 60, 0},
	{"merge", 1e9, 0, 60, 0},
	{"export", 1e9, 15e3, 60, 50},
	{"io", 1e9, 0, 60, 0},
	{"functions", 1e9, 20e3, 60, 0},
	{"collectives", 2.5e9, 20e3, 120, 0},
	{"check", 1e9, 20e3, 120, 0},
	{"trend", 1e9, 20e3, 120, 0},
	{"outliers", 1e9, 20e3, 60, 0},
	{"scale", 1e9, 0, 60, 0},
	{"proxy", 1e9, 0, 60, 0},
	{"replay", 1e9, 0, 60, 0},
}

// BoundOf is the bound of a command; ok is false if it reads no recordings.
func BoundOf(command string) (b Bound, ok bool) {
	i := slices.IndexFunc(Bounds, func(b Bound) bool { return b.Command == command })
	if i < 0 {
		return b, false
	}
	return Bounds[i], true
}
