package synthetic

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// Log is what a rank did, noted beside the records and independently of them. An archive made of
// the records has to agree with it.
type Log struct {
	Calls []Call
	// Sends and Receives are the messages, in the order in which the calls were made.
	Sends, Receives []Message
	// Collectives are the collective calls.
	Collectives []Collective
}

// Call is one call.
type Call struct {
	Func string
	Line int // of its call site, 0 unknown
	// Values are those of the function's slots, in order. A slot without a value is nil. Others are
	// int64, Address, Object, Status, string, []int64, []Object, []Status or []string.
	Values []any
	// Idle marks an unsuccessful poll. Nothing else is known of what it returned.
	Idle       bool
	Start, End uint64 // ticks; 0 without timing
}

// Address is a place in memory.
type Address struct {
	Class  uint8 // W constant of package ring
	Number uint32
	Off    int64
}

// Object is an object behind a handle: a predefined one by its name, others by
// a number that is never used twice in a rank. The zero Object is the null handle.
type Object struct {
	Class  spec.Class
	Name   string
	Serial int
}

// Status is what a call reported about a message.
type Status = ring.Status

// Message is one end of a point-to-point message. Ranks are those of MPI_COMM_WORLD.
type Message struct {
	Context  uint64 // identifies the communicator, for all its members
	From, To int
	Tag      int32
	Bytes    int64
}

// Collective is one rank's part in a collective call.
type Collective struct {
	Context uint64
	Size    int // of the communicator
	What    string
}

// Check reports whether the logs of all ranks of a job fit together: each send has its receive,
// in order, with the size that was sent, and all members of a communicator make the same
// collective calls.
func Check(logs []*Log) error {
	type channel struct {
		context  uint64
		from, to int
		tag      int32
	}
	sent, used := map[channel][]int64{}, map[channel]int{}
	for rank, l := range logs {
		for _, m := range l.Sends {
			if m.From != rank || m.To < 0 || m.To >= len(logs) {
				return fmt.Errorf("rank %d: send from %d to %d", rank, m.From, m.To)
			}
			c := channel{m.Context, m.From, m.To, m.Tag}
			sent[c] = append(sent[c], m.Bytes)
		}
	}
	for rank, l := range logs {
		for _, m := range l.Receives {
			c := channel{m.Context, m.From, m.To, m.Tag}
			n := used[c]
			switch {
			case m.To != rank:
				return fmt.Errorf("rank %d: receive for rank %d", rank, m.To)
			case n >= len(sent[c]):
				return fmt.Errorf("rank %d: receive %d from rank %d with tag %d has no send", rank, n, m.From, m.Tag)
			case sent[c][n] != m.Bytes:
				return fmt.Errorf("rank %d: receive %d from rank %d with tag %d: %d bytes, %d were sent", rank, n,
					m.From, m.Tag, m.Bytes, sent[c][n])
			}
			used[c]++
		}
	}
	for c, s := range sent {
		if used[c] != len(s) {
			return fmt.Errorf("%d messages from rank %d to %d with tag %d, %d receives", len(s), c.from, c.to, c.tag,
				used[c])
		}
	}
	return checkCollectives(logs)
}

func checkCollectives(logs []*Log) error {
	type comm struct {
		calls   []string
		members int
		size    int
	}
	comms := map[uint64]*comm{}
	for rank, l := range logs {
		mine, sizes := map[uint64][]string{}, map[uint64]int{}
		for _, c := range l.Collectives {
			mine[c.Context] = append(mine[c.Context], c.What)
			sizes[c.Context] = c.Size
		}
		for ctx, calls := range mine {
			c := comms[ctx]
			if c == nil {
				c = &comm{calls: calls, size: sizes[ctx]}
				comms[ctx] = c
			}
			c.members++
			if !slices.Equal(c.calls, calls) || c.size != sizes[ctx] {
				return fmt.Errorf("rank %d: its %d collective calls differ from those of another member", rank,
					len(calls))
			}
		}
	}
	for _, c := range comms {
		if c.members != c.size {
			return fmt.Errorf("a communicator of %d ranks has %d members", c.size, c.members)
		}
	}
	return nil
}
