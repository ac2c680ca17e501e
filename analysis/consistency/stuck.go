package consistency

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// A Stand is processes that are in a collective, or were when the job ended, and do not get on.
type Stand struct {
	// Func and Site are the call of most of Waiting, Comm names the communicator and Number says which of its
	// collectives it is, from 1.
	Func, Site, Comm string
	Number           uint64
	// Waiting are the processes that have not returned, from Begin to End on: when the first and the last
	// came (since the start of the trace, if Timed).
	Waiting    *rankfunc.Set
	Begin, End time.Duration
	Timed      bool
	// Others are the processes that make another call in its place, or have not come, by what they do.
	Others []Elsewhere
	// Root says that none of Others waits in another Stand.
	Root bool
	// Parted is the first collective of the communicator that Others called from another place than Waiting, nil if
	// there was none before.
	Parted *Parting
	// Problem is what does not fit among the parameters, nil if nothing was found.
	Problem *Problem
}

// Elsewhere is processes that others wait for.
type Elsewhere struct {
	Processes *rankfunc.Set
	// Instead says that they make the call in place of the collective. In says that they are in it, else it was their
	// last one.
	Instead, In bool
	// Func and Site are the call, empty if there was none; Number is as in Stand if it is on the same
	// communicator, else 0. Values are the parameters that say who is waited for, of the first process.
	Func, Site, Values string
	Number             uint64
	// Time is when the first of them began the call, or when the last of them left it; only if Timed.
	Time  time.Duration
	Timed bool
	// Ended is how they ended, if otherwise than those that wait; empty if they were at work.
	Ended string
}

// Parting is where processes begin to make different calls.
type Parting struct {
	Number               uint64
	Func, Site           string // of those that wait
	OtherFunc, OtherSite string
	processes            string // those that differ, to compare
}

// Standstill is why processes do not get on, and what does not fit together on the way there.
type Standstill struct {
	// Stands are the collectives that processes are in and do not get on, those that others may follow from first.
	Stands []Stand
	// Deadlocks are the processes that wait for each other or for what does not happen, the largest first.
	Deadlocks []Deadlock
	// Problems are those of collectives that came before, or at them: see Of.
	Problems []Problem
	// Unfinished are the nonblocking operations that nothing completed and whose requests were not freed, and sends
	// that nobody received, by call site.
	Unfinished []Unfinished
}

// Stuck looks for a standstill. It takes the time of matching all messages. Jobs whose calls have all returned have
// problems and unfinished operations only.
func Stuck(p *calls.Program) (*Standstill, error) {
	c := &checker{p: p, found: map[[4]string]*finding{}, calls: map[callKey]*call{}}
	s := &stuck{checker: c, first: map[scope]*candidate{}, parted: map[scope]*Parting{},
		streams: map[int32][]*archive.Stream{}, state: map[int32]*now{}}
	for x := range p.Archive.Streams() {
		n := p.Number(x.Process())
		s.streams[n] = append(s.streams[n], x)
	}
	_, err := match.RunProgram(p, match.Options{Collective: s.collective, Message: s.message, Unmatched: s.unmatched,
		Untimed: true, Fold: true})
	if err != nil {
		return nil, err
	}
	r := &Standstill{}
	if r.Stands, err = s.stands(); err != nil {
		return nil, err
	}
	if r.Deadlocks, err = s.deadlocks(r.Stands); err != nil {
		return nil, err
	}
	r.Problems = slices.DeleteFunc(c.problems(), func(x Problem) bool {
		return x.Kind != Mixed && x.Kind != Differing && x.Kind != Unequal && x.Kind != Short &&
			x.Kind != Types
	})
	r.Unfinished = s.unfinished.list()
	return r, nil
}

// scope is what collectives are counted on.
type scope struct {
	comm   int32
	class  spec.Class
	object int32
}

// candidate is a collective that somebody may be in.
type candidate struct {
	index   uint64
	f       *spec.Func
	parts   []match.Part
	missing int
	problem *Problem
}

type stuck struct {
	*checker
	first   map[scope]*candidate
	parted  map[scope]*Parting
	streams map[int32][]*archive.Stream
	state   map[int32]*now
	ends    []match.Unmatched

	unfinished operations
}

// now is what a process is in, and did last.
type now struct {
	open, last *archive.Call
	rank       *archive.RankData
}

