package symbol

import (
	"fmt"
	"math/bits"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// The cache knows repeated calls by their raw words: in the steady state of a
// program a call costs one comparison with the call that followed the one before last time.

// maxEntries bounds the cache; a program with more different calls than this
// starts it anew.
const maxEntries = 1 << 17

// maxWords bounds the words that its entries hold: one call may have many.
const maxWords = 8 << 20

const noSig = ^uint32(0)

// entry is a call that was seen before. What the direct way needs comes first:
// a long loop walks over more entries than a cache holds.
type entry struct {
	head [3]uint64 // function and flags, site, absent mask
	body []uint64
	next *entry // what followed last time
	gen  uint32
	sig  uint32

	// regular: what follows the body in a record are the words of columns: one each, three for a
	// status. direct: besides, the body can be compared with the record.
	regular, direct bool
	widths          []uint8
	after           int // their sum

	hash   uint64
	fam    int                    // of sig
	pool   int32                  // creates: the pool of its requests
	inCol  bool                   // creates: the request's number is in a column
	idle   uint32                 // signature of the unsuccessful poll
	places []uint32               // creates: signature by place in the pool
	others map[threadPlace]uint32 // the same of other threads than the first one
	uses   []handleUse            // what the handles in body meant
	slots  []int                  // return slots in columns
	inCols []int                  // entry slots in columns
	idCols []int                  // entry slots in columns of idle
}

type handleUse struct {
	at    int
	class spec.Class
	code  int64
}

type cache struct {
	byHash map[uint64]*entry
	words  int // of the entries made since it was empty

	// Entries and their words lie in memory in the order of their making, which is
	// mostly the order of their use.
	slab  []entry
	arena []uint64
}

func (c *call) head() [3]uint64 {
	return [3]uint64{uint64(c.plan.f.ID) | uint64(c.flags)<<16, c.site, uint64(c.absent)}
}

// words identify the call: its entry part, with codes in place of requests.
func (c *call) words() []uint64 {
	if c.plan.route == uses || c.blanks() {
		return c.key
	}
	return c.body
}

const (
	mul1 = 0x9e3779b97f4a7c15
	mul2 = 0xc2b2ae3d27d4eb4f
)

func hashWords(head [3]uint64, body []uint64) uint64 {
	a, b := head[0]*mul1, head[1]^head[2]<<7
	for len(body) >= 2 {
		a = (a ^ body[0]) * mul1
		b = (b ^ body[1]) * mul2
		a ^= a >> 29
		b ^= b >> 31
		body = body[2:]
	}
	if len(body) == 1 {
		a = (a ^ body[0]) * mul1
	}
	a ^= b * mul1
	return a ^ a>>32
}

func (e *entry) is(head [3]uint64, body []uint64) bool {
	if e.head != head || len(e.body) != len(body) {
		return false
	}
	for i, w := range e.body {
		if w != body[i] {
			return false
		}
	}
	return true
}

// find gives the entry of a call, nil if it is new or its handles mean
// something else now.
func (k *cache) find(p *Process, t *thread, c *call) *entry {
	if c.blanks() {
		c.blankColumns()
	}
	head, body := c.head(), c.words()
	e := (*entry)(nil)
	if t.last != nil {
		e = t.last.next
	}
	if e == nil || !e.is(head, body) {
		c.hash = hashWords(head, body)
		if e = k.byHash[c.hash]; e == nil || !e.is(head, body) {
			return nil
		}
		if t.last != nil {
			t.last.next = e
		}
	}
	if e.gen != p.gen {
		if !p.same(e) {
			c.hash = hashWords(head, body)
			return nil
		}
	}
	t.last = e
	return e
}

// same reports whether the handles of an entry still mean what they meant.
func (p *Process) same(e *entry) bool {
	for _, u := range e.uses {
		if p.lookup(u.class, e.body[u.at]) != u.code {
			return false
		}
	}
	e.gen = p.gen
	return true
}

// blanks reports whether values that go to columns are to be taken out of the key.
func (c *call) blanks() bool { return c.plan.entryColumns || c.demoted != 0 }

// inColumns reports whether the value of entry slot i goes to a column. What is absent,
// or a sentinel, does not.
func (c *call) inColumns(i int, r ring.Raw) bool {
	return (c.plan.f.Slots[i].Column || c.demoted>>uint(i)&1 != 0) && r.Kind != ring.ASentinel
}

// blankColumns takes values that go to columns out of the key.
func (c *call) blankColumns() {
	from := c.body
	if c.plan.route == uses {
		from = c.key
	}
	c.blank = c.blank[:0]
	if c.plan.whole(c.absent) && !c.plan.entryColumns { // all slots have one word
		c.blank = append(c.blank, from...)
		for left := c.demoted & (1<<uint(c.plan.f.NumIn) - 1); left != 0; left &= left - 1 {
			c.blank[c.plan.inAt[bits.TrailingZeros64(left)]] = 0
		}
		c.key, c.blank = c.blank, c.key
		return
	}
	rest, at := c.body, 0
	for i := range c.plan.f.Slots[:c.plan.f.NumIn] {
		s := &c.plan.f.Slots[i]
		if c.absent>>uint(s.Param)&1 != 0 {
			continue
		}
		r, next, err := ring.Take(s, rest)
		if err != nil {
			return
		}
		n := len(rest) - len(next)
		if c.inColumns(i, r) {
			c.blank = append(c.blank, uint64(r.Kind))
		} else {
			c.blank = append(c.blank, from[at:at+n]...)
		}
		at += n
		rest = next
	}
	c.key, c.blank = c.blank, c.key
}

// insert remembers a call whose signature has been worked out.
func (k *cache) insert(
	p *Process, t *thread, c *call, s *archive.Signature, sig uint32, fam int, idle bool, place int,
) {
	if k.byHash == nil || len(k.byHash) >= maxEntries || k.words >= maxWords {
		k.byHash, k.words = map[uint64]*entry{}, 0
		for _, th := range p.threads {
			th.last = nil
		}
	}
	head, body := c.head(), c.words()
	e := c.ent
	if e == nil {
		e = k.make()
		*e = entry{head: head, body: k.keep(body), hash: c.hash, sig: noSig, idle: noSig, pool: -1}
		k.byHash[c.hash] = e
		e.uses = handleUses(c)
		k.words += len(e.body) + 3*len(e.uses)
	}
	e.gen = p.gen
	f := c.plan.f
	if idle {
		e.idle = sig
		e.idCols = e.idCols[:0]
		for i := range f.NumIn {
			if s.Slots[i].Kind == archive.Hole {
				e.idCols = append(e.idCols, i)
			}
		}
	} else {
		e.sig, e.fam = sig, fam
		e.slots, e.inCols = e.slots[:0], e.inCols[:0]
		for i := range s.Slots {
			if s.Slots[i].Kind == archive.Hole {
				if i < f.NumIn {
					e.inCols = append(e.inCols, i)
				} else {
					e.slots = append(e.slots, i)
				}
			}
		}
	}
	if place >= 0 {
		e.pool = p.reqs.pool(p.shape(c))
		e.inCol = s.Slots[c.plan.created].Kind == archive.Hole
		e.setPlace(c.thread, place, sig)
	}
	e.makeDirect(c)
	if t.last != nil {
		t.last.next = e
	}
	t.last = e
}

// makeDirect finds out whether the entry can take the shortest way.
func (e *entry) makeDirect(c *call) {
	pl := c.plan
	e.regular = pl.route == plain && pl.flag < 0 && !pl.entryColumns && c.flags&^(ring.FIgnored|ring.FStack) == 0
	defer func() { e.direct = e.regular && c.demoted == 0 }()
	e.widths, e.after = e.widths[:0], 0
	next, gone := 0, c.gone()
	for i := pl.f.NumIn; i < len(pl.f.Slots); i++ {
		s := &pl.f.Slots[i]
		if (s.Param >= 0 && gone>>uint(s.Param)&1 != 0) || !ring.HasReturn(pl.f, s, 0) {
			continue
		}
		if next == len(e.slots) || e.slots[next] != i || s.Array || s.Codec == spec.String {
			e.regular = false
			return
		}
		next++
		w := uint8(1)
		if s.Codec == spec.Status {
			w = 3
		}
		e.widths = append(e.widths, w)
		e.after += int(w)
	}
}

// direct takes in a complete record if it repeats what followed the call before
// last time. It is what Record does, for the common case, without the
// state of a call in progress; it reports false if the case is not that common.
func (p *Process) direct(th int, t *thread, rec ring.Record, sink Sink) bool {
	if t.last == nil || t.n > 0 {
		return false
	}
	e := t.last.next
	if e == nil || !e.direct || e.gen != p.gen {
		return false
	}
	n := ring.HeadWords + len(e.body)
	if len(rec) != n+e.after || uint64(uint32(rec[0])) != e.head[0] || rec[3] != e.head[1] || rec[4] != e.head[2] {
		return false
	}
	for i, w := range rec[ring.HeadWords:n] {
		if e.body[i] != w {
			return false
		}
	}
	t.last = e
	p.cols = p.cols[:0]
	p.repeated(th, e.sig, e.widths, rec, rec[n:], sink)
	return true
}

// repeated passes a call on whose signature is known, given the words of its columns known on
// return; the values of those known on entry are in p.cols.
func (p *Process) repeated(th int, sig uint32, widths []uint8, rec ring.Record, w []uint64, sink Sink) {
	for _, k := range widths {
		if k == 1 {
			p.cols = append(p.cols, int64(w[0]))
		} else {
			p.cols = appendStatus(p.cols, w)
		}
		w = w[k:]
	}
	// Field by field: a literal is put together elsewhere, and copying it waits for its parts.
	ev := &p.ev
	ev.Sig, ev.Poll, ev.Cols = sig, false, p.cols
	ev.Start = rec.Start()
	ev.End = max(rec.End(), ev.Start)
	sink.Event(th, ev)
}

// make gives room for an entry.
func (k *cache) make() *entry {
	if len(k.slab) == cap(k.slab) {
		k.slab = make([]entry, 0, min(256, max(8, 2*cap(k.slab)))) // most ranks make few different calls
	}
	k.slab = append(k.slab, entry{})
	return &k.slab[len(k.slab)-1]
}

// keep gives a copy of an entry's words.
func (k *cache) keep(words []uint64) []uint64 {
	if cap(k.arena)-len(k.arena) < len(words) {
		k.arena = make([]uint64, 0, max(min(4096, max(128, 2*cap(k.arena))), len(words)))
	}
	n := len(k.arena)
	k.arena = append(k.arena, words...)
	return k.arena[n:len(k.arena):len(k.arena)]
}

// threadPlace is a place in the pool of a thread.
type threadPlace struct {
	thread int32
	place  int
}

func (e *entry) setPlace(thread int32, place int, sig uint32) {
	if thread > 0 {
		if e.others == nil {
			e.others = map[threadPlace]uint32{}
		}
		e.others[threadPlace{thread, place}] = sig
		return
	}
	for len(e.places) <= place {
		e.places = append(e.places, noSig)
	}
	e.places[place] = sig
}

// atPlace is the signature of a place in the pool of a thread; noSig if it is not known.
func (e *entry) atPlace(thread int32, place int) uint32 {
	if thread > 0 {
		if sig, ok := e.others[threadPlace{thread, place}]; ok {
			return sig
		}
		return noSig
	}
	if place >= len(e.places) {
		return noSig
	}
	return e.places[place]
}

// handleUses lists the handles in a call's words and what they mean. Those that go to columns are
// looked up in every call.
func handleUses(c *call) []handleUse {
	var us []handleUse
	rest, at := c.body, 0
	for i := range c.plan.f.Slots[:c.plan.f.NumIn] {
		s := &c.plan.f.Slots[i]
		if c.absent>>uint(s.Param)&1 != 0 {
			continue
		}
		r, next, err := ring.Take(s, rest)
		if err != nil {
			return us
		}
		n := len(rest) - len(next)
		rest = next
		if c.blanks() && c.inColumns(i, r) {
			at++
			continue
		}
		first := at + n - len(r.Data)
		at += n
		if s.Codec != spec.Handle || s.Class == spec.Request {
			continue
		}
		v := &c.entries[i]
		if !s.Array {
			us = append(us, handleUse{first, s.Class, v.N})
			continue
		}
		for k := range v.List {
			us = append(us, handleUse{first + k, s.Class, v.List[k].N})
		}
	}
	return us
}

// repeat takes in the return of a call that the cache knows. It reports false
// if the outcome is new.
func (p *Process) repeat(c *call, returned []uint64) bool {
	e, pl := c.ent, c.plan
	switch {
	case pl.route == creates:
		return p.repeatCreation(c, returned)
	case pl.route == uses || pl.flag >= 0:
		return p.repeatUse(c, returned)
	}
	if e.sig == noSig || !p.columns(c, returned) {
		return false
	}
	p.ev.Sig = e.sig
	return true
}

func (p *Process) repeatCreation(c *call, returned []uint64) bool {
	e := c.ent
	if e.pool < 0 || len(returned) != 1 {
		return false
	}
	raw := returned[0]
	if p.nullRequest(raw) {
		return false
	}
	place, num := p.reqs.add(raw, p.reqs.poolOf(e.pool, c.thread), c.plan.persistent, p.isWild(c))
	p.entryColumns(c, e.inCols)
	if e.inCol {
		p.cols = append(p.cols, archive.DynamicRef(num))
		p.ev.Sig = e.sig
		return true
	}
	sig := e.atPlace(c.thread, place)
	if sig == noSig {
		s := p.sigs[e.sig].Clone()
		s.Slots[c.plan.created].N = archive.DynamicRef(num)
		sig = p.intern(e.fam, s)
		e.setPlace(c.thread, place, sig)
	}
	p.ev.Sig = sig
	return true
}

// repeatUse is for calls with requests and for polls.
func (p *Process) repeatUse(c *call, returned []uint64) bool {
	e, f := c.ent, c.plan.f
	if p.decodeReturn(c, 0, returned) != nil {
		return false
	}
	raws := p.raws
	if c.plan.flag >= 0 && isZero(raws[c.plan.flag]) {
		if e.idle == noSig {
			return false
		}
		p.entryColumns(c, e.idCols)
		p.ev.Sig, p.ev.Poll = e.idle, true
		return true
	}
	if e.sig == noSig {
		return false
	}
	p.entryColumns(c, e.inCols)
	for _, i := range e.slots {
		if !raws[i].Present || raws[i].Kind == ring.ASentinel {
			p.cols = p.cols[:0]
			return false
		}
		p.appendReturned(c, &f.Slots[i], raws[i])
	}
	p.complete(c, 0, raws)
	p.ev.Sig = e.sig
	return true
}

// columns appends the column values of a plain call.
func (p *Process) columns(c *call, returned []uint64) bool {
	f := c.plan.f
	if len(f.Slots) == f.NumIn || len(returned) == 0 {
		p.entryColumns(c, c.ent.inCols)
		return len(returned) == 0 && len(c.ent.slots) == 0
	}
	p.entryColumns(c, c.ent.inCols)
	next, gone := 0, c.gone()
	for i := f.NumIn; i < len(f.Slots); i++ {
		s := &f.Slots[i]
		if (s.Param >= 0 && gone>>uint(s.Param)&1 != 0) || !ring.HasReturn(f, s, 0) {
			continue
		}
		r, rest, err := ring.Take(s, returned)
		if err != nil {
			return false
		}
		returned = rest
		if next < len(c.ent.slots) && c.ent.slots[next] == i {
			if r.Kind == ring.ASentinel {
				return false
			}
			p.appendCols(s, r)
			next++
		} else {
			return false // part of the signature
		}
	}
	return len(returned) == 0
}

// entryColumns appends the values known on entry that go to columns.
func (p *Process) entryColumns(c *call, slots []int) {
	if len(slots) == 0 {
		return
	}
	if c.plan.whole(c.absent) {
		for _, i := range slots {
			at := c.plan.inAt[i]
			p.appendEntry(c, i, ring.Raw{Present: true, Data: c.body[at : at+int(c.plan.inWidth[i])]})
		}
		return
	}
	raws, _, err := ring.DecodeEntry(c.raws[:0], c.plan.f, c.absent, c.body)
	if err != nil {
		panic(fmt.Sprintf("internal error: entry decoded before: %v", err))
	}
	c.raws = raws
	for _, i := range slots {
		p.appendEntry(c, i, raws[i])
	}
}
