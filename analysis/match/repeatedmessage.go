package match

import (
	"slices"
	"time"
)

// repeatedMessage is a message of an iteration that comes again in each equal one.
type repeatedMessage struct {
	msg        Message
	send, recv End
	probe      Ref
	later      []later
	moved      uint64 // iterations that later is ahead of the one that was matched
}

// repeatedCollective is a collective that comes again in the same way.
type repeatedCollective struct {
	coll  Collective
	scope collScope
	step  uint64 // by how much the index grows from one iteration to the next
	later []later
}

// later is a call of a message, and where its times are. For a blocking call both refs are set,
// because one call posts and completes; otherwise the second one is nil.
type later struct {
	refs [2]*Ref
	w    *window
	at   int // in relation to the begin of the iteration
}

// note keeps a message of the iteration that may come again.
func (s *snapshot) note(m *Message) {
	a := repeatedMessage{msg: *m, send: *m.Send, recv: *m.Recv}
	if p := m.Recv.Probe; p != nil {
		a.probe = *p
	}
	s.messages = append(s.messages, a)
}

// noteColl keeps a collective.
func (s *snapshot) noteColl(c *Collective, scope collScope) {
	a := repeatedCollective{coll: *c, scope: scope}
	a.coll.Parts = slices.Clone(c.Parts)
	s.colls = append(s.colls, a)
}

// window holds the times of a stream's calls in an iteration and in those before it that matter.
type window struct {
	s    *stream
	size int
	// first is the call of begins[0] and ends[0]. now is the index in these at which the iteration
	// begins. They hold n calls.
	first        uint64
	base         uint64 // the call with which an iteration begins
	back         int    // calls before the iteration that are kept
	skip         int    // 0 before the first times, then back
	last         uint64 // no call from here on is needed
	now, n       int
	begins, ends []time.Duration
	seen         Observer // nil: none
	body         []uint32 // for it: the terminals of an iteration
}

// Windows hold this many calls more than they need, as long as all windows together stay within the
// limit. That is enough to make filling them cheap, and few enough for the processor's caches.
const (
	room      = 2048
	leastRoom = 32
	rooms     = 1 << 20
)

// next moves on by some iterations, whose times are there.
func (w *window) next(iterations int) error {
	if w.now += iterations * w.size; w.now+w.size <= w.n {
		return nil
	}
	// Keep the earlier iterations that matter.
	from := w.now - w.back
	w.n = copy(w.begins, w.begins[from:w.n])
	copy(w.ends, w.ends[from:])
	w.first += uint64(from)
	w.now = w.back
	return w.fill()
}

func (w *window) fill() error {
	to := int(min(uint64(len(w.begins)), w.last-w.first))
	from := w.n
	w.n = to
	if err := w.s.Times(w.first+uint64(from), w.begins[from:to], w.ends[from:to]); err != nil || w.seen == nil {
		return err
	}
	from = max(from, w.back-w.skip) // the iterations before were seen already
	w.skip = w.back
	at := (w.first + uint64(from) - w.base) % uint64(w.size) // never before the base
	return w.seen.Repeat(w.s.number, w.first+uint64(from), w.body, int(at), w.begins[from:to], w.ends[from:to])
}

// handOut reports what was matched between two snapshots once more, for each of n iterations.
func (r *runner) handOut(before, now *snapshot, n uint64) error {
	r.rec = nil
	if len(before.messages)+len(before.colls) == 0 && r.opts.Observer == nil {
		return nil
	}
	if r.opts.Fold {
		return r.fold(before, n)
	}
	ws := r.windows(now, n)
	for i := range before.messages {
		before.messages[i].bind(r, ws)
	}
	for i := range before.colls {
		a := &before.colls[i]
		a.bind(r, ws)
		p := r.process(a.coll.Parts[0].Process)
		a.step = now.count(p, a.scope) - before.count(p, a.scope)
	}
	b := &Batch{r: r, of: before}
	for _, w := range ws {
		if w != nil && w.begins != nil {
			b.timed = append(b.timed, w)
			if err := w.fill(); err != nil {
				return err
			}
		}
	}
	events := uint64(0)
	for _, b := range now.bases {
		events += r.procs[b.proc].size
	}
	each := max(1, 16*quantum/events)
	for done := uint64(0); done < n; done += uint64(b.N) {
		if err := b.next(min(each, n-done)); err != nil {
			return err
		}
		give := r.opts.Batch
		if give == nil {
			give = (*Batch).each
		}
		if err := give(b); err != nil {
			return err
		}
		if err := r.p.Archive.Hopeless((done+uint64(b.N))*events, (n-done-uint64(b.N))*events); err != nil {
			return err
		}
		if r.opts.Progress != nil {
			r.opts.Progress(r.done+done*events, r.total)
		}
	}
	return nil
}

