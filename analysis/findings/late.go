package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/spec"
)

// late is a process for which others wait, with its delays.
type late struct {
	process                int32
	time, ordered, inFiles time.Duration
	roots                  []*waits.Root
}

// servers are the processes that wait for messages from any source most of the time, and compute little: what they wait
// for is work to do.
func (f *finder) servers() map[int32]bool {
	if f.Usage == nil || f.Waits == nil {
		return nil
	}
	var useful []time.Duration
	for i := range f.Usage.Processes {
		useful = append(useful, f.Usage.Processes[i].Useful())
	}
	slices.Sort(useful)
	of := map[int32]bool{}
	for i := range f.Waits.Processes {
		w := &f.Waits.Processes[i]
		k := slices.IndexFunc(f.Usage.Processes, func(p efficiency.Process) bool { return p.Process == w.Process })
		if k >= 0 && 2*w.Serving > f.Usage.Processes[k].Inside()/2 && 2*w.Serving > w.Total() &&
			3*f.Usage.Processes[k].Useful() < useful[len(useful)/2] {
			of[w.Process] = true
		}
	}
	return of
}

// latecomers are the processes that others wait for, the dearest first, and how many processes there are.
func (f *finder) latecomers() (all []*late, processes int) {
	of := map[int32]*late{}
	serving := len(f.servers()) > 0
	for i := range f.Waits.Roots { // the dearest first
		r := &f.Waits.Roots[i]
		l := of[r.Process]
		if l == nil {
			l = &late{process: r.Process}
			of[r.Process] = l
			all = append(all, l)
		}
		l.time += r.Time
		if serving {
			l.time -= r.Serving // they have nothing else to do
		}
		l.ordered += r.Ordered
		l.inFiles += r.InFiles
		l.roots = append(l.roots, r)
	}
	slices.SortStableFunc(all, func(a, b *late) int { return cmp.Compare(b.time, a.time) })
	processes = len(all)
	if f.Usage != nil {
		processes = max(processes, len(f.Usage.Processes))
	}
	return all, processes
}

// lateRanks reports the processes that others wait for. All ranks are late now and then, by chance: only those are
// reported alone that are so more than others, by more than the median of all.
func (f *finder) lateRanks() {
	if f.Waits == nil {
		return
	}
	all, processes := f.latecomers()
	f.ordered(all)
	if f.serial(all, processes) || f.takingTurns(processes) {
		return
	}
	median := time.Duration(0)
	if k := processes / 2; k < len(all) {
		median = all[k].time
	}
	var rest time.Duration
	var others []*late
	for _, l := range all {
		if f.told[l.process] {
			continue
		}
		standsOut := f.share(l.time-median) >= least && l.time >= 2*median
		if processes == 2 { // one of them is the median: it must stand out by more
			standsOut = l == all[0] && l.time >= 3*rootsOf(all[1:]) && f.share(l.time) >= least
		}
		if standsOut {
			f.lateRank(l)
			if processes > 2 && l.time < 3*median { // it may be chance
				f.found[len(f.found)-1].Severity = Note
			}
			continue
		}
		rest += l.time
		others = append(others, l)
	}
	if f.share(rest) >= least && len(others) > 1 && 2*f.explained < rest && !f.moving(others, rest) {
		f.jitter(others, rest)
	}
}

func rootsOf(all []*late) (sum time.Duration) {
	for _, l := range all {
		sum += l.time
	}
	return sum
}

// jitter reports that many processes are late in turn.
func (f *finder) jitter(all []*late, rest time.Duration) {
	n := Finding{Kind: Jitter, Cost: rest, Process: -1, Step: -1, Command: []string{"waits"}}
	if n.Severity = Note; f.share(rest) >= 6*much {
		n.Severity = Warning
	}
	first := all[0].roots[0]
	n.Func, n.Site = first.Late.Func, first.Late.Site
	n.Text = fmt.Sprintf("%d ranks are late in turn, none much more than the others (%s), most at %s: ", len(all),
		f.part(rest),
		call(n.Func, n.Site))
	inFiles := time.Duration(0)
	for _, l := range all {
		inFiles += l.inFiles
	}
	if 10*inFiles > rest {
		n.Text += fmt.Sprintf("they access files in %.0f%% of that time", 100*ratio(inFiles, rest))
		n.Command = []string{"io"}
	} else {
		n.Text += "as the operating system, other jobs or calls of varying length cause it"
	}
	f.add(n)
}

