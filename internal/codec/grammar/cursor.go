package grammar

import "iter"

// A Cursor runs over the expansion of a grammar, forwards or by jumps.
type Cursor struct {
	x     *Index
	body  []Symbol // of the rule that the cursor is in
	k     int      // current symbol in body
	left  uint64   // occurrences of the current symbol, a terminal, still to come; 0 at the end
	pos   uint64
	stack []place
}

// A place is a symbol that the cursor is inside of.
type place struct {
	body []Symbol
	k    int
	left uint64 // repetitions still to come after the current one
}

// NewCursor returns a cursor at the beginning of the expansion. It panics if g is
// not valid; Parse and Validate tell.
func (g *Grammar) NewCursor() *Cursor {
	x, err := NewIndex(g)
	if err != nil {
		panic("grammar: NewCursor: " + err.Error())
	}
	return x.NewCursor()
}

// NewCursor returns a cursor at the beginning of the expansion.
func (x *Index) NewCursor() *Cursor {
	c := &Cursor{x: x}
	c.Seek(0)
	return c
}

// Pos returns the position of the terminal that Next returns.
func (c *Cursor) Pos() uint64 { return c.pos }

// Seek moves to position i, or to the end if i is behind it. It takes time
// proportional to the depth of the grammar and the logarithm of its bodies' sizes.
func (c *Cursor) Seek(i uint64) {
	c.stack = c.stack[:0]
	c.body, c.k, c.left = c.x.g.Rules[0], 0, 0
	if i >= c.x.Len() {
		c.pos = c.x.Len()
		return
	}
	c.pos = i
	for r := 0; ; {
		k, start := c.x.find(r, i)
		c.body, c.k = c.x.g.Rules[r], k
		s := c.body[k]
		if !s.IsRule() {
			c.left = s.Count - (i - start)
			return
		}
		n := c.x.lenOf(s.ID)
		c.stack = append(c.stack, place{c.body, k, s.Count - 1 - (i-start)/n})
		i = (i - start) % n
		r = s.Rule()
	}
}

// Next returns the next terminal; ok is false at the end.
func (c *Cursor) Next() (t uint32, ok bool) {
	if c.left == 0 {
		return 0, false
	}
	t = c.body[c.k].ID
	c.left--
	c.pos++
	if c.left == 0 {
		c.advance()
	}
	return t, true
}

// NextRun returns the next terminal and how many times it occurs in a row, as
// far as one symbol of the grammar tells, but at most limit. n is 0 at the end.
func (c *Cursor) NextRun(limit uint64) (t uint32, n uint64) {
	n = min(c.left, limit)
	if n == 0 {
		return 0, 0
	}
	t = c.body[c.k].ID
	c.left -= n
	c.pos += n
	if c.left == 0 {
		c.advance()
	}
	return t, n
}

// advance moves to the next symbol and into it.
func (c *Cursor) advance() {
	c.k++
	for c.k == len(c.body) {
		d := len(c.stack) - 1
		if d < 0 {
			return
		}
		p := &c.stack[d]
		if p.left > 0 {
			p.left--
			c.k = 0
			break
		}
		c.body, c.k = p.body, p.k+1
		c.stack = c.stack[:d]
	}
	s := c.body[c.k]
	for s.IsRule() {
		c.stack = append(c.stack, place{c.body, c.k, s.Count - 1})
		c.body, c.k = c.x.g.Rules[s.Rule()], 0
		s = c.body[0]
	}
	c.left = s.Count
}

// All returns an iterator over the expansion of g, which must be valid.
func (g *Grammar) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		c := g.NewCursor()
		for t, ok := c.Next(); ok && yield(t); t, ok = c.Next() {
		}
	}
}
