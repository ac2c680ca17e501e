package waits

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// between looks at the members of a collective of an intercommunicator (MPI 4.0, 6.2.3): what a
// process gets comes from the other group. So with all-to-all operations and barriers it waits for
// the last one of the other group; in those from a root the group without the root waits for that,
// and in those to a root the root for the last one of the other group.
func (f *finder) between(k Kind, c *match.Collective, parts []*match.Part) {
	comm := f.p.Comms.Comms[c.Comm]
	if comm.Members == nil || comm.RemoteMembers == nil {
		return
	}
	var groups [2][]*match.Part
	for _, p := range parts {
		g := 1
		if comm.Members.Contains(int(p.Process)) {
			g = 0
		}
		groups[g] = append(groups[g], p)
	}
	for g, own := range groups {
		f.depend(k, c.Root, own, groups[1-g])
	}
}

// depend looks at members of a collective that get what the others contribute. Inside of one
// communicator both are all members.
func (f *finder) depend(k Kind, root int32, own, others []*match.Part) {
	switch k {
	case WaitAtBarrier, WaitAtNxN:
		if late := f.last(others, -1); late != nil {
			for _, p := range own {
				f.lateFor(k, p, late)
			}
		}
	case LateBroadcast:
		if from := find(others, root); from != nil {
			for _, p := range own {
				f.lateFor(k, p, from)
			}
		}
	case EarlyReduce:
		if to, late := find(own, root), f.last(others, root); to != nil && late != nil {
			f.lateFor(k, to, late)
		}
	}
}

// neighborhood looks at the members of a neighbourhood collective: each waits for the last of those
// that it receives from.
func (f *finder) neighborhood(c *match.Collective, parts []*match.Part) {
	for _, p := range parts {
		var late *match.Part
		for _, n := range f.sourcesOf(c.Comm, p.Process) {
			if q := partOf(parts, n); q != nil &&
				(late == nil || f.at(q.Process, q.Post.Begin) > f.at(late.Process, late.Post.Begin)) {
				late = q
			}
		}
		if late != nil {
			f.lateFor(WaitForNeighbors, p, late)
		}
	}
}

// partOf is the part of a process; parts are in the order of processes.
func partOf(parts []*match.Part, process int32) *match.Part {
	i, ok := slices.BinarySearchFunc(parts, process, func(p *match.Part, n int32) int {
		return cmp.Compare(p.Process, n)
	})
	if !ok {
		return nil
	}
	return parts[i]
}

// neighbor is a process in a communicator with a topology.
type neighbor struct{ comm, process int32 }

// sourcesOf are the processes that one receives from in neighbourhood collectives.
func (f *finder) sourcesOf(comm, process int32) []int32 {
	k := neighbor{comm, process}
	of, ok := f.sources[k]
	if ok {
		return of
	}
	if comm >= 0 {
		of = f.findSources(comm, process)
	}
	if f.sources == nil {
		f.sources = map[neighbor][]int32{}
	}
	f.sources[k] = of
	return of
}

func (f *finder) findSources(comm, process int32) (of []int32) {
	c := f.p.Comms.Comms[comm]
	if c.Topology == nil || c.Members == nil {
		return nil
	}
	rank := c.Members.Index(int(process))
	if rank < 0 {
		return nil
	}
	var ranks []int
	if c.Topology.Kind == "cart" {
		ranks = traffic.CartNeighbors(c.Topology, rank)
	} else {
		ranks = f.graphSources(comm, process, rank)
	}
	for _, r := range ranks {
		if r >= 0 && r < c.Members.Len() {
			of = append(of, int32(c.Members.At(r)))
		}
	}
	return of
}

// graphSources reads the call with which a process made a communicator with a graph. A graph of
// MPI_Graph_create is symmetric where neighbourhood collectives are used (MPI 4.0, 8.6).
func (f *finder) graphSources(comm, process int32, rank int) (ranks []int) {
	i := f.p.Process(process)
	if i < 0 {
		return nil
	}
	objects := f.p.Comms.Processes[i].Objects
	for k := range objects {
		o := &objects[k]
		if o.Comm == nil || o.Comm.ID != int(comm) || o.Stream < 0 {
			continue
		}
		s := f.a.Stream(o.Stream)
		call, err := s.CallsBefore(o.From)
		if err != nil {
			return nil
		}
		made, err := s.CallAt(call)
		if err != nil {
			return nil
		}
		list := func(name string) []int64 {
			if v, ok := made.In(name); ok && v.Kind == archive.Ints {
				return v.Ints
			}
			return nil
		}
		of := list("sources")
		if made.Func.Op == spec.OpCommGraph {
			index, edges, from := list("index"), list("edges"), int64(0)
			if rank >= len(index) {
				return nil
			}
			if rank > 0 {
				from = index[rank-1]
			}
			if to := index[rank]; from >= 0 && from <= to && to <= int64(len(edges)) {
				of = edges[from:to]
			}
		} else if made.Func.Op != spec.OpCommDistGraphAdjacent {
			return nil // each process names edges of others, too
		}
		for _, r := range of {
			ranks = append(ranks, int(r))
		}
		return ranks
	}
	return nil
}
