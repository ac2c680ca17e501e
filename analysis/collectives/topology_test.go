package collectives

import "testing"

// exchangeAmong is a finding in which each of n processes gives the same to its neighbours.
func exchangeAmong(n int, neighbors func(p int) []int) *Finding {
	f := &Finding{Sets: [][]int32{{}}}
	for p := range n {
		f.Sets[0] = append(f.Sets[0], int32(p))
		members := []int32{int32(p)}
		for _, q := range neighbors(p) {
			members = union(members, []int32{int32(q)})
		}
		f.neighborhoods = append(f.neighborhoods, neighborhood{int32(p), members})
	}
	return f
}

// TestTopology: neighbours in a grid are named by it, others by how many they are.
func TestTopology(t *testing.T) {
	torus := func(p int) []int { return []int{p/4*4 + (p+1)%4, p/4*4 + (p+3)%4, (p + 4) % 16, (p + 12) % 16} }
	for want, f := range map[string]*Finding{
		"ring of 5":         exchangeAmong(5, func(p int) []int { return []int{(p + 1) % 5, (p + 4) % 5} }),
		"periodic 4x4 grid": exchangeAmong(16, torus),
		"line of 4":         exchangeAmong(4, func(p int) []int { return []int{max(p-1, 0), min(p+1, 3)} }),
		"3x4 grid, periodic x open": exchangeAmong(12, func(p int) []int {
			return []int{p/4*4 + max(p%4-1, 0), p/4*4 + min(p%4+1, 3), (p + 4) % 12, (p + 8) % 12}
		}),
		"a graph in which each has 2 neighbours": exchangeAmong(16, func(p int) []int { return torus(p)[1:3] }),
	} {
		if !f.topology() || f.Topology.String() != want {
			t.Errorf("%v, want %s", f.Topology, want)
		}
	}
	f := exchangeAmong(16, torus)
	f.neighborhoods = append(f.neighborhoods, neighborhood{0, []int32{0, 5, 6}})
	if f.topology() {
		t.Errorf("%+v", f)
	}
}
