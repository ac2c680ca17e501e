package compare

import (
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"tabard/spec"
	"tabard/trace"
)

// What a program does may depend on the order in which messages arrive and requests complete: a master
// answers whoever asks first. Differences are laid to that, and do not count, if
//
//   - they come later than the first outcome that differs (by the times of the trace; at the same rank, if
//     there are none), and
//   - in all, the ranks of a world made the same calls: as many from each call site, and as many
//     with each list of parameters, whoever made them and whoever they were sent to or received from.
//
// So what was planted in one rank is still found, and so is what was done too often or not at all.

// Arrival is the first outcome of those that the standard leaves open that differs.
type Arrival struct {
	World, Rank int
	Call        Call
	// Param is what differs, A and B its values. It is "number of polls" where a poll failed more often.
	Param, A, B string
	// CallA and CallB are the numbers of the calls.
	CallA, CallB uint64

	timed        bool
	timeA, timeB time.Duration
}

// compared is a group of ranks that was compared.
type compared struct {
	ka, kb *class
	ranks  *trace.RankSet
	// noted is set if an outcome that is in signatures differs.
	noted bool
}

// maxArrivals is how many calls are read to find the first outcome that differs.
const maxArrivals = 8_000_000

// follows takes the differences out that are laid to the order of arrival.
func (c *comparison) follows() error {
	if c.windows() {
		return nil
	}
	worlds := map[int]bool{}
	for _, d := range c.result.Differences {
		switch d.Kind {
		case Parameter, Trips, Order, Missing, Extra, Outcome:
			worlds[d.World] = true
		}
	}
	for _, w := range slices.Sorted(maps.Keys(worlds)) {
		first, err := c.arrival(w)
		if err != nil {
			return err
		}
		if first == nil {
			continue
		}
		c.result.Arrivals = append(c.result.Arrivals, *first)
		same, err := c.sameInAll(w)
		if errors.Is(err, errTooMuch) {
			continue
		}
		if err != nil {
			return err
		}
		if !same {
			continue
		}
		var rest []*Difference
		for _, d := range c.result.Differences {
			late, err := c.later(d, first)
			if err != nil {
				return err
			}
			if d.World == w && late {
				c.result.Follows = append(c.result.Follows, d)
			} else {
				rest = append(rest, d)
			}
		}
		c.result.Differences = rest
	}
	return nil
}

// later tells whether a difference comes after an outcome, as what follows from it does.
func (c *comparison) later(d *Difference, first *Arrival) (bool, error) {
	switch d.Kind {
	case Hang, Stop, Processes:
		return false, nil
	}
	g := d.group
	if g == nil {
		return false, nil
	}
	s, call, since := g.sa, d.CallA, first.CallA
	at := first.timeA
	if d.onlyB {
		s, call, since, at = g.sb, d.CallB, first.CallB, first.timeB
	}
	if !first.timed {
		return s.WorldRank() == first.Rank && call >= since, nil
	}
	if call >= s.Calls() { // at the end
		return true, nil
	}
	x, err := s.CallAt(call)
	if err != nil {
		return false, err
	}
	return x.Timed && x.Start >= at, nil
}

// open tells whether a slot of a call holds something that depends on what arrives or completes first.
func open(f *spec.Func, sig *trace.Signature, i int) bool {
	s := &f.Slots[i]
	if i < f.NumIn || s.Class == spec.Request || s.Class == spec.Message {
		return false
	}
	return completes(f) || s.Codec == spec.Status && (sig.Slots[i].Kind != trace.Stat || wildcard(f, sig))
}

// arrival finds the first outcome that differs in a world; nil if there is none, or none was found in the calls that may be read.
func (c *comparison) arrival(world int) (*Arrival, error) {
	var first *Arrival
	for i := range c.compared {
		k := &c.compared[i]
		if k.ka.Group().World != world || !k.undetermined() {
			continue
		}
		for rank := range k.ranks.All() {
			if c.read >= min(maxArrivals, c.o.Calls) {
				return first, nil
			}
			a, err := c.arrivalAt(k, rank)
			if err != nil {
				return nil, err
			}
			if a != nil && (first == nil || a.timed && first.timed && a.timeA < first.timeA) {
				first = a
			}
		}
	}
	return first, nil
}

// undetermined tells whether there are calls with outcomes that may differ: in columns, or in signatures that do.
func (k *compared) undetermined() bool {
	for _, class := range []*class{k.ka, k.kb} {
		for t := range class.terms {
			x := &class.terms[t]
			if x.sig.Flags&trace.Polls != 0 {
				return true
			}
			for i := range x.sig.Slots {
				if x.kept && hasHole(&x.sig.Slots[i]) && open(x.f, &x.sig, i) {
					return true
				}
			}
		}
	}
	return k.noted
}

