package findings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// stuck is what is said of a job that hung, of n ranks that make the given calls.
func stuck(t *testing.T, n int, of func(rank int) string) []Finding {
	t.Helper()
	var b strings.Builder
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./job\n")
	for r := range n {
		fmt.Fprintf(&b, "rank %d of %d on node\nkilled 9\n%s\n", r, n, of(r))
	}
	p, err := calls.Open(archivetest.Archive(t, b.String()))
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Worlds: p.Comms.Worlds}
	if in.Standstill, err = consistency.Stuck(p); err != nil {
		t.Fatal(err)
	}
	return Of(in)
}

const (
	barrier = "MPI_Barrier(comm=MPI_COMM_WORLD) @ j.c:2 [main]"
	reduce  = "MPI_Allreduce(sendbuf=heap#0, recvbuf=heap#1, count=4, datatype=MPI_INT, op=MPI_SUM, " +
		"comm=MPI_COMM_WORLD) @ j.c:7 [main]"
	bcast   = "MPI_Bcast(buffer=heap#0, count=4, datatype=MPI_INT, root=%d, comm=MPI_COMM_WORLD) @ j.c:6 [main]"
	receive = "MPI_Recv(buf=heap#0, count=4, datatype=MPI_INT, source=1, tag=3, comm=MPI_COMM_WORLD) @ j.c:5 [main]"
)

func TestHangs(t *testing.T) {
	but := func(odd int, does, others string) func(int) string {
		return func(r int) string {
			if r == odd {
				return does
			}
			return others
		}
	}
	for name, c := range map[string]struct {
		ranks   int
		of      func(int) string
		want    string // a part of the first text, empty for no finding
		process int32
	}{
		"a rank that does not come": {4, but(3, barrier, barrier+"\n"+reduce+" ; unfinished"),
			"Ranks 0-2 wait in MPI_Allreduce at j.c:7 [main], number 2 on world, from 200ns on: rank 3 is not " +
				"there: its last " +
				"call was MPI_Barrier at j.c:2 [main], number 1 on world", 3},
		"a rank without calls": {3, but(1, "", barrier+" ; unfinished"), "rank 1 is not there, and made no call", 1},
		"a rank in another call": {4, but(1, reduce+" ; unfinished", barrier+" ; unfinished"),
			"Ranks 0,2-3 wait in MPI_Barrier at j.c:2 [main], number 1 on world, from 100ns on: rank 1 is in " +
				"MPI_Allreduce at " +
				"j.c:7 [main] in its place", 1},
		"a rank that waits for a message": {4, but(2, receive+" ; unfinished", barrier+" ; unfinished"),
			"Deadlock from 100ns on: rank 2 waits in MPI_Recv at j.c:5 [main] for a message from rank 1 with tag 3 " +
				"on world; " +
				"rank 1 waits in MPI_Barrier at j.c:2 [main], number 1 on world, for rank 2. Ranks 0,3 wait for them",
			2},
		"another root": {4, but(2, fmt.Sprintf(bcast, 1)+" ; unfinished", fmt.Sprintf(bcast, 0)+" ; unfinished"),
			"root: rank 0 has 0, rank 2 has 1", -1},
		"all are there":   {4, but(0, barrier+" ; unfinished", barrier+" ; unfinished"), "", 0},
		"nothing is open": {4, but(0, barrier, barrier), "", 0},
		"nobody waits":    {2, but(0, "", barrier), "", 0},
		"a thousand of 1025": {1025, but(700, barrier, barrier+"\n"+reduce+" ; unfinished"), "rank 700 is not there",
			700},
		"every third of 999": {999, func(r int) string {
			if r%3 == 0 {
				return fmt.Sprintf("MPI_Recv(buf=heap#0, count=4, datatype=MPI_INT, source=1, tag=%d, "+
					"comm=MPI_COMM_WORLD) @ "+
					"j.c:%d [main] ; unfinished", r, 100+r%31)
			}
			return barrier + " ; unfinished"
		}, "waits in MPI_Recv at j.c:", -1},
	} {
		t.Run(name, func(t *testing.T) {
			found := stuck(t, c.ranks, c.of)
			if c.want == "" {
				if len(found) > 0 {
					t.Error(found)
				}
				return
			}
			if len(found) == 0 || found[0].Kind != Hang && found[0].Kind != Deadlock ||
				!strings.Contains(found[0].Text, c.want) ||
				c.process >= 0 && found[0].Process != c.process ||
				len(found[0].Text) > 1000 {
				t.Errorf("%+v, want %q about process %d", found, c.want, c.process)
			}
		})
	}
}

// Sends that all come before the receives went well while the library kept them. Synchronous ones never do.
func TestHeadToHead(t *testing.T) {
	for _, c := range []struct{ mode, want string }{{"Send", "Each sends before it receives, which goes well as long as " +
		"the library keeps the messages: this one has 8,000 bytes, those before it at most 4,000. "}, {"Ssend", ""}} {
		all := stuck(t, 2, func(r int) string {
			send := func(n int) string {
				return fmt.Sprintf("MPI_%s(count=%d, datatype=MPI_INT, dest=%d, tag=3, comm=MPI_COMM_WORLD) @ j.c:4 [main]",
					c.mode, n, 1-r)
			}
			recv := fmt.Sprintf("MPI_Recv(count=2000, datatype=MPI_INT, source=%d, tag=3, comm=MPI_COMM_WORLD) @ j.c:5 "+
				"[main] ; status={source=%d tag=3 bytes=4000}", 1-r, 1-r)
			return send(1000) + "\n" + recv + "\n" + send(2000) + " ; unfinished"
		})
		if len(all) == 0 || all[0].Kind != Deadlock || !strings.Contains(all[0].Text, c.want) ||
			c.want == "" && strings.Contains(all[0].Text, "keeps") {
			t.Errorf("%s: %+v", c.mode, all)
		}
	}
}

// A short wait in a running job is none.
func TestShortWaits(t *testing.T) {
	f := &finder{Input: Input{Now: 5 * time.Second, Standstill: &consistency.Standstill{Stands: []consistency.Stand{
		{Begin: 4900 * time.Millisecond, Timed: true}}}}}
	if found := f.hangs(); len(found) > 0 {
		t.Error(found)
	}
}

// A process that polls waits from its first poll on, however short the last one took.
func TestPollingSince(t *testing.T) {
	all := stuck(t, 2, func(rank int) string {
		if rank == 0 {
			return "MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=8, comm=MPI_COMM_WORLD) @ j.c:3 [main]\nloop " +
				"9\nMPI_Comm_rank(comm=MPI_COMM_WORLD)\n" +
				"end\n" + barrier + " ; unfinished"
		}
		return "MPI_Comm_rank(comm=MPI_COMM_WORLD)\npoll 500 MPI_Iprobe(source=0, tag=7, comm=MPI_COMM_WORLD) @ " +
			"j.c:4 [main] ; flag=0\n" +
			"poll 300 MPI_Iprobe(source=0, tag=9, comm=MPI_COMM_WORLD) @ j.c:5 [main] ; flag=0"
	})
	if len(all) == 0 || all[0].Kind != Deadlock || !strings.Contains(all[0].Text, "rank 1 waits in MPI_Iprobe") ||
		!strings.Contains(all[0].Text, "with tag 8") {
		t.Fatalf("%+v", all)
	}
	// Calls begin 100 apart: rank 1 polls from its second one on, rank 0 comes to the barrier with its eleventh.
	if !strings.Contains(all[0].Text, "from 1.1µs on") {
		t.Errorf("%s", all[0].Text)
	}
}
