package report

import (
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

func TestDifferenceText(t *testing.T) {
	send := diff.Call{Func: "MPI_Send", Site: "a.c:3 [main]", Count: 1}
	recv := diff.Call{Func: "MPI_Recv", Count: 2}
	loop := []diff.Place{{Loop: "a.c:2 [main]", Step: true, Iteration: 4, Iterations: 10}}
	one, some := rankfunc.NewSet([]int{3}), rankfunc.NewSet([]int{0, 1, 2})
	for want, d := range map[string]*diff.Difference{
		"rank 3 sends to 5 instead of 4 at a.c:3 [main] (dest of MPI_Send, 1 time)": {Kind: diff.Parameter, Ranks: one,
			Call: send, Param: "dest", A: "4", B: "5", Count: 1},
		"ranks 0-2 send with tag 5 instead of 4, and others at a.c:3 [main] (tag of MPI_Send, 2 of 10 times), " +
			"in iteration 4 of the time-step loop at a.c:2 [main] (of 10), from there on": {Kind: diff.Parameter,
			Ranks: some, Call: send, Param: "tag", A: "4", B: "5", Varies: true, Count: 2, Of: 10, Places: loop,
			FromThereOn: true},
		"rank 3 receives at most 5 instead of 4 at MPI_Recv (count of MPI_Recv, 1 time)": {Kind: diff.Parameter,
			Ranks: one,
			Call:  recv, Param: "count", A: "4", B: "5", Count: 1},
		"ranks 0-2 pass comm = x instead of y to MPI_Recv (3 of 3 times)": {Kind: diff.Parameter, Ranks: some,
			Call:  recv,
			Param: "comm", A: "y", B: "x", Count: 3, Of: 3},
		"rank 3 gets 1 instead of 0 as flag of MPI_Recv (1 time)": {Kind: diff.Outcome, Ranks: one, Call: recv,
			Param: "flag", A: "0", B: "1", Count: 1},
		"ranks 0-2 repeat the time-step loop at a.c:2 11 times instead of 10 (MPI_Recv 2 times)": {Kind: diff.Trips,
			Ranks: some, Calls: []diff.Call{recv}, Param: "a.c:2", Step: true, A: "10", B: "11"},
		"rank 3 calls MPI_Send at a.c:3 [main] 3 times in a row instead of 2": {Kind: diff.Trips, Ranks: one,
			Call:  send,
			Calls: []diff.Call{send}, A: "2", B: "3"},
		"rank 3 does not call MPI_Send at a.c:3 [main], MPI_Recv 2 times, 4 more calls": {Kind: diff.Missing,
			Ranks: one,
			Calls: []diff.Call{send, recv}, More: 4},
		"ranks 0-2 do not call MPI_Recv 2 times, 7 times": {Kind: diff.Missing, Ranks: some, Calls: []diff.Call{recv},
			Count: 7},
		"world 2 rank 3 calls MPI_Recv 2 times, which A does not": {Kind: diff.Extra, World: 2, Ranks: one,
			Calls: []diff.Call{recv}},
		"thread 1 of rank 3 hangs in MPI_Send at a.c:3 [main] where A went on with x; 5 calls of A were not made": {
			Kind: diff.Hang, Thread: 1, Ranks: one, Call: send, A: "x", More: 5},
		"rank 3 stops before its first call in A, where B went on": {Kind: diff.Stop, Ranks: one, OnlyA: true},
		"only A has any calls of ranks 0-2; B lacks them":          {Kind: diff.Processes, Ranks: some, OnlyA: true},
	} {
		if got := DifferenceText(d); got != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
	if s := Short(strings.Repeat("é", 150)); len(s) > 203 || !strings.HasSuffix(s, "é...") {
		t.Errorf("%q", s)
	}
}
