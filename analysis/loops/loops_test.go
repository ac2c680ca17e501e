package loops_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/spec"
)

// stencil is a stencil on ranks in a row: the ends have one neighbour, the last
// rank does more steps on its own, rank 0 prints.
func stencil(ranks, steps int) string {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	for r := range ranks {
		peer := func(r int) string {
			if r < 0 || r >= ranks {
				return "MPI_PROC_NULL"
			}
			return fmt.Sprint(r)
		}
		own := 4
		if r == ranks-1 {
			own = 7
		}
		fmt.Fprintf(&b, `rank %d of %d on n
clock 0 0 0
clock 1000000 1000000 1000000
MPI_Init() @ s.c:5 [main]
loop %d
  MPI_Irecv(count=8, source=%s, tag=1, comm=MPI_COMM_WORLD) @ s.c:10 [step] ; request=request#0
  MPI_Isend(count=8, dest=%s, tag=1, comm=MPI_COMM_WORLD) @ s.c:11 [step] ; request=request#1
  MPI_Waitall(count=2) @ s.c:12 [step]
  MPI_Send(count=%d, dest=%d, tag=2, comm=MPI_COMM_WORLD) @ s.c:20 [main]
end
loop %d
  MPI_Barrier(comm=MPI_COMM_SELF) @ s.c:30 [main]
  poll 5 MPI_Test(request=request#0) @ s.c:31 [main] ; flag=0
  MPI_Test(request=request#0) @ s.c:31 [main] ; flag=1
end
MPI_Finalize() @ s.c:40 [main]
`, r, ranks, steps, peer(r-1), peer(r+1), 100+r, (r+1)%ranks, own)
	}
	return b.String()
}

func find(c *loops.Class, name string) *loops.Node {
	var found *loops.Node
	c.All(func(n *loops.Node) {
		if n.Kind == loops.Call && n.Shape.Func.Name == name && found == nil {
			found = n
		}
	})
	return found
}

func param(n *loops.Node, name string) loops.Param {
	for _, p := range n.Params {
		if p.Name == name {
			return p
		}
	}
	return loops.Param{}
}

