package whatif

import (
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/spec"
)

// Gain is calls without which, or made later, a run would take less time.
type Gain struct {
	efficiency.Key
	// Calls is how many there are, Time how long they take, of all processes together.
	Calls uint64
	Time  time.Duration
	// Meanwhile is the computation that could go on in their place, of all processes together.
	Meanwhile time.Duration
	// Rows are how often calls follow one another, without the first of each in Calls and Time, Bytes what each moves
	// of a process at most.
	Rows  uint64
	Bytes int64
	// Without is what the run would take instead of Elapsed.
	Without, Elapsed time.Duration
}

// mostTried is how many call sites are tried: those that take the most time.
const mostTried = 3

// leastBarriers is how often a process has to come to a barrier that is to be tried.
const leastBarriers = 8

// NeedlessBarriers are the call sites of barriers that take a part of all time at least, and that nothing recorded
// needs: from the first to the last of them no process makes a call of one-sided communication or on files, takes what
// comes from any source, looks for messages, or joins processes; and none looks at the clock right before or after.
// The one that saves most comes first.
func (g *Graph) NeedlessBarriers(least float64) []Gain {
	found := g.sums(least, func(s *stream, i int) bool { return s.funcs[s.events[i].terminal].IsBarrier() })
	found = slices.DeleteFunc(found, func(x Gain) bool { return g.needed(x.Key) })
	return g.tried(found, func(at efficiency.Key) (time.Duration, bool) {
		return g.simulate(change{gone: func(s *stream, i int) bool { return s.keyOf(i) == at }})
	})
}

// sums are the times of calls by call site, those that take most first, at most mostTried.
func (g *Graph) sums(least float64, of func(s *stream, i int) bool) (list []Gain) {
	at := map[efficiency.Key]int{}
	processes := 0
	for _, s := range g.streams {
		if s.main && len(s.events) > 0 {
			processes++
		}
		for i := range s.events {
			if !s.main || !of(s, i) {
				continue
			}
			k, ok := at[s.keyOf(i)]
			if !ok {
				k = len(list)
				at[s.keyOf(i)] = k
				list = append(list, Gain{Key: s.keyOf(i)})
			}
			list[k].Calls++
			list[k].Time += s.events[i].end - s.events[i].begin
		}
	}
	all := g.Elapsed * time.Duration(processes)
	list = slices.DeleteFunc(list, func(x Gain) bool { return float64(x.Time) < least*float64(all) })
	slices.SortStableFunc(list, func(a, b Gain) int { return int(b.Time - a.Time) })
	return list[:min(len(list), mostTried)]
}

// tried computes what the run takes without each, and leaves out what saves nothing.
func (g *Graph) tried(list []Gain, without func(efficiency.Key) (time.Duration, bool)) (gains []Gain) {
	for _, x := range list {
		var ok bool
		if x.Without, ok = without(x.Key); ok && x.Without < g.Elapsed {
			x.Elapsed = g.Elapsed
			gains = append(gains, x)
		}
	}
	slices.SortStableFunc(gains, func(a, b Gain) int { return int(a.Without - b.Without) })
	return gains
}

// needed tells whether something recorded may need the barriers of a call site, or whether they are too few to tell.
func (g *Graph) needed(at efficiency.Key) bool {
	for _, s := range g.streams {
		first, last, n := -1, -1, 0
		for i := range s.events {
			if s.keyOf(i) == at {
				if last, n = i, n+1; first < 0 {
					first = i
				}
			}
		}
		switch {
		case !s.main:
			first, last = 0, len(s.events)-1
		case n > 0 && n < leastBarriers:
			return true
		case n == 0:
			continue
		}
		for i := max(first-1, 0); i <= min(last+1, len(s.events)-1); i++ {
			t := s.events[i].terminal
			if first <= i && i <= last && s.needs[t] {
				return true
			}
			if s.funcs[t].Op == spec.OpWallTime && (i > 0 && s.keyOf(i-1) == at ||
				i+1 < len(s.events) && s.keyOf(i+1) == at) {
				return true
			}
		}
	}
	return false
}

// ordering tells whether what a call does may need a barrier.
func ordering(f *spec.Func) bool {
	switch f.Op {
	case spec.OpProbe, spec.OpMatchedProbe, spec.OpSpawn, spec.OpAccept, spec.OpConnect, spec.OpJoin, spec.OpPort:
		return true
	}
	return f.Activity == spec.ActivityRma || f.Activity == spec.ActivityIo
}
