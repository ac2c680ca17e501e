package cgen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// threaded is a recording of ranks with what their threads do, the first one between MPI_Init and
// MPI_Finalize. Calls begin as many seconds after each other as their places say: a number and a
// comma before a call.
func threaded(ranks ...[]string) string {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	for r, threads := range ranks {
		fmt.Fprintf(&b, "rank %d of %d on node\nclock 0 0 0\nclock 1000000000 1000000000 1000000000\n", r, len(ranks))
		for i, calls := range threads {
			if i > 0 {
				fmt.Fprintf(&b, "thread %d\n", i)
			} else {
				calls = "0,MPI_Init_thread(argc=0, required=MPI_THREAD_MULTIPLE) @ a.c:1 [main]\n" + calls +
					"\n900,MPI_Finalize() @ a.c:2 [main]"
			}
			for _, line := range strings.Split(calls, "\n") {
				at, call, _ := strings.Cut(line, ",")
				fmt.Fprintf(&b, "%s000000+1000000 %s\n", at, call)
			}
		}
	}
	return b.String()
}

// barrier is a call at a time.
func barrier(at, line int) string {
	return fmt.Sprintf("%d,MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:%d [f]", at, line)
}

// runsOf are the calls of a function of a program.
func runsOf(text, function string) string {
	_, text, _ = strings.Cut(text, function+"\n{")
	text, _, _ = strings.Cut(text, "\n}\n")
	return strings.Join(strings.Fields(text), " ")
}

const (
	begin1 = "begin_thread(1, thread_1);"
	join1  = "pthread_join(thread[1], NULL);"
	meet   = "MPI_Barrier(MPI_COMM_WORLD);"
)

// A thread begins after all calls that had returned when it made its first one, and is waited for
// before the calls that came after its last one.
func TestThreadPlaces(t *testing.T) {
	for _, x := range []struct {
		about, main, thread, want string
	}{
		{"all the time", barrier(100, 10), barrier(50, 20) + "\n" + barrier(200, 20),
			begin1 + " " + meet + " " + join1},
		{"after the first call", barrier(100, 10), barrier(150, 20), meet + " " + begin1 + " " + join1},
		{"until the first call", barrier(100, 10), barrier(50, 20), begin1 + " " + join1 + " " + meet},
		{"between two calls", barrier(100, 10) + "\n" +
			"300,MPI_Comm_size(comm=MPI_COMM_WORLD) @ a.c:11 [main] ; size=1",
			barrier(200, 20), meet + " " + begin1 + " " + join1 + " MPI_Comm_size(MPI_COMM_WORLD, &(int){0});"},
		{"before MPI is initialised it cannot begin", barrier(100, 10),
			"0,MPI_Initialized() @ a.c:20 [f] ; flag=0\n" + barrier(200, 20), begin1 + " " + meet + " " + join1},
		{"in the midst of a loop it begins before, and is waited for behind",
			barrier(100, 10) + "\n" + barrier(200, 10) + "\n" + barrier(300, 10), barrier(250, 20),
			begin1 + " for (long i = 0; i < 3; i++) " + meet + " " + join1},
	} {
		text, r := generate(t, archivetest.Archive(t, threaded([]string{x.main, x.thread})), Options{})
		if got := runsOf(text, "static void all_ranks(void)"); got != x.want+" MPI_Finalize();" {
			t.Errorf("%s: %s\nnot %s", x.about, got, x.want)
		}
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "threads run side by side") {
			t.Errorf("%s: notes %q", x.about, r.Notes)
		}
		checkSyntax(t, x.about, text)
	}
}

// Where times say nothing a thread runs before MPI_Finalize all the same. Only ranks that have it
// begin it.
func TestThreadsOfSomeRanks(t *testing.T) {
	untimed := "abi mpich\n"
	for r := range 4 {
		untimed += fmt.Sprintf("rank %d of 4 on node\nMPI_Init(argc=0) @ a.c:1 "+
			"[main]\nMPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:10 [f]\n"+
			"MPI_Finalize() @ a.c:2 [main]\n", r)
		if r < 2 {
			untimed += "thread 1\nMPI_Wtick() @ a.c:20 [g] ; 0.5\n"
		}
	}
	text, _ := generate(t, archivetest.Archive(t, strings.ReplaceAll(untimed, " ; 0.5", "")), Options{})
	want := meet + " if (rank < 2) " + begin1 + " if (rank < 2) " + join1 + " MPI_Finalize();"
	if got := runsOf(text, "static void all_ranks(void)"); got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	if got := runsOf(text, "static void *thread_1(void *unused)"); got != "start_objects(); all_ranks_thread_1(); "+
		"return unused;" &&
		got != "start_objects(); ranks_like_0_thread_1(); return unused;" {
		t.Errorf("the thread does %s", got)
	}
	checkSyntax(t, "some ranks", text)
}

