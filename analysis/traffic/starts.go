package traffic

import (
	"fmt"
	"iter"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
)

func pull2[A, B any](seq iter.Seq2[A, B]) (func() (A, B, bool), func()) { return iter.Pull2(seq) }

func (r *reader) broken(format string, args ...any) error {
	return &archive.FormatError{File: r.s.Archive().File(), Section: "columns", Offset: -1,
		Msg:  fmt.Sprintf("stream %d: %s", r.s.Index(), fmt.Sprintf(format, args...)),
		Hint: "the file is damaged: copy it again"}
}

// starts yields what starts of persistent requests move: what the call that made the request says.
func (c *termCalls) starts() error {
	if !c.x.static() {
		return c.follow()
	}
	v := atRank{c.x, c.me.rank}
	codes := v.array(c.x.sl.Requests)
	if code, ok := v.int(c.x.sl.Requests); ok {
		codes = []int64{code}
	}
	made := map[int64]*term{}
	for _, i := range c.p.inits {
		code, ok := atRank{i, c.me.rank}.int(i.sl.Request)
		if !ok || made[code] != nil || !i.static() {
			return c.follow() // which request is meant changes, or what it is
		}
		made[code] = i
	}
	for _, code := range codes {
		i := made[code]
		if i == nil {
			continue
		}
		same, err := c.constant(i)
		if err != nil {
			return err
		}
		if !same {
			return c.follow()
		}
	}
	for _, code := range codes {
		i := made[code]
		if i == nil {
			if err := c.elsewhere(code, c.occ.len()); err != nil {
				return err
			}
			continue
		}
		event, err := c.firstEvent(i)
		if err != nil {
			return err
		}
		if err := c.at(i, atRank{i, c.me.rank}, event).moves(c.w.emit(c.occ.len())); err != nil {
			return err
		}
	}
	return nil
}

// firstEvent is where a terminal occurs first.
func (c *termCalls) firstEvent(x *term) (uint64, error) {
	if c.w.world != nil {
		return 0, nil
	}
	next, stop, err := c.events(x)
	if err != nil {
		return 0, err
	}
	defer stop()
	return next(), nil
}

// constant tells whether all calls of a terminal mean the same. Its parameters are in its
// signature.
func (c *termCalls) constant(x *term) (bool, error) {
	if c.w.world != nil {
		return true, nil
	}
	index, err := c.me.stream().GrammarIndex()
	if err != nil {
		return false, err
	}
	calls := index.Weigh(x.is)
	to, err := c.until(x, atRank{x, c.me.rank}, calls.Nth(0))
	return err == nil && calls.Before(to) == calls.Len(), err
}

// follow goes through the calls that make requests and those that start them, in order.
func (c *termCalls) follow() error {
	index, err := c.me.stream().GrammarIndex()
	if err != nil {
		return err
	}
	occ, err := c.me.stream().Occurrences()
	if err != nil {
		return err
	}
	if err := c.affordable(c.occ.to()); err != nil {
		return err
	}
	for _, x := range c.p.inits {
		if err := c.affordable(occ[x.t]); err != nil {
			return err
		}
	}
	every := make([]bool, len(c.p.terms))
	vals := make([]*values, len(c.p.terms))
	for _, x := range append(c.p.inits[:len(c.p.inits):len(c.p.inits)], c.x) {
		every[x.t] = true
		if vals[x.t], err = c.open(x); err != nil {
			return err
		}
		if x.sl.Request >= 0 && x.leafs[x.sl.Request].kind == archive.Hole && vals[x.t].cols[x.sl.Request] == nil {
			if err := vals[x.t].add(c.me.stream(), x.sl.Request); err != nil {
				return err
			}
		}
	}
	made := map[int64][]Move{}
	sum := &tally{}
	k, left := uint64(0), c.occ // starts so far, and of which to come those of left matter
	for event, t := range index.NewSearch(every, nil).All() {
		v := vals[t]
		if err := v.next(); err != nil {
			return err
		}
		if x := c.p.terms[t]; x != c.x {
			code, _ := v.int(x.sl.Request)
			var ms []Move
			err := c.at(x, v, event).moves(func(m Move) error {
				m.Parts = append([]int64(nil), m.Parts...)
				ms = append(ms, m)
				return nil
			})
			if err != nil {
				return err
			}
			made[code] = ms
			continue
		}
		if k++; k > left[0].To {
			if left = left[1:]; len(left) == 0 {
				break
			}
		}
		if k <= left[0].From {
			continue
		}
		codes := v.array(c.x.sl.Requests)
		if code, ok := v.int(c.x.sl.Requests); ok {
			codes = []int64{code}
		}
		for _, code := range codes {
			ms, ok := made[code]
			if !ok {
				if err := c.elsewhere(code, 1); err != nil {
					return err
				}
			}
			for _, m := range ms {
				if err := sum.add(m, 1, c.w.emit); err != nil {
					return err
				}
			}
		}
	}
	return sum.flush(c.w.emit)
}

// add reads a further parameter.
func (v *values) add(s *archive.Stream, slot int) error {
	r, err := openReader(s, v.x, slot, 0)
	if err != nil {
		return err
	}
	h := &holeColumn{value: r}
	v.cols[slot] = h
	v.list = append(v.list, h)
	return nil
}

// elsewhere yields n starts of a request that this thread did not make. If the request sends,
// another thread made it.
func (c *termCalls) elsewhere(code int64, n uint64) error {
	var makers []*termCalls
	for _, k := range c.w.r.Archive.Classes() {
		p := c.w.plans[k]
		if k == c.p.class || p == nil || k.Group() != c.p.class.Group() || !k.Ranks().Contains(c.me.rank) {
			continue
		}
		for _, i := range p.inits {
			if made, ok := (atRank{i, c.me.rank}).int(i.sl.Request); !ok || made == code {
				me := &member{class: k, rank: c.me.rank, process: c.me.process, number: c.me.number}
				makers = append(makers, &termCalls{w: c.w, p: p, x: i, me: me})
			}
		}
	}
	if len(makers) == 0 {
		return nil // it receives, or is null
	}
	if m := makers[0]; len(makers) == 1 && m.x.static() {
		if same, err := m.constant(m.x); err != nil {
			return err
		} else if same {
			event, err := m.firstEvent(m.x)
			if err != nil {
				return err
			}
			return m.at(m.x, atRank{m.x, m.me.rank}, event).moves(c.w.emit(n))
		}
	}
	// The order of the threads is not in the events.
	return c.w.emit(n)(Move{Kind: PointToPoint, Target: One, To: calls.UnknownPeer, Bytes: calls.UnknownBytes})
}
