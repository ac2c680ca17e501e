package comms

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// check compares what the program was told with what has been worked out.
func (r *resolver) check() {
	undefined, _ := r.a.Meta().ABI.Const(mpi.Undefined)
	for _, p := range r.procs {
		for _, in := range p.instances {
			r.checkInstance(in)
		}
		for _, c := range p.questions {
			r.checkGroup(c, undefined)
		}
	}
}

func (r *resolver) checkInstance(in *instance) {
	if in.u == nil {
		switch {
		case in.by == nil:
			r.note(Unknown, "objects that no recorded call made are used as communicators")
		default:
			r.note(Unknown, "what %s made could not be put together with the calls of other members", in.by.f.Name)
		}
		return
	}
	c := in.u.comm
	if in.changed != "" {
		r.note(Contradiction, "%s was answered in several ways on one object of %s at %s", in.changed, c.Name,
			r.who(in.p))
	}
	own, far := in.u.lists[in.side], (*Members)(nil)
	if in.u.inter {
		far = in.u.lists[1-in.side]
	}
	unsure := c.Partial != ""
	expect := func(what string, told int64, known int, know bool) {
		if told < 0 || told == int64(known) || !know {
			return
		}
		if unsure {
			return // Partial says that this is not all
		}
		r.note(Contradiction, "%s has %s %d at %s, where the program was told %d", c.Name, what, known, r.who(in.p),
			told)
	}
	expect("size", in.size, own.Len(), own != nil)
	expect("rank", in.rank, in.pos, in.pos >= 0)
	expect("remote size", in.remoteSize, far.Len(), far != nil)
	if t := c.Topology; t != nil && t.Kind == "cart" && len(in.coords) == len(t.Dims) && in.pos >= 0 && !unsure {
		rank := int64(0)
		for i, d := range t.Dims {
			rank = rank*d + in.coords[i]
		}
		expect("the rank of its coordinates", rank, in.pos, true)
	}
}

// checkGroup compares an answer about groups.
func (r *resolver) checkGroup(c *call, undefined int64) {
	a, b := r.known(c.g1), r.known(c.g2)
	if a == nil {
		return
	}
	wrong := func(told, known int64) {
		r.note(Contradiction, "%s at %s gave %d, but %d follows from the calls that made the group", c.f.Name,
			r.who(c.p), told, known)
	}
	rank := func(m *Members, member int) int64 {
		if at := r.position(m)(member); at >= 0 {
			return int64(at)
		}
		return undefined
	}
	switch c.kind {
	case askGroupSize:
		if told, ok := c.out("size"); ok && told != int64(a.Len()) {
			wrong(told, int64(a.Len()))
		}
	case askGroupRank:
		if told, ok := c.out("rank"); ok && told != rank(a, c.p.member) {
			wrong(told, rank(a, c.p.member))
		}
	case askTranslate:
		out := c.slot(c.f.Out("ranks2"))
		ranks := c.ints("ranks1")
		if b == nil || out.Kind != archive.Ints || len(out.Ints) != len(ranks) {
			return
		}
		null, _ := r.a.Meta().ABI.Const(mpi.ProcNull)
		for i, from := range ranks {
			want := null
			if from != null {
				if from < 0 || from >= int64(a.Len()) {
					continue
				}
				want = rank(b, a.At(int(from)))
			}
			if out.Ints[i] != want {
				wrong(out.Ints[i], want)
			}
		}
	}
}

// known is the members of a group, nil if they are not certain.
func (r *resolver) known(g *group) *Members {
	if g == nil || r.evaluate(g) != nil || g.unsure {
		return nil
	}
	return g.list
}

// finish fills in what the result says of processes and notes.
func (r *resolver) finish() {
	for _, p := range r.procs {
		out := Process{Member: p.member}
		last := map[int64]int{} // code -> place in Objects
		for _, in := range p.instances {
			o := Object{Ref: in.ref, Rank: in.pos, Side: in.side, Stream: -1, Times: 1}
			if in.u != nil {
				o.Comm = in.u.comm
			}
			if in.by != nil {
				o.Stream, o.From = in.by.src.s.Index(), in.by.at
			}
			if in.freed {
				o.Freed, o.To = true, in.end
			}
			if i, ok := last[in.ref]; ok && o.Comm != nil {
				if old := &out.Objects[i]; old.Comm == o.Comm && old.Rank == o.Rank && old.Side == o.Side &&
					old.Stream == o.Stream {
					old.Times++
					old.Freed, old.To = o.Freed, o.To
					continue
				}
			}
			last[in.ref] = len(out.Objects)
			out.Objects = append(out.Objects, o)
		}
		for _, g := range p.formed {
			at := g.by.slot(g.by.outSlot)
			out.Groups = append(out.Groups, Group{Ref: at.N, Stream: g.by.src.s.Index(), From: g.by.at,
				Members: r.known(g)})
		}
		r.out.Processes = append(r.out.Processes, out)
	}
	for i := range r.out.Notes {
		n := &r.out.Notes[i]
		n.Count = r.notes[Note{Kind: n.Kind, Text: n.Text}]
	}
	for _, c := range r.out.Comms {
		slices.Sort(c.Labels)
	}
}
