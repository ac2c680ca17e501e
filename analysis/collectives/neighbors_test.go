package collectives

import (
	"fmt"
	"testing"

	"github.com/tabard-hpc/tabard/spec"
)

// swapAround exchanges data of its own with neighbours, by index of the neighbour: sizes of them are by turns.
func swapAround(p *proc, neighbors []int, size func(k int) int) {
	for k, q := range neighbors {
		if q >= 0 {
			p.send(k*count, size(k), q)
		}
	}
	for k, q := range neighbors {
		if q >= 0 {
			p.recv(scratch+k*count, size(k), q)
		}
	}
}

func equal(int) int { return count }

// grid2D are the neighbours of a rank in a grid of so many columns: above, below, left and right, -1 where it ends.
func grid2D(rank, n, columns int, periodic bool) []int {
	row, col, rows := rank/columns, rank%columns, n/columns
	at := func(r, c int) int {
		if periodic {
			return (r+rows)%rows*columns + (c+columns)%columns
		}
		if r < 0 || r >= rows || c < 0 || c >= columns {
			return -1
		}
		return r*columns + c
	}
	return []int{at(row-1, col), at(row+1, col), at(row, col-1), at(row, col+1)}
}

// neighborhoodsMade are exchanges with neighbours, with the topology and the call that they are found as.
var neighborhoodsMade = []struct {
	name, topology, call string
	ranks                int
	run                  func(p *proc, step int)
}{
	{"ring", "ring of 7", "MPI_Neighbor_alltoall", 7, func(p *proc, _ int) {
		swapAround(p, []int{(me(p) + p.n - 1) % p.n, (me(p) + 1) % p.n}, equal)
	}},
	{"ring by swaps", "ring of 4", "MPI_Neighbor_alltoall", 4, func(p *proc, _ int) {
		left, right := (me(p)+p.n-1)%p.n, (me(p)+1)%p.n
		p.swap(0, count, left, scratch+count, count, right)
		p.swap(count, count, right, scratch, count, left)
	}},
	{"line", "line of 5", "MPI_Neighbor_alltoall", 5, func(p *proc, _ int) {
		right := me(p) + 1
		if right == p.n {
			right = -1
		}
		swapAround(p, []int{me(p) - 1, right}, equal)
	}},
	{"torus", "periodic 4x4 grid", "MPI_Neighbor_alltoall", 16, func(p *proc, _ int) {
		swapAround(p, grid2D(me(p), p.n, 4, true), equal)
	}},
	{"grid", "3x4 grid", "MPI_Neighbor_alltoallv", 12, func(p *proc, _ int) {
		swapAround(p, grid2D(me(p), p.n, 4, false), func(k int) int { return count - k/2*8 })
	}},
	{"distances", "a graph in which each has 4 neighbours", "MPI_Neighbor_alltoall", 11, func(p *proc, _ int) {
		n := p.n
		swapAround(p, []int{(me(p) + 1) % n, (me(p) + 3) % n, (me(p) + n - 3) % n, (me(p) + n - 1) % n}, equal)
	}},
	{"the same to all", "line of 6", "MPI_Neighbor_allgather", 6, func(p *proc, _ int) {
		for _, q := range []int{me(p) - 1, me(p) + 1} {
			if q >= 0 && q < p.n {
				p.send(0, count, q)
			}
		}
		for k, q := range []int{me(p) - 1, me(p) + 1} {
			if q >= 0 && q < p.n {
				p.recv(scratch+k*count, count, q)
			}
		}
	}},
	{"rows", "ring of 4", "MPI_Neighbor_alltoall", 12, func(p *proc, _ int) {
		row := me(p) / 4 * 4
		swapAround(p, []int{row + (me(p)+3)%4, row + (me(p)+1)%4}, equal)
	}},
}

// inFunction takes all places of a test for one.
func inFunction(int32) int32 { return 0 }

// neighborsIn are the exchanges with neighbours that are found in a job.
func neighborsIn(ms []Message, n int) (list []Finding) {
	k, _ := spec.PredefinedByName("MPI_DOUBLE")
	for i := range ms {
		ms[i].Type, ms[i].Elems = int64(2*k+1), ms[i].Bytes/8
	}
	found, _ := find(ms, map[int32]int{0: n}, inFunction, func([]*item) error { return nil })
	for _, f := range merge(found, func(int32) string { return "" }) {
		if f.Operation == exchangeOfNeighbors && f.topology() {
			list = append(list, f)
		}
	}
	return list
}

