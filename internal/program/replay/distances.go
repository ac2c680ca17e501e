package replay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/spec"
)

// Distances that datatypes lead over.
const (
	farAway   = 1 << 36 // nearer memory is in the range of all segments
	userSpace = 1 << 47 // no distance is larger
	farMargin = 1 << 28 // what lies there is no longer than that, or than its blocks of largeItem bytes
	largeItem = 64
	smallType = 1 << 16 // displacements below are taken for those in a block
)

// A distance is a range of displacements.
type distance struct{ low, high int64 }

// findFar finds the displacements in datatypes that lead out of the range of memory that the
// executor has for all segments: from the heap to a stack, or to another part of the heap. Others may lead out of a
// block into the range, but not where the library allocated the block.
func (l *lowering) findFar() error {
	threads := l.o.Threads // datatypes of one are used by others
	if len(threads) == 0 {
		threads = []*archive.Stream{l.s}
	}
	var list []distance
	for _, s := range threads {
		more, err := l.distances(s)
		if err != nil {
			return err
		}
		list = joined(append(list, more...))
	}
	l.far = -1
	if len(list) == 0 {
		return nil
	}
	var words []int64
	for _, d := range list {
		words = append(words, d.low, d.high)
	}
	l.far = l.t.array(words)
	return nil
}

// distances are those that the datatypes of a stream lead over, if they are large.
func (l *lowering) distances(s *archive.Stream) ([]distance, error) {
	var list []distance
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	for t, sig := range sigs {
		f := program.FuncOf(sig.Func)
		if f.Makes() != spec.Type {
			continue
		}
		margin := int64(farMargin)
		for slot := range f.Slots[:f.NumIn] {
			name := archive.SlotName(f.Func, &f.Slots[slot])
			if !strings.HasPrefix(name, "array_of_blocklengths") && name != "blocklength" {
				continue
			}
			longer := func(n int64) { margin = max(margin, min(n, farAway/largeItem)*largeItem) }
			if err := each(s, sig, t, slot, longer); err != nil {
				return nil, err
			}
		}
		for slot := range f.Slots[:f.NumIn] {
			if name := archive.SlotName(f.Func, &f.Slots[slot]); name != "array_of_displacements" && name != "stride" {
				continue
			}
			err := each(s, sig, t, slot, func(n int64) {
				l.leads = l.leads || n < 0 || n >= smallType
				if (n >= farAway || n <= -farAway) && n > -userSpace && n < userSpace {
					list = append(list, distance{n - farMargin, n + margin})
				}
			})
			if err != nil {
				return nil, err
			}
			list = joined(list)
		}
	}
	return list, nil
}

// joined is what is in ranges, in order.
func joined(list []distance) []distance {
	slices.SortFunc(list, func(a, b distance) int { return cmp.Compare(a.low, b.low) })
	out := list[:0]
	for _, d := range list {
		if n := len(out); n > 0 && d.low <= out[n-1].high {
			out[n-1].high = max(out[n-1].high, d.high)
		} else {
			out = append(out, d)
		}
	}
	return out
}

// each calls f with the plain numbers that a slot of a terminal has in all calls.
func each(s *archive.Stream, sig *archive.Signature, t, slot int, f func(n int64)) error {
	v, codec := &sig.Slots[slot], spec.ByID(sig.Func).Slots[slot].Codec
	one := func(v *archive.Value) {
		if v.Kind == archive.Int || v.Kind == archive.Addr && v.Mem == archive.Literal {
			f(v.N)
		}
	}
	switch v.Kind {
	case archive.Ints:
		for _, n := range v.Ints {
			f(n)
		}
	case archive.List:
		for i := range v.List {
			one(&v.List[i])
		}
	case archive.Hole:
		col, err := s.Column(uint32(t), slot, 0)
		if err != nil || col == nil {
			return err
		}
		c := column{col: col, name: "displacements"}
		for range col.Len() {
			w, err := c.next()
			if err != nil {
				return err
			}
			if codec != spec.Displacement {
				f(w)
			} else if v := archive.AddressOf(w); v.Mem == archive.Literal {
				f(v.N)
			}
		}
	default:
		one(v)
	}
	return nil
}

// usesDatatype tells whether a call uses memory by a datatype of the program.
func usesDatatype(f *program.Func, sig *archive.Signature) bool {
	for i := range f.Params {
		p := &f.Params[i]
		if p.Role != program.Buffer || p.BufType < 0 {
			continue
		}
		slot := f.Params[p.BufType].Before
		if slot < 0 || slot >= len(sig.Slots) {
			continue
		}
		switch v := &sig.Slots[slot]; v.Kind {
		case archive.Hole, archive.List:
			return true
		case archive.Ref:
			if v.N > 0 && v.N%2 == 0 {
				return true
			}
		}
	}
	return false
}
