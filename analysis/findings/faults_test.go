package findings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/analysis/faults"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// described is what is said of a job of two ranks.
func described(t *testing.T, ranks ...string) []Finding {
	t.Helper()
	b := &strings.Builder{}
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./job\n")
	for r, text := range ranks {
		fmt.Fprintf(b, "rank %d of %d on node\n%s\n", r, len(ranks), text)
	}
	a := archivetest.Archive(t, b.String())
	p, err := calls.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Worlds: p.Comms.Worlds, Archive: a, Process: p.Process, Step: func(int32, uint64) int64 { return -1 }}
	if in.Standstill, err = consistency.Stuck(p); err != nil {
		t.Fatal(err)
	}
	if in.Faults, err = faults.Of(p); err != nil {
		t.Fatal(err)
	}
	return Of(in)
}

const world = "comm=MPI_COMM_WORLD"

func times(n int, text string) string { return strings.Repeat(text+"\n", n) }

// Each fault has a control that differs in the one thing that makes it none.
func TestFaults(t *testing.T) {
	send := func(tag int) string {
		return fmt.Sprintf("MPI_Send(buf=heap#0, count=4, datatype=MPI_INT, dest=1, tag=%d, %s) @ f.c:3 [f]", tag,
			world)
	}
	recv := func(from, tag int) string {
		return fmt.Sprintf(
			"MPI_Recv(buf=heap#0, count=4, datatype=MPI_INT, source=%d, tag=%d, %s) @ f.c:4 [f]",
			from,
			tag,
			world,
		)
	}
	irecv := "MPI_Irecv(buf=heap#0, count=4, datatype=MPI_INT, source=0, tag=1, " + world +
		") @ f.c:5 [f] ; request=request#0"
	wait := "MPI_Wait(request=request#0) @ f.c:6 [f]"
	isend := "MPI_Isend(buf=heap#0, count=4, datatype=MPI_INT, dest=1, tag=9, " + world +
		") @ f.c:7 [f] ; request=request#%d\n"
	dup, free := "MPI_Comm_dup("+world+") @ f.c:8 [f] ; newcomm=comm#%d\n", "MPI_Comm_free(comm=comm#0)\n"
	var dups, isends strings.Builder
	for i := range 300 {
		fmt.Fprintf(&dups, dup, i)
		fmt.Fprintf(&isends, isend, i)
	}
	doubles := strings.Replace(recv(0, 1), "MPI_INT", "MPI_DOUBLE", 1)
	for name, c := range map[string]struct {
		fault, control []string
		kind           Kind
		want           string
	}{
		"another tag": {
			[]string{send(2), "killed 15\n" + recv(0, 1) + " ; unfinished"}, []string{send(1), recv(0, 1)}, Deadlock,
			"rank 1 waits in MPI_Recv at f.c:4 [f] for a message from rank 0 with tag 1 on world, but rank 0 sent " +
				"one with tag 2 " +
				"in MPI_Send at f.c:3 [f], which nobody receives"},
		"in a wait": {
			[]string{send(2), "killed 15\n" + irecv + "\n" + wait + " ; unfinished"},
			[]string{send(1), irecv + "\n" + wait}, Deadlock,
			"rank 1 waits in MPI_Wait at f.c:6 [f] for a message from rank 0 with tag 1 on world (MPI_Irecv at " +
				"f.c:5 [f])"},
		"head to head": {
			[]string{"killed 15\n" + recv(1, 1) + " ; unfinished", "killed 15\n" + recv(0, 1) + " ; unfinished"},
			[]string{"killed 15\n" + recv(1, 1), recv(0, 1)}, Deadlock,
			"rank 0 waits in MPI_Recv at f.c:4 [f] for a message from rank 1 with tag 1 on world; rank 1 waits in"},
		"crash": {[]string{"killed 11\n" + send(1), "killed 9\n" + recv(0, 1)}, []string{send(1), recv(0, 1)}, Crash,
			"Rank 0 crashed: killed by signal 11, after MPI_Send at f.c:3 [f] (dest=1, tag=1, comm=MPI_COMM_WORLD) " +
				"returned"},
		"ended from outside": {[]string{"killed 15\n" + send(1), "killed 15\n" + recv(0, 1)},
			[]string{send(1), recv(0, 1)}, Crash,
			"The job was ended from outside: rank 0 was killed by signal 15, and so were 1 others"},
		"an error": {[]string{send(1) + "\n" + send(2) + " ; ret 2", recv(0, 1)}, []string{send(1), recv(0, 1)},
			CallError,
			"MPI_Send at f.c:3 [f] returns MPI_ERR_COUNT once, on rank 0 (dest=1, tag=2"},
		"communicators": {[]string{dups.String(), dups.String()}, []string{times(300, fmt.Sprintf(dup, 0)+free),
			times(300, fmt.Sprintf(dup, 0)+free)}, Leak,
			"300 of 300 communicators made in MPI_Comm_dup at f.c:8 [f] are never freed (on each of ranks 0-1)"},
		"requests": {[]string{isends.String(), times(300, recv(0, 9))}, []string{times(300, fmt.Sprintf(isend, 0)+
			"MPI_Wait(request=request#0) @ f.c:9 [f] ; request=MPI_REQUEST_NULL"), times(300, recv(0, 9))}, Leak,
			"300 requests are neither completed (MPI_Wait, MPI_Test) nor freed, made in MPI_Isend at f.c:7 [f] by " +
				"rank 0: the " +
				"first one from rank 0 to rank 1 with tag 9"},
		"freed requests": {[]string{isends.String(), times(300, recv(0, 9))}, []string{times(300, fmt.Sprintf(isend, 0)+
			"MPI_Request_free(request=request#0) @ f.c:9 [f]"), times(300, recv(0, 9))}, Leak, "300 requests"},
		"a message": {[]string{send(1) + "\n" + send(2), recv(0, 1)}, []string{send(1), recv(0, 1)}, Unmatched,
			"1 message is never received (16 bytes), sent in MPI_Send at f.c:3 [f] by rank 0: the first one from " +
				"rank 0 to rank 1 " +
				"with tag 2"},
		"another type": {[]string{send(1), doubles}, []string{send(1), strings.Replace(doubles, "DOUBLE", "2INT", 1)},
			Mismatch,
			"Messages are received in MPI_Recv at f.c:4 [f] as another datatype than they were sent as: rank 1 " +
				"receives elements of " +
				"8 bytes (MPI_DOUBLE), and rank 0 sends those of 4 bytes (MPI_INT) in MPI_Send at f.c:3 [f]"},
		"bytes": {[]string{send(1), doubles}, []string{send(1), strings.Replace(doubles, "count=4, datatype=MPI_DOUBLE",
			"count=16, datatype=MPI_BYTE", 1)}, Mismatch,
			"8 bytes"},
		"no elements": {[]string{send(1), doubles}, []string{strings.Replace(send(1), "count=4", "count=0", 1),
			doubles}, Mismatch, "8 bytes"},
		"complex numbers": {[]string{send(1), doubles}, []string{send(1), strings.Replace(doubles, "MPI_DOUBLE",
			"MPI_C_DOUBLE_COMPLEX", 1)}, Mismatch, "8 bytes"},
		"pairs": {[]string{send(1), doubles}, []string{send(1), strings.Replace(doubles, "MPI_DOUBLE",
			"MPI_DOUBLE_INT", 1)}, Mismatch, "8 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			found := described(t, c.fault...)
			if len(found) == 0 || found[0].Kind != c.kind || !strings.Contains(found[0].Text, c.want) {
				t.Errorf("%+v\nwant %s: %q", found, c.kind, c.want)
			}
			for _, n := range described(t, c.control...) {
				if n.Kind == c.kind {
					t.Errorf("the control has %+v", n)
				}
			}
		})
	}
}
