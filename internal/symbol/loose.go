package symbol

import (
	"encoding/binary"
	"slices"

	"tabard/internal/ring"
	"tabard/spec"
	"tabard/trace"
)

// A family is the signatures that differ in values only: one function, call site, outcome, and
// kind of each value. If it grows, values leave its signatures for columns, the most
// variable ones first: a loop that sends another message each time has one signature.
type family struct {
	at   *place
	sigs []uint32
	full bool // nothing is left that could leave
}

// A place is a function and a call site. Values leave all families of a place together, so that
// a call can be recognised without them before its family is known.
type place struct {
	fams  []int
	loose uint64 // slots whose values have left
}

// MaxFamily is how many signatures a family may have; then it is brought down to a quarter of that. More
// than the 26 neighbours of a grid, since what a loop does in turn is best said by the grammar.
// Only tests change it.
var MaxFamily = 32

// Fold says that signatures are replaced: Old[i] by New[i], in whose columns the values
// are that Old[i] had and New[i] has not (AppendLoose).
type Fold struct{ Old, New []uint32 }

// A Folder is a Sink that can replace signatures in what it has been given.
type Folder interface {
	Fold(f *Fold)
}

type placeKey struct {
	fn   spec.ID
	site uint64
}

// familyOf returns the number of the family of a signature with all values, made if need be.
func (p *Process) familyOf(s *trace.Signature) int {
	b := appendKeyWord(p.famBuf[:0], uint64(s.Func)|uint64(s.Flags)<<16|uint64(s.Site)<<32)
	b = appendKeyWord(b, uint64(uint32(s.Ret)))
	for i := range s.Slots {
		kind := byte(s.Slots[i].Kind)
		if s.Slots[i].Ignored {
			kind |= 128
		}
		b = append(b, kind)
	}
	p.famBuf = b
	n, ok := p.famIDs[string(b)]
	if !ok {
		n = p.newFamily(string(b))
		p.journalText(journalFamily, 0, string(b))
	}
	return n
}

func (p *Process) newFamily(key string) int {
	n := len(p.fams)
	w := binary.LittleEndian.Uint64([]byte(key))
	k := placeKey{fn: spec.ID(w)}
	if site := w >> 32; site > 0 && site <= uint64(len(p.siteWords)) {
		k.site = p.siteWords[site-1]
	}
	at := p.places[k]
	if at == nil {
		at = &place{}
		p.places[k] = at
	}
	at.fams = append(at.fams, n)
	p.fams = append(p.fams, &family{at: at})
	p.famIDs[key] = n
	return n
}

// loosen moves the values of s that have left the signatures to p.cols. Those that are
// columns by nature are there already, those of slot i up to p.ends[i]. It reports false if a
// value had to stay.
func (p *Process) loosen(s *trace.Signature, mask uint64) (all bool) {
	all = true
	f := spec.ByID(s.Func)
	old := append([]int64(nil), p.cols...)
	p.cols = p.cols[:0]
	from := 0
	for i := range s.Slots {
		v := &s.Slots[i]
		p.cols = append(p.cols, old[from:p.ends[i]]...)
		from = p.ends[i]
		if mask>>uint(i)&1 == 0 || !inColumn(v) || v.Kind == trace.Hole {
			continue
		}
		if !canLeave(&f.Slots[i], v) {
			all = false
			continue
		}
		p.cols = p.AppendLoose(p.cols, &f.Slots[i], v)
		*v = trace.Value{Kind: trace.Hole}
	}
	return all
}

// AppendLoose appends the values that a signature's value becomes in columns.
func (p *Process) AppendLoose(cols []int64, sl *spec.Slot, v *trace.Value) []int64 {
	switch v.Kind {
	case trace.Ints:
		cols = append(cols, int64(len(v.Ints)))
		for _, x := range v.Ints {
			if sl.Codec == spec.Displacement {
				x &= 1<<60 - 1 // the segment word of a literal
			}
			cols = append(cols, x)
		}
	case trace.List:
		cols = append(cols, int64(len(v.List)))
		for i := range v.List {
			cols = p.AppendLoose(cols, sl, &v.List[i])
		}
	case trace.Addr:
		cols = append(cols, int64(ring.Address{Class: uint8(v.Mem), ID: v.Seg, Off: v.N}.Word()))
	case trace.Str:
		cols = append(cols, p.internString(v.Str))
	default:
		cols = append(cols, v.N)
	}
	return cols
}

// canLeave reports whether a value may go to columns.
func canLeave(sl *spec.Slot, v *trace.Value) bool {
	switch v.Kind {
	case trace.Int:
		return !sl.Array && sl.Codec == spec.Int
	case trace.Float, trace.Addr:
		return !sl.Array
	case trace.Ref:
		return !sl.Array && v.N >= 0
	case trace.Str:
		return sl.Codec == spec.String
	case trace.Ints:
		if sl.Codec != spec.Int && sl.Codec != spec.Displacement {
			return false
		}
		for _, x := range v.Ints {
			if sl.Codec == spec.Displacement && x<<4>>4 != x {
				return false
			}
		}
		return sl.Array
	case trace.List:
		if !sl.Array || sl.Codec != spec.Handle && sl.Codec != spec.Displacement && sl.Codec != spec.Address {
			return false
		}
		for i := range v.List {
			if k := v.List[i].Kind; k != trace.Ref && k != trace.Addr {
				return false
			}
		}
		return true
	}
	return false
}

