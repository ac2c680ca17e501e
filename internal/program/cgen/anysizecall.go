package cgen

import (
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/program/memory"
	"github.com/tabard-hpc/tabard/spec"
)

// anyCall is a call in a program for any number of ranks. Its values are expressions of a model.
type anyCall struct {
	*call
	x *anysize
	n *infer.Call
}

// call makes a call.
func (x *anysize) call(n *infer.Call) []*cc.Stmt {
	f := program.FuncOf(n.Func.ID)
	x.where = n
	if f.Func.Own() {
		return x.segment(n)
	}
	if reason := x.g.reasonOf(f, n.Flags); reason != "" {
		x.g.skip(f.Name, reason)
		for i := range f.Params {
			if p := &f.Params[i]; p.Codec == spec.Handle && p.After >= 0 {
				x.missing[p.Class] = f.Name
			}
		}
		return nil
	}
	if x.lacking[n] {
		return nil
	}
	k := &anyCall{x: x, n: n}
	k.call = &call{Func: f, values: k, g: x.g, flags: n.Flags, ret: n.Ret}
	for i := range f.Params {
		if p := &f.Params[i]; p.Codec == spec.Handle && p.Before >= 0 && x.missing[p.Class] != "" {
			x.obstacle(p.Name, "it may be an object of "+x.missing[p.Class]+", which is not called again")
		}
	}
	out := k.outcome(k.arguments())
	if f.Name == "MPI_Init" || f.Name == "MPI_Init_thread" {
		x.initialises = true
		out = append(out, cc.Do(cc.Call("find_rank", cc.Int(1))))
	}
	return out
}

// Kind is that of the value in a slot. Values that follow no rule, where the call needs them, are
// an obstacle.
func (k *anyCall) Kind(p *program.Param, slot int) archive.Kind {
	kind := k.kind(slot)
	needed := p.Before >= 0 && p.Role != program.StatusIn && p.Role != program.Function
	needed = needed || p.Role == program.ObjectNew || p.Role == program.ObjectsNew || p.Role == program.BufferNew
	if s := k.slot(slot); needed && s != nil && (s.Copied != nil || kind == archive.Hole) {
		k.x.obstacle(p.Name, "its values follow no rule; a proxy for one size has them: --ranks")
		return archive.Absent
	}
	return kind
}

// segment makes memory where the program did.
func (x *anysize) segment(n *infer.Call) []*cc.Stmt {
	number := func(i int) *cc.Expr {
		s := &n.Slots[i]
		if s.Copied != nil || len(s.Parts) != 1 {
			x.obstacle("", "sizes of memory follow no rule")
			return cc.Int(0)
		}
		return x.g.value(s.Parts[0], nil, "bytes")
	}
	switch n.Func.Name {
	case memory.SegmentBegin:
		if kind := &n.Slots[1]; len(kind.Parts) == 1 {
			if v, ok := kind.Parts[0].Known(); ok && v == memory.MadeByMPI {
				return nil
			}
		}
		begin := "grow_memory"
		if bytes := &n.Slots[2]; len(bytes.Parts) == 1 && bytes.Parts[0].UsesSize() {
			begin = "begin_memory"
		}
		return []*cc.Stmt{cc.Do(cc.Call(begin, number(0), number(2)))}
	case memory.SegmentEnd:
		return []*cc.Stmt{cc.Do(cc.Call("end_memory", number(0)))}
	}
	return nil
}

// slot is a parameter, nil if there is none.
func (k *anyCall) slot(i int) *infer.Slot {
	if i < 0 || i >= len(k.n.Slots) {
		return nil
	}
	return &k.n.Slots[i]
}

func (k *anyCall) kind(slot int) archive.Kind {
	switch s := k.slot(slot); {
	case s == nil:
		return archive.Absent
	case s.Const != nil:
		return s.Const.Kind
	default:
		return s.Kind
	}
}

// single is the expression of a slot that is a single number, nil for others.
func (k *anyCall) single(slot int) *formula.Expr {
	if s := k.slot(slot); s != nil && len(s.Parts) == 1 {
		return s.Parts[0]
	}
	return nil
}

func (k *anyCall) constant(slot int) (int64, bool) {
	if e := k.single(slot); e != nil {
		return e.Known()
	}
	return 0, false
}

