package diff

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// Times differ by chance: less than these parts of a time are noise.
const (
	noise      = 0.10 // of the time in calls from a site
	negligible = 0.01 // of the time in all calls
	uneven     = 0.20 // of the time of a rank outside of calls
)

// summed is what is known of the times of one recording.
type summed struct {
	elapsed, calls time.Duration
	sites          map[[2]string]*siteSum
	outside        map[[2]int]time.Duration // by world and rank
}

type siteSum struct {
	time  time.Duration
	calls uint64
}

// times compares times; nil if one of the recordings has none.
func (c *comparison) times() (*Times, error) {
	var both [2]*summed
	var errs [2]error
	var reading workers.Group
	for i, s := range c.sides {
		reading.Go(func() { both[i], errs[i] = c.summed(s) })
	}
	reading.Wait()
	if err := cmp.Or(errs[0], errs[1]); err != nil {
		return nil, err
	}
	for i, x := range both {
		if x == nil {
			c.note([2]string{"A", "B"}[i] + " has no times")
			return nil, nil
		}
	}
	a, b := both[0], both[1]
	t := &Times{ElapsedA: a.elapsed, ElapsedB: b.elapsed, CallsA: a.calls, CallsB: b.calls}
	for key, x := range a.sites {
		y := b.sites[key]
		if y == nil {
			y = &siteSum{}
		}
		t.site(key, *x, *y)
	}
	for key, y := range b.sites {
		if a.sites[key] == nil {
			t.site(key, siteSum{}, *y)
		}
	}
	slices.SortFunc(t.Sites, func(x, y SiteTime) int {
		if d := cmp.Compare((y.B - y.A).Abs(), (x.B - x.A).Abs()); d != 0 {
			return d
		}
		return cmp.Or(cmp.Compare(x.Func, y.Func), cmp.Compare(x.Site, y.Site))
	})
	for key, x := range a.outside {
		y, ok := b.outside[key]
		if !ok || max(x, y) < time.Duration(negligible*float64(max(a.elapsed, b.elapsed))) {
			continue
		}
		r := RankTime{key[0], key[1], x, y}
		switch d := float64(y - x); {
		case d > uneven*float64(x):
			t.Slower = append(t.Slower, r)
		case d < -uneven*float64(x):
			t.Faster = append(t.Faster, r)
		}
	}
	for _, list := range [][]RankTime{t.Slower, t.Faster} {
		slices.SortFunc(list, func(x, y RankTime) int {
			if d := cmp.Compare((y.B - y.A).Abs(), (x.B - x.A).Abs()); d != 0 {
				return d
			}
			return cmp.Or(cmp.Compare(x.World, y.World), cmp.Compare(x.Rank, y.Rank))
		})
	}
	return t, nil
}

// site adds a site if its times differ by more than noise.
func (t *Times) site(key [2]string, x, y siteSum) {
	d := (y.time - x.time).Abs()
	if float64(d) > noise*float64(min(x.time, y.time)) && float64(d) > negligible*float64(max(t.CallsA, t.CallsB)) {
		t.Sites = append(t.Sites, SiteTime{Func: key[0], Site: strings.TrimSuffix(key[1], newSite), A: x.time,
			B:      y.time,
			CallsA: x.calls, CallsB: y.calls})
	}
}

func (c *comparison) summed(s *side) (*summed, error) {
	timed := false
	for _, k := range s.a.Classes() {
		timed = timed || k.Stream(k.Ranks().Min()).Timed()
	}
	if !timed {
		return nil, nil
	}
	sel := *selection.All
	sel.Ranks, sel.Functions, sel.Comms, sel.Window, sel.Steps = c.o.Ranks, c.o.Functions, c.o.Comms, c.o.Window,
		c.o.Steps
	sel.Within = c.o.Within
	r, err := sel.Resolve(s.a)
	if err != nil {
		return nil, err
	}
	r.Progress = func(uint64, uint64) { c.tell() }
	p, err := profile.Of(r, profile.Options{By: profile.GroupBy{Func: true, Site: true}, Timing: profile.Summary,
		NoBytes: true})
	if err != nil || !p.Timed {
		return nil, err
	}
	out := &summed{calls: p.Time, sites: map[[2]string]*siteSum{}, outside: map[[2]int]time.Duration{}}
	modules := modulesOf(s.a)
	for _, row := range p.Rows {
		if row.Time == nil {
			continue
		}
		key := [2]string{row.Func.Name, c.keySite(row.Func, s.number, siteText(row.Site, modules))}
		x := out.sites[key]
		if x == nil {
			x = &siteSum{}
			out.sites[key] = x
		}
		x.time, x.calls = x.time+row.Time.Total, x.calls+row.Calls
	}
	if out.elapsed, err = selection.Length(s.a); err != nil {
		return nil, err
	}
	p, err = profile.Of(r, profile.Options{By: profile.GroupBy{Rank: true}, Timing: profile.Summary,
		NoBytes: true})
	if err != nil {
		return nil, err
	}
	for _, row := range p.Rows {
		if row.Time != nil && row.Rank >= 0 {
			out.outside[[2]int{row.World, row.Rank}] = max(row.Elapsed-row.Time.Total, 0)
		}
	}
	return out, nil
}

// modulesOf is the modules of the first process, which call sites are told by where there are no
// lines.
func modulesOf(a *archive.Archive) []archive.Module {
	if a.NumRanks() == 0 {
		return nil
	}
	return a.Rank(0).Modules
}
