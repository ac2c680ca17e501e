package findings

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/analysis/faults"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// Bounds of what is said of a job that hangs: findings of each kind, groups of processes in one, and ranges of ranks in
// a group. leastWait is how long processes of a running job wait at least.
const (
	mostHangs  = 3
	mostGroups = 3
	mostRanges = 6
	leastWait  = time.Second
)

// hangs says which processes wait for each other, in which collectives they wait, and who did not come, and what
// members gave that does not fit.
func (f *finder) hangs() (list []Finding) {
	if f.Standstill == nil {
		return nil
	}
	blocked := map[int]bool{} // processes of which a deadlock tells
	for i := range f.Standstill.Deadlocks {
		d := &f.Standstill.Deadlocks[i]
		if len(list) == mostHangs || f.Now > 0 && d.Timed && f.Now-d.Closed < leastWait || !d.Messages() ||
			!d.Circle && brief(d.Closed, d.Ended) {
			continue
		}
		for p := range f.processes(d) {
			blocked[p] = true
		}
		list = append(list, f.deadlock(d))
	}
	told := map[string]bool{}
	for i := range f.Standstill.Stands {
		s := &f.Standstill.Stands[i]
		if len(list) == mostHangs || f.Now > 0 && s.Timed && f.Now-s.Begin < leastWait || blocked[s.Waiting.Min()] ||
			s.Timed && s.Problem == nil && s.Parted == nil && brief(s.Begin, f.ended(s.Waiting)) {
			continue
		}
		if s.Problem != nil {
			told[s.Problem.Text] = true
		}
		list = append(list, f.hang(s))
	}
	for i := range f.Standstill.Problems {
		p := &f.Standstill.Problems[i]
		if len(list) >= mostHangs {
			break
		}
		if told[p.Text] || p.Kind == consistency.Types ||
			p.Kind == consistency.Short && f.returned(p) {
			continue
		}
		n := Finding{
			Kind:     Mismatch,
			Severity: Error,
			Process:  -1,
			Func:     p.Func,
			Site:     p.Site,
			Step:     -1,
			Command:  []string{"dump", "--function", p.Func, "--last", "1"},
			Text: fmt.Sprintf("Members of a communicator call %s with what does not fit together: %s",
				call(p.Func, p.Site),
				f.problem(p)),
		}
		if p.Processes != nil && p.Processes.Len() == 1 {
			n.Process = int32(p.Processes.Min())
		}
		list = append(list, n)
	}
	return list
}

// brief tells whether processes had waited for so short a time when they ended that this need not be a hang: somebody
// may have ended a job that was at work. It is not known if end is 0.
func brief(begin, end time.Duration) bool { return end > begin && end-begin < leastWait }

// returned tells whether a problem is that of calls that returned an error: that is the finding.
func (f *finder) returned(p *consistency.Problem) bool {
	return f.Faults != nil && slices.ContainsFunc(f.Faults.Errors, func(e faults.Error) bool {
		return e.Func == p.Func && e.Site == p.Site
	})
}

// types reports messages that are received as another type than they were sent as.
func (f *finder) types() {
	reported := 0
	for i := range f.Standstill.Problems {
		p := &f.Standstill.Problems[i]
		if p.Kind != consistency.Types || reported == mostFaults {
			continue
		}
		reported++
		n := Finding{Kind: Mismatch, Severity: Error, Process: int32(p.Processes.Min()), Func: p.Func, Site: p.Site,
			Step: -1, Command: []string{"loops"}}
		n.Text = fmt.Sprintf("Messages are received in %s as another datatype than they were sent as: %s",
			call(p.Func, p.Site), f.problem(p))
		f.add(n)
	}
}

// problem is what does not fit. Processes of the only world are its ranks.
func (f *finder) problem(p *consistency.Problem) string {
	text := p.Text
	if p.Param != "" {
		text = p.Param + ": " + text
	}
	if len(f.Worlds) == 1 {
		text = strings.ReplaceAll(text, "process", "rank")
	}
	return text
}