// Threads do what theirs did at each rank, and equal ones are one function.
func TestThreadBodies(t *testing.T) {
	send := func(at, dest int) string {
		return fmt.Sprintf("%d,MPI_Send(buf=NULL, count=0, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ "+
			"a.c:20 [f]",
			at, dest)
	}
	desc := threaded([]string{barrier(100, 10), send(50, 1) + "\n" + barrier(60, 21), send(50, 1) + "\n" +
		barrier(60, 21)},
		[]string{barrier(100, 10), send(50, 0), send(50, 1) + "\n" + barrier(60, 21)})
	text, _ := generate(t, archivetest.Archive(t, desc), Options{})
	for function, want := range map[string]string{
		"static void *thread_1(void *unused)": "start_objects(); if (rank == 0) rank_0_thread_1(); else " +
			"rank_1_thread_1(); return unused;",
		"static void rank_1_thread_1(void)":   "MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);",
		"static void *thread_2(void *unused)": "start_objects(); rank_0_thread_1(); return unused;",
	} {
		if got := runsOf(text, function); got != want {
			t.Errorf("%s: %s\nnot %s", function, got, want)
		}
	}
	if n := strings.Count(text, "begin_thread("); n != 3 { // and the definition
		t.Errorf("%d threads are begun", n-1)
	}
	checkSyntax(t, "bodies", text)
}

// Each thread has the objects of a class for itself if no thread uses one that another made.
func TestThreadObjects(t *testing.T) {
	makes := func(at int, number string) string {
		return fmt.Sprintf("%d,MPI_Type_contiguous(count=2, oldtype=MPI_INT) @ a.c:20 [f] ; newtype=type#%s\n"+
			"%d,MPI_Type_free(datatype=type#%[2]s) @ a.c:21 [f]", at, number, at+10)
	}
	uses := "%d,MPI_Type_commit(datatype=type#0) @ a.c:22 [f] ; datatype=type#0"
	for _, x := range []struct {
		about, main, thread string
		own                 bool
	}{
		{"each its own", makes(100, "0"), makes(100, "0"), true},
		{"one of another thread", makes(100, "0"), fmt.Sprintf(uses, 150), false},
	} {
		text, _ := generate(t, archivetest.Archive(t, threaded([]string{x.main, x.thread})), Options{})
		if own := strings.Contains(text, "static __thread MPI_Datatype type[1];"); own != x.own ||
			!strings.Contains(text, "MPI_Datatype type[1];") {
			t.Errorf("%s: of each thread %v in\n%s", x.about, own, text)
		}
		start := runsOf(text, "static void start_objects(void)")
		if want := map[bool]string{true: "for (int i = 0; i < 1; i++) type[i] = MPI_DATATYPE_NULL;"}[x.own]; start != want {
			t.Errorf("%s: a thread starts with %q, not %q", x.about, start, want)
		}
		checkSyntax(t, x.about, text)
	}
}

// The length of a symbol is that of all that it stands for.
func TestSymbolLength(t *testing.T) {
	rule := func(n uint32, times uint64) archive.Symbol {
		return archive.Symbol{ID: n | archive.RuleBit, Count: times}
	}
	call := func(times uint64) archive.Symbol { return archive.Symbol{ID: 7, Count: times} }
	g := &archive.Grammar{Rules: [][]archive.Symbol{{rule(1, 5), call(3)}, {call(2), rule(2, 10)}, {call(1), call(4)}}}
	lengths := make([]uint64, 3)
	for _, x := range []struct {
		s    archive.Symbol
		want uint64
	}{{call(3), 3}, {rule(2, 1), 5}, {rule(1, 5), 5 * 52}, {rule(0, 1), 263}} {
		if got := symbolLength(g, lengths, x.s); got != x.want {
			t.Errorf("%+v: %d, not %d", x.s, got, x.want)
		}
	}
}

