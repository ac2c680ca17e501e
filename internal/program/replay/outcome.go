package replay

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// wild tells whether a parameter of a signature may be this wildcard.
func (l *lowering) wild(sig *archive.Signature, param int, name string) bool {
	f := program.FuncOf(sig.Func)
	if param < 0 || f.Params[param].Before < 0 {
		return false
	}
	v := &sig.Slots[f.Params[param].Before]
	any, ok := l.o.Target.From.Const(name)
	return v.Kind == archive.Hole || v.Kind == archive.Int && ok && v.N == any
}

// open tells whether a receive or probe may be from any source or with any tag.
func (l *lowering) open(sig *archive.Signature, o *program.Outcomes) bool {
	return l.wild(sig, o.Source, mpi.AnySource) || l.wild(sig, o.Tag, mpi.AnyTag)
}

// completesLater tells whether a terminal is receives whose source is known only when their
// requests complete.
func (l *lowering) completesLater(sig *archive.Signature) bool {
	o := program.OutcomesOf(sig.Func)
	return l.o.Forced && o != nil && o.Kind == program.FromAny && o.Status < 0 && o.Request >= 0 &&
		sig.Flags&(archive.Nested|archive.Failed|archive.Unfinished) == 0 &&
		!spec.ByID(sig.Func).Has(spec.PersistentInit) && l.open(sig, o)
}

// outcome plans how the outcome of the terminal's calls is forced, or what polls wait for.
func (c *caller) outcome(x *terminal) {
	o := program.OutcomesOf(c.sig.Func)
	if o == nil || c.sig.Flags&archive.Unfinished != 0 {
		return
	}
	switch o.Kind {
	case program.FromAny:
		c.fromAny(x, o)
	case program.OnePoll, program.ProbePoll:
		c.poll(x, o)
	case program.OneOf, program.SomeOf:
		c.several(x, o)
	}
}

func (c *caller) fromAny(x *terminal, o *program.Outcomes) {
	if !c.l.o.Forced || c.sig.Flags&archive.Failed != 0 || !c.l.open(c.sig, o) {
		return
	}
	switch {
	case o.Status >= 0 && c.sig.Slots[o.Status].Kind != archive.Absent:
		x.outcome, c.plan.outcome = outcomeSource, c.sourceOf(o.Status)
	case c.l.completesLater(c.sig):
		slot := c.f.Params[o.Request].After
		if c.sig.Slots[slot].Kind == archive.Absent {
			return
		}
		c.hole(slot)
		x.outcome = outcomeSource
		// anyone, until it is known
		c.plan.outcome = func(dst []uint64, _ []value) []uint64 { return append(dst, 1<<63, 1<<63) }
		c.plan.receive = func(vals []value) int64 { return vals[slot].one() }
	}
}

// sourceOf gives source and tag of the status in a slot.
func (c *caller) sourceOf(slot int) emitter {
	c.hole(slot)
	return func(dst []uint64, vals []value) []uint64 {
		w := c.status(vals[slot].raw)
		return append(dst, w[0], w[1])
	}
}

// poll plans the outcome of a poll of one thing, or of a probe.
func (c *caller) poll(x *terminal, o *program.Outcomes) {
	forced := c.l.o.Forced
	switch {
	case c.sig.Flags&archive.Failed != 0:
	case c.sig.Flags&archive.Polls != 0:
		c.polls(x)
	case !forced:
		c.until(x, o)
	case o.Kind == program.OnePoll:
		x.outcome = outcomeFlag
		c.plan.outcome = func(dst []uint64, _ []value) []uint64 { return append(dst, 1) }
	default:
		known := c.sig.Slots[o.Status].Kind != archive.Absent
		source := c.sourceOf(o.Status)
		x.outcome = outcomeFlag
		c.plan.outcome = func(dst []uint64, vals []value) []uint64 {
			dst = append(dst, 1)
			if known {
				return source(dst, vals)
			}
			return append(dst, 1<<63, 1<<63)
		}
	}
}

