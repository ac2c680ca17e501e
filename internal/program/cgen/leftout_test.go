package cgen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

const (
	notMade = "the Comm that it uses was not created by a call that is made again"
	nested  = "a callback of the program made it, and callbacks are replaced"
)

// leftOut are calls that are not made again, why, and why there is no program for any number of
// ranks, if so.
var leftOut = []struct{ about, calls, skipped, any string }{
	{"what ends the run", "MPI_Abort(comm=MPI_COMM_WORLD, errorcode=3)", "MPI_Abort: it would end the run", ""},
	{"other programs, and what uses the communicator to them",
		`MPI_Comm_spawn(command="./worker", maxprocs=2, info=MPI_INFO_NULL, root=0, comm=MPI_COMM_WORLD) ; intercomm=comm#0
MPI_Barrier(comm=comm#0)
MPI_Comm_free(comm=comm#0)`,
		"MPI_Barrier: " + notMade + "; MPI_Comm_free: " + notMade +
			"; MPI_Comm_spawn: the program that it starts is not there",
		"MPI_Barrier, comm: it may be an object of MPI_Comm_spawn, which is not called again\n" +
			"MPI_Comm_free, comm: it may be an object of MPI_Comm_spawn, which is not called again"},
	{"ports", `MPI_Open_port(info=MPI_INFO_NULL) ; port_name="x"`,
		"MPI_Open_port: names of ports are others in every run", ""},
	{"sockets", "MPI_Comm_join(fd=3) ; intercomm=comm#0", "MPI_Comm_join: names of ports are others in every run",
		"MPI_Barrier, comm: it may be an object of MPI_Comm_join, which is not called again"},
	{"calls of callbacks", "MPI_Comm_size(comm=MPI_COMM_WORLD) ; size=2 nested", "MPI_Comm_size: " + nested, ""},
	{"what callbacks made, and what uses that",
		"MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0 nested\nMPI_Barrier(comm=comm#0)",
		"MPI_Comm_dup: " + nested + "; MPI_Barrier: " + notMade,
		"MPI_Barrier, comm: it may be an object of MPI_Comm_dup, which is not called again"},
	{"one thing follows from another",
		"MPI_Comm_dup(comm=comm#3) ; newcomm=comm#0\nMPI_Comm_free(comm=comm#0)",
		"MPI_Comm_dup: " + notMade + "; MPI_Comm_free: " + notMade, ""},
	{"what is given to a call is not made by it", "MPI_Type_commit(datatype=type#3) ; datatype=type#3",
		"MPI_Type_commit: the Datatype that it uses was not created by a call that is made again", ""},
	{"the tools interface", "MPI_T_init_thread(required=MPI_THREAD_SINGLE) ; provided=1",
		"MPI_T_init_thread: variables and events are those of one MPI library", ""},
}

// Calls that cannot be made again are listed with the reason; what is left of the program is made.
func TestLeftOut(t *testing.T) {
	for _, x := range leftOut {
		desc := perRank(4, x.calls+"\nMPI_Barrier(comm=MPI_COMM_WORLD)")
		text, r := generate(t, archivetest.Archive(t, desc), Options{})
		skipped := func(r *Result) string {
			var got []string
			for _, s := range r.Skipped {
				got = append(got, s.Func+": "+s.Reason)
			}
			return strings.Join(got, "; ")
		}
		if s := skipped(r); s != x.skipped {
			t.Errorf("%s: skipped %s\nnot %s", x.about, s, x.skipped)
		}
		if got := between(text, "static void all_ranks(void)\n{\n"); got != "MPI_Barrier(MPI_COMM_WORLD);" {
			t.Errorf("%s: what is left is %s", x.about, got)
		}
		_, r, err := anyProgram(t, desc, AnySize{})
		why := ""
		if err == nil && skipped(r) != x.skipped {
			t.Errorf("%s, any number of ranks: skipped %s", x.about, skipped(r))
		}
		if err != nil {
			why = strings.TrimPrefix(strings.TrimPrefix(err.Error(), "another number of ranks is not possible:"), "\n")
			why = strings.TrimSpace(strings.ReplaceAll(why, "\n  ", "\n"))
		}
		if why != x.any {
			t.Errorf("%s, any number of ranks: %q\nnot %q", x.about, why, x.any)
		}
	}
}

// A request is no object that has to be made: one that is not known has the value of no request.
func TestRequestsNeedNotBeMade(t *testing.T) {
	text, r := generate(t, archivetest.Archive(t, perRank(2, "MPI_Wait(request=request#7)")), Options{})
	if !strings.Contains(text, "MPI_Wait(&request[7], MPI_STATUS_IGNORE);") || len(r.Skipped) > 0 ||
		!strings.Contains(text, "for (int i = 0; i < 8; i++) request[i] = MPI_REQUEST_NULL;") {
		t.Errorf("%v\n%s", r.Skipped, text)
	}
}

// Where some ranks get an object and others none, the latter have a variable that nobody reads.
func TestObjectOfSomeRanks(t *testing.T) {
	desc := calls(4, func(r int) string {
		got := "MPI_COMM_NULL"
		if r%2 == 0 {
			got = "comm#0"
		}
		return fmt.Sprintf("MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=%d) @ a.c:2 [main] ; newcomm=%s\n", r, got)
	})
	text, _ := generate(t, archivetest.Archive(t, desc), Options{})
	checkSyntax(t, "some ranks", text)
	for _, s := range []string{
		"static MPI_Comm no_comm;", "    if (rank == 0 || rank == 2) return &comm[0];\n    return &no_comm;",
		"MPI_Comm_split(MPI_COMM_WORLD, 0, rank, the_newcomm_2());",
	} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in\n%s", s, text)
		}
	}
}
