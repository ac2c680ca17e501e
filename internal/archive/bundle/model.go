package bundle

import (
	"github.com/tabard-hpc/tabard/internal/codec/entropy/arith"
	"github.com/tabard-hpc/tabard/spec"
)

// Guesses of a number, by what they come from.
const (
	guessRecent = iota // the number of its role before it in the stream
	guessKnown         // what the call says about the message before, or said when it was posted
	guessPeer          // the other end of the message
	guessPair          // what followed the two before it in its column
	guessFor           // what it was at the last message with this peer
	guessNext          // of its role, what followed the two different ones before it, in any stream
	guessSame          // what it was before; in numbers without a role, that plus the last difference
	guessTriple        // what followed the three numbers of its role before it
	guessStride        // the number of its role before it, plus what that differed by with this peer

	// Of the model Vectors only.
	guessOther   // what another process said in the same collective call
	guessTwin    // the same element of another array of the call
	guessSum     // displacements: the one before plus its count; the last count: what is left of the last total
	guessPad     // displacements: guessSum, plus what that was wrong by before
	guessAligned // displacements: guessSum, rounded up to what has divided all of them
	numGuesses
)

// guess is a value that a number may have.
type guess struct {
	v  int64
	ok bool
}

// context is what is known of the numbers of a parameter at a call site.
type context struct {
	id      uint64
	bits    float64 // that they took, if that is counted
	numbers arith.Number
	// right has the probability that a guess is right. It depends on where the guess comes from,
	// its last two results in the stream, how many others say the same, the kind of the message,
	// and for which of the last two numbers of the stream no guess was right.
	right [numGuesses][4][4][3][4]arith.Prob
	scale [numGuesses]sizeScale
}

type contextID struct {
	fn          spec.ID
	site        uint32
	slot, field int
}

// sizeScale is the factor between sizes in bytes and in elements of a type, as last seen twice.
type sizeScale struct{ mul, div, nextMul, nextDiv int64 }

func (s *sizeScale) of(v int64) guess {
	if s.mul == 0 {
		return guess{v, true}
	}
	if v %= 1 << 40; v*s.mul%s.div != 0 {
		return guess{}
	}
	return guess{v * s.mul / s.div, true}
}

// learn is told that v stood for x.
func (s *sizeScale) learn(v, x int64) {
	mul, div := int64(1), int64(1)
	switch {
	case v <= 0 || x <= 0:
		return
	case x%v == 0 && x/v < 1<<20:
		mul = x / v
	case v%x == 0:
		div = v / x
	default:
		return
	}
	if s.nextMul == mul && s.nextDiv == div {
		s.mul, s.div = mul, div
	}
	s.nextMul, s.nextDiv = mul, div
}

// Coder codes a bundle, one stream after the other, and holds what it has learned from them.
type Coder struct {
	c        *arith.Coder
	contexts map[contextID]*context
	table    []entry // 2^n of them
	shift    uint    // 64 - n
	puts     int     // since it grew
	work     int     // numbers that may still be looked at
	left     int     // and coded
	costs    bool    // bits are counted
	streams  uint64  // so far
	model    Model
	meetings map[meetingID]*meeting
	met      int // numbers in them, and what it takes to keep them
	mail
}

// entry is what followed some numbers, by their hash. Numbers whose entry is the same one replace
// each other.
type entry struct {
	hash uint64
	v    int64
}

func newCoder(c *arith.Coder, model Model) *Coder {
	return &Coder{c: c, model: model, meetings: map[meetingID]*meeting{}, contexts: map[contextID]*context{},
		table: make([]entry, 1<<minTable),
		shift: 64 - minTable, work: MaxWork, left: MaxValues, mail: newMail()}
}

// context is that of a parameter. Once there are many, call sites share them.
func (m *Coder) context(id contextID) *context {
	if len(m.contexts) >= maxContexts {
		id.site = 0
	}
	k := m.contexts[id]
	if k == nil {
		k = &context{id: uint64(len(m.contexts))}
		m.contexts[id] = k
	}
	return k
}

