package report

import (
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

// without computes what the run would take without the first findings, where that follows from its dependencies.
func (j *Job) without(o *Overview, steps *selection.StepIndex) error {
	left := mostWithout
	if j.chosen != nil || o.Usage == nil || j.events() > cheapEvents || len(o.Open) > 0 {
		return nil
	}
	var g *whatif.Graph
	for i := range o.Findings {
		n := &o.Findings[i]
		if left == 0 || !computable(n) {
			continue
		}
		left--
		if g == nil {
			p := j.meter.Start("computing what the run would take", "events")
			var err error
			g, err = whatif.Build(j.Program, j.clock)
			p.Done()
			if err != nil {
				return err
			}
		}
		t, ok := j.run(g, n, o.Usage, steps)
		if ok && float64(g.Elapsed-t) >= leastSaved*float64(g.Elapsed) {
			n.Without = o.Usage.Elapsed() - (g.Elapsed - t)
		}
	}
	return nil
}

// computable tells whether it can be computed what a run would take without a finding.
func computable(n *findings.Finding) bool {
	switch n.Kind {
	case findings.LateRank, findings.Imbalance, findings.Serial, findings.WrongOrder, findings.LateReceiver,
		findings.SlowStep:
		return true
	case findings.Growth: // of time, not of messages
		return n.Func == ""
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
	cursors := map[int]*selection.StepCursor{}
	return func(stream int, call uint64) bool {
		c, ok := cursors[stream]
		if !ok {
			if of, err := steps.Of(j.Archive.Stream(stream)); err == nil && of != nil && of.Len() > 0 {
				c = of.Cursor()
			}
			cursors[stream] = c
		}
		if c == nil {
			return false
		}
		step, ok, err := c.Find(call)
		return err == nil && ok && some(step)
	}
}
