package infer_test

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// packed exchanges with all 26 neighbours in a cube of ranks, each in a line of its own, as each has other data.
// Those that there are follow each other in one buffer, which is as large as all of them.
var packed = &synthetic.Program{Name: "packed", About: "26 neighbours, packed one after another",
	Body: func(r *synthetic.Rank) {
		g := &synthetic.Grid{Dims: synthetic.Balanced(r.Ranks, 3)}
		at := g.Coords(r.Rank)
		type neighbour struct{ line, rank, count int }
		var list []neighbour
		total := 0
		for line := range 27 {
			by := []int{line/9 - 1, line/3%3 - 1, line%3 - 1}
			rank, ok := g.Neighbour(at, by)
			if !ok || line == 13 {
				continue
			}
			count := 1
			for _, x := range by {
				if x == 0 {
					count *= 12
				}
			}
			list = append(list, neighbour{line, rank, count})
			total += count
		}
		in, out := r.Malloc(8*total), r.Malloc(8*total)
		for range r.Steps {
			var qs []*synthetic.Request
			place := 0
			for _, n := range list {
				d := synthetic.Data{Addr: r.At(in, 8*place), Count: n.count, Type: r.Double}
				qs = append(qs, r.Irecv(40+n.line, d, n.rank, 1, r.World, r.From(n.rank, 1, 8*n.count)))
				place += n.count
			}
			place = 0
			for _, n := range list {
				d := synthetic.Data{Addr: r.At(out, 8*place), Count: n.count, Type: r.Double}
				r.Send(70+n.line, d, n.rank, 1, r.World)
				place += n.count
			}
			for i, n := range list {
				r.Wait(100+n.line, qs[i], false)
			}
		}
	}}

// TestCells: places in buffers and requests by where a rank is in a cube.
func TestCells(t *testing.T) {
	scaledProgram(t, packed, 27, 125, 64)
	scaledProgram(t, packed, 8, 125, 27, 64)
}
