package whatif

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/spec"
)

// atOnce is how much longer processes have to compute after a wait than from the begin of what it completes to it, to
// say that it waits at once.
const atOnce = 8

// EarlyWaits are the call sites that complete, after no computation to speak of, operations that were begun, before
// processes compute: the waits take a part of all time at least. What the run would take is computed with the waits
// after that computation, as if it did not need what they wait for, and as if messages moved meanwhile. The one that
// saves most comes first.
func (g *Graph) EarlyWaits(least float64) []Gain {
	runs := g.runs()
	list := g.sums(least, func(s *stream, i int) bool { return runs[s][i] > 0 })
	n := 0
	for _, x := range list {
		var meanwhile, after time.Duration
		for _, s := range g.streams {
			for i := range s.events {
				if runs[s][i] > 0 && s.keyOf(i) == x.Key {
					meanwhile += s.underWay(i)
					after += s.gapAfter(i + int(runs[s][i]))
				}
			}
		}
		if after > 0 && atOnce*meanwhile <= after {
			x.Meanwhile = after
			list[n] = x
			n++
		}
	}
	return g.tried(list[:n], func(at efficiency.Key) (time.Duration, bool) {
		until := map[*stream]int{} // the end of the run of waits that is put off
		return g.simulate(change{late: func(s *stream, i int) bool {
			if n := int(runs[s][i]); n > 0 && s.keyOf(i) == at {
				until[s] = i + n
			}
			return i < until[s]
		}})
	})
}

// runs are how many waits follow one another, at the first one of each stream's runs; 0 elsewhere.
func (g *Graph) runs() map[*stream][]int32 {
	of := map[*stream][]int32{}
	for _, s := range g.streams {
		n := make([]int32, len(s.events))
		of[s] = n
		for i := len(s.events) - 1; s.main && i >= 0; i-- {
			if !s.waits(i) {
				continue
			}
			if n[i] = 1; i+1 < len(n) && n[i+1] > 0 && atOnce*s.gap(i+1) <= s.gapAfter(i+1+int(n[i+1])) {
				n[i], n[i+1] = 1+n[i+1], 0
			}
		}
	}
	return of
}

// waits tells whether an event waits for all that it is given of what was begun before.
func (s *stream) waits(i int) bool {
	f := s.funcs[s.events[i].terminal]
	return f.Op == spec.OpComplete && f.Has(spec.Blocking) && (f.Which == spec.WhichOne || f.Which == spec.WhichAll)
}

// underWay is the computation from the begin of what an event completes to the event.
func (s *stream) underWay(i int) (sum time.Duration) {
	first := i
	for _, d := range s.depsOf(i) {
		first = min(first, int(d.own))
	}
	for k := first + 1; k <= i; k++ {
		sum += s.gap(k)
	}
	return sum
}

// gapAfter is the computation before event i, 0 if there is none.
func (s *stream) gapAfter(i int) time.Duration {
	if i >= len(s.events) {
		return 0
	}
	return s.gap(i)
}
