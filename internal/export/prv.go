package export

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/spec"
)

// Files of a trace for Paraver: it looks for those that end in pcf and row beside the one that is opened.
const (
	prvTrace  = "trace.prv"
	prvConfig = "trace.pcf"
	prvNames  = "trace.row"
	prvBegin  = "#Paraver ("
)

var prvName = regexp.MustCompile(`^trace\.(prv|pcf|row)$`)

func isPrv(head []byte) bool { return bytes.HasPrefix(head, []byte(prvBegin)) }

// prv writes a trace for Paraver, in the format of "Paraver traces: description" of the Barcelona Supercomputing
// Center: states, events and communications in the order of their times, nanoseconds since the start of the recording.
// Types and values of events are those of Extrae, so that Paraver's own configurations find them.
type prv struct {
	*timeline
	lines timedLines
	where []string // of streams: ":cpu:application:task:thread:"
	cpus  []prvNode
	tasks [][]*archive.Stream // of processes
	end   int64

	config *prvLabels
	// pending counts messages that nobody completes.
	pending uint64
	b       []byte
}

// prvNode is a host with how many threads run on it.
type prvNode struct {
	name    string
	threads int
}

// writePrv writes the three files of a trace.
func writePrv(j *Job, out *safefile.OutputDir) error {
	t, err := openStreams(j)
	if err != nil {
		return err
	}
	x := &prv{timeline: t, config: newPrvLabels()}
	defer x.lines.close()
	x.places()
	if err := x.messagesOf(); err != nil {
		return err
	}
	if err := t.streams(x.stream); err != nil {
		return err
	}
	if x.pending > 0 {
		j.note("%d messages are left out: no call completes their receives", x.pending)
	}
	for name, write := range map[string]func(io.Writer) error{prvTrace: x.trace, prvConfig: x.config.write,
		prvNames: x.names} {
		err := createFile(out.Create, name, func(f io.Writer) error {
			w := bufio.NewWriterSize(f, 1<<16)
			if err := write(w); err != nil {
				return err
			}
			return w.Flush()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// places numbers processors, tasks and threads from 1. There is one application, whose tasks are the processes, with a
// thread each where nothing is written of them. Each thread has a processor of its own, those of a host one behind the
// other.
func (x *prv) places() {
	x.tasks = make([][]*archive.Stream, x.Archive.NumRanks())
	most := 0
	for _, p := range x.parts {
		x.tasks[p.Stream.Process()] = append(x.tasks[p.Stream.Process()], p.Stream)
		most = max(most, p.Stream.Index())
	}
	node := map[string]int{}
	of := make([]int, len(x.tasks))
	for i, r := range x.Archive.Ranks() {
		k, ok := node[r.Host]
		if !ok {
			k = len(x.cpus)
			node[r.Host] = k
			x.cpus = append(x.cpus, prvNode{name: r.Host})
		}
		of[i] = k
		x.cpus[k].threads += max(1, len(x.tasks[i]))
	}
	next := make([]int, len(x.cpus))
	for k := 1; k < len(next); k++ {
		next[k] = next[k-1] + x.cpus[k-1].threads
	}
	x.where = make([]string, most+1)
	for i, list := range x.tasks {
		for k, s := range list {
			next[of[i]]++
			x.where[s.Index()] = fmt.Sprintf(":%d:1:%d:%d:", next[of[i]], i+1, k+1)
		}
		if len(list) == 0 {
			next[of[i]]++
		}
	}
}

// line adds a line that begins with what b has.
func (x *prv) line(at int64) error {
	x.b = append(x.b, '\n')
	return x.lines.add(at, x.b)
}

// start begins a line.
func (x *prv) start(kind byte, stream int) { x.b = append(append(x.b[:0], kind), x.where[stream]...) }

func (x *prv) number(v int64) { x.b = append(strconv.AppendInt(x.b, v, 10), ':') }

// nanos is a time as Paraver has it.
func (x *prv) nanos(t time.Duration) int64 {
	at := int64(max(t, 0))
	x.end = max(x.end, at)
	return at
}

// messagesOf writes the communications: logical times are when the calls begin that send and receive, physical ones
// when the message is sent, which nobody knows better, and when the receive completes.
func (x *prv) messagesOf() error {
	chosen := x.sel.Chooser()
	has := func(r *match.Ref) bool { return r.Known() && r.Timed && chosen(int(r.Stream), r.Terminal, r.Call) }
	progress := x.meter("matching messages", "events")
	defer progress.Done()
	_, err := match.RunProgram(x.program, match.Options{Progress: progress.Show, Message: func(m *match.Message) error {
		send, post, done := &m.Send.Post, &m.Recv.Post, &m.Recv.Done
		if !has(send) || !has(post) {
			return nil
		}
		if !done.Known() || !done.Timed {
			x.pending++
			return nil
		}
		from, posted := x.nanos(send.Begin), x.nanos(post.Begin)
		x.start('3', int(send.Stream))
		x.number(from)
		x.number(from)
		x.b = append(x.b, x.where[post.Stream][1:]...)
		x.number(posted)
		x.number(max(posted, x.nanos(done.End)))
		x.number(max(m.Bytes, 0))
		x.b = strconv.AppendInt(x.b, int64(m.Tag), 10)
		return x.line(from)
	}})
	return err
}

func (x *prv) stream(p *selection.Part) (sink, func() error, error) {
	s := &prvStream{prv: x, stream: p.Stream, points: newPoints(p.Stream), terms: map[uint32]*prvTerm{}, since: -1}
	return s, s.finish, nil
}

// trace writes the file that is opened.
func (x *prv) trace(w io.Writer) error {
	fmt.Fprintf(w, "%s%s):%d_ns:%d(", prvBegin, x.Archive.Meta().Created.UTC().Format("02/01/06 at 15:04"), x.end,
		len(x.cpus))
	node := map[string]int{}
	for i, n := range x.cpus {
		node[n.name] = i + 1
		fmt.Fprintf(w, "%s%d", []string{"", ","}[min(i, 1)], n.threads)
	}
	fmt.Fprintf(w, "):1:%d(", len(x.tasks))
	for i, r := range x.Archive.Ranks() {
		fmt.Fprintf(w, "%s%d:%d", []string{"", ","}[min(i, 1)], max(1, len(x.tasks[i])), node[r.Host])
	}
	io.WriteString(w, ")\n")
	return x.lines.writeTo(w)
}

// names writes what rows are called.
func (x *prv) names(w io.Writer) error {
	var cpus, threads, tasks []string
	for i, r := range x.Archive.Ranks() {
		tasks = append(tasks, rankName(r, i))
		for _, s := range x.tasks[i] {
			threads = append(threads, threadName(s))
		}
		if len(x.tasks[i]) == 0 {
			threads = append(threads, rankName(r, i))
		}
	}
	var nodes []string
	for _, n := range x.cpus {
		nodes = append(nodes, n.name)
		for k := range n.threads {
			cpus = append(cpus, fmt.Sprintf("%s, thread %d", n.name, k+1))
		}
	}
	for _, level := range []struct {
		name string
		rows []string
	}{{"CPU", cpus}, {"NODE", nodes}, {"TASK", tasks}, {"THREAD", threads}} {
		fmt.Fprintf(w, "LEVEL %s SIZE %d\n", level.name, len(level.rows))
		for _, row := range level.rows {
			io.WriteString(w, oneLine(row)+"\n")
		}
		io.WriteString(w, "\n")
	}
	return nil
}

// prvStream writes states and events of a thread.
type prvStream struct {
	*prv
	stream *archive.Stream
	points *points
	terms  map[uint32]*prvTerm
	open   []prvLevel // calls and regions that are open
	since  int64      // begin of the state that is not written yet; -1 in front of the first one
	inside bool
}

// prvLevel is a call or a region: the state that it is, and the event; for constructs of OpenMP, which one.
type prvLevel struct {
	state       prvState
	kind, value int64
	construct   string
}

func (l prvLevel) of() string { return l.construct }

// prvTerm is what the calls of a terminal have in common.
type prvTerm struct {
	prvLevel
	site int64 // 0: not known
}

func (s *prvStream) term(op *calls.Op) (*prvTerm, error) {
	if x := s.terms[op.Terminal]; x != nil {
		return x, nil
	}
	sig, err := s.stream.Signature(op.Terminal)
	if err != nil {
		return nil, err
	}
	x := &prvTerm{}
	s.terms[op.Terminal] = x
	if name, begins := construct(op.Func); begins {
		x.prvLevel = s.config.construct(name)
		return x, nil
	}
	if name, opens := selection.OpenName(s.stream, sig); opens {
		x.prvLevel = prvLevel{state: prvRunning, kind: prvRegion, value: s.config.value(prvRegion, name)}
		return x, nil
	}
	x.prvLevel = s.config.function(op)
	if list := frames(s.stream.Site(sig)); len(list) > 0 {
		x.site = s.config.value(prvCaller, (&archive.Site{Frames: list[:1]}).String())
	}
	return x, nil
}

// change ends the state that the thread is in.
func (s *prvStream) change(t int64) error {
	from := s.since
	s.since = t
	if from < 0 || t <= from {
		return nil
	}
	state := prvRunning
	if n := len(s.open); n > 0 {
		state = s.open[n-1].state
	}
	s.start('1', s.stream.Index())
	s.number(from)
	s.number(t)
	s.b = strconv.AppendInt(s.b, int64(state), 10)
	return s.line(from)
}

// push begins a call or a region; more are pairs of types and values.
func (s *prvStream) push(t int64, l prvLevel, more ...int64) error {
	if err := s.change(t); err != nil {
		return err
	}
	s.open = append(s.open, l)
	return s.event(t, l.kind, l.value, more)
}

// pop ends it: 0 takes the value away that was pushed last (Paraver's "Stacked Val").
func (s *prvStream) pop(t int64, more ...int64) error {
	n := len(s.open) - 1
	if n < 0 {
		return nil
	}
	if err := s.change(t); err != nil {
		return err
	}
	kind := s.open[n].kind
	s.open = s.open[:n]
	return s.event(t, kind, 0, more)
}

func (s *prvStream) event(t, kind, value int64, more []int64) error {
	s.start('2', s.stream.Index())
	s.number(t)
	s.number(kind)
	s.number(value)
	for _, v := range more {
		s.number(v)
	}
	s.b = s.b[:len(s.b)-1]
	return s.line(t)
}

func (s *prvStream) begin(c *call) error {
	t := s.nanos(c.begin)
	if !s.inside {
		s.inside = true
		open := s.open
		s.open = nil
		for _, l := range open {
			if err := s.push(t, l); err != nil {
				return err
			}
		}
	}
	name, begins := construct(c.Func)
	switch {
	case c.Func.Shape == spec.ShapeClose || name != "" && !begins:
		for i := closes(s.open, name); i >= 0 && len(s.open) > i; {
			if err := s.pop(t); err != nil {
				return err
			}
		}
		return nil
	case c.Func.Shape == spec.ShapePoint && name == "":
		return s.moment(c.Op, t)
	}
	x, err := s.term(c.Op)
	if err != nil {
		return err
	}
	if c.Func.Shape == spec.ShapeOpen || begins {
		return s.push(t, x.prvLevel)
	}
	var more []int64
	if x.site > 0 {
		more = append(more, prvCaller, x.site)
	}
	if op := c.Op; op.Kind == calls.Collective && op.Class == spec.Comm && !op.Void {
		more = append(more, prvSent, max(op.Send.Bytes, 0), prvReceived, max(op.Recv.Bytes, 0))
		if op.Root >= 0 {
			more = append(more, prvRoot, int64(op.Root)+1)
		}
		if op.Comm >= 0 {
			more = append(more, prvComm, s.config.comm(int64(op.Comm), s.program.Comms.Comms[op.Comm].Name))
		}
	}
	return s.push(t, x.prvLevel, more...)
}

// moment writes a mark, or a value: as the format has integers only, in thousandths.
func (s *prvStream) moment(op *calls.Op, t int64) error {
	m, err := s.points.next(op.Terminal, op.Func)
	if m == nil || err != nil {
		return err
	}
	if !m.valued {
		return s.event(t, prvMark, s.config.value(prvMark, m.name), nil)
	}
	v := math.Round(m.value * prvValueUnits)
	if !(math.Abs(v) < 1<<63) { // nor is it a number
		return nil
	}
	return s.event(t, s.config.series(m.name), int64(v), nil)
}

func (s *prvStream) end(c *call) error {
	if c.Func.Shape != spec.ShapeCall {
		return nil
	}
	x, err := s.term(c.Op)
	if err != nil {
		return err
	}
	if x.site == 0 {
		return s.pop(s.nanos(c.end))
	}
	return s.pop(s.nanos(c.end), prvCaller, 0)
}

// passed follows the regions in front of the selection.
func (s *prvStream) passed(op *calls.Op) error {
	name, begins := construct(op.Func)
	switch {
	case op.Func.Shape == spec.ShapePoint && name == "":
		return s.points.pass(op.Terminal, op.Func)
	case s.inside:
	case op.Func.Shape == spec.ShapeOpen || begins:
		x, err := s.term(op)
		if err != nil {
			return err
		}
		s.open = append(s.open, x.prvLevel)
	case op.Func.Shape == spec.ShapeClose || name != "":
		if i := closes(s.open, name); i >= 0 {
			s.open = s.open[:i]
		}
	}
	return nil
}

func (s *prvStream) request(int64, *calls.Op, time.Duration) error { return nil }
func (s *prvStream) done(int64, time.Duration) error               { return nil }

// finish ends the regions that are open.
func (s *prvStream) finish() error {
	for s.inside && len(s.open) > 0 {
		if err := s.pop(s.since); err != nil {
			return err
		}
	}
	return nil
}
