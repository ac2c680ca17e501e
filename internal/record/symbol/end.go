package symbol

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// traceFlags are the flags of a signature that a record's flags imply.
func (c *call) traceFlags() archive.Flags {
	var f archive.Flags
	if c.flags&ring.FNested != 0 {
		f |= archive.Nested
	}
	return f
}

// signature is the call's signature with the entry values filled in.
func (c *call) signature(p *Process) *archive.Signature {
	f := c.plan.f
	s := &archive.Signature{Func: f.ID, Site: p.site(c.site, c.flags&ring.FStack != 0, p.stacks), Flags: c.traceFlags(),
		Slots: make([]archive.Value, len(f.Slots))}
	copy(s.Slots, c.entries)
	for i := range c.entries {
		if f.Slots[i].Column && inColumn(&c.entries[i]) {
			s.Slots[i] = archive.Value{Kind: archive.Hole}
		}
	}
	return s
}

// inColumn reports whether a value of a column slot goes there; what is
// absent, or a sentinel, is part of the signature.
func inColumn(v *archive.Value) bool { return v.Kind != archive.Absent && v.Kind != archive.Sentinel }

// end takes in the return of a call.
func (p *Process) end(th int, t *thread, c *call, rec ring.Record, sink Sink) error {
	returned := rec.Payload()
	if rec.Flags()&ring.FExit == 0 {
		if len(returned) < len(c.body) {
			return fmt.Errorf("%s: record cut off", c.plan.f.Name)
		}
		returned = returned[len(c.body):]
	}
	ret := rec.Ret()
	c.absent = rec.Absent() // what a failed call left undefined is absent, too
	if c.told = rec.Flags()&ring.FIgnored != 0; c.told && c.flags&ring.FIgnored == 0 && p.isWild(c) {
		// The entry part did not say so: the cache was asked about another call.
		c.flags |= ring.FIgnored
		c.ent, c.restored = nil, true
	}
	p.reqs.claim(c, -1)
	p.ev = Event{Start: c.start, End: max(rec.End(), c.start)}
	p.cols = p.cols[:0]
	if c.ent == nil || ret != 0 || !p.repeat(c, returned) {
		if err := p.first(t, c, ret, returned); err != nil {
			return err
		}
	}
	if c.hidden() {
		return nil
	}
	p.hit = nil
	if c.ent != nil && ret == 0 && c.ent.regular {
		p.hit = c.ent
	}
	p.ev.Cols = p.cols
	sink.Event(th, &p.ev)
	if p.due >= 0 {
		p.relieve(sink)
	}
	return nil
}

// first takes in the return of a call that the cache does not know, value by value.
func (p *Process) first(t *thread, c *call, ret int32, returned []uint64) error {
	if err := p.resolve(c); err != nil {
		return err
	}
	f := c.plan.f
	if err := p.decodeReturn(c, ret, returned); err != nil {
		return err
	}
	p.settle(c.freed, ret != 0)
	s := c.signature(p)
	s.Ret = ret
	if ret != 0 && !f.Has(spec.ReturnsValue) {
		s.Flags |= archive.Failed
	}
	p.cols, p.ends = p.cols[:0], p.ends[:0]
	for i := range c.entries {
		if s.Slots[i].Kind == archive.Hole {
			p.appendCols(&f.Slots[i], c.raws[i])
		}
		p.ends = append(p.ends, len(p.cols))
	}
	idle := ret == 0 && c.plan.flag >= 0 && isZero(p.raws[c.plan.flag])
	place := -1
	for i := f.NumIn; i < len(f.Slots); i++ {
		place = max(place, p.returnSlot(c, s, i, idle))
		p.ends = append(p.ends, len(p.cols))
	}
	if idle {
		s.Flags |= archive.Polls
		p.ev.Poll = true
	} else {
		p.complete(c, ret, p.raws)
	}
	fam, known := p.familyOf(s), true
	if mask := p.fams[fam].at.demoted; mask != 0 {
		known = p.toColumns(s, mask)
	}
	p.ev.Sig = p.intern(fam, s)
	if known && c.plan.route != general && ret == 0 && !c.restored {
		p.cache.insert(p, t, c, s, p.ev.Sig, fam, idle, place)
	}
	return nil
}

func isZero(r ring.Raw) bool { return r.Present && r.Word() == 0 }

// returnSlot fills in slot i, known on return. It returns the new request's
// place in its pool, or -1.
func (p *Process) returnSlot(c *call, s *archive.Signature, i int, idle bool) int {
	sl, r := &c.plan.f.Slots[i], p.raws[i]
	if !r.Present {
		return -1
	}
	if idle {
		s.Slots[i] = idleValue(c.plan, i, sl, r)
		return -1
	}
	switch {
	case sl.Codec == spec.Handle:
		v, place := p.returnedHandle(c, sl, r)
		s.Slots[i] = v
		return place
	case sl.Column && r.Kind != ring.ASentinel:
		s.Slots[i] = archive.Value{Kind: archive.Hole, Ignored: i == c.plan.status && c.flags&ring.FIgnored != 0}
		p.appendReturned(c, sl, r)
	default:
		s.Slots[i] = value(sl, r)
	}
	return -1
}