// fold hands out what was matched once, for all iterations.
func (r *runner) fold(s *snapshot, n uint64) error {
	for i := range s.messages {
		a := &s.messages[i]
		a.msg.Send, a.msg.Recv, a.msg.Count = &a.send, &a.recv, n
		a.msg.SendStep, a.msg.RecvStep = r.process(a.send.Process).size, r.process(a.recv.Process).size
		a.send.moveOn(a.msg.SendStep)
		a.recv.moveOn(a.msg.RecvStep)
		if a.recv.Probe != nil {
			a.recv.Probe = &a.probe
			a.probe.Call += a.msg.RecvStep
		}
		if err := r.opts.Message(&a.msg); err != nil {
			return err
		}
	}
	for i := range s.colls {
		c := &s.colls[i].coll
		c.Count = n
		if err := r.opts.Collective(c); err != nil {
			return err
		}
	}
	return nil
}

func (e *End) moveOn(calls uint64) {
	e.Post.Call += calls
	if e.Done.Known() {
		e.Done.Call += calls
	}
	if e.Tests.Calls > 0 {
		e.Tests.Call += calls
	}
}

// windows makes a window for each process that is paused, by process.
func (r *runner) windows(now *snapshot, n uint64) []*window {
	ws := make([]*window, len(r.procs))
	more := min(room, max(leastRoom, rooms/len(now.bases)))
	for _, b := range now.bases {
		p := &r.procs[b.proc]
		s, size := p.streams[0], int(p.size)
		back := size * int(p.back)
		w := &window{s: s, size: size, back: back, first: b.call - uint64(back), base: b.call,
			last: b.call + n*uint64(size), now: back}
		if s.timed {
			length := int(min(w.last-w.first, uint64(back+size+more)))
			w.begins, w.ends = make([]time.Duration, length), make([]time.Duration, length)
		}
		if r.opts.Observer != nil && s.timed {
			w.seen, w.body = r.opts.Observer, make([]uint32, size)
			c := s.Grammar().NewCursor()
			c.Seek(b.event)
			c.Fill(w.body)
		}
		ws[b.proc] = w
	}
	return ws
}

// bind finds the calls of a message in the windows.
func (a *repeatedMessage) bind(r *runner, ws []*window) {
	a.msg.Send, a.msg.Recv = &a.send, &a.recv
	a.later = make([]later, 0, 5)
	of := func(process int32) *window { return ws[r.process(process).index] }
	a.later = appendLater(a.later, of(a.send.Process), &a.send.Post, &a.send.Done)
	a.later = appendLater(a.later, of(a.recv.Process), &a.recv.Post, &a.recv.Done)
	if a.recv.Probe != nil {
		a.recv.Probe = &a.probe
		a.later = appendLater(a.later, of(a.recv.Process), &a.probe, nil)
	}
}

func (a *repeatedCollective) bind(r *runner, ws []*window) {
	a.later = make([]later, 0, 2*len(a.coll.Parts))
	for i := range a.coll.Parts {
		p := &a.coll.Parts[i]
		a.later = appendLater(a.later, ws[r.process(p.Process).index], &p.Post, &p.Done)
	}
}

// appendLater appends calls of a process. They belong to the iteration that was just matched or to
// an earlier one.
func appendLater(to []later, w *window, post, done *Ref) []later {
	if w == nil { // the process has come to its end
		return to
	}
	at := func(c *Ref) int { return int(int64(c.Call) + int64(w.size) - int64(w.base)) }
	switch {
	case done == nil || !done.Known():
		return append(to, later{[2]*Ref{post}, w, at(post)})
	case done.Call == post.Call && done.Stream == post.Stream:
		return append(to, later{[2]*Ref{post, done}, w, at(post)})
	}
	return append(to, later{[2]*Ref{post}, w, at(post)}, later{[2]*Ref{done}, w, at(done)})
}

// move moves calls on by some iterations, to iteration k of those at hand.
func move(calls []later, iterations, k int) {
	for i := range calls {
		c := &calls[i]
		w, r := c.w, c.refs[0]
		call, begin, end := r.Call+uint64(iterations*w.size), r.Begin, r.End
		if k := w.now + c.at + k*w.size; uint(k) < uint(len(w.begins)) { // there are none without times
			begin, end = w.begins[k], w.ends[k]
		}
		r.Call, r.Begin, r.End = call, begin, end
		if done := c.refs[1]; done != nil {
			done.Call, done.Begin, done.End = call, begin, end
		}
	}
}
