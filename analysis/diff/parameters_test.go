package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
)

// job is a program in which each rank makes the same calls, "{r}" in them being its rank and
// "{next}" the next one.
func job(abi string, ranks int, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "abi %s\n", abi)
	for r := range ranks {
		own := strings.NewReplacer("{r}", fmt.Sprint(r), "{next}", fmt.Sprint((r+1)%ranks)).Replace(body)
		fmt.Fprintf(&b, "rank %d of %d on n\n%s\n", r, ranks, own)
	}
	return b.String()
}

// Values are compared by what they mean, not by how they are written down.
func TestMeaning(t *testing.T) {
	o := diff.Options{Structure: true, Parameters: true}
	for _, c := range []struct {
		name, a, b string
		want       string // "" if they mean the same
	}{
		{"equal numbers", "MPI_Send(count=1, dest={next}, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f]",
			"MPI_Send(count=1, dest={next}, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f]", ""},
		{"another count at all ranks", "MPI_Send(count=1, dest={next}, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f]",
			"MPI_Send(count=2, dest={next}, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f]",
			"parameter 0-3 MPI_Send a.c:1 [f] count 1 2 1/1 []"},
		{"another function of the rank", "MPI_Send(count=1, dest={next}, tag={r}, comm=MPI_COMM_WORLD) @ a.c:1 [f]",
			"MPI_Send(count=1, dest={next}, tag={next}, comm=MPI_COMM_WORLD) @ a.c:1 [f]",
			"parameter 0-3 MPI_Send a.c:1 [f] tag 0 1 1/1 []"},
		{"another datatype", "MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f]",
			"MPI_Send(count=1, datatype=MPI_FLOAT, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f]",
			"parameter 0-3 MPI_Send a.c:1 [f] datatype MPI_INT MPI_FLOAT 1/1 []"},
		{"another operation", "MPI_Allreduce(count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD) @ a.c:1 [f]",
			"MPI_Allreduce(count=1, datatype=MPI_INT, op=MPI_MAX, comm=MPI_COMM_WORLD) @ a.c:1 [f]",
			"parameter 0-3 MPI_Allreduce a.c:1 [f] op MPI_SUM MPI_MAX 1/1 []"},
		{"the number of a request", "MPI_Irecv(count=1, source=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f] ; " +
			"request=request#0",
			"MPI_Irecv(count=1, source=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f] ; request=request#5", ""},
		{"the number of a datatype of the same size",
			"MPI_Type_contiguous(count=3, oldtype=MPI_INT) @ a.c:1 [f] ; newtype=type#0\n" +
				"MPI_Send(count=1, datatype=type#0, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:2 [f]",
			"MPI_Type_contiguous(count=3, oldtype=MPI_INT) @ a.c:1 [f] ; newtype=type#4\n" +
				"MPI_Send(count=1, datatype=type#4, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:2 [f]", ""},
		{"a datatype of another size",
			"MPI_Type_contiguous(count=3, oldtype=MPI_INT) @ a.c:1 [f] ; newtype=type#0\n" +
				"MPI_Type_contiguous(count=4, oldtype=MPI_INT) @ a.c:2 [f] ; newtype=type#1\n" +
				"MPI_Send(count=1, datatype=type#0, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:3 [f]",
			"MPI_Type_contiguous(count=3, oldtype=MPI_INT) @ a.c:1 [f] ; newtype=type#0\n" +
				"MPI_Type_contiguous(count=4, oldtype=MPI_INT) @ a.c:2 [f] ; newtype=type#1\n" +
				"MPI_Send(count=1, datatype=type#1, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:3 [f]",
			"parameter 0-3 MPI_Send a.c:3 [f] datatype type#0 type#1 1/1 []"},
		{"the number of a communicator",
			"MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; newcomm=comm#0\nMPI_Barrier(comm=comm#0) @ a.c:2 [f]",
			"MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; newcomm=comm#3\nMPI_Barrier(comm=comm#3) @ a.c:2 [f]", ""},
		{"another communicator",
			"MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; newcomm=comm#0\n" +
				"MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:2 [f] ; newcomm=comm#1\nMPI_Barrier(comm=comm#0) @ a.c:3 [f]",
			"MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; newcomm=comm#0\n" +
				"MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:2 [f] ; newcomm=comm#1\nMPI_Barrier(comm=comm#1) @ a.c:3 [f]",
			"parameter 0-3 MPI_Barrier a.c:3 [f] comm comm#0 comm#1 1/1 []"},
		{"an array", "MPI_Type_indexed(count=2, array_of_blocklengths=[1, 2], array_of_displacements=[0, 4], " +
			"oldtype=MPI_INT) @ a.c:1 [f] ; newtype=type#0",
			"MPI_Type_indexed(count=2, array_of_blocklengths=[1, 3], array_of_displacements=[0, 4], " +
				"oldtype=MPI_INT) @ a.c:1 " +
				"[f] ; newtype=type#0",
			"parameter 0-3 MPI_Type_indexed a.c:1 [f] array_of_blocklengths [1, 2] [1, 3] 1/1 []"},
		{"a result that is asked for", "MPI_Comm_rank(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; rank=1",
			"MPI_Comm_rank(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; rank=2",
			"result 0-3 MPI_Comm_rank a.c:1 [f] rank 1 2 1/1 []"},
		{"a result of the machine", "MPI_Get_processor_name() @ a.c:1 [f] ; name=\"n1\"; resultlen=2",
			"MPI_Get_processor_name() @ a.c:1 [f] ; name=\"node2\"; resultlen=5", ""},
		{"an error", "MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:1 [f]",
			"MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; ret 5",
			"result 0-3 MPI_Barrier a.c:1 [f] return MPI_SUCCESS MPI_ERR_COMM 1/1 []"},
		{"a receive from anybody",
			"MPI_Recv(count=1, source=MPI_ANY_SOURCE, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f] ; " +
				"status={source=1 tag=1 bytes=4}",
			"MPI_Recv(count=1, source=MPI_ANY_SOURCE, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f] ; status={source=2 tag=1 " +
				"bytes=4}", ""},
		{"an environment", "MPI_Get_library_version() @ a.c:1 [f] ; version=\"A\"; resultlen=1",
			"MPI_Get_library_version() @ a.c:1 [f] ; version=\"BC\"; resultlen=2", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := with(t, job("mpich", 4, c.a), job("mpich", 4, c.b), o)
			lines := strings.Split(texts(r), "\n")
			if lines[0] != c.want {
				t.Errorf("got  %s\nwant %s", texts(r), c.want)
			}
		})
	}
}

