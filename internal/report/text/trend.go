package text

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/trend"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Check shows how recordings compare with a baseline.
func Check(w io.Writer, baseline, files []string, checks []trend.Check) {
	render.Printf(w, "%s against %s\n\n", strings.Join(files, " "), strings.Join(baseline, " "))
	t := render.NewTable("", "what", ">baseline", ">now", ">change", "99% interval", ">tolerance", "")
	for i := range checks {
		c := checkCells(&checks[i])
		t.Row(append([]string{mark(checks[i].Verdict)}, c[:]...)...)
	}
	t.WriteText(w)
	for i := range checks {
		for _, d := range checks[i].Differences {
			render.Printf(w, "  %s\n", d)
		}
	}
	fmt.Fprintln(w)
	render.Printf(w, "%s\n", checkSentence(checks))
}

func mark(v trend.Verdict) string {
	switch {
	case v.Regression():
		return "FAIL"
	case v == trend.NotJudged:
		return "-"
	}
	return "ok"
}

// checkSentence is the outcome in one sentence.
func checkSentence(checks []trend.Check) string {
	var bad []string
	judged := 0
	for i := range checks {
		if checks[i].Verdict.Regression() {
			bad = append(bad, checkName(&checks[i]))
		}
		if checks[i].Verdict != trend.NotJudged {
			judged++
		}
	}
	if len(bad) > 0 {
		return "REGRESSION: " + strings.Join(bad, ", ")
	}
	return fmt.Sprintf("no regression in %d of %d checks that could be made", judged, len(checks))
}

var checkNames = map[string]string{trend.OfTime: "time per step", trend.OfWaiting: "waiting",
	trend.OfLoadBalance:   "load balance",
	trend.OfCommunication: "communication efficiency", trend.OfElapsed: "elapsed time"}

func checkName(c *trend.Check) string {
	if n := checkNames[c.Name]; n != "" {
		return n
	}
	return c.Name
}

// checkCells are what is checked, the baseline, now, the change, its interval, the tolerance and the verdict.
func checkCells(c *trend.Check) (cells [7]string) {
	cells[0], cells[6] = checkName(c), string(c.Verdict)
	if c.Why != "" {
		cells[6] += ": " + c.Why
	}
	if c.Verdict == trend.NotJudged {
		return cells
	}
	unit := render.Share
	switch c.Name {
	case trend.OfStructure:
		if len(c.Differences) > 0 {
			cells[6] += fmt.Sprintf(" (%s)", plural(uint64(len(c.Differences)), "difference"))
		}
		cells[5] = "exact"
		return cells
	case trend.OfMessages:
		unit = render.Number
	case trend.OfBytes:
		unit = render.Bytes
	case trend.OfTime, trend.OfElapsed:
		unit = render.Nanos
	}
	cells[1], cells[2] = unit.Format(c.Base), unit.Format(c.Now)
	if cells[5] = render.Percent(c.Tolerance); c.Tolerance == 0 {
		cells[5] = "exact"
	}
	if d := c.Change; d != nil {
		cells[3], cells[4] = changeText(d.Change, unit), intervalText(d)
		if d.Mean {
			cells[6] += " (in some of the steps: their mean)"
		}
	} else if c.Base > 0 {
		cells[3] = changeText(c.Now/c.Base-1, unit)
	}
	return cells
}

// changeText is a change as a part, or that of a share in percentage points.
func changeText(v float64, unit render.Unit) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "-"
	}
	if unit == render.Share {
		return fmt.Sprintf("%+.1f points", 100*v)
	}
	return fmt.Sprintf("%+.1f%%", 100*v)
}

// intervalText is the interval of a change, in the unit of changeText.
func intervalText(c *trend.Change) string {
	return fmt.Sprintf("%+.1f to %+.1f", 100*c.Low, 100*c.High)
}

// CheckMark begins what CheckMarkdown writes.
const CheckMark = "### tabard check:"

