package verify

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// differ reports a difference in a call; c is nil between calls.
func (p *process) differ(t *thread, c *call, what, raw, arch string) {
	d := Difference{Rank: p.rank, Thread: t.id, Index: t.index, What: what, Raw: raw, Archive: arch}
	if c != nil {
		d.Func = c.f.Name
	}
	p.report.add(d)
}

// check compares a property of a call or a process.
func check[T comparable](p *process, t *thread, c *call, what string, raw, arch T) {
	p.report.Values++
	if raw != arch {
		p.differ(t, c, what, fmt.Sprint(raw), fmt.Sprint(arch))
	}
}

// compareSlot compares the value of slot i.
func (p *process) compareSlot(t *thread, c *call, a *archive.Call, i int, raw ring.Raw, ret int32, raws []ring.Raw) {
	s, v := &c.f.Slots[i], &a.Slots[i]
	if !raw.Present || v.Kind == archive.Absent {
		p.report.Values++
		if raw.Present && !undefined(c.f, i, ret, raws) {
			p.differ(t, c, slotName(c.f, i), "present", "absent")
		}
		if !raw.Present && v.Kind != archive.Absent {
			p.differ(t, c, slotName(c.f, i), "absent", valueText(v))
		}
		return
	}
	if s.Codec == spec.Status && s.Out {
		check(p, t, c, slotName(c.f, i)+", ignored", c.ignored, v.Ignored)
	}
	raw = p.defined(c, i, raw, raws, v)
	if d := p.compareValue(c, s, i, raw, v); d != "" {
		p.differ(t, c, slotName(c.f, i), d, valueText(v))
	}
}

// slotName names a slot for a message.
func slotName(f *spec.Func, i int) string {
	s := &f.Slots[i]
	switch {
	case s.Param < 0:
		return "result"
	case s.Out && f.Params[s.Param].In:
		return f.Params[s.Param].Name + " (on return)"
	}
	return f.Params[s.Param].Name
}

// undefined reports whether the standard leaves the value of a return slot open. These are the
// results of an unsuccessful poll, except that it was unsuccessful (MPI 4.0, 3.7.3, 3.7.5, 3.8).
func undefined(f *spec.Func, i int, ret int32, raws []ring.Raw) bool {
	s := &f.Slots[i]
	if !f.Has(spec.Poll) || !s.Out || ret != 0 || s.Param < 0 {
		return false
	}
	said := slotNamed(f, "flag")
	if said < 0 {
		said = slotNamed(f, "outcount")
	}
	if said < 0 || said == i || !raws[said].Present || raws[said].Word() != 0 {
		return false
	}
	return s.Codec == spec.Status || s.Codec == spec.Handle || s.Array && raws[i].N == 0
}

// compareValue returns "" or the raw value in words.
func (p *process) compareValue(c *call, s *spec.Slot, i int, raw ring.Raw, v *archive.Value) string {
	if raw.Kind == ring.ASentinel {
		p.report.Values++
		if v.Kind == archive.Sentinel && v.N == int64(raw.N) {
			return ""
		}
		return fmt.Sprintf("sentinel %d", raw.N)
	}
	if s.Codec == spec.Handle {
		return p.compareHandles(p.references(c, i), v, s)
	}
	switch s.Codec {
	case spec.String:
		p.report.Values++
		return sameString(raw.Text(), v)
	case spec.StringArray, spec.StringArray2:
		p.report.Values += uint64(max(raw.N, 1))
		return sameStrings(raw, v)
	}
	if !s.Array {
		p.report.Values++
		return sameScalar(s, raw, 0, v)
	}
	if n := elements(v); n != raw.N {
		return fmt.Sprintf("%d elements", raw.N)
	}
	p.report.Values += uint64(raw.N)
	for k := range raw.N {
		e := element(v, k)
		if d := sameScalar(s, raw, k, &e); d != "" {
			return fmt.Sprintf("[%d] = %s (archive: %s)", k, d, valueText(&e))
		}
	}
	return ""
}

// sameScalar compares element k of a plain value (0 of a scalar).
func sameScalar(s *spec.Slot, raw ring.Raw, k int, v *archive.Value) string {
	if s.Codec == spec.Status {
		return sameStatus(raw.Status(k), v)
	}
	n := int64(raw.Data[0])
	if s.Array {
		n = raw.At(k)
	}
	switch s.Codec {
	case spec.Float:
		return sameFloat(uint64(n), v)
	case spec.Address, spec.Displacement:
		return sameAddress(uint64(n), s.Codec == spec.Displacement || s.Array, v)
	}
	return sameInt(n, v)
}

// references are what the handles of slot i can mean.
func (p *process) references(c *call, i int) []reference {
	if i < len(c.refs) {
		return c.refs[i]
	}
	return p.returned
}

