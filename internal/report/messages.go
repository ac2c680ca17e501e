package report

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// MessagesSchema names the form of Messages.
const MessagesSchema = "tabard.messages/1"

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
	Index   uint64 `json:"index"`
	Round   uint64 `json:"round"`
	Members int    `json:"members"`
	Missing int    `json:"missing"`
	Mixed   bool   `json:"mixed"`
	Present string `json:"present"`
}

// NewMessages makes the document of a result.
func NewMessages(arch *archive.Archive, flags selection.Flags, p *calls.Program, r *match.Result) *Messages {
	s := &r.Whole
	run := &Messages{Schema: MessagesSchema, File: arch.File(), Selection: flags, Messages: r.Messages, Bytes: r.Bytes,
		Guessed: r.Guessed, Collectives: r.Collectives, UnmatchedSends: r.UnmatchedSends,
		UnmatchedRecvs: r.UnmatchedRecvs,
		Unmatched:      []Unmatched{}, Incomplete: []IncompleteCollective{}, MoreUnmatched: r.More,
		MoreIncomplete: r.MoreIncomplete, PartOfRecording: s.Partial,
		Whole: MessageTotals{s.Calls, s.Messages, s.Bytes, s.UnknownSizes, s.ToNobody, s.Cancelled, s.Failed,
			s.Collectives}}
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
		first := UnmatchedEnd{g.First.Process, g.First.Post.Stream, g.First.Post.Call, known(g.First.Comm),
			known(g.First.Peer), known(g.First.Tag)}
		run.Unmatched = append(run.Unmatched, Unmatched{kind, g.Func, g.Site, g.Reason.String(), g.Count, g.Bytes,
			p.Comms.Text(Members(g.Processes), 0), first})
	}
	for i := range r.Incomplete {
		x := &r.Incomplete[i]
		run.Incomplete = append(run.Incomplete, IncompleteCollective{x.Func, x.Site, known(x.Comm), x.Index, x.Round,
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
