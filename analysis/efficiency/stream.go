package efficiency

import (
	"sync"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// local is the contribution of one stream.
type local struct {
	Process
	steps  []localStep
	places map[Key]*localPlace
}

// localStep is a time step of a stream.
type localStep struct {
	begin, length, useful time.Duration
	has                   bool
}

// localPlace is a place's part of a stream.
type localPlace struct {
	group       string
	kind        spec.EventKind
	calls       uint64
	mpi, before time.Duration
	durations   *Distribution
	shared      bool // durations are those of all streams
}

// part and terminal ask the selection under a lock, as it is not safe for concurrent use.
func (j *job) part(s *archive.Stream) (*selection.Part, error) {
	j.stepsMu.Lock()
	defer j.stepsMu.Unlock()
	return j.opts.Selection.Part(s)
}

func (j *job) terminal(p *selection.Part, t uint32) (all, none bool, err error) {
	j.stepsMu.Lock()
	defer j.stepsMu.Unlock()
	return p.Terminal(t)
}

func (j *job) count(n uint64) {
	done := j.done.Add(n)
	if j.opts.Progress != nil {
		j.opts.Progress(done, j.total.Load())
	}
}

// place is the calls of the program with a key; d are the durations that streams share, nil for its
// own.
func (l *local) place(k Key, f *spec.Func, d *Distribution) *localPlace {
	p := l.places[k]
	if p == nil {
		p = &localPlace{group: selection.GroupOf(f), kind: f.Kind, durations: d, shared: d != nil}
		if d == nil {
			p.durations = &Distribution{}
		}
		l.places[k] = p
	}
	return p
}

// marks says which step a call belongs to, as the calls come in order.
type marks struct {
	of     *selection.StepCursor
	mu     *sync.Mutex // of of: see selection.StepIndex.Of
	stride uint64
	most   uint64 // number of steps, of stride taken together
}

func (j *job) marks(s *archive.Stream) (*marks, error) {
	j.stepsMu.Lock()
	defer j.stepsMu.Unlock()
	of, err := j.opts.Steps.Of(s)
	if err != nil || of == nil {
		return nil, err
	}
	return &marks{of: of.Cursor(), mu: &j.stepsMu, stride: j.r.Stride, most: (of.Len() + j.r.Stride - 1) / j.r.Stride},
		nil
}

// find is the number of the step of a call, and a range of calls around it that are in that step.
// The range is empty if the call is in no step.
func (m *marks) find(call uint64) (step uint64, in selection.Range, err error) {
	step, ok := m.of.Near(call)
	if !ok {
		m.mu.Lock()
		step, ok, err = m.of.Find(call)
		m.mu.Unlock()
		if err != nil || !ok {
			return 0, in, err
		}
	}
	return step / m.stride, m.of.Range(m.stride), nil
}

// step is a time step of a stream, of most in all.
func (l *local) step(i, most uint64) *localStep {
	if i >= uint64(len(l.steps)) {
		n := min(2*i+64, most)
		if i >= 4096 { // memory that is not used yet costs nothing
			n = most
		}
		steps := make([]localStep, max(i+1, n))
		copy(steps, l.steps)
		l.steps = steps
	}
	return &l.steps[i]
}

// add adds a process's part.
func (s *Step) add(process int32, part *localStep) {
	if s.Length.Processes == 0 || part.begin < s.Begin {
		s.Begin = part.begin
	}
	s.Length.add(process, part.length)
	s.Useful.add(process, part.useful)
}

// merge adds what a stream found to the result.
func (j *job) merge(l *local) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := l.Process.Process
	j.r.Processes = append(j.r.Processes, l.Process)
	for len(l.steps) > 0 && !l.steps[len(l.steps)-1].has {
		l.steps = l.steps[:len(l.steps)-1]
	}
	if more := len(l.steps) - len(j.r.Steps); more > 0 {
		j.r.Steps = append(j.r.Steps, make([]Step, more)...)
	}
	for i := range l.steps {
		st, to := &l.steps[i], &j.r.Steps[i]
		if !st.has {
			continue
		}
		to.add(n, st)
	}
	for k, p := range l.places {
		if p.calls == 0 {
			continue
		}
		to := j.place[k]
		if to == nil {
			to = &Place{Func: k.Func, Site: k.Site, Group: p.group}
			j.place[k] = to
		}
		to.Calls += p.calls
		to.MPI.add(n, p.mpi)
		to.Before.add(n, p.before)
		if !p.shared {
			to.Durations.Merge(p.durations)
		}
		g := j.group[p.group]
		if g == nil {
			g = &Group{Name: p.group, Kind: p.kind}
			j.group[p.group] = g
		}
		g.Calls += p.calls
		g.Time += p.mpi
	}
}
