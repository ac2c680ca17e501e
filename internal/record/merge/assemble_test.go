package merge_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/testkit/choices"
	"github.com/tabard-hpc/tabard/spec"
)

func source(t testing.TB, name string, descs ...string) merge.Source {
	t.Helper()
	c, err := archivetest.Open(t, file(t, part(t, descs...))).Content()
	if err != nil {
		t.Fatal(err)
	}
	return merge.Source{Name: name, Content: c}
}

// provisional makes it unknown how the processes of a source ended.
func provisional(s merge.Source) merge.Source {
	c := *s.Content
	c.Groups = slices.Clone(c.Groups)
	for i, g := range c.Groups {
		h := *g
		h.Ends = archive.Cases[string]{Values: []string{merge.Provisional}}
		c.Groups[i] = &h
	}
	return merge.Source{Name: s.Name, Content: &c}
}

// some picks at least one; a spawned world, which is on one node, as a whole or not at all.
func some(rng *rand.Rand, descs []string) []string {
	var out []string
	for len(out) == 0 {
		spawned := rng.IntN(3) > 0
		for _, d := range descs {
			if strings.Contains(d, " world 1\n") && spawned || strings.Contains(d, " world 0\n") && rng.IntN(3) > 0 {
				out = append(out, d)
			}
		}
	}
	return out
}

// checkUnite unites overlapping sources, some of which do not know the ends of their
// processes: the result is what merging each process once gives, byte for byte.
func checkUnite(t *testing.T, seed uint64) {
	t.Helper()
	descs := job(seed)
	if len(descs) == 0 {
		return
	}
	want := file(t, part(t, descs...))
	got := file(t, unite(t, rand.New(rand.NewPCG(seed, 3)), descs, 4, func(name string, descs ...string) merge.Source {
		return source(t, name, descs...)
	}))
	if !bytes.Equal(got, want) {
		a, b := calls(t, archivetest.Open(t, got)), calls(t, archivetest.Open(t, want))
		for k := range b {
			if a[k] != b[k] {
				t.Fatalf("seed %d: process %s: %s", seed, k, difference(a[k], b[k]))
			}
		}
		t.Fatalf("seed %d: same calls, but other bytes: %d, not %d", seed, len(got), len(want))
	}
}

// unite unites less than most sources that hold some of what descs describe with one that holds all.
func unite(t *testing.T, rng *rand.Rand, descs []string, most int,
	source func(name string, descs ...string) merge.Source) *merge.Part {
	t.Helper()
	var sources []merge.Source
	if rng.IntN(2) == 0 {
		sources = append(sources, provisional(source("provisional", some(rng, descs)...)))
	}
	for i := range rng.IntN(most) {
		sources = append(sources, source(fmt.Sprint(i), some(rng, descs)...))
	}
	sources = append(sources, source("all", descs...))
	if rng.IntN(2) == 0 {
		rng.Shuffle(len(sources), func(i, j int) { sources[i], sources[j] = sources[j], sources[i] })
	}
	p, outcomes, err := merge.Assemble(sources, false)
	if err != nil {
		t.Fatal(err)
	}
	added := 0
	for _, o := range outcomes {
		if o.Foreign != "" {
			t.Errorf("%s is foreign: %s", o.Name, o.Foreign)
		}
		added += o.Added + o.Replaced
	}
	if added < len(descs) {
		t.Errorf("%d processes added of %d", added, len(descs))
	}
	return p
}

func TestUnite(t *testing.T) {
	for seed := range uint64(60) {
		checkUnite(t, seed)
	}
}

func FuzzUnite(f *testing.F) {
	f.Add([]byte("some bytes"))
	f.Fuzz(func(t *testing.T, in []byte) {
		rng := choices.Rand(in)
		descs := jobOf(rng, 4, 3)
		if len(descs) == 0 {
			return
		}
		made := func(name string, descs ...string) merge.Source {
			c, err := part(t, descs...).Content()
			if err != nil {
				t.Fatal(err)
			}
			return merge.Source{Name: name, Content: c}
		}
		got := unite(t, rng, descs, 2, made)
		sameText(t, "uniting", archivetest.OfPart(t, got), archivetest.OfPart(t, part(t, descs...)))
	})
}

// TestRestrict: what is left of an archive is the archive of what is left.
func TestRestrict(t *testing.T) {
	for seed := range uint64(100) {
		descs := job(seed)
		if len(descs) == 0 {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, 4))
		kept := some(rng, descs)
		keep := map[[2]int]bool{}
		for _, d := range kept {
			r, _, err := archivetest.Rank(d)
			if err != nil {
				t.Fatal(err)
			}
			keep[[2]int{r.World, r.Rank}] = true
		}
		all := source(t, "", descs...).Content
		before := file(t, fromContent(t, all))
		less := merge.Restrict(all, func(g *archive.Group, id int) bool { return keep[[2]int{g.World, id}] })
		if got, want := file(t, fromContent(t, less)), file(t, part(t, kept...)); !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %d of %d: %d bytes, want %d", seed, len(kept), len(descs), len(got), len(want))
		}
		if !bytes.Equal(file(t, fromContent(t, all)), before) {
			t.Fatalf("seed %d: the original has changed", seed)
		}
	}
}

