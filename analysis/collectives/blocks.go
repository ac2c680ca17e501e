package collectives

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/internal/fingerprint"
)

// A block is data that is sent in one message, in several, or together with others. Which blocks a message is made of
// follows from where it lies, and from hashes: that of a block follows from those of its parts.
type block struct {
	origin int32 // the process that had it first, of blocks that are no part of another
	bytes  int64
	hash   uint64 // Amount.Hash of a message, if known
	known  bool
	place  Place
	call   uint64 // by which the origin sent it first
	parent *block
	// cuts are parts that were sent by themselves, by offset; joined is what it was put together from.
	cuts    []cut
	joined  []*block
	implied bool // it is in no message by itself
	leaves  []*block
	whole   bool // leaves are known to make it up: hashes say so
}

type cut struct {
	from int64
	of   *block
}

// A claim is that a block would be the rest of another, without one that was sent.
type claim struct {
	whole, other  *block
	from, otherAt int64
	rest          *block
	depends       *claim // if the whole is the rest of another claim
}

// A span is memory that holds a part of a block.
type span struct {
	from, to int64
	of       *block
	at       int64
}

type memorySegment struct {
	process int32
	segment int64
}

const (
	mostSpans  = 64      // of a segment
	mostRecent = 6       // blocks that are tried to be split
	mostOpen   = 32      // claims of a process that are remembered
	mostClaims = 1 << 13 // messages of a region that make claims; each takes some 30 us
)

// blocks follow data that is split and put together.
type blocks struct {
	held     map[int32]map[content]*block
	spans    map[memorySegment][]span
	recent   map[int32][]*block
	claims   map[content]*claim
	open     map[int32][]*claim // the latest of a process
	owned    []*block           // that have an origin of their own, in the order in which they appear
	of       map[*Message]*block
	places   bool // what lies where matters
	claiming int
	complex  bool // something was split or put together
	has      map[int32]map[*block]bool
}

func newBlocks(places bool) *blocks {
	return &blocks{
		places: places,
		held:   map[int32]map[content]*block{},
		spans:  map[memorySegment][]span{},
		recent: map[int32][]*block{},
		claims: map[content]*claim{},
		open:   map[int32][]*claim{},
		of:     map[*Message]*block{},
		has:    map[int32]map[*block]bool{},
	}
}

// follow goes through messages; it is false if they do not fit together.
func (t *blocks) follow(ms []*Message) bool {
	return inOrder(ms, func(i int, recv bool) {
		m := ms[i]
		if !recv {
			t.of[m] = t.leaves(m)
			return
		}
		b := t.of[m]
		t.hold(m.To, b, m)
		t.write(m.To, m.Target, m.Bytes, b, 0)
		t.recent[m.To] = append(t.recent[m.To], b)
		if n := len(t.recent[m.To]); n > mostRecent {
			t.recent[m.To] = t.recent[m.To][n-mostRecent:]
		}
		if t.has[m.To] == nil {
			t.has[m.To] = map[*block]bool{}
		}
		t.has[m.To][b] = true
	})
}

func (t *blocks) hold(p int32, b *block, m *Message) {
	if m.Known {
		if t.held[p] == nil {
			t.held[p] = map[content]*block{}
		}
		t.held[p][content{hash: m.Amount.Hash, bytes: m.Bytes}] = b
	}
}

// leaves finds the block that a message carries.
func (t *blocks) leaves(m *Message) *block {
	key := content{hash: m.Amount.Hash, bytes: m.Bytes}
	if m.Known {
		if b := t.held[m.From][key]; b != nil && !(b.origin == m.From && t.has[m.To][b]) {
			return b
		}
		if c := t.claims[key]; c != nil {
			t.confirm(c)
			t.hold(m.From, c.rest, m)
			return c.rest
		}
	}
	b := t.fromMemory(m)
	if b == nil {
		b = t.put(m)
	}
	if b == nil {
		b = t.own(m.From, m.Source, m.Bytes, m.Sent)
		t.owned = append(t.owned, b)
		b.hash, b.known = m.Amount.Hash, m.Known
		t.claim(m.From, b)
	}
	t.hold(m.From, b, m)
	return b
}

