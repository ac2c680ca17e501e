package replay

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// caller lowers the calls of one terminal.
type caller struct {
	l    *lowering
	f    *program.Func
	sig  *archive.Signature
	plan *plan
	need []bool // slots that are read
}

// hole tells whether the values of a slot are in columns, which are then read.
func (c *caller) hole(slot int) bool {
	if slot < 0 || c.sig.Slots[slot].Kind != archive.Hole {
		return false
	}
	c.need[slot] = true
	return true
}

// succeeded tells whether results that are absent would have been recorded if there had been room
// for them.
func (c *caller) succeeded(p *program.Param) bool {
	if c.sig.Flags&(archive.Failed|archive.Unfinished|archive.Polls) != 0 {
		return false
	}
	if !p.Conditional {
		return true
	}
	flag := c.f.Flag
	return c.sig.Slots[flag].Kind == archive.Int && c.sig.Slots[flag].N != 0
}

// missing tells whether the program did not want a result: it passed NULL, or MPI_STATUS_IGNORE.
func (c *caller) missing(p *program.Param) bool {
	if p.After < 0 {
		return false
	}
	v := &c.sig.Slots[p.After]
	return v.Ignored || v.Kind == archive.Absent && c.succeeded(p)
}

// passed is what a parameter becomes: an operation of the executor, and what gives it words at each
// call, if it is not nil.
type passed struct {
	argument
	emit emitter
}

func word(v int64) passed { return passed{argument: argument{op: opWord, a: v}} }

// Kind is that of the value in a slot.
func (c *caller) Kind(_ *program.Param, slot int) archive.Kind {
	if slot < 0 {
		return archive.Absent
	}
	return c.sig.Slots[slot].Kind
}

// Absent is a null pointer, but for statuses: there is always one.
func (c *caller) Absent(p *program.Param) passed {
	if p.Role == program.StatusIn {
		return passed{argument: argument{op: opStatus, a: 1}}
	}
	return word(0)
}

// Sentinel is a constant in place of an array: a variable of the library if its value is not fixed.
func (c *caller) Sentinel(_ *program.Param, slot int) passed {
	n := c.sig.Slots[slot].N
	if n <= 0 || int(n) >= len(program.SentinelNames) {
		return word(0)
	}
	name := program.SentinelNames[n]
	if v, ok := c.l.o.Target.To.Const(name); ok {
		return word(v)
	}
	return passed{argument: argument{op: opVariable, a: int64(c.l.t.str(name))}}
}

// Number is a number.
func (c *caller) Number(p *program.Param) passed { return c.scalar(argument{op: opWord}, first, p) }

// NumberIO is a number that the call may change.
func (c *caller) NumberIO(p *program.Param) passed {
	return c.scalar(argument{op: opIntIO, a: int64(p.Bits)}, second, p)
}

// Object is a handle.
func (c *caller) Object(p *program.Param) passed {
	return c.scalar(argument{op: opHandle, a: int64(p.Class)}, second, p)
}

// ObjectIO is a handle that the call may change.
func (c *caller) ObjectIO(p *program.Param) passed {
	return c.scalar(argument{op: opHandleIO, a: int64(p.Class)}, second, p)
}

// Text is a string.
func (c *caller) Text(p *program.Param) passed { return c.scalar(argument{op: opString}, first, p) }

// first and second are the words of an argument that has one value.
func first(a *argument) *int64  { return &a.a }
func second(a *argument) *int64 { return &a.b }

// Numbers is an array of integers.
func (c *caller) Numbers(p *program.Param) passed {
	a := argument{op: opInts, a: int64(p.Bits)}
	if p.After >= 0 { // it is written, too
		a.c = max(c.f.Room(p, c.known), int64(len(c.plan.vals[p.Before].raw)), 1)
	}
	return c.elements(a, p, 1)
}

// Objects is an array of handles.
func (c *caller) Objects(p *program.Param) passed {
	return c.elements(argument{op: opHandles, a: int64(p.Class)}, p, 1)
}

// Displacements is an array of numbers that may be addresses.
func (c *caller) Displacements(p *program.Param) passed {
	raw := c.plan.vals[p.Before].raw
	if c.hole(p.Before) || !allLiteral(raw) {
		return c.elements(argument{op: opAddresses}, p, 3)
	}
	numbers := make([]int64, 0, len(raw)/3)
	for i := 2; i < len(raw); i += 3 {
		numbers = append(numbers, raw[i])
	}
	return passed{argument: argument{op: opInts, a: 64, b: c.l.t.array(numbers)}}
}

