package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// A masterWorker is a program whose rank 0 gives tasks to whichever worker is idle. The last rank
// takes no part in that; it exchanges with itself. Runs of it differ in whom chance serves first.
type masterWorker struct {
	workers, tasks int
	// receive is how the master gets results: 0 MPI_Recv, 1 MPI_Irecv and MPI_Wait, 2 MPI_Probe and
	// MPI_Recv, 3 MPI_Iprobe, in vain a few times, and MPI_Recv, 4 MPI_Waitany of one receive for
	// each worker.
	receive int
	// what is planted, -1 for nowhere: a task of another size, a call too many in the work on a
	// task, the first two tasks exchanged, the bystander's messages exchanged.
	size, extra            int
	exchanged, bystander   bool
	columns, timed, reduce bool
}

// run is a run of the program as text: chance chooses who is served.
func (p *masterWorker) run(chance *rand.Rand) string {
	n := p.workers + 2
	ranks := make([]strings.Builder, n)
	clocks := make([]int, n)
	call := func(rank int, format string, args ...any) {
		if clocks[rank] += 10; p.timed {
			fmt.Fprintf(&ranks[rank], "%d+%d ", clocks[rank], 1+chance.IntN(9))
		}
		fmt.Fprintf(&ranks[rank], format+"\n", args...)
	}
	for r := range n {
		clocks[r] = chance.IntN(1000) // what clocks say means nothing
		call(r, "MPI_Init() @ m.c:1 [main]")
	}
	open := ""
	if p.columns {
		open = "?"
	}
	size := func(task int) int {
		if task == p.size {
			return 7777
		}
		if p.exchanged && task < 2 {
			task = 1 - task
		}
		return 10 + task%3 + 50*(min(task, 1)+1)
	}
	next := 0
	var busy []int // workers with a task
	doing := make([]int, n)
	serve := func(w int, line int) {
		if next == p.tasks {
			call(0, "MPI_Send(count=0, datatype=MPI_INT, dest=%d, tag=2, comm=MPI_COMM_WORLD) @ m.c:%d [master]", w,
				line+1)
			call(w, "MPI_Recv(count=99, datatype=MPI_INT, source=0, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ m.c:30 "+
				"[worker] ; "+
				"status=%s{source=0 tag=2 bytes=0}", open)
			return
		}
		call(0, "MPI_Send(count=%s%d, datatype=MPI_INT, dest=%s%d, tag=1, comm=MPI_COMM_WORLD) @ m.c:%d [master]", open,
			size(next), open, w, line)
		call(w, "MPI_Recv(count=99, datatype=MPI_INT, source=0, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ m.c:30 "+
			"[worker] ; "+
			"status=%s{source=0 tag=1 bytes=%d}", open, 4*size(next))
		doing[w] = next
		next++
		busy = append(busy, w)
	}
	for w := 1; w <= p.workers; w++ {
		serve(w, 10)
	}
	requests := make([]string, p.workers)
	if p.receive == 4 {
		for w := range requests {
			call(0, "MPI_Irecv(count=99, datatype=MPI_INT, source=%d, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ "+
				"m.c:12 [master] ; "+
				"request=request#%d", w+1, w)
			requests[w] = fmt.Sprintf("request#%d", w)
		}
	}
	for len(busy) > 0 {
		i := chance.IntN(len(busy))
		w := busy[i]
		busy = append(busy[:i], busy[i+1:]...)
		task := doing[w]
		tag := 10 + task%5
		if task == p.extra {
			call(w, "MPI_Get_processor_name() @ m.c:31 [worker]")
		}
		call(w, "MPI_Send(count=1, datatype=MPI_LONG, dest=0, tag=%s%d, comm=MPI_COMM_WORLD) @ m.c:32 [worker]", open,
			tag)
		p.result(call, chance, requests, w, tag, open)
		serve(w, 16)
		if p.receive == 4 && len(busy) > 0 && busy[len(busy)-1] == w {
			call(0, "MPI_Irecv(count=99, datatype=MPI_INT, source=%d, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ "+
				"m.c:18 [master] ; "+
				"request=request#%d", w, w-1)
			requests[w-1] = fmt.Sprintf("request#%d", w-1)
		}
	}
	for i := range 4 {
		tag := 70 + i
		if p.bystander && i < 2 {
			tag = 71 - i
		}
		call(n-1, "MPI_Sendrecv(sendcount=1, sendtype=MPI_INT, dest=%[1]d, sendtag=%[2]d, recvcount=1, "+
			"recvtype=MPI_INT, "+
			"source=%[1]d, recvtag=%[2]d, comm=MPI_COMM_WORLD) @ m.c:40 [other]", n-1, tag)
	}
	var b strings.Builder
	b.WriteString("abi openmpi\n")
	if !p.timed {
		b.WriteString("notiming\n")
	}
	for r := range n {
		if p.reduce {
			call(r, "MPI_Reduce(count=1, datatype=MPI_LONG, op=MPI_SUM, root=0, comm=MPI_COMM_WORLD) @ m.c:50 [main]")
		}
		call(r, "MPI_Finalize() @ m.c:51 [main]")
		fmt.Fprintf(&b, "rank %d of %d on n\n%s", r, n, &ranks[r])
	}
	return b.String()
}

