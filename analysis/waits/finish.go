package waits

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// finish makes the result of the waits that were kept.
func (f *finder) finish() error {
	for i := range f.shorts {
		f.count(&f.shorts[i])
	}
	f.sorted = f.unite()
	f.order()
	f.each()
	places := &placeTable{a: f.a, classes: map[*archive.Class][]int32{}, numbers: map[Place]int32{}}
	roots := &rootFinder{waits: f.waits, owner: f.owner, which: f.sorted, place: places.of, files: f.files}
	roots.follow()
	steps, err := f.steps()
	if err != nil {
		return err
	}
	f.groups(places)
	f.causes(roots, places, steps)
	f.r.Queues = f.longest()
	return f.elapsed()
}

// placeTable numbers places, which are the same for the streams of a class.
type placeTable struct {
	a       *archive.Archive
	streams []streamPlaces
	classes map[*archive.Class][]int32
	numbers map[Place]int32
	places  []Place
}

// streamPlaces is 1 + the number of the place of each terminal that was asked for; all streams of a
// class share it.
type streamPlaces struct {
	class *archive.Class
	ids   []int32
}

func (p *placeTable) of(stream int32, term uint32) int32 {
	if int(stream) >= len(p.streams) {
		p.streams = append(p.streams, make([]streamPlaces, max(int(stream)+1, 2*len(p.streams))-len(p.streams))...)
	}
	s := &p.streams[stream]
	if int(term) < len(s.ids) && s.ids[term] > 0 {
		return s.ids[term] - 1
	}
	if s.class == nil {
		s.class = p.a.Stream(int(stream)).Class()
	}
	ids := p.classes[s.class]
	if int(term) >= len(ids) {
		ids = append(ids, make([]int32, max(int(term)+1, 2*len(ids))-len(ids))...)
		p.classes[s.class] = ids
	}
	s.ids = ids
	if ids[term] == 0 {
		ids[term] = 1 + p.number(s.class, term)
	}
	return ids[term] - 1
}

func (p *placeTable) number(c *archive.Class, term uint32) int32 {
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

// steps is the time step of each wait in the order of f.sorted, -1 for none.
func (f *finder) steps() ([]int64, error) {
	steps := make([]int64, len(f.sorted))
	stream := int32(-1)
	var c *selection.StepCursor
	for i, k := range f.sorted {
		w := &f.waits[k]
		if w.stream != stream {
			stream = w.stream
			of, err := f.opts.Steps.Of(f.a.Stream(int(w.stream)))
			if err != nil {
				return nil, err
			}
			if c = nil; of != nil {
				c = of.Cursor()
			}
		}
		if steps[i] = -1; c == nil {
			continue
		}
		k, ok, err := c.Find(w.call)
		if err != nil {
			return nil, err
		}
		if ok {
			steps[i] = int64(k)
		}
	}
	return steps, nil
}

// groupKey is what the waits of a group have in common.
type groupKey struct {
	kind          Kind
	waiting, late int32
}

// groups sums up by pattern and calls, and by process.
func (f *finder) groups(places *placeTable) {
	numbers := map[groupKey]uint32{}
	var keys []groupKey
	var last uint32
	var waiters, causers pairTable // groups and processes
	var waited, caused []time.Duration
	var procs slots
	process := func(n int32) *Process {
		k := procs.of(n)
		if int(k) == len(f.r.Processes) {
			f.r.Processes = append(f.r.Processes, Process{Process: n})
		}
		return &f.r.Processes[k]
	}
	spend := func(t *pairTable, sums *[]time.Duration, group uint32, process int32, d time.Duration) {
		k := t.of(group, uint32(process))
		if int(k) == len(*sums) {
			*sums = append(*sums, 0)
		}
		(*sums)[k] += d
	}
	count := func(w *briefKey, s *Sum) {
		k := groupKey{w.kind, places.of(w.stream, w.term), places.of(w.lateStream, w.lateTerm)}
		if int(last) >= len(keys) || keys[last] != k {
			n, ok := numbers[k]
			if !ok {
				n = uint32(len(keys))
				numbers[k], keys = n, append(keys, k)
				f.r.Groups = append(f.r.Groups,
					Group{Kind: w.kind, Waiting: places.places[k.waiting], Late: places.places[k.late]})
			}
			last = n
		}
		waiter, causer := f.owner[w.stream], f.owner[w.lateStream]
		f.r.Groups[last].merge(s)
		spend(&waiters, &waited, last, waiter, s.Time)
		spend(&causers, &caused, last, causer, s.Time)
		process(waiter).Waited[w.kind] += s.Time
		process(causer).Caused += s.Time
		f.r.Kinds[w.kind].merge(s)
		f.r.Total.merge(s)
	}
	for n := range f.brief.keys {
		s := &f.brief.sums[n]
		count(&f.brief.keys[n], s)
		f.r.Short.merge(s)
	}
	f.r.Longest = f.r.Short.Max
	for _, i := range f.sorted {
		if w := &f.waits[i]; w.selected {
			d := w.length()
			count(&briefKey{w.stream, w.lateStream, w.term, w.lateTerm, w.kind}, &Sum{1, d, d})
			if w.wild {
				process(f.owner[w.stream]).Serving += d
			}
		}
	}
	all := make([][]Share, len(keys))
	list := func(t *pairTable, sums []time.Duration) {
		for k, key := range t.keys {
			g := key >> 32
			all[g] = append(all[g], Share{int32(uint32(key)), sums[k]})
		}
	}
	list(&waiters, waited)
	for g := range all {
		f.r.Groups[g].Waiters = shares(all[g])
		all[g] = nil
	}
	list(&causers, caused)
	for g := range all {
		f.r.Groups[g].Causers = shares(all[g])
	}
	slices.SortFunc(f.r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Waiting.Func+a.Waiting.Site, b.Waiting.Func+b.Waiting.Site),
			cmp.Compare(a.Late.Func+a.Late.Site, b.Late.Func+b.Late.Site))
	})
	f.sortProcesses()
}

