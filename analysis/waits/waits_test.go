package waits_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// job describes ranks whose calls are given with begin and duration in ns.
func job(ranks ...string) string {
	var b strings.Builder
	b.WriteString("abi mpich\ncommand ./app\n")
	for r, cs := range ranks {
		fmt.Fprintf(&b, "rank %d of %d on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n0+1 MPI_Init() @ a.c:1 "+
			"[main]\n%s\n"+
			"900000+1 MPI_Finalize() @ a.c:99 [main]\n", r, len(ranks), cs)
	}
	return b.String()
}

func send(at, d, dest, tag, line int) string {
	to := fmt.Sprint(dest)
	if dest < 0 {
		to = "MPI_PROC_NULL"
	}
	return fmt.Sprintf("%d+%d MPI_Send(count=1, datatype=MPI_INT, dest=%s, tag=%d, comm=MPI_COMM_WORLD) @ a.c:%d [f]\n",
		at, d, to, tag, line)
}

func recv(at, d, source, tag, line int) string {
	return fmt.Sprintf("%d+%d MPI_Recv(count=1, datatype=MPI_INT, source=%d, tag=%d, comm=MPI_COMM_WORLD) @ a.c:%d "+
		"[f] ; "+
		"status={source=%d tag=%d bytes=4}\n", at, d, source, tag, line, source, tag)
}

func coll(at, d int, call string, line int) string {
	return fmt.Sprintf("%d+%d %s @ a.c:%d [f]\n", at, d, call, line)
}

