package timing

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// Pair is the classes of two calls, one after the other.
type Pair struct{ Before, Class uint32 }

// Aggregates are the times of a stream without its calls: for each class the durations, for each
// pair of classes the gaps between a call and the next.
type Aggregates struct {
	Calls uint64

	any       bool
	end       uint64 // of the last call
	last      uint32 // its class
	durations map[uint32]*Distribution
	gaps      map[Pair]*Distribution
	recent    [64]struct {
		pair            Pair
		gap, durationOf *Distribution
	}
}

// NewAggregates returns those of no call.
func NewAggregates() *Aggregates {
	return &Aggregates{durations: map[uint32]*Distribution{}, gaps: map[Pair]*Distribution{}}
}

// Append adds a call.
func (a *Aggregates) Append(start, end uint64, class uint32) {
	if !a.any {
		a.any = true
		a.duration(class).add(int64(end - start))
	} else {
		pair := Pair{a.last, class}
		r := &a.recent[(a.last*7+class)%64]
		if r.gap == nil || r.pair != pair {
			r.pair = pair
			r.durationOf = a.duration(class)
			if r.gap = a.gaps[pair]; r.gap == nil {
				r.gap = &Distribution{}
				a.gaps[pair] = r.gap
			}
		}
		r.gap.add(int64(start - a.end))
		r.durationOf.add(int64(end - start))
	}
	a.Calls++
	a.end, a.last = end, class
}

func (a *Aggregates) duration(class uint32) *Distribution {
	c := a.durations[class]
	if c == nil {
		c = &Distribution{}
		a.durations[class] = c
	}
	return c
}

// Classes lists the classes that have calls.
func (a *Aggregates) Classes() []uint32 {
	var cs []uint32
	for c := range a.durations {
		cs = append(cs, c)
	}
	slices.Sort(cs)
	return cs
}

// Pairs lists the pairs of classes of which calls followed each other.
func (a *Aggregates) Pairs() []Pair {
	var ps []Pair
	for p := range a.gaps {
		ps = append(ps, p)
	}
	slices.SortFunc(ps, func(x, y Pair) int {
		return cmp.Or(cmp.Compare(x.Before, y.Before), cmp.Compare(x.Class, y.Class))
	})
	return ps
}

// Durations are those of the calls of a class, in ticks.
func (a *Aggregates) Durations(class uint32) Distribution {
	if c := a.durations[class]; c != nil {
		return *c
	}
	return Distribution{}
}

// Gaps are the times from the end of a call to the start of the next, of a pair of classes, in
// ticks. They are negative where a call was made inside the other.
func (a *Aggregates) Gaps(p Pair) Distribution {
	if c := a.gaps[p]; c != nil {
		return *c
	}
	return Distribution{}
}

func (a *Aggregates) memory() int {
	n := 4096
	for _, c := range a.durations {
		n += 160 + 8*c.bins.Room()
	}
	for _, c := range a.gaps {
		n += 160 + 8*c.bins.Room()
	}
	return n
}

// append writes the distributions: number of classes; for each the class and its durations; then
// for each the number of classes before it, these, and the gaps.
func (a *Aggregates) append(dst []byte) []byte {
	classes := a.Classes()
	dst = binary.AppendUvarint(dst, uint64(len(classes)))
	next := uint32(0)
	for _, c := range classes {
		dst = binary.AppendUvarint(dst, uint64(c-next))
		dst = a.durations[c].append(dst)
		next = c + 1
	}
	pairs := a.Pairs()
	dst = binary.AppendUvarint(dst, uint64(len(pairs)))
	for _, p := range pairs {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(p.Before)), uint64(p.Class))
		dst = a.gaps[p].append(dst)
	}
	return dst
}

// readAggregates reads those of a number of calls.
func readAggregates(p *byteio.Reader, calls uint64) *Aggregates {
	a := NewAggregates()
	a.Calls = calls
	next, total := uint64(0), uint64(0)
	for range p.Count() {
		c := next + p.Uvarint()
		d := &Distribution{}
		d.read(p)
		if c > MaxClass || d.Count > calls-total {
			p.Fail("aggregates out of range")
		}
		if p.Err != nil {
			return a
		}
		total += d.Count
		next = c + 1
		a.durations[uint32(c)] = d
	}
	gaps := uint64(0)
	for range p.Count() {
		before, class := p.Uvarint(), p.Uvarint()
		d := &Distribution{}
		d.read(p)
		if p.Err == nil && (before > MaxClass || class > MaxClass || d.Count > calls-gaps) {
			p.Fail("aggregates out of range")
		}
		if p.Err != nil {
			return a
		}
		gaps += d.Count
		a.gaps[Pair{uint32(before), uint32(class)}] = d
	}
	if p.Err == nil && (total != calls || calls > 0 && gaps != calls-1) {
		p.Fail("aggregates of other calls")
	}
	return a
}

// Aggregates are the times of the stream without its calls: those that are stored, or else those
// that it makes of all calls. The latter takes the time of reading them all.
func (r *Reader) Aggregates() (*Aggregates, error) {
	if r.aggregate != nil {
		return r.aggregate, nil
	}
	a := NewAggregates()
	if err := r.Each(a.Append); err != nil {
		return nil, err
	}
	return a, nil
}

// Each goes through all calls.
func (r *Reader) Each(add func(start, end uint64, class uint32)) error {
	if r.sel != nil {
		return r.eachSelected(add)
	}
	for i := uint64(0); i < r.n; {
		starts, ends := r.Span(i)
		if r.err != nil {
			return r.err
		}
		classes, err := r.classesOf(i, len(starts))
		if err != nil {
			return err
		}
		for k := range starts {
			add(starts[k], ends[k], classes[k])
		}
		i += uint64(len(starts))
	}
	return nil
}