func fromContent(t testing.TB, c *archive.Content) *merge.Part {
	t.Helper()
	p, err := merge.FromContent(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// desc is a process that its first reading of the clock tells apart.
func desc(rank, size, ticks, world int) string {
	return fmt.Sprintf("abi mpich\nrank %d of %d on n%d world %d\nclock %d 5000000000 7\n"+
		"MPI_Barrier(comm=MPI_COMM_WORLD)\n", rank, size, rank, world, ticks)
}

// TestUniteForeign: sources of other runs are left out, with a reason.
func TestUniteForeign(t *testing.T) {
	a := source(t, "a", desc(0, 4, 10, 0), desc(1, 4, 11, 0))
	option := func(s merge.Source, name, value string) merge.Source {
		c := *s.Content
		c.Meta.Options = map[string]string{name: value}
		return merge.Source{Name: s.Name, Content: &c}
	}
	for name, c := range map[string]struct {
		a, b  merge.Source
		guess bool
		want  string
	}{
		"the rest":        {a, source(t, "b", desc(2, 4, 12, 0)), true, ""},
		"another size":    {a, source(t, "b", desc(2, 3, 12, 0)), false, "has 3 ranks, not 4"},
		"another process": {a, source(t, "b", desc(1, 4, 99, 0)), false, "rank 1 is another process"},
		"another run": {option(a, "run", "x"), option(source(t, "b", desc(2, 4, 12, 0)), "run", "y"), false,
			"another run"},
		"the same run": {option(a, "run", "x"), option(source(t, "b", desc(2, 4, 12, 0)), "run", "x"), true, ""},
		"another command": {command1(a, "p"), command1(source(t, "b", desc(2, 4, 12, 0)), "q"), true,
			"another command"},
		"believed":   {command1(a, "p"), command1(source(t, "b", desc(2, 4, 12, 0)), "q"), false, ""},
		"long after": {created(a, 1), created(source(t, "b", desc(2, 4, 12, 0)), 20), true, "at another time"},
		// the last clock is read at 5
		"a moment after":    {created(a, 1), created(source(t, "b", desc(2, 4, 12, 0)), 4), true, ""},
		"a spawned world":   {a, source(t, "b", desc(0, 1, 50, 1)), true, ""},
		"already there":     {a, a, true, ""},
		"one more, overlap": {a, source(t, "b", desc(1, 4, 11, 0), desc(2, 4, 12, 0)), true, ""},
	} {
		_, outcomes, err := merge.Assemble([]merge.Source{c.a, c.b}, c.guess)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := outcomes[1].Foreign; got != "" && c.want == "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func created(s merge.Source, seconds int64) merge.Source {
	c := *s.Content
	c.Meta.Created = time.Unix(seconds, 0)
	return merge.Source{Name: s.Name, Content: &c}
}

func command1(s merge.Source, name string) merge.Source {
	c := *s.Content
	c.Meta.Command = []string{name}
	return merge.Source{Name: s.Name, Content: &c}
}

// TestUniteSpawned: worlds that several nodes call 1 are told apart, but not from themselves.
func TestUniteSpawned(t *testing.T) {
	a := source(t, "a", desc(0, 2, 10, 0), desc(0, 1, 20, 1))
	b := source(t, "b", desc(1, 2, 11, 0), desc(0, 1, 21, 1))
	p, _, err := merge.Assemble([]merge.Source{a, b}, true)
	if err != nil {
		t.Fatal(err)
	}
	c, err := archivetest.Open(t, file(t, p)).Content()
	if err != nil {
		t.Fatal(err)
	}
	if p, _, err = merge.Assemble([]merge.Source{{Name: "ab", Content: c}, b, a}, true); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, r := range archivetest.Open(t, file(t, p)).Ranks() {
		got[fmt.Sprint(r.World, " ", r.Rank, " ", r.Clocks[0].Ticks)] = true
	}
	if len(got) != 4 || !got["0 0 10"] || !got["0 1 11"] || !got["1 0 20"] || !got["2 0 21"] {
		t.Errorf("processes (world, rank, clock): %v", got)
	}
}

// TestClosedReferences: when the ranks that differ are gone, what they did otherwise is the same at
// all ranks. References then know the class of their objects as if a file had been read.
func TestClosedReferences(t *testing.T) {
	var descs []string
	for r, datatype := range []string{"MPI_INT", "MPI_DOUBLE"} {
		descs = append(descs, fmt.Sprintf("abi mpich\nnotiming\nrank %d of 2 on n\n"+
			"MPI_Alltoallw(sendcounts=[1], sendtypes=[%s], comm=MPI_COMM_WORLD)\n", r, datatype))
	}
	all := source(t, "", descs...).Content
	less := merge.Restrict(all, func(_ *archive.Group, id int) bool { return id == 1 })
	c, err := fromContent(t, less).Content()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, tm := range c.Templates {
		for i, s := range spec.ByID(tm.Func).Slots {
			for _, v := range tm.Slots[i].List {
				if seen++; v.Class != s.Class {
					t.Errorf("slot %d: a reference to an object of class %v, want %v", i, v.Class, s.Class)
				}
			}
		}
	}
	if seen != 1 {
		t.Errorf("%d references, want 1", seen)
	}
}
