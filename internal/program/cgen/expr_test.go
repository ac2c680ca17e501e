package cgen

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

func every(n, from, to int) (out []int) {
	for r := from; r < to; r += n {
		out = append(out, r)
	}
	return out
}

// conditions are ranks of a job of 64, and how a program tells whether it is one of them.
var conditions = []struct {
	about string
	ranks []int
	want  string
}{
	{"all", every(1, 0, 64), "1"},
	{"the first one", []int{0}, "rank == 0"},
	{"the last one", []int{63}, "rank == 63"},
	{"from the first one on: only one side has to be asked for", every(1, 0, 10), "rank < 10"},
	{"up to the last one", every(1, 10, 64), "rank >= 10"},
	{"in the midst", every(1, 10, 20), "(rank >= 10 && rank < 20)"},
	{"a few intervals", append(every(1, 0, 4), append(every(1, 8, 12), 63)...),
		"rank < 4 || (rank >= 8 && rank < 12) || rank == 63"},
	{"all but one", append(every(1, 0, 5), every(1, 6, 64)...), "rank < 5 || rank >= 6"},
	{"many pieces, of which the others are few",
		slices.DeleteFunc(every(1, 0, 64), func(r int) bool { return r == 3 || r == 9 || r == 20 }),
		"!(rank == 3 || rank == 9 || rank == 20)"},
	{"every second one", every(2, 0, 64), "rank % 2 == 0"},
	{"odd ones", every(2, 1, 64), "rank % 2 == 1"},
	{"every fourth one, up to some", every(4, 0, 40), "rank <= 36 && rank % 4 == 0"},
	{"every fourth one, from some on", every(4, 20, 64), "rank >= 20 && rank % 4 == 0"},
}

func TestConditions(t *testing.T) {
	for _, x := range conditions {
		if got := bare(64).condition(rankfunc.NewSet(x.ranks), rankfunc.Range(0, 64)).String(); got != x.want {
			t.Errorf("%s: %s, not %s", x.about, got, x.want)
		}
	}
}

// A column of a grid of ranks is looked up by a function, whose size depends on the runs and not on
// the ranks.
func TestConditionOfNestedRuns(t *testing.T) {
	var ranks []int
	for plane := range 4 {
		ranks = append(ranks, every(4, 16*plane, 16*plane+8)...)
	}
	g := bare(64)
	if got := g.condition(rankfunc.NewSet(ranks), rankfunc.Range(0, 64)).String(); got != "the_in_set()" {
		t.Errorf("condition %s", got)
	}
	text := g.values.String()
	if strings.Count(text, "\n") > 16 || !strings.Contains(text, "% 16") || !strings.Contains(text, "x % 4 == 0") {
		t.Errorf("function\n%s", text)
	}
}

// none is MPI_PROC_NULL of Open MPI.
const none = -2

// formulas are functions of the rank in a job of 64, and what they are in C.
var formulas = []struct {
	about string
	value func(r int64) int64
	want  string
}{
	{"the same everywhere", func(int64) int64 { return 7 }, "7"},
	{"oneself", func(r int64) int64 { return r }, "rank"},
	{"further on", func(r int64) int64 { return r + 5 }, "rank + 5"},
	{"before", func(r int64) int64 { return r - 5 }, "rank - 5"},
	{"around, as the number of ranks is", func(r int64) int64 { return (r + 1) % 64 }, "(rank + 1) % size"},
	{"around, backwards", func(r int64) int64 { return (r + 63) % 64 }, "(rank + size - 1) % size"},
	{"none at the end", func(r int64) int64 {
		if r == 63 {
			return none
		}
		return r + 1
	}, "rank + 1 < size ? rank + 1 : MPI_PROC_NULL"},
	{"none at the begin", func(r int64) int64 {
		if r == 0 {
			return none
		}
		return r - 1
	}, "rank >= 1 ? rank - 1 : MPI_PROC_NULL"},
	{"another bit", func(r int64) int64 { return r ^ 8 }, "rank ^ 8"},
	{"a multiple", func(r int64) int64 { return 3*r - 2 }, "3 * rank - 2"},
	{"the first differs", func(r int64) int64 { return 5 * max(0, 1-r) }, "rank == 0 ? 5 : 0"},
	{"the node of eight", func(r int64) int64 { return r / 8 }, "rank / 8"},
	{"the place on the node", func(r int64) int64 { return r % 8 }, "rank % 8"},
	{"the first on the node", func(r int64) int64 { return r / 8 * 8 }, "rank - rank % 8"},
	{"the parent", func(r int64) int64 {
		if r == 0 {
			return none
		}
		return (r - 1) / 2
	}, "rank > 0 ? (rank + 1) / 2 - 1 : MPI_PROC_NULL"},
	{"the child, if there is one", func(r int64) int64 {
		if 2*r+1 > 63 {
			return none
		}
		return 2*r + 1
	}, "2 * rank + 1 < size ? 2 * rank + 1 : MPI_PROC_NULL"},
	{"at most", func(r int64) int64 { return min(r, 20) }, "min(rank, 20)"},
	{"a place in a grid, transposed", func(r int64) int64 { return r%8*8 + r/8 }, "rank / 8 + 8 * (rank % 8)"},
	{"times something, around", func(r int64) int64 { return 3 * r % 64 }, "(3 * rank) % size"},
	{"no rule: a table by rank", func(r int64) int64 { return r * r % 61 * 7 % 59 }, "the_peer()"},
}