func (f *finder) sortProcesses() {
	slices.SortFunc(f.r.Processes, func(a, b Process) int { return cmp.Compare(a.Process, b.Process) })
}

// shares lists the greatest parts.
func shares(all []Share) []Share {
	slices.SortFunc(all, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Process, b.Process))
	})
	return slices.Clip(all[:min(len(all), MaxShares)])
}

// causes sums up by roots and by steps.
func (f *finder) causes(rf *rootFinder, places *placeTable, steps []int64) {
	of, keys := rf.joined()
	spent, ordered, inFiles := make([]float64, len(keys)), make([]float64, len(keys)), make([]float64, len(keys))
	serving := make([]float64, len(keys))
	waits := make([]uint64, len(keys))
	for _, i := range f.sorted {
		w := &f.waits[i]
		if !w.selected {
			continue
		}
		for _, o := range rf.origins(i) {
			n := of[o.root]
			spent[n] += float64(o.time)
			inFiles[n] += float64(o.files)
			if rf.roots[o.root].ordered {
				ordered[n] += float64(o.time)
			}
			if w.wild && keys[n].process == f.owner[w.lateStream] {
				serving[n] += float64(o.time)
			}
			waits[n]++
		}
	}
	roots := make([]Root, len(keys))
	order := make([]int32, 0, len(keys))
	byProcess := map[int32]float64{}
	for n, k := range keys {
		roots[n] = Root{Process: k.process, Late: places.places[k.place], Time: time.Duration(spent[n]),
			Ordered: time.Duration(ordered[n]), InFiles: time.Duration(inFiles[n]), Serving: time.Duration(serving[n]),
			Waits: waits[n], Worst: -1}
		f.r.InFiles += roots[n].InFiles
		byProcess[k.process] += spent[n]
		if waits[n] > 0 {
			order = append(order, int32(n))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &roots[a], &roots[b]
		return cmp.Or(cmp.Compare(y.Time, x.Time), cmp.Compare(x.Process, y.Process),
			cmp.Compare(x.Late.Func+x.Late.Site, y.Late.Func+y.Late.Site))
	})
	at := make([]int, len(roots))
	for i, n := range order {
		at[n] = i
	}
	f.bySteps(rf, of, steps, roots, at)
	for _, n := range order {
		f.r.Roots = append(f.r.Roots, roots[n])
	}
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

// heights are the times of a root in steps, by their size in powers of 4 of nanoseconds.
type heights [24]struct {
	steps uint32
	time  float32
}

func (h *heights) add(d time.Duration) {
	k := &h[min(bits.Len64(uint64(max(d, 0)))/2, len(h)-1)]
	k.steps++
	k.time += float32(d)
}

// most is the least number of steps that have four fifths of the time, about.
func (h *heights) most() int {
	var sum, so float32
	for i := range h {
		sum += h[i].time
	}
	n := 0.0
	for i := len(h) - 1; i >= 0 && so < .8*sum; i-- {
		if k := &h[i]; k.steps > 0 {
			part := min(1, (.8*sum-so)/k.time)
			so += part * k.time
			n += float64(part) * float64(k.steps)
		}
	}
	return int(math.Ceil(n))
}

// bySteps sums up the waits of each step, and the part of each root in it; of is the number of each root in roots, at
// the order of these.
func (f *finder) bySteps(rf *rootFinder, of []int32, steps []int64, roots []Root, at []int) {
	order := make([]keyed, 0, len(steps))
	for k, s := range steps {
		if i := f.sorted[k]; s >= 0 && f.waits[i].selected {
			order = append(order, keyed{uint64(s), i})
		}
	}
	order = byKey(order, make([]keyed, len(order)))
	n := 0
	for k := range order {
		if k == 0 || order[k].key != order[k-1].key {
			n++
		}
	}
	f.r.Steps = slices.Grow(f.r.Steps, n)
	inStep := make([]float64, len(roots))
	seen := make([]bool, len(roots))
	high := make([]heights, len(roots))
	var touched []int32
	for from := 0; from < len(order); {
		step, to := Step{Step: order[from].key, Root: -1}, from
		for ; to < len(order) && order[to].key == step.Step; to++ {
			i := order[to].i
			step.Time += f.waits[i].length()
			for _, o := range rf.origins(i) {
				n := of[o.root]
				if !seen[n] {
					seen[n] = true
					touched = append(touched, n)
				}
				inStep[n] += float64(o.time)
			}
		}
		from = to
		for _, n := range touched {
			r, d := &roots[n], time.Duration(inStep[n])
			r.Steps++
			high[n].add(d)
			if d > r.WorstTime || r.Worst < 0 {
				r.Worst, r.WorstTime = int64(step.Step), d
			}
			if step.Root < 0 || d > step.RootTime || d == step.RootTime && at[n] < step.Root {
				step.Root, step.RootTime = at[n], d
			}
			inStep[n], seen[n] = 0, false
		}
		touched = touched[:0]
		f.r.Steps = append(f.r.Steps, step)
	}
	for n := range roots {
		roots[n].Most = high[n].most()
	}
}

// elapsed sums up the time of all processes.
func (f *finder) elapsed() error {
	for s := range f.a.Streams() {
		if s.Thread() != 0 {
			continue
		}
		from, to, err := efficiency.Active(s)
		if err != nil {
			return err
		}
		f.r.Elapsed += to - from
	}
	return nil
}
