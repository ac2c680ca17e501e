package findings

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/waits"
)

// leastTurns is how many time steps must show who was late, before there is a pattern.
const leastTurns = 16

// turns tells that each process is late for several time steps in a row, which chance does not do: for how many, and
// the processes in the order in which they are.
func (f *finder) turns() (steps int, order []int32) {
	n := 0
	for _, s := range f.Waits.Steps {
		if s.Root < 0 || 2*s.RootTime < s.Time {
			continue
		}
		n++
		if p := f.Waits.Roots[s.Root].Process; len(order) == 0 || order[len(order)-1] != p {
			order = append(order, p)
		}
	}
	if n < leastTurns || len(order) < 2 || 5*len(order) > n {
		return 0, nil
	}
	return n / len(order), order
}

// moving reports that the work moves from rank to rank: each is late for some steps in a row.
func (f *finder) moving(all []*late, cost time.Duration) bool {
	steps, order := f.turns()
	if steps == 0 {
		return false
	}
	first := all[0].roots[0]
	n := Finding{Kind: Imbalance, Cost: cost, Process: -1, Func: first.Late.Func, Site: first.Late.Site, Step: -1,
		Command: []string{"timeline"}}
	var names []string
	for _, p := range order[:min(len(order), 4)] {
		names = append(names, f.Name(p))
	}
	if len(order) > len(names) {
		names = append(names, "...")
	}
	n.Text = fmt.Sprintf("the work moves from rank to rank: each is late for about %d time steps in a row (%s), "+
		"none of the %d much more than the others in all (%s), most at %s", steps, strings.Join(names, ", then "),
		len(all), f.part(cost), call(n.Func, n.Site))
	f.add(n)
	return true
}

// leastInTurn is the part of the time that the run has to take less without the waits of ranks that work one after the
// other: other jobs make them wait for each other in messages, too, but what one does not wait for the next one does.
const leastInTurn = 0.2

// serial reports that processes work one after the other. Of a chain of waits each process is the cause in turn.
func (f *finder) serial(all []*late, processes int) bool {
	if f.Usage == nil || processes < 3 || f.total <= 0 {
		return false
	}
	e := f.Usage.Efficiency()
	busy := e.Parallel * float64(processes)
	wait := f.share(f.Waits.Total.Time)
	if busy > 1.7 || busy < .3 || e.LoadBalance < .7 || wait < .4 ||
		10*all[0].time > 6*f.Waits.Total.Time || len(f.told) > 0 ||
		4*f.Waits.Kinds[waits.LateSender].Time < f.Waits.Total.Time {
		return false
	}
	n := f.chain()
	if n.Text == "" {
		return false
	}
	if saved, known := f.saved(&n); known && float64(saved) < leastInTurn*float64(f.Usage.Elapsed()) {
		return false // they happen to compute as if in turn
	}
	n.Text = fmt.Sprintf("The ranks work one after the other: of %d, %.1f compute at a time, though each computes "+
		"about as long as the others. They wait for each other (%s) %s", processes, busy, f.part(n.Cost), n.Text)
	f.add(n)
	for i := range f.Usage.Processes {
		f.told[f.Usage.Processes[i].Process] = true
	}
	return true
}

// chain is the receives in which ranks that work one after the other wait for each other: first those in which they
// wait longest, or those without whose waits the run would take least, if that is known and less.
func (f *finder) chain() (n Finding) {
	var in []string
	var saved time.Duration
	for i := range f.Waits.Groups {
		g := &f.Waits.Groups[i]
		if g.Kind != waits.LateSender || 8*g.Time < f.Waits.Total.Time || len(in) == 3 {
			continue
		}
		c := Finding{Kind: Serial, Cost: f.Waits.Total.Time, Process: g.Waiters[0].Process, Func: g.Waiting.Func,
			Site: g.Waiting.Site, Step: -1, Command: []string{"waits"}}
		text := fmt.Sprintf("in %s for what %s sends", call(c.Func, c.Site), call(g.Late.Func, g.Late.Site))
		s, _ := f.saved(&c)
		if first := len(in) == 0; first || s > saved+f.Usage.Elapsed()/20 {
			n, saved, in = c, s, slices.Insert(in, 0, text)
			continue
		}
		in = append(in, text)
	}
	n.Text = strings.Join(in, ", and ")
	return n
}

// takingTurns reports that ranks work one after the other in a part of the run, as when a token goes round before they
// write a file. There, of the time that all wait, each waits for its turn, in one receive, or for the others after it:
// all wait equally long in the end, the first one never for its turn, and the last one for nothing else. For its turn
// the rank at place k waits k times as long as the second one, which makes n/2 times the wait of the last one in all.
func (f *finder) takingTurns(processes int) bool {
	k := slices.IndexFunc(f.Waits.Groups, func(g waits.Group) bool { return g.Kind == waits.LateSender })
	if processes < 3 || k < 0 || len(f.told) > 0 {
		return false
	}
	g := &f.Waits.Groups[k]
	cost := 2 * g.Time
	if len(g.Waiters) != min(processes-1, waits.MaxShares) || len(g.Causers) != len(g.Waiters) || f.share(cost) < much {
		return false
	}
	last := g.Waiters[0]
	if !near(time.Duration(processes)*last.Time, cost, .2) || !near(cost, f.Waits.Total.Time, .35) {
		return false
	}
	for i := range f.Waits.Processes {
		p := &f.Waits.Processes[i]
		if !near(time.Duration(processes)*p.Total(), f.Waits.Total.Time, .25) ||
			p.Process == last.Process && 4*last.Time < 3*p.Total() {
			return false
		}
	}
	n := Finding{Kind: Serial, Cost: min(cost, f.Waits.Total.Time), Process: last.Process, Func: g.Waiting.Func,
		Site: g.Waiting.Site, Step: -1, Command: []string{"waits"}}
	n.Text = fmt.Sprintf("The ranks work one after the other in a part of the run: each waits in %s until the one "+
		"before it has done its part and come to %s, %s last, and then all wait for the others (%s)",
		call(n.Func, n.Site), call(g.Late.Func, g.Late.Site), f.Name(last.Process), f.part(n.Cost))
	f.add(n)
	for i := range f.Waits.Processes {
		f.told[f.Waits.Processes[i].Process] = true
	}
	return true
}

// near tells whether two times differ by no more than a part of the second one.
func near(a, b time.Duration, part float64) bool {
	return math.Abs(float64(a-b)) <= part*float64(b)
}
