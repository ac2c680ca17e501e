package foreign

import (
	"math"

	"github.com/tabard-hpc/tabard/internal/otf2"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// process is a process that is being imported.
type process struct {
	*importer
	rank  int // in MPI_COMM_WORLD, -1: none
	off   *collect.Offline
	sites map[frame]uint64 // offsets, as in one module
	open  bool             // calls have not returned
	freed map[*comm]bool   // the process has freed them; used again, they are others with the same members
	files map[uint32]bool  // handles that were told of
}

// siteStep is how far call sites are apart.
const siteStep = 16

// frame is a place in the source.
type frame struct {
	name, file string
	line       uint32
}

// read reads the events of the locations of a process, which become its threads.
func (q *process) read(locations []*otf2.LocationDef) error {
	module := append([]uint64{0, 1 << 40, 1 << 39}, append(text("imported"), text("")...)...)
	for _, rec := range []ring.Record{q.ringABI(), about(ring.RModule, module...)} {
		if err := q.off.RecordOf(0, rec); err != nil {
			return err
		}
	}
	threads := make([]*thread, len(locations))
	for i, l := range locations {
		threads[i] = &thread{process: q, number: i, left: counts{}}
		if err := threads[i].ahead(l); err != nil {
			return err
		}
	}
	if err := threads[0].tell(); err != nil {
		return err
	}
	defer func() {
		for _, t := range threads {
			if t.reader != nil {
				t.reader.Close()
			}
		}
	}()
	for i, t := range threads {
		var err error
		if t.reader, err = q.Events(locations[i]); err != nil {
			return err
		}
		if t.ev, err = t.reader.Next(); err != nil {
			return err
		}
	}
	if err := inTime(threads); err != nil {
		return err
	}
	for _, t := range threads {
		if err := t.unfinished(); err != nil {
			return err
		}
		if n := t.reader.Falling; n > 0 {
			q.left["time stamps that fall: they became those before"] += n
		}
		q.left.take(t.left)
	}
	return nil
}

// inTime takes in the events of threads in the order of their times: what one of them makes or frees, others use.
func inTime(threads []*thread) error {
	for {
		var next *thread
		for _, t := range threads {
			if t.ev != nil && (next == nil || t.ev.Time < next.ev.Time) {
				next = t
			}
		}
		if next == nil {
			return nil
		}
		for until := later(threads, next); next.ev != nil && next.ev.Time <= until; {
			if err := next.step(); err != nil {
				return err
			}
		}
	}
}

// later is the time of the next event of other threads.
func later(threads []*thread, but *thread) uint64 {
	until := uint64(math.MaxUint64)
	for _, t := range threads {
		if t != but && t.ev != nil {
			until = min(until, t.ev.Time)
		}
	}
	return until
}

// site is the number of a place, as records have it.
func (q *process) site(f frame) uint64 {
	if f == (frame{}) {
		return 0
	}
	at, ok := q.sites[f]
	if !ok {
		at = siteStep * uint64(len(q.sites)+1)
		q.sites[f] = at
	}
	return ring.Address{Class: ring.WModule, Off: int64(at)}.Word()
}

// thread is a location that is being imported.
type thread struct {
	*process
	number int
	reader *otf2.EventReader
	ev     *otf2.Event // the next one, nil at the end
	left   counts
	stack  []opened
	later  []outcome // of nonblocking operations, in the order of their begin
	next   int
	call   call
	rec    ring.Record
}

// opened is a region that has not ended.
type opened struct {
	*region
	start, site uint64
	offset      int64 // of an access to a file, -1: not known
	recs        []otf2.Event
}

// outcome is what a nonblocking operation gets.
type outcome struct {
	otf2.Message
	otf2.Collective
	known, cancelled bool
}

// ahead reads what nonblocking operations will get.
func (t *thread) ahead(l *otf2.LocationDef) error {
	pending := map[uint64]int{}
	return t.each(l, func(e *otf2.Event) error {
		switch e.Kind {
		case otf2.IrecvRequest, otf2.CollectiveRequest:
			pending[e.Request] = len(t.later)
			t.later = append(t.later, outcome{})
		case otf2.Irecv, otf2.CollectiveComplete:
			if i, ok := pending[e.Request]; ok {
				t.later[i] = outcome{Message: e.Message, Collective: e.Collective, known: true}
				delete(pending, e.Request)
			}
		case otf2.Cancelled:
			if i, ok := pending[e.Request]; ok {
				t.later[i].cancelled = true
				delete(pending, e.Request)
			}
		}
		return nil
	})
}

// each goes through the events of a location.
func (t *thread) each(l *otf2.LocationDef, do func(*otf2.Event) error) error {
	r, err := t.Events(l)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		if err := do(e); err != nil {
			return err
		}
	}
}

