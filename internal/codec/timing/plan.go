package timing

import (
	"math"
	"math/bits"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/sizeclass"
)

const (
	buckets = 64 // of values, by their number of bits, which is at most 63
	// coarse is the precision at which tables are compared; all classes are below 256.
	coarse     = 2
	rowClasses = 256
	noRow      = 0xffff
	tableCost  = 28.0 // bits of a table's description, and
	symbolCost = 2.6  // of a class in it, about
)

// nlogs[n] is n log2 n.
var nlogs = func() (t [MaxBlock + 1]float32) {
	for i := range t {
		if i > 1 {
			t[i] = float32(float64(i) * math.Log2(float64(i)))
		}
	}
	return t
}()

// A row counts coarse classes of the values of a set that follow, in their
// context, values of like size.
type row struct {
	hist   []uint32
	lo, hi int // classes
	n      uint32
	bucket int // the last one that is in the row
	at     int // its set and first bucket
	cost   float32
}

// A plan finds out which tables a series should have.
type plan struct {
	rows    []row
	hists   []uint32 // of rows, rowClasses each
	lut     []uint16 // by set and bucket: row, then table
	limits  []uint8  // of each table, the last bucket in its set
	ofSet   []uint32 // the first table of each set, then the number of tables
	table   table
	numbers []uint16 // of each value's row
	state   []uint32 // of each context: where the buckets of its set begin, and the bucket of the latest value
	joined  []int    // of each table, the row
	fine    []uint32
	spans   []span
	ofRow   []uint16 // of each row, its table
	levels  levels
	order   []int
	joint   []float32
}

// reset makes room for a number of sets.
func (pl *plan) reset(sets int) {
	pl.rows, pl.hists = pl.rows[:0], pl.hists[:0]
	if cap(pl.lut) < sets*buckets {
		pl.lut = make([]uint16, sets*buckets)
	}
	pl.lut = pl.lut[:sets*buckets]
	for i := range pl.lut {
		pl.lut[i] = noRow
	}
	pl.limits, pl.ofSet, pl.joined = pl.limits[:0], pl.ofSet[:0], pl.joined[:0]
}

// newRow makes the row of a set and bucket.
func (pl *plan) newRow(at int) int {
	n := len(pl.rows)
	pl.rows = append(pl.rows, row{bucket: at % buckets, at: at})
	pl.hists = slices.Grow(pl.hists, rowClasses)[:(n+1)*rowClasses]
	clear(pl.hists[n*rowClasses:])
	pl.lut[at] = uint16(n)
	return n
}

// make plans tables for a series of numbers, and sets l to them.
func (pl *plan) make(x *contexts, vals []uint64, l *layout) {
	pl.reset(x.sets)
	pl.countRows(x, vals)
	for s := range x.sets {
		pl.ofSet = append(pl.ofSet, uint32(len(pl.limits)))
		pl.join(s)
	}
	pl.ofSet = append(pl.ofSet, uint32(len(pl.limits)))
	pl.countFine(vals)
	l.ofSet = append(l.ofSet[:0], pl.ofSet...)
	l.tables = l.tables[:0]
	t := &pl.table
	for i, s := range pl.spans {
		from := s.at + int(s.base)
		t.choose(&pl.levels, pl.fine[from:from+int(s.n)], uint(s.k), uint(s.base), pl.rows[pl.joined[i]].n)
		l.tables = append(l.tables, shape{limit: pl.limits[i], k: uint8(t.k), lo: uint32(t.lo),
			n: uint32(len(t.counts))})
	}
}

