// Package requests says how much memory requests bind while they are under way: the buffers of nonblocking sends and
// receives, collectives, one-sided operations and file access, and of persistent requests from their start on.
//
// A buffer is bound from the begin of the call that begins the operation to the end of the call that completes the
// request, or frees it; without one, to the end of the last call of its process. Its size is what the call was given:
// of a receive that is all of the buffer, however short the message. Partners that are MPI_PROC_NULL bind nothing.
// The threads of a process share its requests.
//
// # Cost
//
// One pass over the calls of each process that has requests, on all processors. Memory is that of the rows and of the
// requests that a process has at a time.
package requests

import (
	"sync"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
	"github.com/tabard-hpc/tabard/spec"
)

// Options say what time and how many rows.
type Options struct {
	// From and To are the window. It is divided into at most Bins bins of equal length; the last one may be shorter.
	From, To time.Duration
	Bins     int
	// Rows is how many rows there are at most: each has as many processes as any other, the last one fewer.
	Rows int
	// Progress is called with the number of processes that were read and of all; one call at a time.
	Progress func(done, total uint64)
}

// Result is memory over time.
type Result struct {
	From, To, Width time.Duration // Width is how long a bin is
	Rows            []Row
}

// Row is some processes.
type Row struct {
	First, Last int // processes of the archive
	// Mean is the bytes that all of them together have bound, as the mean over each bin; Peak the most that a single
	// one of them had at a moment of it.
	Mean []float64
	Peak []int64
	// Most is the greatest of Peak, Process which had it, and When since when; Process is -1 if nothing was bound.
	Most    int64
	Process int
	When    time.Duration
	Count
}

// Count is numbers of requests that began to be under way, anywhere in the run.
type Count struct {
	Requests uint64
	// Unsized are those with a buffer of unknown size, which is left out; Open those that nothing has completed.
	Unsized, Open uint64
}

// Of measures what the requests bind that selected calls begin.
func Of(p *calls.Program, chosen *selection.Resolved, o Options) (*Result, error) {
	r := &Result{From: o.From, To: max(o.From, o.To)}
	length := r.To - r.From
	r.Width = max(1, length/time.Duration(o.Bins))
	if r.Width*time.Duration(o.Bins) < length {
		r.Width++
	}
	processes := streamsOf(p.Archive)
	group := max(1, (len(processes)+o.Rows-1)/o.Rows)
	r.Rows = make([]Row, (len(processes)+group-1)/group)
	j := &job{program: p, chosen: chosen}
	done := uint64(0)
	finished := func() {
		j.mu.Lock()
		defer j.mu.Unlock() // progress may panic to end all of it
		if done++; o.Progress != nil {
			o.Progress(done, uint64(len(processes)))
		}
	}
	err := workers.Each(len(r.Rows), func(i int) error {
		row := &r.Rows[i]
		*row = Row{First: i * group, Last: min((i+1)*group, len(processes)) - 1, Process: -1}
		bins := int((length + r.Width - 1) / r.Width)
		row.Mean, row.Peak = make([]float64, bins), make([]int64, bins)
		for n := row.First; n <= row.Last; n++ {
			w := &process{job: j, index: n, row: row, window: r, under: map[int64]size{}, made: map[int64]size{}}
			if err := w.run(processes[n]); err != nil {
				return err
			}
			finished()
		}
		for k := range row.Mean {
			from := r.From + time.Duration(k)*r.Width
			row.Mean[k] /= float64(min(r.Width, r.To-from))
		}
		return nil
	})
	return r, err
}

// streamsOf are the streams of each process.
func streamsOf(a *archive.Archive) [][]*archive.Stream {
	var list [][]*archive.Stream
	for s := range a.Streams() {
		for s.Process() >= len(list) {
			list = append(list, nil)
		}
		list[s.Process()] = append(list[s.Process()], s)
	}
	return list
}

type job struct {
	program *calls.Program
	chosen  *selection.Resolved
	mu      sync.Mutex // one goroutine at a time may ask what is selected
}

// size is the buffers of a request.
type size struct {
	bytes int64
	known bool
}

// maxBytes is up to which size a buffer is believed.
const maxBytes = 1 << 46

// sizeOf is the size of the buffers that a call is given.
func sizeOf(op *calls.Op) (z size) {
	z.known = true
	oneSided := op.Kind == calls.Put || op.Kind == calls.Get || op.Kind == calls.Accumulate
	if oneSided && op.Send.Peer == calls.ProcNull {
		return z
	}
	for _, s := range []*calls.Side{&op.Send, &op.Recv} {
		switch {
		case s.Peer == calls.ProcNull:
		case s.Bytes < 0 || s.Bytes > maxBytes:
			z.known = false
		default:
			z.bytes += s.Bytes
		}
	}
	return z
}

// process is one that is read.
type process struct {
	*job
	index   int
	row     *Row
	window  *Result
	threads []*thread
	// under are the requests that are under way, made the persistent ones.
	under, made map[int64]size
	level       int64         // bytes that are bound
	now         time.Duration // since when
	ends        []ending      // that are still to come, by time: at most one for each thread
}

// thread is a stream and its next call; nil at the end.
type thread struct {
	rd   *calls.Reader
	part *selection.Part // nil if nothing is selected
	some []bool          // the terminals of which single calls are selected
	none []bool          // those of which none is
	op   *calls.Op
}

// ending is when bytes are no longer bound.
type ending struct {
	at    time.Duration
	bytes int64
}