// steps is how many time steps there are, of those that are selected; 0 if that is not known.
func (f *finder) steps() int {
	if f.Usage == nil {
		return 0
	}
	n := 0
	for i := range f.Usage.Steps {
		if f.Usage.Steps[i].Length.Processes > 0 {
			n++
		}
	}
	return n * int(max(f.Usage.Stride, 1))
}

// few tells whether a root is late in few of the time steps.
func (f *finder) few(r *waits.Root) bool {
	return r.Worst >= 0 && r.Most > 0 && f.steps() >= 8 && 4*r.Most <= f.steps()
}

func (f *finder) lateRank(l *late) {
	f.told[l.process] = true
	first := l.roots[0]
	n := Finding{Kind: LateRank, Cost: l.time, Process: l.process, Func: first.Late.Func, Site: first.Late.Site,
		Step:    -1,
		Command: []string{"waits", "--cause", fmt.Sprint(l.process)}}
	n.Text = fmt.Sprintf("%s comes late to %s", f.Name(l.process), call(n.Func, n.Site))
	if also := alsoAt(l); also != "" {
		n.Text += also
	}
	n.Text += fmt.Sprintf(": others wait for it (%s)", f.part(l.time))
	// All waiting processes wait for the same delay. Their number is not known, but it is at most
	// that of the others.
	p, more := f.longer(l.process)
	computes := p != nil && more > l.time/time.Duration(2*len(f.Usage.Processes))
	switch {
	case computes:
		n.Text += ". It computes " + f.computes(p)
	case 10*l.inFiles <= l.time && f.byChance(l, &n):
		n.Severity = Note
		n.Text += ". In all it computes no longer than others: its calls take longer, or the machine held it up"
	}
	if 10*l.inFiles > l.time {
		n.Text += fmt.Sprintf(". It accesses files in %.0f%% of that time", 100*ratio(l.inFiles, l.time))
	}
	since := int64(-1)
	if computes {
		since = f.since(l.process)
	}
	switch steps := first.Steps; {
	case first.Worst >= 0 && (first.WorstTime > first.Time/2 || steps == 1):
		n.Step = first.Worst
		n.Text += fmt.Sprintf(". Time step %d has %.0f%% of it", first.Worst, 100*ratio(first.WorstTime, first.Time))
	case f.few(first):
		n.Step = first.Worst
		n.Text += fmt.Sprintf(". It is late now and then, not always: %d of %d time steps have most of it, step %d "+
			"before all",
			first.Most, f.steps(), first.Worst)
	case since >= 0:
		n.Step = since
		n.Text += fmt.Sprintf(". It is so from time step %d on (%s), and was not before", since, f.beginOf(since))
	case steps > 1:
		n.Step = first.Worst
		n.Text += fmt.Sprintf(". It happens in %d time steps, most in step %d", steps, first.Worst)
	}
	f.add(n)
}

// byChance tells whether a process is known to be late although it computes no longer in all than others: the run would
// take as long if it did not before any call.
func (f *finder) byChance(l *late, n *Finding) bool {
	saved, known := f.saved(n)
	return known && float64(saved) < least*float64(f.Usage.Elapsed()) &&
		f.excess(l.process) < l.time/time.Duration(2*len(f.Usage.Processes))
}

// excess is how much longer than the mean of all a process computes.
func (f *finder) excess(process int32) (more time.Duration) {
	for i := range f.Usage.Processes {
		p := &f.Usage.Processes[i]
		if more -= p.Useful() / time.Duration(len(f.Usage.Processes)); p.Process == process {
			more += p.Useful()
		}
	}
	return more
}

// Before a process began to compute longer there are steps when it did not: how many there must be, and steps after
// that.
const (
	leastBefore = 2
	leastAfter  = 8
)