// polls plans a run of unsuccessful polls.
func (c *caller) polls(x *terminal) {
	if c.l.o.Forced {
		x.outcome = outcomePolls
		c.plan.outcome = func(dst []uint64, _ []value) []uint64 { return dst } // its length is put there by the feeder
	}
}

// until makes a successful poll wait for its success.
func (c *caller) until(x *terminal, o *program.Outcomes) {
	for i := range c.f.Params {
		if o.Flag >= 0 && c.f.Params[i].After == o.Flag {
			x.flags |= callUntil
			x.outcomeParam = i
		}
	}
}

// several plans the outcome of calls that complete one or some of several requests, forced or not:
// a library that is left free must have completed the recorded ones at some time, too.
func (c *caller) several(x *terminal, o *program.Outcomes) {
	if c.sig.Flags&archive.Polls != 0 {
		c.polls(x)
		return
	}
	if !c.has(o.Index) {
		return
	}
	c.hole(o.Index)
	flag := o.Flag
	if o.Kind == program.OneOf {
		if flag >= 0 {
			c.hole(flag)
		}
		x.outcome = outcomeIndex
		c.plan.outcome = func(dst []uint64, vals []value) []uint64 {
			if flag >= 0 {
				dst = append(dst, uint64(vals[flag].one()))
			}
			return append(dst, uint64(c.index(vals[o.Index].one())))
		}
		return
	}
	count := -1
	for i := range c.f.Params {
		if c.f.Params[i].Name == "outcount" {
			count = c.f.Params[i].After
		}
	}
	if count < 0 || !c.has(count) {
		return
	}
	c.hole(count)
	x.outcome = outcomeSome
	c.plan.outcome = func(dst []uint64, vals []value) []uint64 {
		if c.index(vals[count].one()) < 0 {
			return append(dst, 1<<64-1)
		}
		dst = append(dst, uint64(len(vals[o.Index].raw)))
		for _, i := range vals[o.Index].raw {
			dst = append(dst, uint64(i))
		}
		return dst
	}
}

// has tells whether there is a value in a slot.
func (c *caller) has(slot int) bool { return slot >= 0 && c.sig.Slots[slot].Kind != archive.Absent }

// index is an index, -1 for MPI_UNDEFINED.
func (c *caller) index(i int64) int64 {
	if u, ok := c.l.o.Target.From.Const(mpi.Undefined); ok && i == u {
		return -1
	}
	return i
}

// completions plans how the sources of receives from any source are found where they complete.
func (c *caller) completions() {
	req, status, index := -1, -1, -1
	for i := range c.f.Params {
		p := &c.f.Params[i]
		switch {
		case p.Class == spec.Request && p.Before >= 0:
			req = p.Before
		case p.Role == program.StatusOut || p.Role == program.StatusesOut:
			status = p.After
		}
	}
	if o := program.OutcomesOf(c.sig.Func); o != nil {
		index = o.Index
	}
	free := c.f.Op == spec.OpRequestFree
	if req < 0 || status < 0 && !free || c.sig.Flags&(archive.Polls|archive.Unfinished) != 0 || !c.has(req) ||
		index >= 0 && !c.has(index) {
		return
	}
	c.hole(req)
	known := !free && c.has(status)
	if known {
		c.hole(status)
	}
	if index >= 0 {
		c.hole(index)
	}
	c.plan.complete = func(vals []value, found func(int64, []int64)) {
		codes := vals[req].raw
		at := func(k int) []int64 {
			if !known || 4*k+4 > len(vals[status].raw) {
				return nil
			}
			return vals[status].raw[4*k : 4*k+4]
		}
		if index < 0 {
			for k, code := range codes {
				found(code, at(k))
			}
			return
		}
		for k, i := range vals[index].raw {
			if i >= 0 && i < int64(len(codes)) {
				found(codes[i], at(k))
			}
		}
	}
}
