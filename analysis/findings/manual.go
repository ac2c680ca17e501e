package findings

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/render"
)

// manual reports the collective made of messages whose replacement is worth most: that which takes most of the time in
// its calls, by the part of it that a library's algorithm saves on paper. That part is no measurement and is not told;
// `tabard collectives --try` measures it. From process to process also pipelines go and what neighbours exchange: such
// a chain has to be proven. So has what makes ranks work one after the other: it may be a token, of which the data says
// nothing.
func (f *finder) manual() {
	if f.Collectives == nil || f.Usage == nil {
		return
	}
	var best *collectives.Finding
	var cost time.Duration
	worth := 0.0
	for i := range f.Collectives.Findings {
		c := &f.Collectives.Findings[i]
		made, library, ok := c.Estimate(collectives.Paper)
		chain := c.InLine() || f.inTurn(c)
		if !ok || library >= made || c.Instances < 2 || chain && c.Grade != collectives.Proven {
			continue
		}
		spent := f.inCalls(slices.Concat(c.SendSites, c.RecvSites))
		if w := float64(spent) * (1 - library/made); w > worth && f.share(spent) >= least {
			best, cost, worth = c, spent, w
		}
	}
	if best == nil {
		return
	}
	n := Finding{Kind: ManualCollective, Cost: cost, Process: -1, Step: -1, Command: []string{"collectives"}}
	if n.Func, n.Site, _ = strings.Cut(f.Collectives.Sites[best.SendSites[0]],
		" @ "); best.Grade != collectives.Proven {
		n.Severity = Note
	}
	var set []int
	for _, process := range best.Sets[0] {
		set = append(set, int(process))
	}
	slices.Sort(set)
	members := f.who(rankfunc.NewSet(set))
	if more := len(best.Sets) - 1; more > 0 {
		members += " (and " + render.Plural(uint64(more), "other set") + " of ranks)"
	}
	evidence := "the contents of the messages prove it"
	switch {
	case best.Grade == collectives.Proven:
	case f.Collectives.Contents:
		evidence = "by the structure of the messages, not proven by their contents"
	default:
		evidence = "by the structure of the messages; contents can prove it (tabard record --payload)"
	}
	n.Text = fmt.Sprintf("%s do by %d messages what %s does, %s, the first of them in %s: %s. Their calls take %s",
		members,
		best.Messages, best.Call, render.Plural(best.Instances, "time"), call(n.Func, n.Site), evidence, f.part(cost))
	f.add(n)
}

// inTurn tells whether ranks work one after the other by the messages of a collective, which is reported.
func (f *finder) inTurn(c *collectives.Finding) bool {
	return slices.ContainsFunc(f.found, func(n Finding) bool {
		return n.Kind == Serial && slices.ContainsFunc(c.RecvSites, func(s int32) bool {
			return f.Collectives.Sites[s] == n.Func+" @ "+n.Site
		})
	})
}

// inCalls is the time of all ranks in the calls of these sites.
func (f *finder) inCalls(sites []int32) (sum time.Duration) {
	for i := range f.Usage.Places {
		p := &f.Usage.Places[i]
		at := strings.TrimSuffix(p.Func+" @ "+p.Site, " @ ")
		if slices.ContainsFunc(sites, func(s int32) bool { return f.Collectives.Sites[s] == at }) {
			sum += p.MPI.Sum
		}
	}
	return sum
}
