package export

import (
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// call is one call of a stream, as the formats want it.
type call struct {
	*calls.Op
	index uint64
	// begin and end never lie before those of the call before, nor outside of the call that a call is made in.
	begin, end time.Duration
	// notes are those of the call.
	notes []note
	// last is set but for polls that the next one of their run follows.
	last bool
}

// sink takes the calls of a stream.
type sink interface {
	// begin and end come in the order of time: what a callback calls inside another call between those of that
	// call.
	begin(c *call) error
	end(c *call) error
	// request comes when a request begins to be under way, and done when it no longer is. Their times fit in with
	// those of the calls. lane tells those apart that are under way at the same time.
	request(lane int64, op *calls.Op, at time.Duration) error
	done(lane int64, at time.Duration) error
}

// follower is a sink that wants more of a stream: regions, and all that is not selected.
type follower interface {
	sink
	// passed comes for each event that is not selected, in the order of the stream. Regions come as calls without
	// length where they begin and end, if they are within the selected part, whatever functions are selected.
	passed(op *calls.Op) error
}

// walker goes through the calls of a part of a stream.
type walker struct {
	part  *selection.Part
	to    sink
	more  follower // to, if it is one
	notes *notes

	nested []call // that were made inside a call which has not come yet
	at     time.Duration
	open   map[int64]*flight // requests under way
	free   []*flight
	inside bool // the first selected call has come
	begins [256]time.Duration
	ends   [256]time.Duration
	room   []note
	one    [1]int64
}

// flight is a request that is under way.
type flight struct {
	op    calls.Op
	since time.Duration
}

// walk hands the selected calls of a stream to a sink.
func walk(p *calls.Program, part *selection.Part, ns *notes, to sink, tell func(n uint64)) error {
	r, err := p.Reader(part.Stream)
	if err != nil {
		return err
	}
	w := &walker{part: part, to: to, notes: ns, open: map[int64]*flight{}, at: -1 << 62}
	w.more, _ = to.(follower)
	for told := uint64(0); ; {
		op, err := r.Next()
		if err != nil {
			return err
		}
		if op == nil || op.Call >= part.Range.To {
			break
		}
		if !op.Timed || op.Func.Own() && (w.more == nil || op.Func.Shape == spec.ShapeCall) {
			continue
		}
		if err := w.event(r, op); err != nil {
			return err
		}
		if told++; told%4096 == 0 {
			tell(4096)
		}
	}
	return w.finish()
}

// event is a call or a run of polls.
func (w *walker) event(r *calls.Reader, op *calls.Op) error {
	if op.Call+op.Calls <= w.part.Range.From {
		w.passRequests(op)
		return w.pass(op)
	}
	if op.Func.Shape == spec.ShapeCall && !w.part.Selects(op.Terminal, max(op.Call, w.part.Range.From)) {
		if err := w.pass(op); err != nil {
			return err
		}
		begin, end := w.clamp(op.Begin), w.clamp(op.End)
		if len(w.nested) == 0 {
			w.at = end
		}
		return w.requests(op, begin, end)
	}
	if op.Func.Shape == spec.ShapePoint { // marks are made between calls of the selected region, too
		if in, _ := w.part.Inside(op.Call); !in {
			return w.pass(op)
		}
	}
	if !w.inside {
		w.inside = true
		if err := w.reopen(); err != nil {
			return err
		}
	}
	if op.Calls == 1 {
		return w.call(call{Op: op, index: op.Call, begin: op.Begin, end: op.End, last: true})
	}
	from, to := max(op.Call, w.part.Range.From), min(op.Call+op.Calls, w.part.Range.To)
	for from < to {
		n := min(to-from, uint64(len(w.begins)))
		if err := r.Times(from, w.begins[:n], w.ends[:n]); err != nil {
			return err
		}
		for i := range n {
			c := call{Op: op, index: from + i, begin: w.begins[i], end: w.ends[i], last: from+i+1 == op.Call+op.Calls}
			if err := w.call(c); err != nil {
				return err
			}
		}
		from += n
	}
	return nil
}

// pass tells a follower of what is not selected.
func (w *walker) pass(op *calls.Op) error {
	if w.more == nil {
		return nil
	}
	return w.more.passed(op)
}

func (w *walker) clamp(t time.Duration) time.Duration { return max(t, w.at) }

// call passes a call on, or keeps it if another one that it was made in is still to come.
func (w *walker) call(c call) (err error) {
	if w.notes != nil {
		w.room, err = w.notes.of(w.room[:0], int32(w.part.Stream.Index()), c.index)
		if err != nil {
			return err
		}
		c.notes = w.room
	}
	nested := c.Flags&archive.Nested != 0
	if !nested && len(w.nested) == 0 {
		return w.emit(&c, nil)
	}
	c.Op, c.notes = clone(c.Op), slices.Clone(c.notes)
	w.nested = append(w.nested, c)
	if nested && len(w.nested) < maxNested {
		return nil
	}
	return w.flush()
}

// maxNested is how many calls of callbacks are kept at most: where one call has more, it comes behind the first of
// them.
const maxNested = 1 << 16

// flush passes on the calls that were kept.
func (w *walker) flush() error {
	list := w.nested
	w.nested = w.nested[:0]
	return w.emitAll(list)
}

// emitAll passes on calls, which are in the order of their ends, with those that lie inside others.
func (w *walker) emitAll(list []call) error {
	for len(list) > 0 {
		// The outermost calls are those that no later one contains.
		outer := 0
		for i := len(list) - 1; i >= 0; i-- {
			if list[i].begin <= list[0].begin {
				outer = i
				break
			}
		}
		if err := w.emit(&list[outer], list[:outer]); err != nil {
			return err
		}
		list = list[outer+1:]
	}
	return nil
}

// emit passes on a call and those that were made inside it.
func (w *walker) emit(c *call, inside []call) error {
	c.begin = w.clamp(c.begin)
	w.at = c.begin
	if err := w.to.begin(c); err != nil {
		return err
	}
	if c.last {
		if err := w.start(c.Op, c.begin); err != nil {
			return err
		}
	}
	if err := w.emitAll(inside); err != nil {
		return err
	}
	c.end = w.clamp(c.end)
	w.at = c.end
	if c.last {
		if err := w.complete(c.Op, c.end); err != nil {
			return err
		}
	}
	return w.to.end(c)
}

// finish ends what is under way where the selection ends.
func (w *walker) finish() error {
	if err := w.flush(); err != nil {
		return err
	}
	if !w.inside {
		return nil
	}
	for _, lane := range w.lanes() {
		if err := w.to.done(lane, w.at); err != nil {
			return err
		}
	}
	return nil
}

// lanes are the requests under way, in the order of their begin.
func (w *walker) lanes() []int64 {
	var lanes []int64
	for lane := range w.open {
		lanes = append(lanes, lane)
	}
	slices.SortFunc(lanes, func(a, b int64) int {
		if w.open[a].since != w.open[b].since {
			return int(max(-1, min(1, w.open[a].since-w.open[b].since)))
		}
		return int(max(-1, min(1, a-b)))
	})
	return lanes
}

// reopen passes on the requests that are under way where the selection begins.
func (w *walker) reopen() error {
	for _, lane := range w.lanes() {
		w.at = w.clamp(w.open[lane].since)
		if err := w.to.request(lane, &w.open[lane].op, w.at); err != nil {
			return err
		}
	}
	return nil
}

// started lists the requests that a call brings under way.
func (w *walker) started(op *calls.Op) []int64 {
	switch {
	case op.Kind == calls.Start:
		return op.Requests
	case op.Nonblocking():
		w.one[0] = op.Request
		return w.one[:]
	}
	return nil
}

// requests follows requests in a call that is not selected, among or behind those that are.
func (w *walker) requests(op *calls.Op, begin, end time.Duration) error {
	if err := w.start(op, begin); err != nil {
		return err
	}
	return w.complete(op, end)
}

func (w *walker) start(op *calls.Op, at time.Duration) error {
	if op.Kind != calls.Start && !op.Nonblocking() {
		return nil
	}
	for _, lane := range w.started(op) {
		if lane < 0 || w.open[lane] != nil {
			continue
		}
		f := w.flight()
		f.op, f.since = *op, at
		f.op.Requests, f.op.Done = nil, nil // the next event has their memory
		w.open[lane] = f
		if w.inside {
			if err := w.to.request(lane, &f.op, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// flight is room for a request.
func (w *walker) flight() *flight {
	if n := len(w.free); n > 0 {
		f := w.free[n-1]
		w.free = w.free[:n-1]
		return f
	}
	return &flight{}
}

// complete ends the requests that a call completes or gives back.
func (w *walker) complete(op *calls.Op, at time.Duration) error {
	end := func(lane int64) error {
		f := w.open[lane]
		if f == nil {
			return nil
		}
		delete(w.open, lane)
		w.free = append(w.free, f)
		if w.inside {
			return w.to.done(lane, at)
		}
		return nil
	}
	if op.Kind == calls.Complete {
		for i := range op.Done {
			if err := end(op.Done[i].Request); err != nil {
				return err
			}
		}
	}
	if op.Kind == calls.FreeRequest {
		for _, lane := range op.Requests {
			if err := end(lane); err != nil {
				return err
			}
		}
	}
	return nil
}

// passRequests follows requests in front of the selection.
func (w *walker) passRequests(op *calls.Op) {
	w.start(op, op.Begin) // nothing is passed on that could fail
	w.complete(op, op.End)
}

func clone(op *calls.Op) *calls.Op {
	c := *op
	c.Requests, c.Done = slices.Clone(op.Requests), slices.Clone(op.Done)
	return &c
}