func (k *anyCall) first(slot int) (int64, bool) { return k.constant(slot) }

func (k *anyCall) literalOf(slot int) (int64, bool) {
	return 0, k.kind(slot) == archive.Addr && k.slot(slot).Mem == archive.Literal
}

func (k *anyCall) words(slot int) *archive.Value {
	if s := k.slot(slot); s != nil {
		return s.Const
	}
	return nil
}

func (k *anyCall) reopens() *cc.Expr { return nil }

// varies tells whether a part of a status differs from call to call.
func (k *anyCall) varies(slot, field int) bool {
	s := k.slot(slot)
	if s == nil || s.Kind != archive.Stat || s.Const != nil {
		return false
	}
	_, same := s.Parts[field].Known()
	return !same
}

// statusPart is a part of a status.
func (k *anyCall) statusPart(slot, field int) *cc.Expr { return k.g.expr(k.slot(slot).Parts[field]) }

// Number is a number that is passed.
func (k *anyCall) Number(p *program.Param) *cc.Expr {
	if e := k.directed(p); e != nil {
		return e
	}
	e := k.single(p.Before)
	if kind := k.kind(p.Before); e == nil || kind != archive.Int && kind != archive.Addr && kind != archive.Float {
		return cc.Int(0)
	}
	if v, ok := e.Known(); ok && k.typeAddress(p, v) {
		return cc.Int(0)
	}
	return k.g.value(e, k.constantName(p), p.Name)
}

// Sentinel is a constant in place of an array.
func (k *anyCall) Sentinel(_ *program.Param, slot int) *cc.Expr {
	e := k.slot(slot).Parts[0]
	if v, ok := e.Known(); ok && v > 0 && int(v) < len(program.SentinelNames) {
		return cc.Name(program.SentinelNames[v])
	}
	return cc.Choice(cc.Op(k.g.expr(e), "<", cc.Int(2)), cc.Name("MPI_UNWEIGHTED"), cc.Name("MPI_WEIGHTS_EMPTY"))
}

// numbers is an array of integers.
func (k *anyCall) numbers(p *program.Param) *cc.Expr {
	s := k.slot(p.Before)
	switch {
	case k.kind(p.Before) != archive.Ints:
		return cc.Null
	case s.Const != nil:
		return k.constantArray(p, s.Const.Ints, element(p))
	}
	return k.array(p, s, element(p), func(e *formula.Expr) *cc.Expr { return k.g.value(e, k.constantName(p), p.Name) })
}

// array is an array of a C type whose elements are expressions.
func (k *anyCall) array(p *program.Param, s *infer.Slot, t string, value func(*formula.Expr) *cc.Expr) *cc.Expr {
	if len(s.Parts) == 0 {
		return cc.Null
	}
	return k.elements(p, s, t, func(parts []*formula.Expr) *cc.Expr { return value(parts[0]) })
}

// elements is an array of what value gives for the parts of each element: written one by one if
// they are few, else filled before the call.
func (k *anyCall) elements(p *program.Param, s *infer.Slot, t string,
	value func(parts []*formula.Expr) *cc.Expr) *cc.Expr {
	n, ok := s.Len.Known()
	if !ok || n > shortArray {
		return k.filled(p, s, t, func() *cc.Expr { return value(s.Parts) })
	}
	var list []*cc.Expr
	for i := range n {
		k.g.printer.Elem = cc.Int(i)
		parts := make([]*formula.Expr, len(s.Parts))
		for j, e := range s.Parts {
			parts[j] = e.Element(i)
		}
		list = append(list, value(parts))
	}
	k.g.printer.Elem = nil
	return literalArray(t, list, p)
}

// filled is an array that is filled before the call.
func (k *anyCall) filled(p *program.Param, s *infer.Slot, t string, value func() *cc.Expr) *cc.Expr {
	array := p.Name
	if k.g.names[array] || strings.HasPrefix(array, "i") && len(array) < 4 {
		array = "the_" + array
	}
	list, n := cc.Name(array), cc.Name(array+"_n")
	k.g.printer.Elem = nil
	k.pre = append(k.pre, cc.Do(cc.Declare("long", cc.Assign(n, k.g.expr(s.Len)))),
		k.roomOf(t, list, compare(n, "+", 1)),
		cc.Under(cc.For("long", "e", n), cc.Do(cc.Assign(cc.Index(list, cc.Name("e")), value()))))
	k.g.printer.Elem = nil
	if strings.HasSuffix(p.CType, "[][3]") {
		return cc.Cast(t+" (*)[3]", list)
	}
	return list
}

