package consistency

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Blocked is a process in a call that cannot return before others do something that they had not done when the
// recording ended. A process that tests in vain, and called nothing since, is blocked in these tests.
type Blocked struct {
	Process int32
	// Stream and Call are the call, Func and Site where it was made.
	Stream     int32
	Call       uint64
	Func, Site string
	// Begin is when the call began, since the start of the trace; only if Timed.
	Begin time.Duration
	Timed bool
	// For is what the process waits for; with Any, one of it is enough.
	For []Wanted
	Any bool
}

// Wanted is what a blocked process waits for.
type Wanted struct {
	// Process is who should act: calls.AnySource for anyone, calls.UnknownPeer if it is not known.
	Process int32
	// Collective says that the process should come to a collective, number Number on Comm; else Send says that a
	// message to it was not received, or that it should send one, with the tag Tag (calls.AnyTag for any) on Comm.
	Collective bool
	Number     uint64
	Send       bool
	Tag        int32
	Comm       string
	// Func and Site are the call that posted the operation.
	Func, Site string
	// Bytes is the size of a message that was not received, negative if it is not known; Most that of the largest one
	// that the process had sent there before and that was received, 0 for none.
	Bytes, Most int64
	// Near is an operation of Process that nearly fits, nil if there is none.
	Near *Near

	comm int32
	post match.Ref
}

// Near is a send or receive without a partner that differs from what is wanted in its tag, communicator or peer.
type Near struct {
	Peer, Tag  int32
	Comm       string
	Func, Site string
	// Stream and Call are the call.
	Stream int32
	Call   uint64
}

// A Deadlock is processes of which each waits for the next one, and the last one for the first or for something that
// does not happen.
type Deadlock struct {
	// Chain is the processes: of those that wait for each other in a circle, or one that waits for Partner.
	Chain  []Blocked
	Circle bool
	// Via is what each of Chain waits for of the next one, and the last one of the first or of Partner.
	Via []Wanted
	// Partner is what the process does that does not send or receive, nil in a circle.
	Partner *Elsewhere
	// Others are blocked because of them.
	Others *rankfunc.Set
	// Since is when the first process of all of them began to wait, Closed when the last one of Chain did; only if
	// Timed.
	Since, Closed time.Duration
	Timed         bool
	// Ended is when the last of the processes ended, Waited the sum of what all waited until then; 0 if not known.
	Ended, Waited time.Duration
}

// Messages tells whether a message is waited for, not only collectives.
func (d *Deadlock) Messages() bool {
	return slices.ContainsFunc(d.Via, func(w Wanted) bool { return !w.Collective })
}

// maxEnds bounds the ends of messages without a partner that are kept, maxDeadlocks the list of deadlocks.
const (
	maxEnds      = 1 << 17
	maxDeadlocks = 64
)

// blocked lists the blocked processes by number.
func (s *stuck) blocked(stands []Stand) (map[int32]*Blocked, error) {
	of := map[int32][]*match.Unmatched{}
	for i := range s.ends {
		u := &s.ends[i]
		if !u.Done.Known() && !u.Freed {
			of[u.Process] = append(of[u.Process], u)
		}
	}
	all := map[int32]*Blocked{}
	for process := range s.streams {
		n, err := s.now(process)
		if err != nil {
			return nil, err
		}
		c, polls := n.open, false
		if c == nil && !n.rank.Complete && n.last != nil && n.last.Flags&archive.Polls != 0 {
			c, polls = n.last, true
		}
		if c == nil {
			continue
		}
		b, err := s.wants(process, c, of[process])
		if err == nil && polls {
			b.Begin, err = polling(c)
		}
		if err != nil {
			return nil, err
		}
		if len(b.For) > 0 {
			all[process] = b
		}
	}
	for i := range stands {
		s.collectives(&stands[i], all)
	}
	return all, nil
}

// mostPolls is how many runs of polls are followed back to where a process began to poll.
const mostPolls = 4096

// polling is when a process began to poll that did nothing else up to a poll.
func polling(last *archive.Call) (time.Duration, error) {
	s, begin := last.Stream(), last.Start
	for at, n := last.Index, 0; n < mostPolls; n++ {
		_, before, err := s.EventAt(at)
		if err != nil {
			return 0, err
		}
		c, err := s.CallAt(at - before)
		if err != nil {
			return 0, err
		}
		if c.Flags&archive.Polls == 0 {
			break
		}
		if begin = c.Start; c.Index == 0 {
			break
		}
		at = c.Index - 1
	}
	return begin, nil
}

// collectives adds what the processes of a collective wait for.
func (s *stuck) collectives(x *Stand, all map[int32]*Blocked) {
	if len(x.Others) == 0 {
		return // something does not fit, but all are there
	}
	for p := range x.Waiting.All() {
		process := int32(p)
		b := all[process]
		if b == nil {
			c := s.state[process].open
			b = &Blocked{Process: process, Stream: int32(c.Stream().Index()), Call: c.Index, Func: x.Func, Site: x.Site,
				Begin: c.Start, Timed: c.Timed}
			all[process] = b
		}
		for i := range x.Others {
			for o := range x.Others[i].Processes.All() {
				b.For = append(b.For, Wanted{Process: int32(o), Collective: true, Number: x.Number, Comm: x.Comm,
					Func: x.Func, Site: x.Site})
			}
		}
	}
}

