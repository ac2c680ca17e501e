package collectives

import (
	"cmp"
	"slices"
)

// A region is messages of one communicator that one part of the program makes.
type region struct {
	comm     int32
	messages []*Message
}

// united puts messages together of which an end has a key in common, in the order of the first one of each part.
func united[K comparable](ms []*Message, ends func(m *Message) (K, K)) (parts []*region) {
	parent := map[K]K{}
	var root func(k K) K
	root = func(k K) K {
		q, ok := parent[k]
		if !ok || q == k {
			return k
		}
		q = root(q)
		parent[k] = q
		return q
	}
	for _, m := range ms {
		from, to := ends(m)
		parent[root(from)] = root(to)
	}
	of := map[K]*region{}
	for _, m := range ms {
		from, _ := ends(m)
		k := root(from)
		if of[k] == nil {
			of[k] = &region{comm: m.Comm}
			parts = append(parts, of[k])
		}
		of[k].messages = append(of[k].messages, m)
	}
	return parts
}

// regions puts messages together that have a key of the place of an end in common.
func regions(ms []*Message, key func(site int32) int32) []*region {
	type place struct{ comm, key int32 }
	return united(ms, func(m *Message) (place, place) {
		return place{m.Comm, key(m.SendSite)}, place{m.Comm, key(m.RecvSite)}
	})
}

// apart splits a region into the sets of processes that have messages with each other: the rows of a grid.
func (r *region) apart() []*region {
	return united(r.messages, func(m *Message) (int32, int32) { return m.From, m.To })
}

// search tries the regions of messages that have data, or have none, one level of places after the other. It returns
// what is found, and the messages of that.
func search(ms []*Message, data bool, levels []func(site int32) int32, try func(*region) *Finding) (
	found []Finding, taken map[*Message]bool) {
	taken = map[*Message]bool{}
	tried := map[*Message]int{} // how large the region was in which it was tried
	for _, level := range levels {
		var rest []*Message
		for _, m := range ms {
			if !taken[m] && data == (m.Bytes > 0) {
				rest = append(rest, m)
			}
		}
		for _, all := range regions(rest, level) {
			for _, r := range all.apart() {
				if tried[r.messages[0]] == len(r.messages) { // regions of sites are parts of those of frames
					continue
				}
				for _, m := range r.messages {
					tried[m] = len(r.messages)
				}
				f := try(r)
				if f == nil {
					continue
				}
				found = append(found, *f)
				for _, m := range r.messages {
					taken[m] = true
				}
			}
		}
	}
	return found, taken
}

// levels are the places of messages: those with a key in common, and then each by itself.
func levels(key func(site int32) int32) []func(site int32) int32 {
	return []func(int32) int32{key, func(site int32) int32 { return site }}
}

func (r *region) members() []int32 {
	var list []int32
	for _, m := range r.messages {
		list = append(list, m.From, m.To)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// queues are the ends of messages by process, in the order of its calls. A call that does both sends first.
func queues(ms []*Message) map[int32][]event {
	out := map[int32][]event{}
	for i, m := range ms {
		out[m.From] = append(out[m.From], event{m.Sent, false, i})
		out[m.To] = append(out[m.To], event{m.Received, true, i})
	}
	for _, q := range out {
		slices.SortStableFunc(q, func(a, b event) int {
			if c := cmp.Compare(a.call, b.call); c != 0 || a.recv == b.recv {
				return c
			}
			if a.recv {
				return 1
			}
			return -1
		})
	}
	return out
}

// inOrder goes through ends of messages so that none is received before it is sent. It is false if that is not
// possible; what was received before it was sent is then left out.
func inOrder(ms []*Message, visit func(m int, recv bool)) bool {
	qs := queues(ms)
	var processes []int32
	for p := range qs {
		processes = append(processes, p)
	}
	slices.Sort(processes)
	sent := make([]bool, len(ms))
	for left := 2 * len(ms); left > 0; {
		before := left
		for _, p := range processes {
			q := qs[p]
			for len(q) > 0 && (!q[0].recv || sent[q[0].m]) {
				visit(q[0].m, q[0].recv)
				sent[q[0].m] = true
				q, left = q[1:], left-1
			}
			qs[p] = q
		}
		if left == before {
			return false
		}
	}
	return true
}

// slots are ways to tell the messages of an instance from each other.
var slots = []func(m *Message) any{
	func(m *Message) any { return [3]int64{int64(m.From), int64(m.To), m.Source.Offset} },
	func(m *Message) any { return [2]int32{m.From, m.To} },
}

// layouts are ways to place what a message carries in a vector that is the same for all.
var layouts = []func(r *region) func(m *Message) int64{
	func(*region) func(*Message) int64 { return func(m *Message) int64 { return m.Source.Offset } },
	func(r *region) func(*Message) int64 {
		type memory struct {
			process int32
			segment int64
		}
		first := map[memory]int64{}
		for _, m := range r.messages {
			k := memory{m.From, m.Source.Segment}
			if at, seen := first[k]; !seen || m.Source.Offset < at {
				first[k] = m.Source.Offset
			}
		}
		return func(m *Message) int64 { return m.Source.Offset - first[memory{m.From, m.Source.Segment}] }
	},
	func(*region) func(*Message) int64 { return func(*Message) int64 { return 0 } },
}

// instances cuts a region of which every instance has the same messages between the same processes: in each process's
// own order it is n equal parts. There is none if it does not come out even.
func (r *region) instances(slot func(m *Message) any) [][]*Message {
	counts, n := map[any]int{}, 0
	for _, m := range r.messages {
		counts[slot(m)]++
	}
	for _, c := range counts {
		n = gcd(n, c)
	}
	return r.cut(n)
}

// cut cuts a region in n instances, each of which is an equal part of the calls of each process.
func (r *region) cut(n int) [][]*Message {
	part := make([]int, len(r.messages))
	for _, q := range queues(r.messages) {
		if n == 0 || len(q)%n != 0 {
			return nil
		}
		for i, e := range q {
			if k := i / (len(q) / n); !e.recv {
				part[e.m] += k
			} else {
				part[e.m] -= k
			}
		}
	}
	out := make([][]*Message, n)
	for i := range part {
		if part[i] != 0 { // its ends are in different ones
			return nil
		}
	}
	for _, q := range queues(r.messages) {
		for i, e := range q {
			if !e.recv {
				k := i / (len(q) / n)
				out[k] = append(out[k], r.messages[e.m])
			}
		}
	}
	return out
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
