package comms

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// child is a world that a spawn call may have started.
type child struct {
	w       *World
	calls   []*call         // MPI_Comm_get_parent
	first   *archive.Stream // of some process
	begin   time.Duration   // of its first call
	timed   bool
	matched bool
}

// findChildren lists the worlds that have a parent.
func (r *resolver) findChildren(streams [][]*archive.Stream) {
	of := map[int]*child{}
	for i := range r.out.Worlds {
		of[r.out.Worlds[i].Number] = &child{w: &r.out.Worlds[i]}
	}
	for i, p := range r.procs {
		c := of[p.data.World]
		if c == nil {
			continue
		}
		for _, in := range p.gets {
			c.calls = append(c.calls, in.by)
		}
		if c.first == nil && len(streams[i]) > 0 && streams[i][0].Calls() > 0 {
			c.first = streams[i][0]
		}
	}
	for i := range r.out.Worlds {
		if c := of[r.out.Worlds[i].Number]; c.w.Number > 0 || len(c.calls) > 0 {
			r.children = append(r.children, c)
		}
	}
}

// slack is how far the clocks of hosts are trusted not to differ.
const slack = time.Second

// fits tells whether a spawn call can have started the world.
func (c *child) fits(n *node, root *call, start, end time.Duration, timed bool) bool {
	if first := c.first; first != nil {
		if k, err := first.CallAt(0); err == nil {
			c.begin, c.timed = k.Start, k.Timed
		}
		c.first = nil
	}
	processes := root.slot(root.f.Slot(spec.RoleProcesses))
	most := processes.N
	for _, k := range processes.Ints {
		most += k
	}
	own := n.calls[0].p.data.World == c.w.Number
	return !c.matched && !own && (most == 0 || int64(c.w.Size) <= most) &&
		(!timed || !c.timed || c.begin >= start-slack && c.begin <= end+slack)
}

// finishWorlds finds the worlds that spawn calls have started. With force, what
// worlds have as parents becomes a communicator with one known side.
func (r *resolver) finishWorlds(force bool) bool {
	spawns := r.spawns
	r.spawns = nil
	for _, n := range spawns {
		root := n.calls[0]
		if i := slices.IndexFunc(n.calls, isRoot); i >= 0 {
			root = n.calls[i]
		}
		start, end, timed := root.src.times(root.at)
		var fits []*child
		for _, c := range r.children {
			if c.fits(n, root, start, end, timed) {
				fits = append(fits, c)
			}
		}
		if len(fits) == 0 {
			r.oneSide(n, "the spawned processes were not recorded")
			continue
		}
		c := slices.MinFunc(fits, func(a, b *child) int { return cmp.Compare(distance(a, start), distance(b, start)) })
		c.matched = true
		m := n.creation()
		m.inter, m.lists = true, [2]*Members{n.u.lists[0], r.lists.span(c.w.First, c.w.Size)}
		m.calls = append(slices.Clone(n.calls), c.calls...)
		if len(fits) > 1 && !timed {
			m.assumed = fmt.Sprintf("that it started world %d follows from the order only", c.w.Number)
		}
		r.create(m)
	}
	some := len(spawns) > 0
	for _, c := range r.children {
		if !force || c.matched || len(c.calls) == 0 {
			continue
		}
		c.matched, some = true, true
		r.create(&creation{calls: c.calls, name: fmt.Sprintf("world%d/parent", c.w.Number), inter: true,
			lists:   [2]*Members{r.lists.span(c.w.First, c.w.Size), nil},
			partial: "the calls that spawned this world were not recorded"})
	}
	return some
}

// distance is how long after a spawn call a world began; those before come last.
func distance(c *child, start time.Duration) time.Duration {
	if d := c.begin - start; d >= 0 {
		return d
	}
	return 1<<62 - 1
}

// isRoot tells whether a spawn call was the root's.
func isRoot(c *call) bool {
	root, _ := c.int("root")
	return int64(c.on.pos) == root
}

// joins handles MPI_Comm_join, whose two ends share nothing that is recorded.
func (r *resolver) joins(n *node) {
	c := n.calls[0]
	self := r.lists.span(c.p.member, 1)
	n.u = &communicator{comm: &Comm{Name: "self:" + r.out.Text(self, 0)}, lists: [2]*Members{self, nil}}
	for _, o := range c.p.loose {
		if o == c {
			break
		}
		if o.kind == join {
			n.k++
		}
	}
	r.arrive(collectiveKey{kind: join}, 0, c.p.member, n)
}
