package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// completes tells whether the results of a function depend on what is complete or has
// arrived at that moment.
func completes(f *spec.Func) bool {
	switch f.Op {
	case spec.OpComplete, spec.OpQuery, spec.OpProbe, spec.OpMatchedProbe, spec.OpSingle:
		return true
	}
	return f.Has(spec.Poll)
}

// softSlots tells which slots of a call the standard leaves open, or the machine decides.
func softSlots(f *spec.Func, sig *archive.Signature, rerun bool) []bool {
	soft := make([]bool, len(f.Slots))
	wild := f.Has(spec.Environment) || completes(f)
	for i := range f.Slots {
		s := &f.Slots[i]
		out := i >= f.NumIn
		switch {
		case s.Class == spec.Request || s.Class == spec.Message || s.Codec == spec.Float:
			soft[i] = true
		case rerun && process(f, s):
			soft[i] = true
		case out && wild:
			soft[i] = true
		case rerun && out && f.Has(spec.ReadsStatus):
			soft[i] = true // a status is compared at the call that filled it in
		case s.Codec == spec.Status:
			// Wildcards are in the values; columns of statuses have several senders.
			soft[i] = true
			if i < len(sig.Slots) {
				soft[i] = sig.Slots[i].Kind != archive.Stat || wildcard(f, sig)
			}
		case s.Param >= 0 && (f.Params[s.Param].Name == "errorcode" || f.Params[s.Param].Name == "errorclass") &&
			f.Op != spec.OpAbort:
			soft[i] = true // made up by the library, some anew in each run
		case s.Param >= 0 && callback(f.Params[s.Param].Name):
			soft[i] = true // of the predefined ones some are NULL and some functions
		case s.Codec == spec.String && s.Param >= 0 && f.Params[s.Param].Name == "port_name":
			soft[i] = true
		case s.Codec == spec.Address && out:
			soft[i] = true
		}
	}
	return soft
}

func callback(name string) bool {
	return strings.HasSuffix(name, "_fn") || strings.HasSuffix(name, "_function")
}

// wildcard tells whether a receive has a source or tag that is not a plain number.
func wildcard(f *spec.Func, sig *archive.Signature) bool {
	for i := range sig.Slots[:min(f.NumIn, len(sig.Slots))] {
		name := archive.SlotName(f, &f.Slots[i])
		v := &sig.Slots[i]
		if (name == "source" || name == "tag" || name == "recvtag") && (v.Kind != archive.Int || v.N < 0) {
			return true
		}
	}
	return false
}

// text is a value as it is compared and shown: constants by name, without what depends on the
// machine.
func (s *side) text(f *spec.Func, slot int, v *archive.Value) string {
	if v.Kind == archive.Addr && v.Mem != archive.Literal {
		return memoryText(v)
	}
	if s.rerun && v.Kind == archive.Addr && far(v) {
		return "memory" // of a class of its own there, static data or stack here
	}
	if s.rerun && fileName(f, &f.Slots[slot]) {
		v = base(v)
	}
	if v.Kind == archive.Ints && len(v.Ints) == 0 || v.Kind == archive.List && len(v.List) == 0 {
		return "-" // whether an array without elements is NULL means nothing
	}
	if v.Kind == archive.Ints && f.Has(spec.Unordered) && slot >= f.NumIn {
		return fmt.Sprint(slices.Sorted(slices.Values(v.Ints))) // their order is the library's
	}
	if name := archive.SlotName(f, &f.Slots[slot]); v.Kind == archive.Ints && (strings.HasSuffix(name, "weights") ||
		name == "ranges") {
		return fmt.Sprint(v.Ints) // numbers, whatever constants stand for the array or a rank
	}
	if v.Kind == archive.List && len(v.List) > 0 && f.Op == spec.OpInit &&
		archive.SlotName(f, &f.Slots[slot]) == "argv" {
		v = &archive.Value{Kind: archive.List, List: v.List[1:]} // programs move
	}
	if v.Kind == archive.List && len(v.List) > 0 && v.List[0].Kind == archive.Addr {
		parts := make([]string, len(v.List))
		for i := range v.List {
			parts[i] = s.text(f, slot, &v.List[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return archive.FormatValue(s.abi, f, &f.Slots[slot], v)
}

// equalNumbers tells whether two values of one slot are numbers that have the same text, without making it.
func (c *comparison) equalNumbers(x, y *archive.Value) bool {
	return x.Kind == archive.Int && y.Kind == archive.Int && x.N == y.N && x.Ignored == y.Ignored &&
		c.sides[0].abi == c.sides[1].abi
}

// far tells whether a number may be an address, or the difference of two.
func far(v *archive.Value) bool { return v.N >= 1<<40 || v.N <= -1<<40 }

// elements are the values of an array of addresses or numbers, nil for other values.
func elements(v *archive.Value) []archive.Value {
	if v.Kind == archive.Ints {
		list := make([]archive.Value, len(v.Ints))
		for i, n := range v.Ints {
			list[i] = archive.Value{Kind: archive.Int, N: n}
		}
		return list
	}
	if v.Kind == archive.List {
		return v.List
	}
	return nil
}

// addresses tells whether two values differ only in addresses, which mean nothing in another
// process.
func addresses(a, b *archive.Value) bool {
	if x, y := elements(a), elements(b); x != nil && len(x) == len(y) {
		some := false
		for i := range x {
			p, q := &x[i], &y[i]
			if addresses(p, q) {
				some = true
			} else if p.Kind != q.Kind || p.Mem != q.Mem || p.N != q.N ||
				p.Kind != archive.Int && p.Kind != archive.Addr {
				return false
			}
		}
		return some
	}
	inMemory := func(v *archive.Value) bool { return v.Kind == archive.Addr && v.Mem != archive.Literal }
	// Displacements in dynamic windows and datatypes may be addresses, in parts or differences of
	// them.
	number := func(v *archive.Value) bool {
		return (v.Kind == archive.Int || v.Kind == archive.Addr && v.Mem == archive.Literal) && far(v)
	}
	if number(a) && (number(b) || inMemory(b)) || number(b) && inMemory(a) {
		return true
	}
	return inMemory(a) && inMemory(b) && (a.Mem != archive.Heap || b.Mem != archive.Heap)
}
