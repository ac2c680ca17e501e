package export

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/otf2"
	"github.com/tabard-hpc/tabard/spec"
)

// otf2Stream writes the events of a location.
type otf2Stream struct {
	*otf2Archive
	ev     *otf2.Events
	stream *archive.Stream
	inside bool // the first selected event has come
	points *points

	terms  map[uint32]*otf2Term
	lanes  map[int64]*otf2Request
	inits  map[int64]*calls.Op      // persistent requests
	open   []otf2Open               // regions
	ranks  map[int64]uint32         // of processes in communicators
	remote map[uint32]*[2]uint64    // by window: the first and the next number of what is not complete
	next   uint64                   // request, or operation on a window or file
	io     []otf2Operation          // on files, of calls that have not returned
	split  map[uint32]otf2Operation // those of split collectives, by handle
	at     time.Duration
	attrs  []otf2.Attribute
	room   []note
}

// otf2Term is what the calls of a terminal have in common.
type otf2Term struct {
	region uint32
	site   []otf2.Attribute
	op     otf2.CollectiveOp
	coll   bool
}

// otf2Open is a region that has begun.
type otf2Open struct {
	region    uint32
	construct string
}

func (o otf2Open) of() string { return o.construct }

// otf2Request is a request under way.
type otf2Request struct {
	op         calls.Op // that made it
	send, recv uint64   // numbers; 0: it does not do that
	coll       uint64
	// posted is set if the event of its begin was written.
	sent, posted bool
	got          *message // nil: not known
	io           *otf2Operation
}

// term looks at a terminal.
func (s *otf2Stream) term(t uint32, f *spec.Func) (*otf2Term, error) {
	if x := s.terms[t]; x != nil {
		return x, nil
	}
	x := &otf2Term{}
	s.terms[t] = x
	sig, err := s.stream.Signature(t)
	if err != nil {
		return nil, err
	}
	if name, _ := construct(f); name != "" {
		x.region = s.defs.Region(otf2.Region{Name: name, Role: otf2.RoleCode, Paradigm: paradigm(f)})
		return x, nil
	}
	if name, opens := selection.OpenName(s.stream, sig); opens {
		x.region = s.defs.Region(otf2.Region{Name: name, Role: otf2.RoleCode, Paradigm: paradigm(f)})
		return x, nil
	}
	if f.Op == spec.OpDeviceKernel {
		x.region = s.defs.Region(otf2.Region{Name: kernelName(f, sig), Role: role(f), Paradigm: paradigm(f)})
	} else {
		x.region = s.function(f)
	}
	x.op, x.coll = collectiveOp(f)
	if list := frames(s.stream.Site(sig)); len(list) > 0 {
		at := &list[0]
		file := at.File
		if file == "" {
			file = at.Image
		}
		from := s.defs.Region(otf2.Region{Name: frameName(*at), File: at.File, Role: otf2.RoleFunction,
			Paradigm: otf2.Compiler})
		s.defs.Callsite(file, at.Line, x.region, from)
		x.site = []otf2.Attribute{{ID: s.site, Source: true, Value: uint64(s.defs.Place(file, at.Line))}}
	}
	return x, nil
}

// attributes are those that the event of a call's begin has: its place in the source, and what no other event says.
func (s *otf2Stream) attributes(x *otf2Term, c *call) []otf2.Attribute {
	op := c.Op
	if _, file := splitNotes(c.notes); file != nil {
		return s.offset(x, op, file)
	}
	switch op.Kind {
	case calls.SendInit, calls.RecvInit, calls.CollectiveInit, calls.Probe, calls.Mprobe:
	default:
		return x.site
	}
	s.attrs = append(s.attrs[:0], x.site...)
	s.arguments(op, s.add, func(string, string) {
		if op.Comm >= 0 {
			s.add("communicator", int64(op.Comm))
		}
	})
	return s.attrs
}

