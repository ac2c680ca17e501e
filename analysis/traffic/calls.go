package traffic

import (
	"fmt"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// termCalls is the calls of a terminal at one rank: its occurrences occ.
type termCalls struct {
	w   *walker
	p   *classPlan
	x   *term
	me  *member
	occ occurrences
}

// occurrences are some of those of a terminal, in order; never none.
type occurrences []selection.Range

func (o occurrences) len() (n uint64) {
	for _, r := range o {
		n += r.Len()
	}
	return n
}

// to is where the last one ends.
func (o occurrences) to() uint64 { return o[len(o)-1].To }

// among is next without what it gives for other occurrences.
func (o occurrences) among(next func() uint64) func() uint64 {
	at := uint64(0)
	return func() uint64 {
		for len(o) > 1 && at >= o[0].To {
			o = o[1:]
		}
		for ; at < o[0].From; at++ {
			next()
		}
		at++
		return next()
	}
}

func (c *termCalls) run() error {
	switch {
	case c.x.sl.Kind == calls.Start:
		return c.starts()
	case c.x.static():
		return c.fixed(c.x, c.occ, 1)
	}
	return c.columns()
}

// at is the evaluation of a terminal in an event.
func (c *termCalls) at(x *term, v source, event uint64) *site {
	return &site{w: c.w, x: x, v: v, me: c.me, event: event, to: forever}
}

// fixed yields what the given occurrences of a terminal move, times as often. The terminal has all
// parameters in its signature, but the meaning of objects may change between its calls.
func (c *termCalls) fixed(x *term, occ occurrences, times uint64) error {
	v := atRank{x, c.me.rank}
	to := uint64(forever)
	if c.w.world == nil {
		var err error
		if to, err = c.until(x, v, 0); err != nil {
			return err
		}
	}
	if to == forever {
		return c.at(x, v, 0).moves(c.w.emit(occ.len() * times))
	}
	return c.changing(x, v, occ, times)
}

// until is the event from which on the objects of a terminal mean something else than in an event.
func (c *termCalls) until(x *term, v source, event uint64) (uint64, error) {
	site := c.at(x, v, event)
	err := site.moves(func(Move) error { return nil })
	return site.to, err
}

// changing is fixed where objects change their meaning: the occurrences between two changes move the same. It takes a
// time proportional to the changes, however many calls are between them.
func (c *termCalls) changing(x *term, v source, occ occurrences, times uint64) error {
	index, err := c.me.stream().GrammarIndex()
	if err != nil {
		return err
	}
	calls, sum := index.Weigh(x.is), &tally{}
	for _, r := range occ {
		for k := r.From; k < r.To; {
			event := calls.Nth(k)
			to, err := c.until(x, v, event)
			if err != nil {
				return err
			}
			next := min(r.To, calls.Before(to))
			add := func(m Move) error { return sum.add(m, (next-k)*times, c.w.emit) }
			if err := c.at(x, v, event).moves(add); err != nil {
				return err
			}
			k = next
		}
	}
	return sum.flush(c.w.emit)
}

// tally sums up equal moves.
type tally struct {
	moves []Move
	n     []uint64
	of    map[moveKey]int
}

// moveKey is what tells moves of one terminal apart; Parts are never summed up.
type moveKey struct {
	kind   Kind
	target Target
	get    bool
	to     int32
	bytes  int64
	scope  any
	group  any
}

// maxTally is how many different moves are kept.
const maxTally = 1 << 14

// add takes in n equal moves.
func (t *tally) add(m Move, n uint64, flush func(n uint64) func(Move) error) error {
	if m.Target == Parts {
		return flush(n)(m)
	}
	k := moveKey{m.Kind, m.Target, m.Get, m.To, m.Bytes, m.Comm, m.Group}
	i, ok := t.of[k]
	if !ok {
		if len(t.moves) >= maxTally {
			if err := t.flush(flush); err != nil {
				return err
			}
		}
		if t.of == nil { // at first, and after a flush
			t.of = map[moveKey]int{}
		}
		i = len(t.moves)
		t.of[k] = i
		t.moves, t.n = append(t.moves, m), append(t.n, 0)
	}
	t.n[i] += n
	return nil
}

func (t *tally) flush(flush func(n uint64) func(Move) error) error {
	for i, m := range t.moves {
		if err := flush(t.n[i])(m); err != nil {
			return err
		}
	}
	*t = tally{}
	return nil
}

// affordable refuses to read more calls one by one than anyone would wait for. A damaged file may
// claim to have that many.
func (c *termCalls) affordable(n uint64) error {
	if n <= archive.DefaultMaxWork {
		return nil
	}
	return &archive.FormatError{File: c.w.r.Archive.File(), Section: "columns", Offset: -1,
		Msg: fmt.Sprintf("stream %d: %s has %d calls with values in columns, more than can be read",
			c.me.stream().Index(), c.x.f.Name, n), Hint: "choose fewer calls with --time or --steps"}
}

// columns yields what a terminal's calls move if some of their parameters are in columns.
func (c *termCalls) columns() error {
	if err := c.affordable(c.occ.to()); err != nil {
		return err
	}
	v, err := c.open(c.x)
	if err != nil {
		return err
	}
	next, stop, err := c.events(c.x)
	if err != nil {
		return err
	}
	defer stop()
	next = c.occ.among(next)
	sum := &tally{}
	at := uint64(0)
	for _, r := range c.occ {
		if err := v.skip(r.From - at); err != nil {
			return err
		}
		for at = r.From; at < r.To; at++ {
			if err := v.next(); err != nil {
				return err
			}
			err := c.at(c.x, v, next()).moves(func(m Move) error { return sum.add(m, 1, c.w.emit) })
			if err != nil {
				return err
			}
		}
	}
	return sum.flush(c.w.emit)
}

// events gives the events of the occurrences of a terminal, one after the other. They matter only
// where the meaning of an object changes.
func (c *termCalls) events(x *term) (next func() uint64, stop func(), err error) {
	if c.w.world != nil {
		return func() uint64 { return 0 }, func() {}, nil
	}
	index, err := c.me.stream().GrammarIndex()
	if err != nil {
		return nil, nil, err
	}
	every := make([]bool, x.t+1)
	every[x.t] = true
	pull, stop := pull2(index.NewSearch(every, nil).All())
	return func() uint64 {
		at, _, _ := pull()
		return at
	}, stop, nil
}

// values are the parameters of one occurrence of a terminal after the other.
type values struct {
	atRank
	cols []*holeColumn // by slot; nil if it is not in columns
	list []*holeColumn
}

// holeColumn is a parameter in columns.
type holeColumn struct {
	value, count *reader
	n            int64
	ns           []int64
}

func (c *termCalls) open(x *term) (*values, error) {
	v := &values{atRank: atRank{x, c.me.rank}, cols: make([]*holeColumn, len(x.leafs))}
	s := c.me.stream()
	for _, slot := range x.holes {
		h := &holeColumn{}
		var err error
		if h.value, err = openReader(s, x, slot, 0); err != nil {
			return nil, err
		}
		if x.f.Slots[slot].Array {
			if h.count, err = openReader(s, x, slot, -1); err != nil {
				return nil, err
			}
		}
		v.cols[slot] = h
		v.list = append(v.list, h)
	}
	return v, nil
}

// skip passes over n occurrences.
func (v *values) skip(n uint64) error {
	for _, h := range v.list {
		k := n
		if h.count != nil {
			k = 0
			for range n {
				l, err := h.count.next()
				if err != nil {
					return err
				}
				k += uint64(l)
			}
		}
		h.value.skip(k)
	}
	return nil
}

// next goes to the next occurrence.
func (v *values) next() error {
	for _, h := range v.list {
		var err error
		if h.count == nil {
			if h.n, err = h.value.next(); err != nil {
				return err
			}
			continue
		}
		n, err := h.count.next()
		if err != nil {
			return err
		}
		h.ns = h.ns[:0]
		for range n {
			e, err := h.value.next()
			if err != nil {
				return err
			}
			h.ns = append(h.ns, e)
		}
	}
	return nil
}

func (v *values) int(slot int) (int64, bool) {
	if slot >= 0 && v.cols[slot] != nil {
		return v.cols[slot].n, true
	}
	return v.atRank.int(slot)
}

func (v *values) array(slot int) []int64 {
	if slot >= 0 && v.cols[slot] != nil {
		return v.cols[slot].ns
	}
	return v.atRank.array(slot)
}

// reader reads a column forwards.
type reader struct {
	s    *archive.Stream
	x    *term
	col  *archive.Column
	at   uint64
	buf  []int64
	left []int64
}

// ahead is how many values are read at a time.
const ahead = 512

func openReader(s *archive.Stream, x *term, slot, field int) (*reader, error) {
	col, err := s.Column(x.t, slot, field)
	if err != nil {
		return nil, err
	}
	r := &reader{s: s, x: x, col: col}
	if col == nil {
		return nil, r.broken("a parameter of %s is neither in the signature nor in a column", x.f.Name)
	}
	return r, nil
}

func (r *reader) skip(n uint64) {
	k := min(n, uint64(len(r.left)))
	r.left = r.left[k:]
	r.at += n - k
}

func (r *reader) next() (int64, error) {
	if len(r.left) == 0 {
		if r.buf == nil {
			r.buf = make([]int64, min(ahead, r.col.Len()))
		}
		r.left = r.buf[:r.col.Read(r.at, r.buf)]
		if err := r.col.Err(); err != nil {
			return 0, r.broken("%s: %v", r.x.f.Name, err)
		}
		if len(r.left) == 0 {
			return 0, r.broken("a column of %s has %d values and one more is needed", r.x.f.Name, r.col.Len())
		}
		r.at += uint64(len(r.left))
	}
	v := r.left[0]
	r.left = r.left[1:]
	return v, nil
}
