package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tabard/analysis/findings"
	"tabard/analysis/usage"
	"tabard/analysis/waits"
	"tabard/internal/render"
	"tabard/trace"
)

// reportSchema names the form of what `tabard report --json` prints.
const reportSchema = "tabard.report/1"

const reportLong = `Say on one page what ran, where the time went, who waits for whom, how time steps differ,
and what to do about it. Findings come last, the dearest first, each with the command that
shows more.

Times are of the main threads, between MPI_Init and MPI_Finalize. Computation is all time outside of MPI. The efficiencies are
those of the POP project: load balance is mean by maximum of computation, communication
efficiency the maximum of computation by the elapsed time, parallel efficiency their
product. Imbalance is what the slowest process needs longer than the mean.

`

// report is what `tabard report` shows.
type report struct {
	file     string
	archive  *trace.Archive
	usage    *usage.Result // nil without times
	waits    *waits.Result
	matrix   *matrixView
	findings []findings.Finding
}

func reportCommand(a *app) *cobra.Command {
	f := &selectFlags{}
	limit := 12
	cmd := &cobra.Command{
		Use:   "report FILE",
		Short: "Say on one page where the time goes and what to fix",
		Long:  reportLong + selectHelp,
		Example: `  tabard report app.tabard
  tabard report app.tabard --steps 100-199
  tabard report app.tabard --json | jq '.findings[].text'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "show at most `N` call sites, 0 for all")
	f.add(cmd, reportSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if limit < 0 {
			return usagef("--limit %d is less than 0", limit)
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		r, err := a.report(args[0], archive, f)
		if err != nil {
			return err
		}
		if f.json {
			return a.printJSON(reportJSON(r))
		}
		w := bufio.NewWriter(a.out)
		if err := (&reportPrinter{w: w, r: r, limit: limit, term: a.terminal()}).print(); err != nil {
			return err
		}
		return w.Flush()
	}
	return cmd
}

// report makes all analyses.
func (a *app) report(file string, archive *trace.Archive, f *selectFlags) (*report, error) {
	r := &report{file: file, archive: archive}
	t, err := a.timed(archive, f)
	if err != nil {
		return nil, err
	}
	spent, err := usage.Observe(t.program, usage.Options{Selection: t.chosen, Steps: t.steps, Clock: t.clock})
	switch {
	case errors.Is(err, usage.ErrUntimed):
	case err != nil:
		return nil, err
	default:
		if r.waits, err = t.waits(spent); err != nil {
			return nil, err
		}
		r.usage = spent.Result()
	}
	if r.matrix, err = t.matrix(); err != nil {
		return nil, err
	}
	r.findings = findings.Of(findings.Input{Usage: r.usage, Waits: r.waits, Archive: archive, Clocks: t.clocks, Duration: render.Duration})
	return r, nil
}

// reportPrinter writes a report as text.
type reportPrinter struct {
	w     io.Writer
	r     *report
	limit int
	term  render.Terminal
}

func (p *reportPrinter) print() error {
	p.head()
	if p.r.usage != nil {
		p.time()
		p.places()
		p.steps()
	}
	if p.r.waits != nil {
		p.waiting()
	}
	if err := p.matrix(); err != nil {
		return err
	}
	p.found()
	return nil
}

func (p *reportPrinter) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

func (p *reportPrinter) title(text string) { p.line("\n%s", text) }

// head says what ran.
func (p *reportPrinter) head() {
	m := p.r.archive.Meta()
	calls, lost, broken := uint64(0), uint64(0), 0
	hosts := map[string]bool{}
	for _, c := range p.r.archive.Classes() {
		if n, _, err := c.Counts(); err == nil {
			for _, k := range n {
				calls += k
			}
		}
	}
	for _, d := range p.r.archive.Ranks() {
		hosts[d.Host] = true
		lost += d.LostCalls
		if !d.Complete {
			broken++
		}
	}
	p.line("%s: %s", p.r.file, strings.Join(m.Command, " "))
	text := fmt.Sprintf("%s on %s, recorded %s", render.Plural(uint64(p.r.archive.NumRanks()), "process"), render.Plural(uint64(len(hosts)), "host"), m.Created.UTC().Format("2006-01-02 15:04 UTC"))
	if p.r.usage != nil {
		text += ", " + render.Duration(p.r.usage.Elapsed())
	}
	p.line("%s; %s in %s", text, render.Plural(calls, "call"), render.ByteSize(p.r.archive.Stats().Total))
	if v, _, _ := strings.Cut(m.MPI, "\n"); v != "" {
		p.line("%s", v)
	}
	if broken > 0 || lost > 0 {
		p.line("Not complete: %s did not end in order, %s lost (tabard info says why)", render.Plural(uint64(broken), "process"), render.Plural(lost, "call"))
	}
	if p.r.usage == nil {
		p.line("The recording has no times of calls: record with --timing=lossy or --timing=lossless to see where the time goes")
	}
}

// time says where the time went.
func (p *reportPrinter) time() {
	u := p.r.usage
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
	for _, g := range u.Groups {
		row(g.Name, g.Time, render.Count(g.Calls))
	}
	t.WriteText(p.w)
	e := u.Efficiency()
	p.line("  parallel efficiency %s = load balance %s x communication efficiency %s", render.Percent(e.Parallel), render.Percent(e.LoadBalance), render.Percent(e.Communication))
	if around > 0 {
		p.line("  MPI_Init and MPI_Finalize took %s a process and are not counted", render.Duration(around/time.Duration(len(u.Processes))))
	}
	if p.r.waits != nil && p.r.waits.Total.Time > 0 {
		p.line("  of the time in MPI %s is waiting for other processes", timeShare(p.r.waits.Total.Time, all-useful))
	}
}

// bar draws a share.
func (p *reportPrinter) bar(share float64) string {
	const cells = 24
	mark := "#"
	if p.term.Unicode {
		mark = "█"
	}
	return strings.Repeat(mark, int(math.Round(share*cells)))
}

// places lists the calls of the program that take most time.
func (p *reportPrinter) places() {
	u := p.r.usage
	waiting := map[waits.Place]time.Duration{}
	if p.r.waits != nil {
		for i := range p.r.waits.Groups {
			g := &p.r.waits.Groups[i]
			waiting[g.Waiting] += g.Time
		}
	}
	p.title("Calls that take most time")
	t := render.NewTable(">time", ">share", ">waiting", ">calls", ">median", ">p99", ">imbalance", "slowest", "call")
	t.Indent = "  "
	n := len(u.Places)
	if p.limit > 0 {
		n = min(n, p.limit)
	}
	all := u.Elapsed() * time.Duration(len(u.Processes))
	for i := range u.Places[:n] {
		x := &u.Places[i]
		t.Row(render.Duration(x.MPI.Sum), timeShare(x.MPI.Sum, all), timeShare(waiting[waits.Place{Func: x.Func, Site: x.Site}], x.MPI.Sum), render.Count(x.Calls),
			render.Duration(x.Durations.Quantile(.5)), render.Duration(x.Durations.Quantile(.99)), render.Duration(x.MPI.Imbalance()),
			processName(u.Worlds, x.MPI.Most), placeText(x.Func, x.Site))
	}
	t.WriteText(p.w)
	if n < len(u.Places) {
		p.line("  ... %d more (--limit 0 shows all)", len(u.Places)-n)
	}
}

// steps says how time steps differ.
func (p *reportPrinter) steps() {
	u := p.r.usage
	if len(u.Steps) == 0 {
		return
	}
	p.title("Time steps")
	lengths := make([]float64, len(u.Steps))
	least, most := time.Duration(math.MaxInt64), time.Duration(0)
	for i := range u.Steps {
		if u.Steps[i].Length.Processes == 0 {
			lengths[i] = math.NaN()
			continue
		}
		d := u.Steps[i].Length.Max
		lengths[i], least, most = float64(d), min(least, d), max(most, d)
	}
	what := render.Plural(uint64(len(u.Steps)), "step")
	if u.Stride > 1 {
		what = render.Plural(uint64(len(u.Steps)), "group") + " of " + render.Plural(u.Stride, "step")
	}
	p.line("  %s, %s to %s, median %s", what, render.Duration(least), render.Duration(most), render.Duration(u.MedianStep))
	p.line("  %s", render.Spark(lengths, 64, p.term.Unicode))
	if n := len(u.SlowSteps); n > 0 {
		slow := slices.Clone(u.SlowSteps)
		slices.SortStableFunc(slow, func(a, b usage.SlowStep) int { return int(min(max(b.Length-a.Length, -1), 1)) })
		var names []string
		for _, s := range slow[:min(n, 5)] {
			names = append(names, fmt.Sprintf("%d (%s)", s.Step, render.Duration(s.Length)))
		}
		p.line("  slow: %s%s", strings.Join(names, ", "), map[bool]string{true: ", ..."}[n > 5])
	}
}

// waiting sums up the waits.
func (p *reportPrinter) waiting() {
	r := p.r.waits
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
				where = "most in " + placeText(g.Waiting.Func, g.Waiting.Site)
				break
			}
		}
		t.Row(waits.Kind(k).String(), render.Duration(s.Time), timeShare(s.Time, r.Elapsed), render.Count(s.Count), where)
	}
	t.WriteText(p.w)
}

// found lists the findings.
func (p *reportPrinter) found() {
	p.title("Findings")
	if len(p.r.findings) == 0 {
		p.line("  nothing that stands out")
	}
	for i, f := range p.r.findings {
		p.line("  %d. %s.", i+1, f.Text)
		p.line("     tabard %s %s", strings.Join(f.Command, " "), p.r.file)
	}
}
