package text

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/findings"
	"github.com/tabard-hpc/tabard/analysis/regions"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/spec"
)

// Summary shows on one page where the time goes and what to fix, with at most limit call sites, 0
// for all.
func Summary(w io.Writer, t render.Terminal, o *report.Overview, limit int) error {
	p := &summaryPrinter{w, o, limit, t}
	p.head()
	p.open()
	if p.r.Usage != nil {
		p.time()
		p.regions()
		p.gpus()
		p.functions()
		p.places()
		p.steps()
	}
	if p.r.Waits != nil {
		p.waiting()
	}
	if err := p.matrix(); err != nil {
		return err
	}
	p.found()
	return nil
}

type summaryPrinter struct {
	w     io.Writer
	r     *report.Overview
	limit int
	term  render.Terminal
}

func (p *summaryPrinter) line(format string, args ...any) { render.Printf(p.w, format+"\n", args...) }

func (p *summaryPrinter) title(text string) { p.line("\n%s", text) }

// head says what ran.
func (p *summaryPrinter) head() {
	m := p.r.Archive.Meta()
	n := p.r.Counts()
	if s := archive.Incomplete(p.r.Archive.Gaps()); s != "" {
		p.line("%s", s)
	}
	p.line("%s: %s", p.r.File, strings.Join(m.Command, " "))
	text := fmt.Sprintf("%s on %s, recorded %s", plural(uint64(p.r.Archive.NumRanks()), "process"),
		plural(uint64(n.Hosts), "host"), m.Created.UTC().Format("2006-01-02 15:04 UTC"))
	if p.r.Usage != nil {
		text += ", " + render.Duration(p.r.Usage.Elapsed())
	}
	p.line("%s; %s in %s", text, plural(n.Calls, "call"), byteSize(p.r.Archive.Stats().Total))
	if v, _, _ := strings.Cut(m.MPI, "\n"); v != "" {
		p.line("%s", strings.ReplaceAll(v, "\t", "  ")) // MPICH has one in its version
	}
	if at, ok := m.Snapshot(); ok {
		p.line("Snapshot of the running job, %s after its start: %s at work", render.Duration(at.Sub(m.Created)),
			plural(uint64(n.Running), "process"))
	}
	if regions, missed := m.RecordedIn(); regions != nil {
		p.line("Recorded %s", archive.OnlyIn(regions, missed))
	}
	if n.Broken > 0 || n.Lost > 0 {
		p.line("Not complete: %s did not terminate normally, %s lost (tabard info says why)",
			plural(uint64(n.Broken), "process"), plural(n.Lost, "call"))
	}
	switch {
	case len(p.r.Others) > 0:
		p.others()
	case p.r.Usage == nil:
		p.line("The recording has no times of calls: record with --timing=lossy or --timing=lossless to see where " +
			"the time goes")
	}
}

// shownBy are the commands that show events of a kind.
var shownBy = map[string]string{"openmp": "openmp", "regions": "profile --by region", "functions": "functions"}

// others says what a recording has that has no calls.
func (p *summaryPrinter) others() {
	for _, kind := range slices.Sorted(maps.Keys(p.r.Others)) {
		command := shownBy[kind]
		if command == "" {
			command = "dump"
		}
		p.line("No calls, but %s of %s: tabard %s %s shows them", plural(p.r.Others[kind], "event"), kind, command,
			p.r.File)
	}
}

// open says which calls had not returned.
func (p *summaryPrinter) open() {
	if len(p.r.Open) == 0 {
		return
	}
	p.title("Calls that had not returned")
	t := render.NewTable("ranks", ">begun at", "call", "of the first rank")
	t.Indent = "  "
	for i, o := range p.r.Open {
		if p.limit > 0 && i == p.limit {
			t.Row(fmt.Sprintf("... %d more", len(p.r.Open)-i), "", "", "")
			break
		}
		who := o.Ranks
		if o.Thread > 0 {
			who += fmt.Sprintf(" (thread %d)", o.Thread)
		}
		if o.World > 0 {
			who += fmt.Sprintf(" (world %d)", o.World)
		}
		begin := ""
		if p.r.Usage != nil {
			begin = render.Duration(o.Begin)
		}
		t.Row(who, begin, report.PlaceText(o.Func, o.Site), o.Values)
	}
	t.WriteText(p.w)
}

