package match

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// runner matches the messages of an archive.
type runner struct {
	p     *calls.Program
	opts  Options
	sum   Summary
	procs []proc
	index map[int32]int32 // process number -> index in procs

	channels map[key]*channel
	sweep    int    // size of channels at which empty ones are removed
	gen      uint32 // how often that was done
	maxPool  int
	late     map[int32]*calls.Reader // of streams that are read without times: see date
	seq      uint64
	byNumber []int32 // 1 + index of the process with a number; empty if numbers are far apart
	pool     []*end  // receives whose source or tag is not recorded
	colls    map[collKey]*coll
	recent   [64]*coll        // some of colls
	groups   map[int32][2]int // recorded members by communicator: those that may still call, and those that have left
	world    []int32          // communicator of each process's MPI_COMM_WORLD
	free     *end
	freeColl *coll
	live     int // ends in memory
	parts    int // calls of collectives in memory
	limit    int // how many sends and collectives a process may be ahead of others

	active      int // processes that have not come to their end
	stayed      int // how many these were when retire looked last
	rec         *snapshot
	repeated    uint64 // events that were not matched one by one
	looked      uint64 // ends of messages under way that were looked at to find out whether loops repeat
	plain       bool   // all are to be
	lists       [numPlaces]list
	done, total uint64
	msg         Message
	failure     error // of a caller's function
}

// quantum is how many events a process advances at a time.
const quantum = 4096

// Matching events one by one ends after hopeful of them if so many more are left that it would take hours: a file can
// claim any number of calls.
const (
	hopeful  = 1 << 23
	hopeless = 1 << 32
)

// RunProgram is Run for an archive whose structure has been looked at already.
func RunProgram(p *calls.Program, opts Options) (*Summary, error) {
	return newRunner(p, opts).run()
}

func newRunner(p *calls.Program, opts Options) *runner {
	return &runner{p: p, opts: opts, channels: map[key]*channel{}, sweep: 1024, colls: map[collKey]*coll{},
		groups: map[int32][2]int{}, index: map[int32]int32{}, maxPool: maxPool}
}

// run reads all streams.
func (r *runner) run() (*Summary, error) {
	r.sum.Partial = r.p.Archive.Meta().Partial
	if err := r.prepare(); err != nil {
		return nil, err
	}
	for {
		i, ok := r.next()
		if r.failure != nil {
			return nil, r.failure
		}
		if !ok {
			break
		}
		if err := r.advance(&r.procs[i]); err != nil {
			return nil, err
		}
		if err := r.tooMuch(); err != nil {
			return nil, err
		}
		if r.opts.Progress != nil {
			r.opts.Progress(r.done, r.total)
		}
	}
	if err := r.finish(); err != nil {
		return nil, err
	}
	return &r.sum, nil
}

// tooMuch tells that more is left than anybody waits for, or than the caller does.
func (r *runner) tooMuch() error {
	plain, left := r.done-r.repeated+r.looked, r.total-r.done
	why := ""
	switch {
	case r.opts.Most > 0 && plain > r.opts.Most:
		why = "are too many"
	case plain > hopeful && left > hopeless:
		why = "would take hours"
	default:
		return nil
	}
	return r.p.Archive.Errorf("%d calls were matched one by one, and %d more %s", plain, left, why)
}

// whole tells whether all calls of a process are recorded up to its end, in whatever way it ended.
func whole(d *archive.RankData) bool {
	return d.LostCalls == 0 && d.Info[archive.Unrecorded] == "" && d.Info[archive.Missing] == "" &&
		d.Info["problems"] == ""
}

// prepare opens all streams.
func (r *runner) prepare() error {
	r.procs = make([]proc, r.p.Processes())
	most := 0
	for i := range r.procs {
		d := r.p.Archive.Rank(i)
		r.procs[i] = proc{index: int32(i), number: r.p.Number(i),
			whole: whole(d) && !r.sum.Partial}
		r.index[r.procs[i].number] = int32(i)
		most = max(most, int(r.procs[i].number))
	}
	if most < 4*len(r.procs)+1024 {
		r.byNumber = make([]int32, most+1)
		for n, i := range r.index {
			r.byNumber[n] = i + 1
		}
	}
	for s := range r.p.Archive.Streams() {
		events, err := s.Events()
		if err != nil {
			return err
		}
		r.total += events
		calls, err := s.ProgramCalls()
		if err != nil {
			return err
		}
		r.sum.Calls += calls
		rd, err := r.p.Reader(s)
		if err != nil {
			return err
		}
		rd.Among(r.p.Archive.NumStreams())
		p := &r.procs[s.Process()]
		p.streams = append(p.streams, &stream{Reader: rd, number: int32(s.Index()), thread: s.Thread(),
			timed: s.Timed()})
		for t := range uint32(rd.Terminals()) {
			tm, err := s.Class().Template(t)
			if err != nil {
				return err
			}
			p.cancels = p.cancels || spec.ByID(tm.Func).Op == spec.OpCancel
		}
	}
	if r.opts.Untimed {
		r.untime()
	}
	r.sum.Events = r.total
	r.limit = min(256, max(4, 1<<16/max(1, len(r.procs))))
	r.worlds()
	for i := range r.procs {
		r.procs[i].limit = r.limit
		if len(r.procs[i].streams) > 0 {
			r.active++
			r.move(int32(i), inRunnable)
		}
	}
	if r.plain {
		for i := range r.procs {
			r.procs[i].pause = forever
		}
		return nil
	}
	return r.findLoops()
}

