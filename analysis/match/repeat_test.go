package match_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/choices"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
	"github.com/tabard-hpc/tabard/spec"
)

// runFunc is match.RunProgram or one of its variants.
type runFunc func(*calls.Program, match.Options) (*match.Summary, error)

// handed is a message, a member's part of a collective, or an end without a partner, as a run hands
// it out, without pointers. Texts of them would take longer to make than what is tested.
type handed struct {
	message    match.Message
	send, recv handedEnd
	collective struct {
		comm, root, object int32
		class              spec.Class
		index, round       uint64
		f                  *spec.Func
		members, missing   int
		mixed              bool
		part, parts        int
	}
	part      match.Part
	unmatched match.Unmatched
}

// handedEnd has the probe of an end, if there is one, in place of where it is.
type handedEnd struct {
	match.End
	probe match.Ref
}

func handedRef(r match.Ref) match.Ref {
	if !r.Known() {
		return match.Ref{Stream: -1}
	}
	return r
}

func handedOf(e *match.End) (h handedEnd) {
	h.End = *e
	h.Post, h.Done, h.Probe = handedRef(e.Post), handedRef(e.Done), nil
	if e.Probe != nil {
		h.probe = handedRef(*e.Probe)
	}
	return h
}

// all is everything that a run hands out, and how often.
func all(t *testing.T, p *calls.Program, o match.Options, run runFunc) (found map[handed]int, sum *match.Summary) {
	t.Helper()
	found = map[handed]int{}
	o.Message = func(m *match.Message) error {
		h := handed{message: *m, send: handedOf(m.Send), recv: handedOf(m.Recv)}
		h.message.Send, h.message.Recv = nil, nil
		found[h]++
		return nil
	}
	o.Collective = func(c *match.Collective) error {
		var h handed
		x := &h.collective
		x.comm, x.root, x.object, x.class, x.index, x.round = c.Comm, c.Root, c.Object, c.Class, c.Index, c.Round
		x.f, x.members, x.missing, x.mixed, x.parts = c.Func, c.Members, c.Missing, c.Mixed, len(c.Parts)
		for x.part, h.part = range c.Parts {
			h.part.Post, h.part.Done = handedRef(h.part.Post), handedRef(h.part.Done)
			found[h]++
		}
		return nil
	}
	o.Unmatched = func(u *match.Unmatched) error {
		h := handed{unmatched: *u, send: handedOf(&u.End)}
		h.unmatched.End = match.End{}
		found[h]++
		return nil
	}
	sum, err := run(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return found, sum
}

// seen is what an Observer was handed.
type seen struct {
	t     *testing.T
	timed bool
	calls map[int32][]seenCall
}

type seenCall struct {
	terminal   uint32
	begin, end time.Duration
}

func (s *seen) add(stream int32, call uint64, terminal uint32, begin, end time.Duration) {
	if n := uint64(len(s.calls[stream])); n != call && s.timed {
		s.t.Fatalf("stream %d: call %d after %d", stream, call, n)
	}
	s.calls[stream] = append(s.calls[stream], seenCall{terminal, begin, end})
}

func (s *seen) Event(stream int32, op *calls.Op) error {
	for i := range op.Calls {
		s.add(stream, op.Call+i, op.Terminal, op.Begin, op.End)
	}
	return nil
}

func (s *seen) Repeat(stream int32, call uint64, body []uint32, at int, begins, ends []time.Duration) error {
	for i := range begins {
		s.add(stream, call+uint64(i), body[(at+i)%len(body)], begins[i], ends[i])
	}
	return nil
}

// repeats compares runs with one that looks at every event, and returns how much of an archive they did not look at.
func repeats(t *testing.T, a *archive.Archive) float64 {
	t.Helper()
	part, sum := repeated(t, a)
	if folded := folds(t, a, match.RunProgram); !equalSums(*folded, *sum) {
		t.Fatalf("folded: %+v, want %+v", *folded, *sum)
	}
	return part
}

func equalSums(a, b match.Summary) bool {
	a.Waiting, b.Waiting = 0, 0 // it depends on the order how many wait
	return a == b
}

// repeated compares a run that matches iterations by repetition with one that looks at every event: all that they hand
// out, and all that an observer sees.
func repeated(t *testing.T, a *archive.Archive) (part float64, sum *match.Summary) {
	t.Helper()
	p, err := calls.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	repeated := uint64(0)
	counted := func(p *calls.Program, o match.Options) (*match.Summary, error) {
		sum, n, err := match.RunCounted(p, o)
		repeated = n
		return sum, err
	}
	plainly, fast := &seen{t, a.Stream(0).Timed(), map[int32][]seenCall{}},
		&seen{t, a.Stream(0).Timed(), map[int32][]seenCall{}}
	want, sum := all(t, p, match.Options{Observer: plainly}, match.RunPlainly)
	got, gotSum := all(t, p, match.Options{Observer: fast}, counted)
	for h, n := range want {
		if got[h] != n {
			t.Fatalf("found %d times, want %d: %+v", got[h], n, h)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d found, want %d", len(got), len(want))
	}
	if !equalSums(*sum, *gotSum) {
		t.Fatalf("sum %+v, want %+v", *gotSum, *sum)
	}
	for stream, cs := range plainly.calls {
		if timed := a.Stream(int(stream)).Timed(); timed && !slices.Equal(fast.calls[stream], cs) {
			t.Fatalf("stream %d: an observer saw %d calls, want %d, or others", stream, len(fast.calls[stream]),
				len(cs))
		}
	}
	return float64(repeated) / float64(max(1, sum.Events)), sum
}

// folds compares a run that hands out what repeats as one with another one that does not, and returns its sum.
func folds(t *testing.T, a *archive.Archive, run runFunc) *match.Summary {
	t.Helper()
	p, err := calls.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	count := [2]uint64{}
	posts := map[[4]uint64]int{} // of both ends, what is folded less what is not
	ends := func(m *match.Message, k uint64) *[4]uint64 {
		s, r := &m.Send.Post, &m.Recv.Post
		return &[4]uint64{uint64(s.Stream), s.Call + k*m.SendStep, uint64(r.Stream), r.Call + k*m.RecvStep}
	}
	sum, err := run(p, match.Options{Untimed: true,
		Message: func(m *match.Message) error { posts[*ends(m, 0)]--; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	folded, err := match.RunProgram(p, match.Options{Untimed: true, Fold: true,
		Message: func(m *match.Message) error {
			count[0] += m.Count
			for k := range m.Count {
				posts[*ends(m, k)]++
			}
			return nil
		},
		Collective: func(c *match.Collective) error { count[1] += c.Count; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if !equalSums(*folded, *sum) || count != [2]uint64{sum.Messages, sum.Collectives} {
		t.Fatalf("folded: %+v, counted %d; want %+v", *folded, count, *sum)
	}
	for calls, n := range posts {
		if n != 0 {
			t.Fatalf("folded: a message of calls %d is found %d times too often", calls, n)
		}
	}
	return folded
}

// TestRepeatsSynthetic: of programs that repeat themselves few events are looked at, and nothing is
// different.
func TestRepeatsSynthetic(t *testing.T) {
	for _, x := range synthetic.Programs() {
		for _, timing := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", x.Name, timing), func(t *testing.T) {
				a, _ := makeJob(t, x.Name, synthetic.Params{Ranks: 9, Steps: 150, Seed: 3, Timing: timing})
				part := repeats(t, a)
				t.Logf("%.0f %% repeated", 100*part)
				if strings.HasPrefix(x.Name, "stencil") && part < .5 {
					t.Errorf("only %.0f %% of a stencil is repeated", 100*part)
				}
			})
		}
	}
}

// loopProgram is a random program of which most is loops: messages within an iteration and across
// iterations, in loops that begin with different calls at different ranks.
type loopProgram struct {
	rng   *rand.Rand
	ranks []strings.Builder
	now   []int
	timed bool
	// special is done by every rank in every iteration; nil for nothing.
	special *special
}

// special is calls of every rank in which RANK, LEFT and RIGHT stand for ranks, some of them before
// all loops.
type special struct {
	before, body string
	repeats      bool // some iterations are matched by repetition
}

// replacers are those of fill, by rank and number of ranks.
var replacers sync.Map

func fill(text string, rank, n int) string {
	x, ok := replacers.Load([2]int{rank, n})
	if !ok {
		x = strings.NewReplacer("RANK", fmt.Sprint(rank), "LEFT", fmt.Sprint((rank+n-1)%n), "RIGHT",
			fmt.Sprint((rank+1)%n), "ONE", "count=1, datatype=MPI_INT", "WORLD", "comm=MPI_COMM_WORLD")
		replacers.Store([2]int{rank, n}, x)
	}
	return x.(*strings.Replacer).Replace(text)
}

// specials are what makes iterations differ from one another, or seem to.
var specials = []special{
	{ // a request that the next iteration completes
		"MPI_Irecv(ONE, source=LEFT, tag=11, WORLD) ; request=request#5",
		"MPI_Isend(ONE, dest=RIGHT, tag=11, WORLD) ; request=request#6\n" +
			"MPI_Waitall(count=2, array_of_requests=[request#6, request#5]) ; array_of_statuses=[{source=-1 tag=-1 " +
			"bytes=0}, " +
			"{source=LEFT tag=11 bytes=4}]\n" +
			"MPI_Irecv(ONE, source=LEFT, tag=11, WORLD) ; request=request#5", true},
	{ // persistent requests
		"MPI_Recv_init(ONE, source=LEFT, tag=11, WORLD) ; request=request#5\n" +
			"MPI_Ssend_init(ONE, dest=RIGHT, tag=11, WORLD) ; request=request#6",
		"MPI_Startall(count=2, array_of_requests=[request#5, request#6])\n" +
			"MPI_Waitall(count=2, array_of_requests=[request#5, request#6]) ; array_of_statuses=[{source=LEFT " +
			"tag=11 bytes=4}, " +
			"{source=-1 tag=-1 bytes=0}]", true},
	{ // a persistent request that the iteration before started
		"MPI_Recv_init(ONE, source=LEFT, tag=11, WORLD) ; request=request#5\nMPI_Start(request=request#5)",
		"MPI_Send(ONE, dest=RIGHT, tag=11, WORLD)\nMPI_Wait(request=request#5) ; status={source=LEFT tag=11 bytes=4}\n" +
			"MPI_Start(request=request#5)", true},
	{ // nonblocking collectives, and one that the next iteration completes
		"MPI_Ibarrier(WORLD) ; request=request#5",
		"MPI_Iallreduce(ONE, op=MPI_SUM, WORLD) ; request=request#6\n" +
			"MPI_Wait(request=request#6) ; request=MPI_REQUEST_NULL\n" +
			"MPI_Wait(request=request#5) ; request=MPI_REQUEST_NULL\nMPI_Ibarrier(WORLD) ; request=request#5", false},
	{ // persistent collectives
		"MPI_Barrier_init(WORLD, info=MPI_INFO_NULL) ; request=request#5",
		"MPI_Start(request=request#5)\nMPI_Wait(request=request#5)", false},
	{ // wildcards whose outcome is always the same
		"", "MPI_Send(ONE, dest=RIGHT, tag=11, WORLD)\n" +
			"MPI_Recv(ONE, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=comm#0) ; status={source=LEFT tag=1 bytes=4}\n" +
			"MPI_Recv(ONE, source=MPI_ANY_SOURCE, tag=11, WORLD) ; status={source=LEFT tag=11 bytes=4}\n" +
			"MPI_Send(ONE, dest=RIGHT, tag=1, comm=comm#0)", true},
	{ // and of which nothing tells it
		"", "MPI_Send(ONE, dest=RIGHT, tag=11, WORLD)\nMPI_Recv(ONE, source=MPI_ANY_SOURCE, tag=11, WORLD)", false},
	{ // a wildcard that is under way from one iteration to the next
		"MPI_Irecv(ONE, source=MPI_ANY_SOURCE, tag=11, WORLD) ; request=request#5",
		"MPI_Send(ONE, dest=RIGHT, tag=11, WORLD)\n" +
			"MPI_Wait(request=request#5) ; request=MPI_REQUEST_NULL ; status={source=LEFT tag=11 bytes=4}\n" +
			"MPI_Irecv(ONE, source=MPI_ANY_SOURCE, tag=11, WORLD) ; request=request#5", false},
	{ // tests in vain, once before the loop
		"MPI_Irecv(ONE, source=LEFT, tag=11, WORLD) ; request=request#5\npoll 3 MPI_Test(request=request#5) ; flag=0",
		"MPI_Send(ONE, dest=RIGHT, tag=11, WORLD)\n" +
			"MPI_Wait(request=request#5) ; request=MPI_REQUEST_NULL ; status={source=LEFT tag=11 bytes=4}\n" +
			"MPI_Irecv(ONE, source=LEFT, tag=11, WORLD) ; request=request#5", true},
	{ // and tests in every iteration
		"MPI_Irecv(ONE, source=LEFT, tag=11, WORLD) ; request=request#5",
		"poll 2 MPI_Test(request=request#5) ; flag=0\nMPI_Send(ONE, dest=RIGHT, tag=11, WORLD)\n" +
			"MPI_Wait(request=request#5) ; request=MPI_REQUEST_NULL ; status={source=LEFT tag=11 bytes=4}\n" +
			"MPI_Irecv(ONE, source=LEFT, tag=11, WORLD) ; request=request#5", false},
	{ // other communicators, one of each rank alone
		"MPI_Comm_dup(WORLD) ; newcomm=comm#1\nMPI_Comm_split(WORLD, color=RANK, key=0) ; newcomm=comm#2",
		"MPI_Send(ONE, dest=RIGHT, tag=1, comm=comm#1)\nMPI_Allreduce(ONE, op=MPI_SUM, comm=comm#2)\n" +
			"MPI_Recv(ONE, source=LEFT, tag=1, comm=comm#1) ; status={source=LEFT tag=1 bytes=4}\n" +
			"MPI_Sendrecv(sendcount=1, sendtype=MPI_INT, dest=0, sendtag=5, recvcount=1, recvtype=MPI_INT, " +
			"source=0, recvtag=5, " +
			"comm=comm#2) ; status={source=0 tag=5 bytes=4}", true},
	{ // a communicator and a datatype that are made anew by each iteration
		"", "MPI_Comm_dup(WORLD) ; newcomm=comm#1\nMPI_Type_contiguous(count=3, oldtype=MPI_INT) ; newtype=type#0\n" +
			"MPI_Sendrecv(sendcount=1, sendtype=type#0, dest=RIGHT, sendtag=5, recvcount=1, recvtype=type#0, " +
			"source=LEFT, " +
			"recvtag=5, comm=comm#1) ; status={source=LEFT tag=5 bytes=12}\n" +
			"MPI_Allreduce(ONE, op=MPI_SUM, comm=comm#1)\nMPI_Type_free(datatype=type#0)\nMPI_Comm_free(comm=comm#1)",
		true},
	{ // messages that nobody receives, and to nobody
		"MPI_Irecv(ONE, source=RIGHT, tag=55, WORLD) ; request=request#9",
		"MPI_Send(ONE, dest=MPI_PROC_NULL, tag=5, WORLD)\nMPI_Send(ONE, dest=RIGHT, tag=54, WORLD)", false},
	{ // a receive that is cancelled
		"", "MPI_Irecv(ONE, source=LEFT, tag=11, WORLD) ; request=request#5\nMPI_Cancel(request=request#5)\n" +
			"MPI_Wait(request=request#5) ; request=MPI_REQUEST_NULL ; status={source=-1 tag=-1 bytes=0 cancelled}",
		false},
	{ // many iterations that are under way
		"MPI_Send(ONE, dest=RIGHT, tag=8, WORLD)\nMPI_Send(ONE, dest=RIGHT, tag=8, WORLD)\n" +
			"MPI_Send(ONE, dest=RIGHT, tag=8, WORLD)",
		"MPI_Send(ONE, dest=RIGHT, tag=8, WORLD)\nMPI_Recv(ONE, source=LEFT, tag=8, WORLD)", true},
}

func (x *loopProgram) call(rank int, call string) {
	if x.timed {
		x.now[rank] += 1 + x.rng.IntN(20)
		d := 1 + x.rng.IntN(9)
		if strings.HasPrefix(call, "poll") {
			d += 400 // the other tests follow 100 apart
		}
		x.ranks[rank].WriteString(strconv.Itoa(x.now[rank]) + "+" + strconv.Itoa(d) + " ")
		x.now[rank] += d
	}
	x.ranks[rank].WriteString(call + "\n")
}

// body is a sequence of calls of all ranks in which every message is received. Nothing of it blocks
// for ever.
func (x *loopProgram) body(most int) (cs [][]string) {
	n := len(x.ranks)
	cs = make([][]string, n)
	if x.special != nil {
		for r := range n {
			cs[r] = strings.Split(fill(x.special.body, r, n), "\n")
		}
	}
	add := func(rank int, format string, args ...any) {
		cs[rank] = append(cs[rank], fmt.Sprintf(format, args...))
	}
	for range 1 + x.rng.IntN(most) {
		from, to, tag := x.rng.IntN(n), x.rng.IntN(n), x.rng.IntN(2)
		switch x.rng.IntN(6) {
		case 0:
			add(from, "MPI_Send(count=%d, datatype=MPI_INT, dest=%d, tag=%d, comm=MPI_COMM_WORLD)", tag+1, to, tag)
			add(to, "MPI_Recv(count=9, datatype=MPI_INT, source=%d, tag=%d, comm=MPI_COMM_WORLD) ; "+
				"status={source=%d tag=%d "+
				"bytes=%d}", from, tag, from, tag, 4*tag+4)
		case 1:
			add(to, "MPI_Irecv(count=9, datatype=MPI_INT, source=%d, tag=3, comm=MPI_COMM_WORLD) ; request=request#1",
				from)
			add(from, "MPI_Isend(count=4, datatype=MPI_INT, dest=%d, tag=3, comm=MPI_COMM_WORLD) ; request=request#2",
				to)
			add(from, "MPI_Wait(request=request#2) ; request=MPI_REQUEST_NULL")
			add(to, "MPI_Wait(request=request#1) ; request=MPI_REQUEST_NULL ; status={source=%d tag=3 bytes=16}", from)
		case 2:
			for r := range n {
				add(r, "MPI_Allreduce(count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)")
			}
		case 3:
			for r := range n {
				add(r, "MPI_Sendrecv(sendcount=1, sendtype=MPI_INT, dest=%d, sendtag=5, recvcount=1, "+
					"recvtype=MPI_INT, source=%d, "+
					"recvtag=5, comm=MPI_COMM_WORLD) ; status={source=%d tag=5 bytes=4}",
					(r+1)%n, (r+n-1)%n, (r+n-1)%n)
			}
		case 4: // the message of the iteration before, as it is in the prologue
			for r := range n {
				add(r, "MPI_Recv(count=1, datatype=MPI_INT, source=%d, tag=7, comm=MPI_COMM_WORLD)", (r+n-1)%n)
				add(r, "MPI_Send(count=1, datatype=MPI_INT, dest=%d, tag=7, comm=MPI_COMM_WORLD)", (r+1)%n)
			}
		case 5:
			add(to, "MPI_Mprobe(source=%d, tag=9, comm=MPI_COMM_WORLD) ; message=message#0 ; status={source=%d "+
				"tag=9 bytes=4}",
				from, from)
			add(to, "MPI_Mrecv(count=1, datatype=MPI_INT, message=message#0) ; status={source=%d tag=9 bytes=4}", from)
			add(from, "MPI_Send(count=1, datatype=MPI_INT, dest=%d, tag=9, comm=MPI_COMM_WORLD)", to)
		}
	}
	return cs
}

// shape is what a random program of loops is like.
type shape struct {
	ranks, loops, calls int  // at most so many of them, calls in the body of a loop
	least, more         int  // iterations
	timed, odd, alone   bool // with times; an iteration has something more; so has one rank
	special             *special
}

func seeded(seed uint64, sp *special) string {
	return randomLoops(rand.New(rand.NewPCG(seed, 11)), shape{5, 3, 5, 30, 300, seed%3 > 0, seed%2 == 0, seed%5 == 0,
		sp})
}

func randomLoops(rng *rand.Rand, s shape) string {
	n := 2 + rng.IntN(s.ranks-1)
	x := &loopProgram{rng: rng, ranks: make([]strings.Builder, n), now: make([]int, n), timed: s.timed}
	x.special = s.special
	for r := range n {
		x.call(r, "MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0")
		right := fmt.Sprintf("MPI_Send(count=1, datatype=MPI_INT, dest=%d, tag=7, comm=MPI_COMM_WORLD)", (r+1)%n)
		for range rng.IntN(2) {
			x.call(r, right)
		}
		x.call(r, right)
		if x.special != nil {
			for c := range strings.SplitSeq(fill(x.special.before, r, n), "\n") {
				if c != "" {
					x.call(r, c)
				}
			}
		}
	}
	for range 1 + rng.IntN(s.loops) {
		body, count := x.body(s.calls), s.least+rng.IntN(s.more)
		odd := rng.IntN(count) // an iteration with something more
		for i := range count {
			for r := range n {
				for _, c := range body[r] {
					x.call(r, c)
				}
				if i == odd && s.odd {
					x.call(r, "MPI_Barrier(comm=MPI_COMM_WORLD)")
				}
			}
		}
		if s.alone {
			x.call(rng.IntN(n), "MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=77, comm=MPI_COMM_WORLD)")
		}
	}
	var b strings.Builder
	b.WriteString("abi openmpi\n")
	if !x.timed {
		b.WriteString("notiming\n")
	}
	for r := range n {
		fmt.Fprintf(&b, "rank %d of %d on n\n%s", r, n, x.ranks[r].String())
	}
	return b.String()
}

func TestRepeatsRandom(t *testing.T) {
	sum := 0.0
	const n = 60
	for seed := range uint64(n) {
		sum += repeats(t, archivetest.Archive(t, seeded(seed, nil)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if sum/n < .35 {
		t.Errorf("%.0f %% of all events are repeated", 100*sum/n)
	}
	t.Logf("%.0f %% of all events are repeated", 100*sum/n)
}

func FuzzRepeats(f *testing.F) {
	for i := range specials {
		f.Add([]byte{byte(i)})
	}
	f.Cleanup(match.ShortLoops())
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 0 {
			repeated(t, archivetest.InMemory(t, smallLoops(in)))
		}
	})
}

// FuzzFolds compares with a run that looks at every event, or with one that folds nothing.
func FuzzFolds(f *testing.F) {
	for i := range specials {
		f.Add([]byte{byte(i)}, i%2 == 0)
	}
	f.Cleanup(match.ShortLoops())
	f.Fuzz(func(t *testing.T, in []byte, plainly bool) {
		run := match.RunProgram
		if plainly {
			run = match.RunPlainly
		}
		if len(in) > 0 {
			folds(t, archivetest.InMemory(t, smallLoops(in)), run)
		}
	})
}

// smallLoops is a program of two ranks with one loop of few iterations, enough to be matched by repetition.
func smallLoops(in []byte) string {
	rng := choices.Rand(in[1:])
	s := shape{
		ranks: 2,
		loops: 1,
		calls: 2,
		least: 5,
		more:  3,
		timed: rng.IntN(4) == 3,
		odd:   rng.IntN(2) == 0,
		alone: rng.IntN(5) == 0,
	}
	if n := int(in[0]) % (len(specials) + 1); n > 0 {
		s.special = &specials[n-1]
	}
	return randomLoops(rng, s)
}

// TestRepeatsSpecial: nor is anything different where iterations differ, or hang together.
func TestRepeatsSpecial(t *testing.T) {
	for i := range specials {
		x := &specials[i]
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			sum := 0.0
			for seed := range uint64(6) {
				sum += repeats(t, archivetest.Archive(t, seeded(seed, x)))
			}
			if sum == 0 == x.repeats {
				t.Errorf("%.0f %% of all events are repeated", 100*sum/6)
			}
		})
	}
}

// TestRepeatsLong: what takes no times takes no longer the more often a loop goes round.
func TestRepeatsLong(t *testing.T) {
	const text = `
abi openmpi
notiming
rank 0 of 2 on n
MPI_Init()
loop 100000
  MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=0, comm=MPI_COMM_WORLD)
  MPI_Recv(count=1, datatype=MPI_INT, source=1, tag=0, comm=MPI_COMM_WORLD)
end
rank 1 of 2 on n
MPI_Init()
MPI_Recv(count=1, datatype=MPI_INT, source=0, tag=0, comm=MPI_COMM_WORLD)
loop 99999
  MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD)
  MPI_Recv(count=1, datatype=MPI_INT, source=0, tag=0, comm=MPI_COMM_WORLD)
end
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD)
`
	p, err := calls.Open(archivetest.Archive(t, text))
	if err != nil {
		t.Fatal(err)
	}
	sum, repeated, err := match.RunCounted(p, match.Options{Untimed: true, Fold: true})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Messages != 200000 || sum.UnmatchedSends+sum.UnmatchedRecvs != 0 || sum.Events-repeated > 200 {
		t.Errorf("%+v, of which %d events are repeated", *sum, repeated)
	}
}

// TestRepeatsTests: tests in vain before a loop belong to its first iteration only, although all
// else is as in the others.
func TestRepeatsTests(t *testing.T) {
	for _, body := range []string{
		"MPI_Wait(request=request#5) ; request=MPI_REQUEST_NULL ; status={source=LEFT tag=11 bytes=4}\n" +
			"MPI_Send(ONE, dest=RIGHT, tag=11, WORLD)\nMPI_Irecv(ONE, source=LEFT, tag=11, WORLD) ; request=request#5\n",
		"MPI_Wait(request=request#5) ; request=MPI_REQUEST_NULL\nMPI_Recv(ONE, source=LEFT, tag=11, WORLD)\n" +
			"MPI_Issend(ONE, dest=RIGHT, tag=11, WORLD) ; request=request#5\n",
	} {
		_, before, _ := strings.Cut(body, "\n")
		if strings.HasPrefix(before, "MPI_Recv") { // nothing was sent yet
			_, before, _ = strings.Cut(before, "\n")
		}
		var b strings.Builder
		b.WriteString("abi openmpi\n")
		for r := range 3 {
			b.WriteString(fill(fmt.Sprintf("rank RANK of 3 on n\n%spoll 1 MPI_Test(request=request#5) ; "+
				"flag=0\nloop 50\n"+
				"%sMPI_Comm_rank(WORLD) ; rank=RANK\nend\n", before, body), r, 3))
		}
		if part := repeats(t, archivetest.Archive(t, b.String())); part < .5 {
			t.Errorf("only %.0f %% is repeated", 100*part)
		}
	}
}
