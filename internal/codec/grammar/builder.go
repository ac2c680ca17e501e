package grammar

import "fmt"

// A Builder makes the grammar of a sequence while it is appended to. An append
// takes constant time, amortised, and memory grows at most linearly. The zero
// Builder is not usable; a Builder is not safe for concurrent use.
type Builder struct {
	// The cursor in the rule at the end of the start rule: the terminal that
	// should come next, how many of them, the node that they come from, and
	// for each level below that rule the node entered.
	want  uint64 // noTerminal if there is no such rule
	cur   uint32
	left  uint64
	stack []frame

	n     uint64
	nodes []node // nodes[0] is not used, nodes[startGuard] guards the start rule, nodes[heldGuard] the held symbols
	free  uint32 // free nodes, linked by next
	rules []rule
	spare []uint32 // numbers of unused rules
	table digrams

	// Work that a change left behind; see settle.
	dirty []uint32 // left nodes of digrams that are to be looked up
	under []uint32 // rules that may be used only once
}

// A node is a symbol in the circular list of a rule body. The list is closed by
// a guard, whose id names the rule.
type node struct {
	count      uint64
	id         uint32
	prev, next uint32
	flags      uint32
}

const (
	flagGuard   = 1 << iota // closes a body
	flagIndexed             // the digram of node and node.next is in the table
	flagDirty               // in Builder.dirty
	flagHeld                // in the list of held symbols, which is no rule
	flagFree
)

type rule struct {
	guard uint32
	uses  uint32 // number of nodes that use the rule; 0 if the rule's number is unused
	where uint64 // sum of those nodes' numbers: the only use, if there is one
	first uint32 // first terminal of the expansion
}

type frame struct {
	node uint32
	done uint64 // completed repetitions of the node's rule
}

const (
	startGuard = 1
	heldGuard  = 2
	noTerminal = 1 << 32 // no uint32 equals it
)

// NewBuilder returns a builder of an empty sequence.
func NewBuilder() *Builder {
	b := &Builder{want: noTerminal, nodes: make([]node, 3, 8), rules: make([]rule, 1, 2)}
	b.table.slots = make([]uint64, minSlots)
	for _, g := range [...]uint32{startGuard, heldGuard} {
		b.nodes[g] = node{prev: g, next: g, flags: flagGuard, id: RuleBit}
	}
	b.rules[0] = rule{guard: startGuard}
	return b
}

// Len returns the number of terminals appended.
func (b *Builder) Len() uint64 { return b.n }

// MemoryBytes returns the memory that b holds, in bytes.
func (b *Builder) MemoryBytes() int {
	return 256 + 24*cap(b.nodes) + 24*cap(b.rules) + 8*cap(b.table.slots) + 16*cap(b.stack) +
		4*(cap(b.spare)+cap(b.dirty)+cap(b.under))
}

// Append appends terminal t. It panics if t exceeds MaxTerminal.
func (b *Builder) Append(t uint32) {
	if uint64(t) == b.want {
		b.n++
		b.left--
		if b.left == 0 {
			b.advance()
		}
		return
	}
	b.AppendRun(t, 1)
}

// AppendRun appends terminal t n times, with the same result as n calls of Append.
// It panics if t exceeds MaxTerminal.
func (b *Builder) AppendRun(t uint32, n uint64) {
	if t > MaxTerminal {
		panic(fmt.Sprintf("grammar: terminal %d exceeds %d", t, uint32(MaxTerminal)))
	}
	b.n += n
	for n > 0 {
		if b.want != uint64(t) {
			if b.want != noTerminal {
				b.giveUp()
			}
			if b.feed(t, n) {
				return
			}
		}
		k := min(n, b.left)
		n -= k
		b.left -= k
		if b.left == 0 {
			b.advance()
		}
	}
}

// last returns the last node of the start rule, or its guard.
func (b *Builder) last() uint32 { return b.nodes[startGuard].prev }

// feed appends terminal t, n times, to the start rule. If t can be predicted from
// now on, it starts the prediction instead and returns false.
func (b *Builder) feed(t uint32, n uint64) bool {
	for {
		p := &b.nodes[b.last()]
		if p.flags&flagGuard != 0 {
			break
		}
		if p.id == t {
			p.count += n
			return true
		}
		if p.id&RuleBit != 0 && b.rules[p.id&^RuleBit].first == t {
			b.enter(b.rules[p.id&^RuleBit].guard)
			return false
		}
		if !b.closeLast() {
			break
		}
	}
	b.link(b.last(), b.newNode(t, n), startGuard)
	return true
}

