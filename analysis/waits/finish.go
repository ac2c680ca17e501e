package waits

import (
	"cmp"
	"slices"
	"time"

	"tabard/analysis/selection"
	"tabard/analysis/usage"
	"tabard/spec"
	"tabard/trace"
)

// finish makes the result of the waits that were kept.
func (f *finder) finish() error {
	f.unite()
	f.order()
	places := &placeTable{a: f.a, numbers: map[Place]int32{}}
	roots := &rootFinder{waits: f.waits, place: places.of}
	roots.follow()
	steps, err := f.steps()
	if err != nil {
		return err
	}
	f.groups(places)
	f.causes(roots, places, steps)
	return f.elapsed()
}

// placeTable numbers places, which are the same for the streams of a class.
type placeTable struct {
	a       *trace.Archive
	classes map[*trace.Class][]int32
	numbers map[Place]int32
	places  []Place
}

func (p *placeTable) of(stream int32, term uint32) int32 {
	if p.classes == nil {
		p.classes = map[*trace.Class][]int32{}
	}
	c := p.a.Stream(int(stream)).Class()
	ids := p.classes[c]
	for len(ids) <= int(term) {
		ids = append(ids, -1)
	}
	if ids[term] < 0 {
		ids[term] = p.number(c, term)
	}
	p.classes[c] = ids
	return ids[term]
}

func (p *placeTable) number(c *trace.Class, term uint32) int32 {
	var place Place
	if t, err := c.Template(term); err == nil { // else reading its calls would have failed
		place.Func = spec.ByID(t.Func).Name
		if s := c.Site(t); s != nil {
			place.Site = s.String()
		}
	}
	n, ok := p.numbers[place]
	if !ok {
		n = int32(len(p.places))
		p.numbers[place] = n
		p.places = append(p.places, place)
	}
	return n
}

// steps is the time step of each wait, -1 for none. The waits are in the order of streams and calls.
func (f *finder) steps() ([]int64, error) {
	steps := make([]int64, len(f.waits))
	var of *selection.StreamSteps
	var k, n uint64
	var r selection.Range
	var err error
	for i := range f.waits {
		w := &f.waits[i]
		if i == 0 || w.stream != f.waits[i-1].stream {
			if of, err = f.opts.Steps.Of(f.a.Stream(int(w.stream))); err != nil {
				return nil, err
			}
			k, n, r = 0, 0, selection.Range{}
			if of != nil {
				if n = of.Len(); n > 0 {
					if r, err = of.Range(0); err != nil {
						return nil, err
					}
				}
			}
		}
		// From the step of the wait before, in strides that double.
		if n > 0 && w.call >= r.To && k+1 < n {
			if k, r, err = stepOf(of, k, n, w.call); err != nil {
				return nil, err
			}
		}
		if steps[i] = -1; n > 0 && r.From <= w.call && w.call < r.To {
			steps[i] = int64(k)
		}
	}
	return steps, nil
}

// stepOf is the last of n steps, after step k, that begins at or before a call.
func stepOf(of *selection.StreamSteps, k, n, call uint64) (uint64, selection.Range, error) {
	lo, hi := k, n // step lo begins at or before the call, step hi after it
	for stride := uint64(1); lo+stride < n; stride *= 2 {
		r, err := of.Range(lo + stride)
		if err != nil {
			return 0, r, err
		}
		if r.From > call {
			hi = lo + stride
			break
		}
		lo += stride
	}
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		r, err := of.Range(mid)
		if err != nil {
			return 0, r, err
		}
		if r.From <= call {
			lo = mid
		} else {
			hi = mid
		}
	}
	r, err := of.Range(lo)
	return lo, r, err
}

// groupKey is what the waits of a group have in common.
type groupKey struct {
	kind          Kind
	waiting, late int32
}

