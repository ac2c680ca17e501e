package comms

import "fmt"

// Communicators of NCCL: each member calls with the number of the communicator, which one of them has drawn,
// its rank and how many there are. A process may have several members: one for each GPU. Those of imported recordings
// are told in the same way, with the name that they had there.

// maxByNumber is how many members a communicator may be said to have.
const maxByNumber = 1 << 24

// byNumber takes in the call of a member.
func (r *resolver) byNumber(n *node) {
	c := n.calls[0]
	id, ok := c.int("commId")
	size, known := c.int("nranks")
	rank := memberRank(c)
	if !ok || !known || size < 1 || size > maxByNumber || rank < 0 || rank >= size {
		r.note(Unknown, "%s at %s: its number, rank or size is not known", c.f.Name, r.who(c.p))
		return
	}
	r.arrive(collectiveKey{kind: byID, tag: id, leadA: int(size)}, int(size), int(rank), n)
}

// memberRank is the rank that a call gives the member, -1 if it is not known.
func memberRank(c *call) int64 {
	for _, name := range []string{"rank", "myrank"} {
		if v, ok := c.int(name); ok {
			return v
		}
	}
	return -1
}

// finishByNumber makes the communicator. Where members are missing that were not recorded, or never called, it is taken
// for one of all ranks if those that are known have the ranks that they would have in it.
func (r *resolver) finishByNumber(m *collectiveCall) {
	ns := m.take() // in the order of ranks
	first, size := ns[0].calls[0], m.key.leadA
	mk := &creation{name: fmt.Sprintf("%s%d", first.f.API, r.numbered)}
	r.numbered++
	if first.f.In("name") >= 0 {
		mk.color = m.key.tag // equal object numbers do not make them equal
		name, ok := first.text("name")
		if of, taken := r.named[name]; ok && name != "" && (!taken || of == m.key.tag) {
			mk.name, r.named[name] = name, m.key.tag // one that was freed and made again has the same name
		}
	}
	var l listBuilder
	world := r.out.worldOf(first.p.member)
	whole := world != nil && world.Size == size
	for i, n := range ns {
		c := n.calls[0]
		rank := int(memberRank(c))
		whole = whole && c.p.member == world.First+rank
		mk.calls, mk.positions = append(mk.calls, c), append(mk.positions, i)
		l.add(int64(c.p.member))
	}
	switch {
	case len(ns) == size:
		mk.lists[0] = r.lists.make(&l)
	case whole:
		mk.lists[0], mk.positions = r.lists.span(world.First, size), nil
	default:
		mk.lists[0], mk.partial = r.lists.make(&l), "not all members were recorded"
	}
	r.create(mk)
}
