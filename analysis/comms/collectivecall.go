package comms

import (
	"cmp"
	"fmt"
	"slices"
)

// collectiveKey is equal for calls that belong to one creation.
type collectiveKey struct {
	kind kind
	on   *communicator // the communicator, or the one that leaders meet on
	// a and b are the groups of a creation that only their members call.
	a, b         *Members
	leadA, leadB int // the leaders of the two sides
	tag          int64
	text         string
}

// collectiveCall collects the calls with one key until all have been made. Each place is a member,
// or a side.
type collectiveCall struct {
	key    collectiveKey
	need   int // places that have to be filled
	places map[int][]*node
	filled int
	sorted bool
}

// arrive adds a node to the collective call with a key.
func (r *resolver) arrive(key collectiveKey, need, place int, n *node) {
	m := r.collectives[key]
	if m == nil {
		m = &collectiveCall{key: key, need: need, places: map[int][]*node{}}
		r.collectives[key] = m
		r.order = append(r.order, m)
	}
	if len(m.places[place]) == 0 {
		m.filled++
	}
	m.places[place] = append(m.places[place], n)
	m.sorted = false
}

// take removes the earliest node of each place.
func (m *collectiveCall) take() []*node {
	if !m.sorted {
		for _, ns := range m.places {
			slices.SortStableFunc(ns, func(a, b *node) int { return cmp.Compare(a.calls[0].seq, b.calls[0].seq) })
		}
		m.sorted = true
	}
	places := make([]int, 0, len(m.places))
	for p := range m.places {
		places = append(places, p)
	}
	slices.Sort(places)
	var ns []*node
	for _, p := range places {
		ns = append(ns, m.places[p][0])
		if m.places[p] = m.places[p][1:]; len(m.places[p]) == 0 {
			delete(m.places, p)
			m.filled--
		}
	}
	return ns
}

// finishCollectives works out the creations that all members have called, or with force all others.
// It reports whether there were any.
func (r *resolver) finishCollectives(force bool) bool {
	some := r.finishWorlds(force)
	order := r.order
	r.order = nil
	for _, m := range order {
		for m.filled > 0 && (force || m.need > 0 && m.filled >= m.need) {
			r.finishCollective(m)
			some = true
		}
		if m.filled > 0 {
			r.order = append(r.order, m)
		} else {
			delete(r.collectives, m.key)
		}
	}
	return some
}

func (r *resolver) finishCollective(m *collectiveCall) {
	switch m.key.kind {
	case interCreate, accept, join:
		r.finishSides(m)
	case byID:
		r.finishByNumber(m)
	default:
		r.finishGroup(m)
	}
}

// groupwise handles creations that the members of a group call, and nobody else.
func (r *resolver) groupwise(n *node) *instance {
	c := n.calls[0]
	key := collectiveKey{kind: n.kind, on: n.u}
	for i, g := range []*group{c.g1, c.g2} {
		if g == nil {
			continue
		}
		if blocked := r.evaluate(g); blocked != nil {
			return blocked
		}
		if g.list == nil {
			r.note(Unknown, "the group given to %s at %s is not known", c.f.Name, r.who(c.p))
			return nil
		}
		*[]**Members{&key.a, &key.b}[i] = g.list
	}
	switch n.kind {
	case createGroup:
		key.tag, _ = c.int("tag")
	default:
		key.text, _ = c.text("stringtag")
	}
	if key.b != nil && key.b.Len() > 0 && (key.a.Len() == 0 || key.a.At(0) > key.b.At(0)) {
		key.a, key.b = key.b, key.a
	}
	if r.position(key.a)(c.p.member) < 0 && r.position(key.b)(c.p.member) < 0 {
		r.expectNull(n.calls, "which is not in the group")
		return nil
	}
	r.arrive(key, r.present(key.a)+r.present(key.b), c.p.member, n)
	return nil
}

// finishGroup makes the communicator of a group.
func (r *resolver) finishGroup(m *collectiveCall) {
	ns := m.take()
	first := ns[0].calls[0]
	mk := &creation{parent: m.key.on, lists: [2]*Members{m.key.a, m.key.b}, inter: m.key.b != nil, color: m.key.tag,
		colored: m.key.kind == createGroup}
	for _, n := range ns {
		mk.calls = append(mk.calls, n.calls[0])
	}
	group := r.out.Text(m.key.a, 4)
	if m.key.b != nil {
		group += "|" + r.out.Text(m.key.b, 4)
	}
	if m.key.on != nil {
		mk.name = fmt.Sprintf("%s/%s:%d(%s)", m.key.on.comm.base(), first.place.made, m.key.tag, group)
	} else {
		mk.name = fmt.Sprintf("%s:%s(%s)", first.place.made, m.key.text, group)
	}
	if mk.k = r.ended[m.key]; mk.k > 0 { // the group has made one before
		mk.name += fmt.Sprintf("#%d", mk.k)
	}
	r.ended[m.key]++
	r.create(mk)
}

