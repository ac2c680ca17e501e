package findings

import (
	"fmt"

	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/render"
)

// How many messages, or bytes, have to lie at a process for a finding, and for a warning.
const (
	longQueue   = 256
	longerQueue = 1024
	muchQueued  = 64 << 20
)

// smallMessage is a size up to which what a message costs is not its bytes.
const smallMessage = 4 << 10

// queues reports a sender that is far ahead of its receiver: many of its messages lie there, or it waits until there is
// room for more. Why the receiver comes late is another finding, which follows.
func (f *finder) queues() {
	if f.Waits == nil || len(f.Waits.Queues) == 0 {
		return
	}
	q := &f.Waits.Queues[0]
	blocked := f.share(q.Blocked.Time)
	if q.Most < longQueue && blocked < least {
		return
	}
	n := Finding{Kind: Unexpected, Severity: Note, Cost: q.Blocked.Time, Process: q.From, Func: q.Sent.Func,
		Site: q.Sent.Site, Step: -1, Command: []string{"waits"}}
	if q.Most >= longerQueue || q.Bytes >= muchQueued || blocked >= much {
		n.Severity, n.weight = Warning, blocked
		for i := range f.Waits.Processes {
			if p := &f.Waits.Processes[i]; p.Process == q.To {
				n.weight += f.share(p.Root)
			}
		}
	}
	more := ""
	if q.More {
		more = "more than "
	}
	n.Text = fmt.Sprintf("%s is far ahead of %s: %s%s (%s) from %s lie there before they are received in %s",
		f.Name(q.From), f.Name(q.To), more, render.Plural(uint64(q.Most), "message"), f.bytes(float64(q.Bytes)),
		call(q.Sent.Func, q.Sent.Site), call(q.Received.Func, q.Received.Site))
	if others := f.queuesTo(q); others > 0 {
		n.Text += fmt.Sprintf(", and so do those of %s", render.Plural(uint64(others), "other rank"))
	}
	if blocked >= least {
		n.Text += fmt.Sprintf(". There is no room for more, so %s waits in %s until %s receives (%s)", f.Name(q.From),
			render.Plural(q.Blocked.Count, "call"), f.Name(q.To), f.part(q.Blocked.Time))
	}
	n.Text += ". What lies there takes memory, and time to search: "
	if q.Bytes/int64(q.Most) <= smallMessage {
		n.Text += "send fewer and larger ones, or "
	}
	n.Text += "let the sender wait for an answer now and then"
	f.add(n)
}

// queuesTo counts the other processes that are far ahead of the same receiver.
func (f *finder) queuesTo(q *waits.Queue) (n int) {
	for i := range f.Waits.Queues {
		if o := &f.Waits.Queues[i]; o.To == q.To && o.From != q.From && o.Most >= longQueue {
			n++
		}
	}
	return n
}
