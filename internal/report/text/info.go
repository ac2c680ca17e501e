package text

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	codec "github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/foreign"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/spec"
)

// classCount says how many classes there are.
func classCount(n int) string {
	if n == 1 {
		return "1 class of threads"
	}
	return count(uint64(n)) + " classes of threads"
}

// Info shows what a recording holds, with the top functions that have most calls.
func Info(out io.Writer, info *report.Info, top int) error {
	w := &errWriter{w: out}
	if info.Incomplete != "" {
		fmt.Fprintln(w, info.Incomplete)
	}
	t := render.NewTable("", "")
	row := func(name, format string, args ...any) { t.Row(name, fmt.Sprintf(format, args...)) }
	row("command", "%s", shellJoin(info.Command))
	mpi := info.MPI
	if mpi == "" {
		mpi = info.ABI
	}
	row("MPI", "%s", strings.ReplaceAll(mpi, "\t", "  ")) // MPICH has one in its version
	if info.Created != "" {
		row("recorded", "%s by %s", info.Created, info.Tool)
	}
	if info.Snapshot != "" {
		row("snapshot", "%s, of the running job", info.Snapshot)
	}
	if s := info.Options["scaled"]; s != "" {
		row("scaled", "%s", s)
	}
	if s := info.Options[foreign.OptionFrom]; s != "" {
		row("imported", "from %s", s)
	}
	if s := info.Options[foreign.OptionLeft]; s != "" {
		row("left out", "%s", s)
	}
	if o := optionText(info.Options); o != "" {
		row("options", "%s", o)
	}
	row("processes", "%s, %s, on %s", plural(uint64(info.Ranks), "rank"), plural(uint64(info.Threads), "thread"),
		hostText(info.Hosts))
	if text := clockText(info.Clocks, len(info.Hosts)); text != "" && info.Options["timing"] != "off" {
		row("clocks", "%s", text)
	}
	if info.Timing != nil {
		row("times", "%s", timing(info.Timing))
	}
	row("calls", "%s of %s%s", count(info.Calls), plural(uint64(info.Called()), "function"), special(info))
	if len(info.Events) > 0 {
		row("events", "%s", eventText(info.Events))
	}
	row("complete", "%s", yesNo(info.Complete))
	for i, m := range info.Missing {
		if i == maxMissing && len(info.Missing) > maxMissing+1 {
			row("", "and %d more (--json lists all)", len(info.Missing)-i)
			break
		}
		row("", "%s", m)
	}
	if info.In != nil {
		row("partial", "calls were recorded %s", archive.OnlyIn(info.In, info.NeverEntered))
	} else if info.Partial {
		row("partial", "calls were left out on purpose: filters, or recording was off for a while")
	}
	b := &info.Bytes
	row("file", "%s", parts(b))
	g := &info.Grammar
	row("structure", "%s, %s, %s, %s for %s; %s", classCount(g.Classes), plural(uint64(g.Distinct), "grammar"),
		plural(uint64(g.Rules), "rule"), plural(uint64(g.Symbols), "symbol"), plural(g.Events, "event"),
		plural(uint64(g.Signatures), "signature"))
	if info.Memory > 0 {
		row("collector", "%s peak memory", byteSize(info.Memory))
	}
	if err := t.WriteText(w); err != nil {
		return err
	}
	functions(w, info, top)
	if !info.Complete {
		were := "were at the end"
		if info.Snapshot != "" {
			were = "are"
		}
		render.Printf(w, "\nWhere the ranks %s: tabard dump %s --last 3\n", were, fileArgument(info.File, info.Options))
	}
	return w.err
}

// eventText lists how many events of each kind there are.
func eventText(events map[string]uint64) string {
	var parts []string
	for _, k := range spec.EventKinds {
		if n := events[k.Name]; n > 0 {
			parts = append(parts, count(n)+" "+k.Name)
		}
	}
	return strings.Join(parts, ", ")
}

// fileArgument is how a command is told to read a file, or to look at the job that records to it.
func fileArgument(file string, options map[string]string) string {
	if options[archive.OptionSnapshot] != "" {
		return file + " --live"
	}
	return file
}

