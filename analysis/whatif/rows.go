package whatif

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/spec"
)

// What makes a row of small collectives: the least number of calls, and how many bytes of each process they move at
// most. Between the calls processes compute for a quarter of the time in them at most: else they do something with what
// the one gives before they make the next one.
const (
	leastRow  = 8
	mostSmall = 1024
	between   = 4
)

// SmallCollectives are the call sites of small collectives that are made many times in a row, with no other
// communication and no computation to speak of between them, where the later ones of each row take a part of all time
// at least. What the run would take is computed without all but the first one of each row, as if one call did the work of
// all. The one that saves most comes first.
func (g *Graph) SmallCollectives(least float64) []Gain {
	later := map[*stream][]int32{}
	for _, s := range g.streams {
		later[s] = s.rows()
	}
	list := g.sums(least, func(s *stream, i int) bool { return later[s][i] > 0 })
	n := 0
	for _, x := range list {
		var idle time.Duration
		for _, s := range g.streams {
			for i, back := range later[s] {
				if back == 0 || !s.main || s.keyOf(i) != x.Key {
					continue
				}
				first := i - int(back)
				idle += s.events[i].begin - s.events[first].end
				if later[s][first] == 0 {
					x.Rows++
				}
				x.Bytes = max(x.Bytes, s.bytes[s.events[i].terminal])
			}
		}
		if between*idle <= x.Time {
			list[n] = x
			n++
		}
	}
	return g.tried(list[:n], func(at efficiency.Key) (time.Duration, bool) {
		return g.simulate(change{gone: func(s *stream, i int) bool { return later[s][i] > 0 && s.keyOf(i) == at }})
	})
}

// rows tells for each event how many events before it the one before it in its row is, 0 if it is the first one or in
// no row. Calls that do not communicate may lie between.
func (s *stream) rows() []int32 {
	back := make([]int32, len(s.events))
	row := []int{}
	end := func() {
		for k := 1; k < len(row) && len(row) >= leastRow; k++ {
			back[row[k]] = int32(row[k] - row[k-1])
		}
		row = row[:0]
	}
	for i := range s.events {
		t := s.events[i].terminal
		switch {
		case s.does[t] == calls.Other:
			continue
		case !s.small(t):
			end()
			continue
		case len(row) > 0 && s.keyOf(row[0]) != s.keyOf(i):
			end()
		}
		row = append(row, i)
	}
	end()
	return back
}

// small tells whether a call is a collective that moves little, and is complete when it returns.
func (s *stream) small(terminal uint32) bool {
	f, b := s.funcs[terminal], s.bytes[terminal]
	return s.does[terminal] == calls.Collective && f.Op == spec.OpCollective && f.Data != spec.DataNone &&
		f.Has(spec.Blocking) && b > 0 && b <= mostSmall
}

// note keeps what the calls of a terminal do, and the most bytes of the process that they move.
func (s *stream) note(op *calls.Op) {
	s.does[op.Terminal] = op.Kind
	if b := &s.bytes[op.Terminal]; op.Send.Bytes < 0 || op.Recv.Bytes < 0 {
		*b = mostSmall + 1
	} else {
		*b = max(*b, op.Send.Bytes, op.Recv.Bytes)
	}
}