// countRows makes the rows, and sets numbers to them.
func (pl *plan) countRows(x *contexts, vals []uint64) {
	pl.state = append(pl.state[:0], x.setAt...)
	pl.numbers = slices.Grow(pl.numbers[:0], len(vals))[:len(vals)]
	state, ctx, numbers := pl.state, x.ctx[:len(vals)], pl.numbers
	lut, hists := pl.lut, pl.hists
	for i, v := range vals {
		st := &state[ctx[i]]
		at := *st
		r := int(lut[at])
		if r == noRow {
			r = pl.newRow(int(at))
			hists = pl.hists
		}
		*st = at&^(buckets-1) | uint32(bits.Len64(v))&(buckets-1)
		numbers[i] = uint16(r)
		class, _ := sizeclass.Of(v, coarse)
		hists[r*rowClasses+int(class&(rowClasses-1))]++
	}
	for r := range pl.rows {
		pl.rows[r].hist = hists[r*rowClasses : (r+1)*rowClasses]
	}
}

// join joins neighbouring rows of a set as long as that makes the whole smaller.
func (pl *plan) join(set int) {
	order := pl.order[:0]
	for bucket := range buckets {
		if r := pl.lut[set*buckets+bucket]; r != noRow {
			order = append(order, int(r))
			pl.rows[r].measure()
		}
	}
	joint := pl.joint[:0]
	for i := 0; i+1 < len(order); i++ {
		joint = append(joint, jointCost(&pl.rows[order[i]], &pl.rows[order[i+1]]))
	}
	for len(order) > 1 {
		best, gain := -1, float32(0)
		for i := range joint {
			if g := pl.rows[order[i]].cost + pl.rows[order[i+1]].cost - joint[i]; g > gain {
				best, gain = i, g
			}
		}
		if best < 0 {
			break
		}
		x, y := &pl.rows[order[best]], &pl.rows[order[best+1]]
		x.take(y)
		order = append(order[:best+1], order[best+2:]...)
		joint = append(joint[:best], joint[best+1:]...)
		if best > 0 {
			joint[best-1] = jointCost(&pl.rows[order[best-1]], x)
		}
		if best < len(joint) {
			joint[best] = jointCost(x, &pl.rows[order[best+1]])
		}
	}
	// From here on the table of a bucket is that of the row that ends with it or later.
	at := 0
	for bucket := range buckets {
		for at+1 < len(order) && pl.rows[order[at]].bucket < bucket {
			at++
		}
		if len(order) > 0 {
			pl.lut[set*buckets+bucket] = uint16(len(pl.limits) + at)
		}
	}
	for _, r := range order {
		pl.limits = append(pl.limits, uint8(pl.rows[r].bucket))
		pl.joined = append(pl.joined, r)
	}
	pl.order, pl.joint = order, joint
}

// measure sets what is derived from the counts.
func (r *row) measure() {
	r.lo, r.hi = 0, len(r.hist)-1
	for r.hist[r.lo] == 0 {
		r.lo++
	}
	for r.hist[r.hi] == 0 {
		r.hi--
	}
	sum, used := float32(0), 0
	for _, c := range r.hist[r.lo : r.hi+1] {
		r.n += c
		sum += nlogs[c]
		if c != 0 {
			used++
		}
	}
	r.cost = nlogs[r.n] - sum + tableCost + symbolCost*float32(used)
}

// jointCost is the cost of the two rows joined.
func jointCost(x, y *row) float32 {
	lo, hi := min(x.lo, y.lo), max(x.hi, y.hi)
	sum, used := float32(0), 0
	xs, ys := x.hist[lo:hi+1], y.hist[lo:hi+1]
	for i, c := range xs {
		if c += ys[i]; c != 0 {
			sum += nlogs[c]
			used++
		}
	}
	return nlogs[x.n+y.n] - sum + tableCost + symbolCost*float32(used)
}

// take joins y, which comes after r, to it.
func (r *row) take(y *row) {
	r.cost = jointCost(r, y)
	for i := y.lo; i <= y.hi; i++ {
		r.hist[i] += y.hist[i]
	}
	r.lo, r.hi, r.n = min(r.lo, y.lo), max(r.hi, y.hi), r.n+y.n
	r.bucket = y.bucket
}

// A span is the counts of a table's classes, at the greatest precision that has room.
type span struct {
	at   int    // class 0 would be here
	k    uint32 // precision
	n    uint32 // classes
	base uint32 // the first one
}

