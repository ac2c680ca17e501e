package match_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// found lists what Run finds in an archive, a line for each, sorted.
func found(t testing.TB, a *archive.Archive) (lines []string, sum *match.Summary) {
	t.Helper()
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	sum, err := match.Run(a, match.Options{
		Message: func(m *match.Message) error {
			note := ""
			if m.Guessed {
				note = " guessed"
			}
			add("%d:%s -> %d:%s tag %d, %d bytes%s", m.Send.Process, callRange(&m.Send.Post, &m.Send.Done),
				m.Recv.Process, callRange(&m.Recv.Post, &m.Recv.Done), m.Tag, m.Bytes, note)
			return nil
		},
		Collective: func(c *match.Collective) error {
			var parts []string
			for _, p := range c.Parts {
				parts = append(parts, fmt.Sprintf("%d:%s", p.Process, callRange(&p.Post, &p.Done)))
			}
			add("%s %d/%d of comm %d: %s missing %d", c.Func.Name, c.Index, c.Round, c.Comm, strings.Join(parts, " "),
				c.Missing)
			return nil
		},
		Unmatched: func(u *match.Unmatched) error {
			what := "receive"
			if u.Send {
				what = "send"
			}
			add("%s %d:%s peer %d tag %d: %v", what, u.Process, callRange(&u.Post, &u.Done), u.Peer, u.Tag, u.Reason)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines, sum
}

// callRange is the numbers of a posting and a completing call.
func callRange(post, done *match.Ref) string {
	switch {
	case !done.Known():
		return fmt.Sprintf("%d..", post.Call)
	case *post == *done:
		return fmt.Sprint(post.Call)
	}
	return fmt.Sprintf("%d..%d", post.Call, done.Call)
}

// cases are small programs and all that is to be found in them.
var cases = []struct{ name, program, want string }{
	{"blocking", `
abi openmpi
rank 0 of 2 on node
MPI_Send(count=3, datatype=MPI_INT, dest=1, tag=7, comm=MPI_COMM_WORLD)
MPI_Send(count=4, datatype=MPI_INT, dest=1, tag=7, comm=MPI_COMM_WORLD)
rank 1 of 2 on node
MPI_Recv(count=9, datatype=MPI_INT, source=0, tag=7, comm=MPI_COMM_WORLD)
MPI_Recv(count=9, datatype=MPI_INT, source=0, tag=7, comm=MPI_COMM_WORLD)
`, `
0:0 -> 1:0 tag 7, 12 bytes
0:1 -> 1:1 tag 7, 16 bytes`},
	{"cancelled and freed", `
abi openmpi
rank 0 of 2 on node
MPI_Irecv(count=1, datatype=MPI_INT, source=1, tag=5, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Cancel(request=request#0)
MPI_Request_free(request=request#0)
MPI_Recv(count=1, datatype=MPI_INT, source=1, tag=5, comm=MPI_COMM_WORLD)
rank 1 of 2 on node
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=5, comm=MPI_COMM_WORLD)
`, `
1:0 -> 0:3 tag 5, 4 bytes`},
	{"wildcards complete out of order", `
abi openmpi
rank 0 of 3 on node
MPI_Irecv(count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Irecv(count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) ; request=request#1
MPI_Irecv(count=1, datatype=MPI_INT, source=1, tag=5, comm=MPI_COMM_WORLD) ; request=request#2
MPI_Wait(request=request#2)
MPI_Wait(request=request#1) ; status={source=1 tag=5 bytes=4}
MPI_Wait(request=request#0) ; status={source=2 tag=6 bytes=4}
rank 1 of 3 on node
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=5, comm=MPI_COMM_WORLD)
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=5, comm=MPI_COMM_WORLD)
rank 2 of 3 on node
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=6, comm=MPI_COMM_WORLD)
`, `
1:0 -> 0:1..4 tag 5, 4 bytes
1:1 -> 0:2..3 tag 5, 4 bytes
2:0 -> 0:0..5 tag 6, 4 bytes`},
	{"a status that the program ignored tells it", `
abi openmpi
rank 0 of 3 on node
MPI_Recv(count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=1, comm=MPI_COMM_WORLD) ; status=ignored{source=2 tag=1 bytes=4}
MPI_Irecv(count=9, datatype=MPI_INT, source=1, tag=2, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Irecv(count=9, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=1, comm=MPI_COMM_WORLD) ; request=request#1
MPI_Waitall(count=2, array_of_requests=[request#0, request#1]) ; array_of_statuses=ignored[{source=-1 tag=-1 bytes=0}, {source=1 tag=1 bytes=4}]
MPI_Irecv(count=9, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=1, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Cancel(request=request#0)
MPI_Wait(request=request#0) ; status=ignored{source=-1 tag=-1 bytes=0 cancelled}
rank 1 of 3 on node
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD)
MPI_Send(count=2, datatype=MPI_INT, dest=0, tag=2, comm=MPI_COMM_WORLD)
rank 2 of 3 on node
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD)
`, `
1:0 -> 0:2..3 tag 1, 4 bytes
1:1 -> 0:1..3 tag 2, 8 bytes
2:0 -> 0:0 tag 1, 4 bytes`},
	{"a wildcard without a status gets what is left", `
abi openmpi
rank 0 of 2 on node
MPI_Recv(count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=1, comm=MPI_COMM_WORLD)
MPI_Recv(count=1, datatype=MPI_INT, source=1, tag=1, comm=MPI_COMM_WORLD)
MPI_Recv(count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=2, comm=MPI_COMM_WORLD)
rank 1 of 2 on node
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD)
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD)
`, `
1:0 -> 0:1 tag 1, 4 bytes
1:1 -> 0:0 tag 1, 4 bytes guessed
receive 0:2 peer -3 tag 2: source not known`},
	{"cancelled", `
abi openmpi
rank 0 of 2 on node
MPI_Irecv(count=1, datatype=MPI_INT, source=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Irecv(count=1, datatype=MPI_INT, source=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#1
MPI_Cancel(request=request#0)
MPI_Waitall(count=2, array_of_requests=[request#0, request#1]) ; array_of_statuses=[{source=-1 tag=-1 bytes=0 cancelled}, {source=1 tag=1 bytes=4}]
rank 1 of 2 on node
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD)
`, `
1:0 -> 0:1..3 tag 1, 4 bytes`},
	{"persistent, sendrecv and nobody", `
abi openmpi
rank 0 of 2 on node
MPI_Send_init(count=2, datatype=MPI_DOUBLE, dest=1, tag=3, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Start(request=request#0)
MPI_Wait(request=request#0)
MPI_Startall(count=1, array_of_requests=[request#0])
MPI_Waitall(count=1, array_of_requests=[request#0])
MPI_Request_free(request=request#0)
MPI_Sendrecv(sendcount=1, sendtype=MPI_CHAR, dest=1, sendtag=0, recvcount=1, recvtype=MPI_CHAR, source=MPI_PROC_NULL, recvtag=0, comm=MPI_COMM_WORLD)
rank 1 of 2 on node
MPI_Recv(count=2, datatype=MPI_DOUBLE, source=0, tag=3, comm=MPI_COMM_WORLD)
MPI_Recv(count=2, datatype=MPI_DOUBLE, source=0, tag=3, comm=MPI_COMM_WORLD)
MPI_Sendrecv(sendcount=1, sendtype=MPI_CHAR, dest=1, sendtag=9, recvcount=1, recvtype=MPI_CHAR, source=0, recvtag=0, comm=MPI_COMM_WORLD)
MPI_Recv(count=1, datatype=MPI_CHAR, source=1, tag=9, comm=MPI_COMM_WORLD)
`, `
0:1..2 -> 1:0 tag 3, 16 bytes
0:3..4 -> 1:1 tag 3, 16 bytes
0:6 -> 1:2 tag 0, 1 bytes
1:2 -> 1:3 tag 9, 1 bytes`},
	{"mprobe takes the message when it is probed", `
abi openmpi
rank 0 of 2 on node
MPI_Mprobe(source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) ; message=message#0 ; status={source=1 tag=4 bytes=1}
MPI_Recv(count=9, datatype=MPI_CHAR, source=1, tag=4, comm=MPI_COMM_WORLD)
MPI_Imrecv(count=9, datatype=MPI_CHAR, message=message#0) ; request=request#0
MPI_Wait(request=request#0)
rank 1 of 2 on node
MPI_Send(count=1, datatype=MPI_CHAR, dest=0, tag=4, comm=MPI_COMM_WORLD)
MPI_Send(count=2, datatype=MPI_CHAR, dest=0, tag=4, comm=MPI_COMM_WORLD)
`, `
1:0 -> 0:2..3 tag 4, 1 bytes
1:1 -> 0:1 tag 4, 2 bytes`},
	{"unmatched, absent and unfinished", `
abi openmpi
rank 0 of 3 on node
MPI_Send(count=1, datatype=MPI_CHAR, dest=2, tag=0, comm=MPI_COMM_WORLD)
MPI_Send(count=1, datatype=MPI_CHAR, dest=1, tag=0, comm=MPI_COMM_WORLD)
MPI_Recv(count=1, datatype=MPI_CHAR, source=1, tag=0, comm=MPI_COMM_WORLD) ; unfinished
rank 1 of 3 on node
MPI_Irecv(count=1, datatype=MPI_CHAR, source=MPI_ANY_SOURCE, tag=8, comm=MPI_COMM_WORLD) ; request=request#0
`, `
receive 0:2.. peer 1 tag 0: no partner
receive 1:0.. peer -3 tag 8: never completed
send 0:0 peer 2 tag 0: partner not recorded
send 0:1 peer 1 tag 0: no partner`},
	{"collectives in order, blocking and not", `
abi openmpi
rank 0 of 2 on node
MPI_Barrier(comm=MPI_COMM_WORLD)
MPI_Ibcast(count=1, datatype=MPI_INT, root=1, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Bcast(count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
MPI_Wait(request=request#0)
MPI_Barrier(comm=MPI_COMM_WORLD) ; unfinished
rank 1 of 2 on node
MPI_Barrier(comm=MPI_COMM_WORLD)
MPI_Ibcast(count=1, datatype=MPI_INT, root=1, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Wait(request=request#0)
MPI_Bcast(count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
`, `
MPI_Barrier 0/0 of comm 0: 0:0 1:0 missing 0
MPI_Barrier 3/0 of comm 0: 0:4.. missing 1
MPI_Bcast 2/0 of comm 0: 0:2 1:3 missing 0
MPI_Ibcast 1/0 of comm 0: 0:1..3 1:1..2 missing 0`},
	{"a split communicator", `
abi openmpi
rank 0 of 4 on node
MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=0) ; newcomm=comm#0
MPI_Send(count=1, datatype=MPI_CHAR, dest=1, tag=0, comm=comm#0)
rank 1 of 4 on node
MPI_Comm_split(comm=MPI_COMM_WORLD, color=1, key=0) ; newcomm=comm#0
rank 2 of 4 on node
MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=0) ; newcomm=comm#0
MPI_Recv(count=1, datatype=MPI_CHAR, source=MPI_ANY_SOURCE, tag=0, comm=comm#0) ; status={source=0 tag=0 bytes=1}
rank 3 of 4 on node
MPI_Comm_split(comm=MPI_COMM_WORLD, color=1, key=0) ; newcomm=comm#0
`, `
0:1 -> 2:1 tag 0, 1 bytes
MPI_Comm_split 0/0 of comm 0: 0:0 1:0 2:0 3:0 missing 0`},
}

func TestSmallPrograms(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, _ := found(t, archivetest.Archive(t, c.program))
			if got, want := strings.Join(got, "\n"), strings.TrimSpace(c.want); got != want {
				t.Errorf("found\n%s\n\nwant\n%s", got, want)
			}
		})
	}
}
