package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

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
		c, err := innermostOpen(s)
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		o := OpenCall{Func: c.Func.Name, World: s.Rank().World, Thread: s.Thread(), Values: partners(c), Begin: c.Start}
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

// innermostOpen is the call that the thread of s had not returned from, nil if there is none. Calls in each other end
// the stream from the inside out.
func innermostOpen(s *archive.Stream) (open *archive.Call, err error) {
	for i := s.Calls(); i > 0; i-- {
		c, err := s.CallAt(i - 1)
		if err != nil {
			return nil, err
		}
		if c.Flags&archive.Unfinished == 0 {
			break
		}
		open = c
	}
	return open, nil
}

// partners are the parameters of a call that say who takes part in it.
func partners(c *archive.Call) string {
	var values []string
	abi := c.Stream().Archive().Meta().ABI
	for i := range c.Func.Slots {
		s := &c.Func.Slots[i]
		switch name := archive.SlotName(c.Func, s); name {
		case "source", "dest", "root", "tag", "sendtag", "recvtag", "comm":
			if v := &c.Slots[i]; !s.Out && v.Kind != archive.Absent {
				values = append(values, name+"="+archive.FormatValue(abi, c.Func, s, v))
			}
		}
	}
	return strings.Join(values, ", ")
}
