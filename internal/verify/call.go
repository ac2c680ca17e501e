package verify

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// reference is one handle in a call: its value, and the objects that it could
// mean when the call began (or, of a result, when it returned).
type reference struct {
	raw  uint64
	objs []*object // empty: predefined
	// is the object that the archive says it is; nil until compared.
	is *object
}

// call is a call in progress.
type call struct {
	f      *spec.Func
	flags  uint16
	start  uint64
	site   uint64
	absent uint32
	entry  []ring.Raw
	refs   [][]reference // for each entry slot that holds handles
	// ignored: the record has statuses that the program ignored, and the archive has to have them, too.
	ignored bool
}

func (c *call) hidden() bool { return c.flags&ring.FHidden != 0 }

// begin starts a call with the entry part of a record.
func (p *process) begin(t *thread, rec ring.Record) error {
	f := spec.ByID(rec.ID())
	if f == nil {
		return fmt.Errorf("unknown function %d", rec.ID())
	}
	// Tabard's own pseudo calls come inside others without a mark.
	if rec.Flags()&ring.FNested == 0 && rec.ID() >= spec.FirstFunction {
		// The calls that were open were left by a jump out of a callback.
		p.abandon(t)
	}
	c := &call{f: f, flags: rec.Flags() &^ ring.FIgnored, start: rec.Start(), site: rec.Site(), absent: rec.Absent()}
	var err error
	if c.entry, _, err = ring.DecodeEntry(nil, f, c.absent, rec.Payload()); err != nil {
		return err
	}
	if rec.Flags()&ring.FEnter != 0 || t.pending { // the call outlives its record
		for i := range c.entry {
			c.entry[i].Data = slices.Clone(c.entry[i].Data)
		}
	}
	c.refs = make([][]reference, len(c.entry))
	for i := range c.entry {
		if s := &f.Slots[i]; s.Codec == spec.Handle && c.entry[i].Present {
			c.refs[i] = p.look(s, c.entry[i])
		}
	}
	t.open = append(t.open, c)
	return nil
}

// look finds what the handles of an entry slot mean. A value whose creation was not seen becomes an
// object here.
func (p *process) look(s *spec.Slot, raw ring.Raw) []reference {
	words := handles(s, raw)
	refs := make([]reference, len(words))
	for i, w := range words {
		objs := p.meaning(s.Class, w)
		if s.Class == spec.Request && len(objs) > 0 && repeats(words[:i], w) >= len(objs) {
			// Equal handles in one call are different requests, also if their creation was not
			// seen.
			p.reg.add(s.Class, w)
			objs = p.reg.live(s.Class, w)
		}
		refs[i] = reference{raw: w, objs: slices.Clone(objs)}
		if ends(s.Life) {
			for _, o := range refs[i].objs {
				o.ending++
			}
		}
	}
	return refs
}

// repeats counts w among words.
func repeats(words []uint64, w uint64) int {
	n := 0
	for _, x := range words {
		if x == w {
			n++
		}
	}
	return n
}

// meaning gives the live objects of a handle, none for a predefined one.
func (p *process) meaning(class spec.Class, raw uint64) []*object {
	if objs := p.reg.live(class, raw); len(objs) > 0 {
		return objs
	}
	if len(p.reg.predef(class, raw)) > 0 {
		return nil
	}
	return []*object{p.reg.add(class, raw)}
}

func ends(l spec.Life) bool { return l == spec.Free || l == spec.Complete }

// handles lists the words of a slot that holds handles.
func handles(s *spec.Slot, raw ring.Raw) []uint64 {
	if !s.Array {
		return []uint64{unplaced(s, raw.Word())}
	}
	if raw.Kind != ring.APlain {
		return nil
	}
	ws := make([]uint64, raw.N)
	for i := range ws {
		ws[i] = uint64(raw.At(i))
		if raw.Elem == 4 {
			ws[i] = uint64(uint32(ws[i]))
		}
		ws[i] = unplaced(s, ws[i])
	}
	return ws
}

// unplaced is a handle without what the runtime says besides: where the program keeps a request.
func unplaced(s *spec.Slot, w uint64) uint64 {
	if s.Class == spec.Request && w&ring.RequestDone != 0 {
		return w &^ ring.RequestPlace
	}
	return w
}

