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
	// Range is never empty.
	Range Range

	r     *Resolved
	terms []choice // of terminals; nil until it is needed
}

// choice says which calls of a terminal are selected.
type choice struct {
	all bool
	// ranges are where the terminal's communicator is one of those selected, if that changes.
	ranges []Range
	// slots are parameters whose values are in columns.
	slots []int
}

func (c *choice) none() bool { return !c.all && c.ranges == nil && c.slots == nil }

// Terminal tells what is selected of the calls of terminal t in Range: all, none, or some,
// for which Has decides.
func (p *Part) Terminal(t uint32) (all, none bool, err error) {
	if err := p.choose(); err != nil {
		return false, false, err
	}
	c := &p.terms[t]
	return c.all, c.none(), nil
}

// Has tells whether a call in Range is selected.
func (p *Part) Has(c *archive.Call) (bool, error) {
	if err := p.choose(); err != nil {
		return false, err
	}
	k := &p.terms[c.Terminal]
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
	for c, err := range p.Stream.Iter(p.Range.From) {
		if err != nil {
			yield(nil, err)
			return
		}
		if c.Index >= p.Range.To {
			return
		}
		ok, err := p.Has(c)
		if err != nil {
			yield(nil, err)
			return
		}
		if ok && !yield(c, nil) {
			return
		}
	}
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
	return nil
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
