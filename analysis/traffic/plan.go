package traffic

import (
	"strings"

	"tabard/analysis/ops"
	"tabard/spec"
	"tabard/trace"
)

// leaf is the value of a parameter at all ranks of a class.
type leaf struct {
	kind trace.Kind
	n    int64
	ints []int64
	p    *trace.Param // if it differs from rank to rank; else nil
}

// int is a number, a reference's code or a literal address; ok is false if there is none.
func (l *leaf) int(rank int) (v int64, ok bool) {
	switch l.kind {
	case trace.Int, trace.Ref, trace.Addr:
		if l.p != nil {
			return l.p.At(rank), true
		}
		return l.n, true
	}
	return 0, false
}

// array is an array of numbers or references.
func (l *leaf) array(rank int) []int64 {
	if l.p != nil && l.p.Vec != nil {
		return l.p.Vec.At(rank)
	}
	return l.ints
}

// term is what a terminal of a class does.
type term struct {
	t     uint32
	f     *spec.Func
	flags trace.Flags
	sl    *ops.Slots
	what  pattern
	leafs []leaf // of the function's slots
	// used are the slots that decide what the call moves, holes those of them that are in columns.
	used, holes []int
	noOp        bool // MPI_NO_OP: nothing leaves the origin
}

// static tells whether all calls of a rank move the same.
func (t *term) static() bool { return len(t.holes) == 0 }

// uniform tells whether slots have the same value at all ranks.
func (t *term) uniform(slots ...int) bool {
	for _, s := range slots {
		if s >= 0 && (t.leafs[s].p != nil || t.leafs[s].kind == trace.Hole) {
			return false
		}
	}
	return true
}

// makes tells whether calls only make a persistent request.
func (t *term) makes() bool {
	return t.sl.Kind == ops.SendInit || t.sl.Kind == ops.RecvInit || t.sl.Kind == ops.CollectiveInit
}

// newTerm compiles terminal t of a class; nil if it moves nothing and makes no request.
func newTerm(tm *trace.Template, params []trace.Param, t uint32) *term {
	sl := ops.SlotsOf(tm.Func)
	if sl == nil || tm.Flags&(trace.Failed|trace.Unfinished|trace.Polls) != 0 {
		return nil
	}
	x := &term{t: t, f: spec.ByID(tm.Func), flags: tm.Flags, sl: sl}
	switch sl.Kind {
	case ops.Collective, ops.CollectiveInit:
		if x.what = patternOf(x.f); x.what == nothing {
			return nil
		}
	case ops.Send, ops.SendRecv, ops.SendInit, ops.RecvInit, ops.Start, ops.Put, ops.Get, ops.Accumulate, ops.Read, ops.Write:
	default:
		return nil
	}
	x.leafs = make([]leaf, len(tm.Slots))
	for i := range tm.Slots {
		v := &tm.Slots[i]
		l := &x.leafs[i]
		l.kind, l.n = v.Kind, v.N
		if v.Kind == trace.Addr && v.Mem != trace.Literal {
			l.kind = trace.Absent // a buffer, and not MPI_IN_PLACE
		}
		l.ints = ops.Numbers(v)
	}
	k := 0
	for i, lf := range trace.Leaves(nil, &tm.Signature) {
		if !tm.Open[i] {
			continue
		}
		p := &params[k]
		k++
		l := &x.leafs[lf.Slot()]
		switch {
		case lf.Kind() == trace.VecLeaf:
			if vals, ok := p.Vec.Constant(); ok {
				l.ints = vals
			} else {
				l.p = p
			}
		case lf.Kind() != trace.IntLeaf || l.kind == trace.Absent || l.kind == trace.Stat || l.kind == trace.List:
		case p.Fn == nil && p.Base == nil:
			l.n = p.N
		default:
			l.p = p
		}
	}
	x.find()
	return x
}

