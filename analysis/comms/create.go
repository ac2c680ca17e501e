package comms

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// creation describes a communicator that has been worked out and is to be made.
type creation struct {
	calls            []*call       // of the recorded members
	parent, far, met *communicator // its parent; that of the other side; the one that the leaders share
	k                int
	name             string
	lists            [2]*Members
	inter            bool
	color            int64
	colored          bool
	topo             *Topology
	partial, assumed string
	positions        []int // of each call's process, where one may have several; nil if they follow from lists
}

// foldKey is equal for communicators that a loop makes again and again. Object numbers are reused
// after an object is freed, so equal numbers mean that the earlier one was freed.
type foldKey struct {
	f                spec.ID
	site             *archive.Site
	parent, far, met *Comm
	lists            [2]*Members
	color            int64
	topo             string
	refs             *Members // the codes of the objects
}

// create makes the communicator and schedules the creations on it.
func (r *resolver) create(m *creation) *communicator {
	c := r.fold(m)
	u := &communicator{comm: c, lists: m.lists, inter: m.inter}
	at := [2]func(int) int{r.position(m.lists[0]), r.position(m.lists[1])}
	freed := slices.ContainsFunc(m.calls, func(c *call) bool { return c.made != nil })
	for i, call := range m.calls {
		side, pos := 0, at[0](call.p.member)
		if m.positions != nil {
			pos = m.positions[i]
		}
		if pos < 0 {
			if pos = at[1](call.p.member); pos >= 0 {
				side = 1
			}
		}
		switch {
		case pos < 0 && m.partial == "":
			r.surprise(call, c, "is not a member")
		case call.made != nil:
			r.attach(call.made, u, side, pos)
		case call.null():
			r.surprise(call, c, "is a member")
		}
		freed = freed && (call.made == nil || call.made.freed)
	}
	if c.Times++; freed {
		c.Freed++
	}
	r.schedule(u)
	return u
}

// surprise notes a call whose result is not what follows from all calls.
func (r *resolver) surprise(c *call, made *Comm, why string) {
	got := "a communicator"
	if c.made == nil {
		got = mpi.CommNull
	}
	r.note(Contradiction, "%s returned %s at %s, which %s of %s", c.f.Name, got, r.who(c.p), why, made.Name)
}

// expectNull notes calls that returned a communicator although they should not have.
func (r *resolver) expectNull(calls []*call, what string) {
	for _, c := range calls {
		if c.made != nil {
			r.note(Contradiction, "%s returned a communicator at %s, %s", c.f.Name, r.who(c.p), what)
		}
	}
}

// fold finds an equal communicator that stands for this one as well, or makes a new one.
func (r *resolver) fold(m *creation) *Comm {
	first := m.calls[0]
	var refs listBuilder
	for _, c := range m.calls {
		ref := int64(0)
		if c.made != nil {
			ref = c.made.ref
		}
		refs.add(ref)
	}
	key := foldKey{f: first.f.ID, site: first.site, lists: m.lists, color: m.color, refs: r.lists.make(&refs)}
	for i, u := range []*communicator{m.parent, m.far, m.met} {
		if u != nil {
			*[]**Comm{&key.parent, &key.far, &key.met}[i] = u.comm
		}
	}
	if m.topo != nil {
		key.topo = fmt.Sprint(*m.topo)
	}
	c := r.folds[key]
	if c == nil {
		c = r.ancestor(key)
	}
	if c != nil {
		c.Partial, c.Assumed = cmp.Or(c.Partial, m.partial), cmp.Or(c.Assumed, m.assumed)
		return c
	}
	c = &Comm{ID: len(r.out.Comms), Name: m.name, How: first.place.made, Func: first.f.Name,
		Parent: key.parent, Remote: key.far, Peer: key.met, Creation: m.k, Color: m.color, Colored: m.colored,
		Members: m.lists[0], RemoteMembers: m.lists[1], Inter: m.inter, Topology: m.topo, Site: first.site,
		Partial: m.partial, Assumed: m.assumed}
	r.out.Comms = append(r.out.Comms, c)
	r.folds[key], r.keys[c] = c, key
	return c
}

// ancestor handles a loop that replaces a communicator by one made from it (c = dup(c)). It finds
// the communicator that the loop made some iterations before and has freed since, by its object
// numbers.
func (r *resolver) ancestor(key foldKey) *Comm {
	for c, i := key.parent, 0; c != nil && i < 4; c, i = c.Parent, i+1 {
		k, ok := r.keys[c]
		if key.parent = k.parent; ok && k == key {
			return c
		}
	}
	return nil
}

// maxName is the greatest length of a name that others are made from by appending.
const maxName = 160

// name is the name of what is made on u by creation k.
func (n *node) name(how string) string { return fmt.Sprintf("%s/%s%d", n.u.comm.base(), how, n.k) }

