package trend

import (
	"math"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/analysis/waits"
)

// Measure is something that is compared step by step.
type Measure uint8

// Measures of time steps.
const (
	// StepTime is how long a step takes at the slowest process, in ns.
	StepTime Measure = iota
	// Waiting is the part of the time of all processes that they wait for each other.
	Waiting
	// LoadBalance is mean by maximum of computation.
	LoadBalance
	// Communication is the maximum of computation by the time of the step.
	Communication
	// Elapsed is the time of the whole run in ns; it has one value in each recording.
	Elapsed
	NumMeasures
)

// String is the measure's name.
func (m Measure) String() string {
	return [...]string{"time per step", "waiting", "load balance", "communication efficiency", "elapsed time"}[m]
}

// time tells whether quotients are compared; of the others it is differences.
func (m Measure) time() bool { return m == StepTime || m == Elapsed }

// best is the lesser of two values if what is less is better, else the greater.
func (m Measure) less() bool { return m != LoadBalance && m != Communication }

// MaxSteps is how many time steps of a recording are compared; of more, neighbours are taken together.
const MaxSteps = 2048

// Run is what is compared of a recording.
type Run struct {
	File    string
	Created time.Time
	Ranks   int
	// Processes is how many of them the rest is about.
	Processes int
	// Calls are those of the program. Messages and Bytes are what they send point to point, by collectives and
	// one-sided.
	Calls, Messages uint64
	Bytes           int64
	// The following are zero without times. Useful is the computation of all processes together, Waiting the part of
	// the time of all that they wait for each other: in a time step, by the median, as it is compared, or in the run if
	// it has few steps.
	Elapsed, Useful time.Duration
	Efficiency      efficiency.Efficiency
	Waiting         float64
	// Steps is the number of time steps, MedianStep how long one takes.
	Steps      uint64
	MedianStep time.Duration
	Places     []Place
	// series are the values of each measure, by step; NaN where a step has none.
	series [NumMeasures][]float64
	// together is how many steps have one value in series.
	together uint64
}

// Place is a call site, summed over all processes.
type Place struct {
	Func, Site   string
	Calls, Bytes uint64
	// InCalls is the time in the calls, Before the computation before them.
	InCalls, Before time.Duration
}

// Input is what other analyses found of a recording. Usage and Waits are nil without times.
type Input struct {
	File    string
	Created time.Time
	Ranks   int
	// Processes is how many ranks Usage and Bytes are about.
	Processes int
	Calls     uint64
	Usage     *efficiency.Result
	Waits     *waits.Result
	Matrix    *traffic.Matrix
	// Bytes are those that calls of a place send.
	Bytes map[efficiency.Key]int64
}

// NewRun sums up a recording.
func NewRun(in Input) *Run {
	r := &Run{File: in.File, Created: in.Created, Ranks: in.Ranks, Processes: in.Processes, Calls: in.Calls}
	for _, k := range []traffic.Kind{traffic.PointToPoint, traffic.Collective, traffic.OneSided} {
		v := in.Matrix.Total(k)
		r.Messages += v.Messages
		r.Bytes += v.Bytes
	}
	if in.Usage == nil {
		return r
	}
	u := in.Usage
	r.Elapsed, r.Efficiency, r.MedianStep = u.Elapsed(), u.Efficiency(), u.MedianStep
	for i := range u.Processes {
		r.Useful += u.Processes[i].Useful()
	}
	if w := in.Waits; w != nil && w.Elapsed > 0 {
		r.Waiting = float64(w.Total.Time) / float64(w.Elapsed)
	}
	for i := range u.Places {
		p := &u.Places[i]
		r.Places = append(r.Places, Place{p.Func, p.Site, p.Calls,
			uint64(max(in.Bytes[efficiency.Key{Func: p.Func, Site: p.Site}], 0)),
			p.MPI.Sum, p.Before.Sum})
	}
	r.measure(u, in.Waits)
	if steps := known(r.series[Waiting]); in.Waits != nil && len(steps) >= leastSteps {
		r.Waiting = median(steps)
	}
	return r
}

// known are the values that are not NaN.
func known(series []float64) []float64 { return slices.DeleteFunc(slices.Clone(series), math.IsNaN) }

// measure fills in the series.
func (r *Run) measure(u *efficiency.Result, w *waits.Result) {
	for i := range u.Steps {
		if u.Steps[i].Length.Processes > 0 {
			r.Steps += u.Stride
		}
	}
	group := (len(u.Steps) + MaxSteps - 1) / MaxSteps
	r.together = uint64(group) * u.Stride
	next := 0
	for i := 0; i < len(u.Steps); i += max(group, 1) {
		var length, most, all, useful, mostUseful, n, waiting float64
		for k := i; k < min(i+group, len(u.Steps)); k++ {
			s := &u.Steps[k]
			if s.Length.Processes == 0 {
				continue
			}
			n++
			length += float64(s.Length.Max)
			all += float64(s.Length.Sum)
			useful += float64(s.Useful.Mean())
			mostUseful += float64(s.Useful.Max)
			most = max(most, float64(s.Length.Processes))
			for ; w != nil && next < len(w.Steps) && w.Steps[next].Step/u.Stride <= uint64(k); next++ {
				if w.Steps[next].Step/u.Stride == uint64(k) {
					waiting += float64(w.Steps[next].Time)
				}
			}
		}
		v := [NumMeasures]float64{StepTime: length / n, Waiting: waiting / all, LoadBalance: useful / mostUseful,
			Communication: mostUseful / length}
		for m := range Elapsed {
			r.series[m] = append(r.series[m], v[m]) // 0/0 is NaN
		}
	}
	r.series[Elapsed] = []float64{float64(r.Elapsed)}
	for m := range r.series {
		for i, v := range r.series[m] {
			if math.IsInf(v, 0) || Measure(m).time() && v <= 0 {
				r.series[m][i] = math.NaN()
			}
		}
	}
}
