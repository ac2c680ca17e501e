package report

import (
	"sync"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/findings"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/whatif"
)

// mostWithout is of how many findings it is computed what the run would take without them.
const mostWithout = 3

// leastSaved is the least part of the time of the run that is worth saying so.
const leastSaved = 0.01

// leastWaiting is the part of all time that has to be waiting for a look at what could avoid it.
const leastWaiting = 0.02

// graph gives the dependencies of the calls, which are read once, if somebody asks; nil if they are too many, or not
// complete.
func (j *Job) graph(o *Overview) func() (*whatif.Graph, error) {
	if j.chosen != nil || o.Usage == nil || j.events() > cheapEvents || len(o.Open) > 0 {
		return nil
	}
	return sync.OnceValues(func() (*whatif.Graph, error) {
		p := j.meter.Start("computing what the run would take", "events")
		defer p.Done()
		return whatif.Build(j.Program, j.clock)
	})
}

// avoidable finds what the dependencies of the calls say of waits that need not be, and of what grows.
func (j *Job) avoidable(o *Overview, in *findings.Input, graph func() (*whatif.Graph, error),
	steps *selection.StepIndex) error {
	if graph == nil {
		return nil
	}
	in.Grown = func(computes bool) (at efficiency.Key, ok bool) {
		g, err := graph()
		if err != nil {
			return at, false
		}
		return g.Grown(computes, j.quarters(steps, o.Usage))
	}
	in.Preceding = func(process int32, at efficiency.Key) (key efficiency.Key, ok bool) {
		g, err := graph()
		if err != nil {
			return key, false
		}
		return g.Preceding(process, at)
	}
	in.Without = j.withoutOne(o, graph, steps)
	if w := o.Waits; w == nil || float64(w.Total.Time) < leastWaiting*float64(w.Elapsed) {
		return nil
	}
	g, err := graph()
	if err != nil {
		return err
	}
	in.Barriers, in.EarlyWaits = g.NeedlessBarriers(leastSaved), g.EarlyWaits(leastSaved)
	in.SmallCollectives = g.SmallCollectives(leastSaved)
	return nil
}

// quarters tells in which quarter of the time steps a call is, -1 for none; what comes first in a run is left out.
func (j *Job) quarters(steps *selection.StepIndex, u *efficiency.Result) func(stream int, call uint64) int {
	n := uint64(len(u.Steps)) * u.Stride
	from := n / 10
	find := j.stepFinder(steps)
	return func(stream int, call uint64) int {
		step, ok := find(stream, call)
		if !ok || step < from || step >= n {
			return -1
		}
		return int((step - from) * 4 / (n - from))
	}
}

// without computes what the run would take without the first findings, where that follows from its dependencies.
func (j *Job) without(o *Overview, in *findings.Input, graph func() (*whatif.Graph, error)) error {
	left := mostWithout
	if graph == nil {
		return nil
	}
	for i := range o.Findings {
		n := &o.Findings[i]
		if left == 0 || !computable(n) {
			continue
		}
		left--
		if _, err := graph(); err != nil {
			return err
		}
		t, ok := in.Without(n)
		if all := o.Usage.Elapsed(); ok && float64(all-t) >= leastSaved*float64(all) {
			n.Without = t
		}
	}
	return nil
}

// withoutOne gives what the run would take without a finding, which is computed once.
func (j *Job) withoutOne(o *Overview, graph func() (*whatif.Graph, error),
	steps *selection.StepIndex) func(*findings.Finding) (time.Duration, bool) {
	type key struct {
		kind    findings.Kind
		process int32
		at      efficiency.Key
	}
	type result struct {
		elapsed time.Duration
		ok      bool
	}
	known := map[key]result{}
	return func(n *findings.Finding) (time.Duration, bool) {
		k := key{n.Kind, n.Process, efficiency.Key{Func: n.Func, Site: n.Site}}
		r, has := known[k]
		if g, err := graph(); !has && err == nil && computable(n) {
			r.elapsed, r.ok = j.run(g, n, o.Usage, steps)
			r.elapsed = o.Usage.Elapsed() - (g.Elapsed - r.elapsed)
			known[k] = r
		}
		return r.elapsed, r.ok
	}
}

// computable tells whether it can be computed what a run would take without a finding.
func computable(n *findings.Finding) bool {
	switch n.Kind {
	case findings.LateRank, findings.Imbalance, findings.Serial, findings.WrongOrder, findings.LateReceiver,
		findings.SlowStep:
		return true
	case findings.Growth: // of time, not of messages
		return !n.Sends
	}
	return false
}

// run is the time of the run without a finding.
func (j *Job) run(g *whatif.Graph, n *findings.Finding, u *efficiency.Result,
	steps *selection.StepIndex) (time.Duration, bool) {
	at := efficiency.Key{Func: n.Func, Site: n.Site}
	switch n.Kind {
	case findings.LateRank, findings.Imbalance:
		return g.WithoutLateness(n.Process)
	case findings.Serial:
		return g.WithoutWaiting(at, false)
	case findings.LateReceiver:
		return g.WithoutWaiting(at, true)
	case findings.WrongOrder:
		return g.InAnyOrder(at)
	case findings.SlowStep:
		slow := map[uint64]bool{}
		for _, s := range u.SlowSteps {
			slow[s.Step] = true
		}
		return g.UsualFor(j.inSteps(steps, func(step uint64) bool { return slow[step] }))
	}
	first := uint64(len(u.Steps)) * u.Stride / 4
	return g.UsualFor(j.inSteps(steps, func(step uint64) bool { return step >= first }))
}

// inSteps tells whether a call is in one of some time steps.
func (j *Job) inSteps(steps *selection.StepIndex, some func(step uint64) bool) func(stream int, call uint64) bool {
	find := j.stepFinder(steps)
	return func(stream int, call uint64) bool {
		step, ok := find(stream, call)
		return ok && some(step)
	}
}

// stepFinder finds the time step of a call, if it is in one.
func (j *Job) stepFinder(steps *selection.StepIndex) func(stream int, call uint64) (uint64, bool) {
	cursors := map[int]*selection.StepCursor{}
	return func(stream int, call uint64) (uint64, bool) {
		c, ok := cursors[stream]
		if !ok {
			if of, err := steps.Of(j.Archive.Stream(stream)); err == nil && of != nil && of.Len() > 0 {
				c = of.Cursor()
			}
			cursors[stream] = c
		}
		if c == nil {
			return 0, false
		}
		step, ok, err := c.Find(call)
		return step, err == nil && ok
	}
}
