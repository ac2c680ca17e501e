package efficiency

import (
	"cmp"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/spec"
)

// Result is what the time went to.
type Result struct {
	Worlds []comms.World
	// Begin and End are the first begin and the last end of the processes' times.
	Begin, End time.Duration
	// Processes are those that made calls, by number (see package calls).
	Processes []Process
	// Groups are the kinds of calls, see selection.GroupOf, the dearest first.
	Groups []Group
	// Places are the calls of the program with the computation before them, the dearest first.
	Places []Place
	// Steps are the time steps, Stride of them in each element; SlowSteps those that take unusually
	// long.
	Steps     []Step
	Stride    uint64
	SlowSteps []SlowStep
	// MedianStep is the median of the lengths of steps, MADStep their median absolute deviation.
	MedianStep, MADStep time.Duration
}

// Elapsed is T. Of a selected region it is the time in it, of the process that takes longest.
func (r *Result) Elapsed() time.Duration {
	most, parts := time.Duration(0), false
	for i := range r.Processes {
		p := &r.Processes[i]
		parts = parts || p.Outside > 0
		most = max(most, p.Inside())
	}
	if parts {
		return most
	}
	return r.End - r.Begin
}

// Process is a process's time, without that in MPI_Init and MPI_Finalize, which is Around.
type Process struct {
	Process    int32
	Begin, End time.Duration
	MPI        time.Duration
	Around     time.Duration
	// Outside is the time between Begin and End outside of the selected region.
	Outside time.Duration
	Calls   uint64
}

// Inside is the time that counts.
func (p *Process) Inside() time.Duration { return p.End - p.Begin - p.Outside }

// Useful is the time outside of MPI.
func (p *Process) Useful() time.Duration { return p.Inside() - p.MPI }

// Efficiency is the POP metrics, as fractions of 1.
type Efficiency struct {
	Parallel      float64 `json:"parallel"`
	LoadBalance   float64 `json:"load_balance"`
	Communication float64 `json:"communication"`
}

// Efficiency is computed from Processes; it is zero without any.
func (r *Result) Efficiency() Efficiency {
	var sum, most float64
	for i := range r.Processes {
		u := float64(r.Processes[i].Useful())
		sum += u
		most = max(most, u)
	}
	t := float64(r.Elapsed())
	if t <= 0 || most <= 0 {
		return Efficiency{}
	}
	mean := sum / float64(len(r.Processes))
	return Efficiency{Parallel: mean / t, LoadBalance: mean / most, Communication: most / t}
}

// Group is the calls of one kind, at all processes.
type Group struct {
	Name  string
	Kind  spec.EventKind
	Calls uint64
	Time  time.Duration
}

// Kind is the calls of one kind of events.
type Kind struct {
	Kind  spec.EventKind
	Calls uint64
	Time  time.Duration
	// Groups are those of the kind, the dearest first.
	Groups []Group
}

// Kinds sums up groups by the kinds of events, the dearest first.
func (r *Result) Kinds() (list []Kind) {
	for _, g := range r.Groups {
		i := slices.IndexFunc(list, func(k Kind) bool { return k.Kind == g.Kind })
		if i < 0 {
			i, list = len(list), append(list, Kind{Kind: g.Kind})
		}
		k := &list[i]
		k.Calls, k.Time, k.Groups = k.Calls+g.Calls, k.Time+g.Time, append(k.Groups, g)
	}
	slices.SortStableFunc(list, func(a, b Kind) int { return cmp.Compare(b.Time, a.Time) })
	return list
}

// Place is a call of the program.
type Place struct {
	Func, Site string
	Group      string
	Calls      uint64
	// MPI is the time in the calls, Before the computation before them.
	MPI, Before Spread
	// Durations are those of single calls.
	Durations Distribution
}

// Spread is how a time is spread over processes.
type Spread struct {
	// Processes is how many have a part in it.
	Processes     int
	Sum, Max, Min time.Duration
	// Most is the process with Max, Least one with Min.
	Most, Least int32
}

// Mean is the mean over all processes that made the calls.
func (s *Spread) Mean() time.Duration {
	if s.Processes == 0 {
		return 0
	}
	return s.Sum / time.Duration(s.Processes)
}

// Imbalance is Max - Mean.
func (s *Spread) Imbalance() time.Duration { return s.Max - s.Mean() }

func (s *Spread) add(process int32, t time.Duration) {
	if s.Processes == 0 || t > s.Max || t == s.Max && process < s.Most {
		s.Max, s.Most = t, process
	}
	if s.Processes == 0 || t < s.Min || t == s.Min && process < s.Least {
		s.Min, s.Least = t, process
	}
	s.Processes++
	s.Sum += t
}

// Step is a time step (or Result.Stride of them together), over all processes that have it.
type Step struct {
	// Begin is the earliest begin.
	Begin time.Duration
	// Length is how long it took, Useful the computation in it.
	Length, Useful Spread
}

// Cause is why a step is slow.
type Cause string

// Causes.
const (
	// OneComputes: one process computes longer than the others.
	OneComputes Cause = "one process computes longer"
	// AllCompute: the processes compute longer than in other steps.
	AllCompute Cause = "all processes compute longer"
	// InMPI: it is the calls that take longer.
	InMPI Cause = "calls take longer"
)

// SlowStep is a step that takes unusually long.
type SlowStep struct {
	// Step is its number, from 0.
	Step uint64
	// Begin is when it begins, Length how long it takes at the slowest process.
	Begin, Length time.Duration
	Cause         Cause
	// Process computes longest in it, Excess longer than the mean.
	Process int32
	Excess  time.Duration
}
