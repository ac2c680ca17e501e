package traffic

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// leaf is the value of a parameter at all ranks of a class.
type leaf struct {
	kind archive.Kind
	n    int64
	ints []int64
	p    *archive.Param // if it differs from rank to rank; else nil
}

// int is a number, a reference's code or a literal address; ok is false if there is none.
func (l *leaf) int(rank int) (v int64, ok bool) {
	switch l.kind {
	case archive.Int, archive.Ref, archive.Addr:
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
	flags archive.Flags
	sl    *calls.Slots
	what  pattern
	leafs []leaf // of the function's slots
	// used are the slots that decide what the call moves, holes those of them that are in columns.
	used, holes []int
	noOp        bool // the operator is MPI_NO_OP: nothing leaves the origin
}

// is tells whether a terminal of the grammar is this one.
func (t *term) is(terminal uint32) bool { return terminal == t.t }

// static tells whether all calls of a rank move the same.
func (t *term) static() bool { return len(t.holes) == 0 }

// uniform tells whether slots have the same value at all ranks.
func (t *term) uniform(slots ...int) bool {
	for _, s := range slots {
		if s >= 0 && (t.leafs[s].p != nil || t.leafs[s].kind == archive.Hole) {
			return false
		}
	}
	return true
}

// makes tells whether calls only make a persistent request.
func (t *term) makes() bool {
	return t.sl.Kind == calls.SendInit || t.sl.Kind == calls.RecvInit || t.sl.Kind == calls.CollectiveInit
}

// newTerm compiles terminal t of a class; nil if it moves nothing and makes no request.
func newTerm(tm *archive.Template, params []archive.Param, t uint32) *term {
	sl := calls.SlotsOf(tm.Func)
	if sl == nil || tm.Flags&(archive.Failed|archive.Unfinished|archive.Polls) != 0 {
		return nil
	}
	x := &term{t: t, f: spec.ByID(tm.Func), flags: tm.Flags, sl: sl}
	switch sl.Kind {
	case calls.Collective, calls.CollectiveInit:
		if x.what = patternOf(x.f); x.what == nothing {
			return nil
		}
	case calls.Send, calls.SendRecv, calls.SendInit, calls.RecvInit, calls.Start, calls.Put, calls.Get,
		calls.Accumulate, calls.Read, calls.Write:
	default:
		return nil
	}
	x.leafs = make([]leaf, len(tm.Slots))
	for i := range tm.Slots {
		v := &tm.Slots[i]
		l := &x.leafs[i]
		l.kind, l.n = v.Kind, v.N
		if v.Kind == archive.Addr && v.Mem != archive.Literal {
			l.kind = archive.Absent // a buffer, and not MPI_IN_PLACE
		}
		l.ints = calls.Numbers(v)
	}
	k := 0
	for i, lf := range archive.Leaves(nil, &tm.Signature) {
		if !tm.Open[i] {
			continue
		}
		p := &params[k]
		k++
		l := &x.leafs[lf.Slot()]
		switch {
		case lf.Kind() == archive.VecLeaf:
			if vals, ok := p.Vec.Constant(); ok {
				l.ints = vals
			} else {
				l.p = p
			}
		case lf.Kind() != archive.IntLeaf || l.kind == archive.Absent || l.kind == archive.Stat ||
			l.kind == archive.List:
		case p.Fn == nil && p.Base == nil:
			l.n = p.N
		default:
			l.p = p
		}
	}
	x.find()
	return x
}

// find lists the slots on which it depends what a call moves.
func (x *term) find() {
	s := x.sl
	switch s.Kind {
	case calls.Start:
		x.used = []int{s.Requests}
	case calls.RecvInit: // its starts move nothing, but the request's number may be used again
	case calls.Send, calls.SendRecv, calls.SendInit:
		x.used = []int{s.On, s.SendPeer, s.SendCount, s.SendType, s.Parts}
	default:
		x.used = []int{s.On, s.SendPeer, s.SendCount, s.SendType, s.SendCounts, s.SendTypes, s.RecvCount, s.RecvType,
			s.RecvCounts, s.RecvTypes, s.SendBuf, s.Root}
	}
	used := x.used[:0]
	for _, i := range x.used {
		if i >= 0 {
			used = append(used, i)
		}
	}
	x.used = used
	for _, i := range x.used {
		if x.leafs[i].kind == archive.Hole {
			x.holes = append(x.holes, i)
		}
	}
	if s.Kind == calls.Accumulate {
		if i := x.f.Slot(spec.RoleOperator); i >= 0 && x.leafs[i].kind == archive.Ref {
			noOp, _ := spec.PredefinedByName(mpi.NoOp)
			x.noOp = x.leafs[i].p == nil && x.leafs[i].n == archive.PredefinedRef(noOp)
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

// patterns are patterns of collectives, without those whose amounts are given for each process.
var patterns = map[spec.Flow]map[spec.Data]pattern{
	spec.FlowFromRoot: {spec.DataWhole: fromRoot, spec.DataParts: fromRoot},
	spec.FlowToRoot:   {spec.DataWhole: toRoot, spec.DataReduced: toRoot},
	spec.FlowToAll: {spec.DataWhole: gathered, spec.DataParts: exchanged,
		spec.DataReduced: reduced, spec.DataReducedParts: reducedBlock},
	spec.FlowPrefix:    {spec.DataReduced: later},
	spec.FlowNeighbors: {spec.DataWhole: toNeighbors, spec.DataParts: toNeighbors},
}

// patternOf is the pattern of a function, nothing if it moves no data.
func patternOf(f *spec.Func) pattern {
	if f.Op == spec.OpRead || f.Op == spec.OpWrite || f.Op == spec.OpFileEnd {
		return fileAccess
	}
	p := patterns[f.Flow][f.Data]
	types := f.Vector == spec.VectorTypes
	switch {
	case f.Vector == spec.VectorNone:
	case p == fromRoot:
		return fromRootV
	case p == gathered:
		return gatheredV
	case p == exchanged && types:
		return exchangedW
	case p == exchanged:
		return exchangedV
	case p == reducedBlock:
		return reducedParts
	case p == toNeighbors && f.Data == spec.DataParts && types:
		return toNeighborsW
	case p == toNeighbors && f.Data == spec.DataParts:
		return toNeighborsV
	}
	return p
}

// classPlan is the terms of a class.
type classPlan struct {
	class *archive.Class
	terms []*term // by terminal; nil for those that do not matter
	list  []*term
	// inits make requests that a Start may start.
	inits []*term
}

func newClassPlan(c *archive.Class) (*classPlan, error) {
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
