package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// A randomProgram is the lines of each rank, loops and all, and generates archives.
type randomProgram struct{ ranks [][]string }

// newProgram makes a program of loops in one another, the same for all ranks but for partners.
func newProgram(r *rand.Rand, ranks int) *randomProgram { return newProgramOf(r, ranks, 3, 7) }

// newProgramOf makes a program whose loops are at most so deep in one another and have at most so many iterations.
func newProgramOf(r *rand.Rand, ranks, deepest, iterations int) *randomProgram {
	lines := 10
	var seq func(depth int) []string
	seq = func(depth int) (out []string) {
		for range 1 + r.IntN(3) {
			lines++
			switch k := r.IntN(6); {
			case k < 2 && depth < deepest:
				out = append(out, fmt.Sprintf("loop %d", 2+r.IntN(iterations-1)))
				out = append(out, seq(depth+1)...)
				out = append(out, "end")
			case k == 2:
				out = append(out, fmt.Sprintf("MPI_Send(count=%d, datatype=MPI_INT, dest=@, tag=%d, "+
					"comm=MPI_COMM_WORLD) @ r.c:%d "+
					"[f]", 1+r.IntN(9), r.IntN(3), lines))
			case k == 3:
				out = append(out, fmt.Sprintf("MPI_Bcast(count=?%d, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) "+
					"@ r.c:%d [f]",
					1+r.IntN(9), lines))
			case k == 4:
				out = append(out, fmt.Sprintf("poll %d MPI_Test(request=request#0) @ r.c:%d [f] ; flag=0",
					1+r.IntN(4), lines))
				fallthrough
			default:
				out = append(out, fmt.Sprintf("MPI_Barrier(comm=MPI_COMM_WORLD) @ r.c:%d [g]", 1000+lines))
			}
		}
		return out
	}
	body := seq(0)
	p := &randomProgram{}
	for i := range ranks {
		own := slices.Clone(body)
		for k := range own {
			own[k] = strings.Replace(own[k], "dest=@", fmt.Sprintf("dest=%d", (i+1)%ranks), 1)
		}
		p.ranks = append(p.ranks, own)
	}
	return p
}

func (p *randomProgram) clone() *randomProgram {
	q := &randomProgram{}
	for _, l := range p.ranks {
		q.ranks = append(q.ranks, slices.Clone(l))
	}
	return q
}

func (p *randomProgram) String() string { return p.text(true) }

// text describes the program, with times or without.
func (p *randomProgram) text(timed bool) string {
	var b strings.Builder
	b.WriteString("abi openmpi\n")
	if !timed {
		b.WriteString("notiming\n")
	}
	for i, l := range p.ranks {
		fmt.Fprintf(&b, "rank %d of %d on n\nMPI_Init() @ r.c:1 [main]\n%s\nMPI_Finalize() @ r.c:9 [main]\n", i,
			len(p.ranks), strings.Join(l, "\n"))
	}
	return b.String()
}

// another is a call that no program makes at first.
const another = "MPI_Comm_rank(comm=MPI_COMM_WORLD) @ r.c:5000 [h] ; rank=0"

// mutate changes one line of one rank, and says which call that is about. Where many lines do not suit, as if a rank
// has nothing but polls left, it puts one in.
func (p *randomProgram) mutate(r *rand.Rand) (rank int, line string) {
	for tries := 0; ; tries++ {
		rank = r.IntN(len(p.ranks))
		l := p.ranks[rank]
		i := r.IntN(len(l))
		if tries == 1000 {
			p.ranks[rank] = slices.Insert(l, 0, another)
			return rank, another
		}
		if strings.HasPrefix(l[i], "poll") || l[i] == "end" {
			continue
		}
		var n int
		if _, err := fmt.Sscanf(l[i], "loop %d", &n); err == nil {
			l[i] = fmt.Sprintf("loop %d", n+1+r.IntN(3))
			return rank, ""
		}
		switch r.IntN(3) {
		case 0:
			if !strings.Contains(l[i], "count=") {
				continue
			}
			old := l[i]
			l[i] = strings.Replace(l[i], "count=", "count=1", 1)
			l[i] = strings.Replace(l[i], "count=1?", "count=?1", 1)
			return rank, old
		case 1:
			if len(l) < 2 {
				continue
			}
			old := l[i]
			p.ranks[rank] = slices.Delete(l, i, i+1)
			return rank, old
		default:
			p.ranks[rank] = slices.Insert(l, i, another)
			return rank, another
		}
	}
}

// expanded is the calls of each rank as text, without what counts as order: the plain
// reference.
func expanded(t *testing.T, a *archive.Archive) map[int][]string {
	out := map[int][]string{}
	for s := range a.Streams() {
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Flags&archive.Polls == 0 {
				out[s.WorldRank()] = append(out[s.WorldRank()], c.Format())
			}
		}
	}
	return out
}

// A comparison finds a difference if and only if the calls, one by one, are not the same, at the
// ranks where they are not; and of one change it names the call.
func TestAgainstExpanded(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		p := newProgram(r, 1+r.IntN(6))
		q := p.clone()
		rank, line := -1, ""
		changes := r.IntN(3)
		for range changes {
			rank, line = q.mutate(r)
		}
		a, b := archivetest.Archive(t, p.String()), archivetest.Archive(t, q.String())
		result, err := diff.Of(a, b, everything)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(result.Notes) != 0 && !slices.Equal(result.Notes, []string{"A has no times"}) {
			t.Errorf("seed %d: %v", seed, result.Notes)
		}
		x, y := expanded(t, a), expanded(t, b)
		differ := map[int]bool{}
		for _, d := range result.Differences {
			for rank := range d.Ranks.All() {
				differ[rank] = true
			}
		}
		for i := range p.ranks {
			if want := !slices.Equal(x[i], y[i]); want != differ[i] {
				t.Errorf("seed %d, rank %d: differs %v, found %v\n%s\n%s", seed, i, want, differ[i], p, q)
			}
		}
		if changes != 1 || len(result.Differences) == 0 || line == "" {
			continue
		}
		f, rest, _ := strings.Cut(line, "(")
		place := strings.TrimSpace(strings.SplitN(strings.SplitN(rest, "@", 2)[1], ";", 2)[0])
		named := false
		for _, d := range result.Differences {
			if d.Ranks.Len() != 1 || d.Ranks.Min() != rank {
				t.Errorf("seed %d: ranks %v instead of %d", seed, d.Ranks, rank)
			}
			for _, c := range append(d.Calls, d.Call) {
				named = named || c.Func == f && c.Site == place
			}
		}
		if !named {
			t.Errorf("seed %d: %s at %s is not named: %+v", seed, f, place, result.Differences[0])
		}
	}
}