func (t *blocks) own(p int32, at Place, bytes int64, call uint64) *block {
	b := &block{origin: p, bytes: bytes, place: at, call: call}
	t.write(p, at, bytes, b, 0)
	return b
}

// fromMemory is the block if what lies where it is sent from is known: a block, a part of one, or several.
func (t *blocks) fromMemory(m *Message) *block {
	if !t.places || m.Source.Segment == 0 {
		return nil
	}
	from, to := m.Source.Offset, m.Source.Offset+m.Bytes
	var pieces []span
	for _, s := range t.spans[memorySegment{m.From, m.Source.Segment}] {
		if s.from < to && from < s.to {
			start := max(s.from, from)
			pieces = append(pieces, span{start, min(s.to, to), s.of, s.at + start - s.from})
		}
	}
	slices.SortFunc(pieces, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return t.concatenation(m, pieces)
}

// concatenation is a block of all that lies in a range. What was not received or sent before is the process's own.
func (t *blocks) concatenation(m *Message, pieces []span) *block {
	var parts, own []*block
	foreign, at, to := false, m.Source.Offset, m.Source.Offset+m.Bytes
	gap := func(from, to int64) {
		if from < to {
			x := &block{origin: m.From, bytes: to - from, place: Place{m.Source.Segment, from}, call: m.Sent,
				implied: true}
			own, parts = append(own, x), append(parts, x)
		}
	}
	for _, s := range pieces {
		gap(at, s.from)
		list := s.of.part(s.at, s.to-s.from)
		if list == nil {
			return nil
		}
		parts, at = append(parts, list...), s.to
		foreign = foreign || s.of.origin != m.From || len(s.of.joined) > 0
	}
	if gap(at, to); len(own) > 0 && !foreign || len(parts) == 0 {
		return nil
	}
	if len(parts) == 1 {
		return t.again(m, parts[0])
	}
	b := &block{
		origin: m.From,
		bytes:  m.Bytes,
		hash:   m.Amount.Hash,
		known:  m.Known,
		place:  m.Source,
		call:   m.Sent,
		joined: parts,
	}
	if sure, known := b.adds(parts); known && !sure { // the memory was filled again
		return nil
	}
	for _, x := range own {
		t.write(m.From, x.place, x.bytes, x, 0)
	}
	t.owned, t.complex = append(t.owned, own...), true
	return b
}

// again is a block that lies where the message is sent from, unless the memory was filled again.
func (t *blocks) again(m *Message, b *block) *block {
	switch {
	case m.Known && b.known && b.hash != m.Amount.Hash, !m.Known && t.has[m.To][b]:
		return nil
	case m.Known && !b.known:
		b.hash, b.known = m.Amount.Hash, true
	}
	t.complex = t.complex || b.parent != nil
	b.implied = false
	return b
}

// part is what a block has in a range: itself, blocks that it was put together from, or a new part of it. There is none
// if that overlaps with another part.
func (b *block) part(from, n int64) (list []*block) {
	if from == 0 && n == b.bytes {
		return []*block{b}
	}
	at := int64(0)
	for _, x := range b.joined {
		if lo, hi := max(from, at), min(from+n, at+x.bytes); lo < hi {
			more := x.part(lo-at, hi-lo)
			if more == nil {
				return nil
			}
			list = append(list, more...)
		}
		at += x.bytes
	}
	if list != nil {
		return list
	}
	for _, c := range b.cuts {
		if c.from <= from && from+n <= c.from+c.of.bytes {
			return c.of.part(from-c.from, n)
		}
		if c.from < from+n && from < c.from+c.of.bytes {
			return nil
		}
	}
	x := &block{origin: b.origin, bytes: n, parent: b, implied: true}
	b.cuts = append(b.cuts, cut{from, x})
	return []*block{x}
}

// adds tells whether parts make up a block, if all hashes are known.
func (b *block) adds(parts []*block) (sure, known bool) {
	h := uint64(0)
	for _, p := range parts {
		if !p.known {
			return false, false
		}
		h = fingerprint.Join(h, p.hash, uint64(p.bytes))
	}
	return h == b.hash, b.known
}

// put is the block if the message is made of two that its sender has, wherever they lay.
func (t *blocks) put(m *Message) *block {
	if !m.Known {
		return nil
	}
	for _, x := range t.recent[m.From] {
		for _, y := range t.mine(m.From) {
			if x.bytes+y.bytes != m.Bytes || !x.known || !y.known || x == y {
				continue
			}
			b := &block{origin: m.From, bytes: m.Bytes, hash: m.Amount.Hash, known: true, place: m.Source, call: m.Sent}
			for _, parts := range [][]*block{{x, y}, {y, x}} {
				if sure, _ := b.adds(parts); sure {
					b.joined = parts
					t.complex = true
					t.write(m.From, m.Source, m.Bytes, b, 0)
					return b
				}
			}
		}
	}
	return nil
}

// mine are blocks that a process may put others to.
func (t *blocks) mine(p int32) []*block {
	list := slices.Clone(t.recent[p])
	for i := len(t.owned) - 1; i >= 0 && i > len(t.owned)-64; i-- {
		if t.owned[i].origin == p {
			return append(list, t.owned[i])
		}
	}
	return list
}

// claim notes what the rest of received blocks, and of such rests, would be if the block, which their receiver sends,
// were a part of them.
func (t *blocks) claim(p int32, b *block) {
	if t.claiming++; !b.known || t.claiming > mostClaims {
		return
	}
	open := t.open[p]
	for _, c := range slices.Clone(open[max(0, len(open)-mostRecent):]) {
		t.claimOn(p, c.rest, b, c)
	}
	for _, whole := range t.recent[p] {
		if len(whole.cuts) == 0 && len(whole.joined) == 0 {
			t.claimOn(p, whole, b, nil)
		}
	}
	if n := len(t.open[p]); n > mostOpen {
		for _, c := range t.open[p][:n-mostOpen] {
			if key := c.rest.key(); t.claims[key] == c {
				delete(t.claims, key)
			}
		}
		t.open[p] = slices.Clone(t.open[p][n-mostOpen:])
	}
}

func (b *block) key() content { return content{hash: b.hash, bytes: b.bytes} }

func (t *blocks) claimOn(p int32, whole, b *block, depends *claim) {
	n := whole.bytes - b.bytes
	if !whole.known || n <= 0 {
		return
	}
	for _, c := range []*claim{
		{whole: whole, other: b, otherAt: n, depends: depends,
			rest: &block{bytes: n, known: true, hash: fingerprint.Before(whole.hash, b.hash, uint64(b.bytes))}},
		{whole: whole, other: b, from: b.bytes, depends: depends,
			rest: &block{bytes: n, known: true, hash: fingerprint.After(whole.hash, b.hash, uint64(n))}},
	} {
		t.claims[c.rest.key()] = c
		t.open[p] = append(t.open[p], c)
	}
}

// confirm takes a claim for true: the rest was sent.
func (t *blocks) confirm(c *claim) {
	if len(c.whole.cuts) > 0 || len(c.whole.joined) > 0 || c.other.parent != nil {
		return
	}
	if c.depends != nil {
		t.confirm(c.depends)
	}
	c.rest.parent, c.other.parent = c.whole, c.whole
	c.whole.cuts = []cut{{c.from, c.rest}, {c.otherAt, c.other}}
	t.complex = true
}

// write notes that memory holds a block, from an offset in it on.
func (t *blocks) write(p int32, at Place, n int64, b *block, offset int64) {
	if !t.places || at.Segment == 0 || n == 0 {
		return
	}
	k := memorySegment{p, at.Segment}
	old := t.spans[k]
	if len(old) > mostSpans {
		old = nil
	}
	from, to := at.Offset, at.Offset+n
	var out []span
	for _, s := range old {
		if s.from < from {
			out = append(out, span{s.from, min(s.to, from), s.of, s.at})
		}
		if s.to > to {
			start := max(s.from, to)
			out = append(out, span{start, s.to, s.of, s.at + start - s.from})
		}
	}
	t.spans[k] = append(out, span{from, to, b, offset})
}
