package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/analysis/faults"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// mostFaults bounds the findings of one kind of faults.
const mostFaults = 3

// crashes says which of these processes ended by themselves in an unusual way. Where the job hangs, those that were
// killed from outside need no finding.
func (f *finder) crashes(all []faults.Death, hangs bool) (list []Finding) {
	for i := range all {
		d := &all[i]
		if d.Cause == faults.Killed && (i > 0 || hangs) || len(list) == mostFaults {
			break
		}
		list = append(list, f.crash(d, len(all)))
	}
	if n := own(all); n > mostFaults {
		list[0].Text += fmt.Sprintf(". %d more processes ended by themselves", n-1)
		list = list[:1]
	}
	return list
}

// alive are the deaths of processes that did not wait for others in a call of the MPI library when they ended: what
// ends others is how somebody ended a job that hung, or that had lost a process.
func alive(all []faults.Death) []faults.Death {
	return slices.DeleteFunc(slices.Clone(all), func(d faults.Death) bool {
		return d.Open != nil && d.Cause >= faults.Exited
	})
}

// own is how many processes ended by themselves.
func own(all []faults.Death) (n int) {
	for i := range all {
		if all[i].Cause != faults.Killed {
			n++
		}
	}
	return n
}

func (f *finder) crash(d *faults.Death, deaths int) Finding {
	n := Finding{Kind: Crash, Severity: Error, Process: d.Process, Step: -1,
		Command: []string{"dump", "--rank", fmt.Sprint(d.Process), "--last", "5"}}
	var b strings.Builder
	name := f.Name(d.Process)
	switch d.Cause {
	case faults.Crashed:
		fmt.Fprintf(&b, "%s crashed: %s", name, d.End)
	case faults.Aborted:
		fmt.Fprintf(&b, "%s called MPI_Abort", name)
	case faults.Killed:
		fmt.Fprintf(&b, "the job was ended from outside: %s was %s", name, d.End)
		if deaths > 1 {
			fmt.Fprintf(&b, ", and so were %d others", deaths-1)
		}
	default:
		fmt.Fprintf(&b, "%s %s", name, strings.TrimSuffix(d.End, " abruptly"))
		if !strings.HasSuffix(d.End, " without MPI_Finalize") {
			b.WriteString(" without MPI_Finalize")
		}
	}
	if d.Timed {
		fmt.Fprintf(&b, ", at %s", f.Duration(d.At))
	}
	var at *archive.Call
	switch {
	case d.Open != nil:
		at = d.Open
		fmt.Fprintf(&b, ", in %s", callText(at))
		if d.Cause == faults.Exited {
			b.WriteString(", which the MPI library left: its message on standard error says why")
		}
	case len(d.Last) > 0:
		at = d.Last[0]
		fmt.Fprintf(&b, ", after %s returned", callText(at))
		if at.Timed && d.Timed && d.At > at.End {
			fmt.Fprintf(&b, " (%s before)", f.Duration(d.At-at.End))
		}
	default:
		b.WriteString(", before any call that is recorded")
	}
	if at != nil {
		n.Func = at.Func.Name
		if at.Site != nil {
			n.Site = at.Site.String()
		}
		if n.Step = f.step(int32(at.Stream().Index()), at.Index); n.Step >= 0 {
			fmt.Fprintf(&b, ", in time step %d", n.Step)
		}
	}
	if before := d.Last; len(before) > 1 {
		var texts []string
		if d.Open == nil {
			before = before[1:]
		}
		for _, c := range before {
			texts = append(texts, shortCall(c))
		}
		fmt.Fprintf(&b, ". Calls before that, the latest first: %s", strings.Join(texts, ", "))
	}
	n.Text = upper(b.String())
	return n
}

// callText names a call, with who takes part in it.
func callText(c *archive.Call) string {
	text := shortCall(c)
	if v := consistency.Partners(c); v != "" {
		text += " (" + v + ")"
	}
	return text
}

func shortCall(c *archive.Call) string {
	if c.Site == nil {
		return c.Func.Name
	}
	return call(c.Func.Name, c.Site.String())
}

// faults reports calls that failed, and what was never freed. After a hang or a crash the latter is only to be
// expected.
func (f *finder) faults(ended bool) {
	if f.Faults != nil {
		for i := range f.Faults.Errors[:min(len(f.Faults.Errors), mostFaults)] {
			f.failed(&f.Faults.Errors[i])
		}
	}
	if ended || f.Faults != nil && len(f.Faults.Deaths) > 0 || f.Now > 0 {
		return
	}
	if f.Standstill != nil {
		f.unfinished()
		f.types()
	}
	if f.Faults != nil {
		for i := range f.Faults.Leaks[:min(len(f.Faults.Leaks), mostFaults)] {
			f.leak(&f.Faults.Leaks[i])
		}
	}
}

// failed is the finding of calls that returned an error.
func (f *finder) failed(e *faults.Error) {
	n := Finding{
		Kind:     CallError,
		Severity: Error,
		Process:  e.Process,
		Func:     e.Func,
		Site:     e.Site,
		Step:     f.step(e.Stream, e.Call),
		Command: []string{"dump", "--rank", fmt.Sprint(e.Process), "--from", fmt.Sprint(max(e.Call, 2) - 2),
			"--limit", "3"},
	}
	if file := e.First.Func.Slot(spec.RoleOn); file >= 0 && e.First.Func.Slots[file].Class == spec.File ||
		strings.Contains(e.Func, "File") {
		n.Severity = Note // programs try whether a file is there
	}
	n.Text = fmt.Sprintf("%s returns %s", call(e.Func, e.Site), e.Name)
	if e.Count == 1 {
		n.Text += fmt.Sprintf(" once, on %s", f.who(e.Processes))
	} else {
		n.Text += fmt.Sprintf(" %d times, on %s", e.Count, f.who(e.Processes))
	}
	if n.Step >= 0 {
		n.Text += fmt.Sprintf(", first in time step %d", n.Step)
	}
	if v := consistency.Partners(e.First); v != "" {
		n.Text += fmt.Sprintf(" (%s)", v)
	}
	if f.Standstill != nil {
		for i := range f.Standstill.Problems {
			if p := &f.Standstill.Problems[i]; p.Kind == consistency.Short && p.Func == e.Func && p.Site == e.Site {
				n.Text += ": " + f.problem(p)
			}
		}
	}
	f.add(n)
}