// find lists the slots that decide what a call moves.
func (x *term) find() {
	s := x.sl
	switch s.Kind {
	case ops.Start:
		x.used = []int{s.Requests}
	case ops.RecvInit: // its starts move nothing, but the request's number may be used again
	case ops.Send, ops.SendRecv, ops.SendInit:
		x.used = []int{s.On, s.SendPeer, s.SendCount, s.SendType, s.Parts}
	default:
		x.used = []int{s.On, s.SendPeer, s.SendCount, s.SendType, s.SendCounts, s.SendTypes, s.RecvCount, s.RecvType, s.RecvCounts, s.RecvTypes, s.SendBuf, s.Root}
	}
	used := x.used[:0]
	for _, i := range x.used {
		if i >= 0 {
			used = append(used, i)
		}
	}
	x.used = used
	for _, i := range x.used {
		if x.leafs[i].kind == trace.Hole {
			x.holes = append(x.holes, i)
		}
	}
	if s.Kind == ops.Accumulate {
		for i := range x.f.Slots {
			if sl := &x.f.Slots[i]; sl.Class == spec.Op && !sl.Out && x.leafs[i].kind == trace.Ref {
				noOp, _ := spec.PredefinedByName("MPI_NO_OP")
				x.noOp = x.leafs[i].p == nil && x.leafs[i].n == trace.PredefinedRef(noOp)
			}
		}
	}
}

// pattern is who needs data from whom in a collective.
type pattern uint8

const (
	nothing pattern = iota
	fromRoot
	fromRootV
	toRoot
	gathered // each to each other, what it has
	gatheredV
	exchanged // each to each other, a part for each
	exchangedV
	exchangedW
	reduced      // each to each other, the same
	reducedParts // each to each other, the receiver's part
	reducedBlock
	later
	toNeighbors
	toNeighborsV
	toNeighborsW
	fileAccess
)

var patterns = map[string]pattern{
	"bcast": fromRoot, "scatter": fromRoot, "scatterv": fromRootV, "gather": toRoot, "gatherv": toRoot, "reduce": toRoot,
	"allgather": gathered, "allgatherv": gatheredV, "alltoall": exchanged, "alltoallv": exchangedV, "alltoallw": exchangedW,
	"allreduce": reduced, "reduce_scatter": reducedParts, "reduce_scatter_block": reducedBlock, "scan": later, "exscan": later,
	"neighbor_allgather": toNeighbors, "neighbor_allgatherv": toNeighbors, "neighbor_alltoall": toNeighbors,
	"neighbor_alltoallv": toNeighborsV, "neighbor_alltoallw": toNeighborsW,
}

// patternOf is the pattern of a function, nothing if it moves no data.
func patternOf(f *spec.Func) pattern {
	if f.Category == "io_data" {
		return fileAccess
	}
	name := f.Name
	if f.LargeOf != 0 {
		name = strings.TrimSuffix(name, "_c")
	}
	stem := strings.ToLower(strings.TrimPrefix(name, "MPI_"))
	stem = strings.TrimSuffix(stem, "_init")
	if p, ok := patterns[stem]; ok {
		return p
	}
	return patterns[strings.TrimPrefix(stem, "i")]
}

// classPlan is the terms of a class.
type classPlan struct {
	class *trace.Class
	terms []*term // by terminal; nil for those that do not matter
	list  []*term
	// inits make requests that a Start may start.
	inits []*term
}

func newClassPlan(c *trace.Class) (*classPlan, error) {
	d, err := c.Data()
	if err != nil {
		return nil, err
	}
	p := &classPlan{class: c, terms: make([]*term, len(d.Terminals))}
	for t := range d.Terminals {
		tm, err := c.Template(uint32(t))
		if err != nil {
			return nil, err
		}
		x := newTerm(tm, d.Params[t], uint32(t))
		if x == nil {
			continue
		}
		p.terms[t] = x
		p.list = append(p.list, x)
		if x.makes() {
			p.inits = append(p.inits, x)
		}
	}
	return p, nil
}