// time says where the time went.
func (p *summaryPrinter) time() {
	u := p.r.Usage
	p.title("Where the time goes")
	var useful, all time.Duration
	var around time.Duration
	for i := range u.Processes {
		useful += u.Processes[i].Useful()
		all += u.Processes[i].End - u.Processes[i].Begin
		around += u.Processes[i].Around
	}
	t := render.NewTable("", ">time", ">share", "", ">calls")
	t.Indent = "  "
	row := func(name string, d time.Duration, calls string) {
		t.Row(name, render.Duration(d), timeShare(d, all), p.bar(float64(d)/float64(max(all, 1))), calls)
	}
	row("computation", useful, "")
	kinds := u.Kinds()
	inMPI, calls := all-useful, "these calls"
	for _, k := range kinds {
		indent := ""
		if len(kinds) > 1 {
			row(spec.EventKinds[k.Kind].About, k.Time, count(k.Calls))
			indent = "  "
		}
		if k.Kind == 0 {
			inMPI, calls = k.Time, "MPI"
		}
		for _, g := range k.Groups {
			row(indent+g.Name, g.Time, count(g.Calls))
		}
	}
	t.WriteText(p.w)
	e := u.Efficiency()
	p.line("  parallel efficiency %s = load balance %s x communication efficiency %s", render.Percent(e.Parallel),
		render.Percent(e.LoadBalance), render.Percent(e.Communication))
	if around > 0 {
		p.line("  MPI_Init and MPI_Finalize took %s a process and are not counted",
			render.Duration(around/time.Duration(len(u.Processes))))
	}
	if p.r.Waits != nil && p.r.Waits.Total.Time > 0 {
		p.line("  of the time in %s %s is waiting for other processes", calls, timeShare(p.r.Waits.Total.Time, inMPI))
	}
}

// regions says what the parts take that the program names itself.
func (p *summaryPrinter) regions() {
	r := p.r.Regions
	if r == nil {
		return
	}
	list := slices.DeleteFunc(slices.Clone(r.Regions), func(g *regions.Region) bool { return g.Time*100 < r.Elapsed })
	whole := "Parts of the program, of " + render.Duration(r.Elapsed) + " from the first event to the last one"
	if len(list) == 0 {
		p.title(whole + fmt.Sprintf(": each of the %d is below 1%% (tabard profile --by region)", len(r.Regions)))
		return
	}
	p.title(whole + ", all together")
	var kinds []spec.EventKind
	heads := []string{"", ">time", ">share"}
	for k := range spec.EventKinds {
		if slices.ContainsFunc(list, func(g *regions.Region) bool { return g.InKind[k] > 0 }) {
			kinds = append(kinds, spec.EventKind(k))
			heads = append(heads, ">in "+spec.EventKind(k).String())
		}
	}
	t := render.NewTable(append(heads, ">times", ">imbalance", "slowest")...)
	t.Indent = "  "
	n := limited(len(list), p.limit)
	for _, g := range list[:n] {
		name := strings.Repeat("  ", len(g.Path)-1) + g.Path[len(g.Path)-1]
		cells := []string{render.OneLine(name), render.Duration(g.Time), timeShare(g.Time, r.Elapsed)}
		for _, k := range kinds {
			cells = append(cells, timeShare(g.InKind[k], g.Time))
		}
		t.Row(append(cells, count(g.Count), render.Percent(g.Imbalance()),
			fmt.Sprintf("rank %d", report.MostRank(p.r.Archive, g)))...)
	}
	t.WriteText(p.w)
	if n < len(r.Regions) {
		p.line("  ... %d more (tabard profile --by region shows all)", len(r.Regions)-n)
	}
}