// length is that of an array that is passed.
func (k *anyCall) length(p *program.Param) *cc.Expr {
	if s := k.slot(p.Before); s != nil && s.Len != nil {
		return cc.Operand(k.g.expr(s.Len))
	}
	return nil
}

// Displacement is a number that may be an address.
func (k *anyCall) Displacement(p *program.Param) *cc.Expr {
	if s := k.slot(p.Before); s != nil && s.Kind == archive.Addr && s.Mem != archive.Literal && s.Const == nil {
		return addressNumber(cc.Paren(k.address(s, s.Parts)))
	}
	return k.Number(p)
}

// displacements is an array of numbers that may be addresses.
func (k *anyCall) displacements(p *program.Param) *cc.Expr {
	s := k.slot(p.Before)
	switch {
	case k.kind(p.Before) == archive.Ints:
		return k.numbers(p)
	case k.kind(p.Before) != archive.List:
		return cc.Null
	case s.Const != nil:
		if len(s.Const.List) > 0 { // compared as a whole: no expressions for its elements
			k.x.obstacle(p.Name, "it mixes addresses in several kinds of memory, or with numbers; "+
				"a proxy for one size has them: --ranks")
		}
		return cc.Null
	case s.Item != archive.Addr || s.Mem == archive.Literal:
		return k.array(p, s, element(p), func(e *formula.Expr) *cc.Expr { return k.g.value(e, nil, p.Name) })
	}
	return k.elements(p, s, element(p), func(parts []*formula.Expr) *cc.Expr {
		return addressNumber(cc.Paren(k.address(s, parts)))
	})
}

// Buffer is an address that is passed.
func (k *anyCall) Buffer(p *program.Param) *cc.Expr {
	s := k.slot(p.Before)
	if k.kind(p.Before) != archive.Addr {
		return cc.Null
	}
	if s.Const != nil {
		return k.literalAddress(p, s.Const.N)
	}
	if s.Mem != archive.Literal {
		return k.address(s, s.Parts)
	}
	return k.chosen(s.Parts[0], func(e *formula.Expr) *cc.Expr {
		if v, ok := e.Known(); ok {
			return k.literalAddress(p, v)
		}
		return cc.Cast("void *", cc.Cast("size_t", cc.Operand(k.g.expr(e))))
	})
}

// chosen is what conditions choose from.
func (k *anyCall) chosen(e *formula.Expr, value func(*formula.Expr) *cc.Expr) *cc.Expr {
	switch e.Op {
	case formula.If:
		return cc.Paren(cc.Choice(cc.Operand(k.g.expr(e.Args[0])), k.chosen(e.Args[1], value),
			k.chosen(e.Args[2], value)))
	case formula.Pick:
		at, out := cc.Operand(k.g.expr(e.Args[0])), k.chosen(e.Args[len(e.Args)-1], value)
		for i := len(e.Args) - 2; i > 0; i-- {
			out = cc.Paren(cc.Choice(compare(at, "<", int64(i)), k.chosen(e.Args[i], value), out))
		}
		return out
	}
	return value(e)
}

// address is an address in memory.
func (k *anyCall) address(s *infer.Slot, parts []*formula.Expr) *cc.Expr {
	x := k.x
	at := parts[len(parts)-1]
	if s.Mem == archive.RawMem || len(parts) < 2 {
		return cc.Call("other_at", x.g.expr(at))
	}
	var base *cc.Expr
	seg, same := parts[0].Known()
	switch {
	case s.Mem == archive.Heap && same:
		base = cc.Call("heap_at", plainInt(seg))
	case s.Mem == archive.Heap:
		base = cc.Call("heap_at", x.g.expr(parts[0]))
	case x.blocks[s.Mem] || !same:
		base = cc.Call("block_at", cc.Int(int(s.Mem)), x.g.expr(parts[0]))
	default:
		x.named[memory.Key{Mem: s.Mem, Number: uint32(seg)}] = true
		base, _ = baseOf(&memory.Segment{Key: memory.Key{Mem: s.Mem, Number: uint32(seg)}})
	}
	if v, ok := at.Known(); ok {
		return plus(base, v)
	}
	return cc.Op(base, "+", x.g.expr(at))
}

