package diff

import (
	"fmt"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// What one rank gets to know reaches others with its messages, and with collective calls in the
// direction of their data; not before, and not against that direction. Calls are numbered from 0.
func TestSpread(t *testing.T) {
	const (
		send = "MPI_Send(count=1, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ s.c:1 [f]\n"
		recv = "MPI_Recv(count=1, datatype=MPI_INT, source=%d, tag=1, comm=MPI_COMM_WORLD) @ s.c:2 [f] ; " +
			"status={source=%[1]d tag=1 bytes=4}\n"
		irecv = "MPI_Irecv(count=1, datatype=MPI_INT, source=%d, tag=1, comm=MPI_COMM_WORLD) @ s.c:3 [f] ; " +
			"request=request#0\n"
		wait  = "MPI_Wait(request=request#0) @ s.c:4 [f] ; request=MPI_REQUEST_NULL ; status={source=0 tag=1 bytes=4}\n"
		probe = "MPI_Probe(source=0, tag=1, comm=MPI_COMM_WORLD) @ s.c:5 [f] ; status={source=0 tag=1 bytes=4}\n"
		other = "MPI_Comm_rank(comm=MPI_COMM_WORLD) @ s.c:6 [f] ; rank=0\n"
	)
	collective := func(name, args string) string {
		return fmt.Sprintf("MPI_%s(%s, comm=MPI_COMM_WORLD) @ s.c:7 [f]\n", name, args)
	}
	bcast := collective("Bcast", "count=1, datatype=MPI_INT, root=0")
	reduce := collective("Reduce", "sendbuf=heap#0, recvbuf=heap#1, count=1, datatype=MPI_INT, op=MPI_SUM, root=0")
	allreduce := collective("Allreduce", "sendbuf=heap#0, recvbuf=heap#1, count=1, datatype=MPI_INT, op=MPI_SUM")
	barrier := "MPI_Barrier(comm=MPI_COMM_WORLD) @ s.c:8 [f]\n"
	line := func(format string, rank int) string { return fmt.Sprintf(format, rank) }
	for _, c := range []struct {
		name  string
		ranks []string
		at    [2]uint64 // rank, and the first call that may depend on what differs
		want  []uint64
	}{
		{"sent before", []string{line(send, 1) + other, line(recv, 0) + other}, [2]uint64{0, 1}, []uint64{1, never}},
		{"sent after", []string{other + line(send, 1), line(recv, 0) + other}, [2]uint64{0, 1}, []uint64{1, 1}},
		{"the call itself", []string{other + line(send, 1), line(recv, 0)}, [2]uint64{0, 2}, []uint64{2, never}},
		{"received early", []string{other + line(send, 1), line(irecv, 0) + other + other + wait + other},
			[2]uint64{0, 0},
			[]uint64{0, 4}},
		{"probed", []string{other + line(send, 1), other + probe + other + line(recv, 0)}, [2]uint64{0, 0},
			[]uint64{0, 2}},
		{"a chain", []string{line(send, 1), line(recv, 0) + line(send, 2), other + line(recv, 1)}, [2]uint64{0, 0},
			[]uint64{0, 1, 2}},
		{"a chain that comes back", []string{other + line(send, 1) + line(recv, 1), line(recv, 0) + line(send, 0)},
			[2]uint64{1, 0}, []uint64{3, 0}},
		{"too late for the chain", []string{other + line(send, 1), line(send, 2) + line(recv, 0), line(recv, 1)},
			[2]uint64{0, 0}, []uint64{0, 2, never}},
		{"bcast of the root", []string{other + bcast, bcast, bcast}, [2]uint64{0, 1}, []uint64{1, 1, 1}},
		{"bcast to another", []string{bcast, other + bcast, bcast}, [2]uint64{1, 1}, []uint64{never, 1, never}},
		{"reduce to the root", []string{reduce, other + reduce, reduce}, [2]uint64{1, 1}, []uint64{1, 1, never}},
		{"reduce of the root", []string{other + reduce, reduce, reduce}, [2]uint64{0, 0}, []uint64{0, never, never}},
		{"allreduce", []string{allreduce, other + allreduce, allreduce}, [2]uint64{1, 1}, []uint64{1, 1, 1}},
		{"barrier", []string{barrier, other + barrier, barrier}, [2]uint64{1, 1}, []uint64{1, 1, 1}},
		{"barrier before", []string{barrier, barrier + other, barrier}, [2]uint64{1, 1}, []uint64{never, 1, never}},
	} {
		text := "abi openmpi\nnotiming\n"
		for r, body := range c.ranks {
			text += fmt.Sprintf("rank %d of %d on n\n%s", r, len(c.ranks), body)
		}
		s := &side{a: archivetest.Archive(t, text)}
		state := &comparison{o: Options{Calls: DefaultCalls}, notes: map[string]bool{}, result: &Result{}}
		a := &Arrival{streams: [2]int{int(c.at[0]), 0}, next: [2]uint64{c.at[1], 0}}
		k, err := state.spread(s, []*Arrival{a})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if fmt.Sprint(k.from) != fmt.Sprint(c.want) {
			t.Errorf("%s: %d, want %d", c.name, k.from, c.want)
		}
	}
}

// The other threads of a process know from what they begin after it, or if that cannot be told all
// the time.
func TestSpreadToThreads(t *testing.T) {
	const text = `rank 0 of 1 on n
1000+10 MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=0
2000+10 MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=0
3000+10 MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=0
thread 1
500+10 MPI_Comm_size(comm=MPI_COMM_WORLD) ; size=1
1500+10 MPI_Comm_size(comm=MPI_COMM_WORLD) ; size=1
2500+10 MPI_Comm_size(comm=MPI_COMM_WORLD) ; size=1
`
	for head, want := range map[string]string{"abi mpich\n": "[1 2]", "abi mpich\nnotiming\n": "[1 0]"} {
		state := &comparison{o: Options{Calls: DefaultCalls}, notes: map[string]bool{}, result: &Result{}}
		s := &side{a: archivetest.Archive(t, head+text)}
		k, err := state.spread(s, []*Arrival{{streams: [2]int{0, 0}, next: [2]uint64{1, 0}}})
		if err != nil || fmt.Sprint(k.from) != want {
			t.Errorf("%q: %v, %v, want %s", head, k.from, err, want)
		}
	}
}

// A recording of too many calls is not followed, and that is said: what happened at the rank itself
// still counts.
func TestSpreadTooFar(t *testing.T) {
	s := &side{a: archivetest.Archive(t, `abi mpich
rank 0 of 2 on n
loop 100
MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD)
end
rank 1 of 2 on n
loop 100
MPI_Recv(count=1, datatype=MPI_INT, source=0, tag=1, comm=MPI_COMM_WORLD) ; status={source=0 tag=1 bytes=4}
end
`)}
	for calls, want := range map[uint64]string{199: fmt.Sprint([]uint64{7, never}), 200: "[7 8]"} {
		state := &comparison{o: Options{Calls: calls}, notes: map[string]bool{}, result: &Result{}}
		k, err := state.spread(s, []*Arrival{{streams: [2]int{0, 0}, next: [2]uint64{7, 0}}})
		if err != nil || fmt.Sprint(k.from) != want || len(state.result.Notes) != 1-int(calls-199) {
			t.Errorf("%d calls: %v, %v, %q, want %s", calls, k.from, err, state.result.Notes, want)
		}
	}
}
