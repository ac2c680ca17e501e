package loops

import (
	"slices"
	"strconv"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// maxValues is how many different values of a parameter are kept.
const maxValues = 8

// A Param is a parameter of a call, over all calls of a node on all ranks of a class.
type Param struct {
	// Slot is the index in Func.Slots.
	Slot int
	Name string
	// Values are the different values as text, ascending if they are numbers,
	// at most 8 of them.
	Values []string
	// More tells that there are others.
	More bool
	// Relation is how a value follows from the rank in MPI_COMM_WORLD where it does
	// for all ranks: "rank+1", "rank-4", "rank+1 mod 16", "rank+1|MPI_PROC_NULL"
	// if some have none; else empty.
	Relation string
}

// Constant tells whether all calls have the same value, which is Values[0].
func (p *Param) Constant() bool { return !p.More && len(p.Values) == 1 }

// paramState collects what is known of a parameter.
type paramState struct {
	slot      int
	values    []archive.Value
	more      bool
	seen      bool
	noPlus    bool // the value is not rank + plus
	noModulo  bool // nor (rank + modulo) mod size
	plus      int64
	modulo    int64
	size      int64
	ranks     int
	lastRank  int
	worldOnly bool
	null      bool // some have MPI_PROC_NULL
}

// findParams fills in Params.
func (c *Class) findParams(table *shapeTable) error {
	states := map[*Node][]paramState{}
	summed := map[*Node]bool{}
	c.All(func(n *Node) {
		if n.Kind == Mixed { // its calls have no parameters
			for _, m := range n.Body {
				summed[m] = true
			}
		}
		if n.Kind == Call && !summed[n] {
			states[n] = newStates(n.Shape.Func)
		}
	})
	abi := c.Variants[0].Streams[0].Archive().Meta().ABI
	null, _ := abi.Const(mpi.ProcNull)
	for i, p := range c.parts {
		terminals := map[*Node][]uint32{}
		for n := range states {
			terminals[n] = n.terminals(i)
		}
		known := map[*archive.Class][]*noter{}
		for _, s := range p.streams {
			table.pass(1)
			rank, size := s.WorldRank(), s.Class().Group().Size
			if ns, ok := known[s.Class()]; ok && !table.plain {
				for _, n := range ns {
					if err := n.note(s, rank, size, null); err != nil {
						return err
					}
				}
				continue
			}
			sigs, err := s.Signatures()
			if err != nil {
				return err
			}
			for n, st := range states {
				for _, t := range terminals[n] {
					n.Polls = n.Polls || sigs[t].Flags&archive.Polls != 0
					note(st, sigs[t], rank, size, null)
				}
			}
			if err := table.noters(s, states, terminals, known); err != nil {
				return err
			}
		}
	}
	for n, st := range states {
		for i := range st {
			n.Params = append(n.Params, st[i].param(abi, n.Shape.Func))
		}
	}
	return nil
}

// terminals lists the terminals of a call in a part of the class, ascending.
func (n *Node) terminals(part int) []uint32 {
	set := map[uint32]bool{}
	n.sets[part].Collect(set)
	list := make([]uint32, 0, len(set))
	for t := range set {
		list = append(list, t)
	}
	slices.Sort(list)
	return list
}

func newStates(f *spec.Func) []paramState {
	var st []paramState
	for i := range f.Slots[:f.NumIn] {
		if f.Slots[i].Param < 0 {
			continue
		}
		s := paramState{slot: i, worldOnly: true, lastRank: -1}
		s.noPlus = f.Params[f.Slots[i].Param].Kind != "RANK" || f.Slots[i].Array
		s.noModulo = s.noPlus
		st = append(st, s)
	}
	return st
}

func note(st []paramState, sig *archive.Signature, rank, size int, null int64) {
	world := inWorld(sig)
	for i := range st {
		s := &st[i]
		v := &sig.Slots[s.slot]
		s.worldOnly = s.worldOnly && world
		s.take(v, rank, size, null)
	}
}

// take notes a value.
func (s *paramState) take(v *archive.Value, rank, size int, null int64) {
	s.relate(v, rank, size, null)
	switch {
	case v.Kind == archive.Hole:
		s.more = true
	case s.more || slices.ContainsFunc(s.values, func(w archive.Value) bool { return sameValue(&w, v) }):
	case len(s.values) == maxValues:
		s.more = true
	default:
		s.values = append(s.values, *v)
	}
}

// relate keeps the relations with the rank that v also fulfils.
func (s *paramState) relate(v *archive.Value, rank, size int, null int64) {
	if s.noPlus && s.noModulo {
		return
	}
	if v.Kind == archive.Int && v.N == null && null < 0 {
		s.null = true
		return
	}
	if v.Kind != archive.Int || v.N < 0 || rank < 0 || size <= 0 || int64(size) <= v.N {
		s.noPlus, s.noModulo = true, true
		return
	}
	plus, n := v.N-int64(rank), int64(size)
	modulo := (plus + n) % n
	if !s.seen {
		s.seen, s.plus, s.modulo, s.size = true, plus, modulo, n
	}
	s.noPlus = s.noPlus || plus != s.plus
	s.noModulo = s.noModulo || modulo != s.modulo || n != s.size
	if rank != s.lastRank {
		s.ranks++
		s.lastRank = rank
	}
}

// inWorld tells whether ranks in a call are those of MPI_COMM_WORLD.
func inWorld(sig *archive.Signature) bool {
	f := spec.ByID(sig.Func)
	for i := range f.Slots[:f.NumIn] {
		v := &sig.Slots[i]
		if f.Slots[i].Class == spec.Comm && v.Kind == archive.Ref {
			k := (v.N - 1) / 2
			return v.N&1 == 1 && k >= 0 && k < int64(len(spec.Predefineds)) && spec.Predefineds[k].Name == mpi.CommWorld
		}
	}
	return false
}

func sameValue(a, b *archive.Value) bool {
	return a.Kind == b.Kind && a.Class == b.Class && a.Mem == b.Mem && a.Seg == b.Seg && a.N == b.N && a.Str == b.Str &&
		a.Stat == b.Stat && slices.Equal(a.Ints, b.Ints) &&
		slices.EqualFunc(a.List, b.List, func(x, y archive.Value) bool { return sameValue(&x, &y) })
}

func (s *paramState) param(abi spec.ABI, f *spec.Func) Param {
	slot := &f.Slots[s.slot]
	p := Param{Slot: s.slot, Name: archive.SlotName(f, slot), More: s.more}
	slices.SortStableFunc(s.values, func(a, b archive.Value) int {
		if a.Kind != archive.Int || b.Kind != archive.Int || a.N == b.N {
			return 0
		}
		if a.N < b.N {
			return -1
		}
		return 1
	})
	for i := range s.values {
		p.Values = append(p.Values, archive.FormatValue(abi, f, slot, &s.values[i]))
	}
	if len(s.values) > 1 && s.worldOnly && s.ranks > 1 {
		if p.Relation = s.relation(); p.Relation != "" && s.null {
			p.Relation += "|" + mpi.ProcNull
		}
	}
	return p
}

func (s *paramState) relation() string {
	switch {
	case !s.noPlus && s.plus < 0:
		return "rank" + strconv.FormatInt(s.plus, 10)
	case !s.noPlus && s.plus == 0:
		return "rank"
	case !s.noPlus:
		return "rank+" + strconv.FormatInt(s.plus, 10)
	case !s.noModulo && s.modulo > s.size/2:
		return "rank" + strconv.FormatInt(s.modulo-s.size, 10) + " mod " + strconv.FormatInt(s.size, 10)
	case !s.noModulo:
		return "rank+" + strconv.FormatInt(s.modulo, 10) + " mod " + strconv.FormatInt(s.size, 10)
	}
	return ""
}
