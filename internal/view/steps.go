package view

import (
	"sync"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

// nests is the loops of a recording, found once.
type nests struct {
	mu      sync.Mutex
	known   bool
	classes []*loops.Class
	err     error
	// steps by the text of the step loop. They are not safe for concurrent use: mu.
	steps map[string]*selection.StepIndex
}

// loopNests finds the loops. It may take long the first time; if whoever asked for it goes away, the next one begins
// again.
func (r *recording) loopNests(meter report.Meter) ([]*loops.Class, error) {
	n := &r.nests
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.known {
		p := meter.Start("finding loops", "streams")
		defer p.Done()
		n.classes, n.err = loops.Of(r.calls, loops.Options{Timing: selection.StepTiming, Progress: p.Show})
		n.known = true
	}
	return n.classes, n.err
}

// withSteps uses the time steps.
func (r *recording) withSteps(stepLoop string, use func(*selection.StepIndex) error) error {
	sel, err := selection.Parse(selection.Flags{StepLoop: stepLoop})
	if err != nil {
		return wrong("%v", err)
	}
	n := &r.nests
	n.mu.Lock()
	defer n.mu.Unlock()
	x := n.steps[stepLoop]
	if x == nil {
		if x, err = selection.FindSteps(r.calls, sel.StepLoop); err != nil {
			return wrong("%v", err)
		}
		if n.steps == nil || len(n.steps) > 8 {
			n.steps = map[string]*selection.StepIndex{}
		}
		n.steps[stepLoop] = x
	}
	return use(x)
}

// steps answers /api/steps.
func steps(q *question) (any, error) {
	j, err := q.timed(q.rec.calls)
	if err != nil {
		return nil, err
	}
	u, region, err := j.Usage()
	if err != nil {
		return nil, err
	}
	s := &api.Steps{Stride: max(1, u.Stride), Region: region, Median: int64(u.MedianStep), Begin: []int64{},
		Length: []int64{}, Mean: []int64{}, Useful: []int64{}, Slow: []report.SlowStep{}}
	s.Total = uint64(len(u.Steps)) * s.Stride
	for i := range u.Steps {
		x := &u.Steps[i]
		s.Begin = append(s.Begin, int64(x.Begin))
		s.Length = append(s.Length, int64(x.Length.Max))
		s.Mean = append(s.Mean, int64(x.Length.Mean()))
		s.Useful = append(s.Useful, int64(x.Useful.Max))
	}
	for _, x := range u.SlowSteps {
		s.Slow = append(s.Slow, report.SlowStep(x))
	}
	classes, err := q.rec.loopNests(q.meter)
	if err != nil {
		return nil, err
	}
	for _, c := range classes {
		if c.Step == nil || region != "" {
			continue
		}
		if f, _, ok := c.Step.Place(); ok {
			s.Loop = f.String()
		}
		break
	}
	return s, nil
}

// stepRanks is over how many ranks a step is looked up.
const stepRanks = 16

// stepAt answers /api/step.
func stepAt(q *question) (any, error) {
	k, err := q.number("k", 0, 0, 1<<62)
	if err != nil {
		return nil, err
	}
	rank, err := q.number("rank", -1, 0, archive.MaxProcesses)
	if err != nil {
		return nil, err
	}
	var list []*archive.Stream
	n := q.rec.calls.NumStreams()
	every := max(1, (n+stepRanks-1)/stepRanks)
	if rank >= 0 {
		s, err := q.stream(q.rec.calls)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	} else {
		for i := 0; i < n; i += every {
			list = append(list, q.rec.calls.Stream(i))
		}
	}
	at := &api.StepAt{Step: uint64(k), Begin: -1, Of: n, Rank: -1}
	err = q.rec.withSteps(q.args.Get("step_loop"), func(x *selection.StepIndex) error {
		for _, s := range list {
			if err := addStep(at, x, s, uint64(k)); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && at.Ranks == 0 {
		err = &refusal{404, "there is no such time step"}
	}
	return at, err
}

// addStep adds where a step is in a stream, if it has the step.
func addStep(at *api.StepAt, x *selection.StepIndex, s *archive.Stream, k uint64) error {
	if !s.Timed() {
		return nil
	}
	of, err := x.Of(s)
	if err != nil || of == nil {
		return err
	}
	if at.Total = max(at.Total, of.Len()); k >= of.Len() {
		return nil
	}
	r, err := of.Range(k)
	if err != nil || r.Len() == 0 {
		return err
	}
	t, err := s.Timing()
	if err != nil || t == nil {
		return err
	}
	first, _ := t.At(r.From)
	if r.From > 0 {
		_, first = t.At(r.From - 1) // computation before a step belongs to it
	}
	_, last := t.At(r.To - 1)
	if err := t.Err(); err != nil {
		return err
	}
	begin, end := int64(s.Since(first)), int64(s.Since(last))
	if at.Ranks == 0 || begin < at.Begin {
		at.Begin, at.Rank, at.Thread, at.From, at.To = begin, s.Rank().Rank, s.Thread(), r.From, r.To
	}
	at.End = max(at.End, end)
	at.Ranks++
	return nil
}
