package clocks

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/spec"
)

const (
	begins = 1_000_000   // true time of the first call, ns
	ends   = 101_000_000 // and of the last
	ahead  = 2_000_000   // of the second host's clock at time 0
	drift  = 50          // ppm
)

// show is what the clock of a host shows at a true time.
func show(host int, t int64) int64 {
	if host == 0 {
		return t
	}
	return ahead + t + t*drift/1_000_000
}

// script is what two ranks on two hosts do: what each calls, in lines, every millisecond. A line
// has the begin and the duration in front, in true ns since the step.
func script(head string, facts [2]string, step [2]string) string {
	var b strings.Builder
	b.WriteString("abi openmpi\n" + head)
	for host := range 2 {
		fmt.Fprintf(&b, "rank %d of 2 on node%d\n", host, host)
		for _, t := range []int64{begins, ends} {
			fmt.Fprintf(&b, "clock %d %d %d\n", show(host, t), show(host, t)+1e15, show(host, t))
		}
		if facts[host] != "" {
			fmt.Fprintf(&b, "fact %s %s\n", archive.InfoClockSync, facts[host])
		}
		for i := range int64(100) {
			for line := range strings.SplitSeq(strings.TrimSpace(step[host]), "\n") {
				var from, duration int64
				at, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				fmt.Sscanf(at, "%d+%d", &from, &duration)
				t := begins + i*1_000_000 + from
				fmt.Fprintf(&b, "%d+%d %s\n", show(host, t), show(host, t+duration)-show(host, t), rest)
			}
		}
	}
	return b.String()
}

// check makes the correction of an archive and compares the second host's clock with the truth.
func check(t *testing.T, text string, known bool) *Correction {
	t.Helper()
	a := archivetest.Archive(t, text)
	c, err := Of(a)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Clocks) != 2 || c.Clocks[1].Known() != known || c.After.Count != 0 {
		t.Fatalf("%+v", c)
	}
	if !known {
		return c
	}
	for s := range a.Streams() {
		host := s.Process()
		for call, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			truth := time.Duration((int64(call.StartTicks) - show(host, 0)) * 1_000_000 / (1_000_000 +
				int64(host)*drift))
			got := c.At(host, call.Start) + begins
			if d := (got - truth).Abs(); d > c.Clocks[1].Residual+10 || d > 20*time.Microsecond {
				t.Fatalf("host %d, call at %v: error %v, residual %v", host, truth, got-truth, c.Clocks[1].Residual)
			}
		}
	}
	return c
}