// result is how the master receives the result of a worker.
func (p *masterWorker) result(call func(int, string, ...any), chance *rand.Rand, requests []string, w, tag int,
	open string) {
	status := fmt.Sprintf("status=%s{source=%d tag=%d bytes=8}", open, w, tag)
	recv := func(source, tag string) {
		call(0, "MPI_Recv(count=99, datatype=MPI_LONG, source=%s, tag=%s, comm=MPI_COMM_WORLD) @ m.c:14 [master] ; %s",
			source, tag, status)
	}
	switch p.receive {
	case 0:
		recv("MPI_ANY_SOURCE", "MPI_ANY_TAG")
	case 1:
		call(0, "MPI_Irecv(count=99, datatype=MPI_LONG, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ "+
			"m.c:14 [master] ; request=request#0")
		call(0, "MPI_Wait(request=request#0) @ m.c:15 [master] ; request=MPI_REQUEST_NULL ; %s", status)
	case 2:
		call(0, "MPI_Probe(source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ m.c:13 [master] ; %s", status)
		recv(open+fmt.Sprint(w), open+fmt.Sprint(tag))
	case 3:
		if k := chance.IntN(3); k > 0 {
			call(0, "poll %d MPI_Iprobe(source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ m.c:13 "+
				"[master] ; "+
				"flag=0", k)
		}
		call(0, "MPI_Iprobe(source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ m.c:13 [master] ; flag=1 ; %s",
			status)
		recv(open+fmt.Sprint(w), open+fmt.Sprint(tag))
	case 4:
		call(0, "MPI_Waitany(count=%d, array_of_requests=[%s]) @ m.c:14 [master] ; array_of_requests=[] ; "+
			"index=%s%d ; %s",
			len(requests), strings.Join(requests, ", "), open, w-1, status)
		requests[w-1] = "MPI_REQUEST_NULL"
	}
}

// Two runs of a master with workers differ in nothing but the order in which they are served,
// whatever that order is, however results are received, and whatever clocks say. What was planted
// in one of them is found.
func TestMasterWorker(t *testing.T) {
	o := diff.Options{Structure: true, Parameters: true}
	seeds := 120
	if testing.Short() {
		seeds = 40
	}
	served := 0
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 21))
		p := masterWorker{workers: 2 + r.IntN(4), receive: r.IntN(5), size: -1, extra: -1, columns: r.IntN(2) == 0,
			timed: r.IntN(2) == 0, reduce: r.IntN(2) == 0}
		p.tasks = p.workers + r.IntN(30)
		first := p.run(r)
		same := with(t, first, p.run(r), o)
		if got := texts(same); got != "" {
			t.Fatalf("seed %d, %+v: %s\n%+v", seed, p, got, same.Arrivals)
		}
		if len(same.Follows) > 0 {
			served++
		}
		planted := p
		var want string
		switch r.IntN(4) {
		case 0:
			planted.size, want = r.IntN(p.tasks), "MPI_Send m.c:1"
		case 1:
			planted.extra, want = r.IntN(p.tasks), "MPI_Get_processor_name m.c:31"
		case 2:
			planted.exchanged, want = true, "MPI_Send m.c:10"
		default:
			planted.bystander, want = true, "MPI_Sendrecv m.c:40"
		}
		found := with(t, first, planted.run(r), o)
		if !slices.ContainsFunc(found.Differences, func(d *diff.Difference) bool { return about(d, want) }) {
			t.Fatalf("seed %d, %+v: %s is not found:\n%s", seed, planted, want, texts(found))
		}
	}
	if served < seeds/2 {
		t.Errorf("the order made a difference in %d of %d pairs only", served, seeds)
	}
}

// about tells whether one of the calls of a difference begins with function and call site, or may
// be among those that are not listed.
func about(d *diff.Difference, call string) bool {
	return d.More > 0 || slices.ContainsFunc(append(d.Calls, d.Call), func(c diff.Call) bool {
		return strings.HasPrefix(c.Func+" "+c.Site, call)
	})
}

// Files that are the same have the same differences, in the same order, each time.
func TestSameAnswerEachTime(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 22))
		p := newProgram(r, 1+r.IntN(6))
		for i := range p.ranks {
			p.ranks[i] = append(p.ranks[i], "MPI_Barrier(comm=MPI_COMM_WORLD) @ r.c:7 [g]",
				"MPI_Barrier(comm=MPI_COMM_WORLD) @ r.c:8 [g]")
		}
		q := p.clone()
		for range 1 + r.IntN(2) {
			q.mutate(r)
		}
		a, b := archivetest.Bytes(t, p.String()), archivetest.Bytes(t, q.String())
		want := ""
		for i := range 6 {
			r, err := diff.Of(archivetest.Open(t, a), archivetest.Open(t, b), everything)
			if err != nil {
				t.Fatal(err)
			}
			got := texts(r)
			if i == 0 {
				want = got
			} else if got != want {
				t.Fatalf("seed %d: once\n%s\nthen\n%s", seed, want, got)
			}
		}
	}
}

// Where all outcomes at a rank are certain none of them differs: at the workers, which receive from the master only.
func TestCertain(t *testing.T) {
	o := diff.Options{Structure: true, Parameters: true}
	certain, ranks := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 22))
		p := masterWorker{workers: 2 + r.IntN(4), tasks: 5 + r.IntN(30), receive: r.IntN(5), size: -1, extra: -1,
			columns: r.IntN(2) == 0, reduce: r.IntN(2) == 0}
		n, all, err := diff.Certain(archivetest.InMemory(t, p.run(r)), archivetest.InMemory(t, p.run(r)), o)
		if err != nil {
			t.Fatalf("seed %d, %+v: %v", seed, p, err)
		}
		if n < all-1 { // without the master
			t.Errorf("seed %d, %+v: %d of %d ranks are certain", seed, p, n, all)
		}
		certain, ranks = certain+n, ranks+all
	}
	if certain == ranks {
		t.Error("the masters' outcomes are certain, too")
	}
}
