package scale

import "math"

// A table is what is to be explained: a value at each rank, in each iteration of the loops around it.
type table struct {
	m *maker
	// path are the loops whose index may matter.
	path []int
	rows []row
	vals []int64
}

// row says where a value was seen. A row of a table of arrays has the index of the element, too.
type row struct {
	side *side
	rank int64
	idx  []int64 // by path
	elem int64
}

// env is where expressions are evaluated for a row; it is good until the next call.
func (t *table) env(i int) *Env {
	r := &t.rows[i]
	e := &r.side.env
	e.Rank, e.Elem = r.rank, r.elem
	for k, l := range t.path {
		e.Index[l] = r.idx[k]
	}
	return e
}

// eval is the value of an expression in row i.
func (t *table) eval(e *Expr, i int) int64 { return e.Eval(t.env(i)) }

// maxWork is how many values are looked at to explain a parameter.
const maxWork = 3_000_000

// holds tells whether e gives all values. Rows that refuted expressions are looked at first.
func (t *table) holds(e *Expr) bool {
	if e == nil || t.m.work > maxWork {
		return false
	}
	for i := range t.rows {
		t.m.work++
		if t.eval(e, i) != t.vals[i] {
			if i > 0 {
				j := i / 2
				t.rows[i], t.rows[j] = t.rows[j], t.rows[i]
				t.vals[i], t.vals[j] = t.vals[j], t.vals[i]
			}
			return false
		}
	}
	return true
}

// only is the table of some rows.
func (t *table) only(keep func(i int) bool) *table {
	s := &table{m: t.m, path: t.path}
	t.m.work += len(t.rows)
	for i := range t.rows {
		if keep(i) {
			s.rows, s.vals = append(s.rows, t.rows[i]), append(s.vals, t.vals[i])
		}
	}
	return s
}

// with is a table of the same rows with other values.
func (t *table) with(value func(i int) int64) *table {
	t.m.work += len(t.rows)
	s := &table{m: t.m, path: t.path, rows: append([]row(nil), t.rows...), vals: make([]int64, len(t.rows))}
	for i := range s.vals {
		s.vals[i] = value(i)
	}
	return s
}

// constants are the values of the sides that have rows, if each has one value only.
func (t *table) constants() (map[*side]int64, bool) {
	out := map[*side]int64{}
	for i, v := range t.vals {
		s := t.rows[i].side
		if w, ok := out[s]; ok && w != v {
			return nil, false
		}
		out[s] = v
	}
	return out, true
}

// solve finds numbers c0, c1, ... for each side such that c0 + c1*f1 + c2*f2 + ... are the values, by
// elimination. A number that the rows leave open is 0 and not in known. With joint, the numbers are those of all sides
// together, and stand for side nil.
func (t *table) solve(features []*Expr, joint bool) (coef map[*side][]int64, known map[*side][]bool, ok bool) {
	type system struct {
		rows  [][]float64 // reduced
		pivot []int
		seen  int
	}
	if t.m.work += len(t.rows); t.m.work > maxWork {
		return nil, nil, false
	}
	n := len(features) + 1
	systems := map[*side]*system{}
	x := make([]float64, n+1)
	for i := range t.rows {
		of := t.rows[i].side
		if joint {
			of = nil
		}
		s := systems[of]
		if s == nil {
			s = &system{}
			systems[of] = s
		}
		if len(s.rows) == n || s.seen > 4000 && i%16 != 0 {
			continue
		}
		s.seen++
		x[0], x[n] = 1, float64(t.vals[i])
		if t.vals[i] > 1<<50 || t.vals[i] < -1<<50 {
			return nil, nil, false
		}
		for k, f := range features {
			x[k+1] = float64(t.eval(f, i))
		}
		y := append([]float64(nil), x...)
		for k, r := range s.rows {
			p := s.pivot[k]
			if c := y[p] / r[p]; c != 0 {
				for j := range y {
					y[j] -= c * r[j]
				}
			}
		}
		p := -1
		for j := range n {
			if math.Abs(y[j]) > 1e-7 {
				p = j
				break
			}
		}
		if p < 0 {
			if math.Abs(y[n]) > 1e-6*math.Max(1, math.Abs(x[n])) {
				return nil, nil, false
			}
			continue
		}
		s.rows, s.pivot = append(s.rows, y), append(s.pivot, p)
	}
	coef, known = map[*side][]int64{}, map[*side][]bool{}
	for side, s := range systems {
		c, k := make([]float64, n), make([]bool, n)
		// Each row may contain pivots of later rows: from the last one back.
		for i := len(s.rows) - 1; i >= 0; i-- {
			r, p := s.rows[i], s.pivot[i]
			v := r[n]
			for j := range n {
				if j != p {
					v -= r[j] * c[j]
				}
			}
			c[p], k[p] = v/r[p], true
		}
		whole := make([]int64, n)
		for j := range c {
			whole[j] = int64(math.Round(c[j]))
			if math.Abs(c[j]-float64(whole[j])) > 1e-6 {
				return nil, nil, false
			}
		}
		coef[side], known[side] = whole, k
	}
	return coef, known, true
}
