package archive_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/spec"
)

// mixed describes a few ranks with random nests of calls, in which values vary in all ways.
func mixed(rng *rand.Rand) string {
	var d strings.Builder
	calls := []string{
		"MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:LINE [f]",
		"MPI_Send(buf=heap#0, count=?V, datatype=MPI_INT, dest=PEER, tag=7, comm=MPI_COMM_WORLD) @ a.c:LINE [f]",
		"MPI_Recv(source=PEER, comm=MPI_COMM_WORLD) ; status=?{source=PEER tag=3 bytes=V}",
		"MPI_Alltoallv(sendcounts=?[1, V, 3], sdispls=?[V, 2], comm=MPI_COMM_WORLD)",
		"poll RUN MPI_Test(request=request#0) @ a.c:LINE [f] ; flag=0",
		"poll RUN MPI_Iprobe(source=1, comm=MPI_COMM_WORLD) ; flag=0",
		"MPI_Comm_set_name(comm=comm#1, comm_name=?\"xV\")",
		"MPI_Bcast(root=0, comm=MPI_COMM_WORLD)",
		"MPI_Scan(comm=MPI_COMM_WORLD) ; ret 5",
	}
	n := 1 + rng.Intn(4)
	trips, seed := rng.Intn(2), rng.Int63()
	for r := range n {
		body := rand.New(rand.NewSource(seed)) // the same structure at all ranks
		fmt.Fprintf(&d, "rank %d of %d on node\n", r, n)
		var block func(depth int)
		block = func(depth int) {
			for range 1 + body.Intn(4) {
				if depth > 0 && body.Intn(2) == 0 {
					fmt.Fprintf(&d, "loop %d\n", 1+body.Intn(5)+trips*r)
					block(depth - 1)
					d.WriteString("end\n")
					continue
				}
				d.WriteString(strings.NewReplacer("V", fmt.Sprint(body.Intn(100)+r), "LINE", fmt.Sprint(1+body.Intn(2)),
					"PEER", fmt.Sprint((r+1)%n), "RUN",
					fmt.Sprint(1+body.Intn(4)+r)).Replace(calls[body.Intn(len(calls))]) + "\n")
			}
		}
		block(3)
		if body.Intn(3) == 0 {
			d.WriteString("thread 1\n")
			block(1)
		}
	}
	return d.String()
}

// TestProject: a projection has the calls that are left of all calls when the others are deleted: values, times, and
// the same whether they are read in order or at random; and the same again once it is written and read.
func TestProject(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for round := range 150 {
		desc := archivetest.Varied(12)
		if round%5 != 0 {
			desc = mixed(rng)
		}
		desc = "partial\n" + desc // requests without a creator
		whole := archivetest.InMemory(t, desc)
		if round%3 == 0 {
			whole = archivetest.Archive(t, desc)
		}
		salt, share := spec.ID(rng.Intn(5)), spec.ID(1+rng.Intn(3))
		wanted := func(f *spec.Func) bool { return (f.ID+salt)%share == 0 }
		p, err := whole.Project(wanted)
		if err != nil {
			t.Fatal(err)
		}
		if same := share == 1; same != (p == whole) && same {
			t.Fatal("an archive of wanted functions is another one")
		}
		checkProjected(t, rng, whole, p, wanted)
		if p == whole {
			continue
		}
		c, err := p.Content()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		again := archivetest.Open(t, b.Bytes())
		if err := archive.Validate(again); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		checkProjected(t, rng, whole, again, wanted)
	}
}

// plain is what is compared of a call.
func plain(c *archive.Call, index uint64) string {
	d := *c
	d.Index = 0
	return fmt.Sprint(index, " ", d.Format(), d.StartTicks, d.EndTicks, d.Start, d.End)
}

func checkProjected(t *testing.T, rng *rand.Rand, whole, p *archive.Archive, wanted func(*spec.Func) bool) {
	t.Helper()
	next := 0
	for s := range whole.Streams() {
		var want []string
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			if wanted(c.Func) {
				want = append(want, plain(c, uint64(len(want))))
			}
		}
		if len(want) == 0 {
			continue
		}
		if next == p.NumStreams() {
			t.Fatal("streams are missing")
		}
		x := p.Stream(next)
		next++
		if x.Process() != s.Process() || x.Thread() != s.Thread() || x.Calls() != uint64(len(want)) {
			t.Fatalf("process %d, thread %d, %d calls; want %d, %d, %d", x.Process(), x.Thread(), x.Calls(),
				s.Process(),
				s.Thread(), len(want))
		}
		from := uint64(rng.Intn(len(want)))
		for _, first := range []uint64{0, from} {
			i := first
			for c, err := range x.Iter(first) {
				if err != nil {
					t.Fatal(err)
				}
				if got := plain(c, c.Index); got != want[i] {
					t.Fatalf("call %d is\n%s, want\n%s", i, got, want[i])
				}
				i++
			}
			if i != uint64(len(want)) {
				t.Fatalf("%d calls, want %d", i, len(want))
			}
		}
		for range min(20, len(want)) {
			i := rng.Intn(len(want))
			c, err := x.CallAt(uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			if got := plain(c, c.Index); got != want[i] {
				t.Fatalf("call %d is\n%s, want\n%s", i, got, want[i])
			}
			event, inside, err := x.EventAt(uint64(i))
			if n, err2 := x.CallsBefore(event); err != nil || err2 != nil || n+inside != uint64(i) {
				t.Fatalf("call %d is in event %d at %d, before which are %d: %v %v", i, event, inside, n, err, err2)
			}
			times, err := x.Timing()
			if err != nil {
				t.Fatal(err)
			}
			if start, end := times.At(uint64(i)); start != c.StartTicks || end != c.EndTicks {
				t.Fatalf("call %d takes %d to %d, want %d to %d", i, start, end, c.StartTicks, c.EndTicks)
			}
		}
		counts, err := x.Counts()
		if err != nil {
			t.Fatal(err)
		}
		sum := uint64(0)
		for _, n := range counts {
			sum += n
		}
		if sum != uint64(len(want)) {
			t.Fatalf("terminals count %d calls, want %d", sum, len(want))
		}
	}
	if next != p.NumStreams() {
		t.Fatalf("%d streams, want %d", p.NumStreams(), next)
	}
}

// TestProjectAll: what is all MPI is left as it is.
func TestProjectAll(t *testing.T) {
	a := archivetest.Archive(t, archivetest.Varied(6))
	if p, err := a.MPI(); p != a || err != nil {
		t.Error("another archive", err)
	}
	kinds, err := a.Kinds()
	if err != nil || !reflect.DeepEqual(kinds, map[spec.EventKind]bool{0: true}) {
		t.Error(kinds, err)
	}
}
