package infer

import (
	"math"
	"slices"
)

// powerSets are the exponents of the powers of a quantity that sums may have, few first. What has
// both a large power and a small one is no size of anything.
var powerSets = [][]int{
	{-2}, {2},
	{-2, -1}, {-1, 1}, {-2, 0}, {0, 2}, {1, 2},
	{-2, -1, 0}, {-1, 0, 1}, {0, 1, 2},
}

// maxPowers are the largest quantity, and the largest number, that sums of powers are looked for at:
// their product is exact in floating point.
const (
	maxPowerQuantity = 1 << 12
	maxPowerValue    = 1 << 40
)

// powers explains numbers by sums of powers of a number of ranks, from its square to one over its
// square: faces of parts, and what several of them have. There have to be more values than powers,
// and each part has to be whole at each of them.
func powers(_ *inference, q *Expr, p *points) *Expr {
	values := slices.Compact(slices.Sorted(slices.Values(p.q)))
	small := p.all(func(q, v int64) bool {
		return q > 0 && q <= maxPowerQuantity && v > -maxPowerValue && v < maxPowerValue
	})
	if len(values) < 2 || q.Op != Size && q.Op != Dim || !small {
		return nil
	}
	for _, set := range powerSets {
		if len(set) >= len(values) {
			continue
		}
		if c := p.combination(set); c != nil {
			return sumOf(q, set, c)
		}
	}
	return nil
}

// combination are the whole numbers by which powers of the quantity give all values; nil if there
// are none.
func (p *points) combination(set []int) []int64 {
	var rows [][]float64
	seen := map[int64]bool{}
	for i, q := range p.q {
		if seen[q] || len(rows) == len(set) {
			continue
		}
		seen[q] = true
		row := make([]float64, len(set)+1)
		for k, x := range set {
			row[k] = math.Pow(float64(q), float64(x))
		}
		row[len(set)] = float64(p.v[i])
		rows = append(rows, row)
	}
	c := solveRows(rows)
	if c == nil || c[len(c)-1] < 0 && set[len(set)-1] > 0 { // it would be negative in large jobs
		return nil
	}
	whole := make([]int64, len(c))
	for k := range c {
		r := math.Round(c[k])
		if r == 0 || math.Abs(r) > 1<<52 || math.Abs(c[k]-r) > 1e-6*math.Max(1, math.Abs(r)) {
			return nil
		}
		whole[k] = int64(r)
	}
	ok := p.all(func(q, v int64) bool {
		sum := int64(0)
		for k, x := range set {
			part := whole[k]
			for range max(-x, 0) {
				if part%q != 0 {
					return false
				}
				part /= q
			}
			for range max(x, 0) {
				part *= q
			}
			sum += part
		}
		return sum == v
	})
	if !ok {
		return nil
	}
	return whole
}

// solveRows solves a square system, whose last column is its right side; nil if it is singular.
func solveRows(rows [][]float64) []float64 {
	n := len(rows)
	for k := range n {
		for i := k + 1; i < n; i++ {
			if math.Abs(rows[i][k]) > math.Abs(rows[k][k]) {
				rows[i], rows[k] = rows[k], rows[i]
			}
		}
		if math.Abs(rows[k][k]) < 1e-12 {
			return nil
		}
		for i := range n {
			if f := rows[i][k] / rows[k][k]; i != k && f != 0 {
				for j := k; j <= n; j++ {
					rows[i][j] -= f * rows[k][j]
				}
			}
		}
	}
	out := make([]float64, n)
	for k := range n {
		out[k] = rows[k][n] / rows[k][k]
	}
	return out
}

// sumOf is the sum of powers of q, the highest first.
func sumOf(q *Expr, set []int, c []int64) (sum *Expr) {
	for k, x := range slices.Backward(set) {
		n := num(c[k])
		var term *Expr
		switch x {
		case 0:
			term = n
		case 1:
			term = op(Mul, n, q)
		case 2:
			term = op(Mul, n, op(Mul, q, q))
		case -1:
			term = op(Div, n, q)
		case -2:
			term = op(Div, n, op(Mul, q, q))
		}
		sum = plus(sum, term)
	}
	return sum
}
