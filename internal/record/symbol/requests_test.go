package symbol

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// Requests that are complete when they are made share a handle, and are told by where the program keeps them.
func TestPlaces(t *testing.T) {
	const done = ring.RequestDone | 0xc0<<48
	const a, b, elsewhere, unknown = done | 0x7000, done | 0x7008, done | 0x8000, done
	add := func(q *requests, raw uint64, site string) int64 {
		shape := appendKeyWord(appendKeyWord(nil, 1), uint64(site[0]))
		_, num := q.add(raw, q.pool(shape), false, false)
		return num
	}
	lookup := func(q *requests, raws ...uint64) (nums []int64) {
		p := NewProcess()
		p.reqs = *q
		c := &call{}
		p.lookupRequests(c, raws)
		*q = p.reqs
		for _, u := range c.reqs {
			n := q.of(u)
			nums = append(nums, q.nodes[n].Num)
			q.remove(n)
		}
		return nums
	}
	for _, c := range []struct {
		name  string
		kept  []uint64
		sites string
		wait  []uint64
		want  []int64
	}{
		{"in another order", []uint64{a, b}, "xx", []uint64{b, a}, []int64{1, 0}},
		{"one was lost before", []uint64{elsewhere, a}, "xy", []uint64{a}, []int64{1}},
		{"one was lost at the same place", []uint64{a, a}, "xy", []uint64{a}, []int64{1}},
		{"all are moved", []uint64{a, a, a}, "xxx", []uint64{elsewhere, elsewhere + 8, elsewhere + 16},
			[]int64{0, 1, 2}},
		{"moved and brought back", []uint64{a, a}, "xx", []uint64{a}, []int64{0}},
		{"one of two is moved", []uint64{a, b}, "xx", []uint64{elsewhere, a}, []int64{1, 0}},
		{"not known where", []uint64{unknown, unknown}, "xy", []uint64{unknown, unknown}, []int64{0, 1}},
	} {
		q := newRequests()
		var nums []int64
		for i, raw := range c.kept {
			nums = append(nums, add(&q, raw, c.sites[i:]))
		}
		for i, num := range lookup(&q, c.wait...) {
			if num != nums[c.want[i]] {
				t.Errorf("%s: handle %d is not the request made as number %d", c.name, i, c.want[i])
			}
		}
		if n := len(q.live()); n != len(c.kept)-len(c.wait) {
			t.Errorf("%s: %d requests are left", c.name, n)
		}
	}
}
