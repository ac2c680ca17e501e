package verify

import (
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// apply follows what a call did to objects when it returned: first what it ended, then what it
// created. compare is called for every return slot, when the objects in it are known and before a
// later call ends them. It is nil for calls that the archive does not show.
func (p *process) apply(c *call, ret int32, raws []ring.Raw, compare func(slot int)) {
	c.release()
	after := p.requestsAfter(c, raws)
	for i := range c.entry {
		s := &c.f.Slots[i]
		switch {
		case s.Codec != spec.Handle || !raws[i].Present:
		case s.Life == spec.Free && ret == 0:
			for _, r := range c.refs[i] {
				p.drop(r, 1)
			}
		case s.Life == spec.Complete:
			for _, k := range completed(c.f, ret, raws, len(c.refs[i]), after) {
				if k >= 0 && k < len(c.refs[i]) {
					p.complete(c.refs[i][k])
				}
			}
		}
	}
	for i := len(c.entry); i < len(raws); i++ {
		s := &c.f.Slots[i]
		if s.Codec == spec.Handle && raws[i].Present {
			p.results(c, i, raws[i], compare != nil)
		}
		if compare != nil {
			compare(i)
		}
	}
}

// drop takes a reference off the object that a call freed.
func (p *process) drop(r reference, n int) {
	o := r.is
	if o == nil && len(r.objs) == 1 {
		o = r.objs[0]
	}
	if o == nil {
		if len(r.objs) > 1 {
			p.reg.endOne(r.objs[0].class, r.raw)
		}
		return
	}
	if o.refs -= n; o.refs <= 0 {
		p.reg.remove(o)
	}
}

// complete ends a request, unless it is persistent.
func (p *process) complete(r reference) {
	for _, o := range r.objs {
		if o.persistent && (r.is == nil || r.is == o) {
			return
		}
	}
	p.drop(r, 1)
}

// requestsAfter lists, for a completion call that failed, which requests it
// nevertheless ended: those that are null afterwards. Nil if it did not fail.
func (p *process) requestsAfter(c *call, raws []ring.Raw) []bool {
	for i := len(c.entry); i < len(raws); i++ {
		s := &c.f.Slots[i]
		if s.Codec != spec.Handle || s.Class != spec.Request || !s.OnError || !raws[i].Present {
			continue
		}
		words := handles(s, raws[i])
		gone := make([]bool, len(words))
		for k, w := range words {
			gone[k] = p.isNull(spec.Request, w)
		}
		return gone
	}
	return nil
}

func (p *process) isNull(class spec.Class, raw uint64) bool {
	for _, code := range p.reg.predef(class, raw) {
		if code == 0 {
			return true
		}
	}
	return false
}

// completed lists the positions of the requests that a completion call
// completed (MPI 4.0, section 3.7.5). n is the number of requests.
func completed(f *spec.Func, ret int32, raws []ring.Raw, n int, after []bool) []int {
	if ret != 0 {
		var ks []int
		for k, gone := range after {
			if gone {
				ks = append(ks, k)
			}
		}
		return ks
	}
	if f.Op != spec.OpComplete || f.Slot(spec.RoleFlag) >= 0 && result(f, raws, "flag") == 0 {
		return nil
	}
	switch f.Which {
	case spec.WhichOne, spec.WhichAll:
		return upTo(n)
	case spec.WhichAny:
		return []int{int(result(f, raws, "index"))}
	case spec.WhichSome:
		i := f.Slot(spec.RoleIndex)
		if i < 0 || !raws[i].Present {
			return nil
		}
		ks := make([]int, raws[i].N)
		for k := range ks {
			ks[k] = int(raws[i].At(k))
		}
		return ks
	}
	return nil
}

func upTo(n int) []int {
	ks := make([]int, n)
	for i := range ks {
		ks[i] = i
	}
	return ks
}

// slotNamed gives the return slot of the parameter with a name, -1 if none.
func slotNamed(f *spec.Func, name string) int {
	for i := f.NumIn; i < len(f.Slots); i++ {
		if k := f.Slots[i].Param; k >= 0 && f.Params[k].Name == name {
			return i
		}
	}
	return -1
}

// result gives an integer that a call returned through a pointer, -1 if it returned none. -1 is no
// index, and a flag with this value counts as true: a flag that is absent was not asked for.
func result(f *spec.Func, raws []ring.Raw, name string) int64 {
	i := slotNamed(f, name)
	if i < 0 || !raws[i].Present {
		return -1
	}
	return int64(raws[i].Word())
}

// results makes the objects that a call returned.
func (p *process) results(c *call, slot int, raw ring.Raw, shown bool) {
	s := &c.f.Slots[slot]
	words := handles(s, raw)
	refs := make([]reference, len(words))
	for k, w := range words {
		refs[k] = p.result(c, s, k, w, shown)
	}
	p.returned = refs
}

// result says what one returned handle can mean.
func (p *process) result(c *call, s *spec.Slot, k int, raw uint64, shown bool) reference {
	r := reference{raw: raw}
	live := p.reg.live(s.Class, raw)
	predefined := len(p.reg.predef(s.Class, raw)) > 0
	switch {
	case creates(s.Life) && counted(s.Class) && len(live) > 0:
		// One more reference to an existing object. The caller of a type constructor may also get a
		// type whose end was not seen.
		live[0].refs++
		r.objs = live
	case creates(s.Life) && predefined:
	case creates(s.Life):
		o := p.reg.add(s.Class, raw)
		o.persistent = c.f.Has(spec.PersistentInit) && s.Class == spec.Request
		o.send = s.Class == spec.Request && startsSend(c.f)
		o.wild = s.Class == spec.Request && p.takesAny(c)
		r.objs = []*object{o}
	default:
		if in := p.entryObject(c, s, k); in != nil && len(live) == 0 && !predefined && !in.dead {
			p.reg.move(in, raw)
		}
		r.objs = p.meaning(s.Class, raw)
	}
	return r
}

func creates(l spec.Life) bool {
	return l == spec.New || l == spec.NewRef || l == spec.NewIfDerived
}

// counted classes may return the same handle again for the same object; each
// reference is freed on its own (MPI 4.0, 7.3.2 and 9.3; the constituents that
// MPI_Type_get_contents returns).
func counted(c spec.Class) bool {
	return c == spec.Group || c == spec.Errhandler || c == spec.Type
}

// entryObject gives the object that element k of the same parameter meant on entry.
func (p *process) entryObject(c *call, s *spec.Slot, k int) *object {
	for i := range c.entry {
		if c.f.Slots[i].Param != s.Param || c.f.Slots[i].Codec != spec.Handle || k >= len(c.refs[i]) {
			continue
		}
		r := c.refs[i][k]
		if r.is != nil {
			return r.is
		}
		if len(r.objs) == 1 {
			return r.objs[0]
		}
	}
	return nil
}
