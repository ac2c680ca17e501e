// Package gpus sums up what GPUs did: which kernels and copies took the time, and how much of it a GPU had work.
//
// What a GPU does lies in the streams of its queues, in the order of time. A GPU has work while any of its queues has:
// the queues of a process are merged by time, so that what runs side by side counts once. Of each stream a few values
// of each event are read, once, and the queues of its process are looked at: there are few of them.
package gpus

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Work is all that GPUs did of one kind.
type Work struct {
	Func *spec.Func
	// Kernel is the name of a kernel as its compiler has it; Copy is the kind of a copy in the numbers of CUDA.
	Kernel string
	Copy   int64
	Count  uint64
	Bytes  int64 // copied or set
	// Time is that of all GPUs together, Most the longest one's.
	Time, Most time.Duration
}

// Device is a GPU as a process uses it.
type Device struct {
	Process int
	Device  int64
	Queues  int // that have begun, idle ones included
	// Busy is how long it had work in at least one queue: 0 if nothing that it did is selected.
	Busy time.Duration
}

// Result is what GPUs did in the selected time.
type Result struct {
	Devices []Device // by process and number
	Work    []Work   // most time first
	// Begin and End are the first begin and the last end of the work.
	Begin, End time.Duration
}

// Of sums up what is selected. Without GPUs, or without times, there are no devices.
func Of(r *selection.Resolved) (*Result, error) {
	parts, err := r.TimedParts()
	if err != nil {
		return nil, err
	}
	s := &sums{work: map[key]*Work{}}
	var queues []*selection.Part
	for i, p := range parts {
		_, does, err := QueueOf(p.Stream)
		if err != nil {
			return nil, err
		}
		if does {
			queues = append(queues, p)
		}
		if i == len(parts)-1 || parts[i+1].Stream.Process() != p.Stream.Process() {
			if err := s.process(queues); err != nil {
				return nil, err
			}
			queues = queues[:0]
		}
	}
	for _, w := range s.work {
		s.out.Work = append(s.out.Work, *w)
	}
	slices.SortFunc(s.out.Work, func(a, b Work) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Func.ID, b.Func.ID), cmp.Compare(a.Kernel, b.Kernel),
			cmp.Compare(a.Copy, b.Copy))
	})
	return &s.out, nil
}

// Queue is a queue of a GPU, as CUDA numbers it.
type Queue struct{ Device, Context, Number int64 }

// String is "GPU 0, stream 7".
func (q Queue) String() string { return fmt.Sprintf("GPU %d, stream %d", q.Device, q.Number) }

// QueueOf is the queue that a stream is of; false if it is that of a thread.
func QueueOf(s *archive.Stream) (Queue, bool, error) {
	signatures, err := s.Signatures()
	if err != nil {
		return Queue{}, false, err
	}
	for _, sig := range signatures {
		if f := spec.ByID(sig.Func); f.Op == spec.OpDeviceQueue {
			value := func(param string) int64 { return sig.Slots[f.In(param)].N }
			return Queue{value("device"), value("context"), value("stream")}, true, nil
		}
	}
	return Queue{}, false, nil
}

type key struct {
	f      *spec.Func
	kernel string
	copy   int64
}

type sums struct {
	out  Result
	work map[key]*Work
}

// queue is what is left of a stream; item is what comes next.
type queue struct {
	device int64
	known  bool // the device
	item   item
	next   func() (item, error, bool)
}

// item is one event of a queue.
type item struct {
	key
	device     int64 // of what begins a queue
	bytes      int64
	start, end time.Duration
	selected   bool
}

// process adds the queues of a process.
func (s *sums) process(parts []*selection.Part) error {
	devices := map[int64]*Device{}
	var queues []*queue
	for _, p := range parts {
		next, stop := iter.Pull2(items(p))
		defer stop()
		q := &queue{next: next}
		ok, err := q.advance()
		if err != nil {
			return err
		}
		if q.known {
			if devices[q.device] == nil {
				devices[q.device] = &Device{Process: p.Stream.Process(), Device: q.device}
			}
			devices[q.device].Queues++
		}
		if ok {
			queues = append(queues, q)
		}
	}
	until := map[int64]time.Duration{}
	for len(queues) > 0 {
		q := slices.MinFunc(queues, func(a, b *queue) int { return cmp.Compare(a.item.start, b.item.start) })
		x := q.item
		if _, any := until[q.device]; !any {
			until[q.device] = x.start
		}
		if d := devices[q.device]; d != nil {
			d.Busy += max(x.end-max(x.start, until[q.device]), 0)
		}
		until[q.device] = max(until[q.device], x.end)
		s.add(&x)
		ok, err := q.advance()
		if err != nil {
			return err
		}
		if !ok {
			queues = slices.DeleteFunc(queues, func(other *queue) bool { return other == q })
		}
	}
	for _, d := range devices {
		s.out.Devices = append(s.out.Devices, *d)
	}
	slices.SortFunc(s.out.Devices, func(a, b Device) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Device, b.Device))
	})
	return nil
}

// advance goes to the next selected piece of work; false if there is none.
func (q *queue) advance() (bool, error) {
	for {
		x, err, ok := q.next()
		switch {
		case err != nil || !ok:
			return false, err
		case x.f.Op == spec.OpDeviceQueue:
			q.device, q.known = x.device, true
		case x.selected:
			q.item = x
			return true, nil
		}
	}
}

func (s *sums) add(x *item) {
	if len(s.work) == 0 {
		s.out.Begin = x.start
	}
	s.out.Begin, s.out.End = min(s.out.Begin, x.start), max(s.out.End, x.end)
	w := s.work[x.key]
	if w == nil {
		w = &Work{Func: x.f, Kernel: x.kernel, Copy: x.copy}
		s.work[x.key] = w
	}
	w.Count++
	w.Bytes += x.bytes
	w.Time += x.end - x.start
	w.Most = max(w.Most, x.end-x.start)
}

// slots are where an event has the values that are read, -1 for none.
type slots struct{ kernel, copy, bytes, device int }

func slotsOf(f *spec.Func) slots {
	return slots{f.Kernel(), f.In("kind"), f.In("bytes"), f.In("device")}
}

func (s slots) has(slot int) bool {
	return slot == s.kernel || slot == s.copy || slot == s.bytes || slot == s.device
}

// items are the events of a queue, those that are not selected included: the first one says which GPU it is of.
func items(p *selection.Part) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		signatures, err := p.Stream.Signatures()
		if err != nil {
			yield(item{}, err)
			return
		}
		where := make([]slots, len(signatures))
		for i, s := range signatures {
			where[i] = slotsOf(spec.ByID(s.Func))
		}
		reads := func(terminal uint32, slot int) bool { return where[terminal].has(slot) }
		for c, err := range archive.EventsWith(p.Stream, 0, reads) {
			if err != nil {
				yield(item{}, err)
				return
			}
			if c.Index >= p.Range.To {
				return
			}
			at := where[c.Terminal]
			x := item{key: key{f: c.Func, copy: integer(c, at.copy)}, device: integer(c, at.device),
				bytes: integer(c, at.bytes), start: c.Start, end: c.End}
			if at.kernel >= 0 {
				x.kernel = c.Slots[at.kernel].Str
			}
			if c.Index >= p.Range.From {
				x.selected, _ = p.Inside(c.Index)
			}
			if !yield(x, nil) {
				return
			}
		}
	}
}

func integer(c *archive.Call, slot int) int64 {
	if slot < 0 {
		return 0
	}
	return c.Slots[slot].N
}
