package text

import (
	"fmt"
	"io"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/analysis/findings"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Messages shows how messages and collectives were matched, with at most limit lines of each table,
// 0 for all.
func Messages(w io.Writer, p *calls.Program, r *match.Result, open []consistency.Unfinished, limit int) {
	unmatched := r.UnmatchedSends + r.UnmatchedRecvs
	render.Printf(w, "%s of %s", plural(r.Messages, "message"), byteSize(int64(r.Bytes)))
	if unmatched == 0 {
		fmt.Fprint(w, ", every send and receive has its partner")
	}
	render.Printf(w, "\n%s", plural(r.Collectives, "collective operation"))
	if len(r.Incomplete) == 0 {
		fmt.Fprint(w, ", every member took part")
	}
	fmt.Fprintln(w)
	for _, x := range []struct {
		n    uint64
		what string
	}{
		{r.Guessed, "matched by a guess: the receive took any source or tag and has no status"},
		{r.Whole.UnknownSizes, "of a size that is not known, in the whole archive"},
		{r.Whole.Cancelled, "cancelled, in the whole archive"},
		{r.Whole.Failed, "failed, in the whole archive"},
	} {
		if x.n > 0 {
			render.Printf(w, "%s %s\n", count(x.n), x.what)
		}
	}
	if r.Whole.Partial {
		fmt.Fprintln(w, "calls were left out of the recording on purpose: what is matched may be wrong")
	}
	unmatchedEnds(w, p, r, limit)
	openRequests(w, p, open, limit)
	incompleteCollectives(w, p, r, limit)
}

// unmatchedEnds lists the ends without a partner.
func unmatchedEnds(w io.Writer, p *calls.Program, r *match.Result, limit int) {
	if len(r.Unmatched) == 0 {
		return
	}
	render.Printf(w, "\nWithout a partner: %s, %s\n", plural(r.UnmatchedSends, "send"),
		plural(r.UnmatchedRecvs, "receive"))
	t := render.NewTable("call", ">count", "processes", "why", "the first")
	n := limited(len(r.Unmatched), limit)
	for i := range r.Unmatched[:n] {
		g := &r.Unmatched[i]
		u := &g.First
		first := fmt.Sprintf("%s call %d, %s, %s", findings.ProcessName(p.Comms.Worlds, u.Process), u.Post.Call,
			peerText(p, u), tagText(u.Tag))
		t.Row(report.PlaceText(g.Func, g.Site), count(g.Count), p.Comms.Text(report.Members(g.Processes), 4),
			g.Reason.String(), first)
	}
	_ = t.WriteText(w) // w keeps its error
	if more := uint64(len(r.Unmatched)-n) + r.More; more > 0 {
		rest(w, count(more))
	}
}

// openRequests lists requests that nothing completed or freed.
func openRequests(w io.Writer, p *calls.Program, open []consistency.Unfinished, limit int) {
	if len(open) == 0 {
		return
	}
	fmt.Fprintln(w, "\nRequests that nothing completed or freed")
	t := render.NewTable("made in", ">count", "processes", "the first")
	n := limited(len(open), limit)
	for i := range open[:n] {
		u := &open[i]
		end := &match.Unmatched{Send: u.Send, Peer: u.Peer}
		t.Row(report.PlaceText(u.Func, u.Site), count(u.Count), u.Processes.String(), fmt.Sprintf("%s call %d, %s, %s",
			findings.ProcessName(p.Comms.Worlds, u.Process), u.Call, peerText(p, end), tagText(u.Tag)))
	}
	_ = t.WriteText(w) // w keeps its error
	restOf(w, n, len(open))
}

// peerText says with whom an end would have been matched.
func peerText(p *calls.Program, u *match.Unmatched) string {
	to := "from"
	if u.Send {
		to = "to"
	}
	switch u.Peer {
	case calls.AnySource:
		return "from " + mpi.AnySource
	case calls.UnknownPeer:
		return to + " an unknown process"
	}
	return to + " " + findings.ProcessName(p.Comms.Worlds, u.Peer)
}

func tagText(tag int32) string {
	if tag == calls.AnyTag {
		return mpi.AnyTag
	}
	return fmt.Sprintf("tag %d", tag)
}

// incompleteCollectives lists the collectives that do not fit together.
func incompleteCollectives(w io.Writer, p *calls.Program, r *match.Result, limit int) {
	if len(r.Incomplete) == 0 {
		return
	}
	fmt.Fprintln(w, "\nCollective operations that do not fit together")
	t := render.NewTable("call", "communicator", ">number", "called by", "why")
	n := limited(len(r.Incomplete), limit)
	for i := range r.Incomplete[:n] {
		x := &r.Incomplete[i]
		why := fmt.Sprintf("%s did not call", plural(uint64(x.Missing), "member"))
		if x.Mixed {
			why = "members called different functions"
		}
		t.Row(report.PlaceText(x.Func, x.Site), commName(p, x.Comm), count(x.Index+1),
			p.Comms.Text(report.Members(x.Present), 4), why)
	}
	_ = t.WriteText(w) // w keeps its error
	if more := uint64(len(r.Incomplete)-n) + r.MoreIncomplete; more > 0 {
		rest(w, count(more))
	}
}

// commName is the name of a communicator, "?" if it is not known.
func commName(p *calls.Program, comm int32) string {
	if comm < 0 || int(comm) >= len(p.Comms.Comms) {
		return "?"
	}
	return p.Comms.Comms[comm].Name
}