// wants finds out what a process waits for in a call, given its operations without a partner.
func (s *stuck) wants(process int32, c *archive.Call, ends []*match.Unmatched) (*Blocked, error) {
	b := &Blocked{Process: process, Stream: int32(c.Stream().Index()), Call: c.Index, Func: c.Func.Name, Begin: c.Start,
		Timed: c.Timed}
	if c.Site != nil {
		b.Site = c.Site.String()
	}
	o := calls.SlotsOf(c.Func.ID)
	if o == nil {
		return b, nil
	}
	b.Any = c.Func.Outcome == spec.OutcomeOneOf || c.Func.Outcome == spec.OutcomeSomeOf
	if o.Kind == calls.Probe || o.Kind == calls.Mprobe {
		return b, s.probed(b, c, o)
	}
	given := requests(c, o.Requests)
	for _, u := range ends {
		if o.Kind == calls.Complete {
			if posted, err := s.posts(&u.Post, given); err != nil || !posted {
				if err != nil {
					return nil, err
				}
				continue
			}
		} else if u.Post.Stream != b.Stream || u.Post.Call != c.Index {
			continue
		}
		w, err := s.wanted(u)
		if err != nil {
			return nil, err
		}
		b.For = append(b.For, w)
	}
	return b, nil
}

// requests are the codes of the requests in a slot of a call.
func requests(c *archive.Call, slot int) []int64 {
	if slot < 0 || slot >= len(c.Slots) {
		return nil
	}
	v := &c.Slots[slot]
	if v.Kind == archive.Ref || v.Kind == archive.Int {
		return []int64{v.N}
	}
	return calls.Numbers(v)
}

// posts tells whether a call made or started one of the requests.
func (s *stuck) posts(r *match.Ref, given []int64) (bool, error) {
	c, err := s.p.Archive.Stream(int(r.Stream)).CallAt(r.Call)
	if err != nil {
		return false, err
	}
	o := calls.SlotsOf(c.Func.ID)
	if o == nil {
		return false, nil
	}
	for _, q := range append(requests(c, o.Request), requests(c, o.Requests)...) {
		if slices.Contains(given, q) {
			return true, nil
		}
	}
	return false, nil
}

// probed is what a probe waits for.
func (s *stuck) probed(b *Blocked, c *archive.Call, o *calls.Slots) error {
	tag := c.Func.Slot(spec.RoleRecvTag)
	if o.On < 0 || o.RecvPeer < 0 || tag < 0 {
		return nil
	}
	event, _, err := c.Stream().EventAt(c.Index)
	if err != nil {
		return err
	}
	comm, peers, _ := s.p.Scope(c.Stream(), spec.Comm, c.Slots[o.On].N, event)
	w := Wanted{Process: peers.At(int32(c.Slots[o.RecvPeer].N)), Tag: int32(c.Slots[tag].N), Comm: s.commName(comm),
		Func: b.Func, Site: b.Site, comm: comm}
	abi := s.p.Archive.Meta().ABI
	if anyone, ok := abi.Const(mpi.AnySource); ok && c.Slots[o.RecvPeer].N == anyone {
		w.Process = calls.AnySource
	}
	if anyTag, ok := abi.Const(mpi.AnyTag); ok && c.Slots[tag].N == anyTag {
		w.Tag = calls.AnyTag
	}
	if peers != nil && w.Process != calls.UnknownPeer {
		w.Near, err = s.near(&w, b.Process)
	}
	b.For = append(b.For, w)
	return err
}

// wanted is the other end of a message.
func (s *stuck) wanted(u *match.Unmatched) (Wanted, error) {
	x, err := s.call(&u.Post)
	if err != nil {
		return Wanted{}, err
	}
	w := Wanted{Process: u.Peer, Send: u.Send, Tag: u.Tag, Comm: s.commName(u.Comm), Func: x.f.Name, Site: x.site,
		comm: u.Comm, post: u.Post, Bytes: u.Bytes}
	for k, c := range s.calls {
		if k.stream == u.Post.Stream && c.f == x.f && c.site == x.site {
			w.Most = max(w.Most, c.most)
		}
	}
	if u.Wild && u.Peer < 0 {
		w.Process = calls.AnySource
	}
	w.Near, err = s.near(&w, u.Process)
	return w, err
}