// BufferNew points to where the address of new memory is kept.
func (k *anyCall) BufferNew(p *program.Param) *cc.Expr {
	s := k.slot(p.After)
	if k.kind(p.After) != archive.Addr || s.Const != nil || s.Mem != archive.Heap || len(s.Parts) < 2 {
		return noPointer
	}
	slot := cc.Call("heap_slot", k.g.expr(s.Parts[0]))
	if v, ok := s.Parts[1].Known(); !ok || v != 0 {
		k.post = append(k.post, cc.Do(cc.Infix(cc.Deref(slot), "-=", k.g.expr(s.Parts[1]))))
	}
	return slot
}

// text is a string, the same everywhere.
func (k *anyCall) text(p *program.Param, quote func(string) *cc.Expr) *cc.Expr {
	if v := k.words(p.Before); v != nil && v.Kind == archive.Str {
		return quote(v.Str)
	}
	return cc.Null
}

// statuses is room for an array of statuses.
func (k *anyCall) statuses(p *program.Param) *cc.Expr {
	return cc.Call("room", cc.Op(k.roomAtLeast(p, k.slot(p.After), 1), "*", cc.Sizeof("MPI_Status")))
}

// room is how many bytes a result takes.
func (k *anyCall) room(p *program.Param) *cc.Expr {
	if p.Role == program.TextOut {
		return k.roomAtLeast(p, nil, leastText)
	}
	return k.roomAtLeast(p, k.slot(p.After), leastRoom)
}

// roomAtLeast is how much room a result takes, see program.Func.Room. It is linear in the numbers
// that are passed.
func (k *anyCall) roomAtLeast(p *program.Param, out *infer.Slot, least int64) *cc.Expr {
	var asked []int
	base := k.Room(p, func(param int) (int64, bool) {
		asked = append(asked, param)
		return 0, true
	})
	total := formula.Constant(max(base, least))
	add := func(factor int64, e *formula.Expr) {
		total = formula.New(formula.Add, total, formula.New(formula.Mul, formula.Constant(factor), e))
	}
	known := func(e *formula.Expr) *formula.Expr {
		if e.Natural() {
			return e
		}
		return formula.New(formula.Max, e, formula.Constant(0))
	}
	size := formula.New(formula.Size)
	for _, param := range asked {
		slope := k.Room(p, func(int) (int64, bool) { return 1 << 16, true })
		slope = max((slope-base)>>16, 1)
		slot := k.Params[param].Before
		if e := k.single(slot); e != nil && k.kind(slot) == archive.Int {
			add(slope, known(e))
		} else if k.kind(slot) != archive.Absent {
			add(slope, size)
		}
	}
	if len(asked) == 0 && out != nil && out.Len != nil {
		add(8, formula.New(formula.Add, known(out.Len), size))
	}
	return k.g.expr(total)
}

// outcome makes the call, and sees to it that what is complete is what was in the recording.
func (k *anyCall) outcome(args []*cc.Expr) []*cc.Stmt {
	made := cc.Do(cc.Call(k.Name, args...))
	o := program.OutcomesOf(k.ID)
	if o == nil {
		return k.around(made)
	}
	single := func(slot int) *formula.Expr {
		if k.kind(slot) != archive.Int {
			return nil
		}
		return k.single(slot)
	}
	switch {
	case o.Kind == program.SomeOf, o.Kind == program.OneOf && o.Flag >= 0:
		k.x.obstacle("", "what it completes depends on the run")
	case o.Kind == program.OnePoll || o.Kind == program.ProbePoll:
		if flag := single(o.Flag); flag == nil {
			k.x.obstacle("flag", "it depends on the run")
		} else if v, ok := flag.Known(); !ok {
			k.x.obstacle("flag", "it is not the same at all ranks")
		} else if v != 0 {
			made = polled(made)
		}
	case o.Kind == program.OneOf:
		k.g.which = true
		if !k.completes(o, args) {
			break
		}
		if index := single(o.Index); index != nil {
			k.settle(args[o.Request], k.g.expr(index))
		} else {
			k.x.obstacle("index", "it depends on the run")
		}
	}
	return k.around(made)
}
