package diff

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// callsPerTerminal is how many calls a stream has for each terminal where it is sooner found out what each terminal's
// calls may give than what each call gave.
var callsPerTerminal uint64 = 16 // but for tests a constant

// certain tells whether the results that the standard leaves open are the same in all calls of a rank, of both
// recordings, from one call site: its first outcome that differs is not looked for. False says nothing, also of what
// cannot be read.
func (k *compared) certain(rank int) bool {
	type result struct{ key, slot int }
	texts := map[result]string{}
	for _, class := range []*class{k.ka, k.kb} {
		s := class.Stream(rank)
		if s.Calls() < callsPerTerminal*uint64(len(class.terms)) {
			return false
		}
		times, err := s.Occurrences()
		if err != nil {
			return false
		}
		for t := range class.terms {
			x := &class.terms[t]
			switch {
			case times[t] == 0:
				continue
			case x.sig.Flags&archive.Polls != 0:
				return false
			case !x.kept || !x.mayBeOpen():
				continue
			}
			sig, err := class.at(uint32(t), rank)
			if err != nil {
				return false
			}
			for i := range sig.Slots {
				if !mayBeOpen(x.f, i) {
					continue
				}
				v := &sig.Slots[i]
				if hasHole(v) {
					if v = senderOf(s, x, uint32(t), i); v == nil {
						return false
					}
				}
				r, text := result{x.key, i}, openText(class, x.f, i, v)
				if before, ok := texts[r]; ok && before != text {
					return false
				}
				texts[r] = text
			}
		}
	}
	return true
}

// mayBeOpen tells whether a call has some result that the standard may leave open.
func (x *term) mayBeOpen() bool {
	for i := x.f.NumIn; i < len(x.sig.Slots); i++ {
		if mayBeOpen(x.f, i) {
			return true
		}
	}
	return false
}

// senderOf is a status with the sender, and with whether it was cancelled, of all calls of a terminal at a stream; nil
// if these may be several or cannot be read, or the slot is no status.
func senderOf(s *archive.Stream, x *term, t uint32, slot int) *archive.Value {
	if f := &x.f.Slots[slot]; f.Codec != spec.Status || f.Array {
		return nil
	}
	v := &archive.Value{Kind: archive.Stat}
	for _, field := range []int{archive.StatusSource, archive.StatusError} {
		column, err := s.Column(t, slot, field)
		if err != nil || column == nil {
			return nil
		}
		n, ok := column.Constant()
		if !ok {
			return nil
		}
		if field == archive.StatusSource {
			v.Stat.Source = int32(n)
		} else {
			v.Stat.Cancelled = n>>32 != 0
		}
	}
	return v
}