func TestFormulas(t *testing.T) {
	all := rankfunc.Range(0, 64)
	for _, x := range formulas {
		g := bare(64)
		vals := make([]int64, 64)
		for r := range vals {
			vals[r] = x.value(int64(r))
		}
		name := func(v int64) string { return map[int64]string{none: "MPI_PROC_NULL"}[v] }
		fn := rankfunc.Fit(&rankfunc.Context{Size: 64}, all, vals)
		if got := g.function(fn, all, name, "peer").String(); got != x.want {
			t.Errorf("%s: %s, not %s", x.about, got, x.want)
		}
	}
}

// Names in the program come from file and function of the recording, whatever these are called.
func TestIdentifiers(t *testing.T) {
	for from, want := range map[string]string{
		"exchange_halo.c": "exchange_halo_c", "ns::solve<int>(double*)": "ns__solve_int__double",
		"9to5": "at_9to5", "": "calls", "***": "calls",
		"größe": "gr__e", "int": "int",
	} {
		if got := identifier(from); got != want {
			t.Errorf("%q: %s, not %s", from, got, want)
		}
	}
	if n := len(identifier(strings.Repeat("long", 100))); n > 64 {
		t.Errorf("a name of %d bytes", n)
	}
}

// A name is given once; words of C and names of the program are not given.
func TestUniqueNames(t *testing.T) {
	g := bare(1)
	var got []string
	for _, s := range []string{"halo", "halo", "halo", "int", "rank", "memory"} {
		got = append(got, g.unique(s))
	}
	if want := "halo halo_2 halo_3 int_2 rank_2 memory_2"; strings.Join(got, " ") != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// alikeSends are four calls that differ in some of their numbers.
func alikeSends() *alike {
	k := &alike{hint: "exchange"}
	for i := range 4 {
		call := cc.Do(cc.Call("MPI_Send", cc.Int(i), cc.Int(7), cc.Long(int64(i)<<40), cc.Real("1.5"), cc.Int(i),
			cc.Column("tag", "tag"), cc.Table("dest", "int")))
		k.calls = append(k.calls, i)
		if i == 0 {
			k.list = []*cc.Stmt{call}
		}
		k.leaves = append(k.leaves, leavesOf([]*cc.Stmt{call}))
	}
	return k
}

// A row of a table has what calls differ in: in the type that holds all values, once if two places
// always have the same.
func TestFieldsOfRows(t *testing.T) {
	k := alikeSends()
	var got []string
	for i := range k.leaves[0] {
		f := fieldOf(k, i)
		s := f.ctype
		if f.same {
			s += " same"
		}
		got = append(got, s)
	}
	want := "int, int same, long, double same, int, struct column * same, const long * same"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("fields %s\nnot %s", s, want)
	}
	if !equalLeaves(k, 0, 4) || equalLeaves(k, 0, 1) {
		t.Error("the first and the fifth argument are the same in each call, the first two are not")
	}
}

// Members of one type that follow one another are declared together, pointers apart.
func TestMemberList(t *testing.T) {
	got := memberList([]field{{name: "tag", ctype: "int"}, {name: "count", ctype: "int"}, {name: "at", ctype: "long"},
		{name: "a", ctype: "struct column *"}, {name: "b", ctype: "struct column *"}})
	if want := " int tag, count; long at; struct column *a; struct column *b;"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if memberName("") != "_" || memberName("int") != "int_" || memberName("tag") != "tag" {
		t.Error("members have no names that are words of C")
	}
}
