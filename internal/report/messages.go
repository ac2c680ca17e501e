package report

import (
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// MessagesSchema names the form of Messages.
const MessagesSchema = "tabard.messages/2"

var _ = register[Messages](MessagesSchema, "messages --json")

// Messages is how sends and receives, and the members of collectives, were matched. Lists of
// processes are ranges as in tabard info --comms.
type Messages struct {
	Schema          string                 `json:"schema"`
	File            string                 `json:"file"`
	Selection       selection.Flags        `json:"selection"`
	Messages        uint64                 `json:"messages"`
	Bytes           uint64                 `json:"bytes"`
	Guessed         uint64                 `json:"guessed"`
	Collectives     uint64                 `json:"collectives"`
	UnmatchedSends  uint64                 `json:"unmatched_sends"`
	UnmatchedRecvs  uint64                 `json:"unmatched_receives"`
	Whole           MessageTotals          `json:"whole"`
	Unmatched       []Unmatched            `json:"unmatched"`
	Incomplete      []IncompleteCollective `json:"incomplete"`
	Open            []OpenRequests         `json:"open_requests"`
	MoreUnmatched   uint64                 `json:"more_unmatched"`
	MoreIncomplete  uint64                 `json:"more_incomplete"`
	PartOfRecording bool                   `json:"partial"`
}

// MessageTotals counts what is in the whole archive.
type MessageTotals struct {
	Calls        uint64 `json:"calls"`
	Messages     uint64 `json:"messages"`
	Bytes        uint64 `json:"bytes"`
	UnknownSizes uint64 `json:"unknown_sizes"`
	ToNobody     uint64 `json:"to_nobody"`
	Cancelled    uint64 `json:"cancelled"`
	Failed       uint64 `json:"failed"`
	Collectives  uint64 `json:"collectives"`
}

// Unmatched is sends or receives without a partner, of one call site and for one reason.
type Unmatched struct {
	Kind      string       `json:"kind"` // send or receive
	Func      string       `json:"function"`
	Site      string       `json:"site"` // empty if unknown
	Reason    string       `json:"reason"`
	Count     uint64       `json:"count"`
	Bytes     uint64       `json:"bytes"`
	Processes string       `json:"processes"`
	First     UnmatchedEnd `json:"first"`
}

// OpenRequests are requests made at one call site that nothing completed or freed.
type OpenRequests struct {
	Kind      string       `json:"kind"` // send or receive
	Func      string       `json:"function"`
	Site      string       `json:"site"` // empty if unknown
	Count     uint64       `json:"count"`
	Processes string       `json:"processes"`
	First     UnmatchedEnd `json:"first"`
}

// UnmatchedEnd is a call. Peer and tag are null for wildcards and where they are not known.
type UnmatchedEnd struct {
	Process int32  `json:"process"`
	Stream  int32  `json:"stream"`
	Call    uint64 `json:"call"`
	Comm    *int32 `json:"communicator"` // a number as in tabard info --comms
	Peer    *int32 `json:"peer"`
	Tag     *int32 `json:"tag"`
}

// IncompleteCollective is a collective operation that not all members of the communicator made.
type IncompleteCollective struct {
	Func    string `json:"function"`
	Site    string `json:"site"`
	Comm    *int32 `json:"communicator"`
	Number  uint64 `json:"number"` // of the operation on its communicator, the first is 1
	Round   uint64 `json:"round"`
	Members int    `json:"members"`
	Missing int    `json:"missing"`
	Mixed   bool   `json:"mixed"`
	Present string `json:"present"`
}

// OpenRequests are the requests that nothing completed or freed, by call site. It looks at whole recordings of up to
// cheapEvents events.
func (j *Job) OpenRequests() ([]consistency.Unfinished, error) {
	if j.chosen != nil || j.events() > cheapEvents {
		return nil, nil
	}
	s, err := consistency.Stuck(j.Program)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.Unfinished, func(u consistency.Unfinished) bool { return u.Unreceived }), nil
}

// NewMessages makes the document of a result, and of the requests that nothing completed.
func NewMessages(
	arch *archive.Archive, flags selection.Flags, p *calls.Program, r *match.Result, open []consistency.Unfinished,
) *Messages {
	s := &r.Whole
	run := &Messages{Schema: MessagesSchema, File: arch.File(), Selection: flags, Messages: r.Messages, Bytes: r.Bytes,
		Guessed: r.Guessed, Collectives: r.Collectives, UnmatchedSends: r.UnmatchedSends,
		UnmatchedRecvs: r.UnmatchedRecvs,
		Unmatched:      []Unmatched{}, Incomplete: []IncompleteCollective{}, Open: []OpenRequests{},
		MoreUnmatched:  r.More,
		MoreIncomplete: r.MoreIncomplete, PartOfRecording: s.Partial,
		Whole: MessageTotals{s.Calls, s.Messages, s.Bytes, s.UnknownSizes, s.ToNobody, s.Cancelled, s.Failed,
			s.Collectives}}
	known := func(n int32) *int32 {
		if n < 0 {
			return nil
		}
		return &n
	}
	kindOf := func(send bool) string {
		if send {
			return "send"
		}
		return "receive"
	}
	for i := range open {
		u := &open[i]
		run.Open = append(run.Open, OpenRequests{kindOf(u.Send), u.Func, u.Site, u.Count, u.Processes.String(),
			UnmatchedEnd{Process: u.Process, Stream: u.Stream, Call: u.Call, Peer: known(u.Peer), Tag: known(u.Tag)}})
	}
	for i := range r.Unmatched {
		g := &r.Unmatched[i]
		first := UnmatchedEnd{g.First.Process, g.First.Post.Stream, g.First.Post.Call, known(g.First.Comm),
			known(g.First.Peer), known(g.First.Tag)}
		run.Unmatched = append(run.Unmatched, Unmatched{kindOf(g.Send), g.Func, g.Site, g.Reason.String(), g.Count,
			g.Bytes,
			p.Comms.Text(Members(g.Processes), 0), first})
	}
	for i := range r.Incomplete {
		x := &r.Incomplete[i]
		run.Incomplete = append(run.Incomplete, IncompleteCollective{x.Func, x.Site, known(x.Comm), x.Index + 1,
			x.Round,
			x.Members, x.Missing, x.Mixed, p.Comms.Text(Members(x.Present), 0)})
	}
	return run
}

// Members is processes as package comms prints them.
func Members(processes []int32) *comms.Members {
	list := make([]int, len(processes))
	for i, n := range processes {
		list[i] = int(n)
	}
	return comms.NewMembers(list)
}