// arrivalAt finds the first outcome that differs at a rank, before its calls do.
func (c *comparison) arrivalAt(k *compared, rank int) (*Arrival, error) {
	next := [2]func() (*trace.Call, error, bool){}
	for i, s := range []*trace.Stream{k.ka.Stream(rank), k.kb.Stream(rank)} {
		n, stop := iter.Pull2(s.Iter(0))
		defer stop()
		next[i] = n
	}
	var polls [2]int
	// call is the next call that counts, nil at the end.
	call := func(i int, k *class) (*trace.Call, error) {
		polls[i] = 0
		for {
			x, err, ok := next[i]()
			if err != nil || !ok {
				return nil, err
			}
			if t := &k.terms[x.Terminal]; t.kept {
				return x, nil
			} else if t.sig.Flags&trace.Polls != 0 {
				polls[i]++
			}
		}
	}
	for c.read < min(maxArrivals, c.o.Calls) {
		c.read++
		x, err := call(0, k.ka)
		if err != nil {
			return nil, err
		}
		y, err := call(1, k.kb)
		if err != nil || x == nil || y == nil {
			return nil, err
		}
		tx, ty := &k.ka.terms[x.Terminal], &k.kb.terms[y.Terminal]
		a := &Arrival{World: k.ka.Group().World, Rank: rank, Call: Call{tx.f.Name, tx.site, 1}, CallA: x.Index, CallB: y.Index, timed: x.Timed && y.Timed, timeA: x.Start, timeB: y.Start}
		if polls[0] != polls[1] {
			a.Param, a.A, a.B = "number of polls", fmt.Sprint(polls[0]), fmt.Sprint(polls[1])
			return a, nil
		}
		if tx.key != ty.key {
			return nil, nil
		}
		for i := range x.Slots {
			if !open(tx.f, &tx.sig, i) && !open(ty.f, &ty.sig, i) {
				continue
			}
			if p, q := k.ka.side.text(tx.f, i, &x.Slots[i]), k.kb.side.text(ty.f, i, &y.Slots[i]); p != q {
				a.Param, a.A, a.B = trace.SlotName(tx.f, &tx.f.Slots[i]), p, q
				return a, nil
			}
		}
	}
	return nil, nil
}

// sum is a fingerprint of a multiset: the sum of those of its elements.
type sum [2]uint64

// tallies are the calls of a world, those of A counted up and those of B down.
type tallies struct {
	c     *comparison
	seeds [2]maphash.Seed
	sites map[int]int64 // by key
	all   sum
}

// sameInAll tells whether the ranks of a world made the same calls in all.
func (c *comparison) sameInAll(world int) (bool, error) {
	t := &tallies{c: c, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, sites: map[int]int64{}}
	for i := range c.compared {
		k := &c.compared[i]
		if k.ka.Group().World != world {
			continue
		}
		for side, x := range []*class{k.ka, k.kb} {
			for rank := range k.ranks.All() {
				if err := t.add(x, rank, int64(1-2*side)); err != nil {
					return false, err
				}
			}
		}
	}
	for _, n := range t.sites {
		if n != 0 {
			return false, nil
		}
	}
	return t.all == sum{}, nil
}

// add counts the calls of a rank.
func (t *tallies) add(k *class, rank int, sign int64) error {
	s := k.Stream(rank)
	counts, err := s.Occurrences()
	if err != nil {
		return err
	}
	read := make([]bool, len(k.terms))
	any := false
	for i := range k.terms {
		x := &k.terms[i]
		if !x.kept || someOf(x.f.Name) || counts[i] == 0 {
			continue
		}
		t.sites[x.key] += sign * int64(counts[i])
		if read[i] = x.holes; read[i] {
			any = true
			continue
		}
		if err := t.c.step(); err != nil {
			return err
		}
		sig, err := k.at(uint32(i), rank)
		if err != nil {
			return err
		}
		t.count(k, x, sig.Flags, sig.Slots, sign*int64(counts[i]))
	}
	if !any {
		return nil
	}
	for call, err := range s.Iter(0) {
		if err != nil {
			return err
		}
		if t.c.calls++; t.c.calls > 2*t.c.o.Calls {
			return errTooMuch
		}
		if read[call.Terminal] {
			t.count(k, &k.terms[call.Terminal], call.Flags, call.Slots, sign)
		}
	}
	return nil
}

// count counts calls with the same parameters.
func (t *tallies) count(k *class, x *term, flags trace.Flags, slots []trace.Value, times int64) {
	var b strings.Builder
	b.WriteString(family(x.f))
	for i := range slots {
		if i >= x.f.NumIn && flags&(trace.Unfinished|trace.Failed) != 0 || x.soft[i] || partner(trace.SlotName(x.f, &x.f.Slots[i])) {
			continue
		}
		v := &slots[i]
		if v.Kind == trace.Ref && v.N > 0 && v.N%2 == 0 || v.Kind == trace.Addr {
			continue // numbers of objects and places of buffers follow from the order
		}
		fmt.Fprintf(&b, "\x00%s=%s", trace.SlotName(x.f, &x.f.Slots[i]), k.side.text(x.f, i, v))
	}
	for i := range t.all {
		t.all[i] += uint64(times) * maphash.String(t.seeds[i], b.String())
	}
}

// partner tells whether a parameter says whom a message is for or from.
func partner(name string) bool {
	return name == "dest" || name == "source" || name == "target_rank"
}

// family is the functions that are alike: receives, of which a program may make one or another for each message
// that arrives, and else the function.
func family(f *spec.Func) string {
	switch strings.TrimSuffix(f.Name, "_c") {
	case "MPI_Recv", "MPI_Irecv":
		return "receive"
	case "MPI_Mrecv", "MPI_Imrecv":
		return "matched receive"
	}
	return f.Name
}