// since is the time step from which on a process computes longer than the others: by a quarter of what is usual then or
// more, in nine of ten of the later steps and in no more than one of ten of those before; -1 if there is none. It
// begins at once: what grows from step to step does not.
func (f *finder) since(process int32) int64 {
	if f.Usage == nil {
		return -1
	}
	steps := f.Usage.Steps
	more := make([]time.Duration, len(steps))
	for i := range steps {
		if u := &steps[i].Useful; u.Most == process && u.Processes > 1 {
			more[i] = u.Imbalance()
		}
	}
	usual := slices.Sorted(slices.Values(more))
	if len(usual) < leastBefore+leastAfter || usual[len(usual)*3/4] == 0 {
		return -1
	}
	quarter := usual[len(usual)*3/4] / 4
	wrong := 0 // if all steps are taken for late
	for _, d := range more {
		if d < quarter {
			wrong++
		}
	}
	at, fewest, before := 0, wrong, 0
	for i, d := range more {
		if wrong--; d >= quarter {
			wrong += 2
		}
		if wrong < fewest {
			at, fewest = i+1, wrong
		}
	}
	for _, d := range more[:at] {
		if d >= quarter {
			before++
		}
	}
	if at < leastBefore || len(more)-at < leastAfter || 10*before > at || 10*(fewest-before) > len(more)-at {
		return -1
	}
	if begins := slices.Sorted(slices.Values(more[at : at+leastAfter])); begins[leastAfter/2] < 2*quarter {
		return -1
	}
	return int64(at) * int64(max(f.Usage.Stride, 1))
}

// beginOf says when a time step began, since the start of the recording.
func (f *finder) beginOf(step int64) string {
	if k := uint64(step) / max(f.Usage.Stride, 1); k < uint64(len(f.Usage.Steps)) {
		return "at " + f.Duration(f.Usage.Steps[k].Begin)
	}
	return "later"
}

// alsoAt names the further calls that a process comes late to, if they matter.
func alsoAt(l *late) string {
	var also []string
	for _, r := range l.roots[1:] {
		if r.Time > l.time/10 && len(also) < 2 {
			also = append(also, call(r.Late.Func, r.Late.Site))
		}
	}
	if len(also) == 0 {
		return ""
	}
	return fmt.Sprintf(" (and to %s)", strings.Join(also, ", "))
}

// asTheyCome is what to do about messages that are received in another order than they come.
const asTheyCome = "receive from any source, send in the order of the receives, or post all receives in advance"

// ordered reports that a process receives in a fixed order what comes in another one, if its receives come from one
// call that is made several times in a step, and that is why most others wait.
func (f *finder) ordered(all []*late) {
	var cost time.Duration
	for _, l := range all {
		cost += l.ordered
	}
	k := slices.IndexFunc(f.Waits.Groups, func(g waits.Group) bool { return g.Kind == waits.WrongOrder })
	if k < 0 || f.share(cost) < least || 4*cost < f.Waits.Total.Time || !f.loops(&f.Waits.Groups[k].Waiting) {
		return
	}
	g := &f.Waits.Groups[k]
	who := g.Waiters[0].Process
	n := Finding{Kind: WrongOrder, Cost: cost, Process: who, Func: g.Waiting.Func, Site: g.Waiting.Site, Step: -1,
		Command: []string{"waits", "--kind", strings.ReplaceAll(g.Kind.String(), " ", "-")}}
	n.Text = fmt.Sprintf("%s receives in %s in a fixed order: it waits for %s while other messages are there, and "+
		"others "+
		"wait for it in turn (%s): %s", f.Name(who), call(g.Waiting.Func, g.Waiting.Site), f.causers(g), f.part(cost),
		asTheyCome)
	f.told[who] = true
	for _, l := range all {
		if 2*l.ordered > l.time {
			f.told[l.process] = true
		}
	}
	f.add(n)
}

// causers names those that are waited for.
func (f *finder) causers(g *waits.Group) string {
	if len(g.Causers) == 1 || 2*g.Causers[0].Time > g.Time {
		return f.Name(g.Causers[0].Process)
	}
	return fmt.Sprintf("one of %d ranks", len(g.Causers))
}

// loops tells whether a process makes a receive several times in a time step, or, where there are no steps, several
// times.
func (f *finder) loops(at *waits.Place) bool {
	fn := spec.ByName(at.Func)
	if fn == nil || fn.Outcome != spec.OutcomeFromAny || f.Usage == nil {
		return false
	}
	for i := range f.Usage.Places {
		p := &f.Usage.Places[i]
		if p.Func == at.Func && p.Site == at.Site {
			return p.Calls >= uint64(2*max(p.MPI.Processes, 1)*max(f.steps(), 1))
		}
	}
	return false
}

// leastStep is how long steps have to take: of shorter ones single calls, and what delays them, make up all.
const leastStep = 10 * time.Microsecond

