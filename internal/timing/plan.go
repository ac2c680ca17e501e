package timing

import (
	"math"
	"math/bits"
)

const (
	buckets = 65 // of values, by their number of bits
	// minOwn is how many values of a context in a block deserve tables of their own.
	minOwn = 96
	// coarse is the precision at which tables are compared; all classes are below 256.
	coarse     = 2
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
	hist     [256]uint32
	lo, hi   int // classes
	n        uint32
	min, max uint64
	bucket   int // the last one that is in the row
	at       int // its set and first bucket
	cost     float32
}

// A plan says which table codes a value: that depends on the set that its context
// belongs to, and on how large the previous value of the same context is.
type plan struct {
	rows    []row
	lut     []uint16 // by set and bucket: row, then table
	limits  []uint8  // of each table, the last bucket in its set
	ofSet   []int    // the first table of each set, then the number of tables
	tables  []table
	numbers []uint16 // of each value's table
	joined  []int    // of each table, the row
	fine    []uint32
	spans   []span
	order   []int
	joint   []float32
}

// reset makes room for a number of sets.
func (pl *plan) reset(sets int) {
	pl.rows = pl.rows[:0]
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
	if n < cap(pl.rows) {
		pl.rows = pl.rows[:n+1]
	} else {
		pl.rows = append(pl.rows, row{})
	}
	r := &pl.rows[n]
	clear(r.hist[:])
	r.n, r.min, r.max, r.bucket, r.at = 0, math.MaxUint64, 0, at%buckets, at
	pl.lut[at] = uint16(n)
	return n
}

// make plans for values whose contexts ctx are in sets.
func (pl *plan) make(b *block, vals []uint64) {
	pl.reset(b.sets)
	if cap(pl.numbers) < len(vals) {
		pl.numbers = make([]uint16, len(vals))
	}
	pl.numbers = pl.numbers[:len(vals)]
	pl.countRows(b, vals)
	for s := range b.sets {
		pl.ofSet = append(pl.ofSet, len(pl.limits))
		pl.join(s)
	}
	pl.ofSet = append(pl.ofSet, len(pl.limits))
	for len(pl.tables) < len(pl.limits) {
		pl.tables = append(pl.tables, table{})
	}
	pl.countFine(vals)
}

// countRows makes the rows, and sets numbers to them.
func (pl *plan) countRows(b *block, vals []uint64) {
	state := b.state[:b.contexts]
	copy(state, b.setAt)
	for i, v := range vals {
		st := &state[b.ctx[i]]
		at := *st
		r := int(pl.lut[at])
		if r == noRow {
			r = pl.newRow(int(at))
		}
		width := uint32(bits.Len64(v))
		*st = at - at%buckets + width
		pl.numbers[i] = uint16(r)
		class, _ := classOf(v, coarse)
		w := &pl.rows[r]
		w.hist[class&255]++
		w.min, w.max = min(w.min, v), max(w.max, v)
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
	lo, _ := classOf(r.min, coarse)
	hi, _ := classOf(r.max, coarse)
	r.lo, r.hi = int(lo), int(hi)
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
	for i := lo; i <= hi; i++ {
		c := x.hist[i] + y.hist[i]
		sum += nlogs[c]
		if c != 0 {
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
	r.min, r.max, r.bucket = min(r.min, y.min), max(r.max, y.max), y.bucket
}

// A span is the counts of a table's classes, at the greatest precision that has room.
type span struct{ at, k, lo, n uint32 }

// countFine chooses the precision of each table.
func (pl *plan) countFine(vals []uint64) {
	total := uint32(0)
	pl.spans = pl.spans[:0]
	for _, row := range pl.joined {
		r := &pl.rows[row]
		s := span{at: total, k: maxPrecision}
		for ; ; s.k-- {
			lo, _ := classOf(r.min, uint(s.k))
			hi, _ := classOf(r.max, uint(s.k))
			if s.lo, s.n = uint32(lo), uint32(hi-lo+1); s.n <= maxRange && hi < 1<<16 {
				break
			}
		}
		total += s.n
		pl.spans = append(pl.spans, s)
	}
	if cap(pl.fine) < int(total) {
		pl.fine = make([]uint32, total)
	}
	pl.fine = pl.fine[:total]
	clear(pl.fine)
	for i, v := range vals {
		t := pl.lut[pl.rows[pl.numbers[i]].at]
		pl.numbers[i] = t
		s := &pl.spans[t]
		class, _ := classOf(v, uint(s.k))
		pl.fine[s.at+uint32(class)-s.lo]++
	}
	for t, s := range pl.spans {
		pl.tables[t].choose(pl.fine[s.at:s.at+s.n], uint(s.k), uint(s.lo), pl.rows[pl.joined[t]].n)
	}
}

// choose sets precision and classes such that n numbers, whose classes of precision k from
// lo on have the given counts, take the least space. It changes counts.
func (t *table) choose(counts []uint32, k, lo uint, n uint32) {
	best, worse := float32(math.MaxFloat32), 0
	for {
		sum, used := nlogs[n], 0
		for i, c := range counts {
			if c != 0 {
				low, _ := lowBits(lo+uint(i), k)
				sum += float32(c)*float32(low) - nlogs[c]
				used++
			}
		}
		if sum += symbolCost * float32(used); sum < best {
			best, worse = sum, 0
			t.k, t.lo = k, lo
			t.counts = append(t.counts[:0], counts...)
		} else if worse++; worse > 1 {
			return
		}
		if k == 0 {
			return
		}
		k--
		counts, lo = coarsen(counts, k, lo)
	}
}

// coarsen changes counts of classes of precision k+1 from lo on to those of precision k.
func coarsen(counts []uint32, k, lo uint) ([]uint32, uint) {
	_, base := lowBits(lo, k+1)
	first, _ := classOf(base, k)
	n := uint(0)
	for i, c := range counts {
		_, base := lowBits(lo+uint(i), k+1)
		class, _ := classOf(base, k)
		counts[i] = 0
		counts[class-first] += c
		n = class - first + 1
	}
	return counts[:n], first
}