// Constants have other values in another MPI and mean the same.
func TestTwoABIs(t *testing.T) {
	body := "MPI_Recv(count=1, datatype=MPI_DOUBLE, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ " +
		"a.c:1 " +
		"[f] ; status={source=1 tag=1 bytes=8}\n" +
		"MPI_Send(count=1, datatype=MPI_DOUBLE, dest=MPI_PROC_NULL, tag=1, comm=MPI_COMM_SELF) @ a.c:2 [f]\n" +
		"MPI_Allreduce(sendbuf=MPI_IN_PLACE, count=1, datatype=MPI_INT, op=MPI_MAXLOC, comm=MPI_COMM_WORLD) @ a.c:3 [f]"
	o := diff.Options{Structure: true, Parameters: true}
	if got := texts(with(t, job("mpich", 2, body), job("openmpi", 2, body), o)); got != "" {
		t.Error(got)
	}
	changed := strings.Replace(body, "MPI_MAXLOC", "MPI_MINLOC", 1)
	want := "parameter 0-1 MPI_Allreduce a.c:3 [f] op MPI_MAXLOC MPI_MINLOC 1/1 []"
	if got := texts(with(t, job("mpich", 2, body), job("openmpi", 2, changed), o)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What is compared can be chosen.
func TestWhat(t *testing.T) {
	a := job("mpich", 2, "loop 5\nMPI_Bcast(count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ a.c:1 [f]\nend\n"+
		"MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:2 [f]")
	b := job("mpich", 2, "loop 6\nMPI_Bcast(count=2, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ a.c:1 [f]\nend\n"+
		"MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:2 [f]")
	count := "parameter 0-1 MPI_Bcast a.c:1 [f] count 1 2 5/5 []"
	trips := "loop 0-1 MPI_Bcast  a.c:1 [f] 5 6 1/0 step"
	for _, c := range []struct {
		o    diff.Options
		want []string
	}{
		{diff.Options{Structure: true, Parameters: true}, []string{count, trips}},
		{diff.Options{Structure: true}, []string{trips}},
		{diff.Options{Parameters: true}, []string{count}},
		{diff.Options{}, nil},
	} {
		r := with(t, a, b, c.o)
		var got []string
		for _, d := range r.Differences {
			got = append(got, text(d))
		}
		if fmt.Sprint(sorted(got)) != fmt.Sprint(sorted(c.want)) || r.Ranks != 2 {
			t.Errorf("%+v: got %q, want %q", c.o, got, c.want)
		}
	}
}