// add adds an attribute of the next event.
func (s *otf2Stream) add(name string, v int64) {
	id, ok := s.names[name]
	if !ok {
		id = s.defs.Attribute(name, false)
		s.names[name] = id
	}
	s.attrs = append(s.attrs, otf2.Attribute{ID: id, Value: uint64(v)})
}

// enter begins the regions that are open where the selection begins.
func (s *otf2Stream) enter(t time.Duration) error {
	s.at = t
	if s.inside {
		return nil
	}
	s.inside = true
	for _, r := range s.open {
		if err := s.ev.Enter(ticks(t), r.region); err != nil {
			return err
		}
	}
	return nil
}

func (s *otf2Stream) begin(c *call) error {
	if err := s.enter(c.begin); err != nil {
		return err
	}
	t := ticks(c.begin)
	x, err := s.term(c.Terminal, c.Func)
	if err != nil {
		return err
	}
	name, begins := construct(c.Func)
	switch {
	case c.Func.Shape == spec.ShapeOpen || begins:
		s.open = append(s.open, otf2Open{x.region, name})
		return s.ev.Enter(t, x.region)
	case c.Func.Shape == spec.ShapeClose || name != "":
		for i := closes(s.open, name); i >= 0 && len(s.open) > i; {
			last := s.open[len(s.open)-1]
			s.open = s.open[:len(s.open)-1]
			if err := s.ev.Leave(t, last.region); err != nil {
				return err
			}
		}
		return nil
	case c.Func.Shape == spec.ShapePoint:
		return s.moment(c.Op, t)
	}
	if err := s.ev.Enter(t, x.region, s.attributes(x, c)...); err != nil || c.Void {
		return err
	}
	if _, file := splitNotes(c.notes); file != nil && c.last {
		if err := s.beginsIO(c.Op, file, t); err != nil {
			return err
		}
	}
	return s.starts(c, x, t)
}

// starts writes what a call begins.
func (s *otf2Stream) starts(c *call, x *otf2Term, t uint64) error {
	switch op := c.Op; {
	case !c.last:
	case op.Kind == calls.Put || op.Kind == calls.Get || op.Kind == calls.Accumulate:
		return s.access(op, t)
	case op.Kind == calls.Start || op.Nonblocking():
		s.follow(op, c.notes)
		lanes := op.Requests
		if op.Kind != calls.Start {
			lanes = []int64{op.Request}
		}
		for _, lane := range lanes {
			if err := s.post(s.lanes[lane], t); err != nil {
				return err
			}
		}
	case op.Kind == calls.Send || op.Kind == calls.SendRecv:
		if m, ok := s.sent(op); ok {
			return s.ev.Send(t, &m)
		}
	case op.Kind == calls.Collective && op.Func.Op == spec.OpFence:
		if op.Comm < 0 {
			s.pathless++
			return nil
		}
		return s.ev.FenceBegin(t)
	case op.Kind == calls.Collective && s.hasComm(x, op):
		return s.ev.CollectiveBegin(t)
	case op.Request >= 0:
		s.follow(op, nil)
	}
	return nil
}

// moment writes a mark or a value.
func (s *otf2Stream) moment(op *calls.Op, t uint64) error {
	m, err := s.points.next(op.Terminal, op.Func)
	if m == nil || err != nil {
		return err
	}
	if m.valued {
		return s.ev.Metric(t, s.defs.Metric(m.name), m.value)
	}
	return s.ev.Parameter(t, s.defs.Marks(), s.defs.String(m.name))
}

// hasComm tells whether a blocking collective can be written.
func (s *otf2Stream) hasComm(x *otf2Term, op *calls.Op) bool {
	if !x.coll || op.Class == spec.File && x.op != otf2.OpDestroyHandle {
		return false
	}
	if op.Comm < 0 {
		s.pathless++
		return false
	}
	return true
}