// countFine counts the classes of each table.
func (pl *plan) countFine(vals []uint64) {
	total := 0
	pl.spans = pl.spans[:0]
	for _, at := range pl.joined {
		r := &pl.rows[at]
		// The values lie between these, which are of precision coarse.
		_, low := sizeclass.Low(uint(r.lo), coarse)
		_, high := sizeclass.Low(uint(r.hi)+1, coarse)
		s := span{k: maxPrecision}
		for ; ; s.k-- {
			lo, _ := sizeclass.Of(low, uint(s.k))
			hi, _ := sizeclass.Of(high-1, uint(s.k))
			if s.base, s.n = uint32(lo), uint32(hi-lo+1); s.n <= maxRange {
				break
			}
		}
		s.at = total - int(s.base)
		total += int(s.n)
		pl.spans = append(pl.spans, s)
	}
	pl.fine = slices.Grow(pl.fine[:0], total)[:total]
	clear(pl.fine)
	pl.ofRow = slices.Grow(pl.ofRow[:0], len(pl.rows))[:len(pl.rows)]
	for i := range pl.rows {
		pl.ofRow[i] = pl.lut[pl.rows[i].at]
	}
	numbers, ofRow, spans, fine := pl.numbers[:len(vals)], pl.ofRow, pl.spans, pl.fine
	for i, v := range vals {
		s := &spans[ofRow[numbers[i]]]
		class, _ := sizeclass.Of(v, uint(s.k))
		fine[s.at+int(class)]++
	}
}

// levels is room for the counts of a table at all precisions.
type levels [(maxPrecision + 1) * maxRange]uint32

// choose sets precision and classes such that n numbers, whose classes of precision k from
// lo on have the given counts, take the least space.
func (t *table) choose(room *levels, counts []uint32, k, lo uint, n uint32) {
	for counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	for counts[0] == 0 {
		counts, lo = counts[1:], lo+1
	}
	sum, used := float32(0), 0
	low := 0 // low bits of all numbers, at precision k
	for i, c := range counts {
		if c != 0 {
			bits, _ := sizeclass.Low(lo+uint(i), k)
			low += int(c) * int(bits)
			sum += nlogs[c]
			used++
		}
	}
	best, worse := float32(math.MaxFloat32), 0
	chosen := counts
	for at := 0; ; {
		if cost := float32(low) - sum + symbolCost*float32(used); cost < best {
			best, worse = cost, 0
			t.k, t.lo, chosen = k, lo, counts
		} else if worse++; worse > 1 {
			break
		}
		if k == 0 {
			break
		}
		k--
		var more int
		counts, lo, more, sum, used = coarsen(room[at:], counts, k, lo)
		low += more
		at += len(counts)
	}
	t.counts = append(t.counts[:0], chosen...)
}

// coarsen turns counts of classes of precision k+1 from lo on into those of precision k in room. It
// also returns the first class, how many low bits are added, the sum of nlogs, and how many classes
// are used.
func coarsen(room, counts []uint32, k, lo uint) (to []uint32, first uint, more int, sum float32, used int) {
	// Classes below 2^(k+1) stay as they are, and of the others two each become one: class/2 + 2^k.
	n := 0
	border := uint(2) << k
	first = lo
	if lo < border {
		n = int(min(border-lo, uint(len(counts))))
		copy(room, counts[:n])
		for _, c := range counts[:n] {
			if c != 0 {
				sum += nlogs[c]
				used++
			}
		}
		counts = counts[n:]
	} else {
		first = lo>>1 + 1<<k
		if lo&1 != 0 {
			c := counts[0]
			room[0] = c
			sum += nlogs[c]
			used++
			more += int(c)
			counts = counts[1:]
			n = 1
		}
	}
	for len(counts) > 0 {
		c := counts[0]
		if len(counts) > 1 {
			c += counts[1]
			counts = counts[2:]
		} else {
			counts = nil
		}
		room[n] = c
		n++
		if c != 0 {
			more += int(c)
			sum += nlogs[c]
			used++
		}
	}
	return room[:n], first, more, sum, used
}