// compareHandles compares the handles of a slot with the objects that the
// archive names.
func (p *process) compareHandles(refs []reference, v *archive.Value, s *spec.Slot) string {
	if !s.Array {
		p.report.Values++
		return p.compareHandle(refs, 0, v, s.Class)
	}
	if n := elements(v); n != len(refs) {
		return fmt.Sprintf("%d elements", len(refs))
	}
	p.report.Values += uint64(len(refs))
	for k := range refs {
		e := element(v, k)
		if d := p.compareHandle(refs, k, &e, s.Class); d != "" {
			return fmt.Sprintf("[%d] = %s (archive: %s)", k, d, valueText(&e))
		}
	}
	return ""
}

func (p *process) compareHandle(refs []reference, k int, v *archive.Value, class spec.Class) string {
	r := &refs[k]
	if v.Kind != archive.Ref || v.Class != class {
		return fmt.Sprintf("handle %#x", r.raw)
	}
	if p.unordered && len(r.objs) > 0 {
		if v.N >= 2 && v.N&1 == 0 {
			return ""
		}
		return fmt.Sprintf("handle %#x, an object of the program", r.raw)
	}
	if len(r.objs) == 0 {
		codes := p.reg.predef(class, r.raw)
		if slices.Contains(codes, v.N) {
			return ""
		}
		return fmt.Sprintf("handle %#x, %s", r.raw, codesText(codes))
	}
	o, why := p.identify(r, v.N)
	if o == nil {
		return why
	}
	// Equal handles in one array are different objects, as far as there are some.
	seen := 0
	for i := range k {
		if refs[i].raw == r.raw && refs[i].is != nil {
			seen++
			if refs[i].is == o && seen < len(r.objs) {
				return fmt.Sprintf("handle %#x, the same as [%d] but another object", r.raw, i)
			}
		}
	}
	r.is = o
	return ""
}

// identify finds the object that has a code among those that a handle can mean.
func (p *process) identify(r *reference, code int64) (*object, string) {
	var known []int64
	for _, o := range r.objs {
		if o.code == code {
			return o, ""
		}
		if o.code != codeUnset {
			known = append(known, o.code)
		}
	}
	for _, o := range r.objs {
		if o.code != codeUnset {
			continue
		}
		if code < 2 || code&1 == 1 {
			return nil, fmt.Sprintf("handle %#x, an object of the program", r.raw)
		}
		if other := p.reg.owners[codeKey{o.class, code}]; !p.reg.claim(o, code) {
			return nil, fmt.Sprintf("handle %#x, another object than handle %#x, which has this number", r.raw,
				other.raw)
		}
		return o, ""
	}
	return nil, fmt.Sprintf("handle %#x, %s", r.raw, codesText(known))
}

func codesText(codes []int64) string {
	s := ""
	for i, c := range codes {
		if i > 0 {
			s += " or "
		}
		s += codeText(c)
	}
	return s
}

// compareSite compares the call site, frame by frame.
func (p *process) compareSite(t *thread, c *call, a *archive.Call) {
	var words []uint64
	switch {
	case c.flags&ring.FStack != 0 && c.site != 0:
		words = p.stacks[c.site]
	case c.site != 0:
		words = []uint64{c.site}
	}
	var frames []archive.Frame
	if a.Site != nil {
		frames = a.Site.Physical()
	}
	if len(words) == 1 && ring.ParseAddress(words[0]).Class == ring.WTree {
		return // a tree of calls: what it is made of is not compared
	}
	p.report.Values++
	if len(words) != len(frames) {
		p.differ(t, c, "call site", fmt.Sprintf("%d frames", len(words)), fmt.Sprintf("%d frames", len(frames)))
		return
	}
	for i, w := range words {
		if raw, got := p.rawFrame(w), p.archiveFrame(&frames[i]); raw != got {
			p.differ(t, c, fmt.Sprintf("call site, frame %d", i), raw, got)
			return
		}
	}
}

// rawFrame and archiveFrame render a frame as module path and offset.
func (p *process) rawFrame(word uint64) string {
	a := ring.ParseAddress(word)
	if m, ok := p.modules[a.ID]; ok && (a.Class == ring.WModule || a.Class == ring.WFunction) {
		return fmt.Sprintf("%s+%#x", m, a.Off)
	}
	return fmt.Sprintf("%#x", a.Off)
}

func (p *process) archiveFrame(f *archive.Frame) string {
	if f.Module >= 0 && f.Module < len(p.data.Modules) {
		return fmt.Sprintf("%s+%#x", p.data.Modules[f.Module].Path, f.Offset)
	}
	return fmt.Sprintf("%#x", f.Offset)
}
