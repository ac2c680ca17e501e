package waits

import (
	"math"
	"slices"
	"time"

	"tabard/analysis/match"
	"tabard/analysis/ops"
	"tabard/analysis/selection"
	"tabard/trace"
)

// Options are what Of looks at.
type Options struct {
	// Selected tells whether a wait counts: the call that waited; nil for all. Causes are searched for among all.
	Selected func(stream int, terminal uint32, call uint64) bool
	// Clock corrects a time of a process; nil for none.
	Clock func(process int32, t time.Duration) time.Duration
	// Steps are the time steps, if they are known already.
	Steps *selection.StepIndex
	// Keep is how many waits are kept for the search for causes; 0 for DefaultKeep.
	Keep int
	// Progress is called now and then with the number of events that were read and the number of all.
	Progress func(done, total uint64)
}

// DefaultKeep bounds the memory for waits, and for what their causes are found with, to about 270 MiB.
const DefaultKeep = 1 << 20

// maxKeep is what fits the numbers of waits and origins.
const maxKeep = math.MaxUint32 / maxOrigins

// wait is one wait. Streams and calls identify what waited and what came late.
type wait struct {
	begin, end         time.Duration // corrected
	bytes              int64         // of a late receiver's message that the library might buffer, else ops.UnknownBytes
	call, lateCall     uint64
	waiter, causer     int32
	stream, lateStream int32
	term, lateTerm     uint32
	kind               Kind
	selected           bool
}

func (w *wait) length() time.Duration { return w.end - w.begin }

// message that was there before its receive was posted.
type idle struct {
	process  int32
	from, to time.Duration
}

// finder collects waits.
type finder struct {
	opts  Options
	p     *ops.Program
	a     *trace.Archive
	r     *Result
	waits []wait
	idle  []idle
	// sorted is which waits count in the end, in the order of streams and calls.
	sorted []uint32
	// Waits and idle messages that are not longer than these are no longer kept.
	least, leastIdle time.Duration
	// buffered is the size of the largest message whose send ended before its receive was posted: between
	// processes of different hosts, and of one.
	buffered [2]int64
	shorts   map[int32]lastShort // by stream
	procs    slots
	hosts    []int32 // of each slot
	byName   map[string]int32
}

