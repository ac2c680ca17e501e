package selection

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Part is the selected calls of a stream: those of Range whose function and
// communicator are selected.
type Part struct {
	Stream *archive.Stream
	// Range is empty in an idle part only: see IdlePart. If a region is selected it is from its first call to its last one: see Inside.
	Range Range

	r     *Resolved
	terms []choice // of terminals; nil until it is needed

	inside *inside // nil: all of Range is
	in     bool    // whether the calls of around are inside
	around Range   // the latest that Inside found
}

// choice says which calls of a terminal are selected.
type choice struct {
	all bool
	// ranges are where the terminal's communicator is one of those selected, if that changes.
	ranges []Range
	// slots are parameters whose values are in columns.
	slots []int
	// split says that some are outside of the selected region.
	split bool
}

func (c *choice) none() bool { return !c.all && c.ranges == nil && c.slots == nil }

// Terminal tells what is selected of the calls of terminal t in Range: all, none, or some,
// for which Has decides.
func (p *Part) Terminal(t uint32) (all, none bool, err error) {
	if err := p.choose(); err != nil {
		return false, false, err
	}
	c := &p.terms[t]
	return c.all && !c.split, c.none(), nil
}

// Has tells whether a call in Range is selected.
func (p *Part) Has(c *archive.Call) (bool, error) {
	if err := p.choose(); err != nil {
		return false, err
	}
	k := &p.terms[c.Terminal]
	if k.split {
		if in, _ := p.Inside(c.Index); !in {
			return false, nil
		}
	}
	if k.all || k.none() {
		return k.all, nil
	}
	for _, s := range k.slots {
		if v := &c.Slots[s]; v.Kind == archive.Ref && contains(p.rangesOf(v.N), c.Index) {
			return true, nil
		}
	}
	return contains(k.ranges, c.Index), nil
}

func contains(rs []Range, i uint64) bool {
	return slices.ContainsFunc(rs, func(r Range) bool { return r.From <= i && i < r.To })
}

// Calls yields the selected calls, in order; the yielded call is reused.
func (p *Part) Calls(yield func(*archive.Call, error) bool) {
	for from, more := p.Range.From, true; more && from < p.Range.To; {
		from, more = p.callsFrom(from, yield)
	}
}

// far is how many calls that are not selected it takes to go to the next one without reading them.
const far = 4096

// callsFrom yields the selected calls from one on, and tells from where on to go on, if so.
func (p *Part) callsFrom(from uint64, yield func(*archive.Call, error) bool) (next uint64, more bool) {
	idle := uint64(0) // calls in a row that are not selected
	for c, err := range p.Stream.Iter(from) {
		ok := false
		if err == nil {
			if c.Index >= p.Range.To {
				return 0, false
			}
			if in, to := p.Inside(c.Index); !in && to-c.Index > far {
				return to, true
			}
			if ok, err = p.Has(c); err == nil && !ok {
				idle++
				err = p.Stream.Archive().Hopeless(idle, p.Range.To-c.Index)
			}
		}
		if err != nil {
			yield(nil, err)
			return 0, false
		}
		if !ok {
			continue
		}
		if idle = 0; !yield(c, nil) {
			return 0, false
		}
	}
	return 0, false
}

// choose fills in terms.
func (p *Part) choose() error {
	if p.terms != nil {
		return nil
	}
	sigs, err := p.Stream.Signatures()
	if err != nil {
		return err
	}
	p.terms = make([]choice, len(sigs))
	for t, sig := range sigs {
		if !p.r.Selection.Function(sig.Func) {
			continue
		}
		if p.r.Selection.Comms == nil {
			p.terms[t].all = true
			continue
		}
		p.terms[t] = p.byComm(sig)
	}
	return p.byRegion()
}

// byComm says where one of the communicators that a call is given is selected.
func (p *Part) byComm(sig *archive.Signature) (c choice) {
	f := spec.ByID(sig.Func)
	for i := range f.Slots {
		if s := &f.Slots[i]; s.Class != spec.Comm || s.Out || s.Codec != spec.Handle || s.Array {
			continue
		}
		switch v := &sig.Slots[i]; v.Kind {
		case archive.Hole:
			c.slots = append(c.slots, i)
		case archive.Ref:
			c.ranges = append(c.ranges, p.rangesOf(v.N)...)
		}
	}
	c.ranges = united(c.ranges)
	if len(c.ranges) == 1 && c.ranges[0] == (Range{0, p.Stream.Calls()}) {
		return choice{all: true}
	}
	return c
}

