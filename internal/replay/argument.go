package replay

import (
	"tabard/internal/rerun"
	"tabard/spec"
	"tabard/trace"
)

// caller lowers the calls of one terminal.
type caller struct {
	l    *lowering
	f    *rerun.Func
	sig  *trace.Signature
	plan *plan
	need []bool // slots that are read
}

// hole tells whether the values of a slot are in columns, which are then read.
func (c *caller) hole(slot int) bool {
	if slot < 0 || c.sig.Slots[slot].Kind != trace.Hole {
		return false
	}
	c.need[slot] = true
	return true
}

// succeeded tells whether results that are absent would have been recorded if there had been room for them.
func (c *caller) succeeded(p *rerun.Param) bool {
	if c.sig.Flags&(trace.Failed|trace.Unfinished|trace.Polls) != 0 {
		return false
	}
	if !p.Conditional {
		return true
	}
	flag := c.f.Flag
	return c.sig.Slots[flag].Kind == trace.Int && c.sig.Slots[flag].N != 0
}

// missing tells whether the program did not want a result: it passed NULL, or MPI_STATUS_IGNORE.
func (c *caller) missing(p *rerun.Param) bool {
	if p.After < 0 {
		return false
	}
	v := &c.sig.Slots[p.After]
	return v.Ignored || v.Kind == trace.Absent && c.succeeded(p)
}

func word(v int64) argument { return argument{op: opWord, a: v} }

// argument lowers a parameter; emit, if it is not nil, gives its words at each event.
func (c *caller) argument(p *rerun.Param) (a argument, emit emitter) {
	slot := p.Before
	if slot < 0 {
		return c.result(p)
	}
	v := &c.plan.vals[slot]
	switch {
	case v.absent && p.Role == rerun.StatusIn:
		return argument{op: opStatus, a: 1}, nil
	case v.absent:
		return word(0), nil
	case v.sentinel != 0:
		return c.sentinel(v.sentinel), nil
	}
	hole := c.hole(slot)
	switch p.Role {
	case rerun.Number:
		return c.scalar(argument{op: opWord}, func(a *argument) *int64 { return &a.a }, p, hole)
	case rerun.NumberIO:
		return c.scalar(argument{op: opIntIO, a: int64(p.Bits)}, func(a *argument) *int64 { return &a.b }, p, hole)
	case rerun.Object:
		return c.scalar(argument{op: opHandle, a: int64(p.Class)}, func(a *argument) *int64 { return &a.b }, p, hole)
	case rerun.ObjectIO:
		return c.scalar(argument{op: opHandleIO, a: int64(p.Class)}, func(a *argument) *int64 { return &a.b }, p, hole)
	case rerun.Numbers:
		a := argument{op: opInts, a: int64(p.Bits)}
		if p.After >= 0 { // it is written, too
			a.c = max(c.f.Room(p, c.known), int64(len(v.raw)), 1)
		}
		return c.elements(a, p, 1, hole)
	case rerun.Objects:
		return c.elements(argument{op: opHandles, a: int64(p.Class)}, p, 1, hole)
	case rerun.Displacements:
		if !hole && allLiteral(v.raw) {
			numbers := make([]int64, 0, len(v.raw)/3)
			for i := 2; i < len(v.raw); i += 3 {
				numbers = append(numbers, v.raw[i])
			}
			return argument{op: opInts, a: 64, b: c.l.t.array(numbers)}, nil
		}
		return c.elements(argument{op: opAddresses}, p, 3, hole)
	case rerun.Buffer, rerun.Displacement:
		return c.address(argument{op: opAddress}, p, slot, hole)
	case rerun.Text:
		return c.scalar(argument{op: opString}, func(a *argument) *int64 { return &a.a }, p, hole)
	case rerun.Texts:
		return argument{op: opStrings, b: c.l.t.array(v.raw)}, nil
	case rerun.TextLists:
		return argument{op: opStrings2, b: c.l.t.array(v.raw)}, nil
	case rerun.Arguments:
		return argument{op: opArgv, b: c.l.t.array(v.raw)}, nil
	case rerun.StatusIn:
		if hole {
			return argument{op: opStatusIn}, func(dst []uint64, vals []value) []uint64 {
				w := c.status(vals[slot].raw)
				return append(dst, w[0], w[1], w[2], w[3])
			}
		}
		w := c.status(v.raw)
		return argument{op: opStatusIn, b: c.l.t.array([]int64{int64(w[0]), int64(w[1]), int64(w[2]), int64(w[3])})}, nil
	case rerun.Function:
		return c.callback(p, v), nil
	}
	return word(0), nil
}

func allLiteral(raw []int64) bool {
	for i := 0; i < len(raw); i += 3 {
		if trace.Mem(raw[i]) != trace.Literal {
			return false
		}
	}
	return true
}

// convert gives the target's number for a value of p.
func (c *caller) convert(p *rerun.Param, v int64) int64 {
	if p.Codec == spec.Int && !rerun.Plain(p.Param) {
		return c.l.number(p.Kind, v)
	}
	return v
}

// scalar lowers one number, which has its place in the argument.
func (c *caller) scalar(a argument, place func(*argument) *int64, p *rerun.Param, hole bool) (argument, emitter) {
	slot := p.Before
	if hole {
		return a, func(dst []uint64, vals []value) []uint64 { return append(dst, uint64(c.convert(p, vals[slot].one()))) }
	}
	*place(&a) = c.convert(p, c.plan.vals[slot].one())
	return a, nil
}