// end completes the innermost call of a thread with the return part of its record.
func (p *process) end(t *thread, rec ring.Record) error {
	for len(t.open) > 0 && t.open[len(t.open)-1].f.ID != rec.ID() {
		p.unfinished(t)
	}
	if len(t.open) == 0 {
		return fmt.Errorf("return of %d, which did not begin", rec.ID())
	}
	c := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]

	payload := rec.Payload()
	if rec.Flags()&ring.FExit == 0 {
		var err error
		if _, payload, err = ring.DecodeEntry(nil, c.f, c.absent, payload); err != nil {
			return err
		}
	} else {
		c.absent = rec.Absent()
	}
	told := rec.Flags()&ring.FIgnored != 0
	if told {
		c.absent &^= ring.StatusMask(c.f)
	}
	raws, err := ring.DecodeReturn(slices.Clone(c.entry), c.f, c.absent, rec.Ret(), payload)
	if err != nil {
		return err
	}
	if c.hidden() {
		p.report.Hidden++
		p.apply(c, rec.Ret(), raws, nil)
		return nil
	}
	a, ok := p.next(t, c.f.Name)
	if !ok || !p.sameHead(t, c, a) {
		p.apply(c, rec.Ret(), raws, nil)
		return nil
	}
	p.compareReturn(t, c, rec, a)
	for i := range c.entry {
		p.compareSlot(t, c, a, i, raws[i], rec.Ret(), raws)
	}
	if told {
		p.keepIgnored(c, raws, a)
	}
	p.apply(c, rec.Ret(), raws, func(i int) {
		p.compareSlot(t, c, a, i, raws[i], rec.Ret(), raws)
	})
	return nil
}

// sameHead compares what must agree for the rest to be comparable.
func (p *process) sameHead(t *thread, c *call, a *archive.Call) bool {
	if !c.f.Own() {
		p.report.Calls++
	}
	if a.Func != c.f {
		p.differ(t, c, "function", c.f.Name, a.Func.Name)
		t.lost = true
		return false
	}
	p.compareSite(t, c, a)
	check(p, t, c, "nested", c.flags&ring.FNested != 0, a.Flags&archive.Nested != 0)
	return true
}

// compareReturn compares the return code and the times.
func (p *process) compareReturn(t *thread, c *call, rec ring.Record, a *archive.Call) {
	failed := rec.Ret() != 0 && !c.f.Has(spec.ReturnsValue)
	check(p, t, c, "return code", rec.Ret(), a.Ret)
	check(p, t, c, "failed", failed, a.Flags&archive.Failed != 0)
	check(p, t, c, "unfinished", false, a.Flags&archive.Unfinished != 0)
	p.compareTime(t, c, a, max(rec.End(), c.start))
}

// unfinished compares the innermost open call, which never returned.
func (p *process) unfinished(t *thread) {
	c := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	defer c.release()
	if c.hidden() {
		p.report.Hidden++
		return
	}
	a, ok := p.next(t, c.f.Name)
	if !ok || !p.sameHead(t, c, a) {
		return
	}
	check(p, t, c, "unfinished", true, a.Flags&archive.Unfinished != 0)
	check(p, t, c, "failed", false, a.Flags&archive.Failed != 0)
	check(p, t, c, "return code", 0, a.Ret)
	p.compareTime(t, c, a, c.start)
	raws := make([]ring.Raw, len(c.f.Slots))
	copy(raws, c.entry)
	for i := range raws {
		if i < len(c.entry) || c.f.Slots[i].Codec != spec.Handle {
			p.compareSlot(t, c, a, i, raws[i], 0, raws)
		}
	}
}

// abandon takes all open calls of a thread as unfinished.
func (p *process) abandon(t *thread) {
	for len(t.open) > 0 {
		p.unfinished(t)
	}
}

// release notes that the call cannot end an object any more.
func (c *call) release() {
	for i, refs := range c.refs {
		if !ends(c.f.Slots[i].Life) {
			continue
		}
		for _, r := range refs {
			for _, o := range r.objs {
				o.ending--
			}
		}
	}
}
