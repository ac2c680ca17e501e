package timeline

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// Cell is the calls of each category in a bin of time: the ticks of their process that they take, and how many begin in
// it. Those of Computation are 0: it is what is left.
type cell struct {
	ticks [NumCategories]uint64
	calls [NumCategories]uint32
}

// mipBins is into how many bins of time, at least half as many, the calls of a block are sorted.
const mipBins = 256

// A mip is a block of calls, sorted into bins of 2^level nanoseconds, such that coarser grids follow from it by
// adding up. It is a finer summary than those that the format has: of some 64 calls instead of 16,384.
type mip struct {
	level int
	x     int64 // the number of the first bin
	// first and latest are the start of the first call and the latest end, in ticks; of the stream, as far as it is
	// in the block.
	first, latest uint64
	// packed has for each bin up to the last one that has calls: a byte, the categories (from 1 on) that have calls,
	// and for each of these, as uvarints, ticks and calls. After a byte 0 follows, as a uvarint, how many further bins
	// have none.
	packed []byte
	// unsized counts messages of unknown size, where bytes are counted.
	unsized uint64
}

// newMip is one without calls from begin to end, in ns, and the bins that are to be packed. The times of a damaged file
// may be anything.
func newMip(begin, end int64) (*mip, []cell) {
	m := &mip{}
	end = max(begin, end)
	for uint64(end>>m.level)-uint64(begin>>m.level) >= mipBins {
		m.level++
	}
	m.x = begin >> m.level
	return m, make([]cell, end>>m.level-m.x+1)
}

// size is how much memory it takes, about, with what it takes to find it.
func (m *mip) size() int { return len(m.packed) + 240 }

// add adds a mip to the bins of the window.
func (w *window) add(m *mip) (ok bool) {
	w.unsized += m.unsized
	return m.add(w.cells, w.level, w.x)
}

// addOrSpread adds a mip to a window that may be finer; its bins are then means.
func (w *window) addOrSpread(m *mip) (ok bool) {
	if m.level <= w.level {
		return w.add(m)
	}
	w.unsized += m.unsized
	w.blur = 1 << m.level
	return m.spread(w)
}

// add adds the bins to those of a coarser or equal grid, from bin number x on. ok is false if it is broken.
func (m *mip) add(cells []cell, level int, x int64) (ok bool) {
	in := m.packed
	number := func() (v uint64) {
		v, n := binary.Uvarint(in)
		if n <= 0 {
			in, n = nil, 0
			ok = false
		}
		in = in[n:]
		return v
	}
	ok = true
	shift := uint(level - m.level)
	for bin := m.x; len(in) > 0 && ok; bin++ {
		mask := in[0]
		in = in[1:]
		if mask == 0 {
			skip := number()
			if skip > 2*mipBins {
				return false
			}
			bin += int64(skip)
			continue
		}
		at := bin>>shift - x
		if at >= int64(len(cells)) {
			return ok
		}
		for ; mask != 0; mask &= mask - 1 {
			c := bits.TrailingZeros8(mask) + 1
			ticks, calls := number(), number()
			if at >= 0 {
				cells[at].ticks[c] += ticks
				cells[at].calls[c] += uint32(calls)
			}
		}
	}
	return ok
}

// pack makes a mip of bins.
func (m *mip) pack(cells []cell) {
	var out []byte
	empty := uint64(0)
	for i := range cells {
		mask := byte(0)
		for c := Computation + 1; c < NumCategories; c++ {
			if cells[i].ticks[c] > 0 || cells[i].calls[c] > 0 {
				mask |= 1 << (c - 1)
			}
		}
		if mask == 0 {
			empty++
			continue
		}
		if empty > 0 {
			out = binary.AppendUvarint(append(out, 0), empty-1)
			empty = 0
		}
		out = append(out, mask)
		for c := Computation + 1; c < NumCategories; c++ {
			if mask>>(c-1)&1 != 0 {
				out = binary.AppendUvarint(out, cells[i].ticks[c])
				out = binary.AppendUvarint(out, uint64(cells[i].calls[c]))
			}
		}
	}
	m.packed = append(make([]byte, 0, len(out)), out...)
}

// borders finds the ticks at which bins begin. Bins are asked for in ascending order, mostly.
type borders struct {
	s    *archive.Stream
	at   func(uint64) time.Duration
	rate float64 // ticks in a nanosecond, about
	tick uint64  // the latest answer
	time time.Duration
}

// of is the first tick at or after a time: as archive.Stream.Ticks, by a guess that is put right.
func (b *borders) of(d time.Duration) uint64 {
	if b.rate > 0 && b.tick > 0 {
		guess := float64(b.tick) + float64(d-b.time)*b.rate
		if guess >= 8 && guess < math.MaxInt64 {
			t := uint64(guess)
			for range 8 {
				switch at := b.at(t); {
				case at < d:
					t += max(1, uint64(float64(d-at)*b.rate))
				case b.at(t-1) >= d:
					t -= max(1, min(t-1, uint64(float64(at-d)*b.rate)))
				default:
					b.tick, b.time = t, d
					return t
				}
			}
		}
	}
	b.tick, b.time = b.s.Ticks(d), d
	return b.tick
}

// sorter sorts calls into bins.
type sorter struct {
	w      *walker
	b      *borders
	asks   *sync.Mutex
	level  int
	x      int64 // number of the first bin
	cells  []cell
	col    int    // the bin of the latest call, -1 before the first
	lo, hi uint64 // its ticks
	busy   uint64 // the end of the calls so far
	end    uint64 // of the last bin
	from   uint64 // of the first bin
}

func (l *lane) sorter(level int, x int64, cells []cell) *sorter {
	k := &sorter{w: l.w, b: l.b, asks: &l.t.asks, level: level, x: x, cells: cells, col: -1}
	k.from, k.end = k.border(0), k.border(len(cells))
	k.busy = k.from
	return k
}

// border is the first tick of a bin.
func (k *sorter) border(col int) uint64 {
	return k.b.of(time.Duration((k.x + int64(col)) << k.level))
}

// add adds a call.
func (k *sorter) add(t *term, start, end uint64) {
	c := t.category
	if t.some && !k.selects(t) {
		c = Unselected
	}
	if start >= k.end || end < k.from && start < k.from {
		return
	}
	if start >= k.from {
		k.seek(start)
		k.cells[k.col].calls[c]++
	}
	start = max(start, k.busy)
	k.busy = max(k.busy, end)
	end = min(end, k.end)
	for start < end {
		k.seek(start)
		stop := min(end, k.hi)
		if stop <= start {
			return
		}
		k.cells[k.col].ticks[c] += stop - start
		start = stop
	}
}

// selects tells whether the call that the walker is at is selected. What is selected is resolved for several streams
// together.
func (k *sorter) selects(t *term) bool {
	k.asks.Lock()
	defer k.asks.Unlock()
	return k.w.p.Selects(t.terminal, k.w.call)
}

// seek goes to the bin of a tick.
func (k *sorter) seek(tick uint64) {
	if k.col >= 0 && tick >= k.lo && tick < k.hi {
		return
	}
	col := int(int64(k.w.at(tick))>>k.level - k.x)
	k.col = max(0, min(col, len(k.cells)-1))
	k.lo, k.hi = k.border(k.col), k.border(k.col+1)
}
