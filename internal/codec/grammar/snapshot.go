package grammar

// Grammar returns a copy of the grammar, with rules numbered by first use. Equal
// sequences give equal copies.
func (b *Builder) Grammar() *Grammar {
	g := &Grammar{}
	number := make([]uint32, len(b.rules))
	type level struct {
		rule int
		next uint32 // node to copy
	}
	g.Rules = append(g.Rules, make([]Symbol, 0, b.bodyLen(startGuard)))
	stack := []level{{0, b.nodes[startGuard].next}}
	// visit copies a symbol into rule r and returns the rule to descend to, or 0.
	visit := func(r int, id uint32, count uint64) uint32 {
		enter := uint32(0)
		if id&RuleBit != 0 {
			old := id &^ RuleBit
			if number[old] == 0 {
				number[old] = uint32(len(g.Rules))
				g.Rules = append(g.Rules, make([]Symbol, 0, b.bodyLen(b.rules[old].guard)))
				enter = old
			}
			id = number[old] | RuleBit
		}
		g.Rules[r] = append(g.Rules[r], Symbol{id, count})
		return enter
	}
	for len(stack) > 0 {
		l := &stack[len(stack)-1]
		p := &b.nodes[l.next]
		if p.flags&flagGuard != 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		l.next = p.next
		if r := visit(l.rule, p.id, p.count); r != 0 {
			stack = append(stack, level{len(g.Rules) - 1, b.nodes[b.rules[r].guard].next})
		}
	}
	// All rules of the tail are part of the rule before it.
	b.followed(func(id uint32, count uint64) {
		visit(0, id, count)
		g.Tail++
	})
	return g
}

func (b *Builder) bodyLen(guard uint32) int {
	n := 0
	for p := b.nodes[guard].next; p != guard; p = b.nodes[p].next {
		n++
	}
	return n
}

// Restore returns a builder that goes on exactly as the one whose Grammar
// method returned g. It fails if g cannot be the result of a builder.
func Restore(g *Grammar) (*Builder, error) {
	if err := g.Validate(-1); err != nil {
		return nil, err
	}
	order, err := g.order()
	if err != nil {
		return nil, err
	}
	if len(order) != len(g.Rules) {
		return nil, broken(-1, "%d of %d rules are used", len(order), len(g.Rules))
	}
	lens, err := g.lengths(order)
	if err != nil {
		return nil, err
	}
	b := NewBuilder()
	b.n = lens[0]
	for len(b.rules) < len(g.Rules) {
		b.addRule()
	}
	for _, r := range order {
		body := g.Rules[r]
		if r == 0 {
			body = body[:len(body)-g.Tail]
		} else {
			b.rules[r].first = b.firstOf(body[0].ID)
		}
		if err := b.restoreBody(int(r), body); err != nil {
			return nil, err
		}
	}
	for r := 1; r < len(b.rules); r++ {
		if u := &b.rules[r]; u.uses == 0 || u.uses == 1 && b.nodes[u.where].count == 1 {
			return nil, broken(r, "used only once")
		}
	}
	if g.Tail > 0 {
		return b, b.restoreTail(g.Rules[0][len(g.Rules[0])-g.Tail:])
	}
	return b, nil
}

// restoreBody fills the empty body of rule r.
func (b *Builder) restoreBody(r int, body []Symbol) error {
	g := b.rules[r].guard
	for i, s := range body {
		l := b.nodes[g].prev
		b.link(l, b.newNode(s.ID, s.Count), g)
		if i == 0 {
			continue
		}
		if b.nodes[l].id == s.ID {
			return broken(r, "equal neighbours")
		}
		if r == 0 && i == len(body)-1 {
			return nil
		}
		x, y := &b.nodes[l], &b.nodes[b.nodes[l].next]
		h := digramHash(x.id, x.count, y.id, y.count)
		m, slot := b.table.find(b.nodes, h, x, y)
		if m != 0 {
			return broken(r, "a digram occurs twice")
		}
		b.table.put(slot, h, l)
		x.flags |= flagIndexed
	}
	return nil
}

// restoreTail starts the prediction that consumed tail, the symbols that follow
// the last one of the start rule.
func (b *Builder) restoreTail(tail []Symbol) error {
	wrong := broken(0, "the tail does not agree with the rule before it")
	z := b.nodes[b.last()].id
	if z&RuleBit == 0 {
		return wrong
	}
	n := b.nodes[b.rules[z&^RuleBit].guard].next
	for len(tail) > 0 {
		p, s := &b.nodes[n], tail[0]
		switch {
		case p.flags&flagGuard != 0:
			return wrong
		case p.id == s.ID && s.Count < p.count && p.id&RuleBit == 0:
			if len(tail) > 1 {
				return wrong
			}
			b.cur, b.want, b.left = n, uint64(p.id), p.count-s.Count
			return nil
		case p.id == s.ID && s.Count == p.count:
			tail = tail[1:]
			n = p.next
		case p.id&RuleBit != 0:
			// Inside the rule's expansion, perhaps after some repetitions.
			f := frame{node: n}
			if p.id == s.ID {
				if s.Count > p.count {
					return wrong
				}
				f.done = s.Count
				tail = tail[1:]
			}
			b.stack = append(b.stack, f)
			n = b.nodes[b.rules[p.id&^RuleBit].guard].next
		default:
			return wrong
		}
	}
	if b.nodes[n].flags&flagGuard != 0 {
		return wrong
	}
	b.descend(n)
	return nil
}
