package nest

import (
	"math"
	"math/bits"
)

// What a description of a sequence takes, in bits. Only comparisons matter.
const (
	partBits   = 12 // a call or a loop of the tree
	columnBits = 24 // counts that vary
	branchBits = 2  // counts that follow from those before
	periodBits = 16 // of counts that take turns: inner loops are more frequent
	maxKinds   = 32 // different counts that are told apart
)

// Columns are the counts of descriptions. Those that follow from others take next to nothing: the calls of a branch
// are made in the same iterations, those of the other branch in all others, and each receive that is begun is
// completed. What several threads do at the same place is counted once.
type Columns struct {
	known map[column]bool // of counts that vary
	last  column          // of the latest of them
	at    map[placed]bool
}

// NewColumns returns no columns.
func NewColumns() *Columns { return &Columns{known: map[column]bool{}, at: map[placed]bool{}} }

// placed is the counts of a node of a nest.
type placed struct {
	nest, node int
	n, sum     uint64
	print      uint64
}

// Bits is about how many bits the counts of a node of a nest take: as their distinct values with their entropy, as
// numbers of one range, as two values that take turns, or as the way in which they are put together, whichever is
// least. own tells that they vary in a way of their own.
func (k *Columns) Bits(c *Counts, nest, node int) (bits float64, own bool) {
	place := placed{nest: nest, node: node, n: c.n, sum: c.sum}
	if c.n == 0 || c.min == c.max {
		if c.max <= 1 || k.has(place) {
			return 0, false
		}
		return 2 + math.Log2(float64(c.max)), false
	}
	m := &measure{seen: map[*Counts]*kinds{}}
	of := m.of(c)
	place.print = of.print.sum
	if k.has(place) {
		return 0, false
	}
	key := c.column(of.print)
	last := k.last
	if k.last = key; key == last {
		return branchBits, false
	}
	if k.known[key] {
		return branchBits + math.Log2(float64(len(k.known))), false
	}
	k.known[key] = true
	return columnBits + min(of.entropy(), c.evenBits(), c.turnBits(), m.bits), true
}

// has tells whether counts were at their place before, and puts them there.
func (k *Columns) has(p placed) bool {
	was := k.at[p]
	k.at[p] = true
	return was
}

// evenBits is what the counts take as numbers of one range.
func (c *Counts) evenBits() float64 {
	return float64(c.n)*math.Log2(float64(c.max-c.min+1)) + float64(bits.Len64(c.min)+bits.Len64(c.max))
}

// turnBits is what the counts take if two runs take turns, as those of a call in every k-th iteration do, the first
// and the last of which may be shorter; infinite otherwise. The way in which counts are put together does not show it
// where the calls beside them are irregular.
func (c *Counts) turnBits() float64 {
	const most = 1 << 12
	var runs []Run
	for v, n := range c.All() {
		runs = plus(runs, Run{v, n})
		done := len(runs) - 2
		if done > most || done > 2 && runs[done] != runs[done-2] {
			return math.Inf(1)
		}
	}
	last := len(runs) - 1
	shorter := func(a, b Run) bool { return a.Count == b.Count && a.N <= b.N }
	if last < 3 || !shorter(runs[0], runs[2]) || !shorter(runs[last], runs[last-2]) {
		return math.Inf(1)
	}
	sum := periodBits + bits.Len64(runs[0].N)
	for _, r := range runs[1:3] {
		sum += bits.Len64(r.Count) + bits.Len64(r.N)
	}
	return float64(sum)
}

// kinds is how often which values occur. Those beyond maxKinds are counted by their length in bits.
type kinds struct {
	values []kind // in the order of their first occurrence
	small  [smallValues]uint8
	rest   [65]float64
	n      float64
	print  print
}

// kind is how often a value occurs.
type kind struct {
	value uint64
	times float64
}

// smallValues are found in a table: small has their place in values, plus one.
const smallValues = 64

func (k *kinds) find(value uint64) *kind {
	if value < smallValues {
		if at := k.small[value]; at > 0 {
			return &k.values[at-1]
		}
		return nil
	}
	for i := range k.values {
		if k.values[i].value == value {
			return &k.values[i]
		}
	}
	return nil
}

func (k *kinds) add(value uint64, times float64) {
	k.n += times
	if v := k.find(value); v != nil {
		v.times += times
		return
	}
	if len(k.values) == maxKinds {
		k.rest[bits.Len64(value)] += times
		return
	}
	k.values = append(k.values, kind{value, times})
	if value < smallValues {
		k.small[value] = uint8(len(k.values))
	}
}

func (k *kinds) addAll(o *kinds, times float64) {
	for _, v := range o.values {
		k.add(v.value, v.times*times)
	}
	if len(o.values) < maxKinds {
		return
	}
	for b, n := range o.rest {
		k.rest[b] += n * times
		k.n += n * times
	}
}

// entropy is the bits of all values, and of the table of values.
func (k *kinds) entropy() float64 {
	sum := 0.0
	for _, v := range k.values {
		sum += v.times*math.Log2(k.n/v.times) + 2 + float64(bits.Len64(v.value))
	}
	for b, n := range k.rest {
		if n > 0 {
			sum += n*(math.Log2(k.n/n)+float64(b)) + 8
		}
	}
	return sum
}

// measure looks at each part of counts once.
type measure struct {
	seen map[*Counts]*kinds
	bits float64
}

func (m *measure) of(c *Counts) *kinds {
	k := &kinds{print: print{power: 1}}
	m.bits--
	for run, inner := range c.Parts {
		m.bits++ // that something follows
		if inner == nil {
			k.add(run.Count, float64(run.N))
			k.print = k.print.then(one(run.Count).times(run.N))
			m.bits += 2 + float64(bits.Len64(run.Count)+bits.Len64(run.N))
			continue
		}
		of := m.seen[inner]
		if of == nil {
			of = m.of(inner)
			m.seen[inner] = of
		}
		m.bits += 4 + float64(bits.Len64(run.N))
		k.addAll(of, float64(run.N))
		k.print = k.print.then(of.print.times(run.N))
	}
	return k
}

// bits is what the parts in e take.
func (e *Executions) bits(k *Columns) float64 {
	sum, _ := k.Bits(e.Counts, 0, e.Part.number)
	sum += partBits
	for _, b := range e.Body {
		sum += b.bits(k)
	}
	return sum
}