// special mentions calls that are not plain successes.
func special(info *report.Info) string {
	var parts []string
	if info.Polls > 0 {
		parts = append(parts, plural(info.Polls, "unsuccessful poll"))
	}
	if info.Failed > 0 {
		parts = append(parts, count(info.Failed)+" returned an error")
	}
	if info.Open > 0 {
		parts = append(parts, count(info.Open)+" did not return")
	}
	if info.LostCalls > 0 {
		parts = append(parts, count(info.LostCalls)+" lost")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// printFunctions lists the functions with most calls.
func functions(w io.Writer, info *report.Info, top int) {
	names := slices.SortedFunc(maps.Keys(info.Functions), func(a, b string) int {
		return cmp.Or(cmp.Compare(info.Functions[b], info.Functions[a]), cmp.Compare(a, b))
	})
	if len(names) == 0 || top == 0 {
		return
	}
	fmt.Fprintln(w)
	width := len(count(info.Functions[names[0]]))
	all := uint64(0) // with begins and ends of regions, which are no calls
	for _, n := range info.Functions {
		all += n
	}
	for i, name := range names {
		if i == top {
			render.Printf(w, "%*s  and %s (--top N lists more)\n", width, "",
				plural(uint64(len(names)-i), "more function"))
			break
		}
		n := info.Functions[name]
		render.Printf(w, "%*s  %4.1f%%  %s\n", width, count(n), 100*float64(n)/float64(max(all, 1)), name)
	}
}

// optionText lists the settings of the recorder that are not the usual ones.
func optionText(options map[string]string) string {
	usual := map[string]string{"callsites": "caller", "timing": codec.Default, "start": "on"}
	var parts []string
	for _, name := range []string{"events", "functions", "function-times", "depth", "ranks", "in", "only", "except",
		"callsites", "timing", "start"} {
		if v := options[name]; v != usual[name] && v != "" {
			parts = append(parts, fmt.Sprintf("--%s=%s", name, v))
		}
	}
	return strings.Join(parts, " ")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func hostText(hosts []string) string {
	switch {
	case len(hosts) == 1 && hosts[0] != "":
		return hosts[0]
	case len(hosts) > 4:
		return plural(uint64(len(hosts)), "host")
	}
	return strings.Join(hosts, ", ")
}

// shellJoin renders a command line so that a shell would split it again.
func shellJoin(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		if arg == "" || strings.ContainsAny(arg, " \t\n\"'\\$`*?[]{}()<>|&;~#!") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		quoted[i] = arg
	}
	return strings.Join(quoted, " ")
}

// clockText says in a line how the clocks of hosts go together.
func clockText(list []report.Clock, hosts int) string {
	if len(list) < 2 {
		if hosts < 2 {
			return ""
		}
		return "not measured: between hosts, times are as good as the system keeps them"
	}
	var reference, farthest string
	var ahead, residual time.Duration
	measured := 0
	for _, c := range list {
		switch {
		case c.Reference:
			reference = c.Host
		case c.Measured:
			measured++
			residual = max(residual, time.Duration(c.Residual))
			if d := time.Duration(c.Ahead); farthest == "" || d.Abs() > ahead.Abs() {
				ahead, farthest = d, c.Host
			}
		}
	}
	direction := "ahead of"
	if ahead < 0 {
		direction = "behind"
	}
	text := fmt.Sprintf("%s %v %s %s, corrected; error at the end at most %v", farthest, ahead.Abs(), direction,
		reference,
		residual)
	if measured > 1 {
		text = fmt.Sprintf("%d measured against %s, corrected; most %v (%s); error at the end at most %v", measured,
			reference, ahead.Abs(), farthest, residual)
	}
	if n := len(list) - 1 - measured; n > 0 {
		text += fmt.Sprintf("; %d not measured", n)
	}
	return text
}

// timing says in a line how far off times are.
func timing(t *report.Timing) string {
	switch t.Mode {
	case "lossless":
		return "exact"
	case "aggregate":
		return "of functions and call sites, not of calls (aggregate)"
	}
	off := func(e *report.TimingError) string {
		return fmt.Sprintf("%s (mean %s)", nsText(e.Max), nsText(e.Mean))
	}
	return fmt.Sprintf("%s; in fact durations are at most %s off, gaps %s, begins %s", t.Mode, off(&t.Durations),
		off(&t.Gaps), off(&t.Starts))
}

func nsText(ns float64) string {
	if ns < 1000 {
		return fmt.Sprintf("%.3g ns", ns)
	}
	digits := time.Duration(math.Pow10(max(0, int(math.Log10(ns))-2)))
	return strings.ReplaceAll(time.Duration(ns).Round(digits).String(), "µ", "u")
}

// parts says how large the parts of a file are.
func parts(b *report.Bytes) string {
	return fmt.Sprintf("%s: structure %s, columns %s, timing %s, run and index %s", byteSize(b.File),
		byteSize(b.Structure), byteSize(b.Columns), byteSize(b.Timing), byteSize(b.Meta+b.Index+b.Other))
}
