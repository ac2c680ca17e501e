package nest

import "iter"

// Counts is a sequence of repetition counts in order of execution: how often a
// call or loop was repeated each time that the program came to it. It is
// immutable; equal parts are stored once.
type Counts struct {
	n        uint64 // length
	sum      uint64
	min, max uint64

	// A sequence is value n times, or runs, or left and then right, in value parts, or left value times.
	value       uint64
	runs        []Run
	left, right *Counts
}

// Run is a count that N executions in a row had.
type Run struct{ Count, N uint64 }

// fewRuns are copied where a longer sequence has them: that takes less than to refer to them.
const fewRuns = 8

// Constant is n counts of one value.
func Constant(value, n uint64) *Counts {
	return &Counts{n: n, sum: value * n, min: value, max: value, value: value}
}

// flat is some runs, which it keeps.
func flat(runs []Run) *Counts {
	c := Constant(runs[0].Count, runs[0].N)
	if len(runs) == 1 {
		return c
	}
	for _, r := range runs[1:] {
		c.n, c.sum = c.n+r.N, c.sum+r.N*r.Count
		c.min, c.max = min(c.min, r.Count), max(c.max, r.Count)
	}
	c.runs = runs
	return c
}

// IsConstant tells whether c is stored as one value, as it is if all its counts are equal.
func (c *Counts) IsConstant() bool { return c.left == nil && c.runs == nil }

// mostParts is how many parts of a concatenation are taken apart wherever it occurs. A greater one is a part itself:
// each of a chain of rules may hold the one before twice, and so have parts without end.
const mostParts = 1 << 12

// parts is in how many parts the concatenations of c are taken apart.
func (c *Counts) parts() uint64 {
	if c.right != nil {
		return c.value
	}
	return uint64(max(1, len(c.runs)))
}

// part is c as a part of a concatenation.
func (c *Counts) part() *Counts {
	if c.parts() <= mostParts {
		return c
	}
	once := *c
	once.left, once.right, once.runs, once.value = c, nil, nil, 1
	return &once
}

// cat is c followed by b as a concatenation.
func (c *Counts) cat(b *Counts) *Counts {
	return &Counts{n: c.n + b.n, sum: c.sum + b.sum, min: min(c.min, b.min), max: max(c.max, b.max),
		value: c.parts() + b.parts(), left: c, right: b}
}

// few are the runs of c if they are so few that they are better copied.
func (c *Counts) few(room *[1]Run) ([]Run, bool) {
	if c.IsConstant() {
		room[0] = Run{c.value, c.n}
		return room[:], true
	}
	return c.runs, c.left == nil && len(c.runs) <= fewRuns
}

// plus is runs and then more, in new room if there is not enough.
func plus(runs []Run, more ...Run) []Run {
	for _, r := range more {
		if last := len(runs) - 1; last >= 0 && runs[last].Count == r.Count {
			runs[last].N += r.N
		} else {
			runs = append(runs, r)
		}
	}
	return runs
}

// Cat is a followed by b.
func (c *Counts) Cat(b *Counts) *Counts {
	var r, s [1]Run
	first, ok := c.few(&r)
	second, also := b.few(&s)
	if ok && also && len(first)+len(second) <= fewRuns {
		return flat(plus(plus(make([]Run, 0, len(first)+len(second)), first...), second...))
	}
	// Growth at the end by one value at a time, the usual case, keeps runs.
	if also && c.right != nil {
		if end, ok := c.right.few(&r); ok && len(end)+len(second) <= fewRuns {
			return c.left.cat(c.right.Cat(b))
		}
	}
	return c.part().cat(b.part())
}

// Repeat is c, k times.
func (c *Counts) Repeat(k uint64) *Counts {
	switch {
	case k == 1:
		return c
	case c.IsConstant():
		return Constant(c.value, c.n*k)
	}
	return &Counts{n: c.n * k, sum: c.sum * k, min: c.min, max: c.max, left: c, value: k}
}

// AddLast is c with k added to its last count.
func (c *Counts) AddLast(k uint64) *Counts {
	switch {
	case c.IsConstant() && c.n == 1:
		return Constant(c.value+k, 1)
	case c.IsConstant():
		return Constant(c.value, c.n-1).Cat(Constant(c.value+k, 1))
	case c.runs != nil:
		before, last := c.runs[:len(c.runs)-1], c.runs[len(c.runs)-1]
		runs := append(make([]Run, 0, len(c.runs)+1), before...)
		if last.N > 1 {
			runs = append(runs, Run{last.Count, last.N - 1})
		}
		return flat(plus(runs, Run{last.Count + k, 1}))
	case c.right != nil:
		return c.left.Cat(c.right.AddLast(k))
	}
	if c.value == 1 { // see part
		return c.left.AddLast(k)
	}
	return c.left.Repeat(c.value - 1).Cat(c.left.AddLast(k))
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
			case c.runs != nil:
				for _, r := range c.runs {
					if !yield(r.Count, r.N) {
						return
					}
				}
			case c.right != nil:
				stack = append(stack, task{c.right, 1}, task{c.left, 1})
			default:
				stack = append(stack, task{c.left, c.value})
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

// Parts takes c apart, in order: into runs, where repeated is nil, and into others that are repeated
// run.N times.
func (c *Counts) Parts(yield func(run Run, repeated *Counts) bool) {
	for stack := []*Counts{c}; len(stack) > 0; { // concatenations may be as deep as they are many
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case c.IsConstant():
			if !yield(Run{c.value, c.n}, nil) {
				return
			}
		case c.runs != nil:
			for _, r := range c.runs {
				if !yield(r, nil) {
					return
				}
			}
		case c.right != nil:
			stack = append(stack, c.right, c.left)
		default:
			if !yield(Run{N: c.value}, c.left) {
				return
			}
		}
	}
}
