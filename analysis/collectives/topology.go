package collectives

import (
	"fmt"
	"slices"
	"strings"
)

// A neighborhood is a process and those to whom it gives the same; members has it, too.
type neighborhood struct {
	origin  int32
	members []int32
}

// A Topology is who has whom as neighbour.
type Topology struct {
	// Dims are the sizes of a Cartesian grid, the last one that of neighbouring ranks; none of another graph. In
	// Periods is which of them are closed to rings.
	Dims    []int
	Periods []bool
	// Distances are how far behind each process its neighbours are, in the ring of ranks; nil if that differs.
	Distances []int
	// Least and Most are how many neighbours processes have.
	Least, Most int
}

// String names it: "periodic 4x4 grid".
func (t *Topology) String() string {
	if t.Dims == nil {
		if t.Least == t.Most {
			return fmt.Sprintf("a graph in which each has %d neighbours", t.Most)
		}
		return fmt.Sprintf("a graph in which each has %d to %d neighbours", t.Least, t.Most)
	}
	var sizes []string
	for _, n := range t.Dims {
		sizes = append(sizes, fmt.Sprint(n))
	}
	grid := strings.Join(sizes, "x") + " grid"
	if len(t.Dims) == 1 {
		grid = fmt.Sprintf("line of %d", t.Dims[0])
	}
	switch {
	case !slices.Contains(t.Periods, true):
		return grid
	case len(t.Dims) == 1:
		return fmt.Sprintf("ring of %d", t.Dims[0])
	case !slices.Contains(t.Periods, false):
		return "periodic " + grid
	}
	for i, p := range t.Periods {
		if sizes[i] = "open"; p {
			sizes[i] = "periodic"
		}
	}
	return grid + ", " + strings.Join(sizes, " x ")
}

const (
	mostGrid = 1 << 16 // processes of which grids are looked for
	mostDims = 3
)

// topology says who the neighbours are that a finding has. It is false if they change: then no topology has them, and
// there is no call to make instead.
func (f *Finding) topology() bool {
	if f.neighborhoods == nil {
		return true
	}
	of := map[int32][]int32{}
	for _, n := range f.neighborhoods {
		if old, seen := of[n.origin]; seen && !slices.Equal(old, n.members) {
			return false
		}
		of[n.origin] = n.members
	}
	f.Sets = connected(f.neighborhoods)
	for i, set := range f.Sets {
		t := topologyOf(set, of)
		if i > 0 && (!slices.Equal(t.Dims, f.Topology.Dims) || !slices.Equal(t.Periods, f.Topology.Periods) ||
			!slices.Equal(t.Distances, f.Topology.Distances)) {
			t = &Topology{Least: min(t.Least, f.Topology.Least), Most: max(t.Most, f.Topology.Most)}
		}
		f.Topology = t
	}
	f.arguments()
	f.Unproven = append(f.Unproven,
		"that they are neighbours by a topology: nothing in messages says why they are these")
	return true
}

// connected are the sets of processes that are neighbours of neighbours, in the order of their first ranks.
func connected(list []neighborhood) (sets [][]int32) {
	var ms []*Message
	for _, n := range list {
		for _, p := range n.members {
			if p != n.origin {
				ms = append(ms, &Message{From: n.origin, To: p})
			}
		}
	}
	for _, r := range (&region{messages: ms}).apart() {
		sets = append(sets, r.members())
	}
	slices.SortFunc(sets, slices.Compare)
	return sets
}

// topologyOf is that of a set in which processes have these neighbours.
func topologyOf(set []int32, of map[int32][]int32) *Topology {
	t := &Topology{Least: len(set)}
	for _, p := range set {
		n := max(len(of[p])-1, 0)
		t.Least, t.Most = min(t.Least, n), max(t.Most, n)
	}
	if len(set) > mostGrid {
		return t
	}
	if t.grid(set, of); t.Dims == nil {
		t.ring(set, of)
	}
	return t
}

// ring finds the distances of neighbours in the ring of ranks.
func (t *Topology) ring(set []int32, of map[int32][]int32) {
	at := map[int32]int{}
	for i, p := range set {
		at[p] = i
	}
	for i, p := range set {
		var list []int
		for _, q := range of[p] {
			if q != p {
				list = append(list, (at[q]-i+len(set))%len(set))
			}
		}
		slices.Sort(list)
		if i > 0 && !slices.Equal(list, t.Distances) {
			t.Distances = nil
			return
		}
		t.Distances = list
	}
}

// grid finds the Cartesian grid in which processes have these neighbours: that with the fewest dimensions.
func (t *Topology) grid(set []int32, of map[int32][]int32) {
	for k := 1; k <= mostDims; k++ {
		for _, dims := range factors(len(set), k) {
			for bits := range 1 << k {
				periods := make([]bool, k)
				for i := range periods {
					periods[i] = bits>>i&1 == 1
				}
				if gridFits(set, of, dims, periods) {
					t.Dims, t.Periods = dims, periods
					return
				}
			}
		}
	}
}

// factors are the ways to write n as a product of k numbers above 1.
func factors(n, k int) (all [][]int) {
	if k == 1 {
		return [][]int{{n}}
	}
	for a := 2; a <= n/2; a++ {
		if n%a != 0 {
			continue
		}
		for _, rest := range factors(n/a, k-1) {
			if rest[0] > 1 {
				all = append(all, append([]int{a}, rest...))
			}
		}
	}
	return all
}

// gridFits tells whether the neighbours of each process are those in a grid. A ring of two would have one twice.
func gridFits(set []int32, of map[int32][]int32, dims []int, periods []bool) bool {
	for i, n := range dims {
		if periods[i] && n < 3 {
			return false
		}
	}
	for at, p := range set {
		want := []int32{p}
		stride := 1
		for i := len(dims) - 1; i >= 0; i-- {
			n := dims[i]
			x := at / stride % n
			for _, y := range []int{x - 1, x + 1} {
				if periods[i] {
					y = (y + n) % n
				}
				if y >= 0 && y < n {
					want = append(want, set[at+(y-x)*stride])
				}
			}
			stride *= n
		}
		slices.Sort(want)
		if !slices.Equal(want, of[p]) {
			return false
		}
	}
	return true
}
