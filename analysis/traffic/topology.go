package traffic

import (
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// neighborsOf is the out-neighbours of a process in the topology of a communicator, as ranks in it
// and in the order of the buffers of neighbourhood collectives; -1 where a Cartesian topology
// ends. known is false if the recording does not say.
func (w *walker) neighborsOf(me *member, sc *scope, ref int64, event uint64) (to []int, known bool) {
	if sc.comm == nil || sc.comm.Topology == nil || sc.rank < 0 {
		return nil, false
	}
	t := sc.comm.Topology
	if t.Kind == "cart" {
		return CartNeighbors(t, sc.rank), true
	}
	key := neighborKey{me.process, sc.comm}
	if n, ok := w.neighbors[key]; ok {
		return n.to, n.known
	}
	var n neighborList
	n.to, n.known = w.readNeighbors(me, sc, ref, event)
	w.neighbors[key] = n
	return n.to, n.known
}

type neighborKey struct {
	process int
	comm    *comms.Comm
}

type neighborList struct {
	to    []int
	known bool
}

// CartNeighbors are the neighbours of a rank at a distance of one, for each dimension first the one
// in the negative, then the one in the positive direction (MPI 4.0, 8.6); -1 where the topology
// ends.
func CartNeighbors(t *comms.Topology, rank int) []int {
	at := make([]int, len(t.Dims))
	stride := make([]int, len(t.Dims))
	n := 1
	for d := len(t.Dims) - 1; d >= 0; d-- {
		size := max(int(t.Dims[d]), 1)
		stride[d] = n
		at[d] = rank / n % size
		n *= size
	}
	var to []int
	for d := range t.Dims {
		size := int(t.Dims[d])
		for _, by := range []int{-1, 1} {
			k := at[d] + by
			switch {
			case k >= 0 && k < size:
				to = append(to, rank+by*stride[d])
			case t.Periods[d]:
				to = append(to, rank+((k+size)%size-at[d])*stride[d])
			default:
				to = append(to, -1)
			}
		}
	}
	return to
}

// readNeighbors reads the call that made a communicator with a graph.
func (w *walker) readNeighbors(me *member, sc *scope, ref int64, event uint64) ([]int, bool) {
	made, err := w.creation(me, ref, event)
	if err != nil || made == nil {
		return nil, false
	}
	list := func(name string) ([]int64, bool) {
		v, ok := made.In(name)
		return v.Ints, ok && v.Kind == archive.Ints
	}
	switch made.Func.Op {
	case spec.OpCommDistGraphAdjacent:
		if v, ok := made.In("outdegree"); ok && v.Kind == archive.Int && v.N == 0 {
			return nil, true
		}
		return asInts(list("destinations"))
	case spec.OpCommGraph:
		index, ok1 := list("index")
		edges, ok2 := list("edges")
		if !ok1 || !ok2 || sc.rank >= len(index) {
			return nil, false
		}
		from := int64(0)
		if sc.rank > 0 {
			from = index[sc.rank-1]
		}
		if to := index[sc.rank]; from >= 0 && from <= to && to <= int64(len(edges)) {
			return asInts(edges[from:to], true)
		}
	}
	return nil, false
}

func asInts(vs []int64, ok bool) ([]int, bool) {
	out := make([]int, len(vs))
	for i, v := range vs {
		out[i] = int(v)
	}
	return out, ok
}

// creation is the call that made the communicator that a code means in an event, nil if it is not
// known.
func (w *walker) creation(me *member, ref int64, event uint64) (*archive.Call, error) {
	p, err := w.program()
	if err != nil {
		return nil, err
	}
	o := p.Comms.Lookup(me.process, ref, me.stream().Index(), event)
	if o == nil || o.Stream < 0 {
		return nil, nil
	}
	s := w.r.Archive.Stream(o.Stream)
	call, err := s.CallsBefore(o.From)
	if err != nil {
		return nil, err
	}
	return s.CallAt(call)
}
