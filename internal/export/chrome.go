package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	tl "github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/spec"
)

// chrome writes a trace in the JSON of chrome://tracing ("Trace Event Format"): begins and ends of calls, requests as
// asynchronous events, and flows for messages. Times are microseconds with three decimals.
type chrome struct {
	*timeline
	w     *bufio.Writer
	hosts map[string]int
	b     []byte
	some  bool
}

func writeChrome(j *Job, w io.Writer) error {
	t, err := openTimeline(j)
	if err != nil {
		return err
	}
	defer t.arrows.close()
	x := &chrome{timeline: t, w: bufio.NewWriterSize(w, 1<<16), hosts: map[string]int{}}
	x.w.WriteString(chromeBegin)
	if err := t.streams(x.stream); err != nil {
		return err
	}
	x.w.WriteString("\n]}\n")
	return x.w.Flush()
}

func (x *chrome) stream(p *selection.Part) (sink, func() error, error) {
	r := p.Stream.Rank()
	host, ok := x.hosts[r.Host]
	if !ok {
		host = len(x.hosts) + 1
		x.hosts[r.Host] = host
		x.name(host, 0, "process_name", "host "+r.Host)
	}
	s := &chromeStream{chrome: x, process: host, thread: firstThread + p.Stream.Index(),
		requests: map[int64]*spec.Func{}, kernels: kernelNames{stream: p.Stream}}
	x.name(host, s.thread, "thread_name", threadName(p.Stream))
	n := newNest(p.Stream, s)
	return n, n.finish, x.send()
}

// name names a process or thread.
func (x *chrome) name(process, thread int, what, name string) {
	x.begins("M", process, thread)
	x.b = append(x.b, `,"name":"`+what+`","args":{"name":`...)
	x.text(name)
	x.b = append(x.b, "}}"...)
}

func (x *chrome) text(s string) {
	b, _ := json.Marshal(s) // of a string
	x.b = append(x.b, b...)
}

// begins begins an event of a phase.
func (x *chrome) begins(phase string, process, thread int) {
	if x.some {
		x.b = append(x.b, ',')
	}
	x.some = true
	x.b = fmt.Appendf(x.b, "\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", phase, process, thread)
}

func (x *chrome) at(t time.Duration) {
	t = max(t, 0)
	x.b = fmt.Appendf(x.b, `,"ts":%d.%03d`, t/1000, t%1000)
}

func (x *chrome) send() error {
	_, err := x.w.Write(x.b)
	x.b = x.b[:0]
	return err
}

// chromeStream is a thread.
type chromeStream struct {
	*chrome
	process, thread int
	requests        map[int64]*spec.Func // under way: readers match by name
	open            []*region
	kernels         kernelNames
}

// describe adds name and arguments.
func (s *chromeStream) describe(f *spec.Func, op *calls.Op) {
	s.b = append(s.b, `,"cat":"`+tl.CategoryOf(f).String()+`","name":`...)
	s.text(s.kernels.of(f, op.Terminal))
	s.b = append(s.b, `,"args":{`...)
	first := true
	key := func(name string) {
		if !first {
			s.b = append(s.b, ',')
		}
		first = false
		s.b = append(s.b, '"')
		s.b = append(s.b, name...)
		s.b = append(s.b, '"', ':')
	}
	s.arguments(op, func(name string, v int64) {
		key(name)
		s.b = strconv.AppendInt(s.b, v, 10)
	}, func(name, text string) {
		key(name)
		s.text(text)
	})
	s.b = append(s.b, '}')
}

func (s *chromeStream) enter(r *region, at time.Duration) error {
	s.open = append(s.open, r)
	return s.edge("B", r, at)
}

// edge is the begin or the end of a region.
func (s *chromeStream) edge(phase string, r *region, at time.Duration) error {
	s.begins(phase, s.process, s.thread)
	s.at(at)
	s.b = append(s.b, `,"cat":"`+r.category+`","name":`...)
	s.text(r.name)
	s.b = append(s.b, '}')
	return s.send()
}

// mark is an instant, or a value of a counter of the thread. The format has no numbers that are not finite.
func (s *chromeStream) mark(m *moment, at time.Duration) error {
	switch {
	case !m.valued:
		s.begins("i", s.process, s.thread)
	case math.IsNaN(m.value) || math.IsInf(m.value, 0):
		return nil
	default:
		s.begins("C", s.process, s.thread)
	}
	s.at(at)
	s.b = append(s.b, `,"cat":"region","name":`...)
	s.text(m.name)
	if m.valued {
		s.b = fmt.Appendf(s.b, `,"id":%d,"args":{"value":`, s.thread)
		s.b = append(strconv.AppendFloat(s.b, m.value, 'g', -1, 64), "}}"...)
	} else {
		s.b = append(s.b, `,"s":"t"}`...)
	}
	return s.send()
}

func (s *chromeStream) leave(at time.Duration) error {
	n := len(s.open) - 1
	r := s.open[n]
	s.open = s.open[:n]
	return s.edge("E", r, at)
}

func (s *chromeStream) begin(c *call) error {
	s.begins("B", s.process, s.thread)
	s.at(c.begin)
	s.describe(c.Func, c.Op)
	s.b = append(s.b, '}')
	s.flow(c, 0, c.begin)
	return s.send()
}

func (s *chromeStream) end(c *call) error {
	s.flow(c, 1, c.end)
	s.begins("E", s.process, s.thread)
	s.at(c.end)
	s.describe(c.Func, c.Op) // speedscope takes ends for those of other slices if they have not all of this
	s.b = append(s.b, '}')
	return s.send()
}

// flow adds the arrows that begin (0) or end (1) at a call.
func (s *chromeStream) flow(c *call, end uint64, t time.Duration) {
	for _, n := range c.notes {
		if n.value&1 != end {
			continue
		}
		s.begins([]string{"s", "f"}[end], s.process, s.thread)
		s.at(t)
		s.b = fmt.Appendf(s.b, `,"bp":"e","cat":"message","name":"message","id":%d}`, n.value>>1)
	}
}

func (s *chromeStream) request(lane int64, op *calls.Op, at time.Duration) error {
	s.requests[lane] = op.Func
	s.begins("b", s.process, s.thread)
	s.at(at)
	s.b = fmt.Appendf(s.b, `,"id":"%d.%d"`, s.thread, lane)
	s.describe(op.Func, op)
	s.b = append(s.b, '}')
	return s.send()
}

func (s *chromeStream) done(lane int64, at time.Duration) error {
	s.begins("e", s.process, s.thread)
	s.at(at)
	f := s.requests[lane]
	s.b = fmt.Appendf(s.b, `,"id":"%d.%d","cat":"%s","name":"%s"}`, s.thread, lane, tl.CategoryOf(f), f.Name)
	return s.send()
}
