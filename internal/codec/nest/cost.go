package nest

import (
	"math"
	"math/bits"
)

// What a description of a sequence takes, in bits. Only comparisons matter.
const (
	partBits   = 12 // a call or a loop of the tree
	columnBits = 24 // counts that vary
	maxKinds   = 32 // different counts that are told apart
)

// Bits is about how many bits c takes: as its distinct values with their entropy, as numbers of one
// range, or as the way in which it is put together, whichever is least.
func (c *Counts) Bits() float64 {
	if c.n == 0 || c.min == c.max {
		if c.max <= 1 {
			return 0
		}
		return 2 + math.Log2(float64(c.max))
	}
	m := &measure{seen: map[*Counts]*kinds{}}
	k := m.of(c)
	even := float64(c.n)*math.Log2(float64(c.max-c.min+1)) + float64(bits.Len64(c.min)+bits.Len64(c.max))
	return columnBits + min(k.entropy(), even, m.bits)
}

// kinds is how often which values occur. Those beyond maxKinds are counted by their length in bits.
type kinds struct {
	values []kind // in the order of their first occurrence
	small  [smallValues]uint8
	rest   [65]float64
	n      float64
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
	k := &kinds{}
	m.bits--
	for run, inner := range c.Parts {
		m.bits++ // that something follows
		if inner == nil {
			k.add(run.Count, float64(run.N))
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
	}
	return k
}

// bits is what the parts in e take.
func (e *Executions) bits() float64 {
	sum := partBits + e.Counts.Bits()
	for _, b := range e.Body {
		sum += b.bits()
	}
	return sum
}
