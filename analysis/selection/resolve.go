package selection

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// Resolved is a selection in an archive. It is not safe for concurrent use, nor
// are its parts.
type Resolved struct {
	Archive   *archive.Archive
	Selection *Selection
	// From and To are the window of time; Whole tells whether there is one.
	From, To time.Duration
	// Progress, if it is set, is told how many streams Units and Parts have passed of how many.
	Progress func(done, total uint64)

	steps *StepIndex
	path  []string // of Selection.Within
	// insides are those of streams that have been asked for.
	insides map[insideKey]*inside
	comms   *comms.Result
	chosen  map[int]bool // by comms.Comm.ID
}

// ClassPart is the members of a class of streams that are selected.
type ClassPart struct {
	Class *archive.Class
	// Ranks are some of Class.Ranks.
	Ranks *archive.RankSet
}

// Resolve finds the selection in an archive. The error says what the archive does not
// have, in the words of the flags.
func (s *Selection) Resolve(a *archive.Archive) (*Resolved, error) {
	r := &Resolved{Archive: a, Selection: s, From: math.MinInt64, To: Forever}
	var err error
	if s.Ranks != nil && len(r.Classes()) == 0 {
		return nil, fmt.Errorf("%s has no calls of rank %s", a.File(), s.Ranks)
	}
	if s.Comms != nil {
		if r.comms, err = comms.Analyze(a, nil); err != nil {
			return nil, err
		}
		if r.chosen, err = s.Comms.find(r.comms); err != nil {
			return nil, err
		}
	}
	if s.Window != nil {
		length, err := Length(a)
		if err != nil {
			return nil, err
		}
		if r.From, r.To = s.Window.span(length); r.To < r.From {
			return nil, fmt.Errorf("the window %s ends before it begins: the recording takes %v", s.Window, length)
		}
		if r.From > length {
			return nil, fmt.Errorf("the window %s is behind the end of the recording, which takes %v", s.Window, length)
		}
	}
	if s.Within != nil {
		if r.path, err = s.Within.path(a); err != nil {
			return nil, err
		}
		r.insides = map[insideKey]*inside{}
	}
	if s.Steps != nil {
		if r.steps, err = FindSteps(a, s.StepLoop); err != nil {
			return nil, err
		}
		if err := r.checkSteps(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

var errUntimed = errors.New("the recording has no times of single calls (see record --timing): " +
	"no window can be selected")

// Length is the time from the start of the trace to the end of the last call. It reads the last
// times of each stream.
func Length(a *archive.Archive) (time.Duration, error) {
	last := time.Duration(-1)
	for s := range a.Streams() {
		if !s.Timed() {
			continue
		}
		t, err := s.Timing()
		if err != nil {
			return 0, err
		}
		if n := t.Blocks(); n > 0 {
			_, _, _, end := t.Block(n - 1)
			last = max(last, s.Since(end))
		}
	}
	if last < 0 {
		return 0, errUntimed
	}
	return last, nil
}

// checkSteps is an error if no stream has the selected steps.
func (r *Resolved) checkSteps() error {
	most := uint64(0)
	for stream := range r.Archive.Streams() {
		s, err := r.steps.Of(stream)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		if most = max(most, s.Len()); most > r.Selection.Steps.From {
			return nil
		}
	}
	if most == 0 {
		return errors.New("no time-step loop was found: steps cannot be selected (tabard loops shows the loops)")
	}
	what := "the time-step loop has"
	if name := r.steps.Region; name != "" {
		what = fmt.Sprintf("steps are the regions %q, of which there are", name)
	}
	return fmt.Errorf("there is no step %s: %s %d (0 to %d)", r.Selection.Steps, what, most, most-1)
}

// Steps is the time steps of the archive, if they had to be found for the selection; else nil.
func (r *Resolved) Steps() *StepIndex { return r.steps }

// Whole tells whether all calls of the selected streams are looked at, as there are neither a
// window nor steps: then Classes says all, but for functions and communicators.
func (r *Resolved) Whole() bool { return r.Selection.whole() }

// Comms is the communicators of the archive, if they had to be found for the selection; else nil.
func (r *Resolved) Comms() *comms.Result { return r.comms }

// Chosen tells whether a communicator is selected, which may be nil if it is not known.
func (r *Resolved) Chosen(c *comms.Comm) bool {
	return r.Selection.Comms == nil || c != nil && r.chosen[c.ID]
}

// Classes lists the classes of streams that have selected ranks.
func (r *Resolved) Classes() []ClassPart {
	var parts []ClassPart
	for _, c := range r.Archive.Classes() {
		ranks := c.Ranks()
		if r.Selection.Ranks != nil {
			if c.Group().Unranked {
				continue
			}
			ranks = r.Selection.Ranks.Of(ranks)
		}
		if ranks.Len() > 0 {
			parts = append(parts, ClassPart{c, ranks})
		}
	}
	return parts
}

// Parts yields the selected part of each stream, in the order of classes and ranks. Streams without
// selected calls are left out. After an error the iteration ends.
func (r *Resolved) Parts() iter.Seq2[*Part, error] {
	return func(yield func(*Part, error) bool) {
		classes := r.Classes()
		tell := r.teller(classes)
		for _, c := range classes {
			for rank := range c.Ranks.All() {
				tell(1)
				p, err := r.Part(c.Class.Stream(rank))
				if err != nil {
					yield(nil, err)
					return
				}
				if p != nil && !yield(p, nil) {
					return
				}
			}
		}
	}
}

// TimedParts are the selected parts of the streams whose times are known, in the order of streams.
func (r *Resolved) TimedParts() ([]*Part, error) {
	var parts []*Part
	for p, err := range r.Parts() {
		if err != nil {
			return nil, err
		}
		if p.Stream.Timed() {
			parts = append(parts, p)
		}
	}
	slices.SortFunc(parts, func(a, b *Part) int { return cmp.Compare(a.Stream.Index(), b.Stream.Index()) })
	return parts, nil
}

// LivingParts are TimedParts, and an empty part of each stream that makes no call in the selected window, but some
// before and some after it: it computes all the time. There are such only if it is a window of time that selects.
func (r *Resolved) LivingParts() ([]*Part, error) {
	parts, err := r.TimedParts()
	if err != nil || !r.OnlyWindow() {
		return parts, err
	}
	calls := make(map[int]bool, len(parts))
	for _, p := range parts {
		calls[p.Stream.Index()] = true
	}
	for _, c := range r.Classes() {
		for rank := range c.Ranks.All() {
			s := c.Class.Stream(rank)
			if calls[s.Index()] {
				continue
			}
			if p, err := r.IdlePart(s); err != nil {
				return nil, err
			} else if p != nil {
				parts = append(parts, p)
			}
		}
	}
	slices.SortFunc(parts, func(a, b *Part) int { return cmp.Compare(a.Stream.Index(), b.Stream.Index()) })
	return parts, nil
}

// OnlyWindow tells that a window of time selects, and neither steps nor a region.
func (r *Resolved) OnlyWindow() bool {
	return r.Selection.Window != nil && r.steps == nil && r.path == nil
}

// IdlePart is the empty part of a stream whose rank is selected and that makes no call in the selected window, but some
// before and some after it; nil if there is none.
func (r *Resolved) IdlePart(s *archive.Stream) (*Part, error) {
	if !r.OnlyWindow() || !s.Timed() || r.Selection.Ranks != nil && !r.Selection.Rank(s.Rank().Rank) {
		return nil, nil
	}
	in, err := r.inWindow(s)
	if err != nil || in.From != in.To || in.From == 0 || in.From == s.Calls() {
		return nil, err
	}
	return &Part{Stream: s, Range: in, r: r}, nil
}

// teller reports to Progress the streams that have been passed.
func (r *Resolved) teller(classes []ClassPart) func(streams int) {
	if r.Progress == nil {
		return func(int) {}
	}
	done, total := uint64(0), uint64(0)
	for _, c := range classes {
		total += uint64(c.Ranks.Len())
	}
	return func(streams int) {
		r.Progress(done, total)
		done += uint64(streams)
	}
}

// Part is what is selected of a stream, nil if that is nothing.
func (r *Resolved) Part(s *archive.Stream) (*Part, error) {
	if r.Selection.Ranks != nil && !r.Selection.Rank(s.Rank().Rank) {
		return nil, nil
	}
	all := Range{0, s.Calls()}
	if r.steps != nil {
		steps, err := r.steps.Of(s)
		if err != nil || steps == nil {
			return nil, err
		}
		want := r.Selection.Steps
		if want.From >= steps.Len() {
			return nil, nil
		}
		if all, err = steps.Span(want.From, min(want.To, steps.Len()-1)); err != nil {
			return nil, err
		}
	}
	if r.Selection.Window != nil {
		in, err := r.inWindow(s)
		if err != nil {
			return nil, err
		}
		all = Range{max(all.From, in.From), min(all.To, in.To)}
	}
	p := &Part{Stream: s, Range: all, r: r}
	if r.path != nil {
		if err := p.shrink(); err != nil {
			return nil, err
		}
	}
	if p.Range.From >= p.Range.To {
		return nil, nil
	}
	return p, nil
}

// inWindow is the calls that are in progress in the window: the first one that ends in it
// and all that follow and begin before its end. Of calls inside one another, which
// callbacks make, the outer one counts if it ends in the window.
func (r *Resolved) inWindow(s *archive.Stream) (Range, error) {
	t, err := s.Timing()
	if err != nil || t == nil {
		return Range{}, err
	}
	in := Range{0, t.Len()}
	if r.From > math.MinInt64 {
		in.From = t.SeekTime(s.Ticks(r.From))
	}
	if r.To < Forever {
		end := s.Ticks(r.To)
		for in.To = t.SeekTime(end); in.To < t.Len(); in.To++ {
			if start, _ := t.At(in.To); start >= end {
				break
			}
		}
	}
	if err := t.Err(); err != nil {
		return Range{}, &archive.FormatError{File: r.Archive.File(), Section: "timing", Offset: -1,
			Msg: fmt.Sprintf("stream %d: %v", s.Index(), err), Hint: "record the run anew"}
	}
	return in, nil
}
