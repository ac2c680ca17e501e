package timing

import (
	"math/bits"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/entropy/rans"
	"github.com/tabard-hpc/tabard/internal/codec/sizeclass"
)

// A series is the gaps or the durations of a block, as they are coded with given tables.
type series struct {
	lut     []window // by set and bucket, the one of the table
	state   []uint32 // of each context: where its set begins in lut, and the bucket of its latest number
	ofSet   []uint32 // the first table of each set, then the number of tables
	tables  []window
	hist    []uint32      // how often each class is in a block, and one more
	enc     []rans.Symbol // of the same classes
	syms    []uint32      // of each number, the place of its class in both
	mostLow uint          // the most low bits that a number may have
	missed  bool          // a number was in no window
	table   table
}

// A window is the classes that a table may have.
type window struct {
	at      uint32 // in hist
	base, n uint32 // classes
	k       uint8  // precision
	limit   uint8  // the last bucket that it is for, in its set
	shape   uint16 // in the layout
}

// most windows hold is about this many classes in all, if tables are many.
const mostWindows = 1 << 16

// arrange prepares the tables of l for a block; sets is, for each of the block's sets, the set of
// l. It fails if a set with calls has no tables.
func (s *series) arrange(l *layout, sets []uint32, pooled bool) bool {
	s.ofSet, s.tables = s.ofSet[:0], s.tables[:0]
	s.lut = slices.Grow(s.lut[:0], len(sets)*buckets)[:len(sets)*buckets]
	s.mostLow = 0
	room := uint32(mostWindows / max(1, len(l.tables)))
	at := uint32(0)
	for i, set := range sets {
		s.ofSet = append(s.ofSet, uint32(len(s.tables)))
		tables := l.tables[l.ofSet[set]:l.ofSet[set+1]]
		lut := s.lut[i*buckets : (i+1)*buckets]
		if i == 0 && !pooled {
			continue
		}
		if len(tables) == 0 {
			return false
		}
		bucket := 0
		for j, t := range tables {
			to := int(t.limit) + 1
			if j == len(tables)-1 {
				to = buckets
			}
			w := t.window(room)
			w.at, w.shape = at, uint16(int(l.ofSet[set])+j)
			for ; bucket < to; bucket++ {
				lut[bucket] = w
			}
			at += w.n
			low, _ := sizeclass.Low(uint(w.base+w.n-1), uint(w.k))
			s.mostLow = max(s.mostLow, min(low, 63)) // a window may go on beyond all numbers
			s.tables = append(s.tables, w)
		}
	}
	s.ofSet = append(s.ofSet, uint32(len(s.tables)))
	s.hist = slices.Grow(s.hist[:0], int(at)+1)[:at+1]
	clear(s.hist)
	s.enc = slices.Grow(s.enc[:0], int(at))[:at]
	return true
}

// window makes room for more classes than those expected: as many as a table may have from the
// least or up to the greatest of these.
func (t *shape) window(room uint32) window {
	more := min(max(room, t.n), maxRange) - t.n
	below := min(more, t.lo)
	return window{base: t.lo - below, n: below + t.n + more, k: t.k, limit: t.limit}
}

// widen makes v one of the numbers that t is for, at the greatest precision not above that of t.
func (t *shape) widen(v uint64) {
	_, least := sizeclass.Low(uint(t.lo), uint(t.k))
	low, most := sizeclass.Low(uint(t.lo+t.n-1), uint(t.k))
	least, most = min(least, v), max(most+1<<(low&63)-1, v)
	for {
		lo, _ := sizeclass.Of(least, uint(t.k))
		hi, _ := sizeclass.Of(most, uint(t.k))
		if t.lo, t.n = uint32(lo), uint32(hi-lo+1); t.n <= maxRange {
			return
		}
		t.k--
	}
}

// widen makes l have room for all numbers that have been counted.
func (s *series) widen(l *layout) {
	for _, w := range s.tables {
		if w.n > 0 {
			_, least := sizeclass.Low(uint(w.base), uint(w.k))
			l.tables[w.shape].widen(least)
			low, most := sizeclass.Low(uint(w.base+w.n-1), uint(w.k))
			l.tables[w.shape].widen(most + 1<<(low&63) - 1)
		}
	}
}

