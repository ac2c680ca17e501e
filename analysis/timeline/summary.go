package timeline

import (
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// Of up to DefaultExact calls each one is looked at; beyond, summaries of ranges of
// calls serve where these are short.
const DefaultExact = 8 << 20

// budgetShare is how many times as many calls as Options.Exact are looked at where summaries are
// longer than a column.
const budgetShare = 16

// fewCalls is a range of calls that has no finer summaries: a block of the format.
const fewCalls = 1 << 14

// finer is how many summaries are asked for at once.
const finer = 256

// estimate adds the calls of a stream by summaries.
type estimate struct {
	*walker
	// classes are the categories of timing classes; Computation stands for what does not count.
	classes []Category
	budget  uint64 // calls that may be looked at
	width   time.Duration
}

// estimate adds the calls of the part by summaries: the time of each category in a range of calls
// is spread over the range evenly if that is shorter than a column. Longer ranges are split, down
// to single calls as long as these are not too many.
func (w *walker) estimate() error {
	e := &estimate{walker: w, budget: w.j.o.Exact * budgetShare / uint64(len(w.j.parts)),
		width: time.Duration(w.g.width)}
	ok, err := e.classify()
	if err != nil {
		return err
	}
	r := w.p.Range
	if !ok || w.timing.Mode().Kind == archive.TimingPublished { // these are read as a whole anyway
		return w.calls(r.From, r.To)
	}
	first, _ := w.timing.At(r.From)
	_, last := w.timing.At(r.To - 1)
	for _, s := range w.timing.Summaries(first, last+1, finer) {
		if err := e.piece(&s); err != nil {
			return err
		}
	}
	if r.To == w.timing.Len() {
		return e.last()
	}
	return nil
}

// classify finds the category of each timing class. It is false if calls of different categories
// share one.
func (e *estimate) classify() (bool, error) {
	of, err := e.p.Stream.TimingClass()
	if err != nil {
		return false, err
	}
	known := []bool{}
	for k := range e.terms {
		t := &e.terms[k]
		class, category := 0, t.category
		if k < len(of) {
			class = int(of[k])
		}
		if t.skip {
			category = Computation
		}
		for len(e.classes) <= class {
			e.classes, known = append(e.classes, 0), append(known, false)
		}
		if t.some || known[class] && e.classes[class] != category {
			return false, nil
		}
		e.classes[class], known[class] = category, true
	}
	return true, nil
}

// piece adds the selected calls of a range.
func (e *estimate) piece(s *archive.TimingSummary) error {
	from, to := max(s.From, e.p.Range.From), min(s.To, e.p.Range.To)
	if from >= to {
		return nil
	}
	whole := from == s.From && to == s.To
	if whole && e.at(s.Latest)-e.at(s.First) <= e.width {
		e.spread(s)
		return nil
	}
	if s.To-s.From > fewCalls {
		split := false
		for _, sub := range e.timing.Summaries(s.First, s.Latest+1, finer) {
			if sub.From < s.From || sub.To > s.To || sub.To-sub.From == s.To-s.From {
				continue // neighbours that begin or end at the same time
			}
			split = true
			if err := e.piece(&sub); err != nil {
				return err
			}
		}
		if split {
			return nil
		}
	}
	// What is not in summaries is read: a stream of a single block has none, and its calls may be anywhere in it.
	if whole && to-from > e.budget && e.timing.Blocks() > 1 {
		e.spread(s)
		return nil
	}
	e.budget -= min(e.budget, to-from)
	return e.calls(from, to)
}

// spread adds a range of calls evenly.
func (e *estimate) spread(s *archive.TimingSummary) {
	if e.fast != nil {
		e.busy = max(e.busy, e.at(e.fast.busy))
		e.fast.busy = max(e.fast.busy, s.Latest)
	}
	from, to := max(e.at(s.First), e.busy), e.at(s.Latest)
	e.j.count(s.To - s.From)
	e.life.from, e.life.to = min(e.life.from, e.at(s.First)), max(e.life.to, to)
	if to <= from || s.Latest <= s.First {
		return
	}
	perTick := float64(e.at(s.Latest)-e.at(s.First)) / float64(s.Latest-s.First)
	for _, c := range s.Classes {
		if int(c.Class) < len(e.classes) && e.classes[c.Class] != Computation {
			e.g.spread(e.classes[c.Class], from, to, min(1, float64(c.Sum)*perTick/float64(to-from)))
		}
	}
	e.busy = max(e.busy, to)
	e.g.blur = max(e.g.blur, to-from)
}

// last adds the last call of the stream once more if it did not return: its duration is not in a
// summary.
func (e *estimate) last() error {
	if err := e.seek(e.timing.Len() - 1); err != nil {
		return err
	}
	t, _, err := e.next()
	if err != nil || !t.unfinished || t.skip {
		return err
	}
	start, end := e.timing.At(e.timing.Len() - 1)
	e.add(t, start, end)
	return nil
}
