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
	values map[uint64]float64
	rest   [65]float64
	n      float64
}

func (k *kinds) add(value uint64, times float64) {
	k.n += times
	if _, ok := k.values[value]; ok || len(k.values) < maxKinds {
		k.values[value] += times
		return
	}
	k.rest[bits.Len64(value)] += times
}

func (k *kinds) addAll(o *kinds, times float64) {
	for v, n := range o.values {
		k.add(v, n*times)
	}
	for b, n := range o.rest {
		k.rest[b] += n * times
		k.n += n * times
	}
}

// entropy is the bits of all values, and of the table of values.
func (k *kinds) entropy() float64 {
	sum := 0.0
	for v, n := range k.values {
		sum += n*math.Log2(k.n/n) + 2 + float64(bits.Len64(v))
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
	// Sequences grow at the end: what is to the left may be deep.
	k := &kinds{values: map[uint64]float64{}}
	type task struct {
		c     *Counts
		times float64
	}
	for stack := []task{{c, 1}}; len(stack) > 0; {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch c := t.c; {
		case c.IsConstant():
			k.add(c.value, float64(c.n)*t.times)
			m.bits += 2 + float64(bits.Len64(c.value)+bits.Len64(c.n))
		case c.right != nil:
			m.bits++
			stack = append(stack, task{c.right, t.times}, task{c.left, t.times})
		default:
			inner := m.seen[c.left]
			if inner == nil {
				inner = m.of(c.left)
				m.seen[c.left] = inner
			}
			m.bits += 4 + float64(bits.Len64(c.times))
			k.addAll(inner, float64(c.times)*t.times)
		}
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
