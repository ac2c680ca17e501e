package grammar

import (
	"encoding/binary"
	"sort"
)

// A Projection is a grammar of some terminals of another one's expansion, in their order.
type Projection struct {
	// Grammar derives the terminals that are kept, numbered anew; like rules, in the order of first use.
	Grammar *Grammar
	// Terminals are the old numbers of the terminals.
	Terminals []uint32
	// Open are the symbols without a count of the grammar, in the order of rules and symbols, by their places among
	// those of the old one.
	Open []int
}

// Project deletes the terminals that are not kept. It takes a time that is linear in the grammar: they are deleted from
// the bodies of rules, bottom-up. Rules that become empty vanish, rules of a single symbol and such that are used once
// are put in place of their uses, equal ones become one, and so do equal neighbours. A symbol with a count of 0 is one
// whose count is not known: nothing is multiplied with it, or added to it.
func (g *Grammar) Project(keep func(terminal uint32) bool) (*Projection, error) {
	order, err := g.order()
	if err != nil {
		return nil, err
	}
	p := &projector{g: g, keep: keep, open: make([]int, len(g.Rules)), reduced: make([][]projected, len(g.Rules)),
		same: make([]uint32, len(g.Rules)), byBody: map[string]uint32{}}
	n := 0
	for r, body := range g.Rules {
		p.open[r] = n
		for _, s := range body {
			if s.Count == 0 {
				n++
			}
		}
	}
	for _, r := range order {
		p.reduce(r)
	}
	p.inline(order)
	return p.number(), nil
}

// projected is a symbol; open is 1 + its place among those without a count.
type projected struct {
	Symbol
	open int
}

type projector struct {
	g       *Grammar
	keep    func(uint32) bool
	open    []int         // of each rule: how many symbols without a count come before it
	reduced [][]projected // bodies with what is kept
	same    []uint32      // the first rule with the same body
	byBody  map[string]uint32
	key     []byte
}

// reduce deletes from the body of a rule, those that it uses being reduced.
func (p *projector) reduce(r uint32) {
	var out []projected
	open := p.open[r]
	for _, s := range p.g.Rules[r] {
		x := projected{Symbol: s}
		if s.Count == 0 {
			open++
			x.open = open
		}
		if !s.IsRule() {
			if p.keep(s.ID) {
				out = appendJoined(out, x)
			}
			continue
		}
		x.ID = RuleBit | p.same[s.Rule()]
		switch body := p.reduced[x.Rule()]; {
		case len(body) == 0:
			continue
		case len(body) == 1:
			x = repeated(body[0], x)
		}
		out = appendJoined(out, x)
	}
	p.reduced[r], p.same[r] = out, r
	if r == 0 || len(out) < 2 {
		return
	}
	p.key = p.key[:0]
	for _, s := range out {
		p.key = binary.AppendUvarint(p.key, uint64(s.ID))
		p.key = binary.AppendUvarint(p.key, s.Count)
		p.key = binary.AppendUvarint(p.key, uint64(s.open))
	}
	if first, ok := p.byBody[string(p.key)]; ok {
		p.same[r] = first
	} else {
		p.byBody[string(p.key)] = r
	}
}

// repeated is the only symbol of a rule in place of a use of the rule, or the use if there is no such symbol.
func repeated(only, use projected) projected {
	switch {
	case use.Count == 1:
		return only
	case only.Count == 1:
		only.Count, only.open = use.Count, use.open
		return only
	case only.Count > 0 && use.Count > 0:
		only.Count *= use.Count // it cannot overflow: the expansion has no more terminals than before
		return only
	}
	return use
}

// appendJoined appends a symbol, to an equal one before it if there is one.
func appendJoined(body []projected, x projected) []projected {
	if n := len(body); n > 0 && body[n-1].ID == x.ID && body[n-1].Count > 0 && x.Count > 0 {
		body[n-1].Count += x.Count
		return body
	}
	return append(body, x)
}

// inline puts rules that are used once, and not repeated, in place of their use.
func (p *projector) inline(order []uint32) {
	uses := make([]uint64, len(p.reduced))
	uses[0] = 1
	for k := len(order) - 1; k >= 0; k-- {
		if uses[order[k]] == 0 {
			continue // what it uses is not used by it
		}
		for _, s := range p.reduced[order[k]] {
			switch {
			case !s.IsRule():
			case s.Count == 1:
				uses[s.Rule()]++
			default:
				uses[s.Rule()] += 2
			}
		}
	}
	for _, r := range order {
		body := p.reduced[r]
		for i, s := range body {
			if !s.IsRule() || uses[s.Rule()] != 1 {
				continue
			}
			out := append([]projected(nil), body[:i]...)
			for _, s := range body[i:] {
				if !s.IsRule() || uses[s.Rule()] != 1 {
					out = appendJoined(out, s)
					continue
				}
				for _, x := range p.reduced[s.Rule()] {
					out = appendJoined(out, x)
				}
			}
			p.reduced[r] = out
			break
		}
	}
}

