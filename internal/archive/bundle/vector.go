package bundle

import (
	"slices"

	"github.com/tabard-hpc/tabard/spec"
)

// Bounds of what is kept of collectives.
const (
	maxVector = 1 << 20 // numbers of a slot in a call
	maxMet    = 1 << 21 // numbers in all, and what it takes to keep them
	metCost   = 16      // of a call or an array, in numbers
)

// meetingID tells the collective calls of processes apart: those with the same one belong together.
type meetingID struct {
	comm, nth uint64
	fn        spec.ID
}

// meeting is what the processes said that made a collective call so far.
type meeting struct {
	parts  [2]map[int64][]int64 // by process: what it sends to each, and receives
	shared map[int][]sharedNumber
}

type sharedNumber struct {
	v     int64
	known bool
}

// member is what a stream knows of a communicator: id is the same for all its processes, as far as
// it can be told, and rank that of the process, -1 if unknown.
type member struct {
	id   uint64
	rank int64
}

// vectors is what a walk knows of communicators and of the current call.
type vectors struct {
	comms   map[int64]member
	nth     map[uint64]uint64 // collective calls so far, by communicator
	numbers [][]int64         // by slot
	at      *meeting
	id      meetingID
	me      member
	opened  bool
}

// beginVector prepares for a call.
func (s *walk) beginVector(c *collective) {
	v := &s.vectors
	for len(v.numbers) < len(c.slots) {
		v.numbers = append(v.numbers, nil)
	}
	for i := range c.slots {
		v.numbers[i] = v.numbers[i][:0]
	}
	v.opened = false
}

// noteVector takes a number of a call in.
func (s *walk) noteVector(slot int, v int64) {
	if l := &s.vectors.numbers[slot]; len(*l) < maxVector {
		*l = append(*l, v)
	}
}

// number is element i of a slot of the call, if it is known already. One that is no array holds for
// all elements.
func (v *vectors) number(slot, i int) (int64, bool) {
	if slot < 0 || len(v.numbers[slot]) == 0 {
		return 0, false
	}
	if l := v.numbers[slot]; i < len(l) {
		return l[i], true
	} else if len(l) == 1 {
		return l[0], true
	}
	return 0, false
}

// member is what is known of communicator number n.
func (s *walk) member(n int64) member {
	if m, ok := s.vectors.comms[n]; ok {
		return m
	}
	return member{hashOf(uint64(s.s.World), uint64(n)), s.rank}
}

// open finds the meeting that the call belongs to. It may be nil.
func (s *walk) open(fn spec.ID, c *collective) *meeting {
	v := &s.vectors
	if v.opened {
		return v.at
	}
	v.at = nil
	if n, ok := v.number(c.on, 0); ok {
		v.opened = true
		v.me = s.member(n)
		v.id = meetingID{v.me.id, v.nth[v.me.id], fn}
		v.at = s.m.meetings[v.id]
	}
	return v.at
}

// guessVector makes the guesses for element j of n.
func (s *walk) guessVector(t uint32, k *context, p *history, st *step, j, n int, put func(i int, v int64)) {
	v, x := &s.vectors, st.vector
	if y, ok := v.number(x.twin, j); ok && x.twin >= 0 && st.array {
		put(guessTwin, y)
	}
	if x.kind == vectorDispl {
		s.guessDispl(k, p, st, j, put)
		return
	}
	if m := s.open(s.terminals[t].Func, s.calls[t].collective); m != nil {
		if y, ok := m.other(x, v.me.rank, j, st.array); ok {
			put(guessOther, y)
		}
	}
	if st.array && x.kind == vectorCount && j == n-1 && p.n > 0 {
		rest := p.total
		for _, y := range v.numbers[st.slot] {
			rest -= y
		}
		put(guessSum, rest)
	}
}

// other is what another process said about element j.
func (m *meeting) other(x *vectorSlot, me int64, j int, array bool) (int64, bool) {
	if !x.pairs {
		i := int64(j)
		if x.kind == vectorEqual {
			i = 0
		} else if !array {
			i = me
		}
		if l := m.shared[x.shared]; i >= 0 && i < int64(len(l)) {
			return l[i].v, l[i].known
		}
		return 0, false
	}
	side := 1
	if x.received {
		side = 0
	}
	if l := m.parts[side][int64(j)]; me >= 0 && me < int64(len(l)) {
		return l[me], true
	}
	return 0, false
}

// guessDispl makes the guesses that follow from the counts.
func (s *walk) guessDispl(k *context, p *history, st *step, j int, put func(i int, v int64)) {
	sum := int64(0)
	if j > 0 {
		d, _ := s.vectors.number(st.slot, j-1)
		c, _ := s.vectors.number(st.vector.counts, j-1)
		sum = d + c*s.ratio(k, st, j)
	}
	p.sum, p.aligned = sum, sum
	put(guessSum, sum)
	put(guessPad, sum+p.pad)
	if p.divisor > 1 {
		if r := sum % p.divisor; r > 0 {
			p.aligned += p.divisor - r
		}
		put(guessAligned, p.aligned)
	}
}