// base is what the names of communicators made from c begin with: its name, or
// something short that follows from it.
func (c *Comm) base() string {
	if len(c.Name) <= maxName {
		return c.Name
	}
	h := fnv.New64a()
	h.Write([]byte(c.Name))
	return fmt.Sprintf("...%016x", h.Sum64())
}

// creation is that of all calls of a node, with the groups of its communicator.
func (n *node) creation() *creation {
	first := n.calls[0]
	return &creation{calls: n.calls, parent: n.u, k: n.k, name: n.name(first.place.made), lists: n.u.lists,
		inter: n.u.inter}
}

// work carries out a node. If an instance has to be known first, it returns that.
func (r *resolver) work(n *node) *instance {
	switch n.kind {
	case dup:
		m := n.creation()
		m.partial = n.u.comm.Partial
		m.topo = n.u.comm.Topology // MPI_Comm_dup copies it
		r.create(m)
	case split, splitType:
		r.split(n)
	case create:
		return r.commCreate(n)
	case cart:
		r.cart(n)
	case cartSub:
		r.cartSub(n)
	case graph:
		r.graph(n)
	case distGraph, distGraphAdjacent:
		r.distGraph(n)
	case merge:
		r.merge(n)
	case shrink:
		r.shrink(n)
	case interCreate:
		return r.interCreate(n)
	case createGroup, fromGroup, interFromGroups:
		return r.groupwise(n)
	case accept, connect:
		r.port(n)
	case spawn:
		r.spawns = append(r.spawns, n)
	case join:
		r.joins(n)
	case byID:
		r.byNumber(n)
	}
	return nil
}

// noColor is NCCL_SPLIT_NOCOLOR.
const noColor = -1

// part is one communicator of a split.
type part struct {
	color int64
	calls []*call
	keys  []int64
}

// split makes the communicators of MPI_Comm_split and MPI_Comm_split_type.
func (r *resolver) split(n *node) {
	undefined, _ := r.a.Meta().ABI.Const(mpi.Undefined)
	if n.calls[0].f.Kind != 0 {
		undefined = noColor
	}
	shared, known := r.a.Meta().ABI.Const(mpi.CommTypeShared)
	hosts := map[string]int64{}
	parts := map[int64]*part{}
	var order []*part
	guess := false
	for _, c := range n.calls {
		name := "color"
		if n.kind == splitType {
			name = "split_type"
		}
		color, _ := c.int(name)
		if color == undefined {
			r.expectNull([]*call{c}, "where "+name+" is "+mpi.Undefined)
			continue
		}
		if n.kind == splitType {
			guess = guess || !known || color != shared
			h, ok := hosts[c.p.data.Host]
			if !ok {
				h = int64(len(hosts))
				hosts[c.p.data.Host] = h
			}
			color = h
		}
		p := parts[color]
		if p == nil {
			p = &part{color: color}
			parts[color] = p
			order = append(order, p)
		}
		key, _ := c.int("key")
		p.calls, p.keys = append(p.calls, c), append(p.keys, key)
	}
	absent := r.present(n.u.lists[0])+r.present(n.u.lists[1]) < n.u.lists[0].Len()+n.u.lists[1].Len() ||
		r.silent(n) || n.u.comm.Partial != ""
	for _, p := range order {
		m := n.creation()
		m.calls, m.color, m.colored = p.calls, p.color, n.kind == split
		if m.name = fmt.Sprintf("%s:%d", n.name("split"), p.color); n.kind == splitType {
			m.name = fmt.Sprintf("%s:%s", n.name("split_type"), p.calls[0].p.data.Host)
		}
		r.orderByKey(p, m)
		if m.inter && (m.lists[0].Len() == 0 || m.lists[1] != nil && m.lists[1].Len() == 0) {
			r.expectNull(p.calls, "where the colour occurs on one side only")
			continue
		}
		switch told := sizes(p.calls); {
		case guess && !(told.all && told.equal(m.lists[0].Len())):
			m.partial = "which members of a host are together is not recorded for this type of split"
		case absent && !told.equal(m.lists[0].Len()):
			m.partial = "not all members of " + n.u.comm.Name + " were recorded"
		}
		r.create(m)
	}
}

// silent tells whether a recorded member did not make the call.
func (r *resolver) silent(n *node) bool {
	return len(n.calls) < r.present(n.u.lists[0])+r.present(n.u.lists[1])
}

// orderByKey sets the groups of a part: by key, then by rank in the parent.
func (r *resolver) orderByKey(p *part, m *creation) {
	var sides [2][]int // places in p.calls
	for i, c := range p.calls {
		sides[c.on.side] = append(sides[c.on.side], i)
	}
	for s, places := range sides {
		if s == 1 && m.lists[1] == nil {
			continue
		}
		slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(p.keys[a], p.keys[b]) })
		var l listBuilder
		for _, i := range places {
			l.add(int64(p.calls[i].p.member))
		}
		m.lists[s] = r.lists.make(&l)
	}
}

// told is what the members of a communicator were told of its size.
type told struct {
	sizes []int64 // different ones
	all   bool    // all asked
}