// CheckMarkdown writes checks as Markdown, for the summary of a job or a comment on a change.
func CheckMarkdown(w io.Writer, baseline, files []string, checks []trend.Check) error {
	var b strings.Builder
	marks := strings.NewReplacer("|", "\\|", "<", "&lt;")
	cell := func(s string) string { return marks.Replace(render.OneLine(s)) }
	fmt.Fprintf(&b, "%s %s\n\n%s against %s\n\n", CheckMark, checkSentence(checks), cell(strings.Join(files, " ")),
		cell(strings.Join(baseline, " ")))
	b.WriteString("| | what | baseline | now | change | 99 % interval | tolerance | " +
		"|\n|---|---|---:|---:|---:|---|---:|---|\n")
	for i := range checks {
		c := checkCells(&checks[i])
		fmt.Fprintf(&b, "| %s |", mark(checks[i].Verdict))
		for _, s := range c {
			fmt.Fprintf(&b, " %s |", cell(s))
		}
		b.WriteByte('\n')
	}
	for i := range checks {
		for _, d := range checks[i].Differences {
			fmt.Fprintf(&b, "\n- %s", cell(d))
		}
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnitMark is in the beginning of what CheckJUnit writes.
const JUnitMark = `<testsuite name="tabard check"`

// CheckJUnit writes checks as tests in the XML form of JUnit, which servers for continuous integration read.
func CheckJUnit(w io.Writer, files []string, checks []trend.Check) error {
	s := junitSuite{Name: "tabard check", Tests: len(checks)}
	for i := range checks {
		c := &checks[i]
		x := junitCase{Class: "tabard.check." + strings.Join(files, " "), Name: checkName(c)}
		cells := checkCells(c)
		switch {
		case c.Verdict.Regression():
			s.Failures++
			x.Failure = &junitMessage{fmt.Sprintf("%s: %s instead of %s (%s; tolerance %s)", cells[6], cells[2],
				cells[1], cells[3],
				cells[5]), strings.Join(c.Differences, "\n")}
			if c.Name == trend.OfStructure {
				x.Failure.Message = cells[6]
			}
		case c.Verdict == trend.NotJudged:
			s.Skipped++
			x.Skipped = &junitMessage{Message: c.Why}
		}
		s.Cases = append(s.Cases, x)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// Trend shows how a program developed.
func Trend(w io.Writer, c *report.Course, limit int) {
	t := render.NewTable("recording", "date", ">ranks", ">elapsed", ">a step", ">change", ">parallel", ">waiting",
		">calls",
		">messages", ">sent")
	for i, r := range c.Runs {
		cells := []string{r.File, r.Created.UTC().Format("2006-01-02 15:04"), fmt.Sprint(r.Ranks), "-", "-", "", "-",
			"-",
			count(r.Calls), count(r.Messages), byteSize(r.Bytes)}
		if r.Elapsed > 0 {
			cells[3], cells[6], cells[7] = render.Duration(r.Elapsed), render.Percent(r.Efficiency.Parallel),
				render.Percent(r.Waiting)
		}
		if r.MedianStep > 0 {
			cells[4] = render.Duration(r.MedianStep)
		}
		for k := range c.Changes[i] {
			if d := &c.Changes[i][k]; d.Measure == trend.StepTime {
				if cells[5] = changeText(d.Change, render.Nanos); report.Notable(d) {
					cells[5] += " *"
				}
			}
		}
		t.Row(cells...)
	}
	t.WriteText(w)
	changes(w, c)
	if c.Scaling != nil {
		scaling(w, c.Scaling, limit)
	}
}

// changes lists what changed from run to run.
func changes(w io.Writer, c *report.Course) {
	n := 0
	for i := range c.Runs {
		for k := range c.Changes[i] {
			d := &c.Changes[i][k]
			if !report.Notable(d) {
				continue
			}
			if n++; n == 1 {
				fmt.Fprintln(w, "\n* What changed since the run before, beyond chance within these two runs")
			}
			unit := render.Share
			if d.Measure == trend.StepTime {
				unit = render.Nanos
			}
			render.Printf(w, "  %s: %s %s (%s), %s instead of %s in %s\n", c.Runs[i].File, d.Measure,
				changeText(d.Change, unit),
				intervalText(d), unit.Format(d.Now), unit.Format(d.Base), c.Since[i].File)
		}
	}
}

func scaling(w io.Writer, s *trend.Scaling, limit int) {
	kind := "strong scaling: the work of all ranks together stays the same"
	if s.Weak {
		kind = "weak scaling: the work of a rank stays the same"
	}
	what := ">a step"
	if !s.Stepwise {
		what = ">elapsed"
	}
	render.Printf(w, "\nScaling (%s)\n", kind)
	t := render.NewTable(">ranks", what, ">speed-up", ">efficiency", ">global", ">parallel", ">balance",
		">communication",
		">computation", ">waiting")
	share := func(v float64) string { return render.Share.Format(v) }
	for i := range s.Sizes {
		x := &s.Sizes[i]
		e := &x.Run.Efficiency
		t.Row(fmt.Sprint(x.Run.Ranks), render.Duration(x.Step), render.Ratio.Format(x.Speedup), share(x.Efficiency),
			share(x.Global),
			share(e.Parallel), share(e.LoadBalance), share(e.Communication), share(x.Computation), share(x.Run.Waiting))
	}
	t.WriteText(w)
	if len(s.Growing) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWhat costs a rank more than it should with more ranks")
	heads := []string{"what", "where"}
	for i := range s.Sizes {
		heads = append(heads, fmt.Sprintf(">%d ranks", s.Sizes[i].Run.Ranks))
	}
	t = render.NewTable(append(heads, "grows like", ">of the time")...)
	n := limited(len(s.Growing), limit)
	for i := range s.Growing[:n] {
		g := &s.Growing[i]
		unit := map[trend.Quantity]render.Unit{trend.TimeInCalls: render.Nanos, trend.BeforeCalls: render.Nanos,
			trend.BytesFromOne: render.Bytes}[g.Quantity]
		cells := []string{string(g.Quantity), report.PlaceText(g.Func, g.Site)}
		for _, v := range g.Values {
			if unit == render.Nanos || unit == render.Bytes {
				v = math.Round(v)
			}
			cells = append(cells, unit.Format(v))
		}
		grows, loss := "-", ""
		if !math.IsNaN(g.Exponent) {
			grows = fmt.Sprintf("P^%.1f", g.Exponent)
		}
		if g.Loss > 0 {
			loss = share(g.Loss)
		}
		t.Row(append(cells, grows, loss)...)
	}
	t.WriteText(w)
	restOf(w, n, len(s.Growing))
}
