package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabard-hpc/tabard/internal/doctor"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/verify"
)

// Doctor shows checks of the machine.
func Doctor(out io.Writer, t render.Terminal, d *report.Doctor) error {
	w := &errWriter{w: out}
	for _, c := range d.Checks {
		io.WriteString(w, status(c.Status, t))
		render.Printf(w, "  %s: %s\n", c.Name, c.Detail)
		if c.Fix != "" {
			render.Printf(w, "      -> %s\n", c.Fix)
		}
	}
	return w.err
}

// status is coloured where there are colours.
func status(s doctor.Status, t render.Terminal) string {
	text := fmt.Sprintf("%-4s", s)
	if t.Colors == render.NoColors {
		return text
	}
	color := map[doctor.Status]string{doctor.OK: "32", doctor.Warn: "33", doctor.Fail: "31;1"}[s]
	return render.Paint(color, text)
}

// maxIgnored is how many logs of other runs are named.
const maxIgnored = 5

// Ignored names raw logs of other runs, "" if there are none.
func Ignored(r *verify.Report) string {
	n := len(r.Ignored)
	if n == 0 {
		return ""
	}
	more := ""
	if n > maxIgnored {
		more = ", ..."
	}
	return fmt.Sprintf("%s of other runs (%s%s)", plural(uint64(n), "raw log"),
		strings.Join(r.Ignored[:min(n, maxIgnored)], ", "), more)
}

// Verify shows in what a recording and its raw log differ.
func Verify(out io.Writer, r *verify.Report) error {
	w := &errWriter{w: out}
	for _, d := range r.First {
		render.Printf(w, "%s\n", d)
	}
	if n := r.Differences - uint64(len(r.First)); n > 0 {
		render.Printf(w, "and %s\n", plural(n, "further difference"))
	}
	result := "no difference"
	if !r.Equal() {
		result = plural(r.Differences, "difference")
	}
	render.Printf(w, "%s: %s and %s of %s, %s compared", result, plural(r.Calls, "call"), plural(r.Values, "value"),
		plural(uint64(r.Processes), "rank"), plural(uint64(r.Threads), "thread"))
	if r.Hidden > 0 {
		render.Printf(w, ", %s filtered out", plural(r.Hidden, "call"))
	}
	if r.Lost > 0 {
		render.Printf(w, ", %s lost while recording", plural(r.Lost, "call"))
	}
	fmt.Fprintln(w)
	return w.err
}

// Recovery shows what became of a recording that was interrupted.
func Recovery(out io.Writer, d *report.Recovery, r collect.Report) error {
	_, err := render.Printf(out, "%s: %s\n", d.File, outcome(d, r))
	return err
}

func outcome(d *report.Recovery, r collect.Report) string {
	switch d.Outcome {
	case "moved":
		return "the archive was complete but could not be written here; it has been moved from " + r.Moved
	case "kept":
		return "the archive is complete and stays here until it can be moved: repeat this command then"
	case "recovered":
		return fmt.Sprintf("%s of %s recovered", plural(d.Calls, "call"), plural(uint64(d.Ranks), "rank"))
	}
	return "nothing to recover: no recording to it goes on, and nothing else of one is left on this machine"
}

// Merge says what was merged.
func Merge(out io.Writer, m *report.Merge) error {
	w := &errWriter{w: out}
	fmt.Fprintf(w, "%s: %s in %s\n", m.File, plural(uint64(m.Ranks), "rank"), byteSize(m.Bytes))
	if m.Overview > 0 {
		fmt.Fprintf(w, "%s of them are the overview\n", byteSize(m.Overview))
	} else if m.NoOverview != "" {
		fmt.Fprintf(w, "it gets no overview: %s\n", m.NoOverview)
	}
	return w.err
}

// Scale says in a line what was inferred from a file.
func Scale(r *report.Scale, from string) string {
	return fmt.Sprintf("%s: %s in %s, inferred from %s", r.File, plural(uint64(r.Ranks), "rank"), byteSize(r.Bytes),
		from)
}

// Unchecked says with how many ranks calls were found to fit together, "" if with all.
func Unchecked(r *report.Scale) string {
	switch r.Checked {
	case r.Ranks:
		return ""
	case 0:
		return "whether its calls fit together was not looked at: it is too large"
	}
	return fmt.Sprintf("its calls were found to fit together with %d ranks only, as %d are too many to look at each",
		r.Checked, r.Ranks)
}

// Import says what was made of an archive of another tool, and what was left out.
func Import(out io.Writer, d *report.Import) error {
	w := &errWriter{w: out}
	fmt.Fprintf(w, "%s: %s, %s in %s\n", d.File, plural(uint64(d.Ranks), "process"), plural(d.Calls, "call"),
		byteSize(d.Bytes))
	var more []string
	if d.Regions > 0 {
		more = append(more, plural(d.Regions, "region"))
	}
	if d.Functions > 0 {
		more = append(more, plural(d.Functions, "call")+" of the program's functions")
	}
	if len(more) > 0 {
		fmt.Fprintf(w, "  and %s\n", strings.Join(more, ", "))
	}
	for i, l := range d.Left {
		if i == 0 {
			fmt.Fprintln(w, "not in the recording:")
		}
		fmt.Fprintf(w, "%9s  %s\n", count(l.Count), l.What)
	}
	return w.err
}
