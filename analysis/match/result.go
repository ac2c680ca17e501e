package match

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
)

// Result is what was matched and what was not, by call site.
type Result struct {
	// Whole counts everything in the archive.
	Whole Summary
	// Messages, Bytes, Guessed and Collectives count what is selected: messages of which one end
	// is, and collectives of which a part is. Unmatched ends are not among the messages.
	Messages, Bytes, Guessed, Collectives uint64
	UnmatchedSends, UnmatchedRecvs        uint64
	// Unmatched are the ends without a partner, most first.
	Unmatched []Group
	// Incomplete are the collectives that recorded members did not take part in, and those with
	// different functions.
	Incomplete []Incomplete
	// More is how many groups were left out, as there were too many, and how many collectives.
	More, MoreIncomplete uint64
}

// Group is ends without a partner that come from one place in the program and have one reason.
type Group struct {
	Send   bool
	Func   string
	Site   string // empty if unknown
	Reason Reason
	Count  uint64
	Bytes  uint64 // of what is known
	// Processes are those that made the calls, ascending.
	Processes []int32
	// First is one of them.
	First Unmatched
}

// Incomplete is a collective that does not fit together.
type Incomplete struct {
	Comm         int32
	Index, Round uint64
	Func, Site   string
	Members      int
	Missing      int
	Mixed        bool
	// Present are the processes that called, ascending.
	Present []int32
}

// Choice tells whether a call is looked at.
type Choice func(stream int, terminal uint32, call uint64) bool

// maxGroups is how many groups, and how many collectives, a Result holds at most.
const maxGroups = 10000

type groupKey struct {
	send     bool
	fn, site string
	why      Reason
}

// collector makes a Result.
type collector struct {
	p      *calls.Program
	chosen Choice
	out    Result
	groups map[groupKey]*Group
	sites  map[siteKey]string
}

type siteKey struct {
	stream   int32
	terminal uint32
}

// Of matches an archive and lists what does not fit together. chosen and progress may be nil.
func Of(p *calls.Program, chosen Choice, progress func(done, total uint64)) (*Result, error) {
	c := &collector{p: p, chosen: chosen, groups: map[groupKey]*Group{}, sites: map[siteKey]string{}}
	sum, err := RunProgram(p, Options{Message: c.message, Collective: c.collective, Unmatched: c.unmatched,
		Progress: progress, Untimed: true, Fold: chosen == nil})
	if err != nil {
		return nil, err
	}
	c.out.Whole = *sum
	for _, g := range c.groups {
		slices.Sort(g.Processes)
		c.out.Unmatched = append(c.out.Unmatched, *g)
	}
	slices.SortFunc(c.out.Unmatched, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Func, b.Func),
			cmp.Compare(a.Reason, b.Reason))
	})
	return &c.out, nil
}

func (c *collector) has(r *Ref) bool {
	return c.chosen == nil || c.chosen(int(r.Stream), r.Terminal, r.Call)
}

func (c *collector) message(m *Message) error {
	if c.has(&m.Send.Post) || c.has(&m.Recv.Post) {
		c.out.Messages += m.Count
		c.out.Bytes += m.Count * uint64(max(0, m.Bytes))
		if m.Guessed {
			c.out.Guessed++
		}
	}
	return nil
}

func (c *collector) collective(x *Collective) error {
	if c.chosen != nil && !slices.ContainsFunc(x.Parts, func(p Part) bool { return c.has(&p.Post) }) {
		return nil
	}
	c.out.Collectives += x.Count
	if x.Missing == 0 && !x.Mixed {
		return nil
	}
	if len(c.out.Incomplete) == maxGroups {
		c.out.MoreIncomplete++
		return nil
	}
	site, err := c.site(&x.Parts[0].Post)
	if err != nil {
		return err
	}
	i := Incomplete{Comm: x.Comm, Index: x.Index, Round: x.Round, Func: x.Func.Name, Site: site, Members: x.Members,
		Missing: x.Missing, Mixed: x.Mixed}
	for _, p := range x.Parts {
		i.Present = append(i.Present, p.Process)
	}
	c.out.Incomplete = append(c.out.Incomplete, i)
	return nil
}

func (c *collector) unmatched(u *Unmatched) error {
	if !c.has(&u.Post) {
		return nil
	}
	if u.Send {
		c.out.UnmatchedSends++
	} else {
		c.out.UnmatchedRecvs++
	}
	site, err := c.site(&u.Post)
	if err != nil {
		return err
	}
	k := groupKey{u.Send, u.Func.Name, site, u.Reason}
	g := c.groups[k]
	if g == nil {
		if len(c.groups) == maxGroups {
			c.out.More++
			return nil
		}
		g = &Group{Send: u.Send, Func: u.Func.Name, Site: site, Reason: u.Reason, First: *u}
		c.groups[k] = g
	}
	g.Count++
	g.Bytes += uint64(max(0, u.Bytes))
	if cmp.Or(cmp.Compare(u.Process, g.First.Process), cmp.Compare(u.Post.Call, g.First.Post.Call)) < 0 {
		g.First = *u
	}
	if n := len(g.Processes); n == 0 || g.Processes[n-1] != u.Process {
		if i, found := slices.BinarySearch(g.Processes, u.Process); !found {
			g.Processes = slices.Insert(g.Processes, i, u.Process)
		}
	}
	return nil
}

// site is the call site of a call, in words.
func (c *collector) site(r *Ref) (string, error) {
	k := siteKey{r.Stream, r.Terminal}
	if s, ok := c.sites[k]; ok {
		return s, nil
	}
	s := c.p.Archive.Stream(int(r.Stream))
	sig, err := s.Signature(r.Terminal)
	if err != nil {
		return "", err
	}
	text := ""
	if site := s.Site(sig); site != nil {
		text = site.String()
	}
	c.sites[k] = text
	return text, nil
}
