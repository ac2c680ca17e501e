package match

import (
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// Programs repeat themselves, and so do their matches. All processes pause where an iteration of
// one of their loops begins. The messages under way are then compared with those one iteration
// before. If only the numbers of the calls differ, the next iteration will match in the same way,
// and so will all further ones as long as every loop goes on. These iterations are not matched
// again. The matches of the one iteration are reported for each of them, with call numbers and
// times moved on.

// loop is a range of events of a stream that repeats a body. All terminals of the body always do
// the same.
type loop struct {
	from, size, count uint64
	body              []uint32 // its terminals, each once
}

func (l *loop) end() uint64 { return l.from + l.size*l.count }

var ( // tests have less
	minRepeats uint64 = 8  // iterations that must be left for a pause to pay
	minEvents  uint64 = 64 // events of a loop
)

const (
	maxBody     = 1 << 16 // events of an iteration of a process
	maxTogether = 1 << 18 // and of all
	maxLoops    = 1024    // of a process
	maxBack     = 64      // iterations that a message takes from its first call to its last one
	maxTries    = 4       // iterations in a row that are compared with the ones before
	forever     = 1<<64 - 1
)

// loopKey is equal for streams with the same loops.
type loopKey struct {
	x *grammar.Index
	c *archive.Class
}

// findLoops finds the loops of all processes, if each has one thread and cancels nothing.
func (r *runner) findLoops() error {
	alike := true
	for i := range r.procs {
		p := &r.procs[i]
		p.pause = forever
		alike = alike && len(p.streams) <= 1 && !p.cancels
	}
	if !alike {
		return nil
	}
	known := map[loopKey][]loop{}
	most := min(maxLoops, max(16, 1<<20/max(1, len(r.procs))))
	for i := range r.procs {
		p := &r.procs[i]
		if len(p.streams) == 0 {
			continue
		}
		s := p.streams[0]
		k := loopKey{s.Grammar(), s.Stream().Class()}
		of, ok := known[k]
		if !ok {
			f := loopFinder{x: k.x, rd: s.Reader, most: most}
			var err error
			if of, err = f.find(); err != nil {
				return err
			}
			known[k] = of
		}
		p.loops = of
		p.plan()
	}
	return nil
}

// loopFinder finds the loops of a grammar.
type loopFinder struct {
	x     *grammar.Index
	rd    *calls.Reader
	most  int
	good  []bool // by rule: its terminals always do the same
	inner []bool // a loop is in it
	loops []loop
}

func (f *loopFinder) find() ([]loop, error) {
	rules := f.x.Grammar().Rules
	f.good, f.inner = make([]bool, len(rules)), make([]bool, len(rules))
	for _, r := range f.x.BottomUp() {
		f.good[r] = true
		for _, s := range rules[r] {
			good, err := f.regular(s)
			if err != nil {
				return nil, err
			}
			f.good[r] = f.good[r] && good
			f.inner[r] = f.inner[r] || good && f.repeats(s) || s.IsRule() && f.inner[s.Rule()]
		}
	}
	f.walk(0, 0)
	return f.loops, nil
}

// regular tells whether a symbol's terminals always do the same, and nothing that makes one
// iteration differ from the next.
func (f *loopFinder) regular(s grammar.Symbol) (bool, error) {
	if s.IsRule() {
		return f.good[s.Rule()], nil
	}
	fixed, err := f.rd.Fixed(s.ID)
	if err != nil || !fixed {
		return false, err
	}
	kind, flags, err := f.rd.Kind(s.ID)
	switch kind {
	case calls.SendInit, calls.RecvInit, calls.CollectiveInit, calls.Cancel:
		return false, err
	}
	return flags&archive.Unfinished == 0, err
}

func (f *loopFinder) len(s grammar.Symbol) uint64 {
	if s.IsRule() {
		return f.x.RuleLen(s.Rule())
	}
	return 1
}

// repeats tells whether a symbol whose terminals always do the same is a loop.
func (f *loopFinder) repeats(s grammar.Symbol) bool {
	n := f.len(s)
	return s.Count >= minRepeats && n <= maxBody && s.Count*n >= minEvents
}

// walk lists the outermost loops of a rule whose expansion begins at an event.
func (f *loopFinder) walk(rule int, at uint64) {
	for _, s := range f.x.Grammar().Rules[rule] {
		n := f.len(s)
		if good, _ := f.regular(s); good && f.repeats(s) {
			if len(f.loops) < f.most {
				f.loops = append(f.loops, loop{at, n, s.Count, f.terminals(s)})
			}
		} else if s.IsRule() && f.inner[s.Rule()] {
			for i := range s.Count {
				if len(f.loops) >= f.most {
					return
				}
				f.walk(s.Rule(), at+i*n)
			}
		}
		at += n * s.Count
	}
}

// terminals are those of a symbol, each once.
func (f *loopFinder) terminals(s grammar.Symbol) (all []uint32) {
	if !s.IsRule() {
		return []uint32{s.ID}
	}
	seen := map[uint32]bool{s.ID: true}
	todo := []uint32{s.ID}
	for len(todo) > 0 {
		rule := todo[len(todo)-1] &^ grammar.RuleBit
		todo = todo[:len(todo)-1]
		for _, c := range f.x.Grammar().Rules[rule] {
			if seen[c.ID] {
				continue
			}
			if seen[c.ID] = true; c.IsRule() {
				todo = append(todo, c.ID)
			} else {
				all = append(all, c.ID)
			}
		}
	}
	slices.Sort(all)
	return all
}

// plan sets where a process pauses next: not before p.retry, and only in a loop that goes on for a
// while.
func (p *proc) plan() {
	event := p.streams[0].Event()
	for ; p.loop < len(p.loops); p.loop, p.tries, p.retry = p.loop+1, 0, 0 {
		l := &p.loops[p.loop]
		p.size = l.size
		at := max(event, p.retry)
		if at <= l.from {
			p.pause = l.from
			return
		}
		if at > l.end() {
			continue
		}
		k := (at - l.from + l.size - 1) / l.size
		if k+minRepeats <= l.count {
			p.pause = l.from + k*l.size
			return
		}
	}
	p.pause = forever
}

// giveUp lets a paused process go on. It pauses again only much later.
func (r *runner) giveUp(p *proc) {
	l := &p.loops[p.loop]
	p.tries++
	p.retry = forever
	if p.tries < 12 {
		if more := l.size << (3 * p.tries); more>>(3*p.tries) == l.size {
			p.retry = min(p.pause+min(more, l.end()), l.end())
		}
	}
	p.plan()
	r.move(p.index, inRunnable)
}

// giveUpAll lets all paused processes go on.
func (r *runner) giveUpAll() {
	r.rec = nil
	for {
		i, ok := r.lists[inPaused].first()
		if !ok {
			return
		}
		r.giveUp(&r.procs[i])
	}
}

// paused handles the case that no process is runnable and some are paused. It returns the one to
// advance.
func (r *runner) paused() {
	if r.lists[inPaused].n < r.active {
		if i, ok := r.lists[inAhead].first(); ok && r.lists[inParked].empty() {
			if p := &r.procs[i]; p.pause-p.streams[0].Event() <= maxBody {
				p.limit *= 2
				r.move(i, inRunnable)
				return
			}
		}
		r.giveUpAll()
		return
	}
	if r.rec == nil {
		r.pace()
	}
	now, ok := r.snapshot()
	if !ok {
		r.giveUpAll()
		return
	}
	if before := r.rec; before != nil {
		if n := r.repeatable(before, now); n > 0 {
			r.rec = nil
			r.repeat(before, now, n)
			r.goOn(0)
			return
		}
		if now.tries = before.tries + 1; now.tries == maxTries {
			r.giveUpAll()
			return
		}
	}
	r.rec = now
	r.goOn(1)
}

// pace lets processes whose loops iterate more often than those of others count several iterations
// as one. A loop of two equal calls looks like a loop of one call with twice as many iterations.
func (r *runner) pace() {
	left := func(p *proc) uint64 { l := &p.loops[p.loop]; return (l.end() - min(p.pause, l.end())) / l.size }
	least := uint64(forever)
	for i := range r.procs {
		if p := &r.procs[i]; p.where == inPaused {
			least = min(least, left(p))
		}
	}
	for i := range r.procs {
		if p := &r.procs[i]; p.where == inPaused {
			l := &p.loops[p.loop]
			if p.size = l.size; least > 0 {
				p.size *= (left(p) + least/2) / least
			}
		}
	}
}

// goOn makes all paused processes runnable, up to their next pause or that after some iterations.
func (r *runner) goOn(iterations uint64) {
	for {
		i, ok := r.lists[inPaused].first()
		if !ok {
			return
		}
		p := &r.procs[i]
		if iterations > 0 {
			p.pause += iterations * p.size
		} else {
			p.plan()
		}
		r.move(i, inRunnable)
	}
}

// repeatable is how many of the next iterations match like the one between two snapshots, 0 if that
// is not certain.
func (r *runner) repeatable(before, now *snapshot) uint64 {
	if !slices.Equal(before.state, now.state) || len(before.bases) != len(now.bases) {
		return 0
	}
	a, b := &before.sum, &now.sum
	if a.Guessed != b.Guessed || a.Cancelled != b.Cancelled || a.Incomplete != b.Incomplete || a.Mixed != b.Mixed ||
		a.UnmatchedSends != b.UnmatchedSends || a.UnmatchedRecvs != b.UnmatchedRecvs {
		return 0
	}
	for i := range r.procs {
		r.procs[i].back = 0
	}
	for k := range before.messages {
		if m := &before.messages[k]; !r.near(&m.send) || !r.near(&m.recv) {
			return 0
		}
	}
	n := uint64(forever)
	for k := range now.bases {
		base := &now.bases[k]
		p := &r.procs[base.proc]
		l := &p.loops[p.loop]
		if before.bases[k].proc != base.proc || base.event-before.bases[k].event != p.size {
			return 0
		}
		until := l.end()
		for _, t := range l.body {
			until = min(until, p.streams[0].Until(t))
		}
		if until <= base.event {
			return 0
		}
		n = min(n, (until-base.event)/p.size)
	}
	return n
}

// near notes how many iterations an end lies before the one that was just matched. It is false if
// there are too many.
func (r *runner) near(e *End) bool {
	p := r.process(e.Process)
	if p.where != inPaused {
		return false
	}
	s, size := p.streams[0], p.size
	for _, c := range [...]*Ref{&e.Post, &e.Done, e.Probe} {
		if c != nil && c.Known() {
			p.back = max(p.back, (s.Call()-c.Call-1)/size)
		}
	}
	return p.back <= maxBack && p.back*size <= maxBody
}