// note puts a new signature into its family.
func (p *Process) note(fam int, id uint32) {
	f := p.fams[fam]
	f.sigs = append(f.sigs, id)
	if len(f.sigs) > MaxFamily && !f.full {
		p.due = fam
	}
}

// relieve makes values leave the signatures of the family that has grown too large.
func (p *Process) relieve(sink Sink) {
	fam := p.due
	p.due = -1
	if len(p.fams[fam].sigs) <= MaxFamily { // seen to, in a journal
		return
	}
	if fold := p.shrink(fam); fold != nil {
		if f, ok := sink.(Folder); ok {
			f.Fold(fold)
		}
	}
}

func (p *Process) shrink(fam int) *Fold {
	f := p.fams[fam]
	sigs := p.parsed(f)
	mask := leaving(sigs)
	if mask == 0 {
		f.full = true
		return nil
	}
	p.journalLoose(fam, mask)
	return p.apply(f.at, mask)
}

func (p *Process) parsed(f *family) []*trace.Signature {
	sigs := make([]*trace.Signature, len(f.sigs))
	for i, id := range f.sigs {
		s, err := trace.ParseSignature([]byte(p.sigs[id]))
		if err != nil {
			panic("internal error: own signature: " + err.Error())
		}
		sigs[i] = s
	}
	return sigs
}

// leaving chooses the slots whose values leave: the most variable first, until few signatures are left.
func leaving(sigs []*trace.Signature) uint64 {
	fn := spec.ByID(sigs[0].Func)
	distinct := make([]int, len(fn.Slots)) // 0: has to stay
	for i := range fn.Slots {
		seen := map[string]bool{}
		for _, s := range sigs {
			if i >= 64 || !canLeave(&fn.Slots[i], &s.Slots[i]) {
				seen = nil
				break
			}
			seen[string(trace.AppendValue(nil, &s.Slots[i]))] = true
		}
		distinct[i] = len(seen)
	}
	mask := uint64(0)
	for {
		best := 0
		for i, n := range distinct {
			if n > distinct[best] {
				best = i
			}
		}
		if distinct[best] < 2 {
			return mask
		}
		mask |= 1 << uint(best)
		distinct[best] = 0
		left := map[string]bool{}
		for _, s := range sigs {
			left[string(without(s, mask).Append(nil))] = true
		}
		if len(left) <= MaxFamily/4 {
			return mask
		}
	}
}

// without is s with some values in columns, as far as they can leave.
func without(s *trace.Signature, mask uint64) *trace.Signature {
	w := *s
	w.Slots = append([]trace.Value(nil), s.Slots...)
	f := spec.ByID(s.Func)
	for i := range w.Slots {
		if mask>>uint(i)&1 != 0 && canLeave(&f.Slots[i], &w.Slots[i]) {
			w.Slots[i] = trace.Value{Kind: trace.Hole}
		}
	}
	return &w
}

// apply makes the slots of mask leave a place.
func (p *Process) apply(at *place, mask uint64) *Fold {
	fold := &Fold{}
	at.loose |= mask
	for _, n := range at.fams {
		f := p.fams[n]
		sigs, old := p.parsed(f), f.sigs
		f.sigs = nil
		for i, s := range sigs {
			id := p.internQuietly(without(s, mask).Append(nil))
			if !slices.Contains(f.sigs, id) {
				f.sigs = append(f.sigs, id)
			}
			if id != old[i] {
				fold.Old, fold.New = append(fold.Old, old[i]), append(fold.New, id)
			}
			p.setLoose(s.Func)
		}
	}
	p.forget()
	return fold
}

func (p *Process) setLoose(fn spec.ID) {
	if int(fn) >= len(p.looseFns) {
		p.looseFns = append(p.looseFns, make([]bool, int(fn)+1-len(p.looseFns))...)
	}
	p.looseFns[fn] = true
}

// forget makes the cache learn everything anew.
func (p *Process) forget() {
	p.cache = cache{}
	p.gen++
	for _, t := range p.threads {
		t.last = nil
		clear(t.short)
		t.consts = t.consts[:0]
		for _, c := range t.open[:t.n] { // as after a restart
			if p.resolve(c) != nil { // now: what its handles mean may change before it returns
				continue // it was decoded before: cannot happen
			}
			c.ent, c.restored, c.loose = nil, true, p.looseAt(c.plan.f.ID, c.site)
		}
	}
}

// looseAt is the slots that have left the signatures of calls from a place.
func (p *Process) looseAt(fn spec.ID, site uint64) uint64 {
	if int(fn) >= len(p.looseFns) || !p.looseFns[fn] {
		return 0
	}
	if at := p.places[placeKey{fn, site}]; at != nil {
		return at.loose
	}
	return 0
}

// appendEntry appends the column values of entry slot i of a call that the cache knows.
func (p *Process) appendEntry(c *call, i int, r ring.Raw) {
	s := &c.plan.f.Slots[i]
	if s.Codec != spec.Handle {
		p.appendCols(s, r)
		return
	}
	n := 1
	if s.Array {
		n = r.N
		p.cols = append(p.cols, int64(n))
	}
	for k := range n {
		if s.Class == spec.Request && k < len(c.reqs) {
			p.cols = append(p.cols, c.reqs[k].code)
		} else {
			p.cols = append(p.cols, p.lookup(s.Class, r.Data[k]))
		}
	}
}