// near looks for an operation of the partner that was probably meant: one between the same processes rather than with
// another, on the same communicator rather than on another, and with the nearest tag.
func (s *stuck) near(w *Wanted, process int32) (*Near, error) {
	var best *match.Unmatched
	rank := func(u *match.Unmatched) (n [4]int64) {
		if u.Peer != process {
			n[0] = 1
		}
		if u.Comm != w.comm {
			n[1] = 1
		}
		if w.Tag != calls.AnyTag {
			n[2] = max(int64(u.Tag)-int64(w.Tag), int64(w.Tag)-int64(u.Tag))
		}
		n[3] = -int64(u.Post.Call) // the latest
		return n
	}
	for i := range s.ends {
		u := &s.ends[i]
		if u.Send == w.Send || w.Process >= 0 && u.Process != w.Process || w.Process < 0 && u.Peer != process ||
			u.Process == process || u.Peer != process && u.Peer >= 0 && (u.Comm != w.comm || u.Tag != w.Tag) {
			continue
		}
		if a, b := rank(u), [4]int64{}; best != nil {
			if b = rank(best); slices.Compare(a[:], b[:]) >= 0 {
				continue
			}
		}
		best = u
	}
	if best == nil {
		return nil, nil
	}
	x, err := s.call(&best.Post)
	if err != nil {
		return nil, err
	}
	return &Near{Peer: best.Peer, Tag: best.Tag, Comm: s.commName(best.Comm), Func: x.f.Name, Site: x.site,
		Stream: best.Post.Stream, Call: best.Post.Call}, nil
}

// deadlocks finds what the blocked processes wait for in the end.
func (s *stuck) deadlocks(stands []Stand) ([]Deadlock, error) {
	all, err := s.blocked(stands)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	next := map[int32]*Wanted{} // what a process waits for that does not happen
	for p, b := range all {
		next[p] = s.hopeless(b, all)
	}
	var list []Deadlock
	root := map[int32]int{} // 1 + the deadlock that a process is blocked by
	for _, p := range slices.Sorted(maps.Keys(all)) {
		var path []int32
		at := p
		for root[at] == 0 && !slices.Contains(path, at) {
			path = append(path, at)
			w := next[at]
			if w == nil || all[w.Process] == nil {
				break
			}
			at = w.Process
		}
		if root[at] == 0 {
			k := slices.Index(path, at)
			d, err := s.deadlock(path[k:], all, next)
			if err != nil {
				return nil, err
			}
			list = append(list, d)
			root[at] = len(list)
		}
		for _, q := range path {
			root[q] = root[at]
		}
	}
	others := make([][]int, len(list))
	for p, k := range root {
		if !slices.ContainsFunc(list[k-1].Chain, func(b Blocked) bool { return b.Process == p }) {
			others[k-1] = append(others[k-1], int(p))
		}
	}
	for i := range list {
		d := &list[i]
		slices.Sort(others[i])
		d.Others = rankfunc.NewSet(others[i])
		s.since(d, all)
	}
	slices.SortStableFunc(list, func(a, b Deadlock) int {
		return cmp.Compare(len(b.Chain)+b.Others.Len(), len(a.Chain)+a.Others.Len())
	})
	return list[:min(len(list), maxDeadlocks)], nil
}

// hopeless is what a process waits for that does not happen, because who should act is blocked, or has ended, or did
// nothing of the kind; nil if one of several things may still happen.
func (s *stuck) hopeless(b *Blocked, all map[int32]*Blocked) *Wanted {
	var found *Wanted
	for i := range b.For {
		w := &b.For[i]
		switch {
		case w.Process >= 0 && all[w.Process] != nil:
			if found == nil || all[found.Process] == nil {
				found = w
			}
		case found == nil:
			found = w
		}
	}
	return found
}

// deadlock makes one of a path, whose last process waits for the first, or for one that is not blocked.
func (s *stuck) deadlock(path []int32, all map[int32]*Blocked, next map[int32]*Wanted) (Deadlock, error) {
	var d Deadlock
	last := next[path[len(path)-1]]
	d.Circle = last != nil && last.Process == path[0] && all[last.Process] != nil
	if !d.Circle { // only the end of the path is the cause
		path = path[len(path)-1:]
	}
	// A message tells more than a collective: it comes first.
	if k := slices.IndexFunc(path, func(p int32) bool { return next[p] != nil && !next[p].Collective }); k > 0 {
		path = append(slices.Clone(path[k:]), path[:k]...)
	}
	for _, p := range path {
		d.Chain = append(d.Chain, *all[p])
		d.Via = append(d.Via, *next[p])
	}
	if d.Circle || last.Process < 0 || s.p.Process(last.Process) < 0 {
		return d, nil
	}
	n, err := s.now(last.Process)
	if err != nil {
		return d, err
	}
	e := elsewhere(n, "")
	e.Processes = rankfunc.NewSet([]int{int(last.Process)})
	d.Partner = &e
	return d, nil
}

// since fills in the times.
func (s *stuck) since(d *Deadlock, all map[int32]*Blocked) {
	add := func(p int32, inChain bool) {
		b := all[p]
		if !b.Timed {
			return
		}
		if !d.Timed || b.Begin < d.Since {
			d.Since = b.Begin
		}
		if inChain {
			d.Closed = max(d.Closed, b.Begin)
		}
		d.Timed = true
		if end, ok := s.p.Archive.EndTime(s.state[p].rank); ok && end > b.Begin {
			d.Ended = max(d.Ended, end)
			d.Waited += end - b.Begin
		}
	}
	for i := range d.Chain {
		add(d.Chain[i].Process, true)
	}
	for p := range d.Others.All() {
		add(int32(p), false)
	}
}
