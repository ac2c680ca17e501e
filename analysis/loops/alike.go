package loops

import (
	"tabard/spec"
	"tabard/trace"
)

// Most streams of a class of the archive differ in single numbers at most. What they have in common
// is looked at once, so that many ranks cost little more than a few.

// alike is what the streams of a class of the archive share, as far as it is asked for.
type alike struct {
	data    *trace.ClassData
	shape   []int32 // of terminals; nil if ranks may differ
	grammar *trace.Grammar
	calls   uint64
	same    bool // calls is that of all streams

	sigs  []*trace.Signature // of one stream; nil if not asked for
	slots [][]slotValue      // by terminal and slot: how values differ
}

// slotValue is how the value of a slot differs between ranks.
type slotValue uint8

const (
	sameValues slotValue = iota
	oneNumber            // an integer; the parameter of its leaf follows
	otherValues
)

// alikeOf finds out what the streams share of which s is one.
func alikeOf(s *trace.Stream, table *shapeTable) (*alike, error) {
	c := s.Class()
	if c == nil {
		return nil, nil
	}
	if k := table.alike[c]; k != nil {
		return k, nil
	}
	d, err := c.Data()
	if err != nil {
		return nil, err
	}
	k := &alike{data: d, same: true}
	table.alike[c] = k
	if d.Calls != nil {
		_, k.same = d.Calls.Constant()
	}
	k.same = k.same && len(d.Trips) == 0 && !table.plain
	if !k.same || len(c.Group().Modules.Values) != 1 {
		return k, nil
	}
	if k.shape, err = shapesOf(s, table); err != nil {
		return nil, err
	}
	k.calls = s.Calls()
	k.grammar, err = s.Grammar()
	return k, err
}

// callsOfStream is the number of calls of a stream.
func (t *shapeTable) callsOfStream(s *trace.Stream) uint64 {
	if k := t.alike[s.Class()]; k != nil && k.shape != nil {
		return k.calls
	}
	return s.Calls()
}

// look finds out which values differ between the streams.
func (k *alike) look(s *trace.Stream) error {
	sigs, err := s.Signatures()
	if err != nil {
		return err
	}
	k.sigs, k.slots = sigs, make([][]slotValue, len(sigs))
	for t := range sigs {
		tm, err := s.Class().Template(uint32(t))
		if err != nil {
			return err
		}
		f := spec.ByID(tm.Func)
		how := make([]slotValue, len(f.Slots))
		i := 0
		for l, x := range trace.Leaves(nil, &tm.Signature) {
			if !tm.Open[l] {
				continue
			}
			p := &k.data.Params[t][i]
			i++
			vec := false
			if p.Vec != nil {
				_, constant := p.Vec.Constant()
				vec = !constant
			}
			switch {
			case p.Fn == nil && !vec && p.Base == nil && (p.Str == nil || len(p.Str.Values) == 1):
			case x.Kind() == trace.IntLeaf && tm.Slots[x.Slot()].Kind == trace.Int:
				how[x.Slot()] = oneNumber
			default:
				how[x.Slot()] = otherValues
			}
		}
		k.slots[t] = how
	}
	return nil
}

// number is the parameter of a slot that is one number.
func (k *alike) number(tm *trace.Template, t uint32, slot int) *trace.Param {
	i := 0
	for l, x := range trace.Leaves(nil, &tm.Signature) {
		if !tm.Open[l] {
			continue
		}
		if x.Slot() == slot {
			return &k.data.Params[t][i]
		}
		i++
	}
	return nil
}

// noter notes the parameters of the calls of a terminal at many ranks.
type noter struct {
	k       *alike
	t       uint32
	st      []paramState
	numbers []*trace.Param // by state; nil if the value is not one number that differs
}

func newNoter(s *trace.Stream, k *alike, t uint32, st []paramState) (*noter, error) {
	tm, err := s.Class().Template(t)
	if err != nil {
		return nil, err
	}
	n := &noter{k: k, t: t, st: st, numbers: make([]*trace.Param, len(st))}
	for i := range st {
		if k.slots[t][st[i].slot] == oneNumber {
			n.numbers[i] = k.number(tm, t, st[i].slot)
		}
	}
	return n, nil
}

// note takes in another stream, whose values are the same as those of the first one but for some.
func (n *noter) note(s *trace.Stream, rank, size int, null int64) error {
	for i := range n.st {
		st := &n.st[i]
		if st.noPlus && st.noModulo && st.more {
			continue
		}
		v := &n.k.sigs[n.t].Slots[st.slot]
		switch n.k.slots[n.t][st.slot] {
		case sameValues:
			st.relate(v, rank, size, null)
		case oneNumber:
			st.take(&trace.Value{Kind: trace.Int, Class: v.Class, N: n.numbers[i].At(s.ClassRank())}, rank, size, null)
		default:
			sigs, err := s.Signatures()
			if err != nil {
				return err
			}
			st.take(&sigs[n.t].Slots[st.slot], rank, size, null)
		}
	}
	return nil
}

// noters prepares to note the other streams of the class of s, unless their communicators differ.
func (t *shapeTable) noters(s *trace.Stream, states map[*Node][]paramState, terminals map[*Node][]uint32, known map[*trace.Class][]*noter) error {
	k, err := alikeOf(s, t)
	if err != nil || k == nil || t.plain {
		return err
	}
	if k.sigs == nil {
		if err := k.look(s); err != nil {
			return err
		}
	}
	var ns []*noter
	for node, st := range states {
		for _, terminal := range terminals[node] {
			f := spec.ByID(k.sigs[terminal].Func)
			for slot := range f.Slots[:f.NumIn] {
				if f.Slots[slot].Class == spec.Comm && k.slots[terminal][slot] != sameValues {
					return nil
				}
			}
			n, err := newNoter(s, k, terminal, st)
			if err != nil {
				return err
			}
			ns = append(ns, n)
		}
	}
	known[s.Class()] = ns
	return nil
}
