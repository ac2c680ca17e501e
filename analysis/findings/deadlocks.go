package findings

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/spec"
)

// mostLinks bounds the processes of a circle that are named one by one.
const mostLinks = 4

// processes are all that a deadlock holds.
func (f *finder) processes(d *consistency.Deadlock) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range d.Chain {
			if !yield(int(d.Chain[i].Process)) {
				return
			}
		}
		for p := range d.Others.All() {
			if !yield(p) {
				return
			}
		}
	}
}

// ended is when the last of some processes ended that did not end in order, 0 if that is not known.
func (f *finder) ended(s *rankfunc.Set) (end time.Duration) {
	if f.Archive == nil {
		return 0
	}
	for p := range s.All() {
		if f.Process == nil {
			break
		}
		if i := f.Process(int32(p)); i >= 0 {
			if at, ok := f.Archive.EndTime(f.Archive.Rank(i)); ok {
				end = max(end, at)
			}
		}
	}
	return end
}

// deadlock is the finding of processes that wait for each other, or for a message that does not come.
func (f *finder) deadlock(d *consistency.Deadlock) Finding {
	first := &d.Chain[0]
	via := &d.Via[0]
	for i := range d.Via { // a message says more than a collective that waits for it
		if w := &d.Via[i]; !w.Collective && (via.Collective || via.Near == nil && w.Near != nil) {
			first, via = &d.Chain[i], w
		}
	}
	n := Finding{Kind: Deadlock, Severity: Error, circle: d.Circle, Process: first.Process, Func: first.Func,
		Site: first.Site, Step: f.step(first.Stream, first.Call)}
	var b strings.Builder
	b.WriteString(map[bool]string{true: "Deadlock", false: "Hang"}[d.Circle])
	switch end := d.Ended; {
	case !d.Timed:
	case f.Now > 0:
		end = f.Now
		n.Cost = (f.Now - d.Closed) * time.Duration(len(d.Chain)+d.Others.Len())
		fmt.Fprintf(&b, " for %s, from %s on", f.Duration(max(0, end-d.Closed)), f.Duration(d.Closed))
	case end > 0:
		n.Cost = d.Waited
		fmt.Fprintf(&b, " from %s on, for %s", f.Duration(d.Closed), f.Duration(max(0, end-d.Closed)))
	default:
		fmt.Fprintf(&b, " from %s on", f.Duration(d.Closed))
	}
	if n.Step >= 0 {
		fmt.Fprintf(&b, ", in time step %d", n.Step)
	}
	for i := range d.Chain {
		if i == mostLinks {
			fmt.Fprintf(&b, "; and so on, in a circle of %d", len(d.Chain))
			break
		}
		b.WriteString(map[bool]string{true: ": ", false: "; "}[i == 0] + f.link(&d.Chain[i], &d.Via[i]))
	}
	if d.Partner != nil {
		b.WriteString("; " + f.partner(d.Partner))
	}
	b.WriteString(buffered(d, via))
	if o := d.Others; o.Len() > 0 {
		fmt.Fprintf(&b, ". %s %s for them", upper(f.who(o)),
			map[bool]string{true: "waits", false: "wait"}[o.Len() == 1])
	}
	n.Command = []string{"dump", "--rank", fmt.Sprint(first.Process), "--last", "3"}
	if near := via.Near; near != nil && via.Process >= 0 {
		n.Process, n.Func, n.Site = via.Process, near.Func, near.Site
		n.Command = []string{"messages"}
	}
	n.Text, n.Share = b.String(), f.share(n.Cost)
	return n
}

// buffered says of processes that all send before they receive what makes that go well now and then: the library keeps
// small messages.
func buffered(d *consistency.Deadlock, w *consistency.Wanted) string {
	for i := range d.Via {
		fn := spec.ByName(d.Via[i].Func)
		if !d.Circle || !d.Via[i].Send || fn == nil || fn.Mode != spec.SendStandard {
			return ""
		}
	}
	text := ". Each sends before it receives, which goes well as long as the library keeps the messages"
	if w.Bytes > 0 {
		text += ": this one has " + render.Plural(uint64(w.Bytes), "byte")
		if w.Most > 0 && w.Most < w.Bytes {
			text += fmt.Sprintf(", those before it at most %s", render.Count(uint64(w.Most)))
		}
	}
	return text + ". Use MPI_Sendrecv, or begin the receive before the send"
}

// partner says what the process does that others wait for in vain.
func (f *finder) partner(e *consistency.Elsewhere) string {
	who, place := f.who(e.Processes), call(e.Func, e.Site)
	switch {
	case e.Func == "":
		return who + " made no call"
	case e.In && e.Values != "":
		return fmt.Sprintf("%s is in %s (%s)", who, place, e.Values)
	case e.In:
		return fmt.Sprintf("%s is in %s", who, place)
	}
	text := fmt.Sprintf("the last call of %s was %s", who, place)
	if e.Timed {
		text += fmt.Sprintf(", which ended at %s", f.Duration(e.Time))
	}
	if e.Ended != "" {
		text += fmt.Sprintf(" (%s)", e.Ended)
	}
	return text
}

// link says what one process waits for.
func (f *finder) link(b *consistency.Blocked, w *consistency.Wanted) string {
	text := fmt.Sprintf("%s waits in %s", f.Name(b.Process), call(b.Func, b.Site))
	posted := ""
	if w.Site != b.Site || w.Func != b.Func {
		posted = fmt.Sprintf(" (%s)", call(w.Func, w.Site))
	}
	switch {
	case w.Collective:
		return text + fmt.Sprintf(", number %d on %s, for %s", w.Number, w.Comm, f.Name(w.Process))
	case w.Send:
		text += fmt.Sprintf(" until %s receives its message with tag %d on %s", f.peer(w.Process), w.Tag, w.Comm)
	default:
		text += fmt.Sprintf(" for a message from %s with %s on %s", f.peer(w.Process), tagText(w.Tag), w.Comm)
	}
	return text + posted + f.near(b, w)
}

// near says what was probably meant.
func (f *finder) near(b *consistency.Blocked, w *consistency.Wanted) string {
	n := w.Near
	if n == nil {
		return ""
	}
	verb, does := "sent one", "which nobody receives"
	if w.Send {
		verb, does = "receives one", "which nobody sends"
	}
	var but []string
	if n.Tag != w.Tag && w.Tag != calls.AnyTag {
		but = append(but, fmt.Sprintf("with %s", tagText(n.Tag)))
	}
	if n.Comm != w.Comm {
		but = append(but, "on "+n.Comm)
	}
	if n.Peer != b.Process {
		word := "to "
		if w.Send {
			word = "from "
		}
		but = append(but, word+f.peer(n.Peer))
	}
	if len(but) == 0 {
		return ""
	}
	return fmt.Sprintf(
		", but %s %s %s in %s, %s",
		f.peer(w.Process),
		verb,
		strings.Join(but, " "),
		call(n.Func, n.Site),
		does,
	)
}

// peer names the other end of a message.
func (f *finder) peer(process int32) string {
	switch {
	case process == calls.AnySource:
		return "anyone"
	case process < 0:
		return "an unknown process"
	}
	return f.Name(process)
}

func tagText(tag int32) string {
	if tag == calls.AnyTag {
		return "any tag"
	}
	return fmt.Sprintf("tag %d", tag)
}

// upper begins a sentence, unless it begins with the name of a function.
func upper(s string) string {
	if word, _, _ := strings.Cut(s, " "); spec.ByName(word) != nil {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