// united joins ranges that overlap or touch.
func united(rs []Range) []Range {
	slices.SortFunc(rs, func(a, b Range) int { return cmp.Compare(a.From, b.From) })
	var out []Range
	for _, r := range rs {
		if n := len(out); n > 0 && r.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, r.To)
			continue
		}
		out = append(out, r)
	}
	return out
}

// rangesOf is where in the stream a code means a selected communicator.
func (p *Part) rangesOf(ref int64) []Range {
	objects := p.r.comms.Processes[p.Stream.Process()].Objects
	var of []*comms.Object
	same := true
	for i := range objects {
		if o := &objects[i]; o.Ref == ref {
			of = append(of, o)
			same = same && p.r.Chosen(o.Comm) == p.r.Chosen(of[0].Comm)
		}
	}
	if len(of) == 0 {
		return nil
	}
	if same {
		if p.r.Chosen(of[0].Comm) {
			return []Range{{0, p.Stream.Calls()}}
		}
		return nil
	}
	var out []Range
	for i, o := range of {
		if !p.r.Chosen(o.Comm) {
			continue
		}
		var r Range
		if r.To = p.Stream.Calls(); o.Stream == p.Stream.Index() {
			r.From = p.callsBefore(o.From)
		}
		if i+1 < len(of) && of[i+1].Stream == p.Stream.Index() {
			r.To = p.callsBefore(of[i+1].From)
		}
		if r.From < r.To {
			out = append(out, r)
		}
	}
	return out
}

func (p *Part) callsBefore(event uint64) uint64 {
	n, err := p.Stream.CallsBefore(event)
	if err != nil {
		return p.Stream.Calls() // reading the calls will say the same
	}
	return n
}

// shrink makes Range that from the first call inside the selected region to the last one.
func (p *Part) shrink() (err error) {
	if p.inside, err = p.r.insideOf(p.Stream); err != nil {
		return err
	}
	r, err := p.events(p.Range)
	if err != nil {
		return err
	}
	n := p.inside
	before, after := n.in.Before(r.From), n.in.Before(r.To)
	if before == after {
		p.Range.To = p.Range.From
		return nil
	}
	first, last := n.in.Nth(before), n.in.Nth(after-1)+1
	p.Range.From = max(p.Range.From, p.callsBefore(first))
	p.Range.To = min(p.Range.To, p.callsBefore(last))
	if last-first == after-before {
		p.inside = nil
	}
	return nil
}

// events is a range of calls as one of events: of runs of polls it has those that it cuts, too.
func (p *Part) events(r Range) (Range, error) {
	first, _, err := p.Stream.EventAt(r.From)
	if err != nil {
		return r, err
	}
	last, cut, err := p.Stream.EventAt(r.To)
	if cut > 0 {
		last++
	}
	return Range{first, last}, err
}

// Inside tells whether a call of Range is inside the selected region, if one is selected, and up to which call, within
// Range, that does not change.
func (p *Part) Inside(call uint64) (in bool, to uint64) {
	if p.inside == nil {
		return true, p.Range.To
	}
	if call < p.around.From || call >= p.around.To {
		event, _, err := p.Stream.EventAt(call)
		if err != nil {
			return true, p.Range.To // reading the calls will say the same
		}
		in, to := p.inside.at(event)
		p.in, p.around = in, Range{call, min(p.callsBefore(to), p.Range.To)}
	}
	return p.in, p.around.To
}

// Marked is the stream's grammar with other terminals outside of the selected region, greater by the number of the
// stream's terminals, and where a region begins, greater by twice that; nil if all of Range is inside.
func (p *Part) Marked() *archive.Grammar {
	if p.inside == nil {
		return nil
	}
	return p.inside.x.Grammar()
}

// Stretches are the ranges of calls within Range that are inside the selected region.
func (p *Part) Stretches(yield func(Range) bool) {
	for from := p.Range.From; from < p.Range.To; {
		in, to := p.Inside(from)
		if in && !yield(Range{from, to}) {
			return
		}
		from = to
	}
}

// byRegion finds the terminals that are not all inside the selected region.
func (p *Part) byRegion() error {
	if p.inside == nil {
		return nil
	}
	r, err := p.events(p.Range)
	if err != nil {
		return err
	}
	in, out := p.inside.counts(r)
	for t := range p.terms {
		switch {
		case in[t] == 0:
			p.terms[t] = choice{}
		case out[t] > 0:
			p.terms[t].split = true
		}
	}
	return nil
}