// feedHeld moves the first held symbol to the start rule.
func (b *Builder) feedHeld() {
	h := b.nodes[heldGuard].next
	for b.nodes[b.last()].id != b.nodes[h].id && b.closeLast() {
	}
	// The held node goes last, so that its rule stays in use all the time.
	if l := b.last(); b.nodes[l].id == b.nodes[h].id {
		b.nodes[l].count += b.nodes[h].count
	} else {
		b.link(l, b.newNode(b.nodes[h].id, b.nodes[h].count), startGuard)
	}
	b.unlink(h)
}

// closeLast looks up the last digram of the start rule, now that its last symbol
// will not grow any more. It tells whether the last symbol is now another one.
func (b *Builder) closeLast() bool {
	p := b.nodes[b.last()].prev
	if b.nodes[p].flags&flagGuard != 0 || !b.lookUp(p) {
		return false
	}
	b.settle()
	return true
}

// settle restores the invariants. The order of work is fixed by what the grammar
// looks like, never by the numbers of nodes and rules.
func (b *Builder) settle() {
	for {
		if k := len(b.under) - 1; k >= 0 {
			r := b.under[k]
			b.under = b.under[:k]
			b.inline(r)
		} else if k := len(b.dirty) - 1; k >= 0 {
			n := b.dirty[k]
			b.dirty = b.dirty[:k]
			p := &b.nodes[n]
			p.flags &^= flagDirty
			if p.flags&(flagGuard|flagHeld|flagFree) == 0 && b.nodes[p.next].flags&flagGuard == 0 &&
				p.next != b.last() {
				b.lookUp(n)
			}
		} else {
			return
		}
	}
}

// lookUp enters the digram that starts at node s into the table. If it is there
// already, both occurrences are replaced, and true is returned.
func (b *Builder) lookUp(s uint32) bool {
	x := &b.nodes[s]
	if x.flags&flagIndexed != 0 {
		return false
	}
	y := &b.nodes[x.next]
	h := digramHash(x.id, x.count, y.id, y.count)
	m, slot := b.table.find(b.nodes, h, x, y)
	if m == 0 {
		b.table.put(slot, h, s)
		x.flags |= flagIndexed
		return false
	}
	b.reduce(m, s)
	return true
}

// reduce replaces the equal digrams that start at nodes m, which is in the
// table, and s, which is not. They cannot overlap, as neighbours differ.
func (b *Builder) reduce(m, s uint32) {
	x := b.nodes[s]
	y := b.nodes[x.next]
	if r := b.wholeBody(m); r != 0 {
		b.replace(s, r)
	} else if r := b.wholeBody(s); r != 0 {
		b.replace(m, r)
		b.markDirty(s)
	} else if b.onlyPair(&x, y.id) {
		b.extend(m, s)
		b.checkUses(y.id)
		return
	} else {
		r := b.newRule(&x, &y)
		b.replace(m, r)
		b.replace(s, r)
	}
	b.checkUses(x.id)
	b.checkUses(y.id)
}

// onlyPair tells whether x is a rule that is used only in the two occurrences of
// a digram that begins with x, so that the rule for the digram may be x's with
// one symbol more. That is so for each symbol while a loop's second iteration comes in.
func (b *Builder) onlyPair(x *node, y uint32) bool {
	if x.id&RuleBit == 0 || x.count != 1 {
		return false
	}
	r := &b.rules[x.id&^RuleBit]
	return r.uses == 2 && b.nodes[b.nodes[r.guard].prev].id != y
}

