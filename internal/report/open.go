package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// OpenCall is a call that threads were in when they were looked at, or died: of calls in each other the innermost.
type OpenCall struct {
	Func   string `json:"func"`
	Site   string `json:"site"`
	World  int    `json:"world,omitempty"`
	Thread int    `json:"thread,omitempty"`
	Ranks  string `json:"ranks"`
	// Values are the parameters that say who is waited for, of the first of Ranks.
	Values string `json:"values,omitempty"`
	// Begin is when the first of them began.
	Begin time.Duration `json:"begin_ns,omitempty"`
	ranks []int
}

// openCalls lists the calls that had not returned, those of fewest processes first: that is where to look.
func openCalls(a *archive.Archive) ([]OpenCall, error) {
	var open []OpenCall
	for s := range a.Streams() {
		c, _, err := consistency.Innermost(s)
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		o := OpenCall{Func: c.Func.Name, World: s.Rank().World, Thread: s.Thread(), Values: consistency.Partners(c),
			Begin: c.Start}
		if c.Site != nil {
			o.Site = c.Site.String()
		}
		i := slices.IndexFunc(open, func(x OpenCall) bool {
			return x.Func == o.Func && x.Site == o.Site && x.World == o.World && x.Thread == o.Thread
		})
		if i < 0 {
			i = len(open)
			open = append(open, o)
		}
		open[i].Begin = min(open[i].Begin, o.Begin)
		open[i].ranks = append(open[i].ranks, s.Rank().Rank)
	}
	for i := range open {
		slices.Sort(open[i].ranks)
		open[i].Ranks = RankList(open[i].ranks)
	}
	slices.SortStableFunc(open, func(a, b OpenCall) int { return cmp.Compare(len(a.ranks), len(b.ranks)) })
	return open, nil
}
