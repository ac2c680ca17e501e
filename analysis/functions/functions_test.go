package functions

import (
	"testing"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/spec"
)

// two is a recording of two ranks that number the same sites and trees in their own ways: main calls step 100 times,
// which calls work, a barrier, and work again; work calls leaf three times. Rank 1 calls leaf once more at the end.
func two(t *testing.T) *archive.Archive {
	t.Helper()
	part := merge.New()
	part.SetMeta(archive.Meta{Command: []string{"a"}, ABI: spec.MPICH, Options: map[string]string{}})
	names := []string{"main", "step", "work", "leaf"}
	for rank := range 2 {
		order := []int{0, 1, 2, 3}
		if rank == 1 {
			order = []int{3, 1, 0, 2}
		}
		site := map[string]uint32{}
		d := archive.RankData{Rank: rank, Size: 2, Host: "h", Complete: true, Info: map[string]string{},
			Modules: []archive.Module{{Path: "/a", Size: 1}}}
		for _, i := range order {
			d.Sites = append(d.Sites, archive.Site{Frames: []archive.Frame{{Func: names[i], Offset: uint64(i)}}})
			site[names[i]] = uint32(len(d.Sites))
		}
		d.Sites = append(d.Sites, archive.Site{Tree: &archive.Tree{Func: site["work"],
			Calls: []archive.Called{{Site: site["leaf"], Count: 3}}}})
		tree := uint32(len(d.Sites))
		sig := func(name string, at uint32, times int64) *archive.Signature {
			s := &archive.Signature{Func: spec.ByName(name).ID, Site: at}
			if times > 0 {
				s.Slots = []archive.Value{{Kind: archive.Int, N: times}}
			}
			return s
		}
		sigs := []*archive.Signature{sig("function_open", site["main"], 0), sig("function_open", site["step"], 0),
			sig("function_calls", tree, 2), sig("function_close", 0, 0), sig("function_calls", site["leaf"], 1),
			sig("MPI_Finalize", 0, 0)}
		b := grammar.NewBuilder()
		b.Append(0)
		for range 100 {
			for _, x := range []uint32{1, 2, 3} {
				b.Append(x)
			}
		}
		if rank == 1 {
			b.Append(4)
		} else {
			b.Append(5)
		}
		b.Append(3)
		g := b.Grammar()
		n, err := g.Len()
		if err != nil {
			t.Fatal(err)
		}
		if err := part.Add(d, []archive.StreamData{{Calls: n, Signatures: sigs, Grammar: g,
			Columns: make([][][]byte, len(sigs))}}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := part.Content()
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Archive()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestCounts(t *testing.T) {
	a := two(t)
	r, err := (&selection.Selection{}).Resolve(a)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Of(a, r)
	if err != nil {
		t.Fatal(err)
	}
	if res.Trees != 1 {
		t.Errorf("%d trees: equal ones of two ranks are one", res.Trees)
	}
	want := map[string]uint64{"main": 2, "step": 200, "work": 400, "leaf": 1201}
	for _, f := range res.Functions {
		if f.Calls != want[f.Name] {
			t.Errorf("%s: %d calls, want %d", f.Name, f.Calls, want[f.Name])
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	edges := map[string]uint64{}
	for _, e := range res.Edges() {
		if e.From != nil {
			edges[e.From.Name+">"+e.To.Name] = e.Calls
		}
	}
	for k, n := range map[string]uint64{"main>step": 200, "step>work": 400, "work>leaf": 1200, "main>leaf": 1} {
		if edges[k] != n {
			t.Errorf("%s: %d, want %d", k, edges[k], n)
		}
	}
	if !res.Grow(0) {
		t.Error("the nest is cut off")
	}
	at := res.Root
	for _, name := range []string{"main", "step", "work", "leaf"} {
		if at = at.Children()[0]; at.Name() != name {
			t.Errorf("%s where %s is to be", at.Name(), name)
		}
	}
	if apis := res.Root.Children()[0].APIs(); len(apis) != 1 || apis[0].Func.Name != "MPI_Finalize" ||
		apis[0].Calls != 1 {
		t.Errorf("main called %v, want MPI_Finalize once", apis)
	}
	if at.Calls != 1200 {
		t.Errorf("leaf in work: %d calls", at.Calls)
	}
}

func TestAt(t *testing.T) {
	a := two(t)
	s := a.Stream(1)
	for event, want := range map[uint64]string{0: "", 1: "main", 2: "step", 150: "step", 151: "main",
		152: "step", 299: "step", 301: "main"} {
		c, err := At(a, s, event)
		if err != nil || c.Name() != want {
			t.Errorf("event %d: in %q, want %q, %v", event, c.Name(), want, err)
		}
	}
}

// What Each yields is as many calls as Ordered says, also to who wants no more than the first ones.
func TestOrdered(t *testing.T) {
	a := two(t)
	for rank, want := range []uint64{901, 902} {
		s := a.Stream(rank)
		n := uint64(0)
		if err := Each(a, s, func(int, string, bool) bool { n++; return true }); err != nil || n != want {
			t.Errorf("rank %d: %d calls in order, want %d: %v", rank, n, want, err)
		}
		if n, err := Ordered(a, s); err != nil || n != want {
			t.Errorf("rank %d is said to have %d calls in order, want %d: %v", rank, n, want, err)
		}
		n = 0
		if err := Each(a, s, func(int, string, bool) bool { n++; return n < 7 }); err != nil || n != 7 {
			t.Errorf("rank %d: %d calls of 7 that were wanted: %v", rank, n, err)
		}
	}
}