// interCreate pairs the leaders of the two sides of MPI_Intercomm_create.
func (r *resolver) interCreate(n *node) *instance {
	lead, ok := n.calls[0].int("local_leader")
	if !ok || lead < 0 || lead >= int64(n.u.lists[0].Len()) {
		r.note(Contradiction, "%s on %s: rank %d is no leader", n.calls[0].f.Name, n.u.comm.Name, lead)
		return nil
	}
	leader := n.u.lists[0].At(int(lead))
	i := slices.IndexFunc(n.calls, func(c *call) bool { return c.p.member == leader })
	if i < 0 {
		r.oneSide(n, fmt.Sprintf("the calls of the leader, rank %d of %s, were not recorded", lead, n.u.comm.Name))
		return nil
	}
	c := n.calls[i]
	if c.peer == nil {
		r.oneSide(n, "the leader gave no peer communicator")
		return nil
	}
	if c.peer.u == nil {
		return c.peer
	}
	group := c.peer.u.lists[0]
	if c.peer.u.inter {
		group = c.peer.u.lists[1-c.peer.side]
	}
	far, _ := c.int("remote_leader")
	if group == nil || far < 0 || far >= int64(group.Len()) {
		r.oneSide(n, "the remote leader is not known")
		return nil
	}
	key := collectiveKey{kind: interCreate, on: c.peer.u, leadA: leader, leadB: group.At(int(far))}
	key.tag, _ = c.int("tag")
	if key.leadA > key.leadB {
		key.leadA, key.leadB = key.leadB, key.leadA
	}
	// The order among calls with one key is that of the leader.
	n.calls[0], n.calls[i] = n.calls[i], n.calls[0]
	r.arrive(key, 2, leader, n)
	return nil
}

// oneSide makes an intercommunicator whose other side is not known.
func (r *resolver) oneSide(n *node, why string) {
	m := n.creation()
	r.byRank(m)
	m.inter, m.lists, m.partial = true, [2]*Members{n.u.lists[0], nil}, why
	if n.kind == join {
		m.parent = nil
	}
	r.create(m)
}

// byRank orders the calls of a creation by global number.
func (r *resolver) byRank(m *creation) {
	m.calls = slices.Clone(m.calls)
	slices.SortStableFunc(m.calls, func(a, b *call) int { return cmp.Compare(a.p.member, b.p.member) })
}

// finishSides makes an intercommunicator of two sides, or of the only one that was recorded.
func (r *resolver) finishSides(m *collectiveCall) {
	ns := m.take()
	switch {
	case len(ns) == 1:
		r.oneSide(ns[0], "the calls of the other side were not recorded")
		return
	case len(ns) > 2: // only joins
		for _, n := range ns {
			r.oneSide(n, "which processes joined which is not recorded")
		}
		return
	}
	a, b := ns[0], ns[1]
	if key(b) < key(a) {
		a, b = b, a
	}
	mk := a.creation()
	mk.far, mk.met, mk.inter = b.u, m.key.on, true
	if m.key.kind == join {
		mk.parent, mk.far = nil, nil
		mk.assumed = "the only two processes that joined are taken to have joined each other"
	}
	mk.lists = [2]*Members{a.u.lists[0], b.u.lists[0]}
	mk.color, mk.colored = m.key.tag, m.key.kind == interCreate
	mk.calls = append(slices.Clone(a.calls), b.calls...)
	mk.name += "~" + b.name(b.calls[0].place.made)
	r.byRank(mk)
	r.create(mk)
}

// key orders the sides of an intercommunicator.
func key(n *node) int {
	if n.u.lists[0].Len() == 0 {
		return -1
	}
	return n.u.lists[0].At(0)
}

// port pairs MPI_Comm_accept and MPI_Comm_connect by the name of the port, which the root knows.
func (r *resolver) port(n *node) {
	i := slices.IndexFunc(n.calls, func(c *call) bool { _, ok := c.text("port_name"); return ok })
	if i < 0 || n.u.inter {
		r.oneSide(n, "the root's call was not recorded")
		return
	}
	root := n.calls[i]
	name, _ := root.text("port_name")
	n.calls[0], n.calls[i] = n.calls[i], n.calls[0]
	// Several clients come in the order in which the server let them in.
	if _, end, ok := root.src.times(root.at); ok {
		root.seq = int(end)
	}
	side := 0
	if n.kind == connect {
		side = 1
	}
	r.arrive(collectiveKey{kind: accept, text: name}, 2, side, n)
}
