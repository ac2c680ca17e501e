package diff

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
	"github.com/tabard-hpc/tabard/spec"
)

// What a program does may depend on the order in which messages arrive and requests complete: a
// master answers whoever asks first. Such an order explains a difference, which then does not
// count, if
//
//   - the rank may have known of it: an outcome that the standard leaves open differs at the rank
//     before the difference, or at another rank from which a chain of messages and collective calls
//     leads to it (see spread.go). This has to hold in both recordings; and
//   - in all, the ranks of a world made the same calls: as many from each call site, and as many
//     with each list of parameters, whoever made them and whoever they were sent to or received
//     from (see tally.go).
//
// The first is what makes the answer sound: a program that is given the same does the same, so what
// a rank does otherwise before it can have heard of such an outcome has another reason. Times play
// no part in it. A worker that posts its next receive before the master serves another one first
// is earlier on the clock, and no less a consequence.
// The second finds what was planted behind the first such outcome: one call with another count,
// and what was done too often or not at all.

// Arrival is the first outcome that differs, among those that the standard leaves open.
type Arrival struct {
	World, Rank int
	Call        Call
	// Param is what differs, A and B its values. It is "number of polls" where a poll failed more
	// often.
	Param, A, B string
	// CallA and CallB are the numbers of the calls.
	CallA, CallB uint64

	timed   bool
	time    time.Duration // in A
	streams [2]int        // their numbers in the archives
	next    [2]uint64     // the first calls that are given what may depend on it
}

// compared is a group of ranks that was compared.
type compared struct {
	ka, kb *class
	ranks  *archive.RankSet
	// noted is set if an outcome that is in signatures differs.
	noted bool
}

// maxArrivals is how many calls are read to find the first outcomes that differ, of ranks where any may.
const maxArrivals = 8_000_000

// follows moves the differences that the order of arrival explains out of those that count.
func (c *comparison) follows() error {
	worlds := c.openWorlds()
	if c.windows() || len(worlds) == 0 {
		return nil
	}
	arrivals, err := c.arrivals()
	if err != nil || len(arrivals) == 0 {
		return err
	}
	even := map[int]bool{}
	for _, w := range worlds {
		same, err := c.sameSites(w)
		if err != nil {
			return err
		}
		if same {
			even[w] = true
		}
	}
	var known [2]*knowledge
	// Without times they are needed to tell what came first, too.
	if len(even) > 0 || slices.ContainsFunc(arrivals, func(a *Arrival) bool { return !a.timed }) {
		for i, s := range c.sides {
			if known[i], err = c.spread(s, arrivals); err != nil {
				return err
			}
		}
	}
	for _, w := range worlds {
		if first := firstOf(arrivals, w, known); first != nil {
			c.result.Arrivals = append(c.result.Arrivals, *first)
		}
		if !even[w] {
			continue
		}
		same, err := c.sameParameters(w)
		if errors.Is(err, errTooMuch) {
			continue
		}
		if err != nil {
			return err
		}
		if !same {
			continue
		}
		if err := c.layTo(known, w); err != nil {
			return err
		}
	}
	return nil
}

// mayFollow tells whether a difference is of a kind that may follow from the order of arrival. A
// rank that hangs or ends early counts, whatever the reason.
func (d *Difference) mayFollow() bool {
	switch d.Kind {
	case Hang, Stop, Processes:
		return false
	}
	return true
}

