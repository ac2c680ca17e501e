package verify

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// records is the raw stream of one thread.
type records interface {
	// Next gives the next record, valid until the next call. pending says that
	// the process died in this call: rec ends with its entry part. The error is
	// io.EOF at the end.
	Next() (rec ring.Record, pending bool, err error)
}

// process compares one process.
type process struct {
	report *Report
	rank   int
	size   int
	reg    *registry
	data   *archive.RankData
	// modules are the paths of the runtime's module numbers, stacks the segment
	// words of its stack ids.
	modules map[uint32]string
	stacks  map[uint64][]uint64
	threads []*thread
	clocks  []archive.Clock
	lostRaw uint64
	// unordered is set if there are several threads and no times. Then it is not known which call
	// of one thread came before which of another, and handles are not followed.
	unordered bool
	progress  func(calls uint64)
	// returned are the references of the return slot that is being compared.
	returned []reference
}

// thread is one thread of the process, on both sides.
type thread struct {
	id    int
	raw   records
	calls func() (*archive.Call, error, bool) // nil if the archive has no such stream
	index uint64                              // calls taken from the archive
	open  []*call
	lost  bool   // the sides do not correspond any more
	short uint64 // calls beyond the end of the archive
	times *times // nil without timing

	// The record at hand, and whether its entry was taken in.
	rec     ring.Record
	pending bool
	entered bool
	done    bool
}

func newProcess(report *Report, data *archive.RankData) *process {
	return &process{
		report: report, rank: -1, reg: newRegistry(), data: data,
		modules: map[uint32]string{}, stacks: map[uint64][]uint64{},
	}
}

// addThread adds a thread: its raw stream and the archive's, nil if there is none.
func (p *process) addThread(id int, raw records, s *archive.Stream) (stop func(), err error) {
	t := &thread{id: id, raw: raw}
	p.threads = append(p.threads, t)
	if s == nil {
		return func() {}, nil
	}
	t.times, err = newTimes(s)
	t.calls, stop = iter.Pull2(s.Iter(0))
	return stop, err
}

// brokenLog says where a raw log is unreadable.
func brokenLog(rank int, t *thread, err error) error {
	return fmt.Errorf("broken raw log: rank %d thread %d, after %d calls: %w", rank, t.id, t.index, err)
}

// run compares all threads, their calls interleaved in the order of their
// entry and return times: what a handle means depends on it.
func (p *process) run() error {
	for _, t := range p.threads {
		if err := p.advance(t); err != nil {
			return err
		}
	}
	for {
		t := p.earliest()
		if t == nil {
			break
		}
		if err := p.step(t); err != nil {
			return err
		}
	}
	for _, t := range p.threads {
		p.abandon(t)
		if err := p.finish(t); err != nil {
			return err
		}
	}
	return nil
}

// earliest gives the thread whose next entry or return comes first, nil at the end.
func (p *process) earliest() *thread {
	var best *thread
	var when uint64
	for _, t := range p.threads {
		if t.done {
			continue
		}
		at := t.rec.Start()
		if t.entered {
			at = max(at, t.rec.End())
		}
		if best == nil || at < when {
			best, when = t, at
		}
	}
	return best
}

// step processes the entry or the return part of a thread's record.
func (p *process) step(t *thread) error {
	id := t.rec.ID()
	if isMeta(id) {
		return p.advance(t)
	}
	flags := t.rec.Flags()
	if !t.entered && flags&ring.FExit == 0 {
		if err := p.begin(t, t.rec); err != nil {
			return brokenLog(p.rank, t, err)
		}
	}
	if t.pending || flags&ring.FEnter != 0 {
		return p.advance(t)
	}
	if !t.entered {
		t.entered = true
		return nil
	}
	if err := p.end(t, t.rec); err != nil {
		return brokenLog(p.rank, t, err)
	}
	return p.advance(t)
}

// advance fetches a thread's next record.
func (p *process) advance(t *thread) error {
	t.entered = false
	var err error
	t.rec, t.pending, err = t.raw.Next()
	switch err {
	case nil:
		return nil
	case io.EOF:
		t.done = true
		return nil
	}
	return brokenLog(p.rank, t, err)
}

// next takes the archive's next call of a thread.
func (p *process) next(t *thread, name string) (*archive.Call, bool) {
	if t.lost {
		return nil, false
	}
	if t.calls == nil {
		t.short++
		return nil, false
	}
	a, err, ok := t.calls()
	if err != nil {
		p.report.add(Difference{Rank: p.rank, Thread: t.id, Index: t.index, Func: name, What: "archive", Raw: "a call",
			Archive: err.Error()})
		t.lost = true
		return nil, false
	}
	if !ok {
		t.short++
		return nil, false
	}
	t.index++
	if p.progress != nil && p.report.Calls&0xfff == 0 {
		p.progress(p.report.Calls)
	}
	return a, true
}

// finish reports what only one side has.
func (p *process) finish(t *thread) error {
	if t.short > 0 {
		p.differ(t, nil, "calls", fmt.Sprintf("has %d more", t.short), "ends here")
	}
	if t.calls == nil || t.lost {
		return nil
	}
	p.compareSums(t)
	a, err, ok := t.calls()
	if err != nil {
		return err
	}
	if ok {
		p.differ(t, nil, "calls", "ends here", "goes on with "+a.Func.Name)
	}
	return nil
}

// compareRank compares the facts about the process as a whole.
func (p *process) compareRank() {
	t := &thread{}
	if p.rank >= 0 {
		check(p, t, nil, "rank", p.rank, p.data.Rank)
		check(p, t, nil, "size of MPI_COMM_WORLD", p.size, p.data.Size)
	}
	byTicks := func(a, b archive.Clock) int { return cmp.Compare(a.Ticks, b.Ticks) }
	slices.SortFunc(p.clocks, byTicks) // each thread has read the clocks now and then
	check(p, t, nil, "readings of the clocks", fmt.Sprint(p.clocks), fmt.Sprint(p.data.Clocks))
	check(p, t, nil, "lost calls", p.lostRaw, p.data.LostCalls)
	p.report.Lost += p.lostRaw
}
