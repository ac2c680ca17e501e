package findings

import (
	"fmt"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
)

// place is a call site.
type place struct{ fn, site string }

// growing reports what grows from step to step: what is sent, and the time that steps take. Where no computation grows,
// the one takes the other's time. Who is waited for longer and longer then is part of it.
func (f *finder) growing() {
	slower, computes, isSlower := f.slowing()
	if isSlower && slower.Severity == Note && f.begun() {
		isSlower = false
	}
	folded := isSlower && !computes && len(f.Growth) > 0
	for i := range f.Growth[:min(len(f.Growth), mostFaults)] {
		g := &f.Growth[i]
		n := Finding{Kind: Growth, Severity: Warning, weight: 0.6, Sends: true, Process: g.Process, Func: g.Func, Site: g.Site,
			Step: int64(g.Step), Command: []string{"dump", "--rank", fmt.Sprint(g.Process), "--function", g.Func}}
		if g.Jump {
			n.Command = append(n.Command, "--steps", fmt.Sprintf("%d-%d", max(g.Step, 1)-1, g.Step))
			n.Text = fmt.Sprintf("from time step %d on %s sends %.3g times as much in %s as before: %s instead of "+
				"%s a step", g.Step,
				f.Name(g.Process), g.After/max(g.Before, 1), call(g.Func, g.Site), f.bytes(g.After), f.bytes(g.Before))
		} else {
			n.Text = fmt.Sprintf("what %s sends in %s grows from step to step: from %s to %s a step", f.Name(g.Process),
				call(g.Func, g.Site), f.bytes(g.Before), f.bytes(g.After))
		}
		switch {
		case g.Of.Len() > 1:
			n.Text += fmt.Sprintf(" (and likewise %s)", f.who(g.Of))
		case g.Others > 0:
			n.Text += fmt.Sprintf("; the other ranks send %s", f.bytes(g.Others))
		}
		if folded && i == 0 {
			n.Cost, n.Text = slower.Cost, n.Text+". With it "+slower.Text
		}
		f.grown[place{n.Func, n.Site}] = true
		f.add(n)
	}
	if isSlower {
		f.alsoGrows(slower.Process)
	}
	if isSlower && !folded {
		f.add(slower)
	}
}

// begun tells whether steps take longer because one process does from a step on, and others wait for it.
func (f *finder) begun() bool {
	if f.Waits == nil {
		return false
	}
	all, _ := f.latecomers()
	return len(all) > 0 && 2*all[0].time > rootsOf(all) && f.since(all[0].process) >= 0
}

// alsoGrows notes who is waited for longer and longer: in the last quarter of the time steps by half more than in the
// first one. So is a process whose computation grows, -1 for none.
func (f *finder) alsoGrows(process int32) {
	if process >= 0 {
		f.told[process] = true
	}
	if f.Waits == nil || len(f.Waits.Steps) == 0 {
		return
	}
	last := f.Waits.Steps[len(f.Waits.Steps)-1].Step
	waiting := map[int32]*[4]time.Duration{}
	for _, s := range f.Waits.Steps {
		if s.Root < 0 {
			continue
		}
		p := f.Waits.Roots[s.Root].Process
		if waiting[p] == nil {
			waiting[p] = &[4]time.Duration{}
		}
		waiting[p][s.Step*4/(last+1)] += s.RootTime
	}
	for p, q := range waiting {
		if 2*q[3] > 3*q[0] {
			f.told[p] = true
		}
	}
}

// Places in the sorted times of steps.
const (
	median = 0.5
	fast   = 0.1
)

// steady tells whether times grow from each quarter to the next one, by an eighth of the growth in all at least, and by
// a tenth in all.
func steady(q []time.Duration) bool {
	all := q[3] - q[0]
	for i := range 3 {
		if 8*(q[i+1]-q[i]) < all {
			return false
		}
	}
	return 10*q[3] >= 11*q[0]
}

// quarters are the times at a place of the quarters of the steps: their medians, or those of the fast ones.
func quarters(s []*efficiency.Step, place float64, of func(*efficiency.Step) time.Duration) (m []time.Duration) {
	for i := range 4 {
		var x []time.Duration
		for k := i * len(s) / 4; k < (i+1)*len(s)/4; k++ {
			x = append(x, of(s[k]))
		}
		slices.Sort(x)
		m = append(m, x[int(place*float64(len(x)))])
	}
	return m
}

// slowing is the finding that time steps take longer and longer: the medians of their quarters increase, by a quarter
// in all. Computes tells that it is computation that grows. A machine that others use more and more looks alike, but
// for its fast steps and for when it slows down: where the program does not do more, the finding is a note that names
// both.
func (f *finder) slowing() (n Finding, computes, ok bool) {
	if f.steps() < 32 {
		return n, false, false
	}
	s := make([]*efficiency.Step, 0, len(f.Usage.Steps)) // there may be 100,000, of 100 bytes and more
	latest := 0
	for i := len(f.Usage.Steps) / 10; i < len(f.Usage.Steps); i++ {
		if step := &f.Usage.Steps[i]; step.Length.Processes > 0 { // it is selected
			s, latest = append(s, step), i
		}
	}
	if len(s) < 16 {
		return n, false, false
	}
	q := quarters(s, median, func(s *efficiency.Step) time.Duration { return s.Length.Max })
	if !slices.IsSorted(q) || 4*q[3] < 5*q[0] {
		return n, false, false
	}
	cost := time.Duration(0)
	for i := range s {
		cost += max(0, s[i].Length.Max-q[0]) * time.Duration(max(s[i].Length.Processes, 1))
	}
	useful := func(s *efficiency.Step) time.Duration { return s.Useful.Max }
	u := quarters(s, median, useful)
	what := "calls take longer"
	last := s[len(s)-1]
	n = Finding{Kind: Growth, Cost: cost, Process: -1, Step: int64(latest) * int64(max(f.Usage.Stride, 1)),
		Command: []string{"timeline"}}
	if computes = 2*(u[3]-u[0]) > q[3]-q[0]; computes {
		what = "it is computation that grows"
		if last.Useful.Max > 2*last.Useful.Mean()-last.Useful.Min && last.Useful.Processes > 2 {
			n.Process = last.Useful.Most
			what += ", most on " + f.Name(n.Process)
		}
	}
	if f.Grown != nil {
		if at, ok := f.Grown(computes); ok {
			n.Func, n.Site = at.Func, at.Site
			what += map[bool]string{true: ", most before ", false: ", most in "}[computes] + call(at.Func, at.Site)
		}
	}
	n.Text = fmt.Sprintf("time steps take longer and longer: %s in the first quarter, %s in the last one (%s): %s",
		f.Duration(q[0]), f.Duration(q[3]), f.part(cost), what)
	if len(f.Growth) == 0 && !(computes && steady(u) && steady(quarters(s, fast, useful))) {
		n.Severity = Note
		n.Text += ". Either the program does more and more, or the machine had more and more other work"
		if f.Compared {
			n.Text += ": it sends no more than at first, and does not grow in all its steps"
		}
		n.Text += ". Record it once more to tell"
	}
	return n, computes, f.share(cost) >= least
}

func (f *finder) bytes(n float64) string {
	if f.Bytes != nil {
		return f.Bytes(int64(n))
	}
	return fmt.Sprintf("%.0f bytes", n)
}