// collective takes in a collective.
func (s *stuck) collective(x *match.Collective) error {
	at := scope{x.Comm, x.Class, x.Object}
	before := len(s.found)
	if err := s.checker.collective(x); err != nil {
		return err
	}
	var problem *Problem
	if len(s.found) > before && x.Missing == 0 {
		for _, f := range s.found {
			if f.order == before {
				problem = &f.Problem
			}
		}
	}
	if s.parted[at] == nil {
		if err := s.part(at, x); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(x.Parts, func(p match.Part) bool { return !p.Done.Known() }) {
		return nil
	}
	if c := s.first[at]; c == nil || x.Index < c.index {
		s.first[at] = &candidate{
			index:   x.Index,
			f:       x.Func,
			parts:   slices.Clone(x.Parts),
			missing: x.Missing,
			problem: problem,
		}
	}
	return nil
}

// part notes the first collective that members call from different places.
func (s *stuck) part(at scope, x *match.Collective) error {
	places := map[[2]string][]int{}
	for i := range x.Parts {
		y, err := s.call(&x.Parts[i].Post)
		if err != nil {
			return err
		}
		k := [2]string{y.f.Name, y.site}
		places[k] = append(places[k], int(x.Parts[i].Process))
	}
	if len(places) != 2 {
		return nil
	}
	keys := slices.SortedFunc(maps.Keys(places), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(len(places[b]), len(places[a])), slices.Compare(a[:], b[:]))
	})
	s.parted[at] = &Parting{Number: x.Index + 1, Func: keys[0][0], Site: keys[0][1], OtherFunc: keys[1][0],
		OtherSite: keys[1][1], processes: rankfunc.NewSet(places[keys[1]]).String()}
	return nil
}

// maxStands bounds the list of Stuck.
const maxStands = 64

// stands makes the result.
func (s *stuck) stands() ([]Stand, error) {
	order := slices.SortedFunc(maps.Keys(s.first), func(a, b scope) int {
		return cmp.Or(cmp.Compare(a.comm, b.comm), cmp.Compare(a.class, b.class), cmp.Compare(a.object, b.object))
	})
	var list []Stand
	waits := map[int]bool{} // who is in one of them
	for _, at := range order {
		x, err := s.stand(at, s.first[at])
		if err != nil {
			return nil, err
		}
		if x == nil {
			continue
		}
		for p := range x.Waiting.All() {
			waits[p] = true
		}
		list = append(list, *x)
	}
	for i := range list {
		x := &list[i]
		x.Root = !slices.ContainsFunc(x.Others, func(e Elsewhere) bool {
			for p := range e.Processes.All() {
				if waits[p] && !e.Instead {
					return true
				}
			}
			return false
		})
	}
	slices.SortStableFunc(list, func(a, b Stand) int {
		if a.Root != b.Root {
			return map[bool]int{true: -1, false: 1}[a.Root]
		}
		return cmp.Compare(b.Waiting.Len(), a.Waiting.Len())
	})
	return list[:min(len(list), maxStands)], nil
}

