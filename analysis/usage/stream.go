package usage

import (
	"sync"
	"time"

	"tabard/analysis/selection"
	"tabard/spec"
	"tabard/trace"
)

var initFunc, initThread, finalize = spec.ByName("MPI_Init").ID, spec.ByName("MPI_Init_thread").ID, spec.ByName("MPI_Finalize").ID

// local is what one stream adds.
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
	calls       uint64
	mpi, before time.Duration
	durations   Distribution
}

// stream goes through the calls of a stream.
func (j *job) stream(s *trace.Stream) error {
	r, all := selection.Range{To: s.Calls()}, true
	var part *selection.Part
	if j.opts.Selection != nil {
		var err error
		if part, err = j.part(s); err != nil || part == nil {
			j.count(s.Calls())
			return err
		}
		r, all = part.Range, false
	}
	keys, err := j.sites.class(s.Class())
	if err != nil {
		return err
	}
	marks, err := j.marks(s)
	if err != nil {
		return err
	}
	l := &local{places: map[Key]*localPlace{}, Process: Process{Process: j.p.Number(s.Process())}}
	if err := j.calls(s, l, r, part, all, keys, marks); err != nil {
		return err
	}
	j.merge(l)
	return nil
}

// part and terminal ask for the selection, which is not safe for concurrent use.
func (j *job) part(s *trace.Stream) (*selection.Part, error) {
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

func (j *job) calls(s *trace.Stream, l *local, r selection.Range, part *selection.Part, all bool, keys []Key, marks *marks) error {
	reader, err := j.p.Reader(s)
	if err != nil {
		return err
	}
	byTerm := make([]*localPlace, len(keys))
	chosen := make([]int8, len(keys)) // 1 selected, -1 not, 0 not known yet
	var last time.Duration            // end of the call before
	started := false
	counted := uint64(0)
	for {
		op, err := reader.Next()
		if err != nil {
			return err
		}
		if op == nil || op.Call >= r.To {
			break
		}
		if !op.Timed || op.Func.Has(spec.Pseudo) || op.Flags&trace.Nested != 0 {
			continue
		}
		if op.Call < r.From {
			continue
		}
		begin, end := op.Begin, op.End
		if j.opts.Clock != nil {
			begin, end = j.opts.Clock(l.Process.Process, begin), j.opts.Clock(l.Process.Process, end)
		}
		switch op.Func.ID {
		case initFunc, initThread:
			// The process begins when MPI has started: what came before does not count.
			*l = local{places: map[Key]*localPlace{}, Process: Process{Process: l.Process.Process, Begin: end, End: end, Around: end - begin}}
			clear(byTerm)
			started, last = true, end
			continue
		case finalize:
			if started {
				l.Around += end - begin
				l.End = max(l.End, begin)
				j.count(s.Calls() - counted)
				return nil
			}
		}
		if !started {
			started, last, l.Begin = true, begin, begin
		}
		gap := max(0, begin-last)
		d := max(0, end-max(begin, last))
		l.MPI += d
		l.End = max(l.End, end)
		if err := marks.call(l, op.Call, last, max(end, last), gap); err != nil {
			return err
		}
		last = max(last, end)
		if op.Call-counted >= 1<<16 {
			j.count(op.Call - counted)
			counted = op.Call
		}
		if !all {
			c := &chosen[op.Terminal]
			if *c == 0 {
				if _, none, err := j.terminal(part, op.Terminal); err != nil {
					return err
				} else if *c = 1; none {
					*c = -1
				}
			}
			if *c < 0 {
				continue
			}
		}
		p := byTerm[op.Terminal]
		if p == nil {
			p = l.place(keys[op.Terminal], op.Func)
			byTerm[op.Terminal] = p
		}
		l.Calls += op.Calls
		p.calls += op.Calls
		p.mpi += d
		p.before += gap
		p.durations.add(end - begin)
	}
	j.count(s.Calls() - counted)
	return nil
}

func (l *local) place(k Key, f *spec.Func) *localPlace {
	p := l.places[k]
	if p == nil {
		p = &localPlace{group: selection.GroupOf(f)}
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

func (j *job) marks(s *trace.Stream) (*marks, error) {
	j.stepsMu.Lock()
	defer j.stepsMu.Unlock()
	of, err := j.opts.Steps.Of(s)
	if err != nil || of == nil {
		return nil, err
	}
	return &marks{of: of.Cursor(), mu: &j.stepsMu, stride: j.r.Stride, most: (of.Len() + j.r.Stride - 1) / j.r.Stride}, nil
}

// find is the step of a call.
func (m *marks) find(call uint64) (step uint64, ok bool, err error) {
	if step, ok = m.of.Near(call); ok {
		return step, true, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of.Find(call)
}

// call adds a call that ended at end, and the time since the end of the one before.
func (m *marks) call(l *local, call uint64, last, end, gap time.Duration) error {
	if m == nil {
		return nil // no time steps
	}
	i, ok, err := m.find(call)
	if !ok {
		return err
	}
	if m.stride > 1 {
		i /= m.stride
	}
	if i >= uint64(len(l.steps)) {
		l.steps = append(l.steps, make([]localStep, max(i+1, min(2*i, m.most))-uint64(len(l.steps)))...)
	}
	st := &l.steps[i]
	if !st.has {
		st.has, st.begin = true, last
	}
	st.length += end - last
	st.useful += gap
	return nil
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
		if to.Length.Processes == 0 || st.begin < to.Begin {
			to.Begin = st.begin
		}
		to.Length.add(n, st.length)
		to.Useful.add(n, st.useful)
	}
	for k, p := range l.places {
		to := j.place[k]
		if to == nil {
			to = &Place{Func: k.Func, Site: k.Site, Group: p.group}
			j.place[k] = to
		}
		to.Calls += p.calls
		to.MPI.add(n, p.mpi)
		to.Before.add(n, p.before)
		to.Durations.merge(&p.durations)
		g := j.group[p.group]
		if g == nil {
			g = &Group{Name: p.group}
			j.group[p.group] = g
		}
		g.Calls += p.calls
		g.Time += p.mpi
	}
}
