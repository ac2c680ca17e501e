package infer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// phase is something that programs do, in a step of them; about says what.
type phase struct {
	about string
	do    func(r *synthetic.Rank, line, step int)
}

// phases are phases with random numbers: line numbers from line on are theirs. With shared there is
// one that divides what there is among the ranks, of which a recording of one size shows nothing.
func phases(rng *rand.Rand, shared bool) []phase {
	count, by, tag, extra := 1+rng.IntN(20), 1+rng.IntN(3), rng.IntN(9), rng.IntN(5)
	d := func(r *synthetic.Rank, n int) synthetic.Data {
		return synthetic.Data{Addr: r.Stack(-8 * (n + 8)), Count: n, Type: r.Double}
	}
	exchange := func(r *synthetic.Rank, line, to, from, sent, taken int) {
		r.Sendrecv(line, d(r, sent), to, tag, d(r, taken), from, tag, r.World, 8*taken)
	}
	turn := func(r *synthetic.Rank, by int) int { return ((r.Rank+by)%r.Ranks + r.Ranks) % r.Ranks }
	grid := func(r *synthetic.Rank) []int { return synthetic.Balanced(r.Ranks, 2) }
	return []phase{
		{"a ring", func(r *synthetic.Rank, line, _ int) { exchange(r, line, turn(r, by), turn(r, -by), count, count) }},
		{"a ring whose messages grow with the rank", func(r *synthetic.Rank, line, _ int) {
			exchange(r, line, turn(r, 1), turn(r, -1), count+extra*r.Rank, count+extra*turn(r, -1))
		}},
		{"a ring whose messages grow with the step", func(r *synthetic.Rank, line, step int) {
			exchange(r, line, turn(r, 1), turn(r, -1), count+extra*step, count+extra*step)
		}},
		{"a pipeline", func(r *synthetic.Rank, line, _ int) {
			if r.Rank > 0 {
				r.Recv(line, d(r, count), r.Rank-1, tag, r.World, r.From(r.Rank-1, tag, 8*count), true)
			}
			if r.Rank < r.Ranks-1 {
				r.Send(line+1, d(r, count), r.Rank+1, tag, r.World)
			}
		}},
		{"pairs of ranks", func(r *synthetic.Rank, line, _ int) {
			if p := r.Rank ^ 1; p < r.Ranks {
				exchange(r, line, p, p, count, count)
			}
		}},
		{"a gathering", func(r *synthetic.Rank, line, _ int) {
			if r.Rank > 0 {
				r.Send(line, d(r, count), 0, tag, r.World)
				return
			}
			for i := 1; i < r.Ranks; i++ {
				r.Recv(line+1, d(r, count), i, tag, r.World, r.From(i, tag, 8*count), true)
			}
		}},
		{"all pairs", func(r *synthetic.Rank, line, _ int) {
			for i := 1; i < r.Ranks; i++ {
				exchange(r, line, turn(r, i), turn(r, -i), count, count)
			}
			r.Barrier(line+1, r.World)
		}},
		{"columns of a grid", func(r *synthetic.Rank, line, _ int) {
			q := grid(r)[1]
			exchange(r, line, turn(r, q), turn(r, -q), count, count)
		}},
		{"rows of a grid", func(r *synthetic.Rank, line, _ int) {
			q := grid(r)[1]
			i, j := r.Rank/q, r.Rank%q
			exchange(r, line, i*q+(j+1)%q, i*q+(j+q-1)%q, count+extra*i, count+extra*i)
		}},
		{"the first root", func(r *synthetic.Rank, line, _ int) { r.Bcast(line, d(r, count), 0, r.World) }},
		{"the last root", func(r *synthetic.Rank, line, _ int) { r.Bcast(line, d(r, count), r.Ranks-1, r.World) }},
		{"one root after the other", func(r *synthetic.Rank, line,
			step int) {
			r.Bcast(line, d(r, count), step%r.Ranks, r.World)
		}},
		{"a root that is somewhere", func(r *synthetic.Rank, line,
			_ int) {
			r.Reduce(line, r.Stack(-8), d(r, count), extra%2, r.World)
		}},
		{"a sum", func(r *synthetic.Rank, line, _ int) { r.Allreduce(line, r.Stack(-8), d(r, count), r.World) }},
		{"borders of parts", func(r *synthetic.Rank, line, _ int) {
			if !shared {
				return
			}
			g := synthetic.Grid{Dims: grid(r), Periodic: true}
			size := func(rank, axis int) int {
				at, n := g.Coords(rank)[axis], 720/g.Dims[axis]
				if extra > 2 && (at == 0 || at == g.Dims[axis]-1) {
					n--
				}
				return n
			}
			area := func(rank int) int { return size(rank, 0) * (1 + extra%2*size(rank, 1)) }
			to, _ := g.Neighbour(g.Coords(r.Rank), []int{0, 1})
			from, _ := g.Neighbour(g.Coords(r.Rank), []int{0, -1})
			exchange(r, line, to, from, count*area(r.Rank), count*area(from))
		}},
		{"a share of what there is", func(r *synthetic.Rank, line, _ int) {
			if n := d(r, 0); shared {
				n.Count = 720 / r.Ranks
				r.Bcast(line, n, 0, r.World)
			}
		}},
		{"uneven parts", func(r *synthetic.Rank, line, _ int) {
			share := func(from, to int) int { return count + (extra*from+by*to)%3 }
			out, in := make([]int, r.Ranks), make([]int, r.Ranks)
			for k := range r.Ranks {
				out[k], in[k] = share(r.Rank, k), share(k, r.Rank)
			}
			r.Alltoallv(line, r.Stack(-4096), out, r.Stack(-8192), in, r.Double, r.World)
		}},
		{"every other rank", func(r *synthetic.Rank, line, _ int) {
			if (r.Rank+by)%2 == 0 {
				r.CommSize(line, r.World)
			}
		}},
	}
}

