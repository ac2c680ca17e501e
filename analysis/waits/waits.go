package waits

import (
	"math"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Options are what Of looks at.
type Options struct {
	// Selected tells whether a wait counts: the call that waited; nil for all. Causes are searched
	// for among all.
	Selected func(stream int, terminal uint32, call uint64) bool
	// Clock corrects a time of a process; nil for none.
	Clock func(process int32, t time.Duration) time.Duration
	// Steps are the time steps, if they are known already.
	Steps *selection.StepIndex
	// Keep is how many waits are kept for the search for causes; 0 for DefaultKeep.
	Keep int
	// Each gets the selected waits that were kept, by stream and call, once all are known; nil for none.
	Each func(*Wait)
	// Observer is handed all calls, see package match; nil for none.
	Observer match.Observer
	// Progress is called now and then with the number of events that were read and the number of all.
	Progress func(done, total uint64)
}

// DefaultKeep bounds the memory for waits, and for what their causes are found with, to about 70
// MiB.
const DefaultKeep = 1 << 18

// maxKeep is what fits the numbers of waits and origins.
const maxKeep = math.MaxUint32 / maxOrigins

// wait is one wait, in 64 bytes. Streams and calls identify what waited and what came late.
type wait struct {
	begin, end time.Duration // corrected
	// of a late receiver's message that the library might buffer, else calls.UnknownBytes
	bytes              int64
	call, lateCall     uint64
	stream, lateStream int32
	term, lateTerm     uint32
	kind               Kind
	selected           bool
	wild               bool // for a message from any source, or with any tag
}

// of makes w the wait of call done for call other, from begin to end.
func (w *wait) of(k Kind, bytes int64, done, other *match.Ref, begin, end time.Duration) {
	w.begin, w.end, w.bytes, w.call, w.lateCall = begin, end, bytes, done.Call, other.Call
	w.stream, w.lateStream, w.term, w.lateTerm, w.kind = done.Stream, other.Stream, done.Terminal, other.Terminal, k
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
	p     *calls.Program
	a     *archive.Archive
	r     *Result
	waits []wait
	idle  []idle
	// sorted is which waits count in the end, in the order of streams and calls.
	sorted []uint32
	// Waits and idle messages that are not longer than these are no longer kept.
	least, leastIdle time.Duration
	// buffered is the size of the largest message whose send ended before its receive was posted:
	// between processes of different hosts, and of one.
	buffered [2]int64
	shorts   []lastShort // by stream
	latest   []latest    // by stream
	wild     bool        // of the wait that is added: see wait
	brief    briefs
	inBatch  *match.Batch // that plain is about
	plain    []plain
	owner    []int32 // the process of each stream
	procs    slots
	readers  map[int32]*calls.Reader // of times, by stream
	marks    marks
	// the in-neighbours of a process in the topology of a communicator; nil if they are not known
	sources map[neighbor][]int32
	parts   []*match.Part
	single  map[*archive.Class][]int8 // by terminal: see oneByOne; 0 not known yet, -1 not
	err     error
	calls   uint64
	files   *accessTimes // nil: nothing accesses files
	hosts   []int32      // of each slot
	// queues are what lies between two processes, by the numbers of pairs, lie how many messages that is.
	pairs  pairTable
	queues []*queue
	lie    int
	byName map[string]int32
}

// Of finds the waits of an archive. It needs times: an archive without has none.
func Of(p *calls.Program, o Options) (*Result, error) {
	if o.Keep <= 0 {
		o.Keep = DefaultKeep
	}
	o.Keep = min(o.Keep, maxKeep)
	f := &finder{opts: o, p: p, a: p.Archive, r: &Result{Worlds: p.Comms.Worlds}, byName: map[string]int32{},
		buffered: [2]int64{-1, -1}}
	for s := range p.Archive.Streams() {
		f.owner = append(f.owner, p.Number(s.Process()))
		f.calls += s.Calls()
	}
	f.shorts, f.latest = make([]lastShort, len(f.owner)), make([]latest, len(f.owner))
	var err error
	if f.files, err = newAccessTimes(f.a, o.Observer); err != nil {
		return nil, err
	}
	seen := o.Observer
	if f.files != nil {
		f.files.at = func(stream int32, t time.Duration) time.Duration { return f.at(f.owner[stream], t) }
		seen = f.files
	}
	f.r.Match, err = match.RunProgram(p, match.Options{Message: f.message, Collective: f.collective,
		Batch: f.batch, Observer: seen, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	if f.files != nil {
		f.files.seal()
	}
	if f.err != nil {
		return nil, f.err
	}
	if f.opts.Steps == nil {
		if f.opts.Steps, err = selection.FindSteps(p.Archive, loops.StepLoop{}); err != nil {
			return nil, err
		}
	}
	return f.r, f.finish()
}

func (f *finder) at(process int32, t time.Duration) time.Duration {
	if f.opts.Clock == nil {
		return t
	}
	return f.opts.Clock(process, t)
}

// ncclKind is the kind of NCCL's calls.
var ncclKind, _ = spec.EventsNamed("nccl")

// message looks at both ends of a message.
func (f *finder) message(m *match.Message) error {
	if m.Send.Func.Kind == ncclKind { // its calls only queue what happens later
		return nil
	}
	s, r := m.Send, m.Recv
	if !s.Post.Timed || !r.Post.Timed {
		return nil
	}
	sent, posted := f.at(s.Process, s.Post.Begin), f.at(r.Process, r.Post.Begin)
	if r.Done.Known() && r.Done.Timed {
		begin, end := f.at(r.Process, r.Done.Begin), f.at(r.Process, r.Done.End)
		if d := sent - end; d > 0 {
			f.r.Backwards.add(d)
		}
		if s.Process != r.Process {
			if r.Tests.Calls > 0 {
				begin = f.tested(r.Process, &r.Done, &r.Tests, sent)
			}
			if sent > begin {
				f.wild = r.Wild
				f.late(LateSender, calls.UnknownBytes, &r.Done, &s.Post, begin, min(sent, end))
				f.wild = false
			}
		}
	}
	if s.Mode != calls.Buffered && s.Done.Known() && s.Done.Timed {
		if end := f.at(s.Process, s.Done.End); end < posted {
			if n := &f.buffered[f.near(s.Process, r.Process)]; s.Mode == calls.Standard {
				*n = max(*n, m.Bytes)
			}
		} else if s.Process != r.Process {
			begin := f.at(s.Process, s.Done.Begin)
			if s.Tests.Calls > 0 {
				begin = f.tested(s.Process, &s.Done, &s.Tests, posted)
			}
			if posted > begin {
				bytes := m.Bytes
				if s.Mode == calls.Synchronous {
					bytes = calls.UnknownBytes
				}
				f.late(LateReceiver, bytes, &s.Done, &r.Post, begin, min(posted, end))
			}
		}
	}
	if posted > sent {
		f.queued(m, sent, posted)
	}
	if d := posted - sent; d > f.leastIdle {
		if n := len(f.idle); n == cap(f.idle) {
			f.idle = append(make([]idle, 0, n+f.room(n)), f.idle...)
		}
		f.idle = append(f.idle, idle{r.Process, sent, posted})
		if len(f.idle) >= f.opts.Keep {
			f.leastIdle = thin(&f.idle, func(i *idle) time.Duration { return i.to - i.from }, nil)
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

// eager tells whether the library sends messages of a wait's size without waiting for the receiver:
// then a send that ended after the receive was posted did so by chance.
func (f *finder) eager(w *wait) bool {
	return w.kind == LateReceiver && f.fits(w.bytes, w.stream, w.lateStream)
}

func (f *finder) fits(bytes int64, stream, late int32) bool {
	return bytes >= 0 && bytes <= f.buffered[f.near(f.owner[stream], f.owner[late])]
}

// lateFor is late for the part of a collective that waits and the one that came late, if it did.
func (f *finder) lateFor(k Kind, p, late *match.Part) {
	if p.Process == late.Process {
		return
	}
	other := f.at(late.Process, late.Post.Begin)
	begin := f.at(p.Process, p.Done.Begin)
	if p.Tests.Calls > 0 {
		begin = f.tested(p.Process, &p.Done, &p.Tests, other)
	}
	if end := min(other, f.at(p.Process, p.Done.End)); end > begin {
		f.late(k, calls.UnknownBytes, &p.Done, &late.Post, begin, end)
	}
}

// late notes that call done waited for call other of another process, from begin to end. If several
// waits of one call follow one another, the last one counts.
func (f *finder) late(k Kind, bytes int64, done, other *match.Ref, begin, end time.Duration) {
	selected := f.opts.Selected == nil || f.opts.Selected(int(done.Stream), done.Terminal, done.Call)
	d := end - begin
	if k != LateReceiver {
		if last := &f.latest[done.Stream]; last.call == done.Call && last.n > 0 {
			if w := &f.waits[last.n-1]; end > w.end {
				w.of(k, bytes, done, other, begin, end)
				w.wild = f.wild
			} else if end == w.end {
				f.add(k, bytes, done, other, begin, end, selected)
			}
			return
		}
	}
	if d <= f.least {
		if selected {
			f.short(&briefKey{done.Stream, other.Stream, done.Terminal, other.Terminal, k}, bytes, done.Call, d)
		}
		return
	}
	if k != LateReceiver {
		f.latest[done.Stream] = latest{done.Call, uint32(len(f.waits) + 1)}
		f.takeBack(done)
	}
	f.add(k, bytes, done, other, begin, end, selected)
	if len(f.waits) >= f.opts.Keep {
		f.thin()
	}
}

// add keeps a wait.
func (f *finder) add(k Kind, bytes int64, done, other *match.Ref, begin, end time.Duration, selected bool) {
	n := len(f.waits)
	if n == cap(f.waits) {
		f.waits = append(make([]wait, 0, n+f.room(n)), f.waits...)
	}
	f.waits = f.waits[:n+1]
	w := &f.waits[n]
	w.of(k, bytes, done, other, begin, end)
	w.selected, w.wild = selected, f.wild
}

// room is how many more to make room for if there are n. Memory that is not used yet costs nothing,
// so from some thousands on there is room for all that may come.
func (f *finder) room(n int) int {
	most := int(min(f.calls, uint64(f.opts.Keep)))
	if n < 4096 {
		most = min(most, 8192)
	}
	return max(1024, most-n)
}

// latest is the latest wait of a stream that is kept: its call, and 1 + its index.
type latest struct {
	call uint64
	n    uint32
}

// thin drops the shorter half of the waits, and sends that did not have to wait.
func (f *finder) thin() {
	clear(f.latest)
	n := 0
	for i := range f.waits {
		if w := &f.waits[i]; !f.eager(w) {
			f.waits[n] = *w
			n++
		}
	}
	if f.waits = f.waits[:n]; n >= f.opts.Keep/2 {
		f.least = max(f.least, thin(&f.waits, (*wait).length, func(w *wait) {
			if w.selected {
				f.short(&briefKey{w.stream, w.lateStream, w.term, w.lateTerm, w.kind}, w.bytes, w.call, w.length())
			}
		}))
	}
	for i := range f.waits {
		w := &f.waits[i]
		if last := &f.latest[w.stream]; w.kind != LateReceiver && (last.n == 0 || w.call >= last.call) {
			*last = latest{w.call, uint32(i + 1)}
		}
	}
}

// collective looks at the members of a collective.
func (f *finder) collective(c *match.Collective) error {
	k, ok := KindOf(c.Func)
	if !ok || c.Mixed {
		return nil
	}
	parts := f.parts[:0]
	for i := range c.Parts {
		if p := &c.Parts[i]; p.Post.Timed && p.Done.Known() && p.Done.Timed {
			parts = append(parts, p)
		}
	}
	if c.Comm >= 0 && f.p.Comms.Comms[c.Comm].Inter {
		f.between(k, c, parts)
		return nil
	}
	f.parts = parts // for the next one
	switch k {
	case WaitForNeighbors:
		f.neighborhood(c, parts)
	case EarlyScan:
		f.byRank(c.Comm, parts)
		var late *match.Part
		for _, p := range parts {
			if late != nil {
				f.lateFor(k, p, late)
			}
			if late == nil || f.at(p.Process, p.Post.Begin) > f.at(late.Process, late.Post.Begin) {
				late = p
			}
		}
	default:
		f.depend(k, c.Root, parts, parts)
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
	slices.SortStableFunc(parts, func(a, b *match.Part) int {
		return members.Index(int(a.Process)) - members.Index(int(b.Process))
	})
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
