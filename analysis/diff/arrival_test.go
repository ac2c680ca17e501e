package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
)

// farm is a master that gives work to whoever asks; order is who does.
func farm(order []int, change func(item int) string) string {
	var b strings.Builder
	b.WriteString("abi openmpi\nrank 0 of 3 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n" +
		"0+1 MPI_Init() @ f.c:1 [main]\n")
	at := 10
	for i, w := range order {
		fmt.Fprintf(&b, "%d+1 MPI_Recv(count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=1, "+
			"comm=MPI_COMM_WORLD) @ f.c:5 "+
			"[main] ; status={source=%d tag=1 bytes=4}\n", at, w)
		fmt.Fprintf(&b,
			"%d+1 MPI_Send(count=%s, datatype=MPI_INT, dest=%d, tag=2, comm=MPI_COMM_WORLD) @ f.c:6 [main]\n",
			at+2, change(i), w)
		at += 10
	}
	fmt.Fprintf(&b, "%d+1 MPI_Finalize() @ f.c:7 [main]\n", at)
	for w := 1; w < 3; w++ {
		fmt.Fprintf(&b,
			"rank %d of 3 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n0+1 MPI_Init() @ f.c:1 [main]\n", w)
		at := 10
		for i, x := range order {
			if x == w {
				fmt.Fprintf(&b, "%d+1 MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD) @ "+
					"f.c:9 [work]\n",
					10*i+5)
				fmt.Fprintf(&b, "%d+1 MPI_Recv(count=99, datatype=MPI_INT, source=0, tag=2, comm=MPI_COMM_WORLD) @ "+
					"f.c:10 [work] ; "+
					"status=MPI_STATUS_IGNORE\n", 10*i+13)
			}
			at += 10
		}
		fmt.Fprintf(&b, "%d+1 MPI_Finalize() @ f.c:7 [main]\n", at)
	}
	return b.String()
}

// Who is served first, and what follows from it, is no difference; what is served is.
func TestArrival(t *testing.T) {
	item := func(i int) string { return fmt.Sprint(10 + i%3) }
	a := farm([]int{1, 2, 1, 2, 1, 2, 1, 2}, item)
	o := diff.Options{Structure: true, Parameters: true}
	r := with(t, a, farm([]int{1, 2, 2, 2, 1, 2, 1, 2}, item), o)
	if len(r.Differences) != 0 || len(r.Follows) == 0 || len(r.Arrivals) != 1 {
		t.Fatalf("%s\n%+v\n%+v", texts(r), r.Follows, r.Arrivals)
	}
	if x := r.Arrivals[0]; x.Rank != 0 || x.Call.Func != "MPI_Recv" || x.Param != "status" || x.CallA != 5 {
		t.Errorf("%+v", x)
	}
	// One item more, one item that is another, and one before the order differs.
	for i, b := range []string{
		farm([]int{1, 2, 2, 2, 1, 2, 1, 2, 1}, item),
		farm([]int{1, 2, 2, 2, 1, 2, 1, 2}, func(i int) string {
			if i == 5 {
				return "77"
			}
			return item(i)
		}),
	} {
		if r := with(t, a, b, o); len(r.Differences) == 0 || len(r.Follows) != 0 || len(r.Arrivals) != 1 {
			t.Errorf("%d: %s\n%+v\n%+v", i, texts(r), r.Follows, r.Arrivals)
		}
	}
	// the same items, the first two otherwise
	early := func(i int) string { return item([]int{2, 1, 0, 3, 4, 5, 6, 7}[i]) }
	if r := with(t, a, farm([]int{1, 2, 2, 2, 1, 2, 1, 2}, early), o); len(r.Differences) == 0 {
		t.Errorf("what came before the order differed was laid to it: %+v", r.Follows)
	}
}

