package waits

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
)

// Most messages are those of loops, and of most of these all that counts is a short wait of the receiver, or none.
// Such messages are told by the times of their calls alone; message looks at all others.

// fewIterations are not worth a look at what their messages have in common.
const fewIterations = 4

// plain is what is known of a message that comes again in each iteration.
type plain struct {
	can bool // wait plainly: the call that receives it waits for nothing else
	key briefKey
	of  int32 // 1 + number of the sum of its short waits; 0 if there was none yet
	// Of the calls of the sender, the latter if the message can make it wait, and of the receiver.
	sent, over, posted, done match.Times
}

// batch looks at the messages of iterations, in their order, and at collectives.
func (f *finder) batch(b *match.Batch) error {
	if b != f.inBatch {
		f.inBatch = b
		f.planBatch(b)
	}
	few := b.N < fewIterations
	for i := range f.plain {
		if p := &f.plain[i]; p.can && !few {
			p.times(b, i)
		}
	}
	for k := range b.N {
		for i := range f.plain {
			if p := &f.plain[i]; few || !p.can || !f.isPlain(p, k) {
				if err := f.message(b.Message(i, k)); err != nil {
					return err
				}
			}
		}
		if err := b.Collectives(k); err != nil {
			return err
		}
	}
	return nil
}

// planBatch finds out which messages of a loop can have plain waits.
func (f *finder) planBatch(b *match.Batch) {
	f.plain = append(f.plain[:0], make([]plain, b.Messages())...)
	if f.opts.Clock != nil || f.opts.Selected != nil {
		return
	}
	for i, sole := range b.Sole() {
		m := b.Any(i)
		s, r := m.Send, m.Recv
		p := &f.plain[i]
		*p = plain{
			can: sole && s.Func.Kind != ncclKind && s.Process != r.Process && s.Post.Timed && r.Post.Timed &&
				r.Done.Timed && r.Tests.Calls == 0 && s.Tests.Calls == 0,
			key: briefKey{r.Done.Stream, s.Post.Stream, r.Done.Terminal, s.Post.Terminal, LateSender},
		}
		if p.can {
			p.times(b, i)
			p.can = p.sent.Begins != nil && p.posted.Begins != nil && p.done.Begins != nil &&
				(p.over.Begins != nil || !canWait(s))
		}
	}
}

// canWait tells whether a send may wait for its receive, as far as that is recorded.
func canWait(s *match.End) bool { return s.Mode != calls.Buffered && s.Done.Known() && s.Done.Timed }

// times sets the times of the iterations at hand.
func (p *plain) times(b *match.Batch, i int) {
	m := b.Any(i)
	s, r := m.Send, m.Recv
	p.sent, p.posted, p.done = b.Times(i, &s.Post), b.Times(i, &r.Post), b.Times(i, &r.Done)
	if canWait(s) {
		p.over = b.Times(i, &s.Done)
	}
}

// isPlain takes in a message in iteration k. It is false if there is more to it than a short wait of its receiver, or
// none, and then does nothing.
func (f *finder) isPlain(p *plain, k int) bool {
	sent, posted := p.sent.Begins[p.sent.At+k*p.sent.Step], p.posted.Begins[p.posted.At+k*p.posted.Step]
	at := p.done.At + k*p.done.Step
	d := sent - p.done.Begins[at]
	if posted > sent || sent > p.done.Ends[at] || d > f.least {
		return false
	}
	if p.over.Begins != nil {
		if at := p.over.At + k*p.over.Step; p.over.Begins[at] < posted || p.over.Ends[at] < posted {
			return false
		}
	}
	if d > 0 {
		if p.of == 0 {
			p.of = 1 + f.brief.of(&p.key)
		}
		f.brief.sums[p.of-1].add(d)
	}
	return true
}