// functions lists the functions of the program with most time of their own, or those that are called most often.
func (p *summaryPrinter) functions() {
	d := p.r.Functions
	if d == nil {
		return
	}
	n := limited(len(d.Functions), p.limit)
	if !d.Timed {
		p.title("Functions of the program that are called most often (record --function-times=all for times)")
		t := render.NewTable(">calls", ">each process", "function")
		t.Indent = "  "
		for i := range d.Functions[:n] {
			f := &d.Functions[i]
			t.Row(count(f.Calls), perProcess(f), functionPlace(f))
		}
		t.WriteText(p.w)
	} else {
		p.title("Functions of the program with most time of their own")
		all := time.Duration(0)
		for i := range d.Functions {
			all += d.Functions[i].Own()
		}
		t := render.NewTable(">time", ">share", ">in calls", ">with callees", ">calls", "function")
		t.Indent = "  "
		for i := range d.Functions[:n] {
			if f := &d.Functions[i]; f.TimedCalls > 0 {
				t.Row(render.Duration(f.Own()), timeShare(f.Own(), all), render.Duration(time.Duration(f.InCalls)),
					render.Duration(time.Duration(f.Inclusive)), count(f.Calls), functionPlace(f))
			}
		}
		t.WriteText(p.w)
	}
	if n < len(d.Functions) {
		p.line("  ... %d more (tabard functions shows all)", len(d.Functions)-n)
	}
}

func functionPlace(f *report.Function) string { return render.OneLine(f.Name) + "   " + place(f) }

// bar draws a share.
func (p *summaryPrinter) bar(share float64) string {
	const cells = 24
	mark := "#"
	if p.term.Unicode {
		mark = "█"
	}
	return strings.Repeat(mark, int(math.Round(share*cells)))
}

// places lists the calls of the program that take most time.
func (p *summaryPrinter) places() {
	u := p.r.Usage
	waiting := map[waits.Place]time.Duration{}
	if p.r.Waits != nil {
		for i := range p.r.Waits.Groups {
			g := &p.r.Waits.Groups[i]
			waiting[g.Waiting] += g.Time
		}
	}
	p.title("Calls that take most time")
	t := render.NewTable(">time", ">share", ">waiting", ">calls", ">median", ">p99", ">imbalance", "slowest", "call")
	t.Indent = "  "
	n := limited(len(u.Places), p.limit)
	all := u.Elapsed() * time.Duration(len(u.Processes))
	for i := range u.Places[:n] {
		x := &u.Places[i]
		waited := waiting[waits.Place{Func: x.Func, Site: x.Site}]
		t.Row(render.Duration(x.MPI.Sum), timeShare(x.MPI.Sum, all), timeShare(waited, x.MPI.Sum), count(x.Calls),
			render.Duration(x.Durations.Quantile(.5)), render.Duration(x.Durations.Quantile(.99)),
			render.Duration(x.MPI.Imbalance()), findings.ProcessName(u.Worlds, x.MPI.Most),
			report.PlaceText(x.Func, x.Site))
	}
	t.WriteText(p.w)
	if n < len(u.Places) {
		p.line("  ... %d more (--limit 0 shows all)", len(u.Places)-n)
	}
}