// Buffer is an address.
func (c *caller) Buffer(p *program.Param) passed {
	return c.address(argument{op: opAddress}, p, p.Before)
}

// Displacement is a number that may be an address.
func (c *caller) Displacement(p *program.Param) passed { return c.Buffer(p) }

// Texts is a list of strings, or of such lists.
func (c *caller) Texts(p *program.Param) passed {
	op := uint64(opStrings)
	if p.Role == program.TextLists {
		op = opStrings2
	}
	return c.stored(op, c.plan.vals[p.Before].raw)
}

// Arguments is those of main.
func (c *caller) Arguments(p *program.Param) passed {
	return c.stored(opArgv, c.plan.vals[p.Before].raw)
}

// stored is an array in the program.
func (c *caller) stored(op uint64, raw []int64) passed {
	return passed{argument: argument{op: op, b: c.l.t.array(raw)}}
}

// StatusIn is a status that the call reads.
func (c *caller) StatusIn(p *program.Param) passed {
	if c.hole(p.Before) {
		return passed{argument{op: opStatusIn}, func(dst []uint64, vals []value) []uint64 {
			w := c.status(vals[p.Before].raw)
			return append(dst, w[:]...)
		}}
	}
	w := c.status(c.plan.vals[p.Before].raw)
	return c.stored(opStatusIn, []int64{int64(w[0]), int64(w[1]), int64(w[2]), int64(w[3])})
}

func allLiteral(raw []int64) bool {
	for i := 0; i < len(raw); i += 3 {
		if archive.Mem(raw[i]) != archive.Literal {
			return false
		}
	}
	return true
}

// convert gives the target's number for a value of p.
func (c *caller) convert(p *program.Param, v int64) int64 {
	if p.Codec == spec.Int && !program.Plain(p.Param) {
		return c.l.number(p.Kind, v)
	}
	return v
}

// scalar lowers one number, which has its place in the argument.
func (c *caller) scalar(a argument, place func(*argument) *int64, p *program.Param) passed {
	slot := p.Before
	if c.hole(slot) {
		return passed{a, func(dst []uint64, vals []value) []uint64 {
			return append(dst, uint64(c.convert(p, vals[slot].one())))
		}}
	}
	*place(&a) = c.convert(p, c.plan.vals[slot].one())
	return passed{argument: a}
}

// elements lowers an array whose elements are of each numbers.
func (c *caller) elements(a argument, p *program.Param, each int) passed {
	slot := p.Before
	convert := func(n int64) int64 { return c.convert(p, n) }
	if c.hole(slot) {
		return passed{a, array(slot, each, convert)}
	}
	a.b = c.l.t.array(converted(c.plan.vals[slot].raw, convert))
	return passed{argument: a}
}

// array gives the elements of an array, of each numbers, after how many they are.
func array(slot, each int, convert func(int64) int64) emitter {
	return func(dst []uint64, vals []value) []uint64 {
		raw := vals[slot].raw
		dst = append(dst, uint64(len(raw)/each))
		for _, n := range raw {
			dst = append(dst, uint64(convert(n)))
		}
		return dst
	}
}

func converted(raw []int64, convert func(int64) int64) []int64 {
	out := make([]int64, len(raw))
	for i, n := range raw {
		out[i] = convert(n)
	}
	return out
}

// place turns an address, of three numbers, into that for the target.
func (c *caller) place(p *program.Param, raw []int64) (class, segment, offset int64) {
	if len(raw) < 3 {
		return 0, 0, 0
	}
	if archive.Mem(raw[0]) == archive.Literal && p.Codec == spec.Address {
		return 0, 0, c.l.o.Target.Address(p.Param, raw[2])
	}
	return raw[0], raw[1], raw[2]
}

func (c *caller) address(a argument, p *program.Param, slot int) passed {
	if c.hole(slot) {
		return passed{a, func(dst []uint64, vals []value) []uint64 {
			x, y, z := c.place(p, vals[slot].raw)
			return append(dst, uint64(x), uint64(y), uint64(z))
		}}
	}
	a.a, a.b, a.c = c.place(p, c.plan.vals[slot].raw)
	if a.op == opAddress && archive.Mem(a.a) == archive.Literal {
		return word(a.c)
	}
	return passed{argument: a}
}