// stand looks at a candidate; nil if nobody waits in it for others.
func (s *stuck) stand(at scope, c *candidate) (*Stand, error) {
	x := &Stand{Comm: s.commName(at.comm), Number: c.index + 1, Problem: c.problem}
	var waiting []int
	groups := map[string]*Elsewhere{}
	members := map[string][]int{}
	add := func(e Elsewhere, process int32) {
		k := strings.Join([]string{e.Func, e.Site, e.Ended, map[bool]string{true: "instead"}[e.Instead],
			map[bool]string{true: "in"}[e.In]}, "\x00")
		g := groups[k]
		if g == nil {
			g = &e
			groups[k] = g
		}
		if e.Timed && (e.In && e.Time < g.Time || !e.In && e.Time > g.Time) {
			g.Time = e.Time
		}
		members[k] = append(members[k], int(process))
	}
	here := map[int]bool{}
	places := map[*call]int{}
	of := make([]*call, len(c.parts))
	for i := range c.parts {
		p := &c.parts[i]
		here[int(p.Process)] = true
		var err error
		if of[i], err = s.call(&p.Post); err != nil {
			return nil, err
		}
		if n, err := s.now(p.Process); err != nil {
			return nil, err
		} else if !p.Done.Known() && n.open != nil {
			places[of[i]]++
		}
	}
	var main *call // of most
	for i := range of {
		if places[of[i]] > 0 && (main == nil || places[of[i]] > places[main]) {
			main = of[i]
		}
	}
	if main == nil {
		return nil, nil
	}
	x.Func, x.Site = main.f.Name, main.site
	for i := range c.parts {
		p := &c.parts[i]
		n, _ := s.now(p.Process) // it is known already
		switch {
		case of[i].f != main.f:
			e := Elsewhere{Instead: true, In: !p.Done.Known() && n.open != nil, Func: of[i].f.Name, Site: of[i].site,
				Number: x.Number}
			add(e, p.Process)
		case !p.Done.Known() && n.open != nil:
			waiting = append(waiting, int(p.Process))
			if begin := n.open.Start; n.open.Timed {
				if !x.Timed {
					x.Begin, x.End, x.Timed = begin, begin, true
				}
				x.Begin, x.End = min(x.Begin, begin), max(x.End, begin)
			}
		}
	}
	x.Waiting = rankfunc.NewSet(waiting)
	if c.missing > 0 && at.comm >= 0 {
		n, _ := s.now(int32(waiting[0]))
		end := n.rank.End
		comm := s.p.Comms.Comms[at.comm]
		for _, m := range []*comms.Members{comm.Members, comm.RemoteMembers} {
			if err := s.absent(m, here, c.index, at, end, add); err != nil {
				return nil, err
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(groups)) {
		g := groups[k]
		g.Processes = rankfunc.NewSet(members[k])
		x.Others = append(x.Others, *g)
	}
	slices.SortStableFunc(x.Others, func(a, b Elsewhere) int {
		return cmp.Compare(a.Processes.Len(),
			b.Processes.Len())
	})
	if p := s.parted[at]; p != nil && p.Number < x.Number && len(x.Others) == 1 &&
		x.Others[0].Processes.String() == p.processes {
		x.Parted = p
	}
	if len(x.Others) == 0 && x.Problem == nil {
		return nil, nil // all are there
	}
	return x, nil
}

// absent adds the members that have not come. usual is how those ended that have.
func (s *stuck) absent(m *comms.Members, here map[int]bool, index uint64, at scope,
	usual string, add func(Elsewhere, int32)) error {
	if m == nil {
		return nil
	}
	for member := range m.All() {
		process := int32(member)
		if here[member] || s.p.Process(process) < 0 {
			continue
		}
		n, err := s.now(process)
		if err != nil {
			return err
		}
		e := elsewhere(n, usual)
		if !e.In && n.last != nil {
			e.Number = s.number(n.last, index, at)
		}
		add(e, process)
	}
	return nil
}

// elsewhere says what a process does, or did last. usual is how those ended that wait for it.
func elsewhere(n *now, usual string) (e Elsewhere) {
	shown := n.open
	if e.In = shown != nil; !e.In {
		shown = n.last
	}
	if !e.In && n.rank.End != usual && !strings.HasPrefix(n.rank.End, archive.Running) {
		e.Ended = n.rank.End
	}
	if shown == nil {
		return e
	}
	e.Func, e.Timed, e.Time = shown.Func.Name, shown.Timed, shown.Start
	if shown.Site != nil {
		e.Site = shown.Site.String()
	}
	if e.In {
		e.Values = Partners(shown)
	} else {
		e.Time = shown.End
	}
	return e
}

// number is the number of a call among the collectives of a communicator: all members have made those before the first
// that one has not come to. It is 0 for other calls.
func (s *stuck) number(c *archive.Call, index uint64, at scope) uint64 {
	slot := c.Func.Slot(spec.RoleOn)
	if slot < 0 || c.Func.Flow == spec.FlowNone || at.class != spec.Comm {
		return 0
	}
	event, _, err := c.Stream().EventAt(c.Index)
	if err != nil {
		return 0
	}
	if sc, _, _ := s.p.Scope(c.Stream(), spec.Comm, c.Slots[slot].N, event); sc == at.comm {
		return index
	}
	return 0
}

// now finds out what a process is in, and did last.
func (s *stuck) now(process int32) (*now, error) {
	if n := s.state[process]; n != nil {
		return n, nil
	}
	n := &now{}
	for _, x := range s.streams[process] {
		n.rank = x.Rank()
		open, last, err := Innermost(x)
		if err != nil {
			return nil, err
		}
		if open != nil && (n.open == nil || open.Start < n.open.Start) {
			n.open = open
		}
		if last != nil && (n.last == nil || last.End > n.last.End) {
			n.last = last
		}
	}
	if n.rank == nil { // it has made no call
		n.rank = &archive.RankData{}
		for i, r := range s.p.Archive.Ranks() {
			if i == s.p.Process(process) {
				n.rank = r
			}
		}
	}
	s.state[process] = n
	return n, nil
}

// Innermost is the call that the thread of s had not returned from, nil if there is none, and the one that it returned
// from last, nil if there is none. Calls in each other end the stream from the inside out.
func Innermost(s *archive.Stream) (open, last *archive.Call, err error) {
	for c, err := range s.Ending() {
		if err != nil {
			return nil, nil, err
		}
		if c.Flags&archive.Unfinished == 0 {
			if c.Func.Own() {
				continue
			}
			return open, c, nil
		}
		open = c
	}
	return open, nil, nil
}

// Partners are the parameters of a call that say who takes part in it.
func Partners(c *archive.Call) string {
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