// elements lowers an array whose elements are of each numbers.
func (c *caller) elements(a argument, p *rerun.Param, each int, hole bool) (argument, emitter) {
	slot := p.Before
	if hole {
		return a, func(dst []uint64, vals []value) []uint64 {
			raw := vals[slot].raw
			dst = append(dst, uint64(len(raw)/each))
			for _, n := range raw {
				dst = append(dst, uint64(c.convert(p, n)))
			}
			return dst
		}
	}
	raw := c.plan.vals[slot].raw
	out := make([]int64, len(raw))
	for i, n := range raw {
		out[i] = c.convert(p, n)
	}
	a.b = c.l.t.array(out)
	return a, nil
}

// place turns an address, of three numbers, into that for the target.
func (c *caller) place(p *rerun.Param, raw []int64) (class, segment, offset int64) {
	if len(raw) < 3 {
		return 0, 0, 0
	}
	if trace.Mem(raw[0]) == trace.Literal && p.Codec == spec.Address {
		return 0, 0, c.l.o.Target.Address(p.Param, raw[2])
	}
	return raw[0], raw[1], raw[2]
}

func (c *caller) address(a argument, p *rerun.Param, slot int, hole bool) (argument, emitter) {
	if hole {
		return a, func(dst []uint64, vals []value) []uint64 {
			x, y, z := c.place(p, vals[slot].raw)
			return append(dst, uint64(x), uint64(y), uint64(z))
		}
	}
	a.a, a.b, a.c = c.place(p, c.plan.vals[slot].raw)
	if a.op == opAddress && trace.Mem(a.a) == trace.Literal {
		return word(a.c), nil
	}
	return a, nil
}

// status gives the four words of a status for the target.
func (c *caller) status(raw []int64) (w [4]uint64) {
	if len(raw) == 4 {
		w = [4]uint64{uint64(c.l.number("RANK", raw[0])), uint64(c.l.number("TAG", raw[1])), uint64(raw[2]), uint64(raw[3])}
	}
	return w
}

// sentinel is a constant in place of an array: a variable of the library if its value is not fixed.
func (c *caller) sentinel(n int64) argument {
	if n <= 0 || int(n) >= len(rerun.SentinelNames) {
		return word(0)
	}
	name := rerun.SentinelNames[n]
	if v, ok := c.l.o.Target.To.Const(name); ok {
		return word(v)
	}
	return argument{op: opVariable, a: int64(c.l.t.str(name))}
}

// result lowers a parameter that the call only writes.
func (c *caller) result(p *rerun.Param) (argument, emitter) {
	v := &c.plan.vals[p.After]
	switch {
	case v.sentinel != 0:
		return c.sentinel(v.sentinel), nil
	case p.Role == rerun.StatusOut || p.Role == rerun.StatusesOut:
		if c.missing(p) {
			name := "MPI_STATUS_IGNORE"
			if p.Role == rerun.StatusesOut {
				name = "MPI_STATUSES_IGNORE"
			}
			ignore, _ := c.l.o.Target.To.Const(name)
			return word(ignore), nil
		}
		return c.room(argument{op: opStatus}, p)
	case c.missing(p) && p.Pointer && mayBeNull(p):
		return word(0), nil
	}
	switch p.Role {
	case rerun.ObjectNew:
		slot := p.After
		a := argument{op: opHandleNew, a: int64(p.Class), b: noCode}
		if c.hole(slot) {
			return a, func(dst []uint64, vals []value) []uint64 { return append(dst, uint64(created(vals[slot].one()))) }
		}
		if !v.absent {
			a.b = created(v.one())
		}
		return a, nil
	case rerun.ObjectsNew:
		slot := p.After
		a := argument{op: opHandlesNew, a: int64(p.Class)}
		if c.hole(slot) {
			return a, func(dst []uint64, vals []value) []uint64 {
				dst = append(dst, uint64(len(vals[slot].raw)))
				for _, n := range vals[slot].raw {
					dst = append(dst, uint64(created(n)))
				}
				return dst
			}
		}
		codes := make([]int64, len(v.raw))
		for i, n := range v.raw {
			codes[i] = created(n)
		}
		a.b, a.c = c.l.t.array(codes), c.f.Room(p, c.known)
		return a, nil
	case rerun.BufferNew:
		if c.hole(p.After) {
			return c.address(argument{op: opAddressNew}, p, p.After, true)
		}
		if v.absent || trace.Mem(v.raw[0]) == trace.Literal {
			return argument{op: opAddressNew}, nil
		}
		return c.address(argument{op: opAddressNew}, p, p.After, false)
	}
	return c.room(argument{op: opRoom}, p)
}

// mayBeNull tells whether the standard lets programs pass NULL.
func mayBeNull(p *rerun.Param) bool {
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
	if q.Before < 0 || c.sig.Slots[q.Before].Kind != trace.Int {
		return 0, false
	}
	return c.sig.Slots[q.Before].N, true
}

// room lowers room for results, whose size may follow from parameters that vary.
func (c *caller) room(a argument, p *rerun.Param) (argument, emitter) {
	for _, i := range []int8{p.LenArg, p.LenCap} {
		if i < 0 || p.Role == rerun.StatusOut {
			continue
		}
		q := &c.f.Params[i]
		if c.hole(q.Before) {
			return a, func(dst []uint64, vals []value) []uint64 {
				n := c.f.Room(p, func(param int) (int64, bool) {
					if s := c.f.Params[param].Before; s >= 0 {
						return vals[s].one(), true
					}
					return 0, false
				})
				return append(dst, uint64(n))
			}
		}
	}
	a.a = c.f.Room(p, c.known)
	return a, nil
}
