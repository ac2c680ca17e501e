package openmp

import (
	"container/heap"
	"iter"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// process reads the threads of a process side by side.
type process struct {
	Process
	regions    map[string]*Region // of all processes, by site
	seen       map[*Region]bool   // has this process it
	open       map[key]*execution
	streams    []*thread // a heap: the one whose next event is the earliest first
	found      bool
	unfinished uint64
}

// key tells executions of regions apart: the ordinal-th that a thread began.
type key struct {
	parent  int64
	ordinal int64
}

// execution is one execution of a region.
type execution struct {
	site       string
	nested     bool
	closed     bool
	begin, end time.Duration
	begun      int // bodies
	ended      int
	size       int             // threads of the team
	work       []time.Duration // by thread of the team
	ends       []time.Duration
	after      time.Duration // tasks run after the ends of bodies
	times      Times
	tasks      uint64
	singles    uint64
}

// maxTeam bounds what a damaged recording may say of a team.
const maxTeam = 1 << 16

// maxOpen is how many executions may wait for events that are missing.
const maxOpen = 1 << 14

func newProcess(number int32, regions map[string]*Region) *process {
	p := &process{regions: regions, seen: map[*Region]bool{}, open: map[key]*execution{}}
	p.Process.Process, p.Threads = number, 1
	return p
}

func (p *process) Len() int           { return len(p.streams) }
func (p *process) Less(i, j int) bool { return p.streams[i].next.Start < p.streams[j].next.Start }
func (p *process) Swap(i, j int)      { p.streams[i], p.streams[j] = p.streams[j], p.streams[i] }
func (p *process) Push(x any)         { p.streams = append(p.streams, x.(*thread)) }
func (p *process) Pop() any {
	last := p.streams[len(p.streams)-1]
	p.streams = p.streams[:len(p.streams)-1]
	return last
}

// read goes through the events of all threads in the order of time.
func (p *process) read(streams []*archive.Stream) error {
	for i, s := range streams {
		next, stop := iter.Pull2(s.IterAll())
		defer stop()
		t := &thread{p: p, number: int64(s.Thread()), first: i == 0, pull: next}
		if more, err := t.advance(); err != nil {
			return err
		} else if more {
			heap.Push(p, t)
		}
	}
	for p.Len() > 0 {
		t := p.streams[0]
		t.event()
		more, err := t.advance()
		if err != nil {
			return err
		}
		if more {
			heap.Fix(p, 0)
		} else {
			heap.Pop(p)
		}
	}
	return nil
}

// execution finds one that has begun, or that a thread comes to before it does so by the times.
func (p *process) execution(k key) *execution {
	e := p.open[k]
	if e == nil {
		if len(p.open) >= maxOpen {
			p.unfinished += uint64(len(p.open))
			clear(p.open)
		}
		e = &execution{begin: -1}
		p.open[k] = e
	}
	return e
}

// finish counts an execution once all is known of it.
func (p *process) finish(k key, e *execution) {
	if !e.closed || e.begun == 0 || e.begun < e.size || e.ended < e.begun {
		return
	}
	delete(p.open, k)
	g := p.regions[e.site]
	if g == nil {
		g = &Region{Site: e.site}
		p.regions[e.site] = g
	}
	if !p.seen[g] {
		p.seen[g] = true
		g.Processes++
	}
	var most, sum time.Duration
	for _, w := range e.work {
		most, sum = max(most, w), sum+w
	}
	for _, end := range e.ends {
		e.times.Implicit += max(0, e.end-end)
	}
	e.times.Implicit = max(0, e.times.Implicit-e.after)
	e.times.Work = sum
	g.Calls++
	g.Threads = max(g.Threads, len(e.work))
	g.Elapsed += max(0, e.end-e.begin)
	g.Most += most
	g.Mean += sum / time.Duration(len(e.work))
	g.Tasks += e.tasks
	g.Singles += e.singles
	g.Times.add(&e.times)
	p.Times.add(&e.times)
	if !e.nested {
		p.Threads = max(p.Threads, len(e.work))
	}
}

// thread goes through the events of a thread.
type thread struct {
	p      *process
	number int64
	first  bool // it has the serial part of the process
	pull   func() (*archive.Call, error, bool)
	next   *archive.Call

	last    time.Duration // where time has been counted up to
	started bool
	ended   bool // MPI_Finalize was called
	states  []state
	bodies  []part // that the thread is in, the innermost last
	begun   []key  // regions that it began and that have not ended
	regions int64  // that it began in all
	parent  int64  // of the last region that another thread began, + 1
	joined  int64  // its ordinal
	late    part   // body that the thread has done: tasks may follow
}

// part is a body of an execution.
type part struct {
	k     key
	e     *execution
	index int
}

// state is what a thread does.
type state uint8

const (
	working state = iota
	atBarrier
	atLock
	atTaskwait
)

func (t *thread) advance() (bool, error) {
	c, err, more := t.pull()
	t.next = c
	return more && err == nil, err
}

// event counts the time up to the next event, and that of a call of MPI.
func (t *thread) event() {
	c := t.next
	p := t.p
	if c.Func.Own() || c.Flags&archive.Nested != 0 || !c.Timed || t.ended {
		return
	}
	if !t.started {
		t.started, t.last = true, c.Start
		if t.first {
			p.Begin, p.End = c.Start, c.End
		}
	}
	t.spend(c.Start - t.last)
	t.last = max(t.last, c.Start)
	if isEvent(c.Func) {
		p.found = true
		t.openMP(c)
	} else {
		t.call(c)
	}
	if t.first && !t.ended {
		p.End = max(p.End, c.End)
	}
}

// call counts a call of MPI.
func (t *thread) call(c *archive.Call) {
	p := t.p
	d := max(0, c.End-t.last)
	t.last = max(t.last, c.End)
	switch {
	case t.first && c.Func.Op == spec.OpInit && len(t.bodies) == 0:
		p.Begin, p.End, p.InMPI, p.Serial = c.End, c.End, 0, 0
		return
	case t.first && c.Func.Op == spec.OpFinalize:
		p.End, t.ended = max(p.Begin, c.Start), true
		return
	}
	if t.first {
		p.InMPI += d
	}
	if e := t.body().e; e != nil {
		e.times.MPI += d
	}
}

// body is the innermost one that the thread is in; its execution is nil if there is none.
func (t *thread) body() part {
	if n := len(t.bodies); n > 0 {
		return t.bodies[n-1]
	}
	return part{}
}

// spend counts time by what the thread does.
func (t *thread) spend(d time.Duration) {
	if d <= 0 {
		return
	}
	s := working
	if n := len(t.states); n > 0 {
		s = t.states[n-1]
	}
	b := t.body()
	if b.e == nil && len(t.states) > 0 && s == working { // a task, while others are still at work
		b = t.late
		if b.e != nil {
			b.e.after += d
		}
	}
	switch {
	case b.e == nil:
		if t.first && len(t.begun) == 0 {
			t.p.Serial += d
		}
	case len(t.begun) > 0 && t.begun[len(t.begun)-1] != b.k && len(t.states) == 0:
		// between the begin of a region of its own and of its part of it: the region counts that
	case s == working:
		b.e.work[b.index] += d
	case s == atBarrier:
		b.e.times.Barrier += d
	case s == atLock:
		b.e.times.Lock += d
	case s == atTaskwait:
		b.e.times.Taskwait += d
	}
}

// leave goes back to the state before one; what a recording lacks in between goes, too.
func (t *thread) leave(s state) {
	for i := len(t.states) - 1; i >= 0; i-- {
		if t.states[i] == s {
			t.states = t.states[:i]
			return
		}
	}
}

// maxDepth bounds what a damaged recording may nest.
const maxDepth = 1 << 12

func (t *thread) enter(s state) {
	if len(t.states) < maxDepth {
		t.states = append(t.states, s)
	}
}

// openMP follows an event.
func (t *thread) openMP(c *archive.Call) {
	switch c.Func.Op {
	case spec.OpParallelBegin:
		t.parallelBegin(c)
	case spec.OpParallelEnd:
		t.parallelEnd(c)
	case spec.OpBodyBegin:
		t.bodyBegin(c)
	case spec.OpBodyEnd:
		t.bodyEnd(c)
	case spec.OpBarrierBegin:
		t.enter(atBarrier)
	case spec.OpBarrierEnd:
		t.leave(atBarrier)
	case spec.OpLockBegin:
		t.enter(atLock)
	case spec.OpLockAcquired:
		t.leave(atLock)
	case spec.OpTaskwaitBegin:
		t.enter(atTaskwait)
	case spec.OpTaskwaitEnd:
		t.leave(atTaskwait)
	case spec.OpTaskBegin:
		t.enter(working)
	case spec.OpTaskEnd:
		t.leave(working)
		if e := t.body().e; e != nil {
			e.tasks++
		} else if t.late.e != nil {
			t.late.e.tasks++
		}
	case spec.OpSingle:
		if e := t.body().e; e != nil {
			if v, ok := c.Out("executes"); ok && v.N != 0 {
				e.singles++
			}
		}
	}
}

func (t *thread) parallelBegin(c *archive.Call) {
	if len(t.begun) == maxDepth {
		return
	}
	t.regions++
	k := key{t.number, t.regions}
	e := t.p.execution(k)
	e.begin, e.nested = c.Start, len(t.bodies) > 0
	if c.Site != nil {
		e.site = c.Site.String()
	}
	t.begun = append(t.begun, k)
}

func (t *thread) parallelEnd(c *archive.Call) {
	n := len(t.begun)
	if n == 0 {
		return
	}
	k := t.begun[n-1]
	t.begun = t.begun[:n-1]
	e := t.p.open[k]
	if e == nil {
		return
	}
	if e.begun == 0 { // its threads are not recorded: so are not all later ones
		delete(t.p.open, k)
		t.p.unfinished++
		return
	}
	e.closed, e.end = true, c.Start
	t.p.finish(k, e)
}

// bodyBegin finds the execution that a thread joins: the one that it has begun, or the next of the thread that the
// event names, but for those that it was not in.
func (t *thread) bodyBegin(c *archive.Call) {
	in := func(name string) int64 {
		v, _ := c.In(name)
		return v.N
	}
	index, size := in("thread_num"), in("num_threads")
	if size < 1 || size > maxTeam || index < 0 || index >= size || len(t.bodies) == maxDepth {
		return
	}
	var k key
	if index == 0 {
		if len(t.begun) == 0 {
			return
		}
		k = t.begun[len(t.begun)-1]
	} else {
		if parent := in("parent"); t.parent != parent+1 {
			t.parent, t.joined = parent+1, 0
		}
		t.joined += in("skipped") + 1
		k = key{t.parent - 1, t.joined}
	}
	e := t.p.execution(k)
	if e.work == nil {
		e.size = int(size)
	}
	e.begun++
	e.work, e.ends = append(e.work, 0), append(e.ends, c.Start)
	if e.begin >= 0 {
		e.times.Start += max(0, c.Start-e.begin)
	}
	t.bodies = append(t.bodies, part{k, e, len(e.work) - 1})
}

func (t *thread) bodyEnd(c *archive.Call) {
	n := len(t.bodies)
	if n == 0 {
		return
	}
	b := t.bodies[n-1]
	t.bodies = t.bodies[:n-1]
	t.late, t.states = b, t.states[:0]
	b.e.ends[b.index] = c.Start
	b.e.ended++
	t.p.finish(b.k, b.e)
}
