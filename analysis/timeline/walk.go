package timeline

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/spec"
)

// fill computes row i.
func (j *job) fill(i int) error {
	row := &j.r.Rows[i]
	row.From, row.To = j.r.To, j.r.From
	g := &cells{r: j.r, row: i, width: float64(j.r.To-j.r.From) / float64(j.r.Columns)}
	for k := j.rows[i][0]; k < j.rows[i][1]; k++ {
		if err := j.stream(j.parts[k], j.lives[k], g, row); err != nil {
			return err
		}
	}
	slices.SortStableFunc(row.Spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	g.finish(row.Threads)
	j.mu.Lock()
	j.r.Blur = max(j.r.Blur, g.blur)
	j.mu.Unlock()
	return nil
}

// stream adds the calls of a part.
func (j *job) stream(p *selection.Part, l life, g *cells, row *Row) error {
	w, err := j.walker(p, g)
	if err != nil {
		return err
	}
	w.life, w.busy = l, j.r.From
	if j.o.Clock == nil && !j.r.Spans && g.width >= fastWidth && !slices.ContainsFunc(w.terms, func(t term) bool {
		return t.some
	}) {
		w.fast = newTicks(w)
	}
	if p.Range.Len() == 0 { // it computes all the time
		w.fast = nil
	} else if j.total > j.o.Exact && !j.r.Spans {
		err = w.estimate()
	} else {
		err = w.calls(p.Range.From, p.Range.To)
	}
	if err != nil {
		return err
	}
	if w.fast != nil {
		w.fast.finish()
	}
	if j.o.Waiting != nil {
		g.waits(j.o.Waiting(p.Stream.Index()), w.spans)
	}
	row.Spans = append(row.Spans, w.spans...)
	l = w.life
	row.From, row.To = min(row.From, max(l.from, j.r.From)), max(row.To, min(l.to, j.r.To))
	g.add(Computation, l.from, l.to) // finish takes out what is MPI
	return broken(p.Stream, w.timing.Err())
}

func (j *job) count(n uint64) {
	done := j.calls.Add(n)
	if j.o.Progress != nil {
		j.o.Progress(done, j.total)
	}
}

// walker goes through the calls of a part of a stream.
type walker struct {
	j      *job
	p      *selection.Part
	g      *cells
	timing *archive.Timing
	at     func(ticks uint64) time.Duration
	terms  []term
	cursor *grammar.Cursor
	call   uint64
	life   life
	busy   time.Duration // end of the calls so far
	spans  []Span
	fast   *ticks                           // instead of add, if it can be used
	sink   func(t *term, start, end uint64) // instead of both, unless it is nil
}

// term is what is known of a terminal.
type term struct {
	f          *spec.Func
	terminal   uint32
	category   Category
	some       bool // which of the calls are selected has to be asked
	skip       bool
	unfinished bool
	polls      *lengths
}

// lengths reads the lengths of runs of polls.
type lengths struct {
	col *archive.Column
	buf [64]int64
	i   int
	n   int
	at  uint64
}

// next is the next length, 0 at the end.
func (l *lengths) next() int64 {
	if l.i == l.n {
		l.i, l.n = 0, l.col.Read(l.at, l.buf[:])
		l.at += uint64(l.n)
		if l.n == 0 {
			return 0
		}
	}
	l.i++
	return l.buf[l.i-1]
}

func (j *job) walker(p *selection.Part, g *cells) (*walker, error) {
	w := &walker{j: j, p: p, g: g, at: j.at(p.Stream)}
	var err error
	if w.timing, err = p.Stream.Timing(); err != nil {
		return nil, err
	}
	x, err := p.Stream.GrammarIndex()
	if err != nil {
		return nil, err
	}
	w.cursor = x.NewCursor()
	return w, w.terminals()
}

// terminals looks at all signatures.
func (w *walker) terminals() error {
	sigs, err := w.p.Stream.Signatures()
	if err != nil {
		return err
	}
	w.terms = make([]term, len(sigs))
	for k, sig := range sigs {
		t := &w.terms[k]
		t.f, t.terminal = spec.ByID(sig.Func), uint32(k)
		t.category = CategoryOf(t.f)
		t.skip = t.f.Own() || sig.Flags&archive.Nested != 0
		t.unfinished = sig.Flags&archive.Unfinished != 0
		all, none, err := w.p.Terminal(uint32(k))
		if err != nil {
			return err
		}
		if none {
			t.category = Unselected
		}
		t.some = !all && !none
		if sig.Flags&archive.Polls != 0 {
			col, err := w.p.Stream.Column(uint32(k), -1, 0)
			if err != nil {
				return err
			}
			t.polls = &lengths{col: col}
		}
	}
	return nil
}

// seek makes the event of a call the next one.
func (w *walker) seek(call uint64) error {
	s := w.p.Stream
	event, inside, err := s.EventAt(call)
	if err != nil {
		return err
	}
	w.cursor.Seek(event)
	w.call = call - inside // a run of polls begins before
	var occ []uint64
	for k := range w.terms {
		l := w.terms[k].polls
		if l == nil {
			continue
		}
		if occ == nil {
			if occ, err = s.OccurrencesBefore(event); err != nil {
				return err
			}
		}
		l.i, l.n, l.at = 0, 0, occ[k]
	}
	return nil
}

// next is the next event and how many calls it stands for.
func (w *walker) next() (*term, uint64, error) {
	k, ok := w.cursor.Next()
	if !ok || int(k) >= len(w.terms) {
		return nil, 0, w.broken("the calls end before their number says")
	}
	t := &w.terms[k]
	if t.polls == nil {
		return t, 1, nil
	}
	n := t.polls.next()
	if n < 1 || uint64(n) > math.MaxInt64-w.call {
		return nil, 0, w.broken("a run of polls without a length")
	}
	return t, uint64(n), nil
}

func (w *walker) broken(msg string) error {
	return &archive.FormatError{File: w.p.Stream.Archive().File(), Section: "columns", Offset: -1, Msg: msg,
		Hint: "the file is damaged: copy it again"}
}

// calls adds single calls.
func (w *walker) calls(from, to uint64) error {
	if err := w.seek(from); err != nil {
		return err
	}
	counted := from
	var starts, ends []uint64 // of the calls from base on
	base := uint64(0)
	for w.call < to {
		t, n, err := w.next()
		if err != nil {
			return err
		}
		for end := min(w.call+n, to); w.call < end; w.call++ {
			if w.call < from || t.skip {
				continue // polls of the run before from, nested calls
			}
			i := w.call - base
			if i >= uint64(len(starts)) {
				if starts, ends = w.timing.Span(w.call); len(starts) == 0 || w.timing.Err() != nil {
					return cmp.Or(broken(w.p.Stream, w.timing.Err()), w.broken("calls without times"))
				}
				base, i = w.call, 0
			}
			if w.sink != nil {
				w.sink(t, starts[i], ends[i])
			} else if w.fast != nil {
				w.fast.add(t, starts[i], ends[i])
			} else {
				w.add(t, starts[i], ends[i])
			}
		}
		if w.call >= counted+1<<16 {
			w.j.count(w.call - counted)
			counted = w.call
		}
	}
	w.j.count(to - counted)
	return nil
}

// add adds call w.call.
func (w *walker) add(t *term, start, end uint64) {
	s := Span{Start: w.at(start), End: w.at(end), Func: t.f, Category: t.category, Call: w.call,
		Unfinished: t.unfinished}
	if t.unfinished {
		s.End = max(s.End, w.j.r.To)
	}
	// a call follows those that callbacks made in it
	w.life.from, w.life.to = min(w.life.from, s.Start), max(w.life.to, s.End)
	if t.some && !w.p.Selects(t.terminal, w.call) {
		s.Category = Unselected
	}
	// Corrected clocks must not count time twice.
	w.g.add(s.Category, max(s.Start, w.busy), s.End)
	w.busy = max(w.busy, s.End)
	if w.j.r.Spans {
		w.spans = append(w.spans, s)
	}
}

// cells is a row of the grid, in ns until finish.
type cells struct {
	r     *Result
	row   int
	width float64 // of a column in ns
	blur  time.Duration
}

// border is where a column begins.
func (g *cells) border(col int) time.Duration {
	return g.r.From + time.Duration(math.Round(float64(col)*g.width))
}

// add adds a stretch of time to a category.
func (g *cells) add(c Category, from, to time.Duration) { g.spread(c, from, to, 1) }

// spread adds a part of a stretch of time to a category, evenly.
func (g *cells) spread(c Category, from, to time.Duration, part float64) {
	from, to = max(from, g.r.From), min(to, g.r.To)
	if to <= from {
		return
	}
	a, b := float64(from-g.r.From)/g.width, float64(to-g.r.From)/g.width
	first, last := min(int(a), g.r.Columns-1), min(int(b), g.r.Columns-1)
	if first == last {
		g.r.Shares(g.row, first)[c] += part * (b - a)
		return
	}
	g.r.Shares(g.row, first)[c] += part * (float64(first+1) - a)
	for k := first + 1; k < last; k++ {
		g.r.Shares(g.row, k)[c] += part
	}
	g.r.Shares(g.row, last)[c] += part * (b - float64(last))
}

// waits adds the stretches in which a stream waits, also to its spans, which are by call like them.
func (g *cells) waits(all []Stretch, spans []Span) {
	in := cells{r: &Result{From: g.r.From, To: g.r.To, Columns: g.r.Columns, shares: g.r.waiting}, row: g.row,
		width: g.width}
	for _, x := range all {
		in.add(x.Category, x.From, x.To)
		for len(spans) > 0 && spans[0].Call < x.Call {
			spans = spans[1:]
		}
		if len(spans) > 0 && spans[0].Call == x.Call {
			spans[0].WaitFrom, spans[0].WaitTo = max(x.From, spans[0].Start), min(x.To, spans[0].End)
		}
	}
}

// finish turns sums over threads into shares and takes the time in MPI out of the computation.
func (g *cells) finish(threads int) {
	for col := range g.r.Columns {
		s := g.r.Shares(g.row, col)
		for c := PointToPoint; c < NumCategories; c++ {
			s[c] /= float64(threads)
			s[0] -= s[c] * float64(threads)
		}
		s[0] = max(0, s[0]/float64(threads))
		for c, v := range g.r.Waiting(g.row, col) { // times of calls may be means
			g.r.Waiting(g.row, col)[c] = min(v/float64(threads), s[c])
		}
	}
}
