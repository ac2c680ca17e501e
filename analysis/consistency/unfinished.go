package consistency

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// Unfinished is nonblocking operations of one call site whose requests were neither completed nor freed, or messages
// that nobody received.
type Unfinished struct {
	Func, Site string
	// Send tells sends from receives; Unreceived that it is about sends without a receive, of which the requests may
	// have completed, else it is about requests.
	Send, Unreceived bool
	Count            uint64
	// Bytes is the size of the messages, as far as it is known.
	Bytes     uint64
	Processes *rankfunc.Set
	// Process, Peer and Tag are those of the first one.
	Process, Peer, Tag int32
	// Stream and Call are that of the first one.
	Stream int32
	Call   uint64
}

type operationKey struct {
	fn, site         string
	send, unreceived bool
}

// operations collects what is unfinished.
type operations struct {
	of map[operationKey]*operation
}

type operation struct {
	Unfinished
	processes map[int]bool
}

func (o *operations) add(x *call, e *match.End, send, unreceived bool, peer, tag int32, bytes int64, count uint64) {
	k := operationKey{x.f.Name, x.site, send, unreceived}
	if o.of == nil {
		o.of = map[operationKey]*operation{}
	}
	p := o.of[k]
	if p == nil {
		p = &operation{Unfinished: Unfinished{Func: x.f.Name, Site: x.site, Send: send, Unreceived: unreceived,
			Process: e.Process, Peer: peer, Tag: tag, Stream: e.Post.Stream, Call: e.Post.Call},
			processes: map[int]bool{}}
		o.of[k] = p
	}
	p.Count += count
	if bytes > 0 {
		p.Bytes += uint64(bytes) * count
	}
	if len(p.processes) < maxProcesses {
		p.processes[int(e.Process)] = true
	}
	if e.Process < p.Process || e.Process == p.Process && e.Post.Call < p.Call && e.Post.Stream == p.Stream {
		p.Process, p.Peer, p.Tag, p.Stream, p.Call = e.Process, peer, tag, e.Post.Stream, e.Post.Call
	}
}

func (o *operations) list() (list []Unfinished) {
	for _, p := range o.of {
		p.Processes = setOf(p.processes)
		list = append(list, p.Unfinished)
	}
	slices.SortFunc(list, func(a, b Unfinished) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Func+a.Site, b.Func+b.Site))
	})
	return list
}

// message notes datatypes of a message that differ, and its requests that nothing completed.
func (s *stuck) message(m *match.Message) error {
	if err := s.checker.message(m); err != nil {
		return err
	}
	if err := s.types(m); err != nil {
		return err
	}
	sent, err := s.call(&m.Send.Post)
	if err != nil {
		return err
	}
	sent.most = max(sent.most, m.Bytes)
	for _, e := range []*match.End{m.Send, m.Recv} {
		if e.Done.Known() || e.Freed || e.Blocking || e.Func.Kind != 0 {
			continue
		}
		x, err := s.call(&e.Post)
		if err != nil {
			return err
		}
		peer := m.Recv.Process
		if e == m.Recv {
			peer = m.Send.Process
		}
		s.unfinished.add(x, e, e == m.Send, false, peer, m.Tag, m.Bytes, m.Count)
	}
	return nil
}

// unmatched notes the end of a message that has no partner.
func (s *stuck) unmatched(u *match.Unmatched) error {
	if u.Func.Kind != 0 {
		return nil
	}
	if len(s.ends) < maxEnds {
		s.ends = append(s.ends, *u)
	}
	x, err := s.call(&u.Post)
	if err != nil {
		return err
	}
	if u.Send && u.Reason == match.NoPartner {
		s.unfinished.add(x, &u.End, true, true, u.Peer, u.Tag, u.Bytes, 1)
	}
	if !u.Done.Known() && !u.Freed && !u.Blocking && u.Reason != match.CommUnknown && u.Reason != match.NotRecorded {
		s.unfinished.add(x, &u.End, u.Send, false, u.Peer, u.Tag, u.Bytes, 1)
	}
	return nil
}