// describe writes the tables of each set: their number, the last bucket of each but the last, and
// the tables; those that have no numbers are left out. After that classes can be coded.
func (s *series) describe(w *byteio.BitWriter) {
	for i := range len(s.ofSet) - 1 {
		tables := s.tables[s.ofSet[i]:s.ofSet[i+1]]
		used := 0
		for t := range tables {
			if tables[t].n > 0 {
				tables[used] = tables[t]
				used++
			}
		}
		appendGolomb(w, uint64(used))
		last := -1
		for t := range used {
			x := &tables[t]
			if t+1 < used {
				appendGolomb(w, uint64(int(x.limit)-last-1))
				last = int(x.limit)
			}
			s.table.k, s.table.lo, s.table.counts = uint(x.k), uint(x.base), s.hist[x.at:x.at+x.n]
			s.table.append(w)
			s.table.encode(s.enc[x.at : x.at+x.n])
		}
	}
	s.table.counts = nil
}

// trim leaves only the classes of each table from the first to the last one that has numbers. It
// fails if those are too many for a table, or if a number was in no window.
func (s *series) trim() (ok bool) {
	ok = !s.missed
	for i := range s.tables {
		w := &s.tables[i]
		s.trimWindow(w)
		ok = ok && w.n <= maxRange
	}
	return ok
}

func (s *series) trimWindow(w *window) {
	h := s.hist[w.at : w.at+w.n]
	for len(h) >= 4 && h[len(h)-1]|h[len(h)-2]|h[len(h)-3]|h[len(h)-4] == 0 {
		h = h[:len(h)-4]
	}
	for len(h) > 0 && h[len(h)-1] == 0 {
		h = h[:len(h)-1]
	}
	n := len(h)
	for len(h) >= 4 && h[0]|h[1]|h[2]|h[3] == 0 {
		h = h[4:]
	}
	for len(h) > 0 && h[0] == 0 {
		h = h[1:]
	}
	less := uint32(n - len(h))
	w.at, w.base, w.n = w.at+less, w.base+less, uint32(len(h))
}

// splitPart is how many numbers are split at a time: the processor's nearest cache holds them.
const splitPart = 512

// A lowPart is the low bits of numbers, and how many of these they have.
type lowPart struct {
	bits   [splitPart]uint64
	widths [splitPart]uint8
}

// begin prepares for n numbers; setAt is, for each context, where the buckets of its set begin.
func (s *series) begin(setAt []uint32, n int) {
	s.state = append(s.state[:0], setAt...)
	s.syms = slices.Grow(s.syms[:0], n)[:n]
	s.missed = false
}

// split finds the classes of numbers from index from on, counts them, and sets low. What is in no
// window widens the table of l.
func (s *series) split(ctx []uint16, vals []uint64, from int, low *lowPart, l *layout) {
	syms, ctx := s.syms[from:from+len(vals)], ctx[:len(vals)]
	state, lut, hist := s.state, s.lut, s.hist
	for i, v := range vals {
		st := &state[ctx[i]]
		w := &lut[*st]
		size := uint32(bits.Len64(v))
		*st = *st&^(buckets-1) | size
		more := int32(size) - int32(w.k) - 1
		more &^= more >> 31 // no branch, since nobody could foresee it
		top := v >> (more & 63)
		low.bits[i&(splitPart-1)] = v - top<<(more&63)
		low.widths[i&(splitPart-1)] = uint8(more)
		class := uint32(more)<<(w.k&31) + uint32(top) - w.base
		if class >= w.n {
			class = s.miss(w, v, l)
		}
		class += w.at
		syms[i] = class
		hist[class]++
	}
}

// miss widens the table of a window, which v is not in, and returns a class that counts it apart.
func (s *series) miss(w *window, v uint64, l *layout) uint32 {
	s.missed = true
	l.tables[w.shape].widen(v)
	return uint32(len(s.hist)) - 1 - w.at
}