// TestMessages: all that bounds a clock from both sides makes it known.
func TestMessages(t *testing.T) {
	const wait = "; request=MPI_REQUEST_NULL ; status=?{source=1 tag=1 bytes=8}"
	for name, c := range map[string]struct {
		step  [2]string
		known bool
	}{
		"there and back": {[2]string{
			"0+500 MPI_Send(buf=heap#0, count=8, datatype=MPI_BYTE, dest=1, tag=1, comm=MPI_COMM_WORLD)\n" +
				"1000+100 MPI_Irecv(buf=heap#0, count=8, datatype=MPI_BYTE, source=1, tag=1, comm=MPI_COMM_WORLD) ; " +
				"request=request#0\n" +
				"2000+20000 MPI_Wait(request=request#0) " + wait,
			"500+2500 MPI_Recv(buf=heap#0, count=8, datatype=MPI_BYTE, source=0, tag=1, comm=MPI_COMM_WORLD) ; " +
				"status=?{source=0 tag=1 bytes=8}\n" +
				"20000+500 MPI_Send(buf=heap#0, count=8, datatype=MPI_BYTE, dest=0, tag=1, comm=MPI_COMM_WORLD)",
		}, true},
		"one way": {[2]string{
			"0+500 MPI_Send(buf=heap#0, count=8, datatype=MPI_BYTE, dest=1, tag=1, comm=MPI_COMM_WORLD)",
			"500+2500 MPI_Recv(buf=heap#0, count=8, datatype=MPI_BYTE, source=0, tag=1, comm=MPI_COMM_WORLD) ; " +
				"status=?{source=0 tag=1 bytes=8}",
		}, false},
		"one way, synchronous": {[2]string{
			"0+9500 MPI_Ssend(buf=heap#0, count=8, datatype=MPI_BYTE, dest=1, tag=1, comm=MPI_COMM_WORLD)",
			"5000+2500 MPI_Recv(buf=heap#0, count=8, datatype=MPI_BYTE, source=0, tag=1, comm=MPI_COMM_WORLD) ; " +
				"status=?{source=0 tag=1 bytes=8}",
		}, true},
		"barrier": {[2]string{"0+9500 MPI_Barrier(comm=MPI_COMM_WORLD)",
			"5000+5000 MPI_Barrier(comm=MPI_COMM_WORLD)"}, true},
		"broadcast": {[2]string{
			"0+500 MPI_Bcast(buffer=heap#0, count=8, datatype=MPI_BYTE, root=0, comm=MPI_COMM_WORLD)",
			"0+3000 MPI_Bcast(buffer=heap#0, count=8, datatype=MPI_BYTE, root=0, comm=MPI_COMM_WORLD)",
		}, false},
		"broadcast and reduction": {[2]string{
			"0+500 MPI_Bcast(buffer=heap#0, count=8, datatype=MPI_BYTE, root=0, comm=MPI_COMM_WORLD)\n" +
				"1000+9000 MPI_Reduce(sendbuf=heap#0, recvbuf=heap#0+64, count=8, datatype=MPI_BYTE, op=MPI_BOR, " +
				"root=0, " +
				"comm=MPI_COMM_WORLD)",
			"0+3000 MPI_Bcast(buffer=heap#0, count=8, datatype=MPI_BYTE, root=0, comm=MPI_COMM_WORLD)\n" +
				"5000+100 MPI_Reduce(sendbuf=heap#0, count=8, datatype=MPI_BYTE, op=MPI_BOR, root=0, " +
				"comm=MPI_COMM_WORLD)",
		}, true},
		"nothing but scans": {[2]string{
			"0+500 MPI_Scan(sendbuf=heap#0, recvbuf=heap#0+64, count=8, datatype=MPI_BYTE, op=MPI_BOR, " +
				"comm=MPI_COMM_WORLD)",
			"0+3000 MPI_Scan(sendbuf=heap#0, recvbuf=heap#0+64, count=8, datatype=MPI_BYTE, op=MPI_BOR, " +
				"comm=MPI_COMM_WORLD)",
		}, false},
	} {
		t.Run(name, func(t *testing.T) { check(t, script("", [2]string{}, c.step), c.known) })
	}
}

// TestMeasuredArchive: the measurement alone gives the offset; nothing is concluded from messages
// of a recording that leaves out calls.
func TestMeasuredArchive(t *testing.T) {
	at := show(1, ends)
	fact := fmt.Sprint(0, at, ends-at, 2000)
	step := [2]string{"0+9500 MPI_Barrier(comm=MPI_COMM_WORLD)", "5000+5000 MPI_Barrier(comm=MPI_COMM_WORLD)"}
	c := check(t, script("", [2]string{"", fact}, step), true)
	if k := c.Clocks[1]; k.Best > 1100 || k.Drift < 0 || k.Drift > 130 {
		t.Errorf("%+v", k)
	}
	a := archivetest.Archive(t, script("partial\n", [2]string{"", fact}, step))
	c, err := Of(a)
	if err != nil || c.Ends != 0 || !c.Clocks[1].Known() || c.Clocks[1].Best > 1100 || c.Clocks[1].Drift != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if got, want := c.At(1, ends-begins), time.Duration(ends-begins); (got - want).Abs() > 1000 {
		t.Errorf("%v, want %v", got, want)
	}
	p, err := calls.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = OfProgram(p, Options{LinesOnly: true}); err != nil || c.Passes != 1 || !c.Clocks[1].Known() {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestOrders(t *testing.T) {
	want := map[string]order{
		"MPI_Barrier": barrier, "MPI_Ibarrier": barrier, "MPI_Barrier_init": barrier, "MPI_Ibcast": fromRoot,
		"MPI_Bcast_init_c": fromRoot,
		"MPI_Allreduce_c":  allToAll, "MPI_Iallreduce": allToAll, "MPI_Ireduce": toRoot,
		"MPI_Reduce_scatter_block": allToAll,
		"MPI_Reduce_scatter":       noOrder, "MPI_Alltoallv": noOrder, "MPI_Ialltoall": allToAll, "MPI_Exscan": noOrder,
		"MPI_Comm_dup":           noOrder,
		"MPI_Neighbor_allgather": noOrder, "MPI_Init": noOrder,
	}
	for name, o := range want {
		if got := orderOf(spec.ByName(name)); got != o {
			t.Errorf("%s: %d, want %d", name, got, o)
		}
	}
}