// ratioOf is where the table of contexts has the ratio of displacements to counts, or with seen set
// the one last seen: types have one each.
func (s *walk) ratioOf(k *context, st *step, j int, seen bool) uint64 {
	typ, _ := s.vectors.number(st.vector.types, j-1)
	if seen {
		return hashOf(k.id, 7, uint64(typ))
	}
	return hashOf(k.id, 6, uint64(typ))
}

func (s *walk) ratio(k *context, st *step, j int) int64 {
	if g := s.m.find(s.ratioOf(k, st, j, false)); g.ok {
		return g.v
	}
	return 1
}

// learnRatio is told that displacement y was not guessed.
func (s *walk) learnRatio(k *context, st *step, j int, y int64) {
	d, _ := s.vectors.number(st.slot, j-1)
	c, _ := s.vectors.number(st.vector.counts, j-1)
	if c <= 0 || y <= d || (y-d)%c != 0 {
		return
	}
	seen, ratio := s.ratioOf(k, st, j, true), (y-d)/c
	if g := s.m.find(seen); g.ok && g.v == ratio {
		s.m.put(s.ratioOf(k, st, j, false), ratio)
	}
	s.m.put(seen, ratio)
}

// learnVector takes in that element j of n is y.
func (s *walk) learnVector(k *context, p *history, st *step, j, n int, y int64) {
	if st.vector.kind == vectorCount && st.array && j == n-1 {
		p.total = y
		for _, z := range s.vectors.numbers[st.slot] {
			p.total += z
		}
	}
	if st.vector.kind != vectorDispl {
		return
	}
	if y != p.sum {
		if j > 0 && y != p.sum+p.pad && y != p.aligned {
			s.learnRatio(k, st, j, y)
		}
		p.pad = y - p.sum
	}
	if y > 0 {
		a, b := p.divisor, y
		for b != 0 {
			a, b = b, a%b
		}
		p.divisor = a
	}
}

// finishVector keeps what the call said, and what it tells of communicators.
func (s *walk) finishVector(t uint32, c *collective) {
	v := &s.vectors
	n, ok := v.number(c.on, 0)
	if !ok {
		return
	}
	if r, ok := v.number(c.rank, 0); ok {
		s.setMember(n, member{s.member(n).id, r})
	}
	if !c.meets {
		return
	}
	s.open(s.terminals[t].Func, c)
	for _, i := range s.calls[t].said {
		s.keep(i, &c.slots[i])
	}
	if made, ok := v.number(c.made, 0); ok {
		color, _ := v.number(c.color, 0)
		rank := int64(-1)
		if c.keepsRank {
			rank = v.me.rank
		}
		s.setMember(made, member{hashOf(v.me.id, v.id.nth, uint64(color)), rank})
	}
	if len(v.nth) < maxRequests || v.nth[v.me.id] > 0 {
		v.nth[v.me.id]++
	}
}

func (s *walk) setMember(n int64, m member) {
	if _, ok := s.vectors.comms[n]; ok || len(s.vectors.comms) < maxRequests {
		s.vectors.comms[n] = m
	}
}

// keep keeps the numbers of a slot for the other processes.
func (s *walk) keep(slot int, x *vectorSlot) {
	v := &s.vectors
	l := v.numbers[slot]
	if len(l) == 0 || x.kind == vectorDispl || !x.pairs && x.shared < 0 || s.m.met+len(l)+2*metCost > maxMet {
		return
	}
	if v.at == nil {
		v.at = &meeting{shared: map[int][]sharedNumber{}}
		s.m.meetings[v.id] = v.at
		s.m.met += metCost
	}
	switch {
	case !x.pairs:
		s.keepShared(slot, x, l)
	case v.me.rank >= 0:
		side := 0
		if x.received {
			side = 1
		}
		if v.at.parts[side] == nil {
			v.at.parts[side] = map[int64][]int64{}
		}
		if v.at.parts[side][v.me.rank] == nil {
			v.at.parts[side][v.me.rank] = slices.Clone(l)
			s.m.met += metCost + len(l)
		}
	}
}

func (s *walk) keepShared(slot int, x *vectorSlot, l []int64) {
	v := &s.vectors
	first := int64(0)
	if x.kind == vectorCount && !spec.ByID(v.id.fn).Slots[slot].Array {
		if first = v.me.rank; first < 0 || first >= maxVector {
			return
		}
	}
	to := v.at.shared[x.shared]
	if more := int(first) + len(l) - len(to); more > 0 {
		if s.m.met += metCost + 2*more; s.m.met > maxMet {
			return
		}
		to = append(to, make([]sharedNumber, more)...)
		v.at.shared[x.shared] = to
	}
	for i, y := range l {
		if z := &to[int(first)+i]; !z.known {
			*z = sharedNumber{y, true}
		}
	}
}
