package export

import (
	"bytes"
	"io"
	"math"
	"math/bits"
	"time"

	"github.com/klauspost/compress/zlib"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	tl "github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Fields of the messages of Perfetto's trace format, https://perfetto.dev/docs/reference/trace-packet-proto.
const (
	tracePacket = 1

	packetTimestamp  = 8
	packetClock      = 58
	packetSequence   = 10
	packetEvent      = 11
	packetInterned   = 12
	packetFlags      = 13
	packetClocks     = 6
	packetDefaults   = 59
	packetTrack      = 60
	packetCompressed = 50

	clocksClock                          = 1
	clockID, clockTime, clockIncremental = 1, 2, 3
	defaultsClock, defaultsEvent         = 58, 11
	internedCategories, internedNames    = 1, 2
	internedArgNames, internedLocations  = 3, 4
	internedStrings                      = 29
	locationFile, locationFunc, locLine  = 2, 3, 4
	internedID, internedName             = 1, 2

	trackUUID, trackName, trackProcess, trackThread     = 1, 2, 3, 4
	trackParent, trackCounter, trackOrdering, trackRank = 5, 8, 11, 12
	processPID, processName                             = 1, 6
	threadPID, threadTID, threadName_                   = 1, 2, 5
	counterUnitName                                     = 6

	eventCategory, eventArg, eventType, eventName = 3, 4, 9, 10
	eventTrack, eventLocation, eventFlow          = 11, 34, 47
	eventDouble                                   = 44
	argName, argUint, argInt, argString           = 1, 3, 4, 17
	sliceBegin, sliceEnd, instant, counterEvent   = 1, 2, 3, 4
)

// Clocks and flags of packets.
const (
	bootClock  = 6  // the time since the start of the trace
	deltaClock = 64 // the time since the packet before

	stateCleared, stateNeeded = 1, 2
	// packedBytes is how much is compressed at once.
	packedBytes = 1 << 18
)

// perfetto writes a trace for ui.perfetto.dev and trace_processor: a process for each host, and in it a track for
// each thread of each rank, tracks of its requests and counters.
type perfetto struct {
	proto
	*timeline
	w     io.Writer
	z     *zlib.Writer
	room  bytes.Buffer
	hosts map[string]uint64
	share *binned
	err   error
}

func writePerfetto(j *Job, w io.Writer) error {
	t, err := openTimeline(j)
	if err != nil {
		return err
	}
	defer t.arrows.close()
	x := &perfetto{timeline: t, w: w, hosts: map[string]uint64{}, share: newBinned(1, t.from, t.to)}
	if x.z, err = zlib.NewWriterLevel(&x.room, 6); err != nil {
		return err
	}
	if err := t.streams(x.stream); err != nil {
		return err
	}
	return x.flush()
}

// Numbers of tracks. Those of requests follow from the numbers of streams.
const (
	hostTracks    = 1 << 60
	threadTracks  = 2 << 60
	shareTracks   = 3 << 60
	flyingTracks  = 4 << 60
	requestTracks = 5 << 60
	valueTracks   = 6 << 60
)

// descriptors is the sequence of packets that describe tracks, and of counters.
const descriptors = 1

// packet begins a packet of a sequence; send gets what it returns.
func (x *perfetto) packet(sequence uint64) (at int) {
	at = x.open(tracePacket)
	x.uint(packetSequence, sequence)
	return at
}

// send ends a packet, and writes what has come together.
func (x *perfetto) send(at int) error {
	x.close(at)
	if len(x.b) < packedBytes {
		return nil
	}
	return x.flush()
}

// flush writes what has come together as one compressed packet.
func (x *perfetto) flush() error {
	if len(x.b) == 0 {
		return nil
	}
	x.room.Reset()
	x.z.Reset(&x.room)
	x.z.Write(x.b) // to memory
	if err := x.z.Close(); err != nil {
		return err
	}
	x.b = x.b[:0]
	at := x.open(tracePacket)
	x.str(packetCompressed, x.room.String())
	x.close(at)
	_, err := x.w.Write(x.b)
	x.b = x.b[:0]
	return err
}

// host is the number of the process that stands for a host.
func (x *perfetto) host(name string) (uint64, error) {
	if n, ok := x.hosts[name]; ok {
		return n, nil
	}
	n := uint64(len(x.hosts) + 1)
	x.hosts[name] = n
	at := x.packet(descriptors)
	d := x.open(packetTrack)
	x.uint(trackUUID, hostTracks+n)
	p := x.open(trackProcess)
	x.uint(processPID, n)
	x.str(processName, "host "+name)
	x.close(p)
	x.close(d)
	return n, x.send(at)
}

// firstThread is the least number of a thread: they must not be those of processes.
const firstThread = 1 << 24

// stream begins the track of a thread.
func (x *perfetto) stream(p *selection.Part) (sink, func() error, error) {
	host, err := x.host(p.Stream.Rank().Host)
	if err != nil {
		return nil, nil, err
	}
	i := uint64(p.Stream.Index())
	s := &perfettoStream{perfetto: x, stream: p.Stream, kernels: kernelNames{stream: p.Stream},
		sequence: descriptors + 1 + i, track: threadTracks + i, at: max(x.from, 0), names: map[string]uint64{}, categories: map[string]uint64{}, texts: map[string]uint64{},
		args: map[string]uint64{}, sites: map[uint32]uint64{}, lanes: map[int64]bool{}, values: map[string]uint64{}}
	at := x.packet(descriptors)
	d := x.open(packetTrack)
	x.uint(trackUUID, s.track)
	th := x.open(trackThread)
	x.uint(threadPID, host)
	x.uint(threadTID, firstThread+i)
	x.str(threadName_, threadName(p.Stream))
	x.close(th)
	x.close(d)
	if err := x.send(at); err != nil {
		return nil, nil, err
	}
	n := newNest(p.Stream, s)
	return n, func() error {
		if err := n.finish(); err != nil {
			return err
		}
		return s.finish()
	}, s.start()
}

// perfettoStream is the track of a thread.
type perfettoStream struct {
	*perfetto
	stream          *archive.Stream
	sequence, track uint64
	last, at        time.Duration // of the packet before and of this one
	depth           int
	outer           time.Duration // begin of the outermost call that is going on

	names, categories, texts, args map[string]uint64 // interned
	sites                          map[uint32]uint64 // of terminals; 0: none
	kernels                        kernelNames
	lanes                          map[int64]bool    // described
	values                         map[string]uint64 // tracks of values by name
	fresh                          proto             // what the next packet interns
}

// start says what all packets of the sequence have in common.
func (s *perfettoStream) start() error {
	at := s.packet(s.sequence)
	s.uint(packetFlags, stateCleared)
	c := s.open(packetClocks)
	for _, id := range []uint64{bootClock, deltaClock} {
		k := s.open(clocksClock)
		s.uint(clockID, id)
		s.uint(clockTime, uint64(s.at))
		s.set(clockIncremental, int64(id/deltaClock))
		s.close(k)
	}
	s.close(c)
	d := s.open(packetDefaults)
	s.uint(defaultsClock, deltaClock)
	e := s.open(defaultsEvent)
	s.uint(eventTrack, s.track)
	s.close(e)
	s.close(d)
	return s.send(at)
}

// event begins a packet with an event at a time.
func (s *perfettoStream) event(t time.Duration, kind uint64) (packet, event int) {
	packet = s.packet(s.sequence)
	s.uint(packetFlags, stateNeeded)
	s.last, s.at = s.at, max(t, s.at)
	event = s.open(packetEvent)
	s.uint(eventType, kind)
	return packet, event
}

// intern numbers a text that an interned message of a field has.
func (s *perfettoStream) intern(field int, ids map[string]uint64, text string) uint64 {
	id, ok := ids[text]
	if !ok {
		id = uint64(len(ids) + 1)
		ids[text] = id
		at := s.fresh.open(field)
		s.fresh.uint(internedID, id)
		s.fresh.str(internedName, text)
		s.fresh.close(at)
	}
	return id
}

// site numbers the place in the source that the calls of a terminal come from, 0 if it is not known.
func (s *perfettoStream) site(terminal uint32) uint64 {
	id, ok := s.sites[terminal]
	if ok {
		return id
	}
	s.sites[terminal] = 0
	sig, err := s.stream.Signature(terminal)
	if err != nil {
		return 0
	}
	list := frames(s.stream.Site(sig))
	if len(list) == 0 {
		return 0
	}
	id = uint64(terminal) + 1
	s.sites[terminal] = id
	at := s.fresh.open(internedLocations)
	s.fresh.uint(internedID, id)
	s.fresh.str(locationFile, list[0].File)
	s.fresh.str(locationFunc, frameName(list[0]))
	s.fresh.set(locLine, int64(list[0].Line))
	s.fresh.close(at)
	return id
}

// title fills in what the event of every slice has.
func (s *perfettoStream) title(category, name string, terminal uint32) {
	s.uint(eventCategory, s.intern(internedCategories, s.categories, category))
	s.uint(eventName, s.intern(internedNames, s.names, name))
	if id := s.site(terminal); id != 0 {
		s.uint(eventLocation, id)
	}
}

// describe fills in the event of a call or request.
func (s *perfettoStream) describe(f *spec.Func, op *calls.Op) {
	s.title(tl.CategoryOf(f).String(), s.kernels.of(f, op.Terminal), op.Terminal)
	s.arguments(op, func(name string, v int64) {
		a := s.open(eventArg)
		s.uint(argName, s.intern(internedArgNames, s.args, name))
		s.uint(argUint, uint64(v))
		s.close(a)
	}, func(name, text string) {
		a := s.open(eventArg)
		s.uint(argName, s.intern(internedArgNames, s.args, name))
		s.uint(argString, s.intern(internedStrings, s.texts, text))
		s.close(a)
	})
}

// finishEvent ends a packet with an event, and adds its time and what it interns. The time is behind the event, so that
// what varies lies together: all else is as in a packet before, which compresses.
func (s *perfettoStream) finishEvent(packet, event int) error {
	s.close(event)
	s.uint(packetTimestamp, uint64(s.at-s.last))
	if len(s.fresh.b) > 0 {
		s.str(packetInterned, string(s.fresh.b))
		s.fresh.b = s.fresh.b[:0]
	}
	return s.send(packet)
}

// flow adds the arrows that begin (0) or end (1) at the event. The end of a slice is the place for those that end: a
// receive may begin before its send. Their numbers have what varies in the last byte, beside the time of the packet.
func (s *perfettoStream) flow(c *call, end uint64) {
	for _, n := range c.notes {
		if n.value&1 == end {
			s.fixed64(eventFlow, bits.ReverseBytes64(n.value>>1))
		}
	}
}

func (s *perfettoStream) enter(r *region, at time.Duration) error {
	p, e := s.event(at, sliceBegin)
	s.title(r.category, r.name, r.terminal)
	return s.finishEvent(p, e)
}

// mark is an instant, or a value of a counter of the thread.
func (s *perfettoStream) mark(m *moment, at time.Duration) error {
	if !m.valued {
		p, e := s.event(at, instant)
		s.title(m.category, m.name, m.terminal)
		return s.finishEvent(p, e)
	}
	track, ok := s.values[m.name]
	if !ok {
		track = valueTracks + uint64(s.stream.Index())<<28 + uint64(len(s.values))
		s.values[m.name] = track
		if err := s.child(track, m.name, true, ""); err != nil {
			return err
		}
	}
	p, e := s.event(at, counterEvent)
	s.uint(eventTrack, track)
	s.double(eventDouble, m.value)
	return s.finishEvent(p, e)
}

func (s *perfettoStream) leave(at time.Duration) error {
	p, e := s.event(at, sliceEnd)
	return s.finishEvent(p, e)
}

func (s *perfettoStream) begin(c *call) error {
	if s.depth++; s.depth == 1 {
		s.outer = c.begin
	}
	p, e := s.event(c.begin, sliceBegin)
	s.describe(c.Func, c.Op)
	s.flow(c, 0)
	return s.finishEvent(p, e)
}

func (s *perfettoStream) end(c *call) error {
	if s.depth--; s.depth == 0 {
		s.share.add(0, s.outer, c.end, 1)
	}
	p, e := s.event(c.end, sliceEnd)
	s.flow(c, 1)
	return s.finishEvent(p, e)
}

// lane is the track of a request.
func (s *perfettoStream) lane(lane int64) uint64 {
	return requestTracks + uint64(s.stream.Index())<<28 + uint64(lane)&(1<<28-1)
}

func (s *perfettoStream) request(lane int64, op *calls.Op, at time.Duration) error {
	if !s.lanes[lane] {
		s.lanes[lane] = true
		if err := s.child(s.lane(lane), "requests in flight", false, ""); err != nil {
			return err
		}
	}
	p, e := s.event(at, sliceBegin)
	s.uint(eventTrack, s.lane(lane))
	s.describe(op.Func, op)
	return s.finishEvent(p, e)
}

func (s *perfettoStream) done(lane int64, at time.Duration) error {
	p, e := s.event(at, sliceEnd)
	s.uint(eventTrack, s.lane(lane))
	return s.finishEvent(p, e)
}

// child describes a track that belongs to the thread; a counter may have a unit.
func (s *perfettoStream) child(uuid uint64, name string, counter bool, unit string) error {
	at := s.packet(descriptors)
	d := s.open(packetTrack)
	s.uint(trackUUID, uuid)
	s.uint(trackParent, s.track)
	s.str(trackName, name)
	if counter {
		c := s.open(trackCounter)
		if unit != "" {
			s.str(counterUnitName, unit)
		}
		s.close(c)
	}
	s.close(d)
	return s.send(at)
}

// finish writes the counters of the thread.
func (s *perfettoStream) finish() error {
	n := uint64(s.stream.Index())
	if err := s.counter(shareTracks+n, "share in calls", "%", s.share, 0, 100); err != nil {
		return err
	}
	s.share.clear()
	if s.stream.Thread() > 0 {
		return nil
	}
	return s.counter(flyingTracks+n, "bytes in flight", "bytes", s.flying, s.stream.Process(), 1)
}

// counter writes the values of a row, times a factor.
func (s *perfettoStream) counter(uuid uint64, name, unit string, b *binned, row int, factor float64) error {
	described, err := false, error(nil)
	b.each(row, func(t time.Duration, mean float64) {
		if err != nil || !described && mean == 0 {
			return
		}
		if !described {
			described = true
			err = s.child(uuid, name, true, unit)
		}
		at := s.packet(descriptors)
		s.uint(packetTimestamp, uint64(max(t, 0)))
		s.uint(packetClock, bootClock)
		e := s.open(packetEvent)
		s.uint(eventType, counterEvent)
		s.uint(eventTrack, uuid)
		s.double(eventDouble, math.Round(mean*factor*100)/100)
		s.close(e)
		if e := s.send(at); err == nil {
			err = e
		}
	})
	return err
}
