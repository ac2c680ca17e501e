package column

import (
	"math"
	"slices"
)

// A column may be coded given another one, its context: what a call sends depends on whom
// it sends to. What is stored then is a column of corrections: 0 where the prediction is
// right, else the value, plus one if it is not negative. The prediction is the latest value
// with the same key, and for a new key the value before (at first 0). Every givenBlock values the memory is
// cleared, so that reading can begin there. Predictors of this kind are the finite-context
// models of data compression (Cleary and Witten, 1984), here of order one or two and with
// the last symbol only.

// GivenMode says what the key of a prediction is.
type GivenMode uint8

const (
	// GivenContext: the context's value.
	GivenContext GivenMode = 1 + iota
	// GivenBoth: the context's value and the column's value before.
	GivenBoth
	// GivenPast: the column's two values before; there is no context.
	GivenPast
	lastGiven = GivenPast
)

// NeedsContext reports whether columns of this mode have a context.
func (m GivenMode) NeedsContext() bool { return m != GivenPast }

const givenBlock = 1 << 14

type givenKey struct{ a, b int64 }

// predictor gives the predictions for the values of one block.
type predictor struct {
	mode      GivenMode
	last      map[givenKey]int64
	prev, one int64 // the value before, and the one before that
}

func newPredictor(mode GivenMode) *predictor {
	return &predictor{mode: mode, last: map[givenKey]int64{}}
}

func (p *predictor) key(context int64) givenKey {
	switch p.mode {
	case GivenContext:
		return givenKey{a: context}
	case GivenBoth:
		return givenKey{context, p.prev}
	default:
		return givenKey{p.one, p.prev}
	}
}

func (p *predictor) predict(k givenKey) int64 {
	if v, ok := p.last[k]; ok {
		return v
	}
	return p.prev
}

func (p *predictor) learn(k givenKey, v int64) {
	p.last[k] = v
	p.one, p.prev = p.prev, v
}

// correction is what is stored for v. ok is false if nothing can be.
func correction(v, predicted int64) (c int64, ok bool) {
	switch {
	case v == predicted:
		return 0, true
	case v < 0:
		return v, true
	}
	return v + 1, v != math.MaxInt64
}

func corrected(c, predicted int64) int64 {
	switch {
	case c == 0:
		return predicted
	case c < 0:
		return c
	}
	return c - 1
}

// EncodeGiven appends the encoding of vals given context, which is as long, or nil if the mode has none.
// OpenGiven reads it. ok is false if these values cannot be encoded so.
func EncodeGiven(dst []byte, mode GivenMode, vals, context []int64) (_ []byte, ok bool) {
	b := NewBuilder()
	for part := range slices.Chunk(vals, givenBlock) {
		p := newPredictor(mode)
		for i, v := range part {
			c := int64(0)
			if mode.NeedsContext() {
				c = context[i]
			}
			k := p.key(c)
			stored, ok := correction(v, p.predict(k))
			if !ok {
				return dst, false
			}
			b.Append(stored)
			p.learn(k, v)
		}
		if mode.NeedsContext() {
			context = context[len(part):]
		}
	}
	return b.Encode(dst), true
}

// given is what a Reader of corrections has besides.
type given struct {
	mode    GivenMode
	context *Reader
	block   uint64 // number of the block in vals, if there is one
	vals    []int64
	room    []int64 // for contexts
}

// OpenGiven is Open for what EncodeGiven encoded. The context, which must have as many values, is
// read through its reader; nil if the mode has none.
func OpenGiven(in []byte, mode GivenMode, context *Reader) (*Reader, error) {
	r, err := Open(in)
	if err != nil {
		return nil, err
	}
	p := input{}
	switch {
	case mode == 0 || mode > lastGiven:
		p.fail("unknown kind of prediction")
	case mode.NeedsContext() && (context == nil || context.Len() != r.n):
		p.fail("context of another length")
	}
	if p.err != nil {
		return nil, p.err
	}
	r.given = &given{mode: mode, context: context}
	return r, nil
}

// restored returns the values of block n of a column coded given another one.
func (r *Reader) restored(n uint64) []int64 {
	g := r.given
	if g.vals != nil && g.block == n {
		return g.vals
	}
	from := n * givenBlock
	size := int(min(givenBlock, r.n-from))
	if cap(g.vals) < size {
		g.vals = make([]int64, size)
	}
	g.vals, g.block = g.vals[:size], n
	r.readStored(from, g.vals)
	if g.mode.NeedsContext() {
		if cap(g.room) < size {
			g.room = make([]int64, size)
		}
		g.room = g.room[:size]
		g.context.Read(from, g.room)
		if g.context.err != nil && r.err == nil {
			r.err = g.context.err
		}
	}
	p := newPredictor(g.mode)
	for i, d := range g.vals {
		c := int64(0)
		if g.mode.NeedsContext() {
			c = g.room[i]
		}
		k := p.key(c)
		v := corrected(d, p.predict(k))
		g.vals[i] = v
		p.learn(k, v)
	}
	return g.vals
}
