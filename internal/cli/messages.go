package cli

import (
	"bufio"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tabard/analysis/match"
	"tabard/analysis/ops"
	"tabard/analysis/selection"
	"tabard/internal/comms"
	"tabard/internal/render"
	"tabard/trace"
)

// messagesSchema names the form of what `tabard messages --json` prints.
const messagesSchema = "tabard.messages/1"

const messagesLong = `Find the send of every receive and the partners of every collective call, and list what has none.

Messages with the same communicator, source, destination and tag are received in the order
in which they were sent. Receives from MPI_ANY_SOURCE and with MPI_ANY_TAG have the source
and tag of their status, which is recorded also if the program ignores it. Where there is
none (as in what tabard scale makes) they get one of the sends that are left over, and count as
guessed. The calls of a communicator's members with the same number belong together.

Ends without a partner are listed by call site:

  no partner              the other process never made the other call
  partner not recorded    its calls are not in the archive, or not all of them
  communicator not known  it is not known which processes the communicator has
  source not known        a wildcard receive without a status, and no send is left over
  never completed         a wildcard receive that nothing completed, and no send is left over

`

// messagesFlags are the flags of `tabard messages`.
type messagesFlags struct {
	selectFlags
	limit int
}

func messagesCommand(a *app) *cobra.Command {
	f := &messagesFlags{}
	cmd := &cobra.Command{
		Use:   "messages FILE",
		Short: "Match sends with receives, and show what has no partner",
		Long:  messagesLong + selectHelp + "\nA message is chosen if the call that sends it is, or the one that posts its receive.",
		Example: `  tabard messages app.tabard
  tabard messages app.tabard --rank 3 --comm world
  tabard messages app.tabard --json | jq '.unmatched[].site'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().IntVar(&f.limit, "limit", 20, "show at most `N` lines of each table, 0 for all")
	f.add(cmd, messagesSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if f.limit < 0 {
			return usagef("--limit %d is less than 0", f.limit)
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		t := &timed{app: a, archive: archive}
		if t.program, err = ops.Open(archive); err != nil {
			return err
		}
		r, err := f.match(t)
		if err != nil {
			return err
		}
		if f.json {
			return a.printJSON(messagesJSON(archive, f.flags, t.program, r))
		}
		w := bufio.NewWriter(a.out)
		f.print(w, t.program, r)
		return w.Flush()
	}
	return cmd
}

// match matches what is selected.
func (f *messagesFlags) match(t *timed) (*match.Result, error) {
	var chosen match.Choice
	if f.flags != (selection.Flags{}) {
		var err error
		if t.chosen, err = f.resolve(t.archive); err != nil {
			return nil, err
		}
		chosen = (&waitChoice{t: t, parts: map[int]*selection.Part{}}).selected
	}
	p := t.app.meter("matching messages", "events", 0)
	defer p.Done()
	return match.Of(t.program, chosen, p.Show)
}

// print shows the result as text.
func (f *messagesFlags) print(w io.Writer, p *ops.Program, r *match.Result) {
	unmatched := r.UnmatchedSends + r.UnmatchedRecvs
	fmt.Fprintf(w, "%s of %s", render.Plural(r.Messages, "message"), render.ByteSize(int64(r.Bytes)))
	if unmatched == 0 {
		fmt.Fprint(w, ", every send and receive has its partner")
	}
	fmt.Fprintf(w, "\n%s", render.Plural(r.Collectives, "collective operation"))
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
			fmt.Fprintf(w, "%s %s\n", render.Count(x.n), x.what)
		}
	}
	if r.Whole.Partial {
		fmt.Fprintln(w, "calls were left out of the recording on purpose: what is matched may be wrong")
	}
	f.unmatched(w, p, r)
	f.incomplete(w, p, r)
}

func (f *messagesFlags) limited(n int) int {
	if f.limit == 0 {
		return n
	}
	return min(n, f.limit)
}

// rest says how much of a table was left out.
func (f *messagesFlags) rest(w io.Writer, shown int, all uint64) {
	if uint64(shown) < all {
		fmt.Fprintf(w, "... %s more (--limit 0 shows all)\n", render.Count(all-uint64(shown)))
	}
}

// unmatched lists the ends without a partner.
func (f *messagesFlags) unmatched(w io.Writer, p *ops.Program, r *match.Result) {
	if len(r.Unmatched) == 0 {
		return
	}
	fmt.Fprintf(w, "\nWithout a partner: %s, %s\n", render.Plural(r.UnmatchedSends, "send"), render.Plural(r.UnmatchedRecvs, "receive"))
	t := render.NewTable("call", ">count", "processes", "why", "the first")
	n := f.limited(len(r.Unmatched))
	for i := range r.Unmatched[:n] {
		g := &r.Unmatched[i]
		u := &g.First
		t.Row(placeText(g.Func, g.Site), render.Count(g.Count), p.Comms.Text(membersOf(g.Processes), 4), g.Reason.String(),
			fmt.Sprintf("%s call %d, %s, %s", processName(p.Comms.Worlds, u.Process), u.Post.Call, peerText(p, u), tagText(u.Tag)))
	}
	_ = t.WriteText(w) // w keeps its error
	f.rest(w, n, uint64(len(r.Unmatched))+r.More)
}

// membersOf is processes as package comms prints them.
func membersOf(processes []int32) *comms.Members {
	list := make([]int, len(processes))
	for i, n := range processes {
		list[i] = int(n)
	}
	return comms.NewMembers(list)
}

// peerText says with whom an end would have been matched.
func peerText(p *ops.Program, u *match.Unmatched) string {
	to := "from"
	if u.Send {
		to = "to"
	}
	switch u.Peer {
	case ops.AnySource:
		return "from MPI_ANY_SOURCE"
	case ops.UnknownPeer:
		return to + " an unknown process"
	}
	return to + " " + processName(p.Comms.Worlds, u.Peer)
}

func tagText(tag int32) string {
	if tag == ops.AnyTag {
		return "MPI_ANY_TAG"
	}
	return fmt.Sprintf("tag %d", tag)
}

// incomplete lists the collectives that do not fit together.
func (f *messagesFlags) incomplete(w io.Writer, p *ops.Program, r *match.Result) {
	if len(r.Incomplete) == 0 {
		return
	}
	fmt.Fprintln(w, "\nCollective operations that do not fit together")
	t := render.NewTable("call", "communicator", ">number", "called by", "why")
	n := f.limited(len(r.Incomplete))
	for i := range r.Incomplete[:n] {
		x := &r.Incomplete[i]
		why := fmt.Sprintf("%s did not call", render.Plural(uint64(x.Missing), "member"))
		if x.Mixed {
			why = "members called different functions"
		}
		t.Row(placeText(x.Func, x.Site), commName(p, x.Comm), render.Count(x.Index), p.Comms.Text(membersOf(x.Present), 4), why)
	}
	_ = t.WriteText(w) // w keeps its error
	f.rest(w, n, uint64(len(r.Incomplete))+r.MoreIncomplete)
}

// commName is the name of a communicator, "?" if it is not known.
func commName(p *ops.Program, comm int32) string {
	if comm < 0 || int(comm) >= len(p.Comms.Comms) {
		return "?"
	}
	return p.Comms.Comms[comm].Name
}

// messagesRun is the schema of `tabard messages --json`. Processes are numbered through all worlds; in the launched one the
// number is the rank. Lists of processes are ranges as in tabard info --comms.
type messagesRun struct {
	Schema          string              `json:"schema"`
	File            string              `json:"file"`
	Selection       selection.Flags     `json:"selection"`
	Messages        uint64              `json:"messages"`
	Bytes           uint64              `json:"bytes"`
	Guessed         uint64              `json:"guessed"`
	Collectives     uint64              `json:"collectives"`
	UnmatchedSends  uint64              `json:"unmatched_sends"`
	UnmatchedRecvs  uint64              `json:"unmatched_receives"`
	Whole           messagesWhole       `json:"whole"`
	Unmatched       []messagesUnmatched `json:"unmatched"`
	Incomplete      []messagesColl      `json:"incomplete"`
	MoreUnmatched   uint64              `json:"more_unmatched"`
	MoreIncomplete  uint64              `json:"more_incomplete"`
	PartOfRecording bool                `json:"partial"`
}

// messagesWhole counts what is in the whole archive.
type messagesWhole struct {
	Calls        uint64 `json:"calls"`
	Messages     uint64 `json:"messages"`
	Bytes        uint64 `json:"bytes"`
	UnknownSizes uint64 `json:"unknown_sizes"`
	ToNobody     uint64 `json:"to_nobody"`
	Cancelled    uint64 `json:"cancelled"`
	Failed       uint64 `json:"failed"`
	Collectives  uint64 `json:"collectives"`
}

type messagesUnmatched struct {
	Kind      string        `json:"kind"` // send or receive
	Func      string        `json:"function"`
	Site      string        `json:"site"` // empty if unknown
	Reason    string        `json:"reason"`
	Count     uint64        `json:"count"`
	Bytes     uint64        `json:"bytes"`
	Processes string        `json:"processes"`
	First     messagesFirst `json:"first"`
}

// messagesFirst is a call. Peer and tag are null for wildcards and where they are not known.
type messagesFirst struct {
	Process int32  `json:"process"`
	Stream  int32  `json:"stream"`
	Call    uint64 `json:"call"`
	Comm    *int32 `json:"communicator"` // a number as in tabard info --comms
	Peer    *int32 `json:"peer"`
	Tag     *int32 `json:"tag"`
}

type messagesColl struct {
	Func    string `json:"function"`
	Site    string `json:"site"`
	Comm    *int32 `json:"communicator"`
	Index   uint64 `json:"index"`
	Round   uint64 `json:"round"`
	Members int    `json:"members"`
	Missing int    `json:"missing"`
	Mixed   bool   `json:"mixed"`
	Present string `json:"present"`
}

func messagesJSON(archive *trace.Archive, flags selection.Flags, p *ops.Program, r *match.Result) *messagesRun {
	s := &r.Whole
	run := &messagesRun{Schema: messagesSchema, File: archive.File(), Selection: flags, Messages: r.Messages, Bytes: r.Bytes, Guessed: r.Guessed,
		Collectives: r.Collectives, UnmatchedSends: r.UnmatchedSends, UnmatchedRecvs: r.UnmatchedRecvs, Unmatched: []messagesUnmatched{}, Incomplete: []messagesColl{},
		MoreUnmatched: r.More, MoreIncomplete: r.MoreIncomplete, PartOfRecording: s.Partial,
		Whole: messagesWhole{s.Calls, s.Messages, s.Bytes, s.UnknownSizes, s.ToNobody, s.Cancelled, s.Failed, s.Collectives}}
	known := func(n int32) *int32 {
		if n < 0 {
			return nil
		}
		return &n
	}
	for i := range r.Unmatched {
		g := &r.Unmatched[i]
		kind := "receive"
		if g.Send {
			kind = "send"
		}
		run.Unmatched = append(run.Unmatched, messagesUnmatched{kind, g.Func, g.Site, g.Reason.String(), g.Count, g.Bytes, p.Comms.Text(membersOf(g.Processes), 0),
			messagesFirst{g.First.Process, g.First.Post.Stream, g.First.Post.Call, known(g.First.Comm), known(g.First.Peer), known(g.First.Tag)}})
	}
	for i := range r.Incomplete {
		x := &r.Incomplete[i]
		run.Incomplete = append(run.Incomplete, messagesColl{x.Func, x.Site, known(x.Comm), x.Index, x.Round, x.Members, x.Missing, x.Mixed, p.Comms.Text(membersOf(x.Present), 0)})
	}
	return run
}
