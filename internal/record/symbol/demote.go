package symbol

import (
	"encoding/binary"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// A signatureFamily is the signatures that differ in values only: one function, call site, outcome,
// and kind of each value. If it grows, values leave its signatures for columns, the most variable
// ones first. So a loop that sends another message each time has one signature.
type signatureFamily struct {
	at   *place
	sigs []uint32
	full bool // nothing is left that could leave
}

// A place is a function and a call site. Values leave all families of a place together, so that
// a call can be recognised without them before its family is known.
type place struct {
	fams    []int
	demoted uint64 // slots whose values have left
}

// MaxFamily is how many signatures a family may have. A larger one is brought down to a quarter of
// that. It is more than the 26 neighbours in a grid, since the grammar says best what a loop does
// in turn. Only tests change it.
var MaxFamily = 32

// moreNames is how many times as many signatures of what is told by a name in it may have: one function may begin all
// regions of a program, such as a context manager of Python, and all kernels of a queue have one place.
const moreNames = 32

// isNamed tells the functions whose names in them are what the program is asked about: of regions, and of kernels.
func isNamed(f *spec.Func) bool { return f.Shape == spec.ShapeOpen || f.Kernel() >= 0 }

// fewRequests is how many signatures a family may have whose calls are given several requests. Which they are depends
// on what was completed before, and follows from that: as columns they cost next to nothing, and what the ranks of an
// irregular program do has one structure.
const fewRequests = 4

func takesRequests(f *spec.Func) bool {
	return slices.ContainsFunc(f.Slots[:f.NumIn], func(s spec.Slot) bool { return s.Class == spec.Request && s.Array })
}

// mostOf is how many signatures a family of a function may have.
func mostOf(fn spec.ID) int {
	switch f := spec.ByID(fn); {
	case isNamed(f):
		return min(MaxFamily, 1<<16) * moreNames
	case takesRequests(f):
		return min(MaxFamily, fewRequests)
	}
	return MaxFamily
}

// Replacement says that signatures are replaced, Old[i] by New[i]. The values that Old[i] had and
// New[i] lacks are in the columns of New[i] (AppendToColumns).
type Replacement struct{ Old, New []uint32 }

// A Replacer is a Sink that can replace signatures in what it has been given.
type Replacer interface {
	Replace(r *Replacement)
}

// families are the families of a process's signatures.
type families struct {
	of     *interned
	fams   []*signatureFamily
	famIDs map[string]int
	famBuf []byte
	places map[placeKey]*place
	near   [64]struct { // those of places that were asked for last
		key placeKey
		at  *place
	}
	demotedFns []bool // by function: values have left at some place
	due        int    // family that has grown too large, -1 none
}

func newFamilies(of *interned) families {
	return families{of: of, famIDs: map[string]int{}, places: map[placeKey]*place{}, due: -1}
}

type placeKey struct {
	fn   spec.ID
	site uint64
}

// familyOf returns the number of the family of a signature with all values, made if need be.
func (x *families) familyOf(s *archive.Signature) int {
	b := appendKeyWord(x.famBuf[:0], uint64(s.Func)|uint64(s.Flags)<<16|uint64(s.Site)<<32)
	b = appendKeyWord(b, uint64(uint32(s.Ret)))
	for i := range s.Slots {
		kind := byte(s.Slots[i].Kind)
		if s.Slots[i].Ignored {
			kind |= 128
		}
		b = append(b, kind)
	}
	x.famBuf = b
	n, ok := x.famIDs[string(b)]
	if !ok {
		n = x.newFamily(string(b))
		x.of.journalText(journalFamily, 0, string(b))
	}
	return n
}

func (x *families) newFamily(key string) int {
	n := len(x.fams)
	w := binary.LittleEndian.Uint64([]byte(key))
	k := placeKey{fn: spec.ID(w)}
	if site := w >> 32; site > 0 && site <= uint64(len(x.of.siteWords)) {
		k.site = x.of.siteWords[site-1]
	}
	at := x.places[k]
	if at == nil {
		at = &place{}
		x.places[k] = at
	}
	at.fams = append(at.fams, n)
	x.fams = append(x.fams, &signatureFamily{at: at})
	x.famIDs[key] = n
	return n
}

// toColumns moves the values of s that have left the signatures to p.cols. Those that are
// columns by nature are there already, those of slot i up to p.ends[i]. It reports false if a
// value had to stay.
func (p *Process) toColumns(s *archive.Signature, mask uint64) (all bool) {
	all = true
	f := spec.ByID(s.Func)
	old := append([]int64(nil), p.cols...)
	p.cols = p.cols[:0]
	from := 0
	for i := range s.Slots {
		v := &s.Slots[i]
		p.cols = append(p.cols, old[from:p.ends[i]]...)
		from = p.ends[i]
		if mask>>uint(i)&1 == 0 || !inColumn(v) || v.Kind == archive.Hole {
			continue
		}
		if !canLeave(&f.Slots[i], v) {
			all = false
			continue
		}
		p.cols = p.AppendToColumns(p.cols, &f.Slots[i], v)
		*v = archive.Value{Kind: archive.Hole}
	}
	return all
}

// AppendToColumns appends the values that a signature's value becomes in columns.
func (p *Process) AppendToColumns(cols []int64, sl *spec.Slot, v *archive.Value) []int64 {
	switch v.Kind {
	case archive.Ints:
		cols = append(cols, int64(len(v.Ints)))
		for _, x := range v.Ints {
			if sl.Codec == spec.Displacement {
				x &= 1<<60 - 1 // the segment word of a literal
			}
			cols = append(cols, x)
		}
	case archive.List:
		cols = append(cols, int64(len(v.List)))
		for i := range v.List {
			cols = p.AppendToColumns(cols, sl, &v.List[i])
		}
	case archive.Addr:
		cols = append(cols, int64(ring.Address{Class: uint8(v.Mem), ID: v.Seg, Off: v.N}.Word()))
	case archive.Str:
		cols = append(cols, p.internString(v.Str))
	default:
		cols = append(cols, v.N)
	}
	return cols
}

// canLeave reports whether a value may go to columns.
func canLeave(sl *spec.Slot, v *archive.Value) bool {
	switch v.Kind {
	case archive.Int:
		return !sl.Array && sl.Codec == spec.Int
	case archive.Float, archive.Addr:
		return !sl.Array
	case archive.Ref:
		return !sl.Array && v.N >= 0
	case archive.Str:
		return sl.Codec == spec.String
	case archive.Ints:
		if sl.Codec != spec.Int && sl.Codec != spec.Displacement {
			return false
		}
		for _, x := range v.Ints {
			if sl.Codec == spec.Displacement && x<<4>>4 != x {
				return false
			}
		}
		return sl.Array
	case archive.List:
		if !sl.Array || sl.Codec != spec.Handle && sl.Codec != spec.Displacement && sl.Codec != spec.Address {
			return false
		}
		for i := range v.List {
			if k := v.List[i].Kind; k != archive.Ref && k != archive.Addr {
				return false
			}
		}
		return true
	}
	return false
}

// note puts a new signature into its family.
func (x *families) note(fam int, id uint32) {
	f := x.fams[fam]
	f.sigs = append(f.sigs, id)
	if len(f.sigs) > min(MaxFamily, fewRequests) && !f.full && len(f.sigs) > mostOf(x.of.sigs[id].Func) {
		x.due = fam
	}
}

// relieve makes values leave the signatures of the family that has grown too large.
func (p *Process) relieve(sink Sink) {
	fam := p.due
	p.due = -1
	if s := p.fams[fam].sigs; len(s) <= mostOf(p.of.sigs[s[0]].Func) { // seen to, in a journal
		return
	}
	if r := p.shrink(fam); r != nil {
		if f, ok := sink.(Replacer); ok {
			f.Replace(r)
		}
	}
}

func (p *Process) shrink(fam int) *Replacement {
	f := p.fams[fam]
	mask := leaving(p.signaturesOf(f))
	if mask == 0 {
		f.full = true
		return nil
	}
	p.journalDemote(fam, mask)
	return p.demote(f.at, mask)
}

func (x *families) signaturesOf(f *signatureFamily) []*archive.Signature {
	sigs := make([]*archive.Signature, len(f.sigs))
	for i, id := range f.sigs {
		sigs[i] = x.of.sigs[id]
	}
	return sigs
}

// leaving chooses the slots whose values leave: the most variable first, names that tell what is done last, until few
// signatures are left.
func leaving(sigs []*archive.Signature) uint64 {
	fn, few := spec.ByID(sigs[0].Func), mostOf(sigs[0].Func)/4
	distinct := make([]int, len(fn.Slots)) // 0: has to stay
	name := func(i int) bool { return isNamed(fn) && fn.Slots[i].Codec == spec.String }
	for i := range fn.Slots {
		seen := map[string]bool{}
		for _, s := range sigs {
			if i >= 64 || !canLeave(&fn.Slots[i], &s.Slots[i]) {
				seen = nil
				break
			}
			seen[string(archive.AppendValue(nil, &s.Slots[i]))] = true
		}
		distinct[i] = len(seen)
	}
	mask := uint64(0)
	for {
		best := -1
		for i, n := range distinct {
			if n > 1 && (best < 0 || name(best) && !name(i) || name(best) == name(i) && n > distinct[best]) {
				best = i
			}
		}
		if best < 0 {
			return mask
		}
		mask |= 1 << uint(best)
		distinct[best] = 0
		left := map[string]bool{}
		for _, s := range sigs {
			left[string(without(s, mask).Append(nil))] = true
		}
		if len(left) <= few {
			return mask
		}
	}
}

// without is s with some values in columns, as far as they can leave.
func without(s *archive.Signature, mask uint64) *archive.Signature {
	w := *s
	w.Slots = append([]archive.Value(nil), s.Slots...)
	f := spec.ByID(s.Func)
	for i := range w.Slots {
		if mask>>uint(i)&1 != 0 && canLeave(&f.Slots[i], &w.Slots[i]) {
			w.Slots[i] = archive.Value{Kind: archive.Hole}
		}
	}
	return &w
}

// demote makes the slots of mask leave the signatures of a place.
func (p *Process) demote(at *place, mask uint64) *Replacement {
	r := &Replacement{}
	at.demoted |= mask
	for _, n := range at.fams {
		f := p.fams[n]
		sigs, old := p.signaturesOf(f), f.sigs
		f.sigs = nil
		for i, s := range sigs {
			id, _ := p.number(without(s, mask))
			if !slices.Contains(f.sigs, id) {
				f.sigs = append(f.sigs, id)
			}
			if id != old[i] {
				r.Old, r.New = append(r.Old, old[i]), append(r.New, id)
			}
			p.setDemoted(s.Func)
		}
	}
	p.forget()
	return r
}

func (x *families) setDemoted(fn spec.ID) {
	if int(fn) >= len(x.demotedFns) {
		x.demotedFns = append(x.demotedFns, make([]bool, int(fn)+1-len(x.demotedFns))...)
	}
	x.demotedFns[fn] = true
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
			c.ent, c.restored, c.demoted = nil, true, p.demotedAt(c.plan.f.ID, c.site)
		}
	}
}

// demotedAt is the slots that have left the signatures of calls from a place.
func (x *families) demotedAt(fn spec.ID, site uint64) uint64 {
	if int(fn) >= len(x.demotedFns) || !x.demotedFns[fn] {
		return 0
	}
	key := placeKey{fn, site}
	near := &x.near[(site^uint64(fn))*mul1>>58]
	if near.at == nil || near.key != key { // maps are slow
		at := x.places[key]
		if at == nil {
			return 0
		}
		near.key, near.at = key, at
	}
	return near.at.demoted
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

// appendKeyWord is for shapes of calls and keys of families.
func appendKeyWord(b []byte, w uint64) []byte { return binary.LittleEndian.AppendUint64(b, w) }