func TestStencil(t *testing.T) {
	classes, err := loops.Of(archivetest.Archive(t, stencil(6, 50)), loops.Options{Timing: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(classes) != 1 {
		t.Fatalf("%d classes", len(classes))
	}
	c := classes[0]
	if len(c.Body) != 4 || c.Body[1].Kind != loops.Loop || c.Step != c.Body[1] || !c.Step.Step {
		t.Fatalf("%d nodes, step %v", len(c.Body), c.Step)
	}
	if least, most := c.Step.Repeats(); least != 50 || most != 50 || c.Step.Calls != 200 || len(c.Step.Body) != 4 {
		t.Errorf("steps %d-%d, %d calls", least, most, c.Step.Calls)
	}
	if c.Step.Time < 0.5 || c.Step.Time > 1 {
		t.Errorf("share of time %g", c.Step.Time)
	}
	if c.Step.Body[0].Shape.Func.Name != "MPI_Irecv" {
		t.Errorf("a step begins with %s", c.Step.Body[0].Shape.Func.Name)
	}
	// Trip counts differ by rank.
	if len(c.Variants) != 2 || !slices.Equal(c.Variants[1].Ranks, []int{5}) || c.Body[2].Counts[0].Max() != 4 ||
		c.Body[2].Counts[1].Max() != 7 {
		t.Errorf("variants %+v", c.Variants)
	}
	if c.Least != 200+2+4*7 || c.Most != 200+2+7*7 || c.Calls != 5*c.Least+c.Most {
		t.Errorf("%d-%d calls, %d in all", c.Least, c.Most, c.Calls)
	}
	for name, want := range map[string]string{"MPI_Irecv source": "rank-1|MPI_PROC_NULL",
		"MPI_Isend dest": "rank+1|MPI_PROC_NULL", "MPI_Send dest": "rank+1 mod 6"} {
		f, p, _ := strings.Cut(name, " ")
		if got := param(find(c, f), p); got.Relation != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if p := param(find(c, "MPI_Irecv"), "count"); !p.Constant() || p.Values[0] != "8" {
		t.Errorf("count %+v", p)
	}
	if p := param(find(c, "MPI_Send"), "count"); p.Constant() || len(p.Values) != 6 || p.Values[0] != "100" {
		t.Errorf("count %+v", p)
	}
	// A run of polls and the success are one call site, executed 4 times.
	if n := find(c, "MPI_Test"); !n.Polls || n.Counts[0].Min() != 2 || n.Calls != 24 {
		t.Errorf("polls %v, %d calls, %d times", n.Polls, n.Calls, n.Counts[0].Min())
	}
	if f, last, ok := c.Body[2].Place(); !ok || f.Line != 30 || last != 31 || f.Func != "main" {
		t.Errorf("place %v %d %v", f, last, ok)
	}
	if _, _, ok := c.Step.Place(); ok {
		t.Error("a place for calls of two functions")
	}
}

// The nest of an archive generates the calls that reading it gives.
func TestExpandIsTheRecording(t *testing.T) {
	a := archivetest.Archive(t, stencil(5, 13))
	classes, err := loops.Of(a, loops.Options{})
	if err != nil {
		t.Fatal(err)
	}
	streams := 0
	for _, c := range classes {
		for v, variant := range c.Variants {
			for _, s := range variant.Streams {
				streams++
				var want []string
				last := ^uint64(0)
				for call, err := range s.Iter(0) {
					if err != nil {
						t.Fatal(err)
					}
					if call.Flags&archive.Polls != 0 && last+1 == call.Index && want[len(want)-1] == "polls" {
						last = call.Index
						continue // one event
					}
					what := call.Func.Name + call.Site.String()
					if call.Flags&archive.Polls != 0 {
						what, last = "polls", call.Index
					}
					want = append(want, what)
				}
				var got []string
				for n, times := range c.Expand(v) {
					for range times {
						got = append(got, n.Shape.Func.Name+n.Shape.Frames[0].String())
					}
				}
				for i := range want {
					if want[i] == "polls" {
						want[i] = "MPI_Tests.c:31 [main]"
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("rank %d: %d calls instead of %d", s.Rank().Rank, len(got), len(want))
				}
			}
		}
	}
	if streams != 5 {
		t.Errorf("%d members", streams)
	}
}

// With whole stacks a recursion is a loop whatever its depth, and the loop that
// has the calls of several functions has a place.
func TestStacks(t *testing.T) {
	desc := `abi mpich
notiming
rank 0 of 1 on n
loop 10
  MPI_Send(tag=1) @ s.c:10 [exchange] < s.c:50 [main]
  MPI_Barrier() @ s.c:3 [sync] < s.c:52 [main]
end
MPI_Comm_rank() @ s.c:20 [walk] < s.c:60 [main]
MPI_Comm_size() @ s.c:21 [walk] < s.c:60 [main]
loop 7
  MPI_Comm_rank() @ s.c:20 [walk] < s.c:22 [walk] < s.c:60 [main]
  MPI_Comm_size() @ s.c:21 [walk] < s.c:22 [walk] < s.c:60 [main]
end
`
	classes, err := loops.Of(archivetest.Archive(t, desc), loops.Options{Timing: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	body := classes[0].Body
	if len(body) != 2 {
		t.Fatalf("%d nodes", len(body))
	}
	if f, last, ok := body[0].Place(); !ok || f.Func != "main" || f.Line != 50 || last != 52 {
		t.Errorf("place %v-%d %v", f, last, ok)
	}
	if least, _ := body[1].Repeats(); least != 8 || body[1].Recursion != "walk" || body[0].Recursion != "" ||
		body[0].Time >= 0 {
		t.Errorf("%d times, recursion %q and %q, time %g", least, body[1].Recursion, body[0].Recursion, body[0].Time)
	}
}

// A loop that calls a recursive function is no recursion, whether a rank makes calls at all levels of
// it, at the outermost or at an inner one.
func TestLoopAroundRecursion(t *testing.T) {
	classes, err := loops.Of(archivetest.Archive(t, `abi mpich
notiming
rank 0 of 3 on n
loop 50
  MPI_Send(dest=1) @ s.c:4 [sort] < s.c:90 [main]
  MPI_Send(dest=2) @ s.c:4 [sort] < s.c:5 [sort] < s.c:90 [main]
  MPI_Recv(source=1) @ s.c:6 [sort] < s.c:90 [main]
end
rank 1 of 3 on n
loop 50
  MPI_Recv(source=0) @ s.c:4 [sort] < s.c:90 [main]
end
rank 2 of 3 on n
loop 50
  MPI_Recv(source=0) @ s.c:4 [sort] < s.c:5 [sort] < s.c:90 [main]
  MPI_Send(dest=0) @ s.c:6 [sort] < s.c:5 [sort] < s.c:90 [main]
end
`), loops.Options{})
	if err != nil || len(classes) != 3 {
		t.Fatal(len(classes), err)
	}
	for i, c := range classes {
		c.All(func(n *loops.Node) {
			if n.Kind == loops.Loop && n.Recursion != "" {
				t.Errorf("class %d: a loop is a recursion of %s", i, n.Recursion)
			}
		})
	}
	if n := classes[0].Body[0].Body[0]; n.Recursion != "sort" {
		t.Errorf("the sends of all levels: recursion %q", n.Recursion)
	}
}

func TestSelection(t *testing.T) {
	a := archivetest.Archive(t, stencil(4, 9))
	classes, err := loops.Of(a, loops.Options{Select: func(s *archive.Stream) bool { return s.Rank().Rank == 3 }})
	if err != nil || len(classes) != 1 || !slices.Equal(classes[0].Ranks(), []int{3}) {
		t.Fatalf("%d classes, error %v", len(classes), err)
	}
	c := classes[0]
	only := loops.Only(c, c.Body, func(f *spec.Func) bool { return f.Name == "MPI_Waitall" })
	if len(only) != 1 || len(only[0].Body) != 1 || only[0].Body[0].Shape.Func.Name != "MPI_Waitall" {
		t.Errorf("%d nodes", len(only))
	}
	flat := loops.Flatten(c.Body, 1)
	if n := flat[1].Body; len(n) != 1 || n[0].Kind != loops.Mixed || len(n[0].Body) != 4 || n[0].Calls != 36 {
		t.Errorf("flattened: %+v", n[0])
	}
	if len(c.Body[1].Body) != 4 {
		t.Error("Flatten changed its argument")
	}
	short := loops.Condense(c.Body, 3)
	if len(short) != 4 && len(short) != 3 {
		t.Errorf("%d nodes", len(short))
	}
	sum := uint64(0)
	for _, n := range short {
		sum += n.Calls
	}
	if sum != c.Least {
		t.Errorf("%d calls of %d", sum, c.Least)
	}
	// What was summed up before is summed up by its shapes, once.
	again := loops.Flatten([]*loops.Node{{Kind: loops.Loop, Body: flat[1].Body}}, 1)[0].Body[0]
	if again.Calls != 36 {
		t.Errorf("%d calls of 36 when summed up again", again.Calls)
	}
	for _, n := range again.Body {
		if n.Shape == nil {
			t.Errorf("a summary holds a %v", n.Kind)
		}
	}
}

// Damaged archives give errors or nests, never a panic.
func TestDamage(t *testing.T) {
	d, err := archivetest.NewDamager(11, archivetest.Bytes(t, stencil(3, 20)))
	if err != nil {
		t.Fatal(err)
	}
	read, refused := 0, 0
	for range 3000 {
		b, what := d.Next()
		a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(1<<20),
			archive.MaxWork(1<<16))
		if err != nil {
			refused++
			continue
		}
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%s: %v", what, p)
				}
			}()
			if _, err := loops.Of(a, loops.Options{Timing: 1 << 20}); err != nil {
				refused++
			} else {
				read++
			}
		}()
	}
	if read < 100 || refused < 100 {
		t.Errorf("%d read, %d refused", read, refused)
	}
}

// The work does not depend on how long the program ran.
func TestLongRun(t *testing.T) {
	b := merge.New()
	b.SetMeta(archive.Meta{ABI: spec.MPICH})
	var sigs []*archive.Signature
	for _, name := range []string{"MPI_Init", "MPI_Barrier", "MPI_Finalize"} {
		f := spec.ByName(name)
		sigs = append(sigs, &archive.Signature{Func: f.ID, Slots: make([]archive.Value, len(f.Slots))})
	}
	const n = 1 << 50
	g := &archive.Grammar{Rules: [][]archive.Symbol{{{ID: 0, Count: 1}, {ID: archive.RuleBit | 1, Count: n},
		{ID: 2, Count: 1}}, {{ID: 1, Count: 2}, {ID: 0, Count: 1}}}}
	if err := b.Add(archive.RankData{Rank: 0, Size: 1, Complete: true},
		[]archive.StreamData{{Calls: 3*n + 2, Signatures: sigs, Grammar: g,
			Columns: make([][][]byte, 3)}}); err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := b.Write(&buf); err != nil {
		t.Fatal(err)
	}
	classes, err := loops.Of(archivetest.Open(t, buf.Bytes()), loops.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := classes[0]
	if c.Step == nil || c.Step.Calls < 3*(n-1) {
		t.Errorf("step %+v", c.Step)
	}
}

// The recorder's own records, where memory is used for the first time, do not set iterations apart.
func TestRecorderRecords(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 0 of 1 on n
clock 0 0 0
clock 1000000 1000000 1000000
tabard_segment(segment=1, kind=1, bytes=64)
MPI_Send(dest=1) @ s.c:10 [main]
tabard_segment(segment=2, kind=1, bytes=64)
MPI_Recv(source=1) @ s.c:11 [main]
loop 19
  MPI_Send(dest=1) @ s.c:10 [main]
  MPI_Recv(source=1) @ s.c:11 [main]
end
`)
	classes, err := loops.Of(a, loops.Options{Timing: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	if len(classes) != 1 || len(classes[0].Body) != 1 {
		t.Fatalf("%d classes", len(classes))
	}
	n := classes[0].Body[0]
	if least, most := n.Repeats(); n.Kind != loops.Loop || least != 20 || most != 20 || len(n.Body) != 2 {
		t.Errorf("%v of %d to %d iterations, %d calls", n.Kind, least, most, len(n.Body))
	}
}