// Threads side by side that make objects of the same numbers have their own, though they share others. Where one uses
// what several made, or completes requests of another, nothing is written.
func TestThreadsShareNumbers(t *testing.T) {
	dup := func(at int, of, to string) string {
		return fmt.Sprintf("%d,MPI_Comm_dup(comm=%s) @ a.c:5 [f] ; newcomm=%s", at, of, to)
	}
	free := func(at int, c string) string {
		return fmt.Sprintf("%d,MPI_Comm_free(comm=%s) @ a.c:6 [f]", at, c)
	}
	main := dup(10, "MPI_COMM_WORLD", "comm#0") + "\n" + dup(11, "MPI_COMM_WORLD", "comm#1")
	one := dup(100, "comm#0", "comm#2") + "\n" + free(200, "comm#2")
	two := dup(300, "comm#1", "comm#2") + "\n" + free(400, "comm#2")
	other := dup(300, "comm#1", "comm#3") + "\n" + free(400, "comm#3")
	const isend = "50,MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:7 " +
		"[f] ; request=request#0"
	const wait = "60,MPI_Wait(request=request#0) @ a.c:8 [f]"
	for _, x := range []struct {
		threads      []string
		shared, made string // the variables of the communicators that thread 1 uses and makes
		refused      string
	}{
		{[]string{main, one, two}, "comm[0]", "my_comm[2]", ""},
		{[]string{main, one, other}, "comm[0]", "comm[2]", ""},
		{[]string{main, one}, "comm[0]", "comm[2]", ""},
		{[]string{main, one, two, free(300, "comm#2")}, "", "", "MPI_Comm_dup: several threads"},
		{[]string{main, isend, wait}, "", "", "MPI_Isend: a thread completes requests"},
	} {
		var b strings.Builder
		_, err := Generate(archivetest.Archive(t, threaded(x.threads, x.threads)), &b, Options{})
		if x.refused != "" {
			if err == nil || !strings.Contains(err.Error(), x.refused) || b.Len() > 0 {
				t.Errorf("%s: %v, %d bytes written", x.refused, err, b.Len())
			}
			continue
		}
		if want := fmt.Sprintf("MPI_Comm_dup(%s, &%s)", x.shared, x.made); err != nil ||
			!strings.Contains(b.String(), want) {
			t.Errorf("%d threads: %v, no %s in\n%s", len(x.threads), err, want, b.String())
		}
		checkSyntax(t, x.made, b.String())
	}
}

// Threads side by side that allocate blocks of the same numbers have their own; what one allocates for all is for all.
// Where one uses what several allocated nothing is written.
func TestThreadsShareBlocks(t *testing.T) {
	block := func(at, n, bytes int) string {
		return fmt.Sprintf("%d,tabard_segment(segment=%d, kind=1, bytes=%d)", at, n, bytes)
	}
	send := func(at, n int) string {
		return fmt.Sprintf("%d,MPI_Send(buf=heap#%d, count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD) "+
			"@ a.c:7 [f]",
			at, n)
	}
	end := func(at, n int) string { return fmt.Sprintf("%d,tabard_segment_end(segment=%d)", at, n) }
	main := block(10, 0, 64) + "\n" + send(11, 0)
	own := strings.Join([]string{send(20, 0), block(21, 1, 64), send(22, 1), end(23, 1)}, "\n")
	text, _ := generate(t, archivetest.Archive(t, threaded([]string{main, own, own})), Options{})
	for _, want := range []string{"static char *heap[2];", "static __thread char *my_heap[2]; /* of each thread */",
		"MPI_Send(heap[0], 1,", "my_heap[1] = memory(64);", "MPI_Send(my_heap[1], 1,", "free(my_heap[1]);"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	checkSyntax(t, "blocks", text)
	var b strings.Builder
	_, err := Generate(archivetest.Archive(t, threaded([]string{main, own, own, send(30, 1)})), &b, Options{})
	if err == nil || !strings.Contains(err.Error(), "memory block 1: several threads allocate") || b.Len() > 0 {
		t.Errorf("a thread that uses what others allocated: %v", err)
	}
}

// Threads whose creation is recorded begin where they were created and are waited for where they were joined, one after
// the other. Of those that made no calls nothing is left; what nobody joined is waited for at the end.
func TestThreadCreations(t *testing.T) {
	create, join := "%d,tabard_thread_create(thread=%d)", "%d,tabard_thread_join(thread=%d)"
	begin := "%d,tabard_thread_begin(creations=%d)\n"
	var main, one, two []string
	for step := range 3 {
		at := 100 * step
		main = append(main, fmt.Sprintf(create, at+10, 1), fmt.Sprintf(create, at+11, 2), fmt.Sprintf(create, at+12, 7),
			fmt.Sprintf(join, at+40, 1), barrier(at+50, 10))
		one = append(one, fmt.Sprintf(begin, at+20, 1)+barrier(at+21, 20))
	}
	two = append(two, fmt.Sprintf(begin, 230, 3)+barrier(231, 30)) // the first two made no calls
	text, _ := generate(t, archivetest.Archive(t, threaded([]string{strings.Join(main, "\n"), strings.Join(one, "\n"),
		strings.Join(two, "\n")})), Options{})
	for function, want := range map[string]string{
		"static void all_ranks(void)": "for (long i = 0; i < 3; i++) { create_thread(1); create_thread(2); " +
			"join_thread(1); " +
			meet + " } finish_thread(1); finish_thread(2); MPI_Finalize();",
		"static void *thread_1(void *unused)": "number = 1; start_objects(); all_ranks_thread_1(); end_lives(); " +
			"return unused;",
		"static void all_ranks_thread_1(void)": "for (long i = 0; i < 3; i++) { begin_life(1); " + meet + " }",
		"static void all_ranks_thread_2(void)": "begin_life(3); " + meet,
	} {
		if got := runsOf(text, function); got != want {
			t.Errorf("%s: %s\nnot %s", function, got, want)
		}
	}
	if strings.Contains(text, "static void start_thread") {
		t.Error("no thread starts by itself")
	}
	checkSyntax(t, "creations", text)
}
