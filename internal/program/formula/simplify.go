package formula

// Known is the value of an expression that is the same everywhere.
func (e *Expr) Known() (value int64, ok bool) {
	switch e.Op {
	case Num:
		return e.N, true
	case Rank, Size, Index, Elem, Dim, Coord, Cell, Shift, NearCount, NearRank, NearMove, While, Sum:
		return 0, false
	}
	for _, a := range e.Args {
		if _, ok := a.Known(); !ok {
			return 0, false
		}
	}
	return e.Eval(&Env{}), true
}

// Element is an expression for element i of an array, simplified.
func (e *Expr) Element(i int64) *Expr {
	if e.Op == Elem {
		return Constant(i)
	}
	if e.Op == While { // has parameters of its own
		return e
	}
	if e.Op == Sum {
		total, fixed := Constant(0), int64(0)
		for k := range i {
			x := e.Args[0].Element(k)
			if v, ok := x.Known(); ok {
				fixed += v
				continue
			}
			total = &Expr{Op: Add, Args: []*Expr{total, x}}
		}
		return total.Plus(fixed)
	}
	out := *e
	out.Args = make([]*Expr, len(e.Args))
	for k, a := range e.Args {
		out.Args[k] = a.Element(i)
	}
	if v, ok := out.Known(); ok {
		return Constant(v)
	}
	switch out.Op {
	case Pick:
		if v, ok := out.Args[0].Known(); ok {
			return out.Args[1+min(max(v, 0), int64(len(out.Args)-2))]
		}
	case If:
		if v, ok := out.Args[0].Known(); ok {
			return out.Args[map[bool]int{true: 1, false: 2}[v != 0]]
		}
	}
	return &out
}

// UsesElem tells whether an expression depends on the place in an array.
func (e *Expr) UsesElem() bool {
	if e.Op == Elem || e.Op == Sum {
		return true
	}
	for _, a := range e.Args {
		if a.UsesElem() {
			return true
		}
	}
	return false
}

// Choices appends the expressions that conditions choose from.
func (e *Expr) Choices(out []*Expr) []*Expr {
	if e.Op == If || e.Op == Pick {
		for _, a := range e.Args[1:] {
			out = a.Choices(out)
		}
		return out
	}
	return append(out, e)
}

// Halved is half of an expression that is even whatever it depends on, else nil.
func (e *Expr) Halved() *Expr {
	if v, ok := e.Known(); ok {
		if v%2 != 0 {
			return nil
		}
		return Constant(v / 2)
	}
	part := func(from int) *Expr {
		out := *e
		out.Args = append([]*Expr{}, e.Args...)
		for i := from; i < len(out.Args); i++ {
			if out.Args[i] = out.Args[i].Halved(); out.Args[i] == nil {
				return nil
			}
		}
		return &out
	}
	switch e.Op {
	case Add, Sub:
		return part(0)
	case If, Pick:
		return part(1)
	case Mul:
		for i, a := range e.Args {
			if v, ok := a.Known(); ok && v%2 == 0 {
				if v == 2 {
					return e.Args[1-i]
				}
				return &Expr{Op: Mul, Args: []*Expr{Constant(v / 2), e.Args[1-i]}}
			}
		}
	}
	return nil
}

// Plus is e + n.
func (e *Expr) Plus(n int64) *Expr {
	if v, ok := e.Known(); ok {
		return Constant(v + n)
	}
	if e.Op == Add {
		for i, a := range e.Args {
			if v, ok := a.Known(); ok {
				return sum2(e.Args[1-i], v+n)
			}
		}
	}
	return sum2(e, n)
}

func sum2(e *Expr, n int64) *Expr {
	if n == 0 {
		return e
	}
	return &Expr{Op: Add, Args: []*Expr{e, Constant(n)}}
}

// Rising tells whether the elements of an array rise by one, and gives the first.
func (e *Expr) Rising() (first *Expr, ok bool) {
	switch {
	case e.Op == Elem:
		return Constant(0), true
	case e.Op == Add && e.UsesElem():
		for i, a := range e.Args {
			if first, ok := a.Rising(); ok && !e.Args[1-i].UsesElem() {
				if v, zero := first.Known(); zero {
					return e.Args[1-i].Plus(v), true
				}
				return &Expr{Op: Add, Args: []*Expr{first, e.Args[1-i]}}, true
			}
		}
	}
	return nil, false
}

// Everywhere tells whether an expression depends on rank and size only.
func (e *Expr) Everywhere() bool {
	if e.Op == Index || e.Op == Elem {
		return false
	}
	for _, a := range e.Args {
		if !a.Everywhere() {
			return false
		}
	}
	return true
}

// Natural tells whether an expression cannot be negative.
func (e *Expr) Natural() bool {
	switch e.Op {
	case Rank, Size, Index, Elem, Mod, Dim, LowBit, HighBit:
		return true
	case Num:
		return e.N >= 0
	case Add, Mul, Div, Xor, Min:
		return e.Args[0].Natural() && e.Args[1].Natural()
	case If, Pick:
		for _, a := range e.Args[1:] {
			if !a.Natural() {
				return false
			}
		}
		return true
	}
	return false
}