// tell tells of the communicators that the process is in.
func (t *thread) tell() error {
	for _, d := range t.Comms {
		if err := t.tellOf(t.comms[d.ID], t.First); err != nil {
			return err
		}
	}
	return nil
}

var commFunc = spec.ByName("tabard_comm")

// tellOf tells of a communicator, if the process is in it.
func (t *thread) tellOf(c *comm, at uint64) error {
	rank, in := c.ranks[t.rank]
	if !c.told || !in || t.rank < 0 {
		return nil
	}
	var e call
	e.reset(commFunc)
	e.set(0, text(c.name)...)
	e.set(1, uint64(c.id))
	e.set(2, uint64(c.size))
	e.set(3, uint64(rank))
	e.set(4, c.raw)
	t.rec = e.record(t.rec, at, at, 0, 0)
	return t.off.RecordOf(t.number, t.rec)
}

// step takes in the next event.
func (t *thread) step() error {
	if t.r.Events++; t.r.Events%4096 == 0 && t.o.Progress != nil {
		t.o.Progress(4096)
	}
	err := t.event(t.ev)
	if err == nil {
		t.ev, err = t.reader.Next()
	}
	return err
}

func (t *thread) event(e *otf2.Event) error {
	switch e.Kind {
	case otf2.Enter:
		return t.enter(e)
	case otf2.Leave:
		return t.leave(e)
	case otf2.CollectiveBegin: // its end says it all
		return nil
	case otf2.Send, otf2.Isend, otf2.IsendComplete, otf2.IrecvRequest, otf2.Recv, otf2.Irecv, otf2.RequestTest,
		otf2.Cancelled, otf2.CollectiveEnd, otf2.CollectiveRequest, otf2.CollectiveComplete, otf2.RemotePut,
		otf2.RemoteGet, otf2.RemoteAtomic, otf2.HandleCreate, otf2.HandleDestroy, otf2.HandleDuplicate, otf2.SeekFile,
		otf2.IOBegin, otf2.IOIssued, otf2.IOComplete:
		for i := len(t.stack) - 1; i >= 0; i-- {
			if t.stack[i].calls {
				own := *e
				own.Attributes = nil
				t.stack[i].recs = append(t.stack[i].recs, own)
				return nil
			}
		}
		t.left.add("%s outside of calls", e.Kind)
		return nil
	}
	if e.Kind == otf2.ParameterString || len(e.Metrics) > 0 && !e.Strict {
		return t.moment(e)
	}
	t.left.add("%s", e.Kind)
	return nil
}

// moment takes in a parameter or values of metrics as a mark or as values of the program.
func (t *thread) moment(e *otf2.Event) error {
	if e.Kind == otf2.ParameterString {
		name := e.Value
		if e.Text != otf2.MarkParameter {
			name = e.Text + "=" + name
		}
		t.call.reset(regionMark)
		t.call.set(regionMark.In("name"), text(name)...)
		return t.put(e.Time, e.Time, 0, 0)
	}
	for _, m := range e.Metrics {
		t.call.reset(regionValue)
		t.call.set(regionValue.In("name"), text(m.Name)...)
		t.call.set(regionValue.In("value"), math.Float64bits(m.Value))
		if err := t.put(e.Time, e.Time, 0, 0); err != nil {
			return err
		}
	}
	return nil
}