// unfinished reports requests that nothing completed, and messages that nobody received, those of a call site together.
func (f *finder) unfinished() {
	told := map[place]int{} // in f.found
	for i := range f.Standstill.Unfinished {
		u := &f.Standstill.Unfinished[i]
		at := place{u.Func, u.Site}
		messages := were(u.Count, "message", "is", "are") + " never received"
		if u.Unreceived {
			messages += " (" + f.bytes(float64(u.Bytes)) + ")"
		}
		if k, ok := told[at]; ok {
			if u.Unreceived {
				f.found[k].Text += "; " + messages
			}
			continue
		}
		if len(told) == mostFaults {
			break
		}
		n := Finding{Kind: Leak, Severity: f.weigh(u.Stream, u.Call, u.Count/uint64(max(u.Processes.Len(), 1))),
			weight:  0.1,
			Process: u.Process, Func: u.Func, Site: u.Site, Step: f.step(u.Stream, u.Call),
			Command: []string{"messages"}}
		first := fmt.Sprintf("the first one from %s to %s with %s", f.Name(u.Process), f.peer(u.Peer), tagText(u.Tag))
		if !u.Send {
			first = fmt.Sprintf("the first one from %s to %s with %s", f.peer(u.Peer), f.Name(u.Process),
				tagText(u.Tag))
		}
		if n.Step >= 0 {
			first += fmt.Sprintf(", in time step %d", n.Step)
		}
		if u.Unreceived {
			if n.Kind = Unmatched; n.Severity == Note {
				n.Severity = Warning
			}
			n.Text = fmt.Sprintf("%s, sent in %s by %s: %s", messages, call(u.Func, u.Site), f.who(u.Processes), first)
		} else {
			n.Text = fmt.Sprintf("%s neither completed (MPI_Wait, MPI_Test) nor freed, made in %s by %s: %s",
				were(u.Count, "request", "is", "are"), call(u.Func, u.Site), f.who(u.Processes), first)
		}
		told[at] = len(f.found)
		f.add(n)
	}
}

// manyLeft is how many objects are worth a warning even if they are not made in time steps.
const manyLeft = 256

// weigh is the severity of something that is left over n times a process: what is left in each time step will be more
// in a longer run, until there is no room for it.
func (f *finder) weigh(stream int32, call, n uint64) Severity {
	switch {
	case n >= faults.LeastLeft && f.step(stream, call) >= 0:
		return Error
	case n >= manyLeft:
		return Warning
	}
	return Note
}

// step is the time step of a call, -1 if it is in none.
func (f *finder) step(stream int32, call uint64) int64 {
	if f.Step == nil {
		return -1
	}
	return f.Step(stream, call)
}

// leaked are classes of objects in words.
var leaked = map[spec.Class]string{spec.Comm: "communicator", spec.Group: "group", spec.Type: "datatype",
	spec.Op: "reduction operation", spec.Win: "window", spec.File: "file", spec.Info: "info object",
	spec.Errhandler: "error handler", spec.Request: "persistent request"}

// freedBy is the function that frees objects of a class: of several the one with the shortest name.
func freedBy(c spec.Class) (name string) {
	for _, f := range spec.Functions() {
		for k := range f.Slots {
			if s := &f.Slots[k]; s.Class == c && s.Life == spec.Free && !s.Array &&
				(c != spec.Request || f.Op == spec.OpRequestFree) &&
				(name == "" || len(f.Name) < len(name)) {
				name = f.Name
			}
		}
	}
	return name
}

// leak is the finding of objects that were never freed.
func (f *finder) leak(l *faults.Leak) {
	what := leaked[l.Class]
	n := Finding{
		Kind:     Leak,
		Severity: f.weigh(l.Stream, l.Call, l.Most),
		weight:   0.1,
		Process:  l.MostProcess,
		Func:     l.Func,
		Site:     l.Site,
		Step:     f.step(l.Stream, l.Call),
		Command: []string{"dump", "--rank", fmt.Sprint(l.MostProcess), "--function",
			strings.Trim(l.Func+","+freedBy(l.Class), ",")},
	}
	n.Text = fmt.Sprintf("%d of %d %ss made in %s are never freed", l.Most, l.Made/uint64(max(l.Processes.Len(), 1)),
		what,
		call(l.Func, l.Site))
	if l.Processes.Len() > 1 {
		n.Text = fmt.Sprintf("%s (on each of %s)", n.Text, f.who(l.Processes))
		if l.Most*uint64(l.Processes.Len()) != l.Count {
			n.Text = strings.Replace(n.Text, "on each of", "at most, of", 1)
		}
	} else {
		n.Text += " on " + f.who(rankfunc.NewSet([]int{int(l.MostProcess)}))
	}
	if n.Step >= 0 {
		n.Text += fmt.Sprintf(", from time step %d on", n.Step)
	}
	n.Text += ": call " + freedBy(l.Class)
	f.add(n)
}
