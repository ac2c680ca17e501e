package infer

import "github.com/tabard-hpc/tabard/internal/program/formula"

// An explanation with as many numbers to choose as there are values can be found for any values. So
// there have to be more values than numbers. Only those count that differ in what the explanation
// depends on: a function of the row of a process grid has the same value at all ranks of the row.

// proved tells whether there is evidence for an expression in a table that it explains. An
// expression of nothing but indices that are the same in jobs of all sizes needs none.
func (t *table) proved(e *Expr) bool {
	free := t.m.freedom(e, map[int64]bool{})
	return free == 0 || !t.m.beyond(e) || t.observations(e, free+1) > free
}

// weak tells whether there is little evidence for an expression that is proved.
func (t *table) weak(e *Expr) bool {
	free := t.m.freedom(e, map[int64]bool{})
	return free > 1 && t.m.beyond(e) && t.observations(e, free+2) < free+2
}

// rare tells whether what a condition on a condition says is seen at too few ranks: a few ones among zeros
// are even ranks from 11 on, or those that are 4 modulo 8 in every other column, whichever they are. The rows
// that do not have the value of most others have to be more than the expression has numbers and conditions.
func (t *table) rare(e *Expr) bool {
	nested := func(x *Expr) bool {
		return x.Uses(func(y *Expr) bool {
			return (y.Op == Div || y.Op == Mod || y.Op == Less || y.Op == And || y.Op == Or) && y.UsesRank()
		})
	}
	if isSquare(e.Args[0]) || !nested(e.Args[1]) && !nested(e.Args[2]) {
		return false
	}
	asked := 0
	e.Uses(func(x *Expr) bool {
		if x.Op == Eq || x.Op == Less {
			asked++
		}
		return false
	})
	return t.exceptions() <= max(asked, t.m.freedom(e, map[int64]bool{}))
}

// exceptions is at how many ranks a table has other values than the most frequent one.
func (t *table) exceptions() int {
	type place struct {
		of   *recording
		rank int64
		v    int64
	}
	seen, often, most := map[place]bool{}, map[int64]int{}, 0
	for i, r := range t.rows {
		at := place{r.recording, r.rank, t.vals[i]}
		if seen[at] {
			continue
		}
		seen[at] = true
		often[at.v]++
		most = max(most, often[at.v])
	}
	t.m.spend(len(t.rows) / 8)
	return len(seen) - most
}

// beyond tells whether an expression depends on something that takes other values in jobs of other
// sizes.
func (m *inference) beyond(e *Expr) bool {
	open := func(x *Expr) bool { return (x.Op == Index || x.Op == Elem) && m.isOpen(x) }
	return e.UsesRank() || e.UsesSize() || e.Uses(open)
}

// freedom is how many numbers and conditions of an expression could be others.
func (m *inference) freedom(e *Expr, seen map[int64]bool) int {
	n := 0
	switch e.Op {
	case Pick:
		if m.beyond(e.Args[0]) {
			break
		}
		for _, a := range e.Args[1:] { // each is a function by itself
			n = max(n, m.freedom(a, map[int64]bool{}))
		}
		return n
	case Num:
		if (e.N < -1 || e.N > 1) && !seen[e.N] {
			seen[e.N] = true
			n = 1
		}
	case LowBit, HighBit, Bits:
		if e != log2Size && e.Args[0] != log2Size.Args[0] {
			n = 1
		}
	case If:
		if c := e.Args[0]; c.Op != Eq || c.Args[0].Op != Rank {
			n = 1
		}
	}
	for _, a := range e.Args {
		n += m.freedom(a, seen)
	}
	return n
}

// observations is how many rows of a table differ in what an expression depends on, up to a limit.
func (t *table) observations(e *Expr, most int) int {
	var vars []*Expr
	known := map[string]bool{}
	add := func(x *Expr) {
		if k := x.String(); !known[k] {
			known[k] = true
			vars = append(vars, x)
		}
	}
	e.Uses(func(x *Expr) bool {
		switch x.Op {
		case Rank, Index, Elem, Size:
			add(x)
		case Coord:
			add(x)
		case formula.Cell:
			add(x)
			add(sizeExpr)
		case Dim:
			add(sizeExpr)
		case Shift, NearCount, NearRank, NearMove:
			add(rankExpr)
		}
		return false
	})
	seen := map[string]bool{}
	var key []byte
	for i := range t.rows {
		key = key[:0]
		for _, x := range vars {
			v := t.eval(x, i)
			for k := range 8 {
				key = append(key, byte(v>>(8*k)))
			}
		}
		if seen[string(key)] = true; len(seen) >= most {
			break
		}
	}
	t.m.spend(len(t.rows) / 8)
	return len(seen)
}
