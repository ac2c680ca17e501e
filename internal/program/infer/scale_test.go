package infer_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

func opened(t testing.TB, c *archive.Content) *archive.Archive {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	a, err := archive.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func content(t testing.TB, a *archive.Archive) *archive.Content {
	t.Helper()
	c, err := a.Content()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// check compares an archive that was made with one that was recorded.
func check(t testing.TB, got, want *archive.Archive) {
	t.Helper()
	r, err := diff.Of(want, got, diff.Options{Structure: true, Parameters: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range r.Differences {
		if i < 5 {
			t.Errorf("%v: ranks %v: %s at %s (%d): %s: %s instead of %s; %v", d.Kind, d.Ranks, d.Call.Func, d.Call.Site,
				d.Call.Count, d.Param, d.B, d.A, d.Calls)
		}
	}
	for _, n := range r.Notes {
		t.Errorf("not compared: %s", n)
	}
	if r.Ranks != want.NumRanks() || got.NumRanks() != want.NumRanks() {
		t.Errorf("%d ranks, not %d", got.NumRanks(), want.NumRanks())
	}
}

// scaled checks that the recording of a program with one number of ranks gives that with another
// one.
func scaled(t *testing.T, name string, from, to int, with ...int) {
	scaledProgram(t, synthetic.ByName(name), from, to, with...)
}

func scaledProgram(t *testing.T, p *synthetic.Program, from, to int, with ...int) {
	t.Run(fmt.Sprintf("%s/%d-%d", p.Name, from, to), func(t *testing.T) {
		record := func(ranks int) *archive.Archive { return recorded(t, p, synthetic.Params{Ranks: ranks, Steps: 20}) }
		var o infer.Options
		for _, n := range with {
			o.With = append(o.With, content(t, record(n)))
		}
		c, m, err := infer.Of(content(t, record(from)), to, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range m.Assumptions {
			t.Log(a)
		}
		check(t, opened(t, c), record(to))
	})
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to int
	}{
		{"stencil-1d", 4, 64}, {"stencil-1d", 5, 100}, {"stencil-1d", 6, 64}, {"stencil-1d", 12, 64},
		{"stencil-1d", 64, 3},
		{"stencil-1d-periodic", 4, 64}, {"stencil-1d-periodic", 7, 12},
		{"stencil-2d", 9, 16}, {"stencil-2d", 9, 12}, {"stencil-2d", 16, 100}, {"stencil-2d", 12, 9},
		{"stencil-2d-periodic", 9, 16}, {"stencil-2d-periodic", 12, 64}, {"stencil-2d-periodic", 15, 9},
		{"stencil-2d-cart", 4, 16}, {"stencil-2d-cart", 9, 16}, {"stencil-2d-cart", 6, 64},
		{"stencil-2d-9", 9, 16}, {"stencil-2d-9", 12, 64},
		{"stencil-3d", 27, 64}, {"stencil-3d", 8, 27}, {"stencil-3d", 36, 100},
		{"stencil-3d-periodic", 27, 64}, {"stencil-3d-periodic", 36, 125},
		{"stencil-3d-27", 27, 64},
		{"hub", 4, 64}, {"hub", 8, 16}, {"hub", 64, 100}, {"hub", 64, 9}, {"hub", 10, 2},
		{"tree-binary", 8, 64}, {"tree-binary", 6, 30}, {"tree-binary", 7, 100},
		{"tree-binomial", 8, 64}, {"tree-binomial", 16, 64}, {"tree-binomial", 13, 50},
		{"ring", 4, 16}, {"ring", 7, 64},
		{"transpose", 9, 16}, {"transpose", 16, 64}, {"transpose", 6, 12},
		{"growing", 4, 16}, {"growing", 9, 50},
		{"rows-columns", 9, 16}, {"rows-columns", 16, 36}, {"rows-columns", 12, 20},
		{"alltoallv", 4, 9}, {"alltoallv", 9, 40}, {"alltoallv", 25, 7},
		// Axes of two ranks that wrap around, beside longer ones.
		{"stencil-2d-periodic", 6, 9}, {"stencil-3d-periodic", 16, 36}, {"stencil-3d-periodic", 12, 27},
	} {
		scaled(t, c.name, c.from, c.to)
	}
}

// TestTwoSizes lets a second recording decide.
func TestTwoSizes(t *testing.T) {
	for _, c := range []struct {
		name           string
		from, with, to int
	}{
		{"stencil-1d", 4, 9, 64},
		{"stencil-2d", 4, 9, 25}, {"stencil-2d", 9, 20, 64},
		{"stencil-2d-cart", 6, 9, 64},
		{"stencil-2d-periodic", 4, 9, 16},
		{"stencil-3d", 8, 27, 64},
		{"stencil-3d-periodic", 8, 27, 64},
		{"hub", 8, 64, 100}, {"hub", 5, 9, 40},
		{"tree-binary", 4, 8, 32}, {"tree-binomial", 8, 16, 128},
		{"transpose", 4, 9, 64}, {"ring", 3, 8, 20},
	} {
		scaled(t, c.name, c.from, c.to, c.with)
	}
}

// collectives has calls of all ranks only: with the first and the last rank as root, on halves of
// the ranks, and with arrays that have an element for each rank.
var collectives = &synthetic.Program{Name: "collectives", About: "collective calls only",
	Body: func(r *synthetic.Rank) {
		buf := r.Malloc(1 << 12)
		d := synthetic.Data{Addr: r.At(buf, 0), Count: 16, Type: r.Double}
		for range 2 {
			r.Bcast(10, d, 0, r.World)
		}
		counts := make([]int, r.Ranks)
		for i := range counts {
			counts[i] = 3
		}
		parity := r.Rank % 2
		half := r.CommSplit(12, r.World, parity, r.Rank, synthetic.Members{Rank: r.Rank / 2,
			Size: (r.Ranks + 1 - parity) / 2, Parent: func(i int) int { return 2*i + parity }})
		r.CommRank(13, half)
		r.CommSize(14, half)
		for range r.Steps {
			r.Bcast(20, d, r.Ranks-1, r.World)
			r.Allreduce(21, r.Stack(-64), synthetic.Data{Addr: r.Stack(-56), Count: 1, Type: r.Double}, half)
			r.Alltoallv(22, r.At(buf, 0), counts, r.At(buf, 2048), counts, r.Double, r.World)
			r.Reduce(23, r.Stack(-80), synthetic.Data{Addr: r.Stack(-72), Count: 1, Type: r.Double}, 0, half)
			r.Barrier(24, r.World)
		}
		r.CommFree(30, half)
	}}

// butterfly exchanges with the ranks that differ in one bit, and shift with the one that is further
// away in each step.
var (
	butterfly = &synthetic.Program{Name: "butterfly", About: "log P steps", Body: func(r *synthetic.Rank) {
		for range r.Steps {
			for bit := 1; bit < r.Ranks; bit <<= 1 {
				d := synthetic.Data{Addr: r.Stack(-64), Count: 1, Type: r.Double}
				r.Sendrecv(12, d, r.Rank^bit, 3, d, r.Rank^bit, 3, r.World, 8)
			}
		}
	}}
	pairwise = &synthetic.Program{Name: "pairwise", About: "P - 1 steps", Body: func(r *synthetic.Rank) {
		for range r.Steps {
			for by := 1; by < r.Ranks; by++ {
				d := synthetic.Data{Addr: r.Stack(-64), Count: 1, Type: r.Double}
				r.Sendrecv(12, d, (r.Rank+by)%r.Ranks, 3, d, (r.Rank-by+r.Ranks)%r.Ranks, 3, r.World, 8)
			}
		}
	}}
	// turns has another root in each step, at which other buffers matter than elsewhere.
	turns = &synthetic.Program{Name: "turns", About: "each rank is the root in turn", Body: func(r *synthetic.Rank) {
		for i := range 22 {
			d := synthetic.Data{Addr: r.Stack(-64), Count: 2, Type: r.Double}
			r.Bcast(12, d, i%r.Ranks, r.World)
			r.Reduce(13, r.Stack(-96), d, i%r.Ranks, r.World)
			r.Barrier(14, r.World)
		}
	}}
	// wall has neighbours to one side only, each behind a condition, and other buffers at the ends.
	wall = &synthetic.Program{Name: "wall", About: "a pipeline", Body: func(r *synthetic.Rank) {
		size := 1024
		if r.Rank == 0 || r.Rank == r.Ranks-1 {
			size = 2048
		}
		buf := r.Malloc(size)
		for range r.Steps {
			d := synthetic.Data{Addr: r.At(buf, 0), Count: 4, Type: r.Double}
			if r.Rank > 0 {
				r.Recv(12, d, r.Rank-1, 1, r.World, r.From(r.Rank-1, 1, 32), false)
			}
			if r.Rank < r.Ranks-1 {
				r.Send(14, d, r.Rank+1, 1, r.World)
			}
		}
	}}
)

func TestOwnPrograms(t *testing.T) {
	scaledProgram(t, collectives, 6, 40, 9)
	scaledProgram(t, collectives, 5, 30)
	scaledProgram(t, butterfly, 8, 64)
	scaledProgram(t, butterfly, 16, 128, 4)
	scaledProgram(t, pairwise, 5, 24)
	scaledProgram(t, pairwise, 7, 20, 9)
	scaledProgram(t, collectives, 6, 64)
	scaledProgram(t, collectives, 7, 10)
	scaledProgram(t, turns, 5, 8)
	scaledProgram(t, turns, 24, 7)
	scaledProgram(t, turns, 5, 10, 4)
	scaledProgram(t, wall, 4, 50)
	scaledProgram(t, wall, 40, 3)
}

// TestObstacles: what follows no rule is named.
func TestObstacles(t *testing.T) {
	cube := &synthetic.Program{Name: "cube", About: "both neighbours are the same", Body: func(r *synthetic.Rank) {
		g := &synthetic.Grid{Dims: synthetic.Balanced(r.Ranks, 3), Periodic: true}
		r.DimsCreate(10, r.Ranks, g.Dims)
		c := r.CartCreate(11, r.World, g)
		at := g.Coords(r.Rank)
		up, _ := g.Neighbour(at, []int{1, 0, 0})
		down, _ := g.Neighbour(at, []int{-1, 0, 0})
		d := synthetic.Data{Addr: r.Stack(-64), Count: 1, Type: r.Double}
		r.Sendrecv(12, d, up, 3, d, down, 3, c, 8)
	}}
	roots := &synthetic.Program{Name: "roots", About: "each rank is the root in turn, for 12 steps",
		Body: func(r *synthetic.Rank) {
			for i := range r.Steps {
				r.Bcast(12, synthetic.Data{Addr: r.Stack(-64), Count: 1, Type: r.Double}, i%r.Ranks, r.World)
			}
		}}
	for _, c := range []struct {
		p     *synthetic.Program
		ranks int
		want  []string
	}{
		{synthetic.ByName("amr"), 9, []string{"MPI_Irecv at amr.c:18 [main], source",
			"MPI_Isend at amr.c:21 [main], count"}},
		{cube, 8, []string{"MPI_Sendrecv at cube.c:12 [main], dest (ranks 0-7)",
			"both neighbours along it are the same rank"}},
		{synthetic.ByName("growing"), 2, []string{"with two ranks there is one partner only"}},
		{synthetic.ByName("stencil-2d-cart"), 5, []string{"has 8 along axis 1, which had one in the recording"}},
		{synthetic.ByName("tree-binary"), 4, []string{"with 64 ranks calls would not fit together"}},
		{roots, 4, []string{"MPI_Bcast at roots.c:12 [main] (ranks 0-3): it goes round the ranks"}},
		{synthetic.ByName("master-worker"), 9, []string{"MPI_Recv at master-worker.c:18 [main], status (ranks 0)"}},
	} {
		_, _, err := infer.Of(content(t, recorded(t, c.p, synthetic.Params{Ranks: c.ranks, Steps: 12, Seed: 1})), 64,
			infer.Options{})
		var o *infer.Obstacles
		if !errors.As(err, &o) {
			t.Errorf("%s: %v", c.p.Name, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q is missing in: %v", c.p.Name, w, err)
			}
		}
	}
	// A grid that the other job does not fill.
	p := &synthetic.Program{Name: "rows", Body: func(r *synthetic.Rank) {
		c := r.CartCreate(11, r.World, &synthetic.Grid{Dims: []int{r.Ranks / 5, 5}})
		d := synthetic.Data{Addr: r.Stack(-64), Count: 1, Type: r.Double}
		r.Sendrecv(12, d, (r.Rank+5)%r.Ranks, 3, d, (r.Rank-5+r.Ranks)%r.Ranks, 3, c, 8)
	}}
	from := content(t, recorded(t, p, synthetic.Params{Ranks: 60}))
	if _, _, err := infer.Of(from, 12, infer.Options{}); err == nil ||
		!strings.Contains(err.Error(), "12 ranks do not fill a grid of P/5 x 5") {
		t.Error(err)
	}
	got, _, err := infer.Of(from, 35, infer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, opened(t, got), recorded(t, p, synthetic.Params{Ranks: 35}))
}

// TestRandomSizes takes two recordings of any sizes for a third one.
func TestRandomSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	for _, c := range []struct {
		name  string
		least int
	}{
		{"stencil-1d", 3}, {"stencil-1d-periodic", 3}, {"stencil-2d", 6}, {"stencil-2d-periodic", 9},
		{"stencil-2d-cart", 6}, {"stencil-2d-9", 9}, {"stencil-3d", 18}, {"stencil-3d-periodic", 27},
		{"hub", 3}, {"tree-binary", 5}, {"tree-binomial", 5}, {"ring", 3}, {"transpose", 6}, {"growing", 3},
	} {
		for range 2 {
			size := func() int {
				for {
					if n := c.least + r.IntN(40); composite(n) || c.least < 6 {
						return n
					}
				}
			}
			a, b := size(), size()
			for a == b {
				b = size()
			}
			scaled(t, c.name, a, size(), b)
		}
	}
}

// composite tells whether a grid of n ranks is more than a row.
func composite(n int) bool {
	for d := 3; d*d <= n; d++ {
		if n%d == 0 {
			return true
		}
	}
	return false
}

// TestLarge goes to thousands of ranks.
func TestLarge(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to int
	}{{"hub", 16, 4096}, {"stencil-3d", 27, 4096}, {"tree-binomial", 16, 1000}, {"transpose", 64, 1024},
		{"stencil-2d-periodic", 64, 1024}} {
		t.Run(c.name, func(t *testing.T) {
			p := synthetic.ByName(c.name)
			got, _, err := infer.Of(content(t, recorded(t, p, synthetic.Params{Ranks: c.from, Steps: 3})), c.to,
				infer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			check(t, opened(t, got), recorded(t, p, synthetic.Params{Ranks: c.to, Steps: 3}))
		})
	}
}

// TestMillion compares some ranks of a job that nobody has recorded with what they would have done.
func TestMillion(t *testing.T) {
	const ranks = 1 << 20
	for _, name := range []string{"hub", "stencil-3d"} {
		if testing.Short() && name != "hub" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := synthetic.ByName(name)
			c, _, err := infer.Of(content(t, recorded(t, p, synthetic.Params{Ranks: 36, Steps: 3})), ranks,
				infer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := opened(t, c)
			r := rand.New(rand.NewPCG(1, 2))
			some := []int{1, 63, 64, 8191, 8192, ranks - 64, ranks - 1}
			if name != "hub" {
				some = append(some, 0)
			}
			for len(some) < 60 {
				some = append(some, r.IntN(ranks))
			}
			want := recordedRanks(t, p, synthetic.Params{Ranks: ranks, Steps: 3}, some)
			d, err := diff.Of(want, got, diff.Options{Structure: true, Parameters: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range d.Differences {
				if x.Kind != diff.Processes { // the others are not there
					t.Errorf("%v: ranks %v: %s: %s: %s instead of %s", x.Kind, x.Ranks, x.Call.Func, x.Param, x.B, x.A)
				}
			}
			if d.Ranks != want.NumRanks() || got.NumRanks() != ranks {
				t.Errorf("%d ranks compared of %d", d.Ranks, got.NumRanks())
			}
		})
	}
}
