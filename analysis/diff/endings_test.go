package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
)

// steps is a rank's body: so many steps of a send and a receive, and what comes after them.
func steps(n int, after ...string) string {
	return fmt.Sprintf("MPI_Init() @ e.c:1 [main]\nloop %d\n%s\n%s\nend\n%s", n,
		"MPI_Send(count=1, dest=0, tag=1, comm=MPI_COMM_WORLD) @ e.c:2 [step]",
		"MPI_Recv(count=1, source=0, tag=1, comm=MPI_COMM_WORLD) @ e.c:3 [step]", strings.Join(after, "\n"))
}

// How one recording ends where the other goes on is one difference, with what came next there.
func TestEndings(t *testing.T) {
	const (
		finalize = "MPI_Finalize() @ e.c:9 [main]"
		hang     = "MPI_Recv(count=1, source=0, tag=7, comm=MPI_COMM_WORLD) @ e.c:5 [wait] ; unfinished"
		hangs    = "MPI_Recv(count=1, source=0, tag=1, comm=MPI_COMM_WORLD) @ e.c:3 [step] ; unfinished"
		send     = "MPI_Send(count=1, dest=0, tag=1, comm=MPI_COMM_WORLD) @ e.c:2 [step]"
		barrier  = "MPI_Barrier(comm=MPI_COMM_WORLD) @ e.c:8 [main]"
	)
	for _, c := range []struct {
		name, a, b string
		want       string
		more       uint64 // calls that were not made
		onlyA      bool
	}{
		{"the same hang", steps(4, hang), steps(4, hang), "", 0, false},
		{"a hang after fewer steps", steps(9, finalize), steps(4, hang),
			"hang 0 MPI_Recv e.c:5 [wait]  MPI_Send at e.c:2 [step]  1/0 [4/9]", 11, false},
		{"a hang in a step", steps(9, finalize), steps(4, send, hangs),
			"hang 0 MPI_Recv e.c:3 [step]  MPI_Send at e.c:2 [step]  1/0 [5/9]", 9, false}, // where A went on,
		{"the other one hangs", steps(4, hang), steps(9, finalize),
			"hang 0 MPI_Recv e.c:5 [wait]  MPI_Send at e.c:2 [step]  1/0 []", 11, true},
		{"both hang elsewhere", steps(4, hang), steps(4, send, hangs),
			"hang 0 MPI_Recv e.c:3 [step]  hangs in MPI_Recv at e.c:5 [wait]  1/0 []", 1, false},
		{"one call less at the end", steps(4, barrier, finalize), steps(4, finalize),
			"missing 0 MPI_Barrier e.c:8 [main]    1/0 []", 0, false},
		{"one call more at the end", steps(4, finalize), steps(4, finalize, barrier),
			"extra 0 MPI_Barrier e.c:8 [main]    1/0 []", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := with(t, job("mpich", 1, c.a), job("mpich", 1, c.b), diff.Options{Structure: true, Parameters: true})
			if got := texts(r); got != c.want {
				t.Fatalf("got  %s\nwant %s", got, c.want)
			}
			if c.want == "" {
				return
			}
			if d := r.Differences[0]; d.OnlyA != c.onlyA || d.Kind == diff.Hang && d.More != c.more {
				t.Errorf("%+v", d)
			}
		})
	}
}

// Ranks and threads that only one recording has are said once, and the others are compared.
func TestProcesses(t *testing.T) {
	o := diff.Options{Structure: true, Parameters: true}
	barrier := "MPI_Barrier(comm=MPI_COMM_WORLD) @ p.c:1 [f]\n"
	threads := "thread 1\n" + barrier
	for _, c := range []struct {
		name, a, b string
		ranks      string
		thread     int
		onlyA      bool
	}{
		{"fewer ranks", job("mpich", 4, barrier), job("mpich", 2, barrier), "2-3", -1, true},
		{"more ranks", job("mpich", 4, barrier), job("mpich", 6, barrier), "4-5", -1, false},
		{"no second thread", job("mpich", 2, barrier+threads), job("mpich", 2, barrier), "0-1", 1, true},
		{"a second thread", job("mpich", 2, barrier), job("mpich", 2, barrier+threads), "0-1", 1, false},
	} {
		r := with(t, c.a, c.b, o)
		if len(r.Differences) != 1 {
			t.Fatalf("%s: %s", c.name, texts(r))
		}
		d := r.Differences[0]
		if d.Kind != diff.Processes || d.Ranks.String() != c.ranks || d.Thread != c.thread || d.OnlyA != c.onlyA {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
}
