package openmp

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Times are what threads spend time on, of all threads together.
type Times struct {
	Work     time.Duration `json:"work_ns"`
	Start    time.Duration `json:"start_ns"`
	Implicit time.Duration `json:"implicit_barrier_ns"`
	Barrier  time.Duration `json:"barrier_ns"`
	Lock     time.Duration `json:"lock_ns"`
	Taskwait time.Duration `json:"taskwait_ns"`
	MPI      time.Duration `json:"mpi_ns"`
}

func (t *Times) add(o *Times) {
	t.Work += o.Work
	t.Start += o.Start
	t.Implicit += o.Implicit
	t.Barrier += o.Barrier
	t.Lock += o.Lock
	t.Taskwait += o.Taskwait
	t.MPI += o.MPI
}

// Waits is the time in which threads did nothing.
func (t *Times) Waits() time.Duration { return t.Start + t.Implicit + t.Barrier + t.Lock + t.Taskwait }

// Region is all executions of the parallel regions with one call site.
type Region struct {
	Site    string
	Calls   uint64
	Threads int           // the most of one execution
	Elapsed time.Duration // from begin to end, of all executions together
	Times
	// Most is the work of the busiest thread, of all executions together, Mean that of all threads of each on average.
	Most, Mean time.Duration
	// Tasks is how many were run, Singles how often a thread did what one alone does.
	Tasks, Singles uint64
	Processes      int
}

// Imbalance is 1 if all threads had the same work, 0 if there was none.
func (r *Region) Imbalance() float64 {
	if r.Mean == 0 {
		return 0
	}
	return float64(r.Most) / float64(r.Mean)
}

// Process is what one process spent its time on.
type Process struct {
	Process    int32         // its number, see package calls
	Threads    int           // N
	Begin, End time.Duration // of T
	InMPI      time.Duration // M
	Serial     time.Duration // S
	Times                    // of all of its regions
}

// Useful is W.
func (p *Process) Useful() time.Duration { return p.Serial + p.Work }

// Efficiency are the hybrid efficiencies, as fractions of 1.
type Efficiency struct {
	Parallel float64 `json:"parallel"`
	MPI      float64 `json:"mpi"`
	OpenMP   float64 `json:"openmp"`
	Serial   float64 `json:"serial_fraction"`
}

// Result is what Of finds.
type Result struct {
	Worlds    []comms.World
	Processes []Process
	Regions   []Region // what waits longest first
	// Unfinished regions were begun and did not end, or lack threads: they are not counted.
	Unfinished uint64
}

// Elapsed is T.
func (r *Result) Elapsed() time.Duration {
	if len(r.Processes) == 0 {
		return 0
	}
	begin, end := r.Processes[0].Begin, r.Processes[0].End
	for _, p := range r.Processes {
		begin, end = min(begin, p.Begin), max(end, p.End)
	}
	return end - begin
}

// Efficiency is computed from Processes; it is zero without any.
func (r *Result) Efficiency() Efficiency {
	var useful, outside, serial, threads float64
	for i := range r.Processes {
		p := &r.Processes[i]
		useful += float64(p.Useful())
		outside += float64(p.End - p.Begin - p.InMPI)
		serial += float64(p.Serial)
		threads += float64(p.Threads)
	}
	t := float64(r.Elapsed())
	if t <= 0 || threads <= 0 || outside <= 0 {
		return Efficiency{}
	}
	mean := outside / float64(len(r.Processes))
	return Efficiency{Parallel: useful / (t * threads), MPI: mean / t, OpenMP: useful / (threads * mean),
		Serial: serial / outside}
}

// ErrNone is the error for an archive without OpenMP events.
var ErrNone = errors.New("the recording has no OpenMP events: record with --events=mpi,openmp")

// ErrUntimed is the error for an archive without times of events.
var ErrUntimed = errors.New("the recording has no times of single events (record --timing=off or aggregate): " +
	"record with --timing=lossy or lossless")

// Of goes through the events of a program. progress is called now and then with the number of processes that were read;
// it may be nil.
func Of(prog *calls.Program, progress func(done, total uint64)) (*Result, error) {
	a := prog.Archive
	r := &Result{Worlds: prog.Comms.Worlds}
	regions := map[string]*Region{}
	var streams []*archive.Stream
	done, found := uint64(0), false
	flush := func() error {
		if len(streams) == 0 {
			return nil
		}
		p := newProcess(prog.Number(streams[0].Process()), regions)
		if err := p.read(streams); err != nil {
			return err
		}
		found = found || p.found
		r.Processes = append(r.Processes, p.Process)
		r.Unfinished += p.unfinished + uint64(len(p.open))
		streams = streams[:0]
		if done++; progress != nil {
			progress(done, uint64(prog.Processes()))
		}
		return nil
	}
	for s := range a.Streams() {
		if !s.Timed() && s.Calls() > 0 {
			return nil, ErrUntimed
		}
		if len(streams) > 0 && streams[0].Process() != s.Process() {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		streams = append(streams, s)
	}
	if err := flush(); err != nil {
		return nil, err
	}
	if !found {
		return nil, ErrNone
	}
	for _, g := range regions {
		r.Regions = append(r.Regions, *g)
	}
	slices.SortFunc(r.Regions, func(a, b Region) int {
		return cmp.Or(cmp.Compare(b.Waits(), a.Waits()), cmp.Compare(b.Work, a.Work), cmp.Compare(a.Site, b.Site))
	})
	return r, nil
}

// isEvent tells events of OpenMP from calls.
func isEvent(f *spec.Func) bool { return f.Op >= spec.OpParallelBegin && f.Op <= spec.OpTaskwaitEnd }