// steps says how time steps differ.
func (p *summaryPrinter) steps() {
	u := p.r.Usage
	if len(u.Steps) == 0 {
		return
	}
	p.title("Time steps")
	lengths, chosen := make([]float64, len(u.Steps)), uint64(0)
	least, most := time.Duration(math.MaxInt64), time.Duration(0)
	for i := range u.Steps {
		if u.Steps[i].Length.Processes == 0 {
			lengths[i] = math.NaN()
			continue
		}
		chosen++
		d := u.Steps[i].Length.Max
		lengths[i], least, most = float64(d), min(least, d), max(most, d)
	}
	what := plural(chosen, "step")
	if u.Stride > 1 {
		what = plural(chosen, "group") + " of " + plural(u.Stride, "step")
	}
	if p.r.StepRegion != "" {
		what += fmt.Sprintf(" (each is one %q)", p.r.StepRegion)
	}
	p.line("  %s, %s to %s, median %s", what, render.Duration(least), render.Duration(most),
		render.Duration(u.MedianStep))
	p.line("  %s", render.Spark(lengths, 64, p.term.Unicode))
	if n := len(u.SlowSteps); n > 0 {
		slow := slices.Clone(u.SlowSteps)
		slices.SortStableFunc(slow, func(a, b efficiency.SlowStep) int { return cmp.Compare(b.Length, a.Length) })
		var names []string
		for _, s := range slow[:min(n, 5)] {
			names = append(names, fmt.Sprintf("%d (%s)", s.Step, render.Duration(s.Length)))
		}
		p.line("  slow: %s%s", strings.Join(names, ", "), map[bool]string{true: ", ..."}[n > 5])
	}
}

// waiting sums up the waits.
func (p *summaryPrinter) waiting() {
	r := p.r.Waits
	if r.Total.Count == 0 {
		return
	}
	p.title("Waiting for other processes")
	t := render.NewTable("", ">time", ">share", ">waits", "")
	t.Indent = "  "
	for k, s := range r.Kinds {
		if s.Count == 0 {
			continue
		}
		where := ""
		for i := range r.Groups {
			if g := &r.Groups[i]; int(g.Kind) == k {
				where = "most in " + report.PlaceText(g.Waiting.Func, g.Waiting.Site)
				break
			}
		}
		t.Row(waits.Kind(k).String(), render.Duration(s.Time), timeShare(s.Time, r.Elapsed), count(s.Count), where)
	}
	t.WriteText(p.w)
}

// found lists the findings.
func (p *summaryPrinter) found() {
	p.title("Findings")
	if len(p.r.Findings) == 0 {
		p.line("  nothing that stands out")
	}
	for i, f := range p.r.Findings {
		for k, line := range p.wrapped(fmt.Sprintf("%d. %s: %s.", i+1, f.Severity, f.Text)) {
			p.line("  %s%s", strings.Repeat(" ", min(k, 1)*(len(fmt.Sprint(i+1))+2)), line)
		}
		if f.Without > 0 {
			p.line("     without it: about %s instead of %s, computed from the dependencies of the calls",
				render.Duration(f.Without),
				render.Duration(p.r.Usage.Elapsed()))
		}
		p.line("     tabard %s %s", strings.Join(f.Command, " "), fileArgument(p.r.File, p.r.Archive.Meta().Options))
	}
}

// wrapped is a text in lines that fit a terminal, with room for an indentation; one line where nobody watches.
func (p *summaryPrinter) wrapped(s string) (lines []string) {
	if !p.term.TTY {
		return []string{s}
	}
	width := 80
	if p.term.Width > 0 {
		width = p.term.Width
	}
	width = max(width-7, 20)
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), word
			continue
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// matrix draws a sketch of the communication matrix and sums up what else moves data.
func (p *summaryPrinter) matrix() error {
	g := p.r.Matrix
	t := render.NewTable("", ">messages", ">bytes", ">mean size")
	t.Indent = "  "
	for k := range traffic.NumKinds {
		if x := g.Total(k); x.Messages > 0 {
			t.Row(kindNames[k], count(x.Messages), byteSize(x.Bytes), byteSize(x.Bytes/int64(x.Messages)))
		}
	}
	if t.Len() == 0 {
		return nil
	}
	p.title("Who talks to whom")
	t.WriteText(p.w)
	if g.Sum().Messages == 0 {
		return nil
	}
	h := MatrixChart(g)
	h.Title, h.Note = "", ""
	var text bytes.Buffer
	if err := h.WriteText(&text, p.term); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		p.line("%s", strings.TrimRight("  "+strings.TrimSuffix(line, "\n"), " "))
	}
	return nil
}

// kindNames are the kinds of traffic as a summary calls them.
var kindNames = [traffic.NumKinds]string{"point to point", "implied by collectives", "one-sided", "files"}
