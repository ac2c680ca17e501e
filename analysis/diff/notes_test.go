package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/analysis/selection"
)

// What a recording lacks is said in a note, since differences may come from that.
func TestNotes(t *testing.T) {
	barrier := "MPI_Barrier(comm=MPI_COMM_WORLD) @ n.c:1 [f]"
	whole := job("mpich", 3, barrier)
	for _, c := range []struct{ name, b, want string }{
		{"nothing is missing", whole, ""},
		{"lost calls", strings.Replace(whole, "rank 1 of 3 on n\n", "rank 1 of 3 on n\nlost 5\n", 1),
			"note: B lacks calls of ranks 1 that could not be recorded (see tabard info)"},
		{"lost calls of all", job("mpich", 3, "lost 5\n"+barrier),
			"note: B lacks calls of ranks 0-2 that could not be recorded (see tabard info)"},
		{"left out on purpose", "partial\n" + whole, "note: B is partial: calls were left out on purpose"},
	} {
		if got := texts(with(t, whole, c.b, diff.Options{Structure: true})); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A process that was killed stops where the other one goes on. What it would have called is not missing call by call,
// but if it reached its end in order it is.
func TestStops(t *testing.T) {
	const (
		finalize = "MPI_Finalize() @ e.c:9 [main]"
		barrier  = "MPI_Barrier(comm=MPI_COMM_WORLD) @ e.c:8 [main]"
	)
	whole := job("mpich", 1, steps(9, barrier, finalize))
	killed := job("mpich", 1, steps(9)+"\nkilled 9")
	o := diff.Options{Structure: true, Parameters: true}
	r := with(t, whole, killed, o)
	if got, want := texts(r), "stop 0 MPI_Recv e.c:3 [step]  MPI_Barrier at e.c:8 [main]  1/0 []"; got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	if d := r.Differences[0]; d.OnlyA || d.More != 2 {
		t.Errorf("%+v", d)
	}
	r = with(t, killed, whole, o)
	if len(r.Differences) != 1 || r.Differences[0].Kind != diff.Stop || !r.Differences[0].OnlyA ||
		r.Differences[0].More != 2 {
		t.Errorf("the other way round: %s", texts(r))
	}
	ended := job("mpich", 1, steps(9))
	if got, want := texts(with(t, whole, ended, o)), "missing 0 MPI_Barrier e.c:8 [main]    1/0 []"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	silent := job("mpich", 1, "killed 9")
	r = with(t, whole, silent, o)
	if len(r.Differences) == 0 || r.Differences[0].Kind == diff.Hang {
		t.Errorf("without any call: %s", texts(r))
	}
}

// Objects in a list are compared one by one by what they mean, like those that are passed alone.
func TestObjectsInLists(t *testing.T) {
	contiguous := func(count, at, number int) string {
		return fmt.Sprintf("MPI_Type_contiguous(count=%d, oldtype=MPI_INT) @ o.c:%d [f] ; newtype=type#%d\n", count, at,
			number)
	}
	combined := func(a, b string) string {
		return fmt.Sprintf("MPI_Type_create_struct(count=2, array_of_blocklengths=[1, 1], "+
			"array_of_displacements=[0, 8], "+
			"array_of_types=[%s, %s]) @ o.c:9 [f] ; newtype=type#9\n", a, b)
	}
	made := contiguous(3, 1, 0) + contiguous(4, 2, 1)
	other := contiguous(3, 1, 6) + contiguous(4, 2, 7)
	for _, c := range []struct {
		name, a, b string
		same       bool
	}{
		{"other numbers", made + combined("type#0", "type#1"), other + combined("type#6", "type#7"), true},
		{"one of them predefined", made + combined("MPI_INT", "type#1"), other + combined("MPI_INT", "type#7"), true},
		{"the other way round", made + combined("type#0", "type#1"), other + combined("type#7", "type#6"), false},
		{"another predefined one", made + combined("MPI_INT", "type#1"), other + combined("MPI_BYTE", "type#7"), false},
		{"one of them predefined in B only", made + combined("type#0", "type#1"), other + combined("MPI_INT", "type#7"),
			false},
	} {
		r := with(t, job("mpich", 2, c.a), job("mpich", 2, c.b), diff.Options{Structure: true, Parameters: true})
		if same := len(r.Differences) == 0; same != c.same {
			t.Errorf("%s: %q", c.name, texts(r))
		}
		for _, d := range r.Differences {
			if d.Param != "array_of_types" {
				t.Errorf("%s: %s", c.name, text(d))
			}
		}
	}
}

// How often a program has to ask is left to chance: it is no difference, and noted as one of order.
func TestNumberOfQuestions(t *testing.T) {
	const probe = "MPI_Iprobe(source=0, tag=1, comm=MPI_COMM_WORLD) @ q.c:2 [wait] ; flag=1 ; status={source=0 " +
		"tag=1 bytes=4}\n"
	body := func(asked, barriers int) string {
		return "MPI_Init() @ q.c:1 [main]\n" + strings.Repeat(probe, asked) +
			strings.Repeat("MPI_Barrier(comm=MPI_COMM_WORLD) @ q.c:5 [main]\n", barriers) +
			"MPI_Finalize() @ q.c:9 [main]\n"
	}
	o := diff.Options{Structure: true, Parameters: true}
	for _, c := range []struct {
		asked, barriers int
		differences     string
		order           uint64 // of both ranks
	}{
		{3, 1, "", 0},
		{5, 1, "", 4},
		{1, 1, "", 4},
		{5, 2, "loop", 4}, // barriers are counted all the same
	} {
		r := with(t, job("mpich", 2, body(3, 1)), job("mpich", 2, body(c.asked, c.barriers)), o)
		n := uint64(0)
		for _, x := range r.Order {
			if n += x.Count; x.Func != "MPI_Iprobe" || x.Param != "number of calls" || x.Ranks != 2 {
				t.Errorf("%+v: order %+v", c, x)
			}
		}
		if got := texts(r); !strings.HasPrefix(got, c.differences) || (got == "") != (c.differences == "") ||
			n != c.order {
			t.Errorf("%+v: %q, and %d times order", c, got, n)
		}
	}
}

// Only what is selected is compared: by rank, function, communicator or time step.
func TestSelectedParts(t *testing.T) {
	body := func(world, dup int, steps string) string {
		return "MPI_Comm_dup(comm=MPI_COMM_WORLD) @ s.c:1 [main] ; newcomm=comm#0\n" + steps + fmt.Sprintf(
			"MPI_Bcast(count=%d, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ s.c:8 [main]\n"+
				"MPI_Bcast(count=%d, datatype=MPI_INT, root=0, comm=comm#0) @ s.c:9 [main]\n", world, dup)
	}
	loop := func(count, from, to int) string {
		var b strings.Builder
		for step := range 50 {
			n := 1
			if step >= from && step < to {
				n = count
			}
			fmt.Fprintf(&b, "MPI_Reduce(count=%d, datatype=MPI_INT, op=MPI_SUM, root=0, comm=MPI_COMM_WORLD) @ "+
				"s.c:4 [step]\n",
				n)
			b.WriteString("MPI_Barrier(comm=MPI_COMM_WORLD) @ s.c:5 [step]\n")
		}
		return b.String()
	}
	a := job("mpich", 2, body(1, 1, loop(1, 0, 0)))
	b := job("mpich", 2, body(2, 3, loop(7, 10, 20)))
	const (
		reduce = "parameter 0-1 MPI_Reduce s.c:4 [step] count 1 7"
		world  = "parameter 0-1 MPI_Bcast s.c:8 [main] count 1 2"
		dup    = "parameter 0-1 MPI_Bcast s.c:9 [main] count 1 3"
	)
	for _, c := range []struct {
		flags selection.Flags
		want  []string
	}{
		{selection.Flags{}, []string{reduce, world, dup}},
		{selection.Flags{Ranks: "1"}, []string{strings.Replace(reduce, "0-1", "1", 1),
			strings.Replace(world, "0-1", "1", 1), strings.Replace(dup, "0-1", "1", 1)}},
		{selection.Flags{Functions: "MPI_Bcast"}, []string{world, dup}},
		{selection.Flags{Functions: "MPI_Barrier"}, nil},
		{selection.Flags{Comms: "dup*"}, []string{dup}},
		{selection.Flags{Comms: "MPI_COMM_WORLD", Functions: "MPI_Bcast"}, []string{world}},
	} {
		s, err := selection.Parse(c.flags)
		if err != nil {
			t.Fatal(err)
		}
		r := with(t, a, b, diff.Options{Structure: true, Parameters: true, Ranks: s.Ranks, Functions: s.Functions,
			Comms: s.Comms, Steps: s.Steps})
		var got []string
		for _, d := range r.Differences {
			got = append(got, fmt.Sprintf("%v %v %s %s %s %s %s", d.Kind, d.Ranks, d.Call.Func, d.Call.Site, d.Param,
				d.A, d.B))
		}
		if fmt.Sprint(sorted(got)) != fmt.Sprint(sorted(c.want)) {
			t.Errorf("%+v: %q, want %q", c.flags, got, c.want)
		}
	}
}

// A string that each rank has of its own is compared rank by rank, also where the ranks are put together in another
// way.
func TestStringsByRank(t *testing.T) {
	name := func(text string) string {
		return fmt.Sprintf("MPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name=%q) @ s.c:1 [f]", text)
	}
	o := diff.Options{Structure: true, Parameters: true}
	if got := texts(with(t, job("mpich", 4, name("part {r}")), job("mpich", 4, name("part {r}")), o)); got != "" {
		t.Error(got)
	}
	r := with(t, job("mpich", 4, name("part {r}")), job("mpich", 4, name("part 2")), o)
	ranks := ""
	for _, d := range r.Differences {
		ranks += d.Ranks.String() + " "
		if d.Kind != diff.Parameter || d.Param != "comm_name" || d.B != `"part 2"` {
			t.Errorf("%s", text(d))
		}
	}
	if strings.Contains(ranks, "2") || ranks == "" { // rank 2 has that name in both
		t.Errorf("ranks %s differ", ranks)
	}
}
