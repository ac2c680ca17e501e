package efficiency

import (
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/quantile"
	"github.com/tabard-hpc/tabard/spec"
)

// walker goes through the calls of a stream.
type walker struct {
	j     *job
	s     *archive.Stream
	l     *local
	r     selection.Range
	part  *selection.Part // nil: all is selected
	spans *spans          // of the selected region; nil if none is selected
	keys  []Key
	terms []walkTerm
	marks *marks

	last           time.Duration // end of the call before
	started, ended bool
	known          bool   // it is known when the process began
	counted        uint64 // calls that the progress knows of
	step           *localStep
	in             selection.Range // of calls: in the step
	now            localStep       // step, where streams share the result
	number         uint64          // of it
	body           *uint32         // what bodyPlaces is about
	// of each of its terminals, nil if it is not selected; empty if not all of them simply take
	// time
	bodyPlaces []*localPlace
}

// walkTerm is what is known of a terminal.
type walkTerm struct {
	what  what
	place *localPlace
}

// what says how the calls of a terminal count.
type what uint8

const (
	unknown what = iota
	counts
	passes   // it takes time, but is not selected
	ignored  // it is inside of others or no call at all
	begins   // MPI_Init
	finishes // MPI_Finalize
)

// walker makes one for a stream; nil if nothing of it is selected.
func (j *job) walker(s *archive.Stream) (*walker, error) {
	w := &walker{j: j, s: s, r: selection.Range{To: s.Calls()},
		l: &local{places: map[Key]*localPlace{}, Process: Process{Process: j.p.Number(s.Process())}}}
	var err error
	if j.opts.Selection != nil {
		if w.part, err = j.part(s); err != nil || w.part == nil {
			j.count(s.Calls())
			return nil, err
		}
		w.r = w.part.Range
		if w.spans, err = j.spans(w.part); err != nil {
			return nil, err
		}
	}
	if w.keys, err = j.sites.class(s.Class()); err != nil {
		return nil, err
	}
	w.terms = make([]walkTerm, len(w.keys))
	w.marks, err = j.marks(s)
	return w, err
}

// stream goes through the calls of a stream.
func (j *job) stream(s *archive.Stream) error {
	w, err := j.walker(s)
	if w == nil || err != nil {
		return err
	}
	reader, err := j.p.Reader(s)
	if err != nil {
		return err
	}
	for !w.ended {
		op, err := reader.Next()
		if err == nil {
			err = reader.Hopeless(s.Calls())
		}
		if err != nil {
			return err
		}
		if op == nil {
			break
		}
		if err := w.call(op.Terminal, op.Timed, op.Call, op.Calls, op.Begin, op.End); err != nil {
			return err
		}
	}
	return w.finish()
}

// finish adds what was found to the result.
func (w *walker) finish() error {
	if _, err := w.enter(w.s.Calls()); err != nil {
		return err
	}
	w.j.count(w.s.Calls() - w.counted)
	w.counted = w.s.Calls()
	w.j.merge(w.l)
	return nil
}