// untime leaves out the times of processes with one thread.
func (r *runner) untime() {
	for i := range r.procs {
		if of := r.procs[i].streams; len(of) == 1 {
			of[0].Untimed()
			of[0].timed = false
		}
	}
}

// next is the process to advance. If all of them wait, the first one goes on anyway.
func (r *runner) next() (int32, bool) {
	if i, ok := r.lists[inRunnable].first(); ok {
		r.move(i, nowhere)
		return i, true
	}
	if !r.lists[inPaused].empty() {
		r.paused()
		if i, ok := r.lists[inRunnable].first(); ok {
			r.move(i, nowhere)
			return i, true
		}
	}
	if i, ok := r.lists[inParked].first(); ok {
		p := &r.procs[i]
		p.missing = 0
		p.epoch++
		r.move(i, nowhere)
		return i, true
	}
	if len(r.pool) > 0 && !r.lists[inAhead].empty() {
		r.guess()
		if i, ok := r.lists[inRunnable].first(); ok {
			r.move(i, nowhere)
			return i, true
		}
	}
	r.retire()
	if i, ok := r.lists[inRunnable].first(); ok {
		r.move(i, nowhere)
		return i, true
	}
	i, ok := r.lists[inAhead].first()
	if ok {
		r.procs[i].limit *= 2
		r.move(i, nowhere)
	}
	return i, ok
}

// advance reads on in a process until it waits for something.
func (r *runner) advance(p *proc) error {
	events := uint64(quantum)
	if p.pause != forever {
		events = min(events, p.pause-p.streams[0].Event())
	}
	for range events {
		s, op, err := p.take()
		if err != nil {
			return err
		}
		if op == nil {
			p.streams = nil
			r.active--
			return r.failure
		}
		r.done++
		if r.opts.Observer != nil {
			if err := r.opts.Observer.Event(s.number, op); err != nil {
				return err
			}
		}
		r.handle(p, s, op)
		switch {
		case r.failure != nil:
			return r.failure
		case p.missing > 0:
			r.move(p.index, inParked)
			return nil
		case p.ahead >= p.limit:
			r.move(p.index, inAhead)
			return nil
		}
	}
	if p.pause != forever && p.streams[0].Event() == p.pause {
		r.move(p.index, inPaused)
	} else {
		r.move(p.index, inRunnable)
	}
	return nil
}

// wake makes a process runnable again: what it waited for has come.
func (r *runner) wake(p *proc) {
	if p.where == inParked && p.missing == 0 || p.where == inAhead && p.ahead <= p.limit/2 {
		r.move(p.index, inRunnable)
	}
}

// place is the list that a process is in.
type place uint8

const (
	nowhere    place = iota
	inRunnable       // it can go on
	inParked         // it has received a message that has not been sent yet
	inAhead          // it is far ahead of others
	inPaused         // it is at the begin of an iteration
	numPlaces
)

// list is processes in the order in which they came.
type list struct {
	head, tail int32 // 1 + index, 0 for none
	n          int
}

func (l *list) first() (int32, bool) { return l.head - 1, l.head != 0 }
func (l *list) empty() bool          { return l.head == 0 }

// move takes a process out of its list and appends it to another.
func (r *runner) move(i int32, to place) {
	p := &r.procs[i]
	if p.where != nowhere {
		l := &r.lists[p.where]
		if p.prev != 0 {
			r.procs[p.prev-1].following = p.following
		} else {
			l.head = p.following
		}
		if p.following != 0 {
			r.procs[p.following-1].prev = p.prev
		} else {
			l.tail = p.prev
		}
		p.prev, p.following = 0, 0
		l.n--
	}
	if p.where = to; to == nowhere {
		return
	}
	l := &r.lists[to]
	l.n++
	if p.prev = l.tail; l.tail != 0 {
		r.procs[l.tail-1].following = i + 1
	} else {
		l.head = i + 1
	}
	l.tail = i + 1
}