// number gives rules and terminals their new numbers.
func (p *projector) number() *Projection {
	out := &Projection{Grammar: &Grammar{}}
	rules, terminals := map[uint32]uint32{}, map[uint32]uint32{}
	var opens [][]int
	enter := func(r int) int {
		n := len(out.Grammar.Rules)
		out.Grammar.Rules = append(out.Grammar.Rules, make([]Symbol, 0, len(p.reduced[r])))
		opens = append(opens, nil)
		return n
	}
	type place struct{ rule, at, number int }
	for stack := []place{{0, 0, enter(0)}}; len(stack) > 0; {
		f := &stack[len(stack)-1]
		if f.at == len(p.reduced[f.rule]) {
			stack = stack[:len(stack)-1]
			continue
		}
		s := p.reduced[f.rule][f.at]
		f.at++
		number := f.number
		if s.open > 0 {
			opens[number] = append(opens[number], s.open-1)
		}
		x := Symbol{Count: s.Count}
		if s.IsRule() {
			n, known := rules[s.ID]
			if !known {
				n = uint32(enter(s.Rule()))
				rules[s.ID] = n
				stack = append(stack, place{s.Rule(), 0, int(n)})
			}
			x.ID = RuleBit | n
		} else {
			n, known := terminals[s.ID]
			if !known {
				n = uint32(len(out.Terminals))
				terminals[s.ID] = n
				out.Terminals = append(out.Terminals, s.ID)
			}
			x.ID = n
		}
		out.Grammar.Rules[number] = append(out.Grammar.Rules[number], x)
	}
	for _, list := range opens {
		out.Open = append(out.Open, list...)
	}
	return out
}

// Weights counts some terminals of an expansion by position.
type Weights struct {
	x      *Index
	lens   []uint64   // of each rule: how many of its expansion count
	before [][]uint64 // for each rule and symbol: how many of what comes before the symbol
	counts func(terminal uint32) bool
}

// Weigh makes a Weights of the terminals that count.
func (x *Index) Weigh(counts func(terminal uint32) bool) *Weights {
	w := &Weights{x: x, lens: make([]uint64, len(x.g.Rules)), before: make([][]uint64, len(x.g.Rules)), counts: counts}
	for _, r := range x.order {
		before, total := make([]uint64, len(x.g.Rules[r])), uint64(0)
		for i, s := range x.g.Rules[r] {
			before[i] = total
			total += s.Count * w.of(s)
		}
		w.before[r], w.lens[r] = before, total
	}
	return w
}

// of is how many count in one repetition of a symbol.
func (w *Weights) of(s Symbol) uint64 {
	switch {
	case s.IsRule():
		return w.lens[s.Rule()]
	case w.counts(s.ID):
		return 1
	}
	return 0
}

// Len is how many there are in the whole expansion.
func (w *Weights) Len() uint64 { return w.lens[0] }

// Before is how many there are before position i. It takes a time proportional to the depth of the grammar, and the
// logarithm of the sizes of bodies.
func (w *Weights) Before(i uint64) uint64 {
	if i >= w.x.Len() {
		return w.Len()
	}
	n := uint64(0)
	for r := 0; ; {
		k, start := w.x.find(r, i)
		s := w.x.g.Rules[r][k]
		size := w.x.lenOf(s.ID)
		n += w.before[r][k] + (i-start)/size*w.of(s)
		if i = (i - start) % size; i == 0 {
			return n
		}
		r = s.Rule()
	}
}

// Nth is the position of the one that n others come before; n is below Len.
func (w *Weights) Nth(n uint64) (position uint64) {
	for r := 0; ; {
		before := w.before[r]
		k := sort.Search(len(before), func(k int) bool { return before[k] > n }) - 1
		s := w.x.g.Rules[r][k]
		if k > 0 {
			position += w.x.ends[r][k-1]
		}
		n -= before[k]
		position += n / w.of(s) * w.x.lenOf(s.ID)
		if !s.IsRule() {
			return position
		}
		n %= w.of(s)
		r = s.Rule()
	}
}
