package cli

import (
	"strings"
	"testing"
)

// messagesRun3 is two of three ranks; rank 1 forgets a receive and a barrier.
const messagesRun3 = `abi mpich
mpi MPICH
tool tabard test
command ./app
rank 0 of 3 on n
loop 10
  MPI_Send(buf=heap#0, count=8, datatype=MPI_DOUBLE, dest=1, tag=1, comm=MPI_COMM_WORLD) @ app.c:20 [step]
end
MPI_Barrier(comm=MPI_COMM_WORLD) @ app.c:30 [main]
MPI_Send(buf=heap#0, count=1, datatype=MPI_INT, dest=2, tag=4, comm=MPI_COMM_WORLD) @ app.c:31 [main]
MPI_Barrier(comm=MPI_COMM_WORLD) @ app.c:32 [main]
rank 1 of 3 on n
loop 9
  MPI_Recv(buf=heap#0, count=8, datatype=MPI_DOUBLE, source=MPI_ANY_SOURCE, tag=1, comm=MPI_COMM_WORLD) @ app.c:22 [step] ; status=?{source=0 tag=1 bytes=64}
end
MPI_Barrier(comm=MPI_COMM_WORLD) @ app.c:30 [main]
MPI_Irecv(buf=heap#0, count=8, datatype=MPI_DOUBLE, source=0, tag=9, comm=MPI_COMM_WORLD) @ app.c:25 [main] ; request=request#0
`

func TestMessages(t *testing.T) {
	path := file(t, messagesRun3)
	for name, args := range map[string]string{
		"messages.txt":      "messages FILE",
		"messages-rank.txt": "messages FILE --rank 1",
		"messages.json":     "messages FILE --json",
	} {
		code, stdout, stderr := run(strings.Fields(strings.ReplaceAll(args, "FILE", path))...)
		note := "tabard: " + path + ": INCOMPLETE: rank 2 was not recorded (no process with this rank was seen here)\n"
		if code != exitOK || stderr != note {
			t.Errorf("tabard %s: code %d, stderr %q", args, code, stderr)
		}
		golden(t, name, strings.ReplaceAll(stdout, path, "app.tabard"))
	}
	if code, _, stderr := run("messages", path, "--limit", "-1"); code == exitOK ||
		!strings.Contains(stderr, "--limit") {
		t.Errorf("--limit -1: code %d, stderr %q", code, stderr)
	}
}
