package collect

import (
	"math"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// safeTime is how far back the past is safe: what ended before that has been published.
const safeTime = 200 * time.Microsecond

// idleFrontier is a time that is safely in the past, in ticks of the process.
func (p *process) idleFrontier() uint64 {
	clocks := p.syms.Clocks()
	if len(clocks) == 0 {
		return 0
	}
	now, safe := uint64(0), uint64(0)
	switch clocks[len(clocks)-1].Source {
	case ring.ClockTSC:
		now, safe = ticks(), 1<<20 // safeTime at 5 GHz
	default:
		now, safe = ring.MonotonicNS(), uint64(safeTime)
	}
	return now - min(now, safe)
}

// timeOf is when the next thing of c's thread happened: the call at the
// position began or, if begun, returned. ok is false if there is nothing yet.
func (c *chain) timeOf() (t uint64, ok bool) {
	if w := c.words(); len(w) >= ring.RefWords {
		rec := ring.Record(w[:ring.RefWords])
		if c.begun || rec.Flags()&ring.FExit != 0 {
			return rec.End(), true
		}
		return rec.Start(), true
	} else if len(w) > 0 {
		return 0, true // broken: let it come out at once
	}
	if c.entry() != nil && !c.begun {
		return c.entry().Start(), true
	}
	return 0, false
}

// frontier is a time before which c's thread, which has nothing to offer, will do nothing any more.
func (c *chain) frontier(idle uint64) uint64 {
	if c.inCall && c.entry() == nil {
		return c.last // between its entry time stamp and publication
	}
	return max(idle, c.last)
}

// merge takes in the records of several threads in the order of time: a call
// is passed on when no other thread can come up with an earlier one.
func (p *process) merge(cs []*chain, dead bool) {
	idle := uint64(math.MaxUint64)
	if !dead {
		idle = p.idleFrontier() // before refresh: what ends later is not in question
	}
	for _, c := range cs {
		for c.refresh(); c.advance(); {
			c.refresh()
		}
	}
	for {
		best, at, bound := p.choose(cs, idle, dead)
		if best == nil {
			p.holding = time.Time{}
			return
		}
		if at > bound {
			if p.hold() {
				return
			}
			bound = at
		} else {
			p.holding = time.Time{}
		}
		if !p.step(best, bound, dead) {
			return
		}
	}
}

// hold reports whether a thread may still hold back the others.
func (p *process) hold() bool {
	if p.cut != 0 {
		return true
	}
	now := time.Now()
	if p.holding.IsZero() {
		p.holding = now
	}
	return now.Sub(p.holding) < holdAtMost
}

// choose returns the chain with the earliest next thing, its time, and the
// time up to which it may go on before another chain has its turn.
func (p *process) choose(cs []*chain, idle uint64, dead bool) (best *chain, at, bound uint64) {
	bound = p.known(dead)
	for _, c := range cs {
		t, ok := c.timeOf()
		switch {
		case ok && (best == nil || t < at):
			if best != nil {
				bound = min(bound, at)
			}
			best, at = c, t
		case ok:
			bound = min(bound, t)
		case !dead:
			bound = min(bound, c.frontier(idle))
		}
	}
	return best, at, bound
}

// step takes in the next things of c up to the time bound. It reports whether
// the merge may go on.
func (p *process) step(c *chain, bound uint64, dead bool) bool {
	for {
		t, ok := c.timeOf()
		if !ok || t > bound {
			return true
		}
		c.last = max(c.last, t)
		words := c.words()
		if len(words) == 0 { // the entry of a call in progress
			c.begun = true
			if err := p.syms.Begin(c.thread, c.entry(), p); err != nil {
				c.skip = true
				p.brokenRecord(c, err)
			}
			continue
		}
		rec, _, err := ring.Next(words)
		if err != nil {
			p.cutOff(c, err)
		} else {
			p.half(c, rec)
		}
		for len(c.words()) == 0 && c.advance() {
			c.refresh()
		}
	}
}

// half takes in the entry or the return of rec, whichever is next.
func (p *process) half(c *chain, rec ring.Record) {
	p.at = c
	if rec.ID() < spec.FirstFunction { // the runtime's own; may come between entry and return of a call
		err := p.syms.Begin(c.thread, rec, p)
		if err == nil {
			err = p.syms.End(c.thread, rec, p)
		}
		if err != nil {
			p.brokenRecord(c, err)
		}
		p.consume(c, rec)
		return
	}
	flags := rec.Flags()
	if !c.begun && flags&ring.FExit == 0 {
		err := p.syms.Begin(c.thread, rec, p)
		if err != nil {
			c.skip = true
			p.brokenRecord(c, err)
		}
		if flags&ring.FEnter == 0 && rec.End() != rec.Start() {
			c.begun = true
			return
		}
	}
	if flags&ring.FEnter == 0 && !c.skip {
		if err := p.syms.End(c.thread, rec, p); err != nil {
			p.brokenRecord(c, err)
		}
	}
	c.begun, c.skip = false, false
	p.consume(c, rec)
}
