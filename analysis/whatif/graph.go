package whatif

import (
	"cmp"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Graph is the calls of a recording with what they depend on.
type Graph struct {
	streams []*stream
	hubs    []hub
	// Elapsed is the recorded time, that of the main threads from the first end of MPI_Init to the last begin of
	// MPI_Finalize.
	Elapsed time.Duration
	p       *calls.Program
	clock   func(process int32, t time.Duration) time.Duration
	// sent are the sends that may have waited for their receives, eager the size up to which none did.
	sent  []sent
	eager int64
	err   error
}

// stream is the calls of a thread, from the end of MPI_Init to the begin of MPI_Finalize.
type stream struct {
	process int32
	main    bool
	begin   time.Duration
	events  []event
	deps    []dep  // by event
	posts   []post // by event
	keys    []efficiency.Key
	funcs   []*spec.Func // by terminal
	what    []kind       // by terminal
	needs   []bool       // by terminal: see ordering
	does    []calls.Kind // by terminal, and the most bytes: see note
	bytes   []int64
	over    bool
}

type kind uint8

const (
	counts kind = iota
	ignored
	starts
	finishes
)

// event is a call, or a run of polls. at is where its dependencies and posts begin in the lists of the stream.
type event struct {
	begin, end     time.Duration
	call           uint64
	terminal       uint32
	depsAt, postAt int32
}

// dep says that an event, by its call, cannot go on before another one has begun, or all members of a hub.
type dep struct {
	call   uint64
	event  int32 // of this stream, once it is known
	stream int32 // of the other; -1 for a hub
	other  uint64
	at     int32  // the other event, or the hub
	begun  uint64 // the call of this stream that began what the event completes
	own    int32  // the event that this is
	// receiver says that a send waits for its receive.
	receiver bool
}

// post says that an event is one that a hub waits for.
type post struct {
	call  uint64
	event int32
	hub   int32
}

// hub is calls that others wait for together.
type hub struct {
	members int
	begin   time.Duration // recorded
}

type sent struct {
	bytes int64
	from  int32
	dep   dep
}

// Build reads a recording. It needs times.
func Build(p *calls.Program, clock func(process int32, t time.Duration) time.Duration) (*Graph, error) {
	g := &Graph{p: p, clock: clock, eager: -1}
	for s := range p.Archive.Streams() {
		x, err := newStream(p, s)
		if err != nil {
			return nil, err
		}
		g.streams = append(g.streams, x)
	}
	if _, err := match.RunProgram(p, match.Options{Message: g.message, Collective: g.collective,
		Observer: g}); err != nil {
		return nil, err
	}
	for _, x := range g.sent {
		if x.bytes > g.eager {
			s := g.streams[x.from]
			s.deps = append(s.deps, x.dep)
		}
	}
	g.sent = nil
	g.resolve()
	return g, nil
}

// newStream finds out how the calls of a stream count.
func newStream(p *calls.Program, s *archive.Stream) (*stream, error) {
	x := &stream{process: p.Number(s.Process()), main: s.Thread() == 0}
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	for _, sig := range sigs {
		f := spec.ByID(sig.Func)
		key, what := efficiency.Key{Func: f.Name}, counts
		if site := s.Site(sig); site != nil {
			key.Site = site.String()
		}
		switch {
		case f.Own() || sig.Flags&archive.Nested != 0:
			what = ignored
		case f.Op == spec.OpInit:
			what = starts
		case f.Op == spec.OpFinalize:
			what = finishes
		}
		x.keys, x.what = append(x.keys, key), append(x.what, what)
		x.funcs, x.needs = append(x.funcs, f), append(x.needs, ordering(f))
	}
	x.does, x.bytes = make([]calls.Kind, len(sigs)), make([]int64, len(sigs))
	return x, nil
}

func (g *Graph) at(process int32, t time.Duration) time.Duration {
	if g.clock == nil {
		return t
	}
	return g.clock(process, t)
}

// Event implements match.Observer.
func (g *Graph) Event(stream int32, op *calls.Op) error {
	g.streams[stream].note(op)
	if op.Timed {
		g.streams[stream].add(op.Terminal, op.Call, g.at(g.streams[stream].process, op.Begin),
			g.at(g.streams[stream].process, op.End))
	}
	return nil
}

// Repeat implements match.Observer.
func (g *Graph) Repeat(stream int32, call uint64, body []uint32, at int, begins, ends []time.Duration) error {
	s := g.streams[stream]
	for i := range begins {
		s.add(body[at], call+uint64(i), g.at(s.process, begins[i]), g.at(s.process, ends[i]))
		if at++; at == len(body) {
			at = 0
		}
	}
	return nil
}

// add adds a call.
func (s *stream) add(terminal uint32, call uint64, begin, end time.Duration) {
	switch w := s.what[terminal]; {
	case w == ignored || s.over:
		return
	case w == starts:
		s.begin, s.events = end, nil
		return
	case w == finishes:
		end, s.over = begin, true
	case len(s.events) == 0 && s.begin == 0:
		s.begin = begin
	}
	if n := len(s.events); n > 0 { // clocks may go backwards by what they are off
		begin = max(begin, s.events[n-1].end)
	} else {
		begin = max(begin, s.begin)
	}
	s.events = append(s.events, event{begin: begin, end: max(begin, end), call: call, terminal: terminal})
}

// message adds the dependencies of a message.
func (g *Graph) message(m *match.Message) error {
	s, r := m.Send, m.Recv
	if r.Wild && r.Post.Known() {
		g.streams[r.Post.Stream].needs[r.Post.Terminal] = true
	}
	if m.Send.Func.Kind != 0 || !s.Post.Timed || !r.Post.Timed || s.Process == r.Process {
		return nil
	}
	if r.Done.Known() && r.Done.Timed {
		to := g.streams[r.Done.Stream]
		to.deps = append(to.deps, dep{call: r.Done.Call, stream: s.Post.Stream, other: s.Post.Call,
			begun: begun(&r.Post, &r.Done)})
	}
	if s.Mode == calls.Buffered || !s.Done.Known() || !s.Done.Timed {
		return nil
	}
	if g.at(s.Process, s.Done.End) < g.at(r.Process, r.Post.Begin) {
		if s.Mode == calls.Standard {
			g.eager = max(g.eager, m.Bytes)
		}
		return nil
	}
	x := sent{bytes: m.Bytes, from: s.Done.Stream, dep: dep{call: s.Done.Call, stream: r.Post.Stream,
		other: r.Post.Call, receiver: true, begun: begun(&s.Post, &s.Done)}}
	if s.Mode == calls.Synchronous {
		g.streams[x.from].deps = append(g.streams[x.from].deps, x.dep)
	} else if g.at(r.Process, r.Post.Begin) > g.at(s.Process, s.Post.Begin) {
		g.sent = append(g.sent, x)
	}
	return nil
}

// mostScan is how many members a scan has whose dependencies are kept.
const mostScan = 16

// collective adds the dependencies of a collective.
func (g *Graph) collective(c *match.Collective) error {
	k, ok := waits.KindOf(c.Func)
	if !ok || c.Mixed || c.Comm >= 0 && g.p.Comms.Comms[c.Comm].Inter {
		return nil
	}
	var parts, root []*match.Part
	for i := range c.Parts {
		if x := &c.Parts[i]; x.Post.Timed && x.Done.Known() && x.Done.Timed {
			parts = append(parts, x)
			if x.Process == c.Root {
				root = append(root, x)
			}
		}
	}
	switch k {
	case waits.LateBroadcast:
		g.hub(root, parts)
	case waits.EarlyReduce:
		g.hub(parts, root)
	case waits.WaitAtNxN, waits.WaitAtBarrier:
		g.hub(parts, parts)
	case waits.EarlyScan:
		for i := 1; i < len(parts) && len(parts) <= mostScan; i++ {
			g.hub(parts[:i], parts[i:i+1])
		}
	}
	return nil
}

// hub adds that some wait until others have begun.
func (g *Graph) hub(others, some []*match.Part) {
	if len(others) == 0 || len(some) == 0 {
		return
	}
	n := int32(len(g.hubs))
	g.hubs = append(g.hubs, hub{})
	for _, x := range others {
		s := g.streams[x.Post.Stream]
		s.posts = append(s.posts, post{call: x.Post.Call, hub: n})
	}
	for _, x := range some {
		s := g.streams[x.Done.Stream]
		s.deps = append(s.deps, dep{call: x.Done.Call, stream: -1, at: n, begun: begun(&x.Post, &x.Done)})
	}
}

// find is the event of a call, -1 if it is not one of those that count.
func (s *stream) find(call uint64) int32 {
	i, ok := slices.BinarySearchFunc(s.events, call, func(e event, c uint64) int { return cmp.Compare(e.call, c) })
	if !ok {
		return -1
	}
	return int32(i)
}

// resolve turns calls into events, and sums up what was recorded.
func (g *Graph) resolve() {
	for _, s := range g.streams {
		for i := range s.posts {
			s.posts[i].event = s.find(s.posts[i].call)
		}
		s.posts = slices.DeleteFunc(s.posts, func(p post) bool { return p.event < 0 })
		for _, x := range s.posts {
			h := &g.hubs[x.hub]
			h.members++
			h.begin = max(h.begin, s.events[x.event].begin)
		}
		slices.SortStableFunc(s.posts, func(a, b post) int { return cmp.Compare(a.event, b.event) })
	}
	for _, s := range g.streams {
		for i := range s.deps {
			x := &s.deps[i]
			if x.own = s.find(x.begun); x.own < 0 {
				x.own = s.find(x.call)
			}
			if x.event = s.find(x.call); x.stream >= 0 {
				x.at = g.streams[x.stream].find(x.other)
			}
		}
		s.deps = slices.DeleteFunc(s.deps, func(d dep) bool {
			return d.event < 0 || d.at < 0 || d.stream < 0 && g.hubs[d.at].members == 0
		})
		slices.SortStableFunc(s.deps, func(a, b dep) int { return cmp.Compare(a.event, b.event) })
		d, p := 0, 0
		for i := range s.events {
			e := &s.events[i]
			for ; d < len(s.deps) && s.deps[d].event < int32(i); d++ {
			}
			for ; p < len(s.posts) && s.posts[p].event < int32(i); p++ {
			}
			e.depsAt, e.postAt = int32(d), int32(p)
		}
	}
	g.Elapsed = g.elapsed(func(i int) time.Duration {
		events := g.streams[i].events
		return events[len(events)-1].end
	})
}

// elapsed is from the first begin to the last end of the main threads, which end has by the number of the stream.
func (g *Graph) elapsed(end func(i int) time.Duration) time.Duration {
	var first, last time.Duration
	some := false
	for i, s := range g.streams {
		if !s.main || len(s.events) == 0 {
			continue
		}
		if !some || s.begin < first {
			first = s.begin
		}
		last, some = max(last, end(i)), true
	}
	return last - first
}

// depsOf are the dependencies of an event.
func (s *stream) depsOf(i int) []dep {
	from, to := int(s.events[i].depsAt), len(s.deps)
	if i+1 < len(s.events) {
		to = int(s.events[i+1].depsAt)
	}
	return s.deps[from:to]
}

func (s *stream) postsOf(i int) []post {
	from, to := int(s.events[i].postAt), len(s.posts)
	if i+1 < len(s.events) {
		to = int(s.events[i+1].postAt)
	}
	return s.posts[from:to]
}

// begun is the call that began what a call of the same thread completes, which may be the same.
func begun(post, done *match.Ref) uint64 {
	if post.Stream != done.Stream {
		return done.Call
	}
	return post.Call
}

// keyOf is the function and call site of an event.
func (s *stream) keyOf(i int) efficiency.Key { return s.keys[s.events[i].terminal] }

// gap is the computation before an event.
func (s *stream) gap(i int) time.Duration {
	if i == 0 {
		return s.events[0].begin - s.begin
	}
	return s.events[i].begin - s.events[i-1].end
}

// Grown is the call site before which the processes compute longer in the last quarter of the time steps than in the
// first one, by the greatest amount, or in which they spend more time. Quarter gives that of a call; others are -1.
func (g *Graph) Grown(computes bool, quarter func(stream int, call uint64) int) (at efficiency.Key, ok bool) {
	more := map[efficiency.Key]time.Duration{}
	for n, s := range g.streams {
		for i := range s.events {
			d := s.gap(i)
			if !computes {
				d = s.events[i].end - s.events[i].begin
			}
			switch quarter(n, s.events[i].call) {
			case 0:
				more[s.keyOf(i)] -= d
			case 3:
				more[s.keyOf(i)] += d
			}
		}
	}
	most := time.Duration(0)
	for k, d := range more {
		if d > most || d == most && ok && k.Func+k.Site < at.Func+at.Site {
			at, most, ok = k, d, true
		}
	}
	return at, ok
}

// Preceding is the call site after which the main thread of a process computes most of what it does before calls of a
// call site; not ok if there is none, or it is one of them.
func (g *Graph) Preceding(process int32, at efficiency.Key) (key efficiency.Key, ok bool) {
	after := map[efficiency.Key]time.Duration{}
	var all time.Duration
	for _, s := range g.streams {
		if s.process != process || !s.main {
			continue
		}
		for i := range s.events {
			if s.keyOf(i) != at {
				continue
			}
			all += s.gap(i)
			if i > 0 {
				after[s.keyOf(i-1)] += s.gap(i)
			}
		}
	}
	for k, d := range after {
		if 2*d > all && k != at {
			return k, true
		}
	}
	return key, false
}