// term finds out what to do with the calls of a terminal.
func (w *walker) term(k uint32) (*walkTerm, error) {
	t := &w.terms[k]
	if t.what != unknown {
		return t, nil
	}
	sig, err := w.s.Class().Template(k) // not the signature, whose parameters take memory for each rank
	if err != nil {
		return nil, err
	}
	f := spec.ByID(sig.Func)
	switch {
	case f.Own() || sig.Flags&archive.Nested != 0:
		t.what = ignored
	case f.Op == spec.OpInit:
		t.what = begins
	case f.Op == spec.OpFinalize:
		t.what = finishes
	default:
		t.what = counts
	}
	if w.part != nil && t.what != ignored {
		_, none, err := w.j.terminal(w.part, k)
		if err != nil {
			return nil, err
		}
		if none && t.what == counts {
			t.what = passes
		}
	}
	if t.what == counts {
		if t.place, err = w.placeOf(k); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// call adds a call, or a run of polls.
func (w *walker) call(k uint32, timed bool, call, calls uint64, begin, end time.Duration) error {
	if w.ended || call >= w.r.To {
		w.ended = true
		return nil
	}
	t, err := w.term(k)
	if err != nil {
		return err
	}
	if !timed || t.what == ignored || call < w.r.From {
		return nil
	}
	if in, err := w.enter(call); err != nil || !in {
		return err
	}
	l := w.l
	if c := w.j.opts.Clock; c != nil {
		begin, end = c(l.Process.Process, begin), c(l.Process.Process, end)
	}
	switch t.what {
	case begins:
		// The process begins when MPI has started. Earlier calls do not count.
		*l = local{places: map[Key]*localPlace{},
			Process: Process{Process: l.Process.Process, Begin: end, End: end, Around: end - begin}}
		clear(w.terms)
		w.started, w.known, w.last, w.step = true, true, end, nil
		w.in, w.now, w.body = selection.Range{}, localStep{}, nil
		return nil
	case finishes:
		if w.started {
			l.Around += end - begin
			l.End = max(l.End, begin)
			w.ended, w.spans = true, nil
			return nil
		}
		if t.place, err = w.placeOf(k); err != nil {
			return err
		}
	}
	if !w.started {
		w.started, w.last, l.Begin = true, begin, begin
	}
	gap := max(0, begin-w.last)
	d := max(0, end-max(begin, w.last))
	l.MPI += d
	l.End = max(l.End, end)
	if call-w.in.From >= w.in.Len() {
		if err := w.find(call, w.last); err != nil {
			return err
		}
	}
	if w.step != nil {
		w.step.length += max(end, w.last) - w.last
		w.step.useful += gap
	}
	w.last = max(w.last, end)
	if call-w.counted >= 1<<16 {
		w.j.count(call - w.counted)
		w.counted = call
	}
	if p := t.place; p != nil {
		l.Calls += calls
		p.calls += calls
		p.mpi += d
		p.before += gap
		p.durations.add(end - begin)
	}
	return nil
}

// placeOf is the place of a terminal. Where streams share the result they share durations as well,
// once nothing can be taken back any more.
func (w *walker) placeOf(k uint32) (*localPlace, error) {
	sig, err := w.s.Class().Template(k)
	if err != nil {
		return nil, err
	}
	f, key := spec.ByID(sig.Func), w.keys[k]
	if w.j.shared == nil || !w.known {
		return w.l.place(key, f, nil), nil
	}
	d := w.j.shared[key]
	if d == nil {
		d = &Distribution{}
		w.j.shared[key] = d
	}
	return w.l.place(key, f, d), nil
}

// find finds the step that a call belongs to. If the call is the first of the step, the step begins
// at the end of the previous call.
func (w *walker) find(call uint64, last time.Duration) error {
	w.step, w.in = nil, selection.Range{From: call, To: call + 1}
	if w.marks == nil {
		w.in.To = w.s.Calls()
		return nil
	}
	i, in, err := w.marks.find(call)
	if err != nil || in.Len() == 0 {
		return err
	}
	w.in = in
	if w.j.shared == nil || !w.known { // before MPI_Init is known it may be taken back
		w.step = w.l.step(i, w.marks.most)
	} else {
		if w.number != i {
			w.flush()
			w.number = i
		}
		w.step = &w.now
	}
	if !w.step.has {
		w.step.has, w.step.begin = true, last
	}
	return nil
}

// flush adds the step to the result that streams share.
func (w *walker) flush() {
	if !w.now.has {
		return
	}
	r := w.j.r
	if r.Steps == nil {
		r.Steps = make([]Step, 0, w.j.most) // memory that is not used yet costs nothing
	}
	if n := w.number + 1; n > uint64(len(r.Steps)) {
		r.Steps = append(r.Steps, make([]Step, n-uint64(len(r.Steps)))...)
	}
	r.Steps[w.number].add(w.l.Process.Process, &w.now)
	w.now = localStep{}
}

// repeat adds calls of a loop whose body is known, from one of its terminals on. It does the same
// as call for each of them.
func (w *walker) repeat(call uint64, body []uint32, at int, starts, ends []time.Duration) error {
	if err := w.plan(body); err != nil {
		return err
	}
	for i := 0; i < len(starts) && !w.ended; {
		if len(w.bodyPlaces) == 0 || !w.started || call < w.r.From || call >= w.r.To || w.j.opts.Clock != nil ||
			w.spans != nil {
			if err := w.call(body[at], true, call, 1, starts[i], ends[i]); err != nil {
				return err
			}
			if i, call, at = i+1, call+1, at+1; at == len(body) {
				at = 0
			}
			continue
		}
		n := int(min(uint64(len(starts)-i), w.r.To-call))
		before := w.last
		inOrder, err := w.inSteps(call, starts[i:i+n], ends[i:i+n])
		if err != nil {
			return err
		}
		at = w.atPlaces(at, inOrder, before, starts[i:i+n], ends[i:i+n])
		i, call = i+n, call+uint64(n)
	}
	if call-w.counted >= 1<<16 && call <= w.r.To {
		w.j.count(call - w.counted)
		w.counted = call
	}
	return nil
}

// plan finds the places of a body.
func (w *walker) plan(body []uint32) error {
	if w.body == &body[0] {
		return nil
	}
	w.body, w.bodyPlaces = &body[0], w.bodyPlaces[:0]
	for _, k := range body {
		t, err := w.term(k)
		if err != nil {
			return err
		}
		if t.what != counts && t.what != passes {
			w.bodyPlaces = w.bodyPlaces[:0]
			return nil
		}
		w.bodyPlaces = append(w.bodyPlaces, t.place)
	}
	return nil
}

// inSteps adds calls to the process and to its steps. It tells whether each one began after the one before had ended.
func (w *walker) inSteps(call uint64, starts, ends []time.Duration) (inOrder bool, err error) {
	inOrder = true
	for len(starts) > 0 {
		if call-w.in.From >= w.in.Len() {
			if err := w.find(call, w.last); err != nil {
				return false, err
			}
		}
		n := int(min(uint64(len(starts)), w.in.To-call))
		inOrder = w.inStep(starts[:n], ends[:n]) && inOrder
		call, starts, ends = call+uint64(n), starts[n:], ends[n:]
	}
	return inOrder, nil
}

// inStep is inSteps for calls of one step.
func (w *walker) inStep(starts, ends []time.Duration) (inOrder bool) {
	ends = ends[:len(starts)]
	before, last := w.last, w.last
	var mpi, useful, disorder time.Duration
	for i, begin := range starts {
		end := ends[i]
		disorder |= begin - last | end - begin
		useful += max(0, begin-last)
		mpi += max(0, end-max(begin, last))
		last = max(last, end)
	}
	latest := last
	if last == before {
		latest = slices.Max(ends)
	}
	if w.step != nil {
		w.step.length += last - before
		w.step.useful += useful
	}
	w.l.MPI += mpi
	w.last, w.l.End = last, max(w.l.End, latest)
	return disorder >= 0
}

// atPlaces adds calls that repeat a body, from one of its terminals on, to their places. The calls before them had
// ended at a time. It returns the next terminal.
func (w *walker) atPlaces(at int, inOrder bool, last time.Duration, starts, ends []time.Duration) int {
	places := w.bodyPlaces
	if inOrder && len(starts) >= fewPerPlace*len(places) {
		for i := range places {
			if p := places[(at+i)%len(places)]; p != nil {
				w.l.Calls += p.column(i, len(places), last, starts, ends)
			}
		}
		return (at + len(starts)) % len(places)
	}
	ends = ends[:len(starts)]
	calls := uint64(0)
	for i, begin := range starts {
		end := ends[i]
		if p := places[at]; p != nil {
			p.calls++
			p.mpi += max(0, end-max(begin, last))
			p.before += max(0, begin-last)
			// Like p.durations.add, but without a call, for which all that the loop keeps would be put aside.
			if v := uint64(max(end-begin, 0)); !p.durations.sketch.AddNear(v) {
				p.durations.sketch.Add(v)
			}
			calls++
		}
		if at++; at == len(places) {
			at = 0
		}
		last = max(last, end)
	}
	w.l.Calls += calls
	return at
}

// fewPerPlace is how many calls of a place are too few to go through them on their own.
const fewPerPlace = 8

// column adds every step-th call from call i on, and returns how many these are. All calls are in order; those before
// them had ended at a time.
func (p *localPlace) column(i, step int, last time.Duration, starts, ends []time.Duration) uint64 {
	ends = ends[:len(starts)]
	if i > 0 {
		last = ends[i-1]
	}
	p.before += starts[i] - last
	var mpi, before time.Duration
	for k := i + step; k < len(starts); k += step {
		before += starts[k] - ends[k-1]
	}
	for k := i; k < len(starts); k += step {
		mpi += ends[k] - starts[k]
	}
	p.mpi += mpi
	p.before += before
	n := uint64((len(starts) - i + step - 1) / step)
	p.calls += n
	quantile.AddSpans(&p.durations.sketch, starts[i:], ends[i:], step)
	return n
}