// randomProgram does some phases in each step, others before, and says which in About.
func randomProgram(rng *rand.Rand, name string, shared bool) *synthetic.Program {
	all := phases(rng, shared)
	pick := func(n int) (list []phase) {
		for range n {
			list = append(list, all[rng.IntN(len(all))])
		}
		return list
	}
	before, each := pick(rng.IntN(2)), pick(1+rng.IntN(3))
	var about []string
	for _, p := range append(before, each...) {
		about = append(about, p.about)
	}
	return &synthetic.Program{Name: name, About: strings.Join(about, ", "), Body: func(r *synthetic.Rank) {
		for i, p := range before {
			p.do(r, 10+2*i, 0)
		}
		for step := range r.Steps {
			for i, p := range each {
				p.do(r, 30+2*i, step)
			}
		}
	}}
}

// side is a recording of some ranks.
type side struct {
	ranks int
	a     *archive.Archive
}

// TestRandom takes recordings of random programs to other sizes: what comes out is what is recorded
// there, or refused, or it rests on assumptions that are listed. TABARD_PROGRAMS is how many programs.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 6))
	programs, equal, refused, assumed := 120, 0, 0, 0
	if s := os.Getenv("TABARD_PROGRAMS"); s != "" {
		var err error
		if programs, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	for i := range programs {
		p := randomProgram(rng, fmt.Sprintf("random%d", i), i%3 == 0)
		steps := 3 + rng.IntN(20)
		record := func(ranks int) side {
			return side{ranks, recorded(t, p, synthetic.Params{Ranks: ranks, Steps: steps})}
		}
		from, to := record(3+rng.IntN(10)), record(2+rng.IntN(18))
		var o infer.Options
		what := fmt.Sprintf("%s (%s), %d steps, %d to %d ranks", p.Name, p.About, steps, from.ranks, to.ranks)
		if i%3 == 0 {
			with := from
			for with.ranks == from.ranks {
				with = record(3 + rng.IntN(14))
			}
			o.With = append(o.With, content(t, with.a))
			what += fmt.Sprintf(" with %d", with.ranks)
		}
		c, m, err := infer.Of(content(t, from.a), to.ranks, o)
		var obstacles *infer.Obstacles
		switch {
		case errors.As(err, &obstacles):
			refused++
			t.Logf("%s: %v", what, &obstacles.List[0])
			continue
		case err != nil:
			t.Fatalf("%s: %v", what, err)
		}
		r, err := diff.Of(to.a, opened(t, c), diff.Options{Structure: true, Parameters: true})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case len(r.Differences) == 0:
			equal++
		case len(m.Assumptions) == len(m.Sizes)%2: // of one size there is one that says nothing of the program
			d := r.Differences[0]
			t.Errorf("%s: %v: ranks %v: %s at %s: %s: %s instead of %s\n%v", what, d.Kind, d.Ranks, d.Call.Func,
				d.Call.Site, d.Param, d.B, d.A, m)
		default:
			assumed++
			t.Logf("%s: not the same: %v", what, m.Assumptions)
		}
	}
	t.Logf("%d equal, %d refused, %d other than recorded with assumptions", equal, refused, assumed)
	if programs >= 120 && (12*equal < 7*programs || 3*refused > programs) {
		t.Errorf("only %d of %d are equal, and %d are refused", equal, programs, refused)
	}
}
