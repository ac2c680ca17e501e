package infer

import "slices"

// Blocks of memory are often as large as the largest part: a whole number that is divided by the size of an
// axis, rounded down, and somewhat more; to the power of the dimensions, and times the number of parts.

// blockSize is one form of such sizes: (whole/q + more)^power * (q + parts), or without the last factor.
type blockSize struct {
	more   int64
	power  int
	factor bool
	parts  int64
	// whole is that of a block that was found.
	whole int64
}

// blockForms are those that are looked at, simple ones first.
var blockForms = func() (out []blockSize) {
	for _, f := range []blockSize{{}, {factor: true}, {factor: true, parts: -1}, {factor: true, parts: 1}} {
		for f.power = 1; f.power <= 3; f.power++ {
			for f.more = 0; f.more <= 4; f.more++ {
				out = append(out, f)
			}
		}
	}
	return out
}()

// blockRests are what may be added to all: an element more, so that there is one even without parts.
var blockRests = []int64{0, 1, 2, 4, 8, 16}

const (
	maxBlockWhole = 1 << 10 // the largest whole that is looked for
	// chanceOfBlock is how many times more different values there have to be than forms were tried.
	chanceOfBlock = 100
)

// blocks explains numbers by the size of such a block. There have to be three at least, so large that none
// of the forms gives them by chance.
func blocks(m *inference, q *Expr, p *points) *Expr {
	small := p.all(func(q, v int64) bool { return q > 0 && q <= maxPowerQuantity && v > 0 && v < maxPowerValue })
	if !small || p.few() || q.Op != Size && q.Op != Dim {
		return nil
	}
	possible := 1.0 / float64(slices.Max(p.v))
	for _, v := range slices.Compact(slices.Sorted(slices.Values(p.v))) {
		possible *= float64(v)
	}
	for _, b := range m.blocks { // some have the same parts
		if e := b.size(q, p, b.whole, 0); e != nil && possible >= float64(len(m.blocks)*chanceOfBlock) {
			return e
		}
	}
	for i, rest := range blockRests {
		for whole := slices.Max(p.q); whole <= maxBlockWhole; whole++ {
			if tried := (i + 1) * int(whole) * len(blockForms); possible < float64(tried)*chanceOfBlock {
				break
			}
			m.spend(len(blockForms) / 16) // most are refuted by a division
			for _, b := range blockForms {
				if e := b.size(q, p, whole, rest); e != nil {
					b.whole = whole
					m.blocks = append(m.blocks, b)
					return b.ambiguous(m, e, q, p, whole, rest)
				}
			}
		}
	}
	return nil
}

// size is the multiple of the size of a block that gives the values, nil if none does.
func (b blockSize) size(q *Expr, p *points, whole, rest int64) *Expr {
	f := b.at(whole, p.q[0])
	if f <= 0 || (p.v[0]-rest)%f != 0 {
		return nil
	}
	by := (p.v[0] - rest) / f
	if by <= 0 || !p.all(func(q, v int64) bool { return by*b.at(whole, q)+rest == v }) {
		return nil
	}
	return op(Add, b.of(by, whole, q), num(rest))
}

// ambiguous notes if a larger whole gives the same values, too, as all are rounded down.
func (b blockSize) ambiguous(m *inference, e, q *Expr, p *points, whole, rest int64) *Expr {
	for n := whole + 1; n <= 2*whole; n++ {
		if x := b.size(q, p, n, rest); x != nil {
			return m.note(e, "%v; it could as well be %v", e, x)
		}
	}
	return e
}

// at is the size of a block, in units.
func (b blockSize) at(whole, q int64) int64 {
	n, x := int64(1), whole/q+b.more
	for range b.power {
		n *= x
	}
	if b.factor {
		n *= q + b.parts
	}
	return n
}

// of is a multiple of the size of a block.
func (b blockSize) of(by, whole int64, q *Expr) *Expr {
	x := op(Add, op(Div, num(whole), q), num(b.more))
	e := op(Mul, num(by), x)
	for range b.power - 1 {
		e = op(Mul, e, x)
	}
	if b.factor {
		e = op(Mul, e, op(Add, q, num(b.parts)))
	}
	return e
}
