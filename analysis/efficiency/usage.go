package efficiency

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
	"github.com/tabard-hpc/tabard/spec"
)

// MaxSteps is how many time steps are told apart; of more, several are taken together.
const MaxSteps = 1 << 17

// Options are what Of looks at.
type Options struct {
	// Selection is what is selected; nil for all. Functions and communicators select among the
	// calls, while the time of other calls is not computation either.
	Selection *selection.Resolved
	// Clock corrects a time of a process; nil for none.
	Clock func(process int32, t time.Duration) time.Duration
	// Steps are the time steps.
	Steps *selection.StepIndex
	// Progress is called now and then with the number of calls that were read and the number of all.
	Progress func(done, total uint64)
}

// ErrUntimed is the error for an archive without times of calls.
var ErrUntimed = errors.New("the recording has no times of single calls (record --timing=off or aggregate): " +
	"record with --timing=lossy or lossless")

// job is what the workers share.
type job struct {
	opts  Options
	p     *calls.Program
	sites *sites

	mu    sync.Mutex
	r     *Result
	place map[Key]*Place
	// shared are the durations of calls of all streams where one goroutine reads all; else nil.
	shared map[Key]*Distribution
	most   uint64 // steps, Result.Stride of them together
	group  map[string]*Group

	stepsMu     sync.Mutex // of opts.Steps and opts.Selection, which are not safe for concurrent use
	done, total atomic.Uint64
}

// Key tells places apart.
type Key struct{ Func, Site string }

// Of finds out what the time of an archive went to.
func Of(p *calls.Program, o Options) (*Result, error) {
	j, streams, err := newJob(p, o)
	if err != nil {
		return nil, err
	}
	err = workers.Each(len(streams), func(i int) error { return j.stream(p.Archive.Stream(streams[i])) })
	if err != nil {
		return nil, err
	}
	j.finish()
	return j.r, nil
}

// newJob also lists the streams to look at: their numbers, as one that was read holds memory as long as it is there.
func newJob(p *calls.Program, o Options) (j *job, streams []int, err error) {
	j = &job{opts: o, p: p, sites: newSites(), r: &Result{Worlds: p.Comms.Worlds, Stride: 1}, place: map[Key]*Place{},
		group: map[string]*Group{}}
	most := uint64(0)
	for s := range p.Archive.Streams() {
		if s.Thread() != 0 || !s.Timed() || s.Calls() == 0 {
			continue
		}
		if r := o.Selection; r != nil && !r.Selection.Rank(s.Rank().Rank) {
			continue
		}
		streams = append(streams, s.Index())
		j.total.Add(s.Calls())
		of, err := o.Steps.Of(s)
		if err != nil {
			return nil, nil, err
		}
		if of != nil {
			most = max(most, of.Len())
		}
	}
	if len(streams) == 0 {
		return nil, nil, ErrUntimed
	}
	j.r.Stride = max(1, (most+MaxSteps-1)/MaxSteps)
	j.most = (most + j.r.Stride - 1) / j.r.Stride
	return j, streams, nil
}

// sites gives the terminals of classes their places.
type sites struct {
	mu sync.Mutex
	of map[*archive.Class][]Key
}

func newSites() *sites { return &sites{of: map[*archive.Class][]Key{}} }

func (s *sites) class(c *archive.Class) ([]Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if keys, ok := s.of[c]; ok {
		return keys, nil
	}
	d, err := c.Data()
	if err != nil {
		return nil, err
	}
	keys := make([]Key, len(d.Terminals))
	for t := range keys {
		tmpl, err := c.Template(uint32(t))
		if err != nil {
			return nil, err
		}
		keys[t].Func = spec.ByID(tmpl.Func).Name
		if site := c.Site(tmpl); site != nil {
			keys[t].Site = site.String()
		}
	}
	s.of[c] = keys
	return keys, nil
}

// finish sorts the result and looks for slow steps.
func (j *job) finish() {
	r := j.r
	slices.SortFunc(r.Processes, func(a, b Process) int { return cmp.Compare(a.Process, b.Process) })
	for i := range r.Processes {
		p := &r.Processes[i]
		if i == 0 || p.Begin < r.Begin {
			r.Begin = p.Begin
		}
		r.End = max(r.End, p.End)
	}
	for _, g := range j.group {
		r.Groups = append(r.Groups, *g)
	}
	slices.SortFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Name, b.Name))
	})
	for _, p := range j.place {
		r.Places = append(r.Places, *p)
	}
	slices.SortFunc(r.Places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(b.MPI.Sum, a.MPI.Sum), cmp.Compare(a.Func, b.Func), cmp.Compare(a.Site, b.Site))
	})
	r.findSlow()
}