// groups sums up by pattern and calls, and by process.
func (f *finder) groups(places *placeTable) {
	type group struct {
		Group
		waiters, causers map[int32]time.Duration
	}
	groups := map[groupKey]*group{}
	processes := map[int32]*Process{}
	process := func(n int32) *Process {
		if processes[n] == nil {
			processes[n] = &Process{Process: n}
		}
		return processes[n]
	}
	for i := range f.waits {
		w := &f.waits[i]
		if !w.selected {
			continue
		}
		d := w.length()
		k := groupKey{w.kind, places.of(w.stream, w.term), places.of(w.lateStream, w.lateTerm)}
		g := groups[k]
		if g == nil {
			g = &group{Group: Group{Kind: w.kind, Waiting: places.places[k.waiting], Late: places.places[k.late]},
				waiters: map[int32]time.Duration{}, causers: map[int32]time.Duration{}}
			groups[k] = g
		}
		g.add(d)
		g.waiters[w.waiter] += d
		g.causers[w.causer] += d
		process(w.waiter).Waited[w.kind] += d
		process(w.causer).Caused += d
		f.r.Kinds[w.kind].add(d)
		f.r.Total.add(d)
	}
	for _, g := range groups {
		g.Waiters, g.Causers = shares(g.waiters), shares(g.causers)
		f.r.Groups = append(f.r.Groups, g.Group)
	}
	slices.SortFunc(f.r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Waiting.Func+a.Waiting.Site, b.Waiting.Func+b.Waiting.Site),
			cmp.Compare(a.Late.Func+a.Late.Site, b.Late.Func+b.Late.Site))
	})
	for _, p := range processes {
		f.r.Processes = append(f.r.Processes, *p)
	}
	f.sortProcesses()
}

func (f *finder) sortProcesses() {
	slices.SortFunc(f.r.Processes, func(a, b Process) int { return cmp.Compare(a.Process, b.Process) })
}

// shares lists the greatest parts.
func shares(m map[int32]time.Duration) []Share {
	var all []Share
	for p, d := range m {
		all = append(all, Share{p, d})
	}
	slices.SortFunc(all, func(a, b Share) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Process, b.Process)) })
	return all[:min(len(all), MaxShares)]
}

// causes sums up by roots and by steps.
func (f *finder) causes(rf *rootFinder, places *placeTable, steps []int64) {
	type rootStep struct {
		root int32
		step int64
	}
	spent := make([]float64, len(rf.roots))
	waits := make([]uint64, len(rf.roots))
	inStep := map[rootStep]float64{}
	stepTime := map[int64]time.Duration{}
	for i := range f.waits {
		w := &f.waits[i]
		if !w.selected {
			continue
		}
		if steps[i] >= 0 {
			stepTime[steps[i]] += w.length()
		}
		for _, o := range rf.origins[i] {
			spent[o.root] += float64(o.time)
			waits[o.root]++
			if steps[i] >= 0 {
				inStep[rootStep{o.root, steps[i]}] += float64(o.time)
			}
		}
	}
	roots := make([]Root, len(rf.roots))
	order := make([]int32, 0, len(rf.roots))
	byProcess := map[int32]float64{}
	for n, k := range rf.roots {
		roots[n] = Root{Process: k.process, Late: places.places[k.place], Time: time.Duration(spent[n]), Waits: waits[n], Worst: -1}
		byProcess[k.process] += spent[n]
		if waits[n] > 0 {
			order = append(order, int32(n))
		}
	}
	for k, t := range inStep {
		r := &roots[k.root]
		r.Steps++
		if d := time.Duration(t); d > r.WorstTime || d == r.WorstTime && (r.Worst < 0 || k.step < r.Worst) {
			r.Worst, r.WorstTime = k.step, d
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &roots[a], &roots[b]
		return cmp.Or(cmp.Compare(y.Time, x.Time), cmp.Compare(x.Process, y.Process), cmp.Compare(x.Late.Func+x.Late.Site, y.Late.Func+y.Late.Site))
	})
	at := make([]int, len(roots))
	for i, n := range order {
		at[n] = i
		f.r.Roots = append(f.r.Roots, roots[n])
	}
	most := map[int64]*Step{}
	for s, t := range stepTime {
		most[s] = &Step{Step: uint64(s), Time: t, Root: -1}
	}
	for k, t := range inStep {
		s, d := most[k.step], time.Duration(t)
		if s.Root < 0 || d > s.RootTime || d == s.RootTime && at[k.root] < s.Root {
			s.Root, s.RootTime = at[k.root], d
		}
	}
	for _, s := range most {
		f.r.Steps = append(f.r.Steps, *s)
	}
	slices.SortFunc(f.r.Steps, func(a, b Step) int { return cmp.Compare(a.Step, b.Step) })
	known := map[int32]bool{}
	for i := range f.r.Processes {
		p := &f.r.Processes[i]
		p.Root, known[p.Process] = time.Duration(byProcess[p.Process]), true
	}
	for p, t := range byProcess {
		if !known[p] && t > 0 {
			f.r.Processes = append(f.r.Processes, Process{Process: p, Root: time.Duration(t)})
		}
	}
	f.sortProcesses()
}

// elapsed sums up the time of all processes.
func (f *finder) elapsed() error {
	for s := range f.a.Streams() {
		if s.Thread() != 0 {
			continue
		}
		from, to, err := usage.Active(s)
		if err != nil {
			return err
		}
		f.r.Elapsed += to - from
	}
	return nil
}