func sizes(calls []*call) told {
	t := told{all: true}
	for _, c := range calls {
		switch {
		case c.made == nil || c.made.size < 0:
			t.all = false
		case !slices.Contains(t.sizes, c.made.size):
			t.sizes = append(t.sizes, c.made.size)
		}
	}
	return t
}

// equal tells whether at least one member was told a size, and all of them the same.
func (t told) equal(n int) bool { return len(t.sizes) == 1 && t.sizes[0] == int64(n) }

// commCreate makes the communicators of MPI_Comm_create: one for each group.
func (r *resolver) commCreate(n *node) *instance {
	for _, c := range n.calls {
		if c.g1 != nil {
			if blocked := r.evaluate(c.g1); blocked != nil {
				return blocked
			}
		}
	}
	type pair [2]*Members
	var order []pair
	of := map[pair][]*call{}
	side := [2]*Members{}
	if n.u.inter { // both sides give a part of their group
		for _, c := range n.calls {
			if l := c.list(); l != nil && (side[c.on.side] == nil || r.position(l)(c.p.member) >= 0) {
				side[c.on.side] = l
			}
		}
	}
	for _, c := range n.calls {
		l := pair{c.list(), nil}
		if n.u.inter {
			l = pair(side)
		}
		if l[0] == nil && l[1] == nil {
			r.note(Unknown, "the group given to %s at %s is not known", c.f.Name, r.who(c.p))
			continue
		}
		own := l[0]
		if n.u.inter {
			own = l[c.on.side]
		}
		if own == nil || r.position(own)(c.p.member) < 0 || n.u.inter && (empty(l[0]) || empty(l[1])) {
			r.expectNull([]*call{c}, "which is not in the group")
			continue
		}
		if of[l] == nil {
			order = append(order, l)
		}
		of[l] = append(of[l], c)
	}
	for i, l := range order {
		m := n.creation()
		m.calls, m.lists = of[l], l
		if n.u.inter && (l[0] == nil || l[1] == nil) {
			m.partial = "the group that the other side gave is not known"
		}
		if m.lists[0] == nil {
			m.lists = [2]*Members{l[1], nil}
		}
		if i > 0 || len(order) > 1 {
			m.name += ":" + r.out.Text(l[0], 4)
		}
		r.create(m)
	}
	return nil
}

// empty tells whether a group is known to have no members.
func empty(m *Members) bool { return m != nil && m.Len() == 0 }

// list is the group given to a call, nil if it is not known.
func (c *call) list() *Members {
	if c.g1 == nil {
		return nil
	}
	return c.g1.list
}

// merge makes the communicator of MPI_Intercomm_merge.
func (r *resolver) merge(n *node) {
	m := n.creation()
	m.inter = false
	a, b := n.u.lists[0], n.u.lists[1]
	var high [2]int // 0 nobody said
	for _, c := range n.calls {
		v, ok := c.int("high")
		if h := 1 + min(max(v, -v), 1); ok && high[c.on.side] == 0 {
			high[c.on.side] = int(h)
		} else if ok && high[c.on.side] != int(h) {
			r.note(Contradiction, "%s of %s: high differs within a group", c.f.Name, n.u.comm.Name)
		}
	}
	if a == nil || b == nil {
		m.partial = "the other side of " + n.u.comm.Name + " is not known"
		if m.lists = [2]*Members{a, nil}; a == nil {
			m.lists[0] = b
		}
		r.create(m)
		return
	}
	second := high[0] > high[1] // the first group comes second
	if high[0] == 0 || high[1] == 0 || high[0] == high[1] {
		second = a.Len() > 0 && b.Len() > 0 && a.At(0) > b.At(0)
		settled := false
		for _, c := range n.calls {
			if c.made == nil || c.made.rank < 0 {
				continue
			}
			// The side that is first has the ranks of its own group.
			own := c.made.rank == int64(c.on.pos)
			if a.Len() == 0 || b.Len() == 0 {
				continue
			}
			second, settled = own == (c.on.side == 1), true
			break
		}
		if !settled {
			m.assumed = "which group comes first is left to the library: taken to be the one of the smaller first rank"
		}
	}
	if second {
		a, b = b, a
	}
	m.lists = [2]*Members{r.lists.append(a, b), nil}
	r.create(m)
}

// shrink makes the communicator of MPIX_Comm_shrink. Its members are the processes that hold it.
func (r *resolver) shrink(n *node) {
	m := n.creation()
	m.calls = slices.DeleteFunc(slices.Clone(n.calls), func(c *call) bool { return c.made == nil })
	if len(m.calls) == 0 {
		return
	}
	var l listBuilder
	for _, c := range m.calls {
		l.add(int64(c.p.member))
	}
	m.lists = [2]*Members{r.lists.make(&l), nil}
	if m.inter {
		m.partial = "the survivors of an intercommunicator's groups are not told apart"
		m.inter = false
	}
	r.create(m)
}
