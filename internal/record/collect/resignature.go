package collect

import (
	"math"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/record/symbol"
	"github.com/tabard-hpc/tabard/spec"
)

// maxReplaced bounds the events of a stream that are looked at again when signatures are replaced.
// A longer stream keeps the old ones for its past events, and is right all the same.
const maxReplaced = 1 << 22

// Replace implements symbol.Replacer.
func (p *process) Replace(r *symbol.Replacement) {
	for _, c := range p.live() {
		c.s.replace(r)
	}
}

// replace replaces terminals as if the new ones had been there from the beginning: grammar and
// columns become what they would be then, so that ranks which replace the same signatures at
// different moments stay equal.
func (s *stream) replace(r *symbol.Replacement) {
	sources := map[*terminal]*source{}
	for i, sig := range r.Old {
		if int(sig) < len(s.terms) && s.terms[sig] != 0 {
			t := s.list[s.terms[sig]&^bare-1]
			sources[t] = newSource(s, t, r.New[i])
		}
	}
	if len(sources) == 0 || s.g.Len() > maxReplaced {
		return
	}
	old, cur := s.list, s.g.Grammar().NewCursor()
	s.g, s.list, s.terms, s.classes = grammar.NewBuilder(), nil, nil, nil
	var vals []int64
	for {
		t, n := cur.NextRun(math.MaxUint64)
		if n == 0 {
			break
		}
		src := sources[old[t]]
		if src == nil {
			s.g.AppendRun(s.adopt(old[t]).id, n)
			continue
		}
		for ; n > 0; n-- {
			t := s.byNumber(src.to)
			if t.polls {
				t.cols[0].Append(src.cols[0].next())
			}
			vals = src.values(vals[:0])
			s.g.Append(t.id)
			s.columns(t, vals)
		}
	}
	if s.run == nil {
		return
	}
	if src := sources[s.run]; src != nil {
		s.run, s.held = s.byNumber(src.to), src.replace(s.held)
	} else {
		s.run = s.adopt(s.run)
	}
}

// adopt takes a terminal with all its columns over, unless that has been done.
func (s *stream) adopt(t *terminal) *terminal {
	for len(s.terms) <= int(t.sig) {
		s.terms = append(s.terms, 0)
	}
	if s.terms[t.sig] == 0 {
		t.id = uint32(len(s.list))
		s.add(t)
	}
	return t
}

// byNumber is the terminal of a signature, made if need be.
func (s *stream) byNumber(sig uint32) *terminal {
	if int(sig) < len(s.terms) && s.terms[sig] != 0 {
		return s.list[s.terms[sig]&^bare-1]
	}
	return s.intern(sig)
}

// A source gives the values of a terminal's events in the columns of another one, which has more.
type source struct {
	to    uint32 // the other's signature
	s     *stream
	cols  []*colCursor
	parts []part
}

// part is the values of a slot: those of own columns, or constants.
type part struct {
	own    *slotColumns
	consts []int64
}

func newSource(s *stream, t *terminal, to uint32) *source {
	src := &source{to: to, s: s}
	for _, c := range t.cols {
		src.cols = append(src.cols, newColCursor(c))
	}
	before, after := s.syms.Signature(t.sig), s.syms.Signature(to)
	f := spec.ByID(before.Func)
	own := 0
	for i := range after.Slots {
		switch {
		case before.Slots[i].Kind == archive.Hole:
			src.parts = append(src.parts, part{own: &t.slots[own]})
			own++
		case after.Slots[i].Kind == archive.Hole:
			src.parts = append(src.parts, part{consts: s.syms.AppendToColumns(nil, &f.Slots[i], &before.Slots[i])})
		}
	}
	return src
}

// values appends the values of the next event.
func (src *source) values(vals []int64) []int64 {
	for _, p := range src.parts {
		if p.own == nil {
			vals = append(vals, p.consts...)
			continue
		}
		n := 1
		if p.own.array {
			n = int(src.cols[p.own.first-1].next())
			vals = append(vals, int64(n))
		}
		for ; n > 0; n-- {
			for k := range p.own.fields {
				v := src.cols[p.own.first+k].next()
				if p.own.text {
					v = src.s.strings[v]
				}
				vals = append(vals, v)
			}
		}
	}
	return vals
}

// replace gives the values of an event of the other terminal, given those of one of t.
func (src *source) replace(held []int64) []int64 {
	var vals []int64
	for _, p := range src.parts {
		if p.own == nil {
			vals = append(vals, p.consts...)
			continue
		}
		n := p.own.fields
		if p.own.array {
			n = 1 + int(held[0])*p.own.fields
		}
		vals = append(vals, held[:n]...)
		held = held[n:]
	}
	return vals
}

// A colCursor reads the values of a column in turn.
type colCursor struct {
	r    *column.Reader
	from uint64
	buf  []int64
	room [256]int64
}

func newColCursor(b *column.Builder) *colCursor {
	r, err := column.Open(b.Encode(nil))
	if err != nil {
		panic(err) // our own encoding
	}
	return &colCursor{r: r}
}

func (c *colCursor) next() int64 {
	if len(c.buf) == 0 {
		n := c.r.Read(c.from, c.room[:])
		c.from += uint64(n)
		c.buf = c.room[:n]
	}
	v := c.buf[0]
	c.buf = c.buf[1:]
	return v
}

// done reports whether all values have been read.
func (c *colCursor) done() bool { return len(c.buf) == 0 && c.from == c.r.Len() }
