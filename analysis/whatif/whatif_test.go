package whatif

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

func graph(t *testing.T, desc string) *Graph {
	t.Helper()
	p, err := calls.Open(archivetest.Archive(t, desc))
	if err != nil {
		t.Fatal(err)
	}
	g, err := Build(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if same, ok := g.simulate(change{}); !ok || same != g.Elapsed {
		t.Fatalf("without a change it takes %v, recorded are %v", same, g.Elapsed)
	}
	return g
}

// writer writes ranks with times: each call begins some time after the one before.
type writer struct {
	strings.Builder
	now int
}

func (w *writer) rank(r, n int) {
	w.now = 10
	fmt.Fprintf(w, "rank %d of %d on n\nclock 0 0 0\nclock 100000000 100000000 100000000\n0+10 MPI_Init()\n", r, n)
}

// call is one that begins after so much computation and ends at a time, but takes at least 10.
func (w *writer) call(compute, end int, text string) {
	begin := w.now + compute
	w.now = max(begin+10, end)
	fmt.Fprintf(w, "%d+%d %s\n", begin, w.now-begin, text)
}

func (w *writer) end() { fmt.Fprintf(w, "%d+10 MPI_Finalize()\n", w.now) }

// Rank 2 computes 900 in each of 20 steps, the others 100: all leave the barrier 10 after it has come.
func TestLateness(t *testing.T) {
	w := &writer{}
	w.WriteString("abi mpich\n")
	for r := range 4 {
		w.rank(r, 4)
		for step := range 20 {
			compute := 100
			if r == 2 {
				compute = 900
			}
			w.call(compute, 10+(step+1)*910, "MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [f]")
		}
		w.end()
	}
	g := graph(t, w.String())
	if g.Elapsed != 20*910 {
		t.Fatalf("%d", g.Elapsed)
	}
	for process, want := range map[int32]time.Duration{2: 20 * 110, 1: 20 * 910} {
		if got, ok := g.WithoutLateness(process); !ok || got != want {
			t.Errorf("without the lateness of rank %d: %d, %t, want %d", process, got, ok, want)
		}
	}
	// In five steps only.
	if got, ok := g.UsualFor(func(_ int, call uint64) bool { return call < 6 }); !ok || got != 20*910 {
		t.Errorf("computing as usual: %d, %t", got, ok)
	}
}

// A step in which all compute 1,000 instead of 100.
func TestUsual(t *testing.T) {
	w := &writer{}
	w.WriteString("abi mpich\n")
	for r := range 2 {
		w.rank(r, 2)
		for step := range 10 {
			compute := 100
			if step == 4 {
				compute = 1000
			}
			w.call(compute, 0, "MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [f]")
		}
		w.end()
	}
	g := graph(t, w.String())
	if got, ok := g.UsualFor(func(_ int, call uint64) bool { return call == 5 }); !ok || got != 1100 ||
		g.Elapsed != 2000 {
		t.Errorf("%d, %t, recorded %d", got, ok, g.Elapsed)
	}
}

const (
	send = "MPI_Send(count=1, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:7 [f]"
	recv = "MPI_Recv(count=1, datatype=MPI_INT, source=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:9 [f] ; " +
		"status={source=%[1]d tag=1 bytes=4}"
)

// Each rank computes 100 when the one before has.
func TestSerial(t *testing.T) {
	w := &writer{}
	w.WriteString("abi mpich\n")
	for r := range 3 {
		w.rank(r, 3)
		if r > 0 {
			w.call(0, r*110+10+(r-1)*10, fmt.Sprintf(recv, r-1))
		}
		if r < 2 {
			w.call(100, 0, fmt.Sprintf(send, r+1))
		} else {
			w.now += 100
		}
		w.end()
	}
	g := graph(t, w.String())
	got, ok := g.WithoutWaiting(efficiency.Key{Func: "MPI_Recv", Site: "a.c:9 [f]"}, false)
	if !ok || got >= g.Elapsed || got > 140 || got < 110 {
		t.Errorf("%d of %d, %t", got, g.Elapsed, ok)
	}
}

// Rank 0 receives from 1, which comes last, and then from 2 and 3; it computes 50 after each.
func TestAnyOrder(t *testing.T) {
	w := &writer{}
	w.WriteString("abi mpich\n")
	w.rank(0, 4)
	w.call(0, 520, fmt.Sprintf(recv, 1)) // sent at 510
	w.call(50, 0, fmt.Sprintf(recv, 2))
	w.call(50, 0, fmt.Sprintf(recv, 3))
	w.now += 50
	w.end()
	for r, compute := range []int{500, 100, 100} {
		w.rank(r+1, 4)
		w.call(compute, 0, fmt.Sprintf(send, 0))
		w.end()
	}
	g := graph(t, w.String())
	// Rank 1's message comes at 510 as before; then there is nothing left but to receive it and to compute.
	got, ok := g.InAnyOrder(efficiency.Key{Func: "MPI_Recv", Site: "a.c:9 [f]"})
	if !ok || got != 560 || g.Elapsed != 680 {
		t.Errorf("%d of %d, %t", got, g.Elapsed, ok)
	}
}

// Rank 0 sends last what rank 1 needs first, and computes 100 before each; rank 1 computes 100 after each.
func TestOrderOfSends(t *testing.T) {
	const send, recv = "MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=%d, comm=MPI_COMM_WORLD) @ a.c:7 [f]",
		"MPI_Recv(count=1, datatype=MPI_INT, source=0, tag=%d, comm=MPI_COMM_WORLD) @ a.c:9 [f] ; status={source=0 " +
			"tag=%[1]d bytes=4}"
	w := &writer{}
	w.WriteString("abi mpich\n")
	w.rank(0, 2)
	for _, tag := range []int{3, 2, 1} {
		w.call(100, 0, fmt.Sprintf(send, tag))
	}
	w.end()
	w.rank(1, 2)
	w.call(0, 340, fmt.Sprintf(recv, 1)) // sent at 330
	w.call(100, 0, fmt.Sprintf(recv, 2))
	w.call(100, 0, fmt.Sprintf(recv, 3))
	w.now += 100
	w.end()
	g := graph(t, w.String())
	got, ok := g.InAnyOrder(efficiency.Key{Func: "MPI_Recv", Site: "a.c:9 [f]"})
	if !ok || got >= g.Elapsed-100 || got < 400 {
		t.Errorf("%d of %d, %t", got, g.Elapsed, ok)
	}
}