// hang is the finding of one collective.
func (f *finder) hang(s *consistency.Stand) Finding {
	n := Finding{
		Kind:     Hang,
		Severity: Error,
		Process:  -1,
		Func:     s.Func,
		Site:     s.Site,
		Step:     -1,
		Command:  []string{"dump", "--last", "1"}, // where each is
	}
	verb := "wait"
	if s.Waiting.Len() == 1 {
		verb = "waits"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s in %s, number %d on %s", f.who(s.Waiting), verb, call(s.Func, s.Site), s.Number, s.Comm)
	if s.Timed {
		end := f.Now
		if end == 0 {
			end = f.ended(s.Waiting)
		}
		if end > s.Begin {
			n.Cost = (end - s.Begin) * time.Duration(s.Waiting.Len())
		}
		if f.Now > 0 {
			fmt.Fprintf(&b, ", for %s", f.Duration(f.Now-s.Begin))
		} else {
			fmt.Fprintf(&b, ", from %s on", f.Duration(s.Begin))
			if end > s.Begin {
				fmt.Fprintf(&b, ", for %s", f.Duration(end-s.Begin))
			}
		}
	}
	separator := ": "
	rest := 0
	for i := range s.Others {
		e := &s.Others[i]
		if i >= mostGroups {
			rest += e.Processes.Len()
			continue
		}
		b.WriteString(separator + f.elsewhere(e, s.Comm))
		separator = "; "
	}
	if rest > 0 {
		fmt.Fprintf(&b, "; and %d more are elsewhere", rest)
	}
	if p := s.Parted; p != nil {
		fmt.Fprintf(
			&b,
			". They part at number %d: %s there, where the others call %s",
			p.Number,
			call(p.OtherFunc, p.OtherSite),
			call(p.Func, p.Site),
		)
	}
	if s.Problem != nil && s.Problem.Kind != consistency.Mixed { // Others tell that
		b.WriteString(separator + f.problem(s.Problem))
	}
	if len(s.Others) > 0 {
		first := s.Others[0].Processes
		n.Process = int32(first.Min())
	}
	n.Text, n.Share = b.String(), f.share(n.Cost)
	n.Text = upper(n.Text)
	return n
}

// elsewhere says where processes are that others wait for.
func (f *finder) elsewhere(e *consistency.Elsewhere, comm string) string {
	is, its, it := "are", "their", "they"
	if e.Processes.Len() == 1 {
		is, its, it = "is", "its", "it"
	}
	place := call(e.Func, e.Site)
	text := fmt.Sprintf("%s %s not there", f.who(e.Processes), is)
	switch {
	case e.Instead && e.In:
		return fmt.Sprintf("%s %s in %s in its place", f.who(e.Processes), is, place)
	case e.Instead:
		return fmt.Sprintf("%s called %s in its place", f.who(e.Processes), place)
	case e.In && e.Values != "":
		return fmt.Sprintf("%s but in %s (%s)", text, place, e.Values)
	case e.In:
		return fmt.Sprintf("%s but in %s", text, place)
	case e.Func == "":
		text += ", and made no call"
	default:
		text += fmt.Sprintf(": %s last call was %s", its, place)
		if e.Number > 0 {
			text += fmt.Sprintf(", number %d on %s", e.Number, comm)
		}
		switch {
		case e.Timed && f.Now > 0:
			text += fmt.Sprintf(", which ended %s ago", f.Duration(max(0, f.Now-e.Time)))
		case e.Timed:
			text += fmt.Sprintf(", which ended at %s", f.Duration(e.Time))
		}
	}
	switch was := "was "; {
	case strings.HasPrefix(e.Ended, "killed"):
		if it == "they" {
			was = "were "
		}
		text += fmt.Sprintf(" (%s %s%s)", it, was, e.Ended)
	case e.Ended != "":
		text += fmt.Sprintf(" (%s %s)", it, e.Ended)
	}
	return text
}

// who names processes, in a text of bounded length.
func (f *finder) who(s *rankfunc.Set) string {
	what := "rank"
	if len(f.Worlds) > 0 && s.Max() >= f.Worlds[0].First+f.Worlds[0].Size {
		what = "process"
	}
	if s.Len() == 1 {
		return f.Name(int32(s.Min()))
	}
	var parts []string
	for lo, hi := range s.Intervals() {
		if len(parts) == mostRanges {
			return fmt.Sprintf("%ss %s,... (%d of them)", what, strings.Join(parts, ","), s.Len())
		}
		if hi == lo+1 {
			parts = append(parts, fmt.Sprint(lo))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", lo, hi-1))
		}
	}
	if what == "process" {
		what = "processe"
	}
	return what + "s " + strings.Join(parts, ",")
}