// idleValue is what an unsuccessful poll returned: its flag, and what the
// standard defines besides. Statuses and messages are undefined then.
func idleValue(pl *plan, i int, sl *spec.Slot, r ring.Raw) archive.Value {
	if i == pl.flag || (sl.Codec == spec.Int && !sl.Array && i == pl.index) {
		return value(sl, r)
	}
	return archive.Value{}
}

// returnedHandle is the value of a slot with handles known on return.
func (p *Process) returnedHandle(c *call, sl *spec.Slot, r ring.Raw) (archive.Value, int) {
	place := -1
	code := func(k int, raw uint64) int64 {
		if sl.Class != spec.Request {
			return p.create(sl.Class, sl.Life, raw)
		}
		if sl.OnError {
			if k < len(c.reqs) && c.reqs[k].raw == raw {
				return c.reqs[k].code
			}
			return p.requestCode(raw, p.reqs.find(raw, 0, c.thread))
		}
		if n, ok := p.predefined(spec.Request, raw); ok {
			return n
		}
		n, num := p.reqs.add(raw, p.reqs.poolOf(p.reqs.pool(p.shape(c)), c.thread), c.plan.persistent, p.isWild(c))
		place = n
		return archive.DynamicRef(num)
	}
	if sl.Array {
		return refs(sl, r, code), place
	}
	return archive.Value{Kind: archive.Ref, Class: sl.Class, N: code(0, r.Word())}, place
}

// shape identifies what creates a request for its numbering: function, call
// site, communicator (or window, file) and peers, but not buffers, counts and tags, which
// change from step to step, nor what varies so much that it has left the signature.
func (p *Process) shape(c *call) []byte {
	b := appendKeyWord(nil, uint64(c.plan.f.ID))
	b = appendKeyWord(b, c.site)
	for i := range c.entries {
		s := &c.plan.f.Slots[i]
		v := &c.entries[i]
		switch {
		case c.demoted>>uint(i)&1 != 0:
		case s.Codec == spec.Handle && !s.Array && isScope(s.Class):
			b = appendKeyWord(b, uint64(v.N))
		case s.Codec == spec.Int && !s.Array && s.Param >= 0 && isRank(c.plan.f.Params[s.Param].Kind):
			b = appendKeyWord(b, uint64(v.N))
		}
	}
	return b
}

// isScope tells of the classes of objects that messages are sent in.
func isScope(c spec.Class) bool { return c == spec.Comm || c == spec.Win || c == spec.File }

func isRank(kind string) bool { return kind == "RANK" || kind == "RANK_NNI" }

// complete ends the requests that a call completed or freed.
func (p *Process) complete(c *call, ret int32, raws []ring.Raw) {
	if ret != 0 {
		p.completeFailed(c, raws)
		return
	}
	if c.plan.freesRequest {
		for _, u := range c.reqs {
			p.endRequest(u, true)
		}
		return
	}
	switch c.plan.how {
	case completesAll, completesFlag: // a poll's flag is set here
		for _, u := range c.reqs {
			p.endRequest(u, false)
		}
	case completesIndex:
		if !raws[c.plan.index].Present { // of an import: which one is not known
			return
		}
		if i := int64(raws[c.plan.index].Word()); i >= 0 && i < int64(len(c.reqs)) {
			p.endRequest(c.reqs[i], false)
		}
	case completesSome:
		r := raws[c.plan.index]
		for k := range r.N {
			if i := r.At(k); i >= 0 && i < int64(len(c.reqs)) {
				p.endRequest(c.reqs[i], false)
			}
		}
	}
}

// completeFailed ends the requests that a failed call set to null.
func (p *Process) completeFailed(c *call, raws []ring.Raw) {
	if c.plan.after < 0 || !raws[c.plan.after].Present {
		return
	}
	after := raws[c.plan.after]
	for k, u := range c.reqs {
		if k >= len(after.Data) {
			return
		}
		if code, ok := p.predefined(spec.Request, after.Data[k]); ok && code == 0 {
			p.endRequest(u, true)
		}
	}
}

// endRequest ends a request; a persistent one only becomes inactive unless it is freed.
func (p *Process) endRequest(u requestUse, free bool) {
	if u.code == 0 || u.code&1 == 1 {
		return
	}
	if n := p.reqs.of(u); n >= 0 && (free || !p.reqs.nodes[n].Persistent) {
		p.reqs.remove(n)
	}
}
