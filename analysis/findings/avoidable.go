package findings

import (
	"fmt"
	"time"

	"github.com/tabard-hpc/tabard/analysis/whatif"
	"github.com/tabard-hpc/tabard/internal/render"
)

// leastOverlap is the part of the time of the run that has to be saved for waits to be called too early: what is
// computed next may need what they wait for.
const leastOverlap = 0.03

// avoidable reports barriers that nothing needs, collectives that could be one, and waits that could be made later.
// That ranks are late there in turn is part of it.
func (f *finder) avoidable() {
	if f.Usage == nil {
		return
	}
	if len(f.Barriers) > 0 {
		g := &f.Barriers[0]
		if n, saved := f.gain(Barrier, g); f.share(saved) >= least {
			n.Text = fmt.Sprintf("nothing recorded needs %s: no one-sided communication, files, receives from any source or "+
				"probes between its calls. They take %s (%s)", call(n.Func, n.Site), f.part(g.Time),
				render.Plural(g.Calls, "call"))
			f.add(n)
		}
	}
	f.small()
	if len(f.EarlyWaits) > 0 {
		g := &f.EarlyWaits[0]
		if n, saved := f.gain(Overlap, g); f.share(saved) >= leastOverlap {
			n.Text = fmt.Sprintf("%s waits at once for what was begun right before (%s), and then processes compute for %s "+
				"in all: what of that does not need it could come before the wait", call(n.Func, n.Site),
				f.part(g.Time), f.Duration(g.Meanwhile))
			n.Severity = unlessNeeded(f.share(saved))
			f.add(n)
		}
	}
}

// unlessNeeded is the severity of what can be saved if nothing needs it, which is not recorded.
func unlessNeeded(share float64) Severity {
	if share >= 4*much {
		return Warning
	}
	return Note
}

// small reports collectives that are made for each element.
func (f *finder) small() {
	if len(f.SmallCollectives) == 0 {
		return
	}
	g := &f.SmallCollectives[0]
	n, saved := f.gain(Small, g)
	if f.share(saved) < leastOverlap {
		return
	}
	n.Text = fmt.Sprintf("%s is called %d times in a row, with at most %s each and next to nothing between, and that "+
		"%s in all. The calls after the first ones take %s: one call with all the data would do, unless each needs "+
		"the result of the one before", call(n.Func, n.Site), (g.Calls+g.Rows)/max(g.Rows, 1), f.bytes(float64(g.Bytes)),
		render.Plural(g.Rows, "time"), f.part(g.Time))
	n.Severity = unlessNeeded(f.share(saved))
	f.add(n)
}

// gain is a finding of calls without which the run takes less time, and how much of it all processes together save.
func (f *finder) gain(kind Kind, g *whatif.Gain) (Finding, time.Duration) {
	saved := (g.Elapsed - g.Without) * time.Duration(len(f.Usage.Processes))
	f.explained = max(f.explained, saved)
	return Finding{Kind: kind, Cost: saved, Process: -1, Func: g.Func, Site: g.Site, Step: -1,
		Without: f.Usage.Elapsed() - (g.Elapsed - g.Without),
		Command: []string{"profile", "--by", "site", "--function", g.Func}}, saved
}
