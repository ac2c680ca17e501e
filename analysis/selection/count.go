package selection

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Occurrences is, for each terminal of the stream's grammar, which of its occurrences are in Range,
// whatever is selected otherwise: the values [From, To) of its columns. A run of polls that
// Range cuts counts. It takes a time proportional to the grammar, not to the calls.
func (p *Part) Occurrences() ([]Range, error) {
	w, err := p.words(p.Range)
	if err != nil {
		return nil, err
	}
	return w.occurrences, nil
}

// ProgramCalls is how many calls of the program are in Range, whatever is selected otherwise.
func (p *Part) ProgramCalls() (uint64, error) {
	if p.Range.Len() == p.Stream.Calls() {
		return p.Stream.ProgramCalls()
	}
	sigs, err := p.Stream.Signatures()
	if err != nil {
		return 0, err
	}
	occ, err := p.Occurrences()
	if err != nil {
		return 0, err
	}
	n := p.Range.Len()
	for t, sig := range sigs {
		if spec.ByID(sig.Func).Own() {
			n -= occ[t].Len()
		}
	}
	return n, nil
}

// words is what a range of calls is in the grammar's word.
type words struct {
	occurrences []Range
	calls       []uint64 // of each terminal
}

// words counts terminals, and polls by the lengths of their runs.
func (p *Part) words(r Range) (*words, error) {
	s := p.Stream
	if r.From == 0 && r.To >= s.Calls() {
		occ, err := s.Occurrences()
		if err != nil {
			return nil, err
		}
		w := &words{occurrences: make([]Range, len(occ))}
		for t, n := range occ {
			w.occurrences[t].To = n
		}
		w.calls, err = s.Counts()
		return w, err
	}
	first, cutFirst, err := s.EventAt(r.From)
	if err != nil {
		return nil, err
	}
	last, cutLast, err := s.EventAt(r.To)
	if err != nil {
		return nil, err
	}
	before, err := s.OccurrencesBefore(first)
	if err != nil {
		return nil, err
	}
	end := last
	if cutLast > 0 {
		end++
	}
	after, err := s.OccurrencesBefore(end)
	if err != nil {
		return nil, err
	}
	w := &words{occurrences: make([]Range, len(before)), calls: make([]uint64, len(before))}
	for t := range before {
		w.occurrences[t] = Range{before[t], after[t]}
		w.calls[t] = after[t] - before[t]
	}
	if err := p.countPolls(w); err != nil {
		return nil, err
	}
	if cutFirst > 0 {
		t, err := p.terminal(first, before)
		if err != nil {
			return nil, err
		}
		w.calls[t] -= cutFirst
	}
	if cutLast > 0 {
		before, err := s.OccurrencesBefore(last)
		if err != nil {
			return nil, err
		}
		t, err := p.terminal(last, before)
		if err != nil {
			return nil, err
		}
		n, err := s.PollsIn(t, before[t], before[t]+1)
		if err != nil {
			return nil, err
		}
		w.calls[t] -= n - cutLast
	}
	return w, nil
}

// CountsIn is the number of calls of each terminal in a range of the stream's calls, whatever is
// selected otherwise.
func (p *Part) CountsIn(r Range) ([]uint64, error) {
	w, err := p.words(r)
	if err != nil {
		return nil, err
	}
	return w.calls, nil
}

// countPolls replaces the numbers of runs of polls by those of polls.
func (p *Part) countPolls(w *words) error {
	sigs, err := p.Stream.Signatures()
	if err != nil {
		return err
	}
	for t, sig := range sigs {
		if sig.Flags&archive.Polls == 0 {
			continue
		}
		o := w.occurrences[t]
		if w.calls[t], err = p.Stream.PollsIn(uint32(t), o.From, o.To); err != nil {
			return err
		}
	}
	return nil
}

// terminal is the one at an event, before which each occurs so often.
func (p *Part) terminal(event uint64, before []uint64) (uint32, error) {
	after, err := p.Stream.OccurrencesBefore(event + 1)
	if err != nil {
		return 0, err
	}
	for t := range after {
		if after[t] > before[t] {
			return uint32(t), nil
		}
	}
	panic("selection: internal error: an event without a terminal")
}

// OccurrencesIn is, for a terminal, which of its occurrences are inside the selected region: ranges of the values of
// its columns. all are those in Range, which Occurrences gives.
func (p *Part) OccurrencesIn(t uint32, all Range) ([]Range, error) {
	if p.inside == nil {
		return []Range{all}, nil
	}
	r, err := p.events(p.Range)
	if err != nil {
		return nil, err
	}
	each := p.inside.x.Weigh(func(x uint32) bool { return int(x)%p.inside.terms == int(t) })
	var out []Range
	for event := r.From; event < r.To; {
		in, to := p.inside.at(event)
		if in {
			from, to := max(each.Before(event), all.From), min(each.Before(to), all.To)
			if n := len(out); n > 0 && out[n-1].To == from {
				out[n-1].To = to
			} else if from < to {
				out = append(out, Range{from, to})
			}
		}
		event = to
	}
	return out, nil
}

// Counts is the number of selected calls of each terminal, every poll counted. It takes
// a time proportional to the grammar, unless communicators are selected whose objects
// the calls name in columns.
func (p *Part) Counts() ([]uint64, error) {
	if err := p.choose(); err != nil {
		return nil, err
	}
	w, err := p.words(p.Range)
	if err != nil {
		return nil, err
	}
	cut := map[Range][]uint64{} // counts of ranges
	var inside []uint64
	for t := range p.terms {
		c := &p.terms[t]
		switch {
		case c.split && (!c.all || p.polls(uint32(t))), c.slots != nil:
			return p.countAll(len(w.calls))
		case c.split:
			if inside == nil {
				r, err := p.events(p.Range)
				if err != nil {
					return nil, err
				}
				inside, _ = p.inside.counts(r)
			}
			w.calls[t] = inside[t]
		case c.all:
		default:
			w.calls[t] = 0
			for _, r := range c.ranges {
				r = Range{max(r.From, p.Range.From), min(r.To, p.Range.To)}
				if r.From >= r.To {
					continue
				}
				if cut[r] == nil {
					in, err := p.words(r)
					if err != nil {
						return nil, err
					}
					cut[r] = in.calls
				}
				w.calls[t] += cut[r][t]
			}
		}
	}
	return w.calls, nil
}

// countAll counts call by call.
func (p *Part) countAll(terminals int) ([]uint64, error) {
	calls := make([]uint64, terminals)
	for c, err := range p.Calls {
		if err != nil {
			return nil, err
		}
		calls[c.Terminal]++
	}
	return calls, nil
}

// polls tells whether a terminal is runs of polls.
func (p *Part) polls(t uint32) bool {
	sig, err := p.Stream.Signature(t)
	return err == nil && sig.Flags&archive.Polls != 0
}
