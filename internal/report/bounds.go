package report

import "slices"

// A Bound is what a command needs at most for a recording of 10 million calls without any order, and
// for as many calls of that kind two recordings that are compared. The command states it in its help,
// and make bounds measures it.
type Bound struct {
	Command string
	// Memory is resident memory in bytes; each rank of a large job adds PerRank.
	Memory, PerRank uint64
	// Seconds are of processor time.
	Seconds int
}

// At is the memory in bytes for a job of so many ranks.
func (b *Bound) At(ranks int) uint64 { return b.Memory + b.PerRank*uint64(ranks) }

// Bounds are those of all commands that read recordings. Matching messages keeps the state of all ranks.
var Bounds = []Bound{
	{
		"info",
		400e6,
		0,
		60,
	}, {"report", 1e9, 20e3, 60}, {"view", 1.5e9, 20e3, 60}, {"profile", 1e9, 0, 60}, {"matrix", 1e9, 0, 60},
	{"histogram", 1e9, 0, 60}, {"waits", 1e9, 15e3, 60}, {"openmp", 1e9, 15e3, 60},
	{"messages", 1e9, 15e3, 60}, {"timeline", 1e9, 15e3, 60},
	{"dump", 400e6, 0, 60}, {"loops", 1e9, 0, 60}, {"diff", 1e9, 0, 10}, {"verify", 1e9, 0, 60}, {"merge", 1e9, 0, 60},
	{"export", 1e9, 15e3, 60}, {"io", 1e9, 0, 60}, {"functions", 1e9, 20e3, 60},
	{"collectives", 2.5e9, 20e3, 120},
	{"check", 1e9, 20e3, 120}, {"trend", 1e9, 20e3, 120}, {"outliers", 1e9, 20e3, 60}, {"scale", 1e9, 0, 60}, {"proxy", 1e9, 0, 60}, {"replay", 1e9, 0, 60},
}

// BoundOf is the bound of a command; ok is false if it reads no recordings.
func BoundOf(command string) (b Bound, ok bool) {
	i := slices.IndexFunc(Bounds, func(b Bound) bool { return b.Command == command })
	if i < 0 {
		return b, false
	}
	return Bounds[i], true
}
