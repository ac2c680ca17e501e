package collectives

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/tabard-hpc/tabard/spec"
)

// An exchange is messages of one place that go straight from one process to another, each with data of its own.
type exchange struct {
	send, recv []int32
	comm       int32
	messages   []*Message
	counts     map[[2]int32]uint64
}

// exchanges makes the findings of what has a part for each: contents differ, and prove nothing.
func (f *finder) exchanges() []Finding {
	all := map[string]*exchange{}
	var order []string
	for _, x := range f.direct {
		for _, m := range x.messages {
			key := fmt.Sprint(m.Comm, m.RecvSite)
			e := all[key]
			if e == nil {
				e = &exchange{comm: m.Comm, recv: []int32{m.RecvSite}, counts: map[[2]int32]uint64{}}
				all[key] = e
				order = append(order, key)
			}
			e.messages = append(e.messages, m)
			e.counts[[2]int32{m.From, m.To}] += max(m.Count, 1)
		}
	}
	var out []Finding
	for _, key := range order {
		e := all[key]
		e.send = sites(e.messages, sendSite)
		if to := e.finding(); to != nil {
			out = append(out, *to)
		}
	}
	return out
}

// barrier is the finding of empty messages after which everybody has heard of everybody, nil if it does not come to
// that.
func (e *exchange) barrier() *Finding {
	members := map[int32]bool{}
	for _, m := range e.messages {
		if m.Bytes != 0 {
			return nil
		}
		members[m.From], members[m.To] = true, true
	}
	f := &Finding{Operation: "barrier", Call: callOf(spec.FlowToAll, spec.DataNone, false),
		Grade: Consistent, Comm: e.comm, SendSites: e.send,
		RecvSites: e.recv, Sets: [][]int32{slices.Sorted(maps.Keys(members))}, Segments: 1, Algorithm: "empty messages",
		Unproven: []string{"that nobody goes on before: what a process does between its messages is its own"}}
	heard, depth := map[int32]map[int32]bool{}, map[int32]int{}
	from, full := 0, 0
	for i, m := range e.messages { // in the order of the flow
		for _, p := range []int32{m.From, m.To} {
			if heard[p] == nil {
				heard[p] = map[int32]bool{p: true}
			}
		}
		before := len(heard[m.To])
		maps.Copy(heard[m.To], heard[m.From])
		depth[m.To] = max(depth[m.To], depth[m.From]+1)
		if before < len(members) && len(heard[m.To]) == len(members) {
			full++
		}
		if full == len(members) {
			f.Instances += max(m.Count, 1)
			f.Steps, f.One, f.Messages = depth[m.To], e.messages[from:i+1], i+1-from
			f.All = append(f.All, Instance{Set: f.Sets[0], Root: -1, Messages: f.One, Count: max(m.Count, 1)})
			heard, depth, from, full = map[int32]map[int32]bool{}, map[int32]int{}, i+1, 0
		}
	}
	if len(members) < 3 || f.Instances == 0 {
		return nil
	}
	return f
}

// finding is what the exchange is, nil if it is nothing.
func (e *exchange) finding() *Finding {
	if f := e.barrier(); f != nil {
		return f
	}
	times := uint64(0)
	from, to := map[int32]bool{}, map[int32]bool{}
	for pair, n := range e.counts {
		if times == 0 {
			times = n
		}
		if n != times || pair[0] == pair[1] {
			return nil
		}
		from[pair[0]], to[pair[1]] = true, true
	}
	members := maps.Clone(from)
	maps.Copy(members, to)
	if len(members) < 3 || e.messages[0].Bytes == 0 {
		return nil
	}
	set := slices.Sorted(maps.Keys(members))
	f := &Finding{Grade: Consistent, Comm: e.comm, SendSites: e.send, RecvSites: e.recv, Sets: [][]int32{set},
		Instances: times, Segments: 1, Algorithm: "linear", Messages: len(e.counts), Bytes: e.messages[0].Bytes,
		Block: e.messages[0].Bytes}
	for _, m := range e.messages[:min(len(e.messages), len(e.counts))] {
		f.One = append(f.One, m)
	}
	if f = e.named(f, set, len(from), len(to)); f == nil {
		return nil
	}
	root := -1
	if len(f.Roots) > 0 {
		root = f.Roots[0]
	}
	for _, ms := range (&region{e.comm, e.messages}).instances(slots[1]) {
		x := Instance{Set: set, Root: root, Messages: ms, Count: max(ms[0].Count, 1), Block: f.Block}
		if root >= 0 && different(ms) {
			x.Shares = make([]int64, len(set))
			for _, m := range ms {
				x.Shares[slices.Index(set, m.From+m.To-set[root])] += m.Bytes
			}
		}
		f.All = append(f.All, x)
	}
	return f
}

// named says which operation it is, nil if none.
func (e *exchange) named(f *Finding, set []int32, senders, receivers int) *Finding {
	n := len(set)
	sourceSteps, targetSteps := stepped(f.One, func(m *Message) (Place, int32) { return m.Source, m.To }),
		stepped(f.One, func(m *Message) (Place, int32) { return m.Target, m.From })
	vector := different(e.messages)
	f.Unproven = []string{"that its parts are of one buffer: what a process keeps for itself is in no message"}
	switch {
	case senders == 1 && receivers == n-1 && sourceSteps:
		f.Operation, f.Call, f.Steps = "scatter", callOf(spec.FlowFromRoot, spec.DataParts, vector), n-1
		f.addRoot(slices.Index(set, f.One[0].From))
	case receivers == 1 && senders == n-1 && targetSteps:
		f.Operation, f.Call, f.Steps = "gather", callOf(spec.FlowToRoot, spec.DataWhole, vector), n-1
		f.addRoot(slices.Index(set, f.One[0].To))
	case len(e.counts) == n*(n-1):
		f.Operation, f.Call, f.Steps = "all-to-all", callOf(spec.FlowToAll, spec.DataParts, vector), n-1
	default:
		return nil
	}
	return f
}

func different(ms []*Message) bool {
	return slices.ContainsFunc(ms, func(m *Message) bool { return m.Bytes != ms[0].Bytes })
}

// stepped tells whether places lie one behind the other, in the order of ranks, but for a gap where a process keeps its
// own.
func stepped(ms []*Message, of func(*Message) (Place, int32)) bool {
	ms = slices.Clone(ms)
	slices.SortFunc(ms, func(a, b *Message) int {
		_, p := of(a)
		_, q := of(b)
		return cmp.Compare(p, q)
	})
	for i := 1; i < len(ms); i++ {
		a, p := of(ms[i-1])
		b, q := of(ms[i])
		if a.Segment == 0 || a.Segment != b.Segment || b.Offset != a.Offset+ms[i-1].Bytes*int64(q-p) {
			return false
		}
	}
	return len(ms) > 1
}