// hashOf mixes numbers; none is the hash of 0, so that free entries match nothing.
func hashOf(xs ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, x := range xs {
		h = (h ^ x) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h | 1
}

func (m *Coder) find(h uint64) guess {
	e := &m.table[h>>m.shift]
	return guess{e.v, e.hash == h}
}

func (m *Coder) put(h uint64, v int64) {
	if m.puts++; m.puts > len(m.table)/2 && m.shift > 64-maxTable {
		m.puts = 0
		m.shift--
		table := make([]entry, 2*len(m.table))
		for _, e := range m.table {
			if e.hash != 0 {
				table[e.hash>>m.shift] = e
			}
		}
		m.table = table
	}
	m.table[h>>m.shift] = entry{h, v}
}

// choice is a value that a number may have, with the probability of the guess that says so.
type choice struct {
	v      int64
	p      *arith.Prob
	likely uint32 // p.P()
	guess  uint8
}

// number codes x with some guesses. kind is that of the message; past holds the last two results of
// each guess, and wrong for which of the last two numbers none was right.
func (m *Coder) number(
	k *context, kind int, g *[numGuesses]guess, past *[numGuesses]uint8, wrong *uint8, x int64,
) int64 {
	if m.costs {
		m.c.Cost = &k.bits
	}
	// The guesses that there are, and with how many others each agrees.
	var made, agree [numGuesses]uint8
	n := 0
	for i := range g {
		if !g[i].ok {
			continue
		}
		for j, k := range made[:n] {
			if g[k].v == g[i].v {
				agree[j]++
				agree[n]++
			}
		}
		made[n] = uint8(i)
		n++
	}
	// Different ones, the likeliest first, each with the guess that says it with the greatest probability.
	var order [numGuesses]choice
	different := 0
	for j, i := range made[:n] {
		p := &k.right[i][past[i]][min(agree[j], 3)][kind][*wrong]
		c := choice{p: p, likely: p.P(), guess: i, v: g[i].v}
		at := different
		if agree[j] > 0 {
			for at = 0; at < different && order[at].v != c.v; at++ {
			}
		}
		switch {
		case at == different:
			order[at] = c
			different++
		case c.likely > order[at].likely:
			order[at] = c
		}
	}
	for i := 1; i < different; i++ {
		for j := i; j > 0 && order[j].likely > order[j-1].likely; j-- {
			order[j], order[j-1] = order[j-1], order[j]
		}
	}
	var skipped [numGuesses]*arith.Prob
	found := false
	for _, c := range order[:different] {
		bit := 0
		if c.v == x {
			bit = 1
		}
		if p := uint64(c.likely); p < 1<<15 && p<<30 < 3*k.numbers.P(c.v)/2 {
			skipped[c.guess] = c.p
			continue // to say the number costs no more
		}
		if m.c.Bit(c.p, bit) != 0 {
			x, found = c.v, true
			break
		}
	}
	*wrong = *wrong << 1 & 3
	if !found {
		*wrong |= 1
		x = m.c.Number(&k.numbers, x)
	}
	for _, i := range made[:n] {
		right := 0
		if g[i].v == x {
			right = 1
		}
		past[i] = past[i]<<1&3 | uint8(right)
		if skipped[i] != nil {
			skipped[i].Learn(right)
		}
	}
	return x
}

// message is what is known of a message.
type message struct {
	has  [numRoles]bool
	v    [numRoles]int64
	kind int // 0 unknown, 1 sent, 2 received
	// posted messages: whether they were counted then, and the other end's.
	counted bool
	other   *mailItem
}

func (x *message) set(r role, v int64) { x.has[r], x.v[r] = true, v }

// mail is the messages of which one end is known and the other not yet.
type mail struct {
	boxes map[mailKey]*mailBox
	key   mailKey                // of the box that was asked for last
	box   *mailBox               // which is nil if there is none
	to    map[mailEnd][]*mailBox // by the process that is still to be known
	kept  int
}

type mailKey struct {
	world    int
	comm     int64
	from, to int64
}

type mailEnd struct {
	world  int
	comm   int64
	rank   int64
	sender bool
}

// mailBox is the messages from one process to another, in the order in which one end counted them:
// the sender if sent is set.
type mailBox struct {
	sent  bool
	items []mailItem
	peer  int64 // the process that counted them
	// listed tells whether it is in mail.to, by who counts: the receiver, the sender.
	listed [2]bool
}

type mailItem struct {
	tag, size int64
	at        uint64 // when, in its stream
}

func newMail() mail {
	return mail{boxes: map[mailKey]*mailBox{}, to: map[mailEnd][]*mailBox{}}
}

// maxMailSearch is how many messages, or processes, are looked through.
const maxMailSearch = 32

// waiting is the message at the other end, of those that this end has not counted: the first, if
// possible one with the tag of x.
func (m *mail) waiting(world int, rank int64, sends bool, x *message) *mailItem {
	if !x.has[rolePeer] {
		return nil
	}
	b := m.boxOf(mailKeyOf(world, rank, sends, x))
	if b == nil || b.sent == sends || len(b.items) == 0 {
		return nil
	}
	return &b.items[b.search(x)]
}

// boxOf is a box, nil if there is none. It is asked for several times in a row.
func (m *mail) boxOf(k mailKey) *mailBox {
	if k != m.key {
		m.key, m.box = k, m.boxes[k]
	}
	return m.box
}

func (b *mailBox) search(x *message) int {
	if x.has[roleTag] {
		for i := range b.items[:min(len(b.items), maxMailSearch)] {
			if b.items[i].tag == x.v[roleTag] {
				return i
			}
		}
	}
	return 0
}

func mailKeyOf(world int, rank int64, sends bool, x *message) mailKey {
	k := mailKey{world, x.v[roleComm], x.v[rolePeer], rank}
	if sends {
		k.from, k.to = k.to, k.from
	}
	return k
}

// count counts a message at one end, and returns the other end's if that was counted before.
func (m *mail) count(world int, rank int64, sends bool, x *message, at uint64) *mailItem {
	if rank < 0 || !x.has[rolePeer] || x.v[rolePeer] < 0 {
		return nil
	}
	k := mailKeyOf(world, rank, sends, x)
	b := m.boxOf(k)
	if b == nil {
		if len(m.boxes) >= maxBoxes {
			return nil
		}
		b = &mailBox{sent: sends, peer: rank}
		m.boxes[k], m.box = b, b
	}
	if len(b.items) > 0 && b.sent != sends {
		i := b.search(x)
		found := b.items[i]
		copy(b.items[1:i+1], b.items[:i])
		b.items = b.items[1:]
		return &found
	}
	if len(b.items) == 0 {
		b.sent, b.peer = sends, rank
		side := 0
		if sends {
			side = 1
		}
		if !b.listed[side] {
			b.listed[side] = true
			end := mailEnd{world, k.comm, x.v[rolePeer], !sends}
			m.to[end] = append(m.to[end], b)
		}
	}
	if m.kept++; m.kept <= maxMail {
		b.items = append(b.items, mailItem{x.v[roleTag], x.v[roleSize], at})
	}
	return nil
}

// earliest is the process whose message to (or from, if sends) rank comes first, of those that rank
// has not counted.
func (m *mail) earliest(world int, rank int64, sends bool, comm int64) guess {
	g, at := guess{}, uint64(0)
	l := m.to[mailEnd{world, comm, rank, sends}]
	for _, b := range l[:min(len(l), maxMailSearch)] {
		if len(b.items) > 0 && b.sent != sends && (!g.ok || b.items[0].at < at) {
			g, at = guess{b.peer, true}, b.items[0].at
		}
	}
	return g
}
