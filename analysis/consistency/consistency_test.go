package consistency

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// job is the archive of ranks whose calls between MPI_Init and MPI_Finalize are given.
func job(t testing.TB, ranks ...string) *archive.Archive {
	t.Helper()
	var b strings.Builder
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./job\n")
	for r, calls := range ranks {
		fmt.Fprintf(&b, "rank %d of %d on node\nMPI_Init(argc=0) @ j.c:1 [main]\n%s\nMPI_Finalize() @ j.c:99 [main]\n",
			r, len(ranks), calls)
	}
	raw := archivetest.Bytes(t, b.String())
	a, err := archive.OpenReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const (
	send  = "MPI_Send(buf=heap#0, count=%d, datatype=MPI_INT, dest=%d, tag=3, comm=MPI_COMM_WORLD) @ j.c:4 [main]"
	recv  = "MPI_Recv(buf=heap#0+64, count=%d, datatype=MPI_INT, source=%d, tag=3, comm=MPI_COMM_WORLD) @ j.c:5 [main]"
	bcast = "MPI_Bcast(buffer=heap#0, count=%d, datatype=MPI_INT, root=%d, comm=MPI_COMM_WORLD) @ j.c:6 [main]"
	sum   = "MPI_Allreduce(sendbuf=heap#0, recvbuf=heap#1, count=%d, datatype=MPI_INT, op=%s, comm=MPI_COMM_WORLD) @ " +
		"j.c:7 [main]"
	join = "MPI_Gather(sendbuf=heap#0, sendcount=%d, sendtype=MPI_INT, recvbuf=heap#1, recvcount=%d, recvtype=MPI_INT, " +
		"root=0, comm=MPI_COMM_WORLD) @ j.c:8 [main]"
	swap = "MPI_Alltoall(sendbuf=heap#0, sendcount=%d, sendtype=MPI_INT, recvbuf=heap#1, recvcount=%d, " +
		"recvtype=MPI_INT, comm=MPI_COMM_WORLD) @ j.c:11 [main]"
	split = "MPI_Comm_split(comm=MPI_COMM_WORLD, color=%d, key=0) @ j.c:9 [main] ; newcomm=comm#0\n" +
		"MPI_Comm_size(comm=comm#0) @ j.c:10 [main] ; size=%d"
)

const wait = "MPI_Ssend(buf=heap#0, count=%d, datatype=MPI_INT, dest=%d, tag=3, comm=MPI_COMM_WORLD) @ j.c:12 [main]"

// ring is what a rank does if all receive from the left first, after some steps in which they send first.
func ring(ranks, rank int) string {
	to, from := line(send, 4, (rank+1)%ranks), line(recv, 4, (rank+ranks-1)%ranks)
	return "loop 20\n" + to + "\n" + from + "\nend\n" + from + "\n" + to
}

func line(format string, args ...any) string { return fmt.Sprintf(format, args...) }

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		ranks []string
		want  []string // kind, function and text of each problem
	}{
		{"a message", []string{line(send, 4, 1), line(recv, 4, 0)}, nil},
		{"room for more", []string{line(send, 4, 1), line(recv, 9, 0)}, nil},
		{"a loop of messages", []string{"loop 50\n" + line(send, 4, 1) + "\nend",
			"loop 50\n" + line(recv, 4, 0) + "\nend"}, nil},
		{"one message less", []string{"loop 50\n" + line(send, 4, 1) + "\nend",
			"loop 49\n" + line(recv, 4, 0) + "\nend"},
			[]string{"0 MPI_Send j.c:4 [main]: process 0 sends to process 1 with tag 3, which does not receive it"}},
		{"nobody sends", []string{"", line(recv, 4, 0)},
			[]string{"0 MPI_Recv j.c:5 [main]: process 1 receives from process 0 with tag 3, which sends no such message"}},
		{"too long", []string{line(send, 8, 1), line(recv, 4, 0)},
			[]string{"1 MPI_Recv j.c:5 [main]: process 1 has room for 16 bytes, and process 0 sends 32"}},
		{"beyond the last rank", []string{line(send, 4, 2), ""},
			[]string{"0 MPI_Send j.c:4 [main]: process 0 sends to a rank that the communicator does not have with " +
				"tag 3, which " +
				"does not receive it"}},
		{"a broadcast", []string{line(bcast, 4, 1), line(bcast, 4, 1)}, nil},
		{"two roots", []string{line(bcast, 4, 1), line(bcast, 4, 0)},
			[]string{"4 MPI_Bcast j.c:6 [main] root: process 0 has 1, process 1 has 0"}},
		{"no such root", []string{line(bcast, 4, 2), line(bcast, 4, 2)},
			[]string{"4 MPI_Bcast j.c:6 [main] root: process 0 has 2, on a communicator of 2 ranks"}},
		{"two lengths", []string{line(bcast, 4, 1), line(bcast, 5, 1)},
			[]string{"5 MPI_Bcast j.c:6 [main]: process 0 takes part with 16 bytes, process 1 with 20"}},
		{"a sum", []string{line(sum, 4, "MPI_SUM"), line(sum, 4, "MPI_SUM")}, nil},
		{"a sum and a product", []string{line(sum, 4, "MPI_SUM"), line(sum, 4, "MPI_PROD")},
			[]string{"4 MPI_Allreduce j.c:7 [main] op: processes 0 and 1 have different ones"}},
		{"another function", []string{line(sum, 4, "MPI_SUM"), line(bcast, 4, 0)},
			[]string{"3 MPI_Allreduce j.c:7 [main]: as number 1 on world, process 1 calls MPI_Bcast at j.c:6 [main] " +
				"instead"}},
		{"once more", []string{line(bcast, 4, 0) + "\n" + line(bcast, 4, 0), line(bcast, 4, 0)},
			[]string{"2 MPI_Bcast j.c:6 [main]: 1 of 2 processes do not make collective call 2 on world"}},
		{"a gathering", []string{line(join, 4, 4), line(join, 4, 4)}, nil},
		{"less than is sent", []string{line(join, 4, 4), line(join, 3, 4)},
			[]string{"5 MPI_Gather j.c:8 [main]: 28 bytes are sent and 32 are received"}},
		{"all to all", []string{line(swap, 4, 4), line(swap, 4, 4)}, nil},
		{"all to all, unequal", []string{line(swap, 4, 4), line(swap, 5, 5)},
			[]string{"5 MPI_Alltoall j.c:11 [main]: process 0 takes part with 32 bytes, process 1 with 40"}},
		{"less than nothing", []string{line(send, -4, 1), line(recv, 4, 0)},
			[]string{"7 MPI_Send j.c:4 [main] count: process 0 has -4"}},
		{"both receive first", []string{line(recv, 4, 1) + "\n" + line(send, 4, 1),
			line(recv, 4, 0) + "\n" + line(send, 4, 0)},
			[]string{"8 MPI_Recv j.c:5 [main]: process 0 waits in MPI_Recv for process 1, which waits in MPI_Recv " +
				"for process 0"}},
		{"both send first", []string{line(send, 4, 1) + "\n" + line(recv, 4, 1),
			line(send, 4, 0) + "\n" + line(recv, 4, 0)}, nil},
		{"both send first, and wait for it", []string{line(wait, 4, 1) + "\n" + line(recv, 4, 1),
			line(wait, 4, 0) + "\n" + line(recv, 4, 0)},
			[]string{"8 MPI_Ssend j.c:12 [main]: process 0 waits in MPI_Ssend for process 1, which waits in " +
				"MPI_Ssend for " +
				"process 0"}},
		{"a ring that the last one breaks", []string{line(recv, 4, 2) + "\n" + line(send, 4, 1),
			line(recv, 4, 0) + "\n" + line(send, 4, 2), line(send, 4, 0) + "\n" + line(recv, 4, 1)}, nil},
		{"a ring of five in the midst of a loop", []string{ring(5, 0), ring(5, 1), ring(5, 2), ring(5, 3), ring(5, 4)},
			[]string{"8 MPI_Recv j.c:5 [main]: process 0 waits in MPI_Recv for process 4, which waits in MPI_Recv " +
				"for process 3, " +
				"which waits in MPI_Recv for process 2, which waits in MPI_Recv for process 1 and so on in a circle"}},
		{"a message behind a collective", []string{line(recv, 4, 1) + "\n" + line(sum, 4, "MPI_SUM"),
			line(sum, 4, "MPI_SUM") + "\n" + line(send, 4, 0)},
			[]string{"8 MPI_Recv j.c:5 [main]: process 0 waits in MPI_Recv for process 1, which waits in " +
				"MPI_Allreduce for " +
				"process 0"}},
		{"a message behind a broadcast of its own", []string{line(recv, 4, 1) + "\n" + line(bcast, 4, 1),
			line(bcast, 4, 1) + "\n" + line(send, 4, 0)}, nil},
		{"halves", []string{line(split, 0, 1), line(split, 1, 1)}, nil},
		{"a wrong size", []string{line(split, 0, 2), line(split, 1, 1)},
			[]string{"6 : world/split0:0 has size 1 at rank 0, where the program was told 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := Of(job(t, c.ranks...))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range list {
				p := &list[i]
				where := strings.TrimRight(fmt.Sprintf("%s %s %s", p.Func, p.Site, p.Param), " ")
				got = append(got, fmt.Sprintf("%d %s: %s", p.Kind, where, p.Text))
				if p.Kind != Membership && p.Processes.Len() == 0 {
					t.Error("no processes: ", got[i])
				}
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("%q instead of %q", got, c.want)
			}
		})
	}
}

// Damaged archives give problems or errors, and nothing else.
func TestDamaged(t *testing.T) {
	var ranks []string
	for r := range 4 {
		ranks = append(ranks, line(split, r%2, 2)+"\nloop 20\n"+line(send, 4, (r+1)%4)+"\n"+line(recv, 4,
			(r+3)%4)+"\n"+line(sum, 4, "MPI_SUM")+"\nend\n"+line(join, 4, 4))
	}
	var b bytes.Buffer
	content, err := job(t, ranks...).Content()
	if err == nil {
		err = content.Write(&b)
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := archivetest.NewDamager(5, b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	looked, found := 0, 0
	for range 1500 {
		raw, what := d.Next()
		a, err := archive.OpenReader(bytes.NewReader(raw), int64(len(raw)), archive.MaxSection(1<<22),
			archive.MaxWork(1<<20))
		if err != nil {
			continue
		}
		list, err := Of(a)
		if err == nil {
			looked++
		}
		if len(list) > 0 {
			found++
		}
		if len(list) > maxProblems {
			t.Errorf("%s: %d problems", what, len(list))
		}
	}
	if looked == 0 || found == 0 {
		t.Errorf("%d damaged archives could be looked at, %d with problems", looked, found)
	}
}