// Of finds the waits of an archive. It needs times: an archive without has none.
func Of(p *ops.Program, o Options) (*Result, error) {
	if o.Keep <= 0 {
		o.Keep = DefaultKeep
	}
	o.Keep = min(o.Keep, maxKeep)
	if o.Clock == nil {
		o.Clock = func(_ int32, t time.Duration) time.Duration { return t }
	}
	f := &finder{opts: o, p: p, a: p.Archive, r: &Result{Worlds: p.Comms.Worlds}, byName: map[string]int32{}, shorts: map[int32]lastShort{}, buffered: [2]int64{-1, -1}}
	var err error
	f.r.Match, err = match.RunProgram(p, match.Options{Message: f.message, Collective: f.collective, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	if f.opts.Steps == nil {
		if f.opts.Steps, err = selection.FindSteps(p.Archive); err != nil {
			return nil, err
		}
	}
	return f.r, f.finish()
}

func (f *finder) at(process int32, t time.Duration) time.Duration { return f.opts.Clock(process, t) }

// message looks at both ends of a message.
func (f *finder) message(m *match.Message) error {
	s, r := m.Send, m.Recv
	if !s.Post.Timed || !r.Post.Timed {
		return nil
	}
	sent, posted := f.at(s.Process, s.Post.Begin), f.at(r.Process, r.Post.Begin)
	if r.Done.Known() && r.Done.Timed {
		if d := sent - f.at(r.Process, r.Done.End); d > 0 {
			f.r.Backwards.add(d)
		}
		f.late(LateSender, ops.UnknownBytes, r.Process, &r.Done, s.Process, &s.Post)
	}
	if s.Mode != ops.Buffered && s.Done.Known() && s.Done.Timed {
		if f.at(s.Process, s.Done.End) >= posted {
			bytes := m.Bytes
			if s.Mode == ops.Synchronous {
				bytes = ops.UnknownBytes
			}
			f.late(LateReceiver, bytes, s.Process, &s.Done, r.Process, &r.Post)
		} else if n := &f.buffered[f.near(s.Process, r.Process)]; s.Mode == ops.Standard {
			*n = max(*n, m.Bytes)
		}
	}
	if d := posted - sent; d > f.leastIdle {
		f.idle = appendTo(f.idle, &idle{r.Process, sent, posted}, f.opts.Keep)
		if len(f.idle) >= f.opts.Keep {
			f.leastIdle = thin(&f.idle, func(i *idle) time.Duration { return i.to - i.from })
		}
	}
	return nil
}

// near is 1 for two processes of one host, else 0.
func (f *finder) near(a, b int32) int {
	if f.host(a) == f.host(b) {
		return 1
	}
	return 0
}

// host is the number of the host of a process.
func (f *finder) host(process int32) int32 {
	n := f.procs.of(process)
	if int(n) < len(f.hosts) {
		return f.hosts[n]
	}
	name := ""
	if i := f.p.Process(process); i >= 0 {
		name = f.a.Rank(i).Host
	}
	h, ok := f.byName[name]
	if !ok {
		h = int32(len(f.byName))
		f.byName[name] = h
	}
	f.hosts = append(f.hosts, h)
	return h
}

// eager tells whether the library sends messages of a wait's size without waiting for the receiver: then a send
// that ended after the receive was posted did so by chance.
func (f *finder) eager(w *wait) bool {
	return w.kind == LateReceiver && w.bytes >= 0 && w.bytes <= f.buffered[f.near(w.waiter, w.causer)]
}

// late notes that call done of process waiter began before call other of process causer, if it did.
func (f *finder) late(k Kind, bytes int64, waiter int32, done *match.Ref, causer int32, other *match.Ref) {
	if waiter == causer {
		return
	}
	w := wait{kind: k, bytes: bytes, waiter: waiter, causer: causer, stream: done.Stream, call: done.Call, term: done.Terminal,
		lateStream: other.Stream, lateCall: other.Call, lateTerm: other.Terminal}
	w.begin, w.end = f.at(waiter, done.Begin), min(f.at(causer, other.Begin), f.at(waiter, done.End))
	if w.end <= w.begin {
		return
	}
	w.selected = f.opts.Selected == nil || f.opts.Selected(int(w.stream), w.term, w.call)
	if w.length() <= f.least {
		f.short(&w)
		return
	}
	f.waits = appendTo(f.waits, &w, f.opts.Keep)
	if len(f.waits) >= f.opts.Keep {
		f.keep(f.unite())
		if len(f.waits) >= f.opts.Keep/2 {
			all := f.waits
			f.least = thin(&f.waits, (*wait).length)
			for i := range all[len(f.waits):] {
				f.short(&all[len(f.waits)+i])
			}
		}
	}
}

// short counts a wait that is not kept. Of several waits of one call that follow one another the longest counts.
func (f *finder) short(w *wait) {
	if !w.selected || f.eager(w) {
		return
	}
	of := f.shorts[w.stream]
	if of.known && of.call == w.call {
		if more := w.length() - of.length; more > 0 {
			for _, s := range []*Sum{&f.r.Short, &f.r.Kinds[of.kind], &f.r.Total} {
				s.Time += more
				s.Max = max(s.Max, w.length())
			}
			f.r.Longest = max(f.r.Longest, w.length())
			of.length = w.length()
			f.shorts[w.stream] = of
		}
		return
	}
	f.shorts[w.stream] = lastShort{w.call, w.length(), w.kind, true}
	f.r.Short.add(w.length())
	f.r.Longest = max(f.r.Longest, w.length())
	f.r.Kinds[w.kind].add(w.length())
	f.r.Total.add(w.length())
}

// lastShort is the latest wait of a stream that short counted.
type lastShort struct {
	call   uint64
	length time.Duration
	kind   Kind
	known  bool
}

// collective looks at the members of a collective.
func (f *finder) collective(c *match.Collective) error {
	k, ok := kindsByFunc[c.Func.ID]
	if !ok || c.Mixed || c.Comm >= 0 && f.p.Comms.Comms[c.Comm].Inter {
		return nil
	}
	parts := make([]*match.Part, 0, len(c.Parts))
	for i := range c.Parts {
		if p := &c.Parts[i]; p.Post.Timed && p.Done.Known() && p.Done.Timed {
			parts = append(parts, p)
		}
	}
	switch k {
	case WaitAtBarrier, WaitAtNxN:
		if late := f.last(parts, -1); late != nil {
			for _, p := range parts {
				f.late(k, ops.UnknownBytes, p.Process, &p.Done, late.Process, &late.Post)
			}
		}
	case LateBroadcast:
		if root := find(parts, c.Root); root != nil {
			for _, p := range parts {
				f.late(k, ops.UnknownBytes, p.Process, &p.Done, root.Process, &root.Post)
			}
		}
	case EarlyReduce:
		if root := find(parts, c.Root); root != nil {
			if late := f.last(parts, c.Root); late != nil {
				f.late(k, ops.UnknownBytes, root.Process, &root.Done, late.Process, &late.Post)
			}
		}
	case EarlyScan:
		f.byRank(c.Comm, parts)
		var late *match.Part
		for _, p := range parts {
			if late != nil {
				f.late(k, ops.UnknownBytes, p.Process, &p.Done, late.Process, &late.Post)
			}
			if late == nil || f.at(p.Process, p.Post.Begin) > f.at(late.Process, late.Post.Begin) {
				late = p
			}
		}
	}
	return nil
}

// byRank puts the members of a collective in the order of their ranks in the communicator.
func (f *finder) byRank(comm int32, parts []*match.Part) {
	if comm < 0 {
		return
	}
	members := f.p.Comms.Comms[comm].Members
	if members == nil {
		return
	}
	slices.SortStableFunc(parts, func(a, b *match.Part) int { return members.Index(int(a.Process)) - members.Index(int(b.Process)) })
}

func find(parts []*match.Part, process int32) *match.Part {
	for _, p := range parts {
		if p.Process == process {
			return p
		}
	}
	return nil
}

// last is the part that came last, not that of process but.
func (f *finder) last(parts []*match.Part, but int32) (late *match.Part) {
	for _, p := range parts {
		if p.Process != but && (late == nil || f.at(p.Process, p.Post.Begin) > f.at(late.Process, late.Post.Begin)) {
			late = p
		}
	}
	return late
}
