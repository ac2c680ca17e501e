package rankfunc

// Steps: one byte stands for r + a where a is a step in a grid that has a number, so that the
// neighbours of ranks that have all of them take the same space whatever the grid's size.

// Kinds of steps. Those along the first axis of grids of two come first, two for each of the first
// grids, then four for each of those with three axes, along the first two, in ascending order of
// the rank that they lead to; at last r - 1 and r + 1.
const (
	kStep    FormulaKind = 32
	kStep3   FormulaKind = 48
	kStep1   FormulaKind = 60
	stepsEnd FormulaKind = 62
	steps2               = 8 // grids
	steps3               = 3
)

// step returns what a step adds to the rank, 0 if there is no such step.
func (c *Context) step(k FormulaKind) int64 {
	axes, x, list := 2, int(k-kStep), steps2
	switch {
	case k < kStep || k >= stepsEnd || c == nil:
		return 0
	case k >= kStep1:
		return 2*int64(k-kStep1) - 1
	case k >= kStep3:
		axes, x, list = 3, int(k-kStep3), steps3
	}
	shapes, n := c.shapesOf(axes), 2*(axes-1)
	if i := x / n; i < min(list, len(shapes)) {
		return stepIn(shapes[i], x%n)
	}
	return 0
}

// stepIn returns step n of a grid.
func stepIn(shape []int64, n int) int64 {
	axis, sign := n, int64(-1)
	if last := len(shape) - 1; n >= last {
		axis, sign = 2*last-1-n, 1
	}
	for _, x := range shape[axis+1:] {
		sign *= x
	}
	return sign
}

// stepFor returns the first kind of step that adds a, 0 if there is none.
func (c *Context) stepFor(a int64) FormulaKind {
	switch {
	case a == -1:
		return kStep1
	case a == 1:
		return kStep1 + 1
	case a == 0 || c == nil:
		return 0
	}
	for k := kStep; k < kStep1; k++ {
		if c.step(k) == a {
			return k
		}
	}
	return 0
}

// appendIn appends the encoding of f, which may be shorter than that of append as the context is
// known.
func (f *Formula) appendIn(dst []byte, ctx *Context) []byte {
	if f.Kind == FormulaShift {
		if k := ctx.stepFor(f.A); k != 0 {
			return append(dst, byte(k))
		}
	}
	return f.append(dst)
}
