package timeline

import "math"

// fastWidth is the width of a column in nanoseconds from which calls are added up in ticks.
// Rounding its borders to ticks then does not show.
const fastWidth = 10_000

// ticks adds up calls in the ticks of their process, so that only the borders of columns have to be
// converted.
type ticks struct {
	w           *walker
	col         int    // -1 before the first call
	lo, hi      uint64 // the column's ticks
	to          uint64 // end of the window
	acc         [NumCategories]uint64
	busy        uint64 // end of the calls so far
	first, last uint64
}

func newTicks(w *walker) *ticks {
	k := &ticks{w: w, col: -1, first: math.MaxUint64}
	k.busy = w.p.Stream.Ticks(w.j.r.From)
	k.to = max(w.p.Stream.Ticks(w.j.r.To), k.busy)
	return k
}

// add adds a call.
func (k *ticks) add(t *term, start, end uint64) {
	if t.unfinished {
		end = max(end, k.to)
	}
	k.first, k.last = min(k.first, start), max(k.last, end)
	start = max(start, k.busy)
	k.busy = max(k.busy, end)
	end = min(end, k.to)
	for start < end {
		if start >= k.hi {
			k.seek(start)
		}
		stop := min(end, k.hi)
		if stop <= start {
			return // ticks that stand for no time
		}
		k.acc[t.category] += stop - start
		start = stop
	}
}

// seek goes to the column of a tick in the window.
func (k *ticks) seek(tick uint64) {
	k.flush()
	r := k.w.j.r
	col := int(float64(k.w.at(tick)-r.From) / k.w.g.width)
	k.col = max(k.col, min(col, r.Columns-1))
	k.lo, k.hi = k.border(k.col), k.border(k.col+1)
	for tick >= k.hi && k.col+1 < r.Columns {
		k.col++
		k.lo, k.hi = k.hi, k.border(k.col+1)
	}
}

// border is the first tick of a column.
func (k *ticks) border(col int) uint64 {
	if col == k.w.j.r.Columns {
		return k.to
	}
	return k.w.p.Stream.Ticks(k.w.g.border(col))
}

// flush adds what has been added up to the column.
func (k *ticks) flush() {
	if k.col < 0 || k.hi <= k.lo {
		return
	}
	s := k.w.j.r.Shares(k.w.g.row, k.col)
	for c, n := range k.acc {
		s[c] += float64(n) / float64(k.hi-k.lo)
	}
	clear(k.acc[:])
}

// finish passes on to the walker what it needs.
func (k *ticks) finish() {
	k.flush()
	if k.first <= k.last {
		k.w.life.from, k.w.life.to = min(k.w.life.from, k.w.at(k.first)), max(k.w.life.to, k.w.at(k.last))
	}
}