func of(t *testing.T, desc string, o waits.Options) *waits.Result {
	t.Helper()
	p, err := calls.Open(archivetest.Archive(t, desc))
	if err != nil {
		t.Fatal(err)
	}
	r, err := waits.Of(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	barrier   = "MPI_Barrier(comm=MPI_COMM_WORLD)"
	allreduce = "MPI_Allreduce(count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)"
	bcast     = "MPI_Bcast(count=1, datatype=MPI_INT, root=1, comm=MPI_COMM_WORLD)"
	reduce    = "MPI_Reduce(count=1, datatype=MPI_INT, op=MPI_SUM, root=0, comm=MPI_COMM_WORLD)"
	scan      = "MPI_Scan(count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)"
)

// Calls of the patterns below.
const (
	cart = "MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=1, dims=[3], periods=[0], reorder=0) @ a.c:3 [f] ; " +
		"comm_cart=comm#0"
	neighbors = "MPI_Neighbor_allgather(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=comm#0)"
	irecv     = "50+5 MPI_Irecv(count=1, datatype=MPI_INT, source=0, tag=7, comm=MPI_COMM_WORLD) @ a.c:6 [f] ; " +
		"request=request#0\n"
	test   = "MPI_Test(request=request#0) @ a.c:7 [f]"
	tested = " ; flag=1 ; request=MPI_REQUEST_NULL ; status={source=0 tag=7 bytes=4}\n"
)

// members is ranks that make a communicator and come to a call on it at some times, until one time.
func members(made, call string, at []int, end int) (ranks []string) {
	for r, t := range at { // each rank at a line of its own, so that who waits for whom shows
		ranks = append(ranks, "10+1 "+made+"\n"+coll(t, end-t, call, 5+r))
	}
	return ranks
}

// between is the same for an intercommunicator of ranks 0 and 1 with ranks 2 and 3; roots are what
// the ranks give as root.
func between(call string, at []int, end int, roots ...string) (ranks []string) {
	for r, t := range at {
		c := strings.ReplaceAll(call, "MPI_COMM_WORLD", "comm#1")
		if len(roots) > 0 {
			for _, root := range []string{"root=0", "root=1"} {
				c = strings.ReplaceAll(c, root, "root="+roots[r])
			}
		}
		ranks = append(ranks, fmt.Sprintf("10+1 MPI_Comm_split(comm=MPI_COMM_WORLD, color=%d, key=0) @ a.c:2 [f] ; "+
			"newcomm=comm#0\n"+
			"20+1 MPI_Intercomm_create(local_comm=comm#0, local_leader=0, peer_comm=MPI_COMM_WORLD, "+
			"remote_leader=%d, tag=5) @ "+
			"a.c:3 [f] ; newintercomm=comm#1\n", r/2, 2-r/2*2)+
			coll(t, end-t, c, 5+r))
	}
	return ranks
}

// TestPatterns has each pattern once, with what is to be found: all waits as "kind waiter causer
// ns".
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		name  string
		ranks []string
		want  []string
	}{
		{"late sender", []string{send(500, 10, 1, 7, 5), recv(100, 420, 0, 7, 6)}, []string{"late sender 1 0 400"}},
		{"sender in time", []string{send(50, 10, 1, 7, 5), recv(100, 20, 0, 7, 6)}, nil},
		{"sender later than the end, by skewed clocks", []string{send(500, 10, 1, 7, 5), recv(100, 20, 0, 7, 6)},
			[]string{"late sender 1 0 20"}},
		{"late receiver", []string{send(100, 420, 1, 7, 5), recv(500, 30, 0, 7, 6)}, []string{"late receiver 0 1 400"}},
		{"buffered by the library", []string{send(100, 50, 1, 7, 5), recv(500, 30, 0, 7, 6)}, nil},
		{"buffered like another one", []string{send(50, 10, 1, 7, 5) + send(100, 420, 1, 7, 5),
			recv(200, 10, 0, 7, 6) + recv(500, 30, 0, 7, 6)}, nil},
		{"synchronous", []string{send(50, 10, 1, 7, 5) + strings.ReplaceAll(send(100, 420, 1, 7, 5), "Send", "Ssend"),
			recv(200, 10, 0, 7, 6) + recv(500, 30, 0, 7, 6)}, []string{"late receiver 0 1 400"}},
		{"nonblocking receive", []string{send(500, 10, 1, 7, 5),
			"100+5 MPI_Irecv(count=1, datatype=MPI_INT, source=0, tag=7, comm=MPI_COMM_WORLD) @ a.c:6 [f] ; " +
				"request=request#0\n" +
				"300+230 MPI_Wait(request=request#0) @ a.c:7 [f] ; request=MPI_REQUEST_NULL ; status={source=0 " +
				"tag=7 bytes=4}\n"},
			[]string{"late sender 1 0 200"}},
		{"wrong order, and the message that waits",
			[]string{recv(100, 420, 1, 8, 5) + recv(600, 10, 1, 7, 6), send(50, 10, 0, 7, 7) + send(500, 10, 0, 8, 8)},
			[]string{"wrong order 0 1 400"}},
		{"right order", []string{recv(100, 10, 1, 7, 5) + recv(200, 320, 1, 8, 6),
			send(50, 10, 0, 7, 7) + send(500, 10, 0, 8, 8)}, []string{"late sender 0 1 300"}},
		{"barrier", []string{coll(100, 350, barrier, 5), coll(400, 50, barrier, 5), coll(250, 200, barrier, 5)},
			[]string{"wait at barrier 0 1 300", "wait at barrier 2 1 150"}},
		{"NxN", []string{coll(100, 350, allreduce, 5), coll(400, 50, allreduce, 5)}, []string{"wait at NxN 0 1 300"}},
		{"late broadcast", []string{coll(100, 350, bcast, 5), coll(400, 50, bcast, 5), coll(500, 50, bcast, 5)},
			[]string{"late broadcast 0 1 300"}},
		{"early reduce", []string{coll(100, 350, reduce, 5), coll(200, 10, reduce, 5), coll(400, 10, reduce, 5)},
			[]string{"early reduce 0 2 300"}},
		{"early scan", []string{coll(200, 10, scan, 5), coll(100, 150, scan, 5), coll(150, 100, scan, 5)},
			[]string{"early scan 1 0 100", "early scan 2 0 50"}},
		{"early scan with ranks in reverse", func() (ranks []string) {
			for r, at := range []int{150, 100, 1000} {
				ranks = append(ranks, fmt.Sprintf("10+1 MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=%d) @ "+
					"a.c:4 [f] ; "+
					"newcomm=comm#0\n", -r)+
					coll(at, 1100-at, strings.ReplaceAll(scan, "MPI_COMM_WORLD", "comm#0"), 5))
			}
			return ranks
		}(), []string{"early scan 0 2 850", "early scan 1 2 900"}},
		{"nonblocking collective", []string{
			"100+5 MPI_Ibarrier(comm=MPI_COMM_WORLD) @ a.c:6 [f] ; request=request#0\n" +
				"300+230 MPI_Wait(request=request#0) @ a.c:7 [f] ; request=MPI_REQUEST_NULL\n",
			"500+5 MPI_Ibarrier(comm=MPI_COMM_WORLD) @ a.c:6 [f] ; request=request#0\n" +
				"600+2 MPI_Wait(request=request#0) @ a.c:7 [f] ; request=MPI_REQUEST_NULL\n"},
			[]string{"wait at barrier 0 1 200"}},
		{"neighbours of a line", members(cart, neighbors, []int{100, 200, 500}, 600),
			[]string{"wait for neighbours 0 1 100", "wait for neighbours 1 2 300"}},
		{"neighbours of a graph", func() (ranks []string) { // 0 -> 1 -> 2 -> 0
			for r, at := range []int{100, 400, 250} {
				graph := fmt.Sprintf("MPI_Dist_graph_create_adjacent(comm_old=MPI_COMM_WORLD, indegree=1, sources=[%d], "+
					"outdegree=1, destinations=[%d]) @ a.c:3 [f] ; comm_dist_graph=comm#0", (r+2)%3, (r+1)%3)
				ranks = append(ranks, "10+1 "+graph+"\n"+coll(at, 1000-at, neighbors, 5+r))
			}
			return ranks
		}(), []string{"wait for neighbours 0 2 150", "wait for neighbours 2 1 150"}},
		{"barrier between groups", between(barrier, []int{100, 150, 400, 500}, 600),
			[]string{"wait at barrier 0 3 400", "wait at barrier 1 3 350"}},
		{"NxN between groups", between(allreduce, []int{100, 450, 400, 500}, 600),
			[]string{"wait at NxN 0 3 400", "wait at NxN 1 3 50", "wait at NxN 2 1 50"}},
		{"broadcast between groups", between(bcast, []int{400, 100, 150, 500}, 600, "MPI_ROOT", "MPI_PROC_NULL", "0",
			"0"), []string{"late broadcast 2 0 250"}},
		{"reduction between groups", between(reduce, []int{100, 120, 300, 200}, 600, "MPI_ROOT", "MPI_PROC_NULL", "0",
			"0"), []string{"early reduce 0 2 200"}},
		{"tests in vain before the message", []string{send(310, 10, 1, 7, 5),
			irecv + "100+20 poll 3 " + test + " ; flag=0\n400+50 " + test + tested}, []string{"late sender 1 0 50"}},
		{"tests in vain, and the last one waits",
			[]string{send(430, 10, 1, 7, 5), irecv + "100+20 poll 3 " + test + " ; flag=0\n400+50 " + test + tested},
			[]string{"late sender 1 0 90"}},
		{"tests in vain after the message", []string{send(60, 10, 1, 7, 5),
			irecv + "100+20 poll 3 " + test + " ; flag=0\n400+50 " + test + tested}, nil},
		{"something else after the tests", []string{send(390, 10, 1, 7, 5),
			irecv + "100+20 poll 2 " + test + " ; flag=0\n" + send(350, 10, -1, 0, 8) + "400+50 " + test + tested},
			nil},
		{"collective that is tested for", []string{
			"50+5 MPI_Ibarrier(comm=MPI_COMM_WORLD) @ a.c:6 [f] ; request=request#0\n100+20 poll 3 " + test +
				" ; flag=0\n400+50 " + test + " ; flag=1 ; request=MPI_REQUEST_NULL\n",
			"210+5 MPI_Ibarrier(comm=MPI_COMM_WORLD) @ a.c:6 [f] ; request=request#0\n" +
				"600+2 MPI_Wait(request=request#0) @ a.c:7 [f] ; request=MPI_REQUEST_NULL\n"},
			[]string{"wait at barrier 0 1 30"}},
		{"to itself", []string{"100+10 MPI_Sendrecv(sendcount=1, sendtype=MPI_INT, dest=0, sendtag=1, recvcount=1, " +
			"recvtype=MPI_INT, source=0, recvtag=1, comm=MPI_COMM_WORLD) @ a.c:5 [f] ; status={source=0 tag=1 bytes=4}\n"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := of(t, job(c.ranks...), waits.Options{})
			var got []string
			var sum time.Duration
			for _, g := range r.Groups {
				for _, w := range g.Waiters {
					got = append(got, fmt.Sprintf("%s %d %d %d", g.Kind, w.Process, g.Causers[0].Process,
						w.Time.Nanoseconds()))
					sum += w.Time
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if r.Total.Time != sum {
				t.Errorf("total %v, want %v", r.Total.Time, sum)
			}
		})
	}
}

// TestWaitall: of several messages that one call completes the last one decides.
func TestWaitall(t *testing.T) {
	irecv := func(at, source, n int) string {
		return fmt.Sprintf("%d+5 MPI_Irecv(count=1, datatype=MPI_INT, source=%d, tag=7, comm=MPI_COMM_WORLD) @ "+
			"a.c:%d [f] ; "+
			"request=request#%d\n", at, source, 5+n, n)
	}
	r := of(t, job(irecv(100, 1, 0)+irecv(110, 2, 1)+
		"200+330 MPI_Waitall(count=2, array_of_requests=[request#0, request#1]) @ a.c:7 [f] ; "+
		"array_of_requests=[MPI_REQUEST_NULL, MPI_REQUEST_NULL]\n",
		send(500, 10, 0, 7, 8), send(300, 10, 0, 7, 9)), waits.Options{})
	if len(r.Groups) != 1 || r.Total.Count != 1 || r.Total.Time != 300 || r.Groups[0].Causers[0].Process != 1 {
		t.Errorf("got %+v", r.Groups)
	}
}

// TestRoots: rank 2 is slow; rank 3 waits for its message, and then all wait for rank 3, which is
// not to blame.
func TestRoots(t *testing.T) {
	desc := job(
		coll(100, 450, allreduce, 9),
		coll(100, 450, allreduce, 9),
		send(500, 10, 3, 7, 5)+coll(515, 35, allreduce, 9),
		recv(100, 420, 2, 7, 6)+coll(530, 20, allreduce, 9))
	r := of(t, desc, waits.Options{})
	if r.Total.Time != 400+2*430+15 {
		t.Errorf("total %v", r.Total.Time)
	}
	if len(r.Roots) == 0 || r.Roots[0].Process != 2 || r.Roots[0].Late.Func != "MPI_Send" {
		t.Fatalf("roots %+v", r.Roots)
	}
	// Of the 430 ns that ranks 0 and 1 wait each, rank 3 waited 400 ns itself. It makes up for
	// nothing of that, so that rank 2 in the end waits for what it caused itself.
	if got, want := float64(r.Roots[0].Time), 400+2*400.0+15; math.Abs(got-want) > 1 {
		t.Errorf("%v ns go back to rank 2, want %v", got, want)
	}
	var sum time.Duration
	for _, x := range r.Roots {
		sum += x.Time
	}
	if d := sum - r.Total.Time; d.Abs() > 3 {
		t.Errorf("roots add up to %v, waits to %v", sum, r.Total.Time)
	}
	for _, p := range r.Processes {
		if p.Process == 2 && (math.Abs(float64(p.Root)-1215) > 1 || p.Caused != 400) {
			t.Errorf("rank 2: %+v", p)
		}
	}
}

// TestDelayBefore: rank 1 lost time to rank 0 before rank 2 began to wait for it; that is what made
// it late.
func TestDelayBefore(t *testing.T) {
	r := of(t, job(
		send(400, 10, 1, 7, 5),
		recv(100, 310, 0, 7, 6)+send(700, 10, 2, 8, 7),
		recv(450, 260, 1, 8, 8)), waits.Options{})
	if r.Total.Time != 300+250 || len(r.Roots) != 1 || r.Roots[0].Process != 0 {
		t.Errorf("total %v, roots %+v", r.Total.Time, r.Roots)
	}
}

// steps is a program of n time steps in which rank 1 is late by d(step) ns.
func steps(n int, d func(int) int) string {
	var a, b strings.Builder
	for s := range n {
		at := 1000 * (s + 1)
		a.WriteString(coll(at, d(s)+50, barrier, 9) + send(at+900, 1, -1, 0, 10))
		b.WriteString(coll(at+d(s), 50, barrier, 9) + send(at+900, 1, -1, 0, 10))
	}
	return job(a.String(), b.String())
}

func TestSteps(t *testing.T) {
	r := of(t, steps(50, func(s int) int {
		if s == 17 {
			return 500
		}
		return 20
	}), waits.Options{})
	if len(r.Steps) != 50 || r.Steps[17].Time != 500 || r.Steps[16].Time != 20 || r.Steps[17].Root != 0 {
		t.Fatalf("steps %+v", r.Steps)
	}
	if x := r.Roots[0]; x.Process != 1 || x.Worst != 17 || x.WorstTime != 500 || x.Steps != 50 || x.Waits != 50 {
		t.Errorf("root %+v", x)
	}
}

// TestKeep: sums do not depend on how many waits are kept.
func TestKeep(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	late := make([]int, 300)
	for i := range late {
		late[i] = rng.IntN(400)
	}
	sameSums(t, steps(len(late), func(s int) int { return late[s] }))
	// Rank 0 waits for two messages in one call, of which now the one, now the other is sent later.
	var ranks [3]strings.Builder
	for s := range late {
		at := 10000 * (s + 1)
		for r := range 2 {
			fmt.Fprintf(&ranks[0], "%d+1 MPI_Irecv(count=1, datatype=MPI_INT, source=%d, tag=7, "+
				"comm=MPI_COMM_WORLD) @ a.c:6 "+
				"[f] ; request=request#%d\n", at+10*r, r+1, r)
			ranks[r+1].WriteString(send(at+100+rng.IntN(4000), 1, 0, 7, 5+r))
		}
		fmt.Fprintf(&ranks[0], "%d+5000 MPI_Waitall(count=2, array_of_requests=[request#0, request#1]) @ a.c:8 [f] ; "+
			"array_of_statuses=[{source=1 tag=7 bytes=4}, {source=2 tag=7 bytes=4}]\n", at+50)
	}
	sameSums(t, job(ranks[0].String(), ranks[1].String(), ranks[2].String()))
}

// sameSums compares the waits of which all are kept with those of which few are.
func sameSums(t *testing.T, desc string) {
	t.Helper()
	all := of(t, desc, waits.Options{})
	if all.Total.Count != 300 {
		t.Errorf("%d waits", all.Total.Count)
	}
	for _, keep := range []int{1, 2, 7, 100} {
		r := of(t, desc, waits.Options{Keep: keep})
		if r.Total != all.Total || r.Kinds != all.Kinds {
			t.Errorf("keep %d: total %+v, want %+v", keep, r.Total, all.Total)
		}
		if !reflect.DeepEqual(r.Groups, all.Groups) {
			t.Errorf("keep %d: groups %+v, want %+v", keep, r.Groups, all.Groups)
		}
		kept := uint64(0)
		for _, x := range r.Roots {
			kept += x.Waits
		}
		if kept+r.Short.Count != all.Total.Count || kept > uint64(keep) {
			t.Errorf("keep %d: %d kept, %d short of %d", keep, kept, r.Short.Count, all.Total.Count)
		}
	}
}

// TestSelected: what is not selected does not count, but is followed back.
func TestSelected(t *testing.T) {
	r := of(t, steps(50, func(int) int {
		return 20
	}), waits.Options{Selected: func(stream int, _ uint32, call uint64) bool {
		if stream != 0 {
			t.Errorf("stream %d waits", stream)
		}
		return call >= 11 && call < 31
	}})
	if r.Total.Count != 10 || len(r.Steps) != 10 {
		t.Errorf("total %+v, %d steps", r.Total, len(r.Steps))
	}
}

// TestClock: a rank's clock is corrected before anything else.
func TestClock(t *testing.T) {
	desc := job(send(500, 10, 1, 7, 5), recv(100, 20, 0, 7, 6))
	if r := of(t, desc, waits.Options{}); r.Backwards.Count != 1 || r.Backwards.Max != 380 {
		t.Errorf("received before sent: %+v", r.Backwards)
	}
	r := of(t, desc, waits.Options{Clock: func(p int32, t time.Duration) time.Duration {
		if p == 0 {
			t -= 420
		}
		return t
	}})
	if r.Backwards.Count != 0 || r.Total.Count != 0 {
		t.Errorf("received before sent: %+v, waits %+v", r.Backwards, r.Total)
	}
}

// TestInFiles: of the waiting that goes back to a process, that counts in which it accessed files, also for those that
// wait for another one that waits for it.
func TestInFiles(t *testing.T) {
	read := "200+200 pread(fd=fd#0) @ a.c:3 [f] ; offset=0 ; count=64 ; bytes=64\n"
	r := of(t, job(
		coll(100, 450, allreduce, 9),
		coll(100, 450, allreduce, 9),
		read+send(500, 10, 3, 7, 5)+coll(515, 35, allreduce, 9),
		recv(100, 420, 2, 7, 6)+coll(530, 20, allreduce, 9)), waits.Options{})
	if x := r.Roots[0]; x.Process != 2 || x.InFiles != r.InFiles ||
		math.Abs(float64(x.InFiles)-float64(x.Time)/2) > 1 { // it comes 400 late, and half of that is the access
		t.Errorf("%v in files, roots %+v", r.InFiles, r.Roots)
	}
	// An access that another one has to do with, or nobody waits for, is none.
	r = of(t, job(read+coll(450, 50, allreduce, 9), coll(480, 20, allreduce, 9)), waits.Options{})
	if r.InFiles != 0 || r.Total.Time != 30 {
		t.Errorf("%v in files of %v", r.InFiles, r.Total.Time)
	}
}
