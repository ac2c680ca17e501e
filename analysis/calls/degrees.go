package calls

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// degreeSource is a function that tells how many neighbours the process has in a communicator.
type degreeSource struct {
	comm, in, out int // slots
	index         int // of a graph that all know: where each rank's neighbours end
}

// degreeSourceOf is what a function tells of degrees, nil for nothing.
func degreeSourceOf(f *spec.Func) *degreeSource {
	switch f.Op {
	case spec.OpCommDistGraphAdjacent:
		return &degreeSource{f.Slot(spec.RoleNew), f.In("indegree"), f.In("outdegree"), -1}
	case spec.OpDistGraphDegrees:
		return &degreeSource{f.Slot(spec.RoleOn), f.Out("indegree"), f.Out("outdegree"), -1}
	case spec.OpCommGraph:
		return &degreeSource{f.Slot(spec.RoleNew), -1, -1, f.In("index")}
	}
	return nil
}

// degreesOf is what such a call tells, as in << 32 | out; false if nothing.
func (p *Program) degreesOf(pr *process, s *archive.Stream, d *degreeSource, v *values, ref int64,
	at uint64) (int64, bool) {
	if d.index < 0 {
		in, ok := v.int(d.in)
		out, also := v.int(d.out)
		return in<<32 | out, ok && also && in >= 0 && out >= 0 && in < 1<<31 && out < 1<<31
	}
	sc, _ := p.commScope(pr, ref, s.Index(), at)
	index := v.array(d.index)
	if sc.Peers == nil || sc.rank < 0 || sc.rank >= len(index) {
		return 0, false
	}
	n := index[sc.rank]
	if sc.rank > 0 {
		n -= index[sc.rank-1]
	}
	return n<<32 | n, n >= 0 && n < 1<<31
}

// degrees are the numbers of neighbours that the process receives from and sends to in a
// collective.
func (r *Reader) degrees(t *term) (in, out int64) {
	if p := t.scope.Peers; p != nil && p.comm.Topology != nil && p.comm.Topology.Kind == "cart" {
		return sameDegrees(p) // an object number that belonged to a graph before
	}
	if n, to, ok := r.pr.objects.at(spec.Comm, t.v[rOn], r.stream.Index(), t.op.Event); ok {
		t.to = min(t.to, to)
		return n >> 32, n & (1<<32 - 1)
	}
	return sameDegrees(t.scope.Peers)
}

// sameDegrees are these numbers where they are the same for all members.
func sameDegrees(p *Peers) (in, out int64) {
	in, out = UnknownBytes, UnknownBytes
	if p == nil || p.comm.Topology == nil {
		return in, out
	}
	t := p.comm.Topology
	if t.Kind == "cart" {
		n := 2 * int64(len(t.Dims))
		return n, n
	}
	if t.DegreesKnown && t.In.Min == t.In.Max {
		in = int64(t.In.Min)
	}
	if t.DegreesKnown && t.Out.Min == t.Out.Max {
		out = int64(t.Out.Min)
	}
	return in, out
}
