// Package clocks corrects the times of a trace so that no message arrives before it was sent.
//
// The times of an archive are comparable as far as the recorder measured the clocks of hosts, and
// else as far as the system keeps them equal: to milliseconds. The program's own messages say more.
// What was sent before it was received bounds the difference of two clocks from one side, an answer
// bounds it from the other (A. Duda, G. Harrus, Y. Haddad, G. Bernard: Estimating global time in
// distributed systems, ICDCS 1987), and so does a measurement. Between both bounds, which are kept
// as convex hulls, lies a line: offset and drift. Where clocks changed their speed it has bends.
//
// What is still out of order then is put right as by the controlled logical clock (R. Rabenseifner:
// The controlled logical clock, EUROMICRO PDP 1997; D. Becker, R. Rabenseifner, F. Wolf: Timestamp
// synchronization for event traces of large-scale message-passing applications, EuroPVM/MPI 2007):
// a receive that ends too early ends when the message was sent, and the process catches up slowly,
// so that its calls keep their order.
//
// # Where the measurements come from
//
// Processes of one host share a monotonic clock. Between hosts, the leaders of collectors
// exchange short messages along their tree in MPI_Finalize, and half of the shortest round trip
// bounds the error of an offset. In MPI_Init that could do harm: nobody knows yet whether the
// ranks of other nodes are traced, and any message could meet one of the program's. So the drift
// is taken from the program's own messages.
package clocks

import (
	"math"
	"slices"
	"sort"
	"time"
)

// Event is a moment in a process, in the times of the archive.
type Event struct {
	Process int
	Time    time.Duration
	// Error bounds the error that Time is stored with.
	Error time.Duration
}

// A Source tells what must have come before what: it calls before with events of which none of the
// first slice can be later than any of the second, unless they are of one process. A message is the
// begin of its send and the end of its receive, a barrier all begins and all ends. It may be asked
// several times and must say the same every time, best in the order of time. The slices are not
// kept.
type Source func(before func(first, then []Event)) error

// Violations are events out of order.
type Violations struct {
	// Count is how many ends come before what they depend on.
	Count uint64
	// Largest is by how much at most.
	Largest time.Duration
}

func (v *Violations) add(d time.Duration) {
	v.Count++
	v.Largest = max(v.Largest, d)
}

// Knot is a point of a Clock's correction.
type Knot struct {
	// At is the time in the archive, Add what is to be added to it.
	At, Add time.Duration
}

// Clock is the correction of a clock that processes share, relative to the times of the archive.
type Clock struct {
	// Host is the host's name, Processes how many processes have the clock.
	Host      string
	Processes int
	// Reference is set if all others follow this clock.
	Reference bool
	// Knots are the correction: linear between knots, and going on like that before the first and
	// after the last. One knot is a constant, none is zero.
	Knots []Knot
	// Drift is how much faster than the reference the clock runs by the times of the archive, on
	// average, in parts per million.
	Drift float64
	// Residual bounds the error of corrected times of this clock in relation to those of the
	// reference at any time of the trace, provided that clocks are steady but for the bends that
	// were found; negative if nothing bounds it from one side. Best is the bound where it is least.
	Residual, Best time.Duration
}

// Known tells whether something is known of the clock in relation to the reference.
func (c *Clock) Known() bool { return c.Residual >= 0 }

func (c *Clock) at(t time.Duration) time.Duration {
	return t + time.Duration(math.Round(c.value(float64(t))))
}

// value is what is to be added at a time.
func (c *Clock) value(t float64) float64 {
	ks := c.Knots
	switch len(ks) {
	case 0:
		return 0
	case 1:
		return float64(ks[0].Add)
	}
	i := sort.Search(len(ks)-2, func(i int) bool { return float64(ks[i+1].At) > t })
	p, q := ks[i], ks[i+1]
	return float64(p.Add) + (t-float64(p.At))*float64(q.Add-p.Add)/float64(q.At-p.At)
}

// Correction gives corrected times. It is safe for concurrent use.
type Correction struct {
	// Clocks are the clocks of the archive (see archive.Archive.HostClocks).
	Clocks []Clock
	// Ends is how many ends were compared with what they depend on. Before is how many of them are
	// out of order in the archive, Fitted when offsets and drifts are corrected, After when all is.
	// With LinesOnly the latter are not known.
	Ends                  uint64
	Before, Fitted, After Violations
	// Passes is how often the source was asked.
	Passes int
	// Moved is how many ends were moved by themselves.
	Moved int

	clockOf []int32
	ramps   map[int]*ramps
}

// Identity tells whether the correction changes nothing.
func (c *Correction) Identity() bool {
	return len(c.ramps) == 0 && !slices.ContainsFunc(c.Clocks, func(k Clock) bool {
		return slices.ContainsFunc(k.Knots, func(k Knot) bool { return k.Add != 0 })
	})
}

// At is the corrected time of a moment that process (its number in the archive) has at t, in the
// times of the archive. In each process it never decreases.
func (c *Correction) At(process int, t time.Duration) time.Duration {
	// Rounded once: two roundings could make a step back.
	v := c.base(process, t)
	if r := c.ramps[process]; r != nil {
		v += r.at(t)
	}
	return t + time.Duration(math.Round(v))
}

// base is what the correction of the process's clock alone adds to a time.
func (c *Correction) base(process int, t time.Duration) float64 {
	if uint(process) < uint(len(c.clockOf)) {
		if n := c.clockOf[process]; n >= 0 {
			return c.Clocks[n].value(float64(t))
		}
	}
	return 0
}

// Measurement says that two clocks showed the same time, with an error of at most Error.
type Measurement struct {
	Clock, Partner int
	At, Error      time.Duration
}

// Input is what a correction is made from.
type Input struct {
	// Clocks are the clocks; of each Host, Processes and Reference count.
	Clocks []Clock
	// ClockOf is the number of the clock of each process, -1 if it has none.
	ClockOf []int32
	// Measured is what is known besides.
	Measured []Measurement
	Source   Source
	// LinesOnly is set if offsets and drifts are enough: the source is asked once. Single events
	// may be out of order then, by no more than the errors of stored times and what a line leaves.
	LinesOnly bool
}

// maxPasses bounds how often the source is asked to put single events right.
const maxPasses = 50

// Correct works out the correction. It asks the source once if nothing is out of order, else at
// least twice. Memory is proportional to the number of clocks, and to the logarithm of that of
// messages: some 500 KB a clock at most. It fails if the source does.
func Correct(in Input) (*Correction, error) {
	c := &Correction{Clocks: slices.Clone(in.Clocks), clockOf: in.ClockOf, ramps: map[int]*ramps{}}
	e := newEstimator(c)
	for _, m := range in.Measured {
		e.measured(m)
	}
	if err := in.Source(e.before); err != nil {
		return nil, err
	}
	c.Passes = 1
	e.fit()
	if in.LinesOnly {
		return c, nil
	}
	// If all was in order, lines between the hulls keep it so, but for rounding.
	if c.Before.Count == 0 && (len(e.pairs) == 0 || !e.inexact && !e.violated(2)) {
		return c, nil
	}
	for pass := range maxPasses {
		c.Passes = pass + 2
		a := amortisation{c: c, count: pass == 0}
		if err := in.Source(a.before); err != nil {
			return nil, err
		}
		if pass == 0 {
			c.Fitted = a.fitted
		}
		if c.After = a.found; a.found.Count == 0 {
			break
		}
	}
	for _, r := range c.ramps {
		c.Moved += len(r.list)
	}
	return c, nil
}
