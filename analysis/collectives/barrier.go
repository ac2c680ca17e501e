package collectives

import (
	"maps"

	"github.com/tabard-hpc/tabard/spec"
)

// barriers finds empty messages after which everybody has heard of everybody, in each instance, and tells which
// messages it took.
func barriers(ms []*Message, key func(site int32) int32) (found []Finding, taken map[*Message]bool) {
	return search(ms, false, levels(key)[:1], (*region).barrier)
}

func (r *region) barrier() *Finding {
	members := r.members()
	if len(members) < 3 {
		return nil
	}
	parts := r.instances(slots[1])
	if parts == nil {
		return nil
	}
	f := r.ofAll(members, parts[0])
	f.Operation, f.Call, f.Algorithm = "barrier", callOf(spec.FlowToAll, spec.DataNone, false), "empty messages"
	f.Unproven = []string{"that nobody goes on before: what a process does between its messages is its own"}
	for _, ms := range parts {
		if !allHeard(ms, len(members)) {
			return nil
		}
		f.Instances += max(ms[0].Count, 1)
		f.All = append(f.All, Instance{Set: members, Root: -1, Messages: ms, Count: max(ms[0].Count, 1)})
	}
	return f
}

// ofAll is the finding that all members of a region do something with its messages, of which one instance is given.
func (r *region) ofAll(members []int32, one []*Message) *Finding {
	return &Finding{
		Grade:     Consistent,
		Comm:      r.comm,
		Sets:      [][]int32{members},
		SendSites: sites(r.messages, sendSite),
		RecvSites: sites(r.messages, recvSite),
		Segments:  1,
		One:       one,
		Messages:  len(one),
		Steps:     path(one),
	}
}

// allHeard tells whether each of n processes has heard of all others in the end.
func allHeard(ms []*Message, n int) bool {
	heard, carries := map[int32]map[int32]bool{}, make([]map[int32]bool, len(ms))
	of := func(p int32) map[int32]bool {
		if heard[p] == nil {
			heard[p] = map[int32]bool{p: true}
		}
		return heard[p]
	}
	ok := inOrder(ms, func(i int, recv bool) {
		if recv {
			maps.Copy(of(ms[i].To), carries[i])
		} else {
			carries[i] = maps.Clone(of(ms[i].From))
		}
	})
	for _, h := range heard {
		ok = ok && len(h) == n
	}
	return ok && len(heard) == n
}
