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

// regions puts messages together that have a key of the place of an end in common.
func regions(ms []*Message, key func(site int32) int32) []*region {
	type place struct{ comm, key int32 }
	parent := map[place]place{}
	var root func(p place) place
	root = func(p place) place {
		q, ok := parent[p]
		if !ok || q == p {
			return p
		}
		q = root(q)
		parent[p] = q
		return q
	}
	for _, m := range ms {
		parent[root(place{m.Comm, key(m.SendSite)})] = root(place{m.Comm, key(m.RecvSite)})
	}
	of := map[place]*region{}
	var out []*region
	for _, m := range ms {
		k := root(place{m.Comm, key(m.SendSite)})
		if of[k] == nil {
			of[k] = &region{comm: m.Comm}
			out = append(out, of[k])
		}
		of[k].messages = append(of[k].messages, m)
	}
	return out
}

// apart splits a region into the sets of processes that have messages with each other: the rows of a grid.
func (r *region) apart() []*region {
	parent := map[int32]int32{}
	var root func(p int32) int32
	root = func(p int32) int32 {
		q, ok := parent[p]
		if !ok || q == p {
			return p
		}
		q = root(q)
		parent[p] = q
		return q
	}
	for _, m := range r.messages {
		parent[root(m.From)] = root(m.To)
	}
	of := map[int32]*region{}
	var out []*region
	for _, m := range r.messages {
		k := root(m.From)
		if of[k] == nil {
			of[k] = &region{comm: r.comm}
			out = append(out, of[k])
		}
		of[k].messages = append(of[k].messages, m)
	}
	return out
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
