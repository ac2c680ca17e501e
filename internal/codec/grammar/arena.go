package grammar

// Nodes and rules live in slices and name each other by index, so that the
// garbage collector finds no pointers in them.

func (b *Builder) newNode(id uint32, count uint64) uint32 {
	n := b.free
	if n != 0 {
		b.free = b.nodes[n].next
	} else {
		n = uint32(len(b.nodes))
		b.nodes = append(b.nodes, node{})
	}
	// A node that is still in Builder.dirty keeps its mark.
	b.nodes[n] = node{id: id, count: count, flags: b.nodes[n].flags & flagDirty}
	b.addUse(n)
	return n
}

func (b *Builder) freeNode(n uint32) {
	p := &b.nodes[n]
	p.flags = p.flags&flagDirty | flagFree
	p.next = b.free
	b.free = n
}

// link puts node n between its neighbours p and q.
func (b *Builder) link(p, n, q uint32) {
	b.nodes[n].prev, b.nodes[n].next = p, q
	b.nodes[p].next = n
	b.nodes[q].prev = n
}

// unlink takes node n, around which no digram is in the table, out of its list and frees it.
func (b *Builder) unlink(n uint32) {
	p, q := b.nodes[n].prev, b.nodes[n].next
	b.nodes[p].next = q
	b.nodes[q].prev = p
	b.dropUse(n)
	b.freeNode(n)
}

// rename changes the symbol of node n.
func (b *Builder) rename(n, id uint32, count uint64) {
	b.dropUse(n)
	b.nodes[n].id, b.nodes[n].count = id, count
	b.addUse(n)
}

func (b *Builder) addUse(n uint32) {
	if id := b.nodes[n].id; id&RuleBit != 0 {
		r := &b.rules[id&^RuleBit]
		r.uses++
		r.where += uint64(n)
	}
}

func (b *Builder) dropUse(n uint32) {
	if id := b.nodes[n].id; id&RuleBit != 0 {
		r := &b.rules[id&^RuleBit]
		r.uses--
		r.where -= uint64(n)
	}
}

// addRule returns the number of a new rule with an empty body.
func (b *Builder) addRule() uint32 {
	var r uint32
	if k := len(b.spare) - 1; k >= 0 {
		r = b.spare[k]
		b.spare = b.spare[:k]
	} else {
		r = uint32(len(b.rules))
		b.rules = append(b.rules, rule{})
	}
	g := b.newNode(0, 0)
	p := &b.nodes[g]
	p.id, p.prev, p.next = r|RuleBit, g, g
	p.flags |= flagGuard
	b.rules[r] = rule{guard: g}
	return r
}

// newRule returns the number of a new rule whose body are the symbols of x and y.
func (b *Builder) newRule(x, y *node) uint32 {
	r := b.addRule()
	g := b.rules[r].guard
	n := b.newNode(x.id, x.count)
	b.link(g, n, g)
	b.link(n, b.newNode(y.id, y.count), g)
	b.rules[r].first = b.firstOf(x.id)
	b.markDirty(n)
	return r
}

func (b *Builder) freeRule(r uint32) {
	b.rules[r] = rule{}
	b.spare = append(b.spare, r)
}

func (b *Builder) firstOf(id uint32) uint32 {
	if id&RuleBit != 0 {
		return b.rules[id&^RuleBit].first
	}
	return id
}
