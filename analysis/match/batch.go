package match

import "time"

// A Batch is successive iterations of loops in which messages and collectives come again as they were matched in the
// iteration before: as many as times are at hand for, in all processes. Iterations are numbered from 0 on.
type Batch struct {
	// N is the number of iterations.
	N int

	r     *runner
	of    *snapshot
	timed []*window
	from  uint64 // iterations in the batches before
}

// next goes on to the next batch, of at most most iterations.
func (b *Batch) next(most uint64) error {
	b.from += uint64(b.N)
	n := int(most)
	for _, w := range b.timed {
		if b.N > 0 {
			if err := w.next(b.N); err != nil {
				return err
			}
		}
		n = min(n, (w.n-w.now)/w.size)
	}
	b.N = n
	return nil
}

// each hands out all messages and collectives one by one.
func (b *Batch) each() error {
	for k := range b.N {
		for i := range b.of.messages {
			if err := b.r.opts.Message(b.Message(i, k)); err != nil {
				return err
			}
		}
		if err := b.Collectives(k); err != nil {
			return err
		}
	}
	return nil
}

// Messages is the number of messages of an iteration.
func (b *Batch) Messages() int { return len(b.of.messages) }

// Message is a message in an iteration. It is valid until it is asked for again.
func (b *Batch) Message(i, k int) *Message {
	a := &b.of.messages[i]
	to := b.from + uint64(k) + 1
	move(a.later, int(to-a.moved), k)
	a.moved = to
	return &a.msg
}

// Any is a message in any iteration, with what does not change from one to the next. It is the one that Message gives.
func (b *Batch) Any(i int) *Message { return &b.of.messages[i].msg }

// Collectives hands out the collectives of an iteration, which has to be the one after the last that it was called for.
func (b *Batch) Collectives(k int) error {
	for i := range b.of.colls {
		a := &b.of.colls[i]
		move(a.later, 1, k)
		a.coll.Index += a.step
		if err := b.r.opts.Collective(&a.coll); err != nil {
			return err
		}
	}
	return nil
}

// Times are the times of a call in each iteration of a batch: in iteration k Begins[At+k*Step] and Ends[At+k*Step].
// There are none of a call whose process has come to its end.
type Times struct {
	Begins, Ends []time.Duration
	At, Step     int
}

// Times are those of a call of a message, a field of what Any gives, in the iterations at hand.
func (b *Batch) Times(i int, call *Ref) (t Times) {
	if c := find(b.of.messages[i].later, call); c != nil && c.w.begins != nil {
		return Times{c.w.begins, c.w.ends, c.w.now + c.at, c.w.size}
	}
	return t
}

// find finds where a call is; nil if that is not known.
func find(all []later, call *Ref) *later {
	for i := range all {
		if c := &all[i]; c.refs[0] == call || c.refs[1] == call {
			return c
		}
	}
	return nil
}

// Sole tells of each message of an iteration whether the call that completes its receive is known and completes nothing
// else, neither a message nor a collective.
func (b *Batch) Sole() []bool {
	type place struct{ stream, at int }
	completes := map[place]int{}
	of := func(call *Ref, all []later) (place, bool) {
		c := find(all, call)
		if c == nil || !call.Known() {
			return place{}, false
		}
		size := c.w.size // a call of the iteration before is one of this one in the next
		return place{int(call.Stream), (c.at%size + size) % size}, true
	}
	count := func(call *Ref, all []later) {
		if at, ok := of(call, all); ok {
			completes[at]++
		}
	}
	for i := range b.of.messages {
		a := &b.of.messages[i]
		count(&a.send.Done, a.later)
		count(&a.recv.Done, a.later)
	}
	for i := range b.of.colls {
		a := &b.of.colls[i]
		for k := range a.coll.Parts {
			count(&a.coll.Parts[k].Done, a.later)
		}
	}
	sole := make([]bool, len(b.of.messages))
	for i := range sole {
		a := &b.of.messages[i]
		at, ok := of(&a.recv.Done, a.later)
		sole[i] = ok && completes[at] == 1
	}
	return sole
}