// TestNeighbors: exchanges with neighbours are found with their topology, as one finding, whether contents are known.
func TestNeighbors(t *testing.T) {
	for _, c := range neighborhoodsMade {
		for _, hashed := range []bool{true, false} {
			ms := runJob(c.ranks, true, hashed, func(p *proc) {
				for step := range 3 {
					p.fill(0, 4*count, step)
					c.run(p, step)
				}
			})
			found := neighborsIn(ms, c.ranks)
			if len(found) != 1 {
				t.Errorf("%s: %d findings: %+v", c.name, len(found), found)
				continue
			}
			f := found[0]
			if !hashed && f.Call == "MPI_Neighbor_allgather" {
				continue // what is sent where to is said by places alone, of a process with several neighbours
			}
			if f.Topology.String() != c.topology || f.Call != c.call || f.Instances%3 != 0 || f.Grade != Consistent {
				t.Errorf("%s, contents %v: %s, %s, %d instances: %+v", c.name, hashed, f.Topology, f.Call, f.Instances, f)
			}
		}
	}
}

// TestNeighborArguments: counts and displacements are those of each direction of the grid.
func TestNeighborArguments(t *testing.T) {
	for _, c := range neighborhoodsMade {
		if c.name != "grid" {
			continue
		}
		ms := runJob(c.ranks, true, true, func(p *proc) {
			p.fill(0, 4*count, 0)
			c.run(p, 0)
		})
		a := neighborsIn(ms, c.ranks)[0].Arguments
		want := fmt.Sprint([]int{count, count, count - 8, count - 8}, []int{0, count, 2 * count, 3 * count})
		if fmt.Sprint(a.SendCounts, a.SendAt) != want || fmt.Sprint(a.RecvCounts, a.RecvAt) != want {
			t.Errorf("%+v, want %s", a, want)
		}
	}
}

// noNeighbors send to neighbours and get something back, but what they send depends on what they got, or others are
// neighbours each time.
var noNeighbors = map[string]func(p *proc, step int){
	"wavefront": func(p *proc, step int) {
		if me(p) > 0 {
			p.recv(scratch, count, me(p)-1)
		}
		p.fill(0, count, step)
		if me(p) < p.n-1 {
			p.send(0, count, me(p)+1)
		}
	},
	"two sweeps": func(p *proc, step int) {
		if me(p) > 0 {
			p.recv(scratch, count, me(p)-1)
		}
		p.fill(0, 2*count, step)
		if me(p) < p.n-1 {
			p.send(0, count, me(p)+1)
			p.recv(scratch+count, count, me(p)+1)
		}
		if me(p) > 0 {
			p.send(count, count, me(p)-1)
		}
	},
	"queue": func(p *proc, _ int) {
		for q := 1; q < p.n; q++ {
			if p.rank == 0 {
				p.recv(scratch, count, q)
				p.send(q*count, count, q)
			} else if me(p) == q {
				p.send(0, count, 0)
				p.recv(scratch, count, 0)
			}
		}
	},
	"butterfly": func(p *proc, step int) {
		for mask := 1; mask < p.n; mask <<= 1 {
			if q := me(p) ^ mask; q < p.n {
				p.swap(0, count, q, scratch, count, q)
				p.fill(0, count, step+mask)
			}
		}
	},
	"passed on": func(p *proc, _ int) {
		left, right := (me(p)+p.n-1)%p.n, (me(p)+1)%p.n
		p.swap(0, count, left, scratch, count, right)
		p.swap(scratch, count, right, scratch+count, count, left)
	},
	"up and down a tree": func(p *proc, step int) {
		down := [][2]int{}
		for mask := 1; mask < p.n; mask <<= 1 {
			if me(p)&mask != 0 {
				p.fill(0, count, step)
				p.send(0, count, me(p)-mask)
				p.recv(scratch+4*count, count, me(p)-mask)
				break
			}
			if me(p)+mask < p.n {
				p.recv(scratch, count, me(p)+mask)
				down = append(down, [2]int{me(p) + mask, len(down)})
			}
		}
		for _, d := range down {
			p.send((1+d[1])*count, count, d[0])
		}
	},
	"one way": func(p *proc, _ int) {
		p.swap(0, count, (me(p)+1)%p.n, scratch, count, (me(p)+p.n-1)%p.n)
	},
	"pairs": func(p *proc, _ int) { p.swap(0, count, me(p)^1, scratch, count, me(p)^1) },
	"others each time": func(p *proc, step int) {
		by := 1 + step
		swapAround(p, []int{(me(p) + p.n - by) % p.n, (me(p) + by) % p.n}, equal)
	},
}

// TestNoNeighbors: what depends on what was received is no exchange with neighbours.
func TestNoNeighbors(t *testing.T) {
	for name, run := range noNeighbors {
		for _, hashed := range []bool{true, false} {
			ms := runJob(8, true, hashed, func(p *proc) {
				for step := range 3 {
					p.fill(0, 8*count, step)
					run(p, step)
				}
			})
			if found := neighborsIn(ms, 8); len(found) > 0 {
				t.Errorf("%s, contents %v: %s: %+v", name, hashed, found[0].Topology, found[0])
			}
		}
	}
}
