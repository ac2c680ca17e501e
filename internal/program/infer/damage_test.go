package infer

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
)

// ring has what models are made of: loops, grids, arrays, columns, objects, conditions.
func ring(ranks, steps int) string {
	var b strings.Builder
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./ring\n")
	for r := range ranks {
		fmt.Fprintf(&b, "rank %d of %d on node\nMPI_Init(argc=0) @ r.c:1 [main]\n"+
			"MPI_Comm_size(comm=MPI_COMM_WORLD) @ r.c:2 [main] ; size=%d\n", r, ranks, ranks)
		fmt.Fprintf(&b, "MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=1, dims=[%d], periods=[1], reorder=0) @ "+
			"r.c:3 [main] ; comm_cart=comm#0\nloop %d\n", ranks, steps)
		fmt.Fprintf(&b, "  MPI_Send(buf=heap#0, count=?%d, datatype=MPI_INT, dest=%d, tag=?3, comm=comm#0) @ "+
			"r.c:4 [main]\n", r+1, (r+1)%ranks)
		fmt.Fprintf(&b, "  MPI_Recv(buf=heap#0+64, count=%d, datatype=MPI_INT, source=%d, tag=3, comm=comm#0) @ "+
			"r.c:5 [main]\nend\n", ranks, (r+ranks-1)%ranks)
		if r == 0 {
			b.WriteString("MPI_Barrier(comm=MPI_COMM_SELF) @ r.c:6 [main]\n")
		}
		b.WriteString("MPI_Finalize() @ r.c:7 [main]\n")
	}
	return b.String()
}

// Damaged archives give errors, or models whose archives can be read; nothing else, and soon.
func TestDamaged(t *testing.T) {
	d, err := archivetest.NewDamager(11, archivetest.Bytes(t, ring(4, 30)), archivetest.Bytes(t, ring(3, 7)))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for range 1500 {
		b, what := d.Next()
		a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(1<<22),
			archive.MaxWork(1<<20))
		if err != nil {
			continue
		}
		begin := cputime.Used()
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%s: panic: %v\n%s", what, p, debug.Stack())
				}
			}()
			c, err := a.Content()
			if err != nil {
				return
			}
			tried++
			out, _, err := Of(c, 6, Options{})
			if err != nil {
				return
			}
			var w bytes.Buffer
			if err := out.Write(&w); err != nil {
				t.Errorf("%s: %v", what, err)
				return
			}
			if _, err := archive.OpenReader(bytes.NewReader(w.Bytes()), int64(w.Len())); err != nil {
				t.Errorf("%s: what was made cannot be read: %v", what, err)
			}
		}()
		if took := cputime.Since(begin); took > 20*time.Second {
			t.Errorf("%s: it took %v", what, took)
		}
	}
	if tried == 0 {
		t.Error("no damaged archive had contents")
	}
	t.Logf("%d archives with contents", tried)
}

// A file of a few bytes may claim any number of calls in loops of two iterations, which are matched one by one.
func TestDoubled(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	var b strings.Builder
	b.WriteString("abi mpich\ncommand ./a\n")
	for r := range 4 {
		fmt.Fprintf(&b, "rank %d of 4 on node\nMPI_Init(argc=0) @ r.c:1 [main]\n"+
			"MPI_Allreduce(count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD) @ r.c:2 [main]\n"+
			"MPI_Finalize() @ r.c:3 [main]\n", r)
	}
	c, err := archivetest.Archive(t, b.String()).Content()
	if err != nil {
		t.Fatal(err)
	}
	g := c.Classes[0].Grammar
	s := g.Rules[0][1]
	for range 32 {
		g.Rules = append(g.Rules, []archive.Symbol{{ID: s.ID, Count: 2}})
		s = archive.Symbol{ID: uint32(len(g.Rules)-1) | archive.RuleBit, Count: 1}
	}
	g.Rules[0][1] = s
	canonical, _ := archive.CanonicalGrammar(g)
	*g = *canonical
	begin := cputime.Used()
	_, _, err = Of(c, 5, Options{})
	if took := cputime.Since(begin); err == nil || !strings.Contains(err.Error(), "one by one") || took > time.Minute {
		t.Errorf("%v after %v", err, took)
	}
}
