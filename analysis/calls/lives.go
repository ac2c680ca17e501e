package calls

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// A Life is a call that makes or ends an object.
type Life struct {
	Terminal uint32
	Event    uint64
	Class    spec.Class
	// Ends tells an end from a beginning. Ref is the object's code.
	Ends bool
	Ref  int64
}

// LifeSlot is the slot of a signature that makes or ends an object of one of the classes, -1 if there is none. Failed
// calls make and end nothing.
func LifeSlot(sig *archive.Signature, classes []spec.Class) int {
	if sig.Flags&(archive.Failed|archive.Unfinished) != 0 {
		return -1
	}
	f := spec.ByID(sig.Func)
	for i := range f.Slots {
		s := &f.Slots[i]
		if s.Class == spec.Request && !f.Has(spec.PersistentInit) && f.Op != spec.OpRequestFree {
			continue // they end by being completed
		}
		if !s.Array && slices.Contains(classes, s.Class) && (s.Life == spec.New && s.Out ||
			s.Life == spec.Free && !s.Out) {
			return i
		}
	}
	return -1
}

// Lives goes through the calls of a stream that make or end objects of some classes, in order. It takes a time
// proportional to these calls.
func Lives(s *archive.Stream, classes []spec.Class, each func(*Life)) error {
	sigs, err := s.Signatures()
	if err != nil {
		return err
	}
	wanted := make([]bool, len(sigs))
	terms := make([]*values, len(sigs))
	slots := make([]int, len(sigs))
	some := false
	for t, sig := range sigs {
		if slots[t] = LifeSlot(sig, classes); slots[t] < 0 {
			continue
		}
		wanted[t], some = true, true
		if terms[t], err = openValues(s, uint32(t), sig, []int{slots[t]}); err != nil {
			return err
		}
	}
	if !some {
		return nil
	}
	x, err := s.GrammarIndex()
	if err != nil {
		return err
	}
	for at, t := range x.NewSearch(wanted, nil).All() {
		v := terms[t]
		if err := v.next(); err != nil {
			return err
		}
		slot := &v.f.Slots[slots[t]]
		if ref, ok := v.int(slots[t]); ok && isDynamic(ref) {
			each(&Life{Terminal: t, Event: at, Class: slot.Class, Ends: slot.Life == spec.Free, Ref: ref})
		}
	}
	return nil
}
