package waits

import (
	"cmp"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
)

// Queue is the messages of one process to another that lay there before their receives were posted.
type Queue struct {
	From, To int32
	// Most is how many there were at a time, Bytes their size as far as it is known, When the time.
	Most  int
	Bytes int64
	When  time.Duration
	// More is set if there were more than could be counted.
	More bool
	// Sent and Received are the calls of the last message that was sent then.
	Sent, Received Place
	// Blocked are the waits of blocking sends until the receiver came back to what it had not received yet.
	Blocked Sum
}

// leastQueue is how many messages have to lie somewhere for a queue to be told.
const leastQueue = 64

// leastBlocked is how long a send of a message that the library buffers has to take before it is said to wait. Others
// may end by chance after a receive was posted.
const leastBlocked = 50 * time.Microsecond

// lying is a message that was sent before its receive was posted.
type lying struct {
	posted time.Duration
	bytes  int64
	recv   match.Ref
}

// queue is what lies between two processes, in the order of the receives; all[:head] is received.
type queue struct {
	Queue
	all        []lying
	head       int
	bytes      int64 // of what lies there
	sent, recv match.Ref
}

// queued looks at a message that was sent before its receive was posted. A blocking send that ends only after the
// receiver has posted the receive of an earlier message waits for it, though the library buffers such messages: it has
// no more room for them.
func (f *finder) queued(m *match.Message, sent, posted time.Duration) {
	s, r := m.Send, m.Recv
	if s.Process == r.Process {
		return
	}
	q := f.queueOf(s.Process, r.Process)
	for q.head < len(q.all) && q.all[q.head].posted <= sent {
		q.bytes -= q.all[q.head].bytes
		q.head++
		f.lie--
	}
	if 2*q.head >= len(q.all) {
		q.all, q.head = slices.Delete(q.all, 0, q.head), 0
	}
	if q.head < len(q.all) && s.Mode == calls.Standard && s.Blocking && s.Done.Timed {
		first := &q.all[q.head]
		if end := f.at(s.Process, s.Done.End); first.posted <= end && first.posted-sent >= leastBlocked {
			f.late(LateReceiver, calls.UnknownBytes, &s.Done, &first.recv, sent, first.posted)
			q.Blocked.add(first.posted - sent)
		}
	}
	if f.lie >= f.opts.Keep {
		q.More = true
		return
	}
	f.lie++
	q.all = append(q.all, lying{posted, max(m.Bytes, 0), r.Post})
	q.bytes += max(m.Bytes, 0)
	if n := len(q.all) - q.head; n > q.Most {
		q.Most, q.Bytes, q.When, q.sent, q.recv = n, q.bytes, sent, s.Post, r.Post
	}
}

// queueOf is what lies between two processes.
func (f *finder) queueOf(from, to int32) *queue {
	n := int(f.pairs.of(uint32(from), uint32(to)))
	if n == len(f.queues) {
		f.queues = append(f.queues, &queue{Queue: Queue{From: from, To: to}})
	}
	return f.queues[n]
}

// longest are the longest queues, at most MaxShares.
func (f *finder) longest() (list []Queue) {
	for _, q := range f.queues {
		if q.Most < leastQueue {
			continue
		}
		q.Sent, q.Received = f.placeOf(q.sent.Stream, q.sent.Terminal), f.placeOf(q.recv.Stream, q.recv.Terminal)
		list = append(list, q.Queue)
	}
	slices.SortFunc(list, func(a, b Queue) int {
		return cmp.Or(cmp.Compare(b.Most, a.Most), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return list[:min(len(list), MaxShares)]
}

// placeOf is the function and call site of a terminal by their names.
func (f *finder) placeOf(stream int32, term uint32) Place {
	fn, site := f.called(stream, term)
	p := Place{Func: fn.Name}
	if site != nil {
		p.Site = site.String()
	}
	return p
}