// A worker asks for the next item before the master serves another one first, and waits. On the
// clock what it does with the item begins before the order differs; it follows from it
// nevertheless. So it does if the clocks of hosts are apart, and if there are none.
func TestArrivalIsToldWithoutClocks(t *testing.T) {
	o := diff.Options{Structure: true, Parameters: true}
	farm := func(clock string, order ...int) string {
		var b strings.Builder
		worker := map[int]*strings.Builder{1: {}, 2: {}}
		b.WriteString("abi openmpi\n" + clock + "\nrank 0 of 3 on n\nMPI_Init() @ f.c:1 [main]\n")
		for _, w := range order {
			fmt.Fprintf(&b, "MPI_Recv(count=1, source=MPI_ANY_SOURCE, tag=1, comm=MPI_COMM_WORLD) @ f.c:5 [main] ; "+
				"status={source=%d tag=1 bytes=4}\n", w)
			fmt.Fprintf(&b, "MPI_Send(count=1, dest=%d, tag=2, comm=MPI_COMM_WORLD) @ f.c:6 [main]\n", w)
			fmt.Fprintf(worker[w], "MPI_Send(count=1, dest=0, tag=1, comm=MPI_COMM_WORLD) @ f.c:9 [work]\n")
			fmt.Fprintf(worker[w],
				"MPI_Recv(count=9, source=0, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ f.c:10 [work] ; "+
					"status={source=0 tag=2 bytes=4}\n")
		}
		for w := 1; w < 3; w++ {
			fmt.Fprintf(&b, "rank %d of 3 on n\nMPI_Init() @ f.c:1 [main]\n%s", w, worker[w])
		}
		return b.String()
	}
	for _, clock := range []string{"", "notiming"} {
		// All workers begin at once on the clock, and all orders are those of the same items.
		r := with(t, farm(clock, 1, 2, 1, 2, 1, 2, 1, 2), farm(clock, 1, 2, 2, 2, 2, 2, 1, 2), o)
		if len(r.Differences) != 0 || len(r.Follows) == 0 || len(r.Arrivals) != 1 || r.Arrivals[0].Rank != 0 {
			t.Errorf("%s: %s\n%+v", clock, texts(r), r.Arrivals)
		}
	}
}

// A receive from one rank gets that rank's messages in the order in which they were sent: what
// differs in its tag or its size is the sender's doing, and excuses nobody.
func TestTagsAreNoArrival(t *testing.T) {
	program := func(first, second int) string {
		return fmt.Sprintf(`abi openmpi
rank 0 of 2 on n
MPI_Send(count=1, dest=1, tag=%[1]d, comm=MPI_COMM_WORLD) @ a.c:1 [main]
MPI_Send(count=1, dest=1, tag=%[2]d, comm=MPI_COMM_WORLD) @ a.c:1 [main]
MPI_Recv(count=1, source=1, tag=9, comm=MPI_COMM_WORLD) @ a.c:2 [main]
rank 1 of 2 on n
MPI_Recv(count=1, source=0, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ a.c:3 [main] ; status={source=0 tag=%[1]d bytes=4}
MPI_Recv(count=1, source=0, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ a.c:3 [main] ; status={source=0 tag=%[2]d bytes=4}
MPI_Send(count=1, dest=0, tag=9, comm=MPI_COMM_WORLD) @ a.c:4 [main]
`, first, second)
	}
	r := with(t, program(5, 6), program(6, 5), diff.Options{Structure: true, Parameters: true})
	if len(r.Differences) != 2 || len(r.Arrivals)+len(r.Follows) != 0 {
		t.Errorf("%s\n%+v\n%+v", texts(r), r.Arrivals, r.Follows)
	}
}

// One line of differences of a parameter names the first occurrence and counts all of them.
func TestValuesThatVary(t *testing.T) {
	program := func(from, by int) string {
		var b strings.Builder
		b.WriteString("abi mpich\nrank 0 of 1 on n\n")
		for i := range 60 {
			n := 10 + i%7
			if i >= from {
				n += by
			}
			fmt.Fprintf(&b, "MPI_Bcast(count=%d, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ v.c:3 [main]\n", n)
		}
		return b.String()
	}
	for range 10 { // always the same
		r := with(t, program(60, 0), program(38, 500), diff.Options{Structure: true, Parameters: true})
		if len(r.Differences) != 1 {
			t.Fatal(texts(r))
		}
		d := r.Differences[0]
		if d.Count != 22 || d.Of != 60 || !d.Varies || d.CallA != 38 || d.A != "13" || d.B != "513" || !d.FromThereOn {
			t.Errorf("%+v", d)
		}
	}
}
