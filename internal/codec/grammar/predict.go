package grammar

// While a prediction is under way the start rule ends in a rule Z whose
// expansion the input follows. The grammar does not change then; the cursor
// (Builder.want, left, cur, stack) is where the input is in Z's expansion.

// enter starts a prediction at the beginning of the body with guard g.
func (b *Builder) enter(g uint32) {
	b.descend(b.nodes[g].next)
}

// descend puts the cursor at the first terminal of node n.
func (b *Builder) descend(n uint32) {
	p := &b.nodes[n]
	for p.id&RuleBit != 0 {
		b.stack = append(b.stack, frame{node: n})
		n = b.nodes[b.rules[p.id&^RuleBit].guard].next
		p = &b.nodes[n]
	}
	b.cur, b.want, b.left = n, uint64(p.id), p.count
}

// advance moves the cursor past its node, which has been consumed.
func (b *Builder) advance() {
	n := b.nodes[b.cur].next
	for b.nodes[n].flags&flagGuard != 0 {
		k := len(b.stack) - 1
		if k < 0 {
			b.nodes[b.last()].count++
			n = b.nodes[n].next
			break
		}
		f := &b.stack[k]
		f.done++
		if f.done < b.nodes[f.node].count {
			n = b.nodes[n].next
			break
		}
		n = b.nodes[f.node].next
		b.stack = b.stack[:k]
	}
	b.descend(n)
}

// followed calls yield with the symbols that the prediction consumed since it last completed Z.
func (b *Builder) followed(yield func(id uint32, count uint64)) {
	if b.want == noTerminal {
		return
	}
	g := b.rules[b.nodes[b.last()].id&^RuleBit].guard
	for _, f := range b.stack {
		for n := b.nodes[g].next; n != f.node; n = b.nodes[n].next {
			yield(b.nodes[n].id, b.nodes[n].count)
		}
		p := &b.nodes[f.node]
		if f.done > 0 {
			yield(p.id, f.done)
		}
		g = b.rules[p.id&^RuleBit].guard
	}
	for n := b.nodes[g].next; n != b.cur; n = b.nodes[n].next {
		yield(b.nodes[n].id, b.nodes[n].count)
	}
	if p := &b.nodes[b.cur]; b.left < p.count {
		yield(p.id, p.count-b.left)
	}
}

// giveUp ends a prediction that failed and appends what it had consumed.
func (b *Builder) giveUp() {
	// Feeding changes the bodies that the symbols come from, and could even
	// remove rules; symbols in the held list count as uses and prevent that.
	b.followed(func(id uint32, count uint64) {
		n := b.newNode(id, count)
		b.nodes[n].flags |= flagHeld
		b.link(b.nodes[heldGuard].prev, n, heldGuard)
	})
	b.want = noTerminal
	b.stack = b.stack[:0]
	for b.nodes[heldGuard].next != heldGuard {
		b.feedHeld()
	}
}