func (s *otf2Stream) end(c *call) error {
	if c.Func.Shape != spec.ShapeCall {
		return nil
	}
	s.at = max(s.at, c.end)
	t := ticks(c.end)
	x, err := s.term(c.Terminal, c.Func)
	if err != nil {
		return err
	}
	if c.last && !c.Void {
		if err := s.ends(c, x, t); err != nil {
			return err
		}
	}
	return s.ev.Leave(t, x.region)
}

// ends writes what a call completes.
func (s *otf2Stream) ends(c *call, x *otf2Term, t uint64) error {
	messages, file := splitNotes(c.notes)
	if file != nil {
		if err := s.endsIO(c.Op, file, t); err != nil {
			return err
		}
	}
	for i := range messages {
		n := &messages[i]
		blocking := (c.Kind == calls.Recv || c.Kind == calls.Mrecv || c.Kind == calls.SendRecv) && !c.Nonblocking()
		if n.value&1 == 0 && !blocking {
			continue
		}
		if m, ok := s.message(&n.message); ok {
			if err := s.ev.Recv(t, &m); err != nil {
				return err
			}
		}
	}
	switch op := c.Op; {
	case op.Nonblocking():
	case op.Kind == calls.Complete:
		return s.complete(op, t, true)
	case op.Kind == calls.FreeRequest:
		s.drop(op)
	case op.Kind == calls.Collective && op.Func.Op == spec.OpFence && op.Comm < 0:
	case op.Kind == calls.Collective && op.Func.Op == spec.OpFence:
		if err := s.synchronised(op, t); err != nil {
			return err
		}
		return s.ev.FenceEnd(t, s.window(op))
	case op.Kind == calls.Collective && x.coll && op.Comm >= 0 &&
		(op.Class != spec.File || x.op == otf2.OpDestroyHandle):
		if op.Class == spec.Win {
			if err := s.synchronised(op, t); err != nil {
				return err
			}
		}
		coll := s.collective(op, x.op)
		return s.ev.CollectiveEnd(t, &coll)
	case op.Kind == calls.RMASync:
		return s.synchronised(op, t)
	}
	return nil
}

// passed follows requests and regions in front of the selection, and among what is selected.
func (s *otf2Stream) passed(op *calls.Op) (err error) {
	name, begins := construct(op.Func)
	switch {
	case op.Func.Shape == spec.ShapeOpen || begins:
		x, err := s.term(op.Terminal, op.Func)
		if err != nil {
			return err
		}
		s.open = append(s.open, otf2Open{x.region, name})
	case op.Func.Shape == spec.ShapeClose || name != "":
		if i := closes(s.open, name); i >= 0 {
			s.open = s.open[:i]
		}
	case op.Func.Shape == spec.ShapePoint:
		return s.points.pass(op.Terminal, op.Func)
	case op.Void:
	case op.Kind == calls.Complete:
		return s.complete(op, 0, false)
	case op.Kind == calls.FreeRequest:
		s.drop(op)
	case op.Kind == calls.Start || op.Request >= 0:
		s.room, err = s.arrows.of(s.room[:0], int32(s.stream.Index()), op.Call)
		s.follow(op, s.room)
	}
	return err
}

// request writes the begin of receives and collectives that are under way where the selection begins. Sends are not
// written again: their messages would count twice in two windows.
func (s *otf2Stream) request(lane int64, _ *calls.Op, at time.Duration) error {
	r := s.lanes[lane]
	if s.inside || r == nil {
		return nil
	}
	s.at = at
	return s.postReceive(r, ticks(at))
}

func (s *otf2Stream) done(int64, time.Duration) error { return nil }

// finish ends the regions that are open.
func (s *otf2Stream) finish() error {
	for i := len(s.open) - 1; i >= 0 && s.inside; i-- {
		if err := s.ev.Leave(ticks(s.at), s.open[i].region); err != nil {
			return err
		}
	}
	return s.ev.Close()
}