// extend moves the right symbol of the equal digrams that start at m and s into
// the rule that is the left symbol, given onlyPair. The result is that of making
// a new rule, which would then take in the old one.
func (b *Builder) extend(m, s uint32) {
	g := b.rules[b.nodes[m].id&^RuleBit].guard
	l := b.nodes[g].prev
	for _, n := range [...]uint32{m, s} {
		y := b.nodes[n].next
		b.unindex(n)
		b.unindex(y)
		if n == s {
			b.unlink(y)
			break
		}
		q := b.nodes[y].next
		b.nodes[n].next, b.nodes[q].prev = q, n
		b.link(l, y, g)
	}
	b.markDirty(l)
	if b.nodes[m].next == s || b.nodes[s].next == m {
		p := b.nodes[m].prev
		if b.nodes[s].next == m {
			p = b.nodes[s].prev
		}
		b.unindex(p)
		b.join(s)
		return
	}
	b.markDirty(m)
	b.markDirty(s)
	if b.last() == s {
		b.unindex(b.nodes[s].prev)
	}
}

// wholeBody returns the rule whose body is exactly the digram that starts at
// node s, or 0.
func (b *Builder) wholeBody(s uint32) uint32 {
	x := &b.nodes[s]
	g := &b.nodes[x.prev]
	if g.flags&flagGuard == 0 || b.nodes[x.next].next != x.prev {
		return 0
	}
	return g.id &^ RuleBit
}

// checkUses notes a rule for removal if it is used too little.
func (b *Builder) checkUses(id uint32) {
	if id&RuleBit != 0 && b.rules[id&^RuleBit].uses == 1 {
		b.under = append(b.under, id&^RuleBit)
	}
}

// replace puts rule r in place of the digram that starts at node x.
func (b *Builder) replace(x, r uint32) {
	b.unindex(b.nodes[x].prev)
	b.unindex(x)
	y := b.nodes[x].next
	b.unindex(y)
	b.unlink(y)
	b.rename(x, r|RuleBit, 1)
	b.join(x)
}

// join merges node n, whose symbol is new and around which no digram is in the
// table, with equal neighbours, and notes what changed.
func (b *Builder) join(n uint32) {
	if p := b.nodes[n].prev; b.nodes[p].id == b.nodes[n].id && b.nodes[p].flags&flagGuard == 0 {
		b.unindex(b.nodes[p].prev)
		b.nodes[p].count += b.nodes[n].count
		b.unlink(n)
		n = p
	}
	if q := b.nodes[n].next; b.nodes[q].id == b.nodes[n].id && b.nodes[q].flags&flagGuard == 0 {
		b.unindex(q)
		b.nodes[n].count += b.nodes[q].count
		b.unlink(q)
	}
	b.markDirty(b.nodes[n].prev)
	b.markDirty(n)
}

// inline replaces the only use of rule r by the rule's body, if it is the only
// one and its exponent is one.
func (b *Builder) inline(r uint32) {
	u := uint32(b.rules[r].where)
	if b.rules[r].uses != 1 || b.nodes[u].count != 1 {
		return
	}
	g := b.rules[r].guard
	p, q := b.nodes[u].prev, b.nodes[u].next
	first, last := b.nodes[g].next, b.nodes[g].prev
	b.unindex(p)
	b.unindex(u)
	b.unlink(u)
	b.nodes[p].next, b.nodes[first].prev = first, p
	b.nodes[last].next, b.nodes[q].prev = q, last
	b.freeNode(g)
	b.freeRule(r)
	b.mend(last)
	b.mend(p)
}

// mend joins node n with the next one if they are equal; the digram is not in the table.
func (b *Builder) mend(n uint32) {
	q := b.nodes[n].next
	if (b.nodes[n].flags|b.nodes[q].flags)&flagGuard != 0 || b.nodes[n].id != b.nodes[q].id {
		b.markDirty(n)
		return
	}
	b.unindex(b.nodes[n].prev)
	b.unindex(q)
	b.join(n)
}

// markDirty notes that the digram that starts at node n must be looked up.
func (b *Builder) markDirty(n uint32) {
	if p := &b.nodes[n]; p.flags&(flagGuard|flagDirty) == 0 {
		p.flags |= flagDirty
		b.dirty = append(b.dirty, n)
	}
}

// unindex takes the digram that starts at node n out of the table.
func (b *Builder) unindex(n uint32) {
	x := &b.nodes[n]
	if x.flags&flagIndexed == 0 {
		return
	}
	x.flags &^= flagIndexed
	y := &b.nodes[x.next]
	b.table.remove(digramHash(x.id, x.count, y.id, y.count), n)
}