// run reads all calls, in the order in which they begin.
func (p *process) run(streams []*archive.Stream) error {
	if some, err := anyRequest(streams); !some || err != nil {
		return err
	}
	for _, s := range streams {
		if !s.Timed() {
			continue
		}
		t, err := p.open(s)
		if err != nil {
			return err
		}
		if t.op, err = t.rd.Next(); err != nil {
			return err
		}
		p.threads = append(p.threads, t)
	}
	last := time.Duration(0)
	for {
		var next *thread
		for _, t := range p.threads {
			if t.op != nil && (next == nil || t.op.Begin < next.op.Begin) {
				next = t
			}
		}
		if next == nil {
			break
		}
		if next.op.Timed {
			p.call(next)
			last = max(last, next.op.End)
		}
		var err error
		if next.op, err = next.rd.Next(); err == nil {
			err = next.rd.Hopeless(next.rd.Stream().Calls())
		}
		if err != nil {
			return err
		}
	}
	p.advance(last)
	p.row.Open += uint64(len(p.under))
	return nil
}

// anyRequest tells whether a call of the streams has to do with requests.
func anyRequest(streams []*archive.Stream) (bool, error) {
	for _, s := range streams {
		sigs, err := s.Signatures()
		if err != nil {
			return false, err
		}
		for _, sig := range sigs {
			for _, slot := range spec.ByID(sig.Func).Slots {
				if slot.Class == spec.Request {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

func (p *process) open(s *archive.Stream) (*thread, error) {
	rd, err := p.program.Reader(s)
	if err != nil {
		return nil, err
	}
	t := &thread{rd: rd}
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.part, err = p.chosen.Part(s); err != nil || t.part == nil {
		return t, err
	}
	t.some, t.none = make([]bool, len(sigs)), make([]bool, len(sigs))
	for k := range sigs {
		all, none, err := t.part.Terminal(uint32(k))
		if err != nil {
			return nil, err
		}
		t.some[k], t.none[k] = !all && !none, none
	}
	return t, nil
}

// selects tells whether the call of a thread is selected.
func (p *process) selects(t *thread) bool {
	if t.part == nil || t.none[t.op.Terminal] || t.op.Call < t.part.Range.From || t.op.Call >= t.part.Range.To {
		return false
	}
	if !t.some[t.op.Terminal] {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return t.part.Selects(t.op.Terminal, t.op.Call)
}

// call takes in the next call of a thread.
func (p *process) call(t *thread) {
	op := t.op
	switch op.Kind {
	case calls.Complete:
		freed := int64(0)
		for i := range op.Done {
			freed += p.forget(op.Done[i].Request)
		}
		p.ends = p.later(op.End, freed)
		return
	case calls.FreeRequest:
		if len(op.Requests) > 0 {
			delete(p.made, op.Requests[0])
			p.ends = p.later(op.End, p.forget(op.Requests[0]))
		}
		return
	}
	if op.Flags&(archive.Failed|archive.Unfinished|archive.Polls) != 0 {
		return
	}
	if op.Kind == calls.Start {
		for _, q := range op.Requests {
			if z, ok := p.made[q]; ok && p.selects(t) {
				p.begin(op.Begin, q, z)
			}
		}
		return
	}
	if op.Request < 0 {
		return
	}
	// The number may be that of a request which ended out of sight.
	delete(p.made, op.Request)
	p.ends = p.later(op.Begin, p.forget(op.Request))
	if op.Persistent {
		p.made[op.Request] = sizeOf(op)
	} else if p.selects(t) {
		p.begin(op.Begin, op.Request, sizeOf(op))
	}
}

// begin begins a request.
func (p *process) begin(at time.Duration, request int64, z size) {
	p.advance(at)
	p.level += z.bytes - p.forget(request)
	p.under[request] = z
	p.row.Requests++
	if !z.known {
		p.row.Unsized++
	}
}

// forget ends a request, and gives its bytes.
func (p *process) forget(request int64) int64 {
	z, ok := p.under[request]
	if ok {
		delete(p.under, request)
	}
	return z.bytes
}

// later adds an ending.
func (p *process) later(at time.Duration, bytes int64) []ending {
	if bytes == 0 {
		return p.ends
	}
	list := append(p.ends, ending{at, bytes})
	for i := len(list) - 1; i > 0 && list[i].at < list[i-1].at; i-- {
		list[i], list[i-1] = list[i-1], list[i]
	}
	return list
}

// advance goes on to a time.
func (p *process) advance(to time.Duration) {
	n := 0
	for ; n < len(p.ends) && p.ends[n].at <= to; n++ {
		p.hold(p.ends[n].at)
		p.level -= p.ends[n].bytes
	}
	p.ends = append(p.ends[:0], p.ends[n:]...)
	p.hold(to)
}

// hold adds what is bound from now to a time.
func (p *process) hold(to time.Duration) {
	w, r := p.window, p.row
	from, end := max(p.now, w.From), min(to, w.To)
	p.now = max(p.now, to)
	if p.level == 0 || from >= end {
		return
	}
	if p.level > r.Most {
		r.Most, r.Process, r.When = p.level, p.index, from
	}
	for at := from; at < end; {
		bin := int((at - w.From) / w.Width)
		stop := min(end, w.From+time.Duration(bin+1)*w.Width)
		r.Mean[bin] += float64(p.level) * float64(stop-at)
		r.Peak[bin] = max(r.Peak[bin], p.level)
		at = stop
	}
}
