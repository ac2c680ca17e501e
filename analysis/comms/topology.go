package comms

import (
	"fmt"
	"math/bits"
	"slices"
)

// product multiplies sizes; -1 if one is negative or the result does not fit.
func product(dims []int64) int64 {
	p := uint64(1)
	for _, d := range dims {
		hi, lo := bits.Mul64(p, uint64(d))
		if d < 0 || hi != 0 || lo > 1<<62 {
			return -1
		}
		p = lo
	}
	return int64(p)
}

// cart makes the communicator of MPI_Cart_create: the first ranks of the parent.
func (r *resolver) cart(n *node) {
	first := n.calls[0]
	t := &Topology{Kind: "cart", Dims: first.ints("dims"), Reorder: reorder(first)}
	for _, p := range first.ints("periods") {
		t.Periods = append(t.Periods, p != 0)
	}
	size := product(t.Dims)
	if size < 0 || size > int64(n.u.lists[0].Len()) || slices.ContainsFunc(n.calls, func(c *call) bool {
		return !slices.Equal(c.ints("dims"), t.Dims)
	}) {
		r.note(Contradiction, "%s on %s: dims %v do not fit at all members", first.f.Name, n.u.comm.Name, t.Dims)
		return
	}
	r.first(n, int(size), t, func(in *instance) int64 {
		if in.rank >= 0 || len(in.coords) != len(t.Dims) {
			return in.rank
		}
		rank := int64(0)
		for i, c := range in.coords {
			rank = rank*t.Dims[i] + c
		}
		return rank
	})
}

func reorder(c *call) bool {
	v, _ := c.int("reorder")
	return v != 0
}

// first makes a communicator of the first ranks of its parent, which the
// library may have put into another order. ask gives the rank that a member was told, -1 if none.
func (r *resolver) first(n *node, size int, t *Topology, ask func(*instance) int64) {
	m := n.creation()
	m.topo = t
	m.lists = [2]*Members{r.lists.sub(n.u.lists[0], r.lists.span(0, size)), nil}
	m.inter = false
	m.partial = n.u.comm.Partial
	if m.lists[0] == nil {
		m.lists[0], m.partial = n.u.lists[0], "too many members to work out their order"
	}
	if t.Reorder {
		r.reorder(n, m, size, ask)
	}
	in := r.position(m.lists[0])
	m.calls = nil
	for _, c := range n.calls {
		if in(c.p.member) >= 0 || c.made != nil {
			m.calls = append(m.calls, c)
		}
	}
	if len(m.calls) > 0 {
		r.create(m)
	}
}

// reorder puts the members into the order that they were told, if the library has reordered.
func (r *resolver) reorder(n *node, m *creation, size int, ask func(*instance) int64) {
	told := map[int]int{} // rank -> member
	same := true
	for _, c := range n.calls {
		if c.made == nil {
			continue
		}
		rank := ask(c.made)
		if rank < 0 {
			continue
		}
		if old, twice := told[int(rank)]; rank >= int64(size) || twice && old != c.p.member {
			r.note(Contradiction, "%s of %s: two members were told rank %d", c.f.Name, n.u.comm.Name, rank)
			continue
		}
		told[int(rank)] = c.p.member
		same = same && m.lists[0].At(int(rank)) == c.p.member
	}
	if len(told) < size {
		m.assumed = fmt.Sprintf("the library was allowed to reorder, and only %d of %d members asked for their rank: "+
			"the others in the parent's order", len(told), size)
	}
	if same || size > maxExpanded {
		return
	}
	placed := make(map[int]bool, len(told))
	for _, v := range told {
		placed[v] = true
	}
	rest := m.lists[0].All()
	var free []int
	for v := range rest {
		if !placed[v] {
			free = append(free, v)
		}
	}
	members := make([]int, size)
	for i := range members {
		if v, ok := told[i]; ok {
			members[i] = v
		} else if len(free) > 0 {
			members[i], free = free[0], free[1:]
		}
	}
	m.lists[0] = r.lists.of(members)
}

