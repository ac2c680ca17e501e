package loops

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Most streams of a class of the archive differ at most in single numbers. What they share is
// examined once, so that many ranks cost little more than a few.

// classShared is what the streams of a class of the archive share. Parts are filled in when they
// are first needed.
type classShared struct {
	data    *archive.ClassData
	shape   []int32 // of terminals; nil if ranks may differ
	grammar *archive.Grammar
	calls   uint64
	same    bool // calls is that of all streams

	sigs  []*archive.Signature // of one stream; nil if not asked for
	slots [][]slotValue        // by terminal and slot: how values differ
}

// slotValue is how the value of a slot differs between ranks.
type slotValue uint8

const (
	sameValues slotValue = iota
	oneNumber            // an integer; the parameter of its leaf follows
	otherValues
)

// sharedOf is what the streams of the class of s share.
func sharedOf(s *archive.Stream, table *shapeTable) (*classShared, error) {
	c := s.Class()
	if c == nil {
		return nil, nil
	}
	if k := table.shared[c]; k != nil {
		return k, nil
	}
	d, err := c.Data()
	if err != nil {
		return nil, err
	}
	k := &classShared{data: d, same: true}
	table.shared[c] = k
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
	if k.calls, err = s.ProgramCalls(); err != nil {
		return nil, err
	}
	k.grammar, err = s.Grammar()
	return k, err
}

// callsOfStream is the number of calls of a stream.
func (t *shapeTable) callsOfStream(s *archive.Stream) uint64 {
	if k := t.shared[s.Class()]; k != nil && k.shape != nil {
		return k.calls
	}
	n, _ := s.ProgramCalls() // reading the grammar will say the same
	return n
}

// look finds out which values differ between the streams.
func (k *classShared) look(s *archive.Stream) error {
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
		for l, x := range archive.Leaves(nil, &tm.Signature) {
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
			case x.Kind() == archive.IntLeaf && tm.Slots[x.Slot()].Kind == archive.Int:
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
func (k *classShared) number(tm *archive.Template, t uint32, slot int) *archive.Param {
	i := 0
	for l, x := range archive.Leaves(nil, &tm.Signature) {
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
	k       *classShared
	t       uint32
	st      []paramState
	numbers []*archive.Param // by state; nil if the value is not one number that differs
}

func newNoter(s *archive.Stream, k *classShared, t uint32, st []paramState) (*noter, error) {
	tm, err := s.Class().Template(t)
	if err != nil {
		return nil, err
	}
	n := &noter{k: k, t: t, st: st, numbers: make([]*archive.Param, len(st))}
	for i := range st {
		if k.slots[t][st[i].slot] == oneNumber {
			n.numbers[i] = k.number(tm, t, st[i].slot)
		}
	}
	return n, nil
}

// note adds another stream. Most of its values are those of the first stream.
func (n *noter) note(s *archive.Stream, rank, size int, null int64) error {
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
			st.take(&archive.Value{Kind: archive.Int, Class: v.Class, N: n.numbers[i].At(s.ClassRank())}, rank, size,
				null)
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

// noters prepares for the other streams of the class of s, unless their communicators differ.
func (t *shapeTable) noters(s *archive.Stream, states map[*Node][]paramState, terminals map[*Node][]uint32,
	known map[*archive.Class][]*noter) error {
	k, err := sharedOf(s, t)
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
