package collectives

import (
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/spec/mpi"
)

// A combination is a message with the contributions of several, all of which have been sent by themselves.
type combination struct {
	of    *Message
	parts []*Message
	set   string // which contributions, and to which part of the vector
}

const (
	enoughSamples = 8       // elements that tell something, of an instance
	mostTuples    = 1 << 20 // that are looked at of an instance of a program's own operation
	// roundings bounds what the order of a product makes of it, in units of its last place and contribution.
	roundings = 4
)

// An elementwise operation is told by samples.
type elementwise struct {
	name    string
	integer func(a, b int64) int64
	real    func(a, b float64) float64 // nil: it has none of reals
	rounds  bool
	bits    bool // of whatever the elements are
	same    bool // equal elements give the same: they tell nothing
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// elementwises are the operations, those with narrower results first: where all elements are 0 or 1, several agree.
var elementwises = []elementwise{
	{name: mpi.Land, same: true, integer: func(a, b int64) int64 { return truth(a != 0 && b != 0) }},
	{name: mpi.Lor, same: true, integer: func(a, b int64) int64 { return truth(a != 0 || b != 0) }},
	{name: mpi.Lxor, integer: func(a, b int64) int64 { return truth((a != 0) != (b != 0)) }},
	{name: mpi.Min, integer: func(a, b int64) int64 { return min(a, b) }, real: math.Min, same: true},
	{name: mpi.Max, integer: func(a, b int64) int64 { return max(a, b) }, real: math.Max, same: true},
	{name: mpi.Band, same: true, bits: true, integer: func(a, b int64) int64 { return a & b }},
	{name: mpi.Bor, same: true, bits: true, integer: func(a, b int64) int64 { return a | b }},
	{name: mpi.Bxor, bits: true, integer: func(a, b int64) int64 { return a ^ b }},
	{
		name:    mpi.Prod,
		integer: func(a, b int64) int64 { return a * b },
		real:    func(a, b float64) float64 { return a * b },
		rounds:  true,
	},
	{name: mpi.Sum, integer: func(a, b int64) int64 { return a + b }},
}

// complete tells whether there are samples of all instances that a message stands for.
func (m *Message) complete() bool {
	return m.Sampled > 0 && uint64(len(m.Samples)) == uint64(m.Sampled)*max(m.Count, 1)
}

// alike tells whether there are samples of it and of all its parts, of the same elements.
func (c *combination) alike() bool {
	return c.of.complete() && !slices.ContainsFunc(c.parts, func(p *Message) bool {
		return len(p.Samples) != len(c.of.Samples) || p.Elements != c.of.Elements
	})
}

// bySamples is the operation by which all combinations are made of their parts, as samples of each instance tell;
// empty if there is none, or if they tell too little.
func bySamples(all []combination) string {
	for _, c := range all {
		if !c.alike() {
			return ""
		}
	}
	if len(all) == 0 {
		return ""
	}
	for i := range elementwises {
		for _, width := range []int64{8, 4, 2, 1} {
			if elementwises[i].makes(all, width) {
				return elementwises[i].name
			}
		}
	}
	return ""
}

// makes tells whether the operation makes all combinations of their parts, if elements are of so many bytes.
func (o *elementwise) makes(all []combination, width int64) bool {
	switch all[0].of.Elements {
	case Reals:
		if width < 4 || o.real == nil {
			return false
		}
	case Bytes: // eight to a sample
		if width < 8 || !o.bits {
			return false
		}
	}
	told := map[int]int{} // by instance
	for _, c := range all {
		for i, got := range c.of.Samples {
			equal := true
			for _, p := range c.parts {
				equal = equal && p.Samples[i] == c.parts[0].Samples[i]
			}
			made := o.makesInteger
			if c.of.Elements == Reals {
				made = o.makesReal
			}
			if !made(&c, i, got, width) {
				return false
			}
			if !o.same || !equal {
				told[i/c.of.Sampled]++
			}
		}
	}
	for k := range len(all[0].of.Samples) / all[0].of.Sampled {
		if told[k] < enoughSamples {
			return false
		}
	}
	return varied(all)
}

// varied tells whether there are different elements in the parts, and in what they make: a constant is the result of
// much.
func varied(all []combination) bool {
	parts, results := map[uint64]bool{}, map[uint64]bool{}
	for _, c := range all {
		for _, s := range c.of.Samples {
			results[s] = true
		}
		for _, p := range c.parts {
			for _, s := range p.Samples {
				parts[s] = true
			}
		}
	}
	return len(parts) > 1 && len(results) > 1
}

// signed is a sample as a number of so many bytes.
func signed(sample uint64, width int64) (int64, bool) {
	switch shift := 64 - 8*uint(width); {
	case sample<<shift>>shift != sample:
		return 0, false
	default:
		return int64(sample<<shift) >> shift, true
	}
}

// combined is what an operation makes of a sample of all parts, and what was made; fits tells whether all are numbers
// of the width.
func combined[T any](c *combination, i int, got uint64, width int64, number func(sample uint64, width int64) (T, bool),
	op func(a, b T) T) (result, want T, fits bool) {
	want, fits = number(got, width)
	for k, p := range c.parts {
		v, ok := number(p.Samples[i], width)
		if fits = fits && ok; k == 0 {
			result = v
		} else {
			result = op(result, v)
		}
	}
	return result, want, fits
}

func (o *elementwise) makesInteger(c *combination, i int, got uint64, width int64) bool {
	result, want, fits := combined(c, i, got, width, signed, o.integer)
	shift := 64 - 8*uint(width)
	return fits && result<<shift>>shift == want
}

func decoded(sample uint64, width int64) (float64, bool) {
	if width == 4 {
		return float64(math.Float32frombits(uint32(sample))), sample>>32 == 0
	}
	return math.Float64frombits(sample), true
}

func (o *elementwise) makesReal(c *combination, i int, got uint64, width int64) bool {
	result, want, fits := combined(c, i, got, width, decoded, o.real)
	if !o.rounds {
		return fits && result == want
	}
	unit := 0x1p-53
	if width == 4 {
		unit = 0x1p-24
	}
	return fits && math.Abs(result-want) <= roundings*float64(len(c.parts))*unit*math.Abs(want)
}

// ownOperation tells whether all combinations come from one operation that the program has of its own: it makes equal
// elements of equal ones, wherever they stand, or several processes make equal messages of the same contributions.
func ownOperation(all []combination) bool {
	return len(all) > 0 && (byTuples(all) || byEquals(all))
}

// byTuples looks at samples: elements that are the same in all parts, in another message or elsewhere in it, give the
// same.
func byTuples(all []combination) bool {
	type element struct {
		set    string
		sample int
	}
	type result struct {
		value uint64
		of    element
	}
	results, again, n := map[string]result{}, 0, 0
	for _, c := range all {
		if !c.alike() {
			return false
		}
		if n += len(c.of.Samples); n > mostTuples {
			return false
		}
		for i, got := range c.of.Samples {
			tuple := make([]uint64, len(c.parts))
			for k, p := range c.parts {
				tuple[k] = p.Samples[i]
			}
			key, of := tupleKey(tuple), element{c.set, i}
			before, seen := results[key]
			switch {
			case !seen:
				results[key] = result{got, of}
			case before.value != got:
				return false
			case before.of != of && slices.Max(tuple) != slices.Min(tuple):
				again++
			}
		}
	}
	return again >= enoughSamples*(len(all[0].of.Samples)/all[0].of.Sampled) && varied(all)
}

func tupleKey(tuple []uint64) string {
	key := make([]byte, 0, 8*len(tuple))
	for _, v := range tuple {
		for k := range 8 {
			key = append(key, byte(v>>(8*k)))
		}
	}
	return string(key)
}

// byEquals looks at whole messages: each is made by at least two processes, equal in all instances. It is none of its
// parts, which differ, and not what others make of other parts. What two make of two contributions tells too little.
func byEquals(all []combination) bool {
	type made struct {
		first *Message
		by    map[int32]bool
	}
	sets := map[string]*made{}
	for _, c := range all {
		m := sets[c.set]
		if m == nil {
			m = &made{c.of, map[int32]bool{}}
			sets[c.set] = m
		}
		m.by[c.of.From] = true
		if m.first.Hash != c.of.Hash || m.first.Digest != c.of.Digest {
			return false
		}
		for i, p := range c.parts {
			if p.Hash == c.of.Hash || slices.ContainsFunc(c.parts[:i],
				func(q *Message) bool { return q.Hash == p.Hash }) {
				return false
			}
		}
	}
	results := map[uint64]bool{}
	for _, m := range sets {
		if len(m.by) < 2 || results[m.first.Hash] {
			return false
		}
		results[m.first.Hash] = true
	}
	return slices.ContainsFunc(all, func(c combination) bool { return len(c.parts) > 2 })
}