// cartSub makes the communicators of MPI_Cart_sub: one for each place in the
// dimensions that are dropped.
func (r *resolver) cartSub(n *node) {
	first := n.calls[0]
	t := n.u.comm.Topology
	remain := first.ints("remain_dims")
	if t == nil || t.Kind != "cart" || len(remain) != len(t.Dims) || len(t.Periods) != len(t.Dims) ||
		n.u.lists[0].Len() != int(product(t.Dims)) {
		r.note(Unknown, "%s on %s, whose grid is not known", first.f.Name, n.u.comm.Name)
		return
	}
	if n.u.lists[0].Len() > maxExpanded {
		r.note(Unknown, "%s on %s: too many members", first.f.Name, n.u.comm.Name)
		return
	}
	sub := &Topology{Kind: "cart", Dims: []int64{}}
	for i, keep := range remain {
		if keep != 0 {
			sub.Dims, sub.Periods = append(sub.Dims, t.Dims[i]), append(sub.Periods, t.Periods[i])
		}
	}
	// For a rank: the place in the dropped dimensions, and the rank of its
	// sub-grid's first member.
	place := func(rank int64) (at, origin int64) {
		weight, stride := int64(1), int64(1)
		for i := len(t.Dims) - 1; i >= 0; i-- {
			coord := rank % t.Dims[i]
			rank /= t.Dims[i]
			if remain[i] == 0 {
				at += coord * weight
				origin += coord * stride
				weight *= t.Dims[i]
			}
			stride *= t.Dims[i]
		}
		return at, origin
	}
	parts := map[int64]*part{}
	var order []*part
	origins := map[int64]int64{}
	for _, c := range n.calls {
		if c.on.pos < 0 || c.on.pos >= n.u.lists[0].Len() {
			continue
		}
		at, origin := place(int64(c.on.pos))
		p := parts[at]
		if p == nil {
			p = &part{color: at}
			parts[at], origins[at] = p, origin
			order = append(order, p)
		}
		p.calls = append(p.calls, c)
	}
	offsets := gridOffsets(t.Dims, remain) // of the members from the first one
	for _, p := range order {
		var l listBuilder
		for run := range offsets.runs() {
			l.addRun(origins[p.color]+run.start, run.step, run.count)
		}
		m := n.creation()
		m.calls, m.color, m.colored, m.topo = p.calls, p.color, true, sub
		m.name = fmt.Sprintf("%s:%d", m.name, p.color)
		if m.lists[0] = r.lists.sub(n.u.lists[0], l.members()); m.lists[0] == nil {
			r.note(Unknown, "%s on %s: too many members", first.f.Name, n.u.comm.Name)
			return
		}
		r.create(m)
	}
}

// gridOffsets lists the ranks of the sub-grid at the origin, in its order.
func gridOffsets(dims, remain []int64) *Members {
	starts := []int64{0}
	var l listBuilder
	stride := product(dims)
	last := -1 // the innermost dimension that is kept is a run
	for i := range dims {
		if remain[i] != 0 {
			last = i
		}
	}
	for i, d := range dims {
		if d == 0 {
			return l.members()
		}
		stride /= d
		switch {
		case remain[i] == 0:
		case i == last:
			for _, s := range starts {
				l.addRun(s, stride, d)
			}
			return l.members()
		default:
			var next []int64
			for _, s := range starts {
				for k := range d {
					next = append(next, s+k*stride)
				}
			}
			starts = next
		}
	}
	l.add(0)
	return l.members()
}

// graph makes the communicator of MPI_Graph_create.
func (r *resolver) graph(n *node) {
	first := n.calls[0]
	nodes, _ := first.int("nnodes")
	if nodes < 0 || nodes > int64(n.u.lists[0].Len()) {
		r.note(Contradiction, "%s on %s: %d nodes for %d processes", first.f.Name, n.u.comm.Name, nodes,
			n.u.lists[0].Len())
		return
	}
	t := &Topology{Kind: "graph", Reorder: reorder(first), Nodes: int(nodes), Edges: len(first.ints("edges")),
		DegreesKnown: true}
	before := int64(0)
	for i, end := range first.ints("index") {
		t.Out.add(int(end-before), i == 0)
		before = end
	}
	in := map[int64]int{}
	for _, e := range first.ints("edges") {
		in[e]++
	}
	t.In = degrees(in, int(nodes))
	r.first(n, int(nodes), t, func(in *instance) int64 { return in.rank })
}

func (d *Range) add(v int, first bool) {
	if first {
		d.Min = v
	}
	d.Min, d.Max = min(d.Min, v), max(d.Max, v)
}

// degrees is the range of some counts, where those of n that are missing are 0.
func degrees(counts map[int64]int, n int) Range {
	d := Range{}
	first := len(counts) >= n
	for _, v := range counts {
		d.add(v, first)
		first = false
	}
	return d
}

// distGraph makes the communicator of MPI_Dist_graph_create and _adjacent.
func (r *resolver) distGraph(n *node) {
	t := &Topology{Kind: "dist_graph", Reorder: reorder(n.calls[0])}
	size := n.u.lists[0].Len()
	t.DegreesKnown = len(n.calls) == size
	in, out := map[int64]int{}, map[int64]int{}
	for i, c := range n.calls {
		if n.kind == distGraphAdjacent {
			ins, _ := c.int("indegree")
			outs, _ := c.int("outdegree")
			t.In.add(int(ins), i == 0)
			t.Out.add(int(outs), i == 0)
			t.Edges += int(outs)
			continue
		}
		next := 0
		dests := c.ints("destinations")
		degrees := c.ints("degrees")
		for k, s := range c.ints("sources") {
			if k >= len(degrees) {
				break
			}
			out[s] += int(degrees[k])
			for range min(degrees[k], int64(len(dests)-next)) {
				in[dests[next]]++
				next++
			}
			t.Edges += int(degrees[k])
		}
	}
	if n.kind == distGraph {
		t.In, t.Out = degrees(in, size), degrees(out, size)
	}
	if !t.DegreesKnown {
		t.Edges, t.In, t.Out = 0, Range{}, Range{}
	}
	r.first(n, size, t, func(in *instance) int64 { return in.rank })
}
