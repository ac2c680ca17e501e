package infer

import (
	"math"
	"slices"
)

// A table is what is to be explained: a value at each rank, in each iteration of the loops around
// it.
type table struct {
	m *inference
	// path are the loops whose index may matter.
	path []int
	rows []row
	vals []int64
}

// row says where a value was seen. A row of a table of arrays has the index of the element, too.
type row struct {
	recording *recording
	rank      int64
	idx       []int64 // by path
	elem      int64
}

// add adds a row.
func (t *table) add(r row, v int64) { t.rows, t.vals = append(t.rows, r), append(t.vals, v) }

// like is a table with the same loops, and no rows yet.
func (t *table) like() *table { return &table{m: t.m, path: t.path} }

// groups are the rows by the value of an expression, from 0 on; nil if it has values below 0 or of
// limit and more.
func (t *table) groups(e *Expr, limit int) (out []*table) {
	for i, v := range t.vals {
		k := t.eval(e, i)
		if k < 0 || k >= int64(limit) {
			return nil
		}
		for int64(len(out)) <= k {
			out = append(out, t.like())
		}
		out[k].add(t.rows[i], v)
	}
	return out
}

// recordings are those that have rows.
func (t *table) recordings() map[*recording]bool {
	out := map[*recording]bool{}
	for i := range t.rows {
		out[t.rows[i].recording] = true
	}
	return out
}

// env is where expressions are evaluated for a row; it is good until the next call.
func (t *table) env(i int) *Env {
	r := &t.rows[i]
	e := &r.recording.env
	e.Rank, e.Elem = r.rank, r.elem
	for k, l := range t.path {
		e.Index[l] = r.idx[k]
	}
	return e
}

// eval is the value of an expression in row i.
func (t *table) eval(e *Expr, i int) int64 { return e.Eval(t.env(i)) }

// maxWork is how many values are looked at to explain a parameter, maxSearch to explain all of a
// job in all ways: a refusal is to come within seconds.
const (
	maxWork   = 3_000_000
	maxSearch = 150_000_000
)

// budget is what is left of maxSearch.
type budget struct{ left int }

// spend notes that so many values were looked at.
func (m *inference) spend(n int) {
	m.work += n
	m.budget.left -= n
}

// tired tells whether enough was looked at.
func (m *inference) tired() bool { return m.work > maxWork || m.budget.left < 0 }

// holds tells whether e gives all values. Rows that refuted expressions are looked at first.
func (t *table) holds(e *Expr) bool {
	if e == nil || t.m.tired() {
		return false
	}
	for i := range t.rows {
		t.m.spend(1)
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
	s := t.like()
	t.m.spend(len(t.rows))
	// Most of these tables are looked at once: they take no more memory than they have to.
	kept, n := make([]bool, len(t.rows)), 0
	for i := range t.rows {
		if kept[i] = keep(i); kept[i] {
			n++
		}
	}
	s.rows, s.vals = make([]row, 0, n), make([]int64, 0, n)
	for i, r := range t.rows {
		if kept[i] {
			s.add(r, t.vals[i])
		}
	}
	return s
}

// with is a table of the same rows with other values.
func (t *table) with(value func(i int) int64) *table {
	t.m.spend(len(t.rows))
	s := t.like()
	s.rows, s.vals = make([]row, 0, len(t.rows)), make([]int64, 0, len(t.rows))
	for i, r := range t.rows {
		s.add(r, value(i))
	}
	return s
}

// constants are the values of the recordings that have rows, if each has one value only.
func (t *table) constants() (map[*recording]int64, bool) {
	out := map[*recording]int64{}
	for i, v := range t.vals {
		s := t.rows[i].recording
		if w, ok := out[s]; ok && w != v {
			return nil, false
		}
		out[s] = v
	}
	return out, true
}

// solve finds numbers c0, c1, ... for each recording such that c0 + c1*f1 + c2*f2 + ... are the
// values, by elimination. A number that the rows leave open is 0 and not in known. With joint, the
// numbers are the same for all recordings, and the result has them for recording nil.
func (t *table) solve(features []*Expr, joint bool) (
	coef map[*recording][]int64, known map[*recording][]bool, ok bool) {
	if t.m.spend(50 + len(t.rows)); t.m.tired() {
		return nil, nil, false
	}
	n := len(features) + 1
	m := &t.m.scratch
	m.systems, m.numbers = m.systems[:0], m.numbers[:0]
	for i := range t.rows {
		of := t.rows[i].recording
		if joint {
			of = nil
		}
		s := m.system(of)
		if len(s.rows) == n || s.seen > 4000 && i%16 != 0 {
			continue
		}
		s.seen++
		if t.vals[i] > 1<<50 || t.vals[i] < -1<<50 {
			return nil, nil, false
		}
		y, before := m.row(n+1), len(s.rows)
		y[0], y[n] = 1, float64(t.vals[i])
		for k, f := range features {
			y[k+1] = float64(t.eval(f, i))
		}
		if !s.add(y) {
			return nil, nil, false
		}
		if len(s.rows) == before {
			m.numbers = m.numbers[:len(m.numbers)-len(y)]
		}
	}
	coef, known = map[*recording][]int64{}, map[*recording][]bool{}
	for i := range m.systems {
		s := &m.systems[i]
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
		coef[s.of], known[s.of] = whole, k
	}
	return coef, known, true
}

// elimination is what solve computes with: most of what is tried is refuted by few rows, so that the memory is
// used again.
type elimination struct {
	systems []system
	numbers []float64 // of rows
}

// system are the linear equations of a recording.
type system struct {
	of    *recording
	rows  [][]float64 // reduced
	pivot []int
	seen  int
}

// system is the one of a recording.
func (m *elimination) system(of *recording) *system {
	for i := range m.systems {
		if m.systems[i].of == of {
			return &m.systems[i]
		}
	}
	if n := len(m.systems); n < cap(m.systems) {
		m.systems = m.systems[:n+1]
	} else {
		m.systems = append(m.systems, system{})
	}
	s := &m.systems[len(m.systems)-1]
	s.of, s.rows, s.pivot, s.seen = of, s.rows[:0], s.pivot[:0], 0
	return s
}

// row is room for n numbers.
func (m *elimination) row(n int) []float64 {
	from := len(m.numbers)
	m.numbers = slices.Grow(m.numbers, n)[:from+n]
	return m.numbers[from : from+n : from+n]
}

// add reduces the equation y, whose last number is the value, and keeps what is new in it. It tells whether
// it does not contradict those before.
func (s *system) add(y []float64) bool {
	n := len(y) - 1
	value := y[n]
	for k, r := range s.rows {
		p := s.pivot[k]
		if c := y[p] / r[p]; c != 0 {
			for j := range y {
				y[j] -= c * r[j]
			}
		}
	}
	for p, v := range y[:n] {
		if math.Abs(v) > 1e-7 {
			s.rows, s.pivot = append(s.rows, y), append(s.pivot, p)
			return true
		}
	}
	return math.Abs(y[n]) <= 1e-6*math.Max(1, math.Abs(value))
}