// openWorlds are the worlds with differences that may follow from the order of arrival, ascending.
func (c *comparison) openWorlds() (list []int) {
	for _, d := range c.result.Differences {
		if d.mayFollow() {
			list = append(list, d.World)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// layTo moves the differences of a world that come after their ranks may have known of the order of
// arrival. A difference for which that is true at some ranks only is split.
func (c *comparison) layTo(known [2]*knowledge, world int) error {
	var rest []*Difference
	for _, d := range c.result.Differences {
		if d.World != world || !d.mayFollow() {
			rest = append(rest, d)
			continue
		}
		var lists [2][]int // the ranks that are not explained, and those that are
		var parts [2]*Difference
		for _, p := range d.parts {
			for rank := range p.Ranks.All() {
				ok, err := p.after(known, rank)
				if err != nil {
					return err
				}
				i := 0
				if ok {
					i = 1
				}
				if parts[i] == nil {
					parts[i] = p
				}
				lists[i] = append(lists[i], rank)
			}
		}
		switch {
		case lists[1] == nil:
			rest = append(rest, d)
		case lists[0] == nil:
			c.result.Follows = append(c.result.Follows, d)
		default:
			c.result.Follows = append(c.result.Follows, d.of(parts[1], lists[1]))
			rest = append(rest, d.of(parts[0], lists[0]))
		}
	}
	c.result.Differences = rest
	return nil
}

// of is the difference at some of its ranks only, where part is.
func (d *Difference) of(part *Difference, ranks []int) *Difference {
	one := *part
	slices.Sort(ranks)
	one.Ranks, one.Count = newSet(ranks), d.Count
	return &one
}

// after tells whether a rank may have known of an outcome that differs when it did what differs, in
// both recordings.
func (d *Difference) after(known [2]*knowledge, rank int) (bool, error) {
	for i, k := range []*class{d.group.ka, d.group.kb} {
		s := k.Stream(rank)
		from := known[i].from[s.Index()]
		if from == never {
			return false, nil
		}
		call, err := s.CallsBefore(d.events[i])
		if err != nil {
			return false, err
		}
		if d.Kind == Outcome {
			call++ // the call itself may be what brought it
		}
		if call < from {
			return false, nil
		}
	}
	return true, nil
}

// firstOf is the outcome in a world that is shown: of those that nothing led to, as far as that is known, the
// earliest in A.
func firstOf(arrivals []*Arrival, world int, known [2]*knowledge) (first *Arrival) {
	led := func(a *Arrival) bool {
		for i := range known {
			if known[i] == nil || known[i].from[a.streams[i]] >= a.next[i] {
				return false
			}
		}
		return true
	}
	for _, a := range arrivals {
		switch {
		case a.World != world:
		case first == nil, led(first) && !led(a):
			first = a
		case led(a) && !led(first):
		case a.timed && first.timed && a.time < first.time:
			first = a
		}
	}
	return first
}

// mayBeOpen tells whether slot i of some call of a function is a result that the standard leaves open.
func mayBeOpen(f *spec.Func, i int) bool {
	s := &f.Slots[i]
	return i >= f.NumIn && s.Class != spec.Request && s.Class != spec.Message && (s.Codec == spec.Status || completes(f))
}

// openText is such a result as it is compared. Of a status that is the source: the messages of one source come in the
// order in which they were sent, so that all else in it is the sender's.
func openText(k *class, f *spec.Func, i int, v *archive.Value) string {
	if f.Slots[i].Codec == spec.Status {
		return senders(v)
	}
	return k.side.text(f, i, v)
}

// equalSenders tells whether two statuses have the same senders, without making their text.
func equalSenders(x, y *archive.Value) bool {
	return x.Kind == archive.Stat && y.Kind == archive.Stat && x.Stat.Source == y.Stat.Source &&
		x.Stat.Cancelled == y.Stat.Cancelled
}

// senders are the sources in a status, or in a list of them, and whether the operations were
// cancelled.
func senders(v *archive.Value) string {
	switch v.Kind {
	case archive.Stat:
		return fmt.Sprint(max(v.Stat.Source, -1), v.Stat.Cancelled)
	case archive.List:
		var text string
		for i := range v.List {
			text += senders(&v.List[i]) + " "
		}
		return text
	}
	return ""
}

// open tells whether a slot of a call holds something that may depend on what arrives or completes
// first.
func open(f *spec.Func, sig *archive.Signature, i int) bool {
	return mayBeOpen(f, i) && (completes(f) || sig.Slots[i].Kind != archive.Stat || wildcard(f, sig))
}

// arrivals finds the first outcome that differs of each stream whose calls were the same up to
// there, among the calls that may be read: several streams at a time, but with what one after the other would give.
func (c *comparison) arrivals() (list []*Arrival, err error) {
	type result struct {
		a    *Arrival
		read uint64
		err  error
	}
	type stream struct {
		k    *compared
		rank int
	}
	var streams []stream
	for i := range c.compared {
		k := &c.compared[i]
		if !k.undetermined() && c.o.Parameters {
			continue
		}
		for rank := range k.ranks.All() {
			streams = append(streams, stream{k, rank})
		}
	}
	most := min(maxArrivals, c.o.Calls)
	results := make([]result, len(streams))
	var read atomic.Uint64 // of those that have ended, which are all before those that begin
	_ = workers.Each(len(streams), func(i int) error {
		r, s := &results[i], streams[i]
		if read.Load() >= most || s.k.certain(s.rank) {
			return nil
		}
		r.a, r.read, r.err = c.arrivalAt(s.k, s.rank, most-min(read.Load(), most))
		read.Add(r.read)
		return nil
	})
	for i := range results {
		r := &results[i]
		if most == 0 || r.read > most {
			break
		}
		if most -= r.read; r.err != nil {
			return nil, r.err
		}
		if r.a != nil {
			list = append(list, r.a)
		}
	}
	return list, nil
}

// undetermined tells whether there are calls with outcomes that may differ: in columns, or in
// signatures that do.
func (k *compared) undetermined() bool {
	for _, class := range []*class{k.ka, k.kb} {
		for t := range class.terms {
			x := &class.terms[t]
			if x.sig.Flags&archive.Polls != 0 {
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

// lockstep reads the calls that count of a rank in both recordings.
type lockstep struct {
	c     *comparison
	k     *compared
	next  [2]func() (*archive.Call, error, bool)
	polls [2]int // how often a poll failed before the call
}

// call is the next call that counts of a side, nil at the end.
func (l *lockstep) call(i int, k *class) (*archive.Call, error) {
	l.polls[i] = 0
	for {
		x, err, ok := l.next[i]()
		if err != nil || !ok {
			return nil, err
		}
		if t := &k.terms[x.Terminal]; t.kept {
			return x, nil
		} else if t.sig.Flags&archive.Polls != 0 {
			l.polls[i]++
		}
	}
}

// arrivalAt finds the first outcome that differs at a rank, before its calls do, among so many calls. It says how many
// it read.
func (c *comparison) arrivalAt(k *compared, rank int, most uint64) (a *Arrival, read uint64, err error) {
	l := &lockstep{c: c, k: k}
	var streams [2]int
	for i, k := range []*class{k.ka, k.kb} {
		s := k.Stream(rank)
		next, stop := iter.Pull2(archive.Untimed(s, func(t uint32, slot int) bool {
			return mayBeOpen(k.terms[t].f, slot)
		}))
		defer stop()
		l.next[i], streams[i] = next, s.Index()
	}
	for read < most {
		if read++; read%manyCalls == 0 {
			c.tell()
		}
		x, err := l.call(0, k.ka)
		if err != nil {
			return nil, read, err
		}
		y, err := l.call(1, k.kb)
		if err != nil || x == nil || y == nil {
			return nil, read, err
		}
		if a := l.differ(x, y); a != nil {
			a.World, a.Rank, a.streams = k.ka.Group().World, rank, streams
			return a, read, a.setTime(k.ka.Stream(rank), k.kb.Stream(rank))
		}
		if k.ka.terms[x.Terminal].key != k.kb.terms[y.Terminal].key {
			return nil, read, nil
		}
	}
	return nil, read, nil
}

// setTime finds the time of the call, if both recordings have times.
func (a *Arrival) setTime(sa, sb *archive.Stream) error {
	timing, err := sa.Timing()
	if err != nil || timing == nil {
		return err
	}
	other, err := sb.Timing()
	if err != nil || other == nil {
		return err
	}
	begin, _ := timing.At(a.CallA)
	if err := timing.Err(); err != nil {
		return &archive.FormatError{File: sa.Archive().File(), Section: "timing", Offset: -1,
			Msg:  fmt.Sprintf("stream %d, call %d: %v", sa.Index(), a.CallA, err),
			Hint: hintValidate}
	}
	a.timed, a.time = true, sa.Since(begin)
	return nil
}

// differ is the difference between the outcomes of two calls, and of the polls before them, nil if
// there is none.
func (l *lockstep) differ(x, y *archive.Call) *Arrival {
	tx, ty := &l.k.ka.terms[x.Terminal], &l.k.kb.terms[y.Terminal]
	a := &Arrival{Call: Call{tx.f.Name, tx.site, 1}, CallA: x.Index, CallB: y.Index}
	if l.polls[0] != l.polls[1] {
		a.Param, a.A, a.B = "number of polls", fmt.Sprint(l.polls[0]), fmt.Sprint(l.polls[1])
		a.next = [2]uint64{x.Index, y.Index}
		return a
	}
	if tx.key != ty.key {
		return nil
	}
	a.next = [2]uint64{x.Index + 1, y.Index + 1}
	for i := range x.Slots {
		if !mayBeOpen(tx.f, i) || l.c.equalNumbers(&x.Slots[i], &y.Slots[i]) || equalSenders(&x.Slots[i], &y.Slots[i]) {
			continue
		}
		if openText(l.k.ka, tx.f, i, &x.Slots[i]) != openText(l.k.kb, ty.f, i, &y.Slots[i]) {
			a.Param = archive.SlotName(tx.f, &tx.f.Slots[i])
			a.A, a.B = l.k.ka.side.text(tx.f, i, &x.Slots[i]), l.k.kb.side.text(ty.f, i, &y.Slots[i])
			return a
		}
	}
	return nil
}
