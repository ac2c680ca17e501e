package consistency

import (
	"fmt"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
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
	evenly           // all send as much to each as all others do, and receive as much
	spread           // all send as much; all receive that together
)

// shapeOf is the shape of a collective.
func shapeOf(f *spec.Func) shape {
	switch {
	case f.Flow == spec.FlowNeighbors:
		return anyAmount
	case f.Data == spec.DataReduced, f.Flow == spec.FlowFromRoot && f.Data == spec.DataWhole:
		return sameAmount
	case f.Flow == spec.FlowToRoot && f.Data == spec.DataWhole:
		return toRoot
	case f.Flow == spec.FlowFromRoot && f.Data == spec.DataParts:
		return fromRoot
	case f.Data == spec.DataWhole:
		return toAll
	case f.Data == spec.DataParts && f.Vector == spec.VectorNone:
		return evenly
	case f.Data == spec.DataParts:
		return allToAll
	case f.Data == spec.DataReducedParts:
		return spread
	}
	return anyAmount
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
		if of := processes(); !c.told(&at, of...) {
			at.Text = fmt.Sprintf("%d of %d processes do not make collective call %d on %s", x.Missing, x.Members,
				x.Index+1, c.commName(x.Comm))
			c.add(at, of...)
		}
		return nil
	case x.Mixed:
		at.Kind = Mixed
		if at.Text, err = c.mixed(x); err != nil {
			return err
		}
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
			at.Text = fmt.Sprintf("process %d has %d, process %d has %d", x.Parts[0].Process, first.root, p.Process,
				y.root)
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
	if text := amounts(shapeOf(x.Func), x); text != "" {
		at.Kind, at.Param, at.Text = Unequal, "", text
		c.add(at, processes()...)
	}
	return nil
}

// mixed says in words who makes another call than the first process.
func (c *checker) mixed(x *match.Collective) (string, error) {
	for i := range x.Parts {
		y, err := c.call(&x.Parts[i].Post)
		if err != nil {
			return "", err
		}
		if y.f != x.Func && len(y.f.Name) > 0 {
			place := y.f.Name
			if y.site != "" {
				place += " at " + y.site
			}
			return fmt.Sprintf("as number %d on %s, process %d calls %s instead", x.Index+1, c.commName(x.Comm),
				x.Parts[i].Process, place), nil
		}
	}
	return fmt.Sprintf("others make another collective call, number %d on %s", x.Index+1, c.commName(x.Comm)), nil
}

// amounts says in words which bytes of a collective do not fit together, empty for none.
func amounts(s shape, x *match.Collective) string {
	var sent, received, mostSent, mostReceived int64
	p0 := &x.Parts[0]
	both := func(p *match.Part) int64 { return max(p.Sent, p.Received) }
	for i := range x.Parts {
		p := &x.Parts[i]
		if p.Sent == calls.UnknownBytes || p.Received == calls.UnknownBytes {
			return ""
		}
		sent, received, mostSent, mostReceived = sent+p.Sent, received+p.Received, max(mostSent, p.Sent),
			max(mostReceived, p.Received)
		unequal := s == sameAmount && both(p) != both(p0) || s == toAll && p.Received != p0.Received ||
			s == spread && p.Sent != p0.Sent || s == evenly && (p.Sent != p0.Sent || p.Received != p0.Received)
		if unequal {
			return fmt.Sprintf("process %d takes part with %d bytes, process %d with %d", p0.Process, both(p0),
				p.Process, both(p))
		}
	}
	bad := false
	switch s {
	case toRoot, toAll:
		received = mostReceived
		bad = sent != received
	case fromRoot, spread:
		sent = mostSent
		bad = sent != received
	case allToAll, evenly:
		bad = sent != received
	}
	if bad {
		return fmt.Sprintf("%d bytes are sent and %d are received", sent, received)
	}
	return ""
}

// betweenGroups checks the root of a collective on an intercommunicator: one process of its group
// says that it is the root, the others of that group name none, and the other group names that
// process.
func (c *checker) betweenGroups(x *match.Collective, at Problem) error {
	root, ok := c.p.Archive.Meta().ABI.Const(mpi.Root)
	null, known := c.p.Archive.Meta().ABI.Const(mpi.ProcNull)
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
			at.Text = fmt.Sprintf("process %d has %s, and so has another", p.Process, mpi.Root)
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
			at.Text = fmt.Sprintf("process %d has %d, and nobody has %s", p.Process, y.root, mpi.Root)
		case same:
			at.Text = fmt.Sprintf("process %d has %d, where rank %d of its group has %s",
				p.Process, y.root, here, mpi.Root)
		default:
			at.Text = fmt.Sprintf("process %d has %d, where rank %d of the other group has %s",
				p.Process, y.root, here, mpi.Root)
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
