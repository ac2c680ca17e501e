package infer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// parts is a program that has spread 48 x 48 points over a grid of ranks. The first and the last one
// along each axis are no part of it. Ranks give those beside them their border, and their whole part.
func parts(square bool) *synthetic.Program {
	return &synthetic.Program{Name: "parts", Body: func(r *synthetic.Rank) {
		g := synthetic.Grid{Dims: synthetic.Balanced(r.Ranks, 2), Periodic: true}
		size := func(rank, axis int) int {
			at, n := g.Coords(rank)[axis], 48/g.Dims[axis]
			if at == 0 {
				n--
			}
			if at == g.Dims[axis]-1 {
				n--
			}
			return n
		}
		data := func(n int) synthetic.Data {
			return synthetic.Data{Addr: r.Stack(-8 * (n + 8)), Count: n, Type: r.Double}
		}
		ring := func(line int, by []int, n func(rank int) int) {
			to, _ := g.Neighbour(g.Coords(r.Rank), by)
			from, _ := g.Neighbour(g.Coords(r.Rank), []int{-by[0], -by[1]})
			r.Sendrecv(line, data(n(r.Rank)), to, 1, data(n(from)), from, 1, r.World, 8*n(from))
		}
		for range r.Steps {
			ring(10, []int{0, 1}, func(rank int) int { return 5 * size(rank, 0) })
			ring(11, []int{1, 0}, func(rank int) int { return 5*size(rank, 1) + 2 })
			ring(12, []int{0, 1}, func(rank int) int { return 3 * size(rank, 0) * size(rank, 1) })
			if square { // parts of which each rank has one in each row
				q := g.Dims[0]
				r.Bcast(13, data(10*(q-1)*(48/q)*(48/q)), 0, r.World)
				r.Bcast(14, data((48/q+1)*(48/q+1)), 0, r.World)
			}
		}
	}}
}

func TestPartSizes(t *testing.T) {
	scaledProgram(t, parts(false), 6, 24, 12, 16)
	scaledProgram(t, parts(false), 12, 64, 9, 16, 24)
	scaledProgram(t, parts(true), 9, 64, 16, 36, 144)
}

// With fewer recordings than numbers nothing is taken for granted, and parts that do not come out even
// are named.
func TestPartSizesWithoutEvidence(t *testing.T) {
	record := func(n int) side { return side{n, recorded(t, parts(true), synthetic.Params{Ranks: n, Steps: 5})} }
	_, _, err := infer.Of(content(t, record(9).a), 64, infer.Options{With: contents(t, record(16))})
	if err == nil || !strings.Contains(err.Error(), "count") {
		t.Errorf("sums of two powers from two sizes: %v", err)
	}
	_, m, err := infer.Of(content(t, record(9).a), 100, infer.Options{With: contents(t, record(16), record(36),
		record(144))})
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(m.Assumptions); !strings.Contains(text, "is rounded down") {
		t.Errorf("48 points for 10 ranks: %s", text)
	}
}

func contents(t *testing.T, list ...side) (out []*archive.Content) {
	for _, s := range list {
		out = append(out, content(t, s.a))
	}
	return out
}
