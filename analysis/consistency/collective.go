package consistency

import (
	"fmt"
	"strings"

	"tabard/analysis/match"
	"tabard/analysis/ops"
	"tabard/internal/comms"
	"tabard/spec"
)

// shape is how much the members of a collective send and receive.
type shape uint8

const (
	anyAmount  shape = iota
	sameAmount       // all send or receive as much as each other
	toRoot           // the root receives what all send
	fromRoot         // all receive what the root sends
	toAll            // each receives what all send
	allToAll         // as much is sent as is received, all together
	spread           // all send as much; all receive that together
)

var shapes = map[string]shape{
	"bcast": sameAmount, "reduce": sameAmount, "allreduce": sameAmount, "scan": sameAmount, "exscan": sameAmount,
	"gather": toRoot, "gatherv": toRoot, "scatter": fromRoot, "scatterv": fromRoot, "allgather": toAll, "allgatherv": toAll,
	"alltoall": allToAll, "alltoallv": allToAll, "alltoallw": allToAll, "reduce_scatter": spread, "reduce_scatter_block": spread,
}

// baseName is the name of a function without what makes it nonblocking, persistent or large.
func baseName(f *spec.Func) string {
	name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(strings.TrimPrefix(f.Name, "MPI_")), "_c"), "_init")
	if _, ok := shapes[name]; !ok && strings.HasPrefix(name, "i") {
		name = name[1:]
	}
	return name
}

// collective takes in a collective.
func (c *checker) collective(x *match.Collective) error {
	first, err := c.call(&x.Parts[0].Post)
	if err != nil {
		return err
	}
	processes := func() []int32 {
		out := make([]int32, 0, len(x.Parts))
		for i := range x.Parts {
			out = append(out, x.Parts[i].Process)
		}
		return out
	}
	at := Problem{Func: x.Func.Name, Site: first.site}
	inter, size := false, int64(1)<<31
	if x.Comm >= 0 {
		comm := c.p.Comms.Comms[x.Comm]
		if inter = comm.Inter; comm.Partial != "" {
			return nil
		}
		size = int64(comm.Size())
	}
	switch {
	case x.Missing > 0:
		at.Kind = Missing
		at.Text = fmt.Sprintf("%d of %d processes do not make collective call %d on %s", x.Missing, x.Members, x.Index+1, c.commName(x.Comm))
		c.add(at, processes()...)
		return nil
	case x.Mixed:
		at.Kind = Mixed
		at.Text = fmt.Sprintf("others make another collective call, number %d on %s", x.Index+1, c.commName(x.Comm))
		c.add(at, processes()...)
		return nil
	case inter:
		return c.betweenGroups(x, at)
	case first.hasRoot && (first.root < 0 || first.root >= size):
		at.Kind, at.Param = Differing, "root"
		at.Text = fmt.Sprintf("process %d has %d, on a communicator of %d ranks", x.Parts[0].Process, first.root, size)
		c.add(at, x.Parts[0].Process)
		return nil
	}
	for i := range x.Parts[1:] {
		p := &x.Parts[1+i]
		y, err := c.call(&p.Post)
		if err != nil {
			return err
		}
		if first.hasRoot && y.hasRoot && first.root != y.root {
			at.Kind, at.Param = Differing, "root"
			at.Text = fmt.Sprintf("process %d has %d, process %d has %d", x.Parts[0].Process, first.root, p.Process, y.root)
			c.add(at, p.Process)
			return nil
		}
		// Objects of the program have numbers of their own at each process.
		if first.hasOp && y.hasOp && first.op != y.op && first.op&1 == 1 && y.op&1 == 1 {
			at.Kind, at.Param = Differing, "op"
			at.Text = fmt.Sprintf("processes %d and %d have different ones", x.Parts[0].Process, p.Process)
			c.add(at, p.Process)
			return nil
		}
	}
	if text := amounts(shapes[baseName(x.Func)], x); text != "" {
		at.Kind, at.Param, at.Text = Unequal, "", text
		c.add(at, processes()...)
	}
	return nil
}

// amounts says in words which bytes of a collective do not fit together, empty for none.
func amounts(s shape, x *match.Collective) string {
	var sent, taken, mostSent, mostTaken int64
	p0 := &x.Parts[0]
	both := func(p *match.Part) int64 { return max(p.Sent, p.Received) }
	for i := range x.Parts {
		p := &x.Parts[i]
		if p.Sent == ops.UnknownBytes || p.Received == ops.UnknownBytes {
			return ""
		}
		sent, taken, mostSent, mostTaken = sent+p.Sent, taken+p.Received, max(mostSent, p.Sent), max(mostTaken, p.Received)
		unequal := s == sameAmount && both(p) != both(p0) || s == toAll && p.Received != p0.Received || s == spread && p.Sent != p0.Sent
		if unequal {
			return fmt.Sprintf("process %d takes part with %d bytes, process %d with %d", p0.Process, both(p0), p.Process, both(p))
		}
	}
	bad := false
	switch s {
	case toRoot, toAll:
		taken = mostTaken
		bad = sent != taken
	case fromRoot, spread:
		sent = mostSent
		bad = sent != taken
	case allToAll:
		bad = sent != taken
	}
	if bad {
		return fmt.Sprintf("%d bytes are sent and %d are received", sent, taken)
	}
	return ""
}

// betweenGroups looks at the root of a collective on an intercommunicator: one process of its group says that it is it,
// the others of that group none, and the other group names it.
func (c *checker) betweenGroups(x *match.Collective, at Problem) error {
	root, ok := c.p.Archive.Meta().ABI.Const("MPI_ROOT")
	null, known := c.p.Archive.Meta().ABI.Const("MPI_PROC_NULL")
	if !ok || !known {
		return nil
	}
	comm := c.p.Comms.Comms[x.Comm]
	groups := []*comms.Members{comm.Members, comm.RemoteMembers}
	if groups[0] == nil || groups[1] == nil {
		return nil
	}
	at.Kind, at.Param = Differing, "root"
	here, of := -1, 0 // the rank of the one that says it is the root, in its group
	for i := range x.Parts {
		p := &x.Parts[i]
		y, err := c.call(&p.Post)
		if err != nil || !y.hasRoot {
			return err
		}
		if y.root != root {
			continue
		}
		side := 0
		if !groups[0].Contains(int(p.Process)) {
			side = 1
		}
		of = side
		if here >= 0 {
			at.Text = fmt.Sprintf("process %d has MPI_ROOT, and so has another", p.Process)
			c.add(at, p.Process)
			return nil
		}
		here = groups[side].Index(int(p.Process))
	}
	for i := range x.Parts {
		p := &x.Parts[i]
		y, err := c.call(&p.Post)
		if err != nil {
			return err
		}
		same := groups[of].Contains(int(p.Process))
		switch {
		case y.root == root || same && y.root == null || !same && y.root == int64(here):
			continue
		case here < 0:
			at.Text = fmt.Sprintf("process %d has %d, and nobody has MPI_ROOT", p.Process, y.root)
		case same:
			at.Text = fmt.Sprintf("process %d has %d, where rank %d of its group has MPI_ROOT", p.Process, y.root, here)
		default:
			at.Text = fmt.Sprintf("process %d has %d, where rank %d of the other group has MPI_ROOT", p.Process, y.root, here)
		}
		c.add(at, p.Process)
		return nil
	}
	return nil
}

func (c *checker) commName(id int32) string {
	if id < 0 {
		return "a communicator"
	}
	return c.p.Comms.Comms[id].Name
}
