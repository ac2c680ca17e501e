package collectives

import (
	"fmt"
	"slices"
)

// path is how many messages of an instance go one after the other.
func path(ms []*Message) int {
	most := 0
	at, ready := map[int32]int{}, make([]int, len(ms))
	inOrder(ms, func(i int, recv bool) {
		m := ms[i]
		if recv {
			at[m.To] = max(at[m.To], ready[i])
			return
		}
		at[m.From]++
		ready[i] = at[m.From]
		most = max(most, ready[i])
	})
	return most
}

// A Step is a message of an instance, with when it is sent and received on clocks that count messages.
type Step struct {
	*Message
	SentAt, ReceivedAt int
}

// Diagram is the messages of an instance in the order in which they go, by logical clocks (Lamport, 1978).
func (f *Finding) Diagram() []Step {
	at, steps := map[int32]int{}, make([]Step, len(f.One))
	inOrder(f.One, func(i int, recv bool) {
		m := f.One[i]
		if !recv {
			at[m.From]++
			steps[i] = Step{m, at[m.From], at[m.From] + 1}
			return
		}
		at[m.To] = max(at[m.To], steps[i].SentAt) + 1
		steps[i].ReceivedAt = at[m.To]
	})
	return slices.DeleteFunc(steps, func(s Step) bool { return s.Message == nil })
}

// shape names how the messages of an instance go.
func shape(ms []*Message) string {
	to, members, sizes := map[int32]map[int32]bool{}, map[int32]bool{}, map[int64]bool{}
	most := 0
	for _, m := range ms {
		if to[m.From] == nil {
			to[m.From] = map[int32]bool{}
		}
		to[m.From][m.To] = true
		most = max(most, len(to[m.From]))
		members[m.From], members[m.To] = true, true
		sizes[m.Bytes] = true
	}
	text := fmt.Sprintf("forwarding by %d of %d", len(to), len(members))
	switch {
	case most == 1:
		text = "ring"
	case len(ms) == len(members)-1:
		text = "tree"
	}
	if len(sizes) > 1 {
		text += fmt.Sprintf(", in messages of %d sizes", len(sizes))
	}
	return text
}