// slowSteps reports the time steps that are slow, unless a process is the cause that is reported already.
func (f *finder) slowSteps() {
	if f.Usage == nil || len(f.Usage.SlowSteps) == 0 || f.Usage.MedianStep < leastStep {
		return
	}
	slow := slices.Clone(f.Usage.SlowSteps)
	if 4*len(slow) > len(f.Usage.Steps) {
		return // iterations take turns at what they do: the median is that of the short ones
	}
	if len(f.servers()) > 0 {
		return // each worker has steps of its own, its tasks, and the server those between any two of them
	}
	slices.SortStableFunc(slow, func(a, b efficiency.SlowStep) int { return cmp.Compare(b.Length, a.Length) })
	var over, known time.Duration
	for _, s := range slow {
		d := s.Length - f.Usage.MedianStep
		over += d
		if s.Cause == efficiency.OneComputes && f.told[s.Process] || s.Cause == efficiency.InMPI && f.causedBy(s.Step) {
			known += d
		}
	}
	cost := over * time.Duration(len(f.Usage.Processes))
	if f.share(cost) < least || 2*known > over {
		return
	}
	s := slow[0]
	n := Finding{Kind: SlowStep, Cost: cost, Process: -1, Step: int64(s.Step), Command: []string{"timeline", "--steps",
		fmt.Sprint(s.Step)}}
	switch {
	case len(slow) == 1 && s.Step == 0:
		n.Severity = Note // the first one often has more to do
	case 10*len(slow) > len(f.Usage.Steps) && f.share(cost) < .25:
		n.Severity = Note // they are not exceptions
	}
	n.Text = fmt.Sprintf("time step %d takes %s, %.1f times the median (%s): %s", s.Step, f.Duration(s.Length),
		ratio(s.Length, f.Usage.MedianStep),
		f.Duration(f.Usage.MedianStep), s.Cause)
	if s.Cause == efficiency.OneComputes {
		n.Process = s.Process
		n.Text += fmt.Sprintf(", %s, by %s", f.Name(s.Process), f.Duration(s.Excess))
	}
	if len(slow) > 1 {
		n.Text += fmt.Sprintf("; %d of the other %d %s slow, too", len(slow)-1, len(f.Usage.Steps)-1, are(len(slow)-1))
	}
	f.add(n)
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// causedBy tells whether the waits of a step go back to a process that is reported already.
func (f *finder) causedBy(step uint64) bool {
	if f.Waits == nil {
		return false
	}
	k, ok := slices.BinarySearchFunc(f.Waits.Steps, step, func(s waits.Step,
		n uint64) int {
		return cmp.Compare(s.Step, n)
	})
	if !ok || f.Waits.Steps[k].Root < 0 {
		return false
	}
	return f.told[f.Waits.Roots[f.Waits.Steps[k].Root].Process]
}

// patterns reports waits that other calls would avoid, unless a process is their cause that is reported already.
func (f *finder) patterns() {
	if f.Waits == nil {
		return
	}
	for i := range f.Waits.Groups {
		g := &f.Waits.Groups[i]
		if f.share(g.Time) < least {
			break
		}
		n := Finding{Cost: g.Time, Process: g.Waiters[0].Process, Func: g.Waiting.Func, Site: g.Waiting.Site, Step: -1,
			Command: []string{"waits", "--kind", strings.ReplaceAll(g.Kind.String(), " ", "-")}}
		if f.told[g.Causers[0].Process] || f.told[n.Process] || f.grown[place{n.Func, n.Site}] {
			continue
		}
		switch {
		case g.Kind == waits.WrongOrder && f.loops(&g.Waiting):
			n.Kind = WrongOrder
			n.Text = fmt.Sprintf("%s waits in %s for a message while others are there that it receives later (%s): %s",
				f.Name(n.Process), call(n.Func, n.Site), f.part(g.Time), asTheyCome)
		case g.Kind == waits.LateReceiver:
			if n.Kind = LateReceiver; f.mutual(g) {
				n.Severity = Note // neighbours, of which now the one comes first and now the other
			}
			n.Text = fmt.Sprintf("%s waits in %s until the receive is posted, at %s (%s): post it earlier",
				f.Name(n.Process),
				call(n.Func, n.Site), call(g.Late.Func, g.Late.Site), f.part(g.Time))
		default:
			continue
		}
		f.add(n)
	}
}

// mutual tells that the one who is late for a message waits for the other one's receives as long, or a third of it.
func (f *finder) mutual(g *waits.Group) bool {
	var back time.Duration
	for i := range f.Waits.Groups {
		o := &f.Waits.Groups[i]
		if o.Kind == g.Kind && o.Waiters[0].Process == g.Causers[0].Process &&
			o.Causers[0].Process == g.Waiters[0].Process {
			back += o.Time
		}
	}
	return 3*back >= g.Time
}
