package nest

import "iter"

// Counts is a sequence of repetition counts in order of execution: how often a
// call or loop was repeated each time that the program came to it. It is
// immutable; equal parts are stored once.
type Counts struct {
	n        uint64 // length
	sum      uint64
	min, max uint64

	// A sequence is value n times, or left and then right, or left times times.
	value       uint64
	left, right *Counts
	times       uint64
}

// Constant is n counts of one value.
func Constant(value, n uint64) *Counts {
	return &Counts{n: n, sum: value * n, min: value, max: value, value: value}
}

// IsConstant tells whether c is stored as one value, as it is if all its counts are equal.
func (c *Counts) IsConstant() bool { return c.left == nil }

// Cat is a followed by b.
func (c *Counts) Cat(b *Counts) *Counts {
	if c.IsConstant() && b.IsConstant() && c.value == b.value {
		return Constant(c.value, c.n+b.n)
	}
	// Growth at the end by one value at a time, the usual case, keeps runs.
	if c.right != nil && c.right.IsConstant() && b.IsConstant() && c.right.value == b.value {
		return c.left.Cat(Constant(b.value, c.right.n+b.n))
	}
	return &Counts{n: c.n + b.n, sum: c.sum + b.sum, min: min(c.min, b.min), max: max(c.max, b.max), left: c, right: b}
}

// Repeat is c, k times.
func (c *Counts) Repeat(k uint64) *Counts {
	switch {
	case k == 1:
		return c
	case c.IsConstant():
		return Constant(c.value, c.n*k)
	}
	return &Counts{n: c.n * k, sum: c.sum * k, min: c.min, max: c.max, left: c, times: k}
}

// AddLast is c with k added to its last count.
func (c *Counts) AddLast(k uint64) *Counts {
	switch {
	case c.IsConstant() && c.n == 1:
		return Constant(c.value+k, 1)
	case c.IsConstant():
		return Constant(c.value, c.n-1).Cat(Constant(c.value+k, 1))
	case c.right != nil:
		return c.left.Cat(c.right.AddLast(k))
	}
	return c.left.Repeat(c.times - 1).Cat(c.left.AddLast(k))
}

// Len is the number of executions.
func (c *Counts) Len() uint64 { return c.n }

// Sum is the number of repetitions in all executions.
func (c *Counts) Sum() uint64 { return c.sum }

// Min is the smallest count.
func (c *Counts) Min() uint64 { return c.min }

// Max is the greatest count.
func (c *Counts) Max() uint64 { return c.max }

// All yields the counts in order, as runs: a count and how many executions in
// a row had it. Neighbouring runs may have the same count.
func (c *Counts) All() iter.Seq2[uint64, uint64] {
	type task struct {
		c     *Counts
		times uint64
	}
	return func(yield func(count, executions uint64) bool) {
		stack := []task{{c, 1}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.times == 0 {
				stack = stack[:len(stack)-1]
				continue
			}
			top.times--
			c := top.c
			switch {
			case c.IsConstant():
				if !yield(c.value, c.n) {
					return
				}
			case c.right != nil:
				stack = append(stack, task{c.right, 1}, task{c.left, 1})
			default:
				stack = append(stack, task{c.left, c.times})
			}
		}
	}
}

// Equal compares as far as the stored form tells, which is exact for
// sequences of a few runs; it never holds for different sequences.
func (c *Counts) Equal(b *Counts) bool {
	if c == b {
		return true
	}
	if c.n != b.n || c.sum != b.sum || c.min != b.min || c.max != b.max {
		return false
	}
	const most = 64
	next, stop := iter.Pull2(b.All())
	defer stop()
	var value, left uint64
	steps := 0
	for v, n := range c.All() {
		for n > 0 {
			if steps++; steps > most {
				return false
			}
			if left == 0 {
				value, left, _ = next()
			}
			if value != v {
				return false
			}
			k := min(n, left)
			n -= k
			left -= k
		}
	}
	return true
}

// Split takes c, which is not constant, apart: it is left and then right or, if right is nil, left a number of times.
func (c *Counts) Split() (left, right *Counts, times uint64) { return c.left, c.right, c.times }