// status gives the four words of a status for the target.
func (c *caller) status(raw []int64) (w [4]uint64) {
	if len(raw) == 4 {
		w = [4]uint64{uint64(c.l.number("RANK", raw[0])), uint64(c.l.number("TAG", raw[1])), uint64(raw[2]),
			uint64(raw[3])}
	}
	return w
}

// Status is room for statuses.
func (c *caller) Status(p *program.Param) passed {
	if !c.missing(p) {
		return c.room(argument{op: opStatus}, p)
	}
	name := mpi.StatusIgnore
	if p.Role == program.StatusesOut {
		name = mpi.StatusesIgnore
	}
	ignore, _ := c.l.o.Target.To.Const(name)
	return word(ignore)
}

// isNull tells whether the program passed a null pointer for a result.
func (c *caller) isNull(p *program.Param) bool { return p.Pointer && mayBeNull(p) && c.missing(p) }

// ObjectNew is room for a handle.
func (c *caller) ObjectNew(p *program.Param) passed {
	if c.isNull(p) {
		return word(0)
	}
	slot := p.After
	a := argument{op: opHandleNew, a: int64(p.Class), b: noCode}
	if c.hole(slot) {
		return passed{a, func(dst []uint64, vals []value) []uint64 {
			return append(dst,
				uint64(created(vals[slot].one())))
		}}
	}
	if v := &c.plan.vals[slot]; !v.absent {
		a.b = created(v.one())
	}
	return passed{argument: a}
}

// ObjectsNew is room for an array of handles.
func (c *caller) ObjectsNew(p *program.Param) passed {
	if c.isNull(p) {
		return word(0)
	}
	a := argument{op: opHandlesNew, a: int64(p.Class)}
	if c.hole(p.After) {
		return passed{a, array(p.After, 1, created)}
	}
	a.b, a.c = c.l.t.array(converted(c.plan.vals[p.After].raw, created)), c.f.Room(p, c.known)
	return passed{argument: a}
}

// BufferNew is room for the address of memory that the call makes.
func (c *caller) BufferNew(p *program.Param) passed {
	switch v := &c.plan.vals[p.After]; {
	case c.isNull(p):
		return word(0)
	case !c.hole(p.After) && (len(v.raw) < 3 || archive.Mem(v.raw[0]) == archive.Literal):
		return passed{argument: argument{op: opAddressNew}}
	}
	return c.address(argument{op: opAddressNew}, p, p.After)
}

// Result is room for any other result.
func (c *caller) Result(p *program.Param) passed {
	if c.isNull(p) {
		return word(0)
	}
	return c.room(argument{op: opRoom}, p)
}

// mayBeNull tells whether the standard lets programs pass NULL.
func mayBeNull(p *program.Param) bool {
	for _, s := range p.Sentinels {
		if s == "NULL" {
			return true
		}
	}
	return false
}

// created is the code of an object that a call made; predefined ones need not be kept.
func created(code int64) int64 {
	if code <= 0 || code%2 != 0 {
		return noCode
	}
	return code
}

// known is the value of an integer parameter if it is the same in all calls.
func (c *caller) known(param int) (int64, bool) {
	q := &c.f.Params[param]
	if q.Before < 0 || c.sig.Slots[q.Before].Kind != archive.Int {
		return 0, false
	}
	return c.sig.Slots[q.Before].N, true
}

// room lowers room for results, whose size may follow from parameters that vary.
func (c *caller) room(a argument, p *program.Param) passed {
	for _, i := range []int8{p.LenArg, p.LenCap} {
		if i < 0 || p.Role == program.StatusOut || !c.hole(c.f.Params[i].Before) {
			continue
		}
		return passed{a, func(dst []uint64, vals []value) []uint64 {
			n := c.f.Room(p, func(param int) (int64, bool) {
				if s := c.f.Params[param].Before; s >= 0 {
					return vals[s].one(), true
				}
				return 0, false
			})
			return append(dst, uint64(n))
		}}
	}
	a.a = c.f.Room(p, c.known)
	return passed{argument: a}
}
