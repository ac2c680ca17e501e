package trend

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
)

// Size is a number of ranks in a scaling table.
type Size struct {
	Run *Run
	// Runs is how many recordings of this size there are; Run is the one with the shortest time steps, or without these
	// the shortest time.
	Runs int
	// Step is the time of a step, or of the run if there are none.
	Step time.Duration
	// Speedup is the time of the smallest size by this one's; Efficiency is that by the quotient of the numbers of
	// ranks, or under weak scaling the speed-up itself.
	Speedup, Efficiency float64
	// Computation is the computation scalability: all computation of the smallest size by that of this one, under weak
	// scaling that of a rank. Global is its product with parallel efficiency (POP).
	Computation, Global float64
}

// Scaling is how a program behaves at several numbers of ranks.
type Scaling struct {
	Sizes []Size
	// Weak says that the work of a rank stays the same; else it is that of all ranks.
	Weak bool
	// Stepwise says that times are those of time steps.
	Stepwise bool
	// Growing is what costs more than it should at the largest size, the most expensive first.
	Growing []Growing
}

// Quantity is what grows.
type Quantity string

// Quantities, of a rank on the average.
const (
	TimeInCalls  Quantity = "time in calls"
	BeforeCalls  Quantity = "computation before"
	CallsOfRank  Quantity = "calls"
	BytesFromOne Quantity = "bytes"
)

// Growing is something that a rank spends at a call site, at each size.
type Growing struct {
	Func, Site string
	Quantity   Quantity
	Values     []float64
	// Exponent is that of the power of the number of ranks that fits the values best.
	Exponent float64
	// Loss is the part of the time at the largest size that is beyond what the smallest one lets expect; 0 of calls and
	// bytes.
	Loss float64
}

// leastLoss is the least part of the time that is worth a line, leastExponent the least growth of calls and bytes.
const (
	leastLoss     = 0.01
	leastExponent = 0.2
)

// Scale makes the scaling table of runs of at least two sizes. Weak nil finds out which scaling it is: that whose total
// computation, or whose computation of a rank, stays nearest to the same.
func Scale(runs []*Run, weak *bool) *Scaling {
	s := &Scaling{Stepwise: !slices.ContainsFunc(runs, func(r *Run) bool { return r.MedianStep == 0 })}
	step := func(r *Run) time.Duration {
		if s.Stepwise {
			return r.MedianStep
		}
		return r.Elapsed
	}
	for _, r := range runs {
		i, ok := slices.BinarySearchFunc(s.Sizes, r.Ranks, func(x Size,
			n int) int {
			return cmp.Compare(x.Run.Ranks, n)
		})
		if !ok {
			s.Sizes = slices.Insert(s.Sizes, i, Size{Run: r})
		}
		x := &s.Sizes[i]
		x.Runs++
		if step(x.Run) == 0 || step(r) > 0 && step(r) <= step(x.Run) {
			x.Run, x.Step = r, step(r)
		}
	}
	first, last := s.Sizes[0].Run, s.Sizes[len(s.Sizes)-1].Run
	if weak != nil {
		s.Weak = *weak
	} else {
		s.Weak = first.Useful > 0 && useful(last)/useful(first) > math.Sqrt(ranks(last)/ranks(first))
	}
	for i := range s.Sizes {
		x := &s.Sizes[i]
		x.Speedup = ratio(float64(s.Sizes[0].Step), float64(x.Step))
		x.Efficiency = x.Speedup
		x.Computation = ratio(useful(first), useful(x.Run))
		if s.Weak {
			x.Computation *= ranks(x.Run) / ranks(first)
		} else {
			x.Efficiency *= ranks(first) / ranks(x.Run)
		}
		x.Global = x.Computation * x.Run.Efficiency.Parallel
	}
	s.growing()
	return s
}

func ranks(r *Run) float64 { return float64(r.Ranks) }

// useful is the computation of all ranks, as far as those tell that are selected.
func useful(r *Run) float64 { return float64(r.Useful) * ranks(r) / float64(max(r.Processes, 1)) }

func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// growing finds what grows with the number of ranks.
func (s *Scaling) growing() {
	at := map[efficiency.Key][]*Place{}
	var order []efficiency.Key
	for i := range s.Sizes {
		r := s.Sizes[i].Run
		for k := range r.Places {
			key := efficiency.Key{Func: r.Places[k].Func, Site: r.Places[k].Site}
			if at[key] == nil {
				at[key] = make([]*Place, len(s.Sizes))
				order = append(order, key)
			}
			at[key][i] = &r.Places[k]
		}
	}
	for _, key := range order {
		s.grows(key, at[key], TimeInCalls, func(p *Place) float64 { return float64(p.InCalls) })
		s.grows(key, at[key], BeforeCalls, func(p *Place) float64 { return float64(p.Before) })
		s.grows(key, at[key], CallsOfRank, func(p *Place) float64 { return float64(p.Calls) })
		s.grows(key, at[key], BytesFromOne, func(p *Place) float64 { return float64(p.Bytes) })
	}
	slices.SortStableFunc(s.Growing, func(a, b Growing) int {
		return cmp.Or(cmp.Compare(b.Loss, a.Loss), cmp.Compare(b.Exponent, a.Exponent))
	})
}

// grows adds a quantity of a place if it grows.
func (s *Scaling) grows(key efficiency.Key, places []*Place, q Quantity, of func(*Place) float64) {
	g := Growing{Func: key.Func, Site: key.Site, Quantity: q}
	var x, y []float64
	for i, p := range places {
		v := 0.0
		if p != nil {
			v = of(p) / float64(max(s.Sizes[i].Run.Processes, 1))
		}
		g.Values = append(g.Values, v)
		if v > 0 {
			x, y = append(x, math.Log(ranks(s.Sizes[i].Run))), append(y, math.Log(v))
		}
	}
	g.Exponent = slope(x, y)
	n := len(g.Values) - 1
	if q == TimeInCalls || q == BeforeCalls {
		expected := g.Values[0]
		if !s.Weak {
			expected *= ranks(s.Sizes[0].Run) / ranks(s.Sizes[n].Run)
		}
		g.Loss = ratio(g.Values[n]-expected, float64(s.Sizes[n].Run.Elapsed))
		if !(g.Loss >= leastLoss) {
			return
		}
	} else if !(g.Exponent >= leastExponent) || g.Values[n] <= g.Values[0] {
		return
	}
	s.Growing = append(s.Growing, g)
}

// slope is that of the straight line of least squares, NaN of fewer than two points.
func slope(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, sxy float64
	for i := range x {
		sx += x[i]
		sy += y[i]
		sxx += x[i] * x[i]
		sxy += x[i] * y[i]
	}
	return ratio(n*sxy-sx*sy, n*sxx-sx*sx)
}