// enter begins a region.
func (t *thread) enter(e *otf2.Event) error {
	k := t.region(e.Region)
	n := len(t.stack)
	if n < cap(t.stack) {
		t.stack = t.stack[:n+1]
	} else {
		t.stack = append(t.stack, opened{})
	}
	o := &t.stack[n]
	*o = opened{region: k, start: e.Time, offset: -1, recs: o.recs[:0]}
	for _, a := range e.Attributes {
		if a.ID == t.importer.offset && a.Value <= math.MaxInt64 {
			o.offset = int64(a.Value)
		}
	}
	switch k.f {
	case functionOpen:
		t.r.Functions++
		o.site = t.site(frame{k.def.Name, k.def.File, k.def.Line})
		return t.point(functionOpen, e.Time, o.site)
	case regionBegin:
		t.r.Regions++
		t.call.reset(regionBegin)
		t.call.set(regionBegin.In("name"), text(k.def.Name)...)
		return t.put(e.Time, e.Time, t.place(e, n), 0)
	}
	o.site = t.place(e, n)
	return nil
}

// place is where something is called: as an attribute or the calling context has it, else in the function around it.
func (t *thread) place(e *otf2.Event, depth int) uint64 {
	at, known := otf2.PlaceDef{}, false
	if e.Place != otf2.Undefined {
		at, known = t.Places[e.Place]
	}
	for _, a := range e.Attributes {
		if a.ID == t.importer.site && a.Source {
			at, known = t.Places[uint32(a.Value)]
		}
	}
	f := frame{file: at.File, line: at.Line}
	if from, ok := t.Callers[otf2.CallerKey{Place: at, Region: e.Region}]; ok && known {
		f.name = t.Regions[from].Name
		return t.process.site(f)
	}
	for i := depth - 1; i >= 0; i-- {
		if t.stack[i].f == functionOpen {
			f.name = t.stack[i].def.Name
			if !known {
				f.file = t.stack[i].def.File
			}
			break
		}
	}
	return t.process.site(f)
}

// point writes an event without a duration and without values.
func (t *thread) point(f *spec.Func, at, site uint64) error {
	t.call.reset(f)
	return t.put(at, at, site, 0)
}

// put hands the call that is put together to the encoder.
func (t *thread) put(start, end, site uint64, flags uint16) error {
	t.rec = t.call.record(t.rec, start, max(start, end), site, flags)
	return t.off.RecordOf(t.number, t.rec)
}

// leave ends a region, and those that were begun in it and have not ended.
func (t *thread) leave(e *otf2.Event) error {
	n := len(t.stack) - 1
	k := t.region(e.Region)
	for n >= 0 && t.stack[n].region != k && t.stack[n].def.Name != k.def.Name {
		n--
	}
	if n < 0 {
		t.left.add("LEAVE without ENTER")
		return nil
	}
	for i := len(t.stack) - 1; i >= n; i-- {
		if i > n {
			t.left.add("ENTER without LEAVE")
		}
		if err := t.end(i, e.Time); err != nil {
			return err
		}
	}
	return nil
}

// end ends the innermost region.
func (t *thread) end(i int, at uint64) error {
	o := &t.stack[i]
	t.stack = t.stack[:i]
	switch o.f {
	case functionOpen:
		return t.point(functionClose, at, 0)
	case regionBegin:
		return t.point(regionEnd, at, 0)
	}
	t.r.Calls++
	if err := t.fill(o); err != nil {
		return err
	}
	return t.put(o.start, at, o.site, t.nested(i))
}

// nested is the flag of calls that are made in other ones.
func (t *thread) nested(i int) uint16 {
	for k := range i {
		if t.stack[k].calls {
			return ring.FNested
		}
	}
	return 0
}

// unfinished writes the calls that have not returned, outermost first.
func (t *thread) unfinished() error {
	for i := range t.stack {
		if o := &t.stack[i]; o.calls {
			t.process.open = true
			t.r.Calls++
			if err := t.fill(o); err != nil {
				return err
			}
			if err := t.put(o.start, o.start, o.site, t.nested(i)|ring.FEnter); err != nil {
				return err
			}
		}
	}
	return nil
}
