package match_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/choices"
	"github.com/tabard-hpc/tabard/internal/testkit/plainmatch"
)

// machine is an MPI library that runs a random program: it keeps, for each rank, the receives that
// were posted and the messages that came unexpected, as libraries do, and so knows who received
// what.
type machine struct {
	rng     *rand.Rand
	ranks   []*machineRank
	now     int
	truth   []string
	timed   bool
	comms   []string
	lengths []int // bytes of messages, by number
}

type machineRank struct {
	threads    [2][]string // calls
	posted     []*machineRecv
	unexpected []machineMessage
	requests   []*machineRequest // by number; nil if free
	messages   []*machineMessage // mprobed
}

type machineMessage struct {
	source, tag, comm, bytes int
	id                       string // of the sending call
}

type machineRecv struct {
	source, tag, comm int // -1: any
	id                string
	got               *machineMessage
}

type machineRequest struct {
	recv       *machineRecv // nil of a send
	persistent string       // what starts it: empty if not
	active     bool
	dest       int
	msg        machineMessage
}

func (v *machineRecv) fits(m *machineMessage) bool {
	return v.comm == m.comm && (v.source < 0 || v.source == m.source) && (v.tag < 0 || v.tag == m.tag)
}

// call writes down a call and returns its identity.
func (x *machine) call(rank, thread int, format string, args ...any) string {
	r := x.ranks[rank]
	text := fmt.Sprintf(format, args...)
	if x.timed {
		text = fmt.Sprintf("%d+1 %s", x.now, text)
		x.now += 2
	}
	r.threads[thread] = append(r.threads[thread], text)
	return fmt.Sprintf("%d.%d/%d", rank, thread, len(r.threads[thread])-1)
}

// next is the identity of the next call.
func (x *machine) next(rank, thread int) string {
	return fmt.Sprintf("%d.%d/%d", rank, thread, len(x.ranks[rank].threads[thread]))
}

// deliver hands a message to the first receive that fits.
func (x *machine) deliver(dest int, m machineMessage) {
	r := x.ranks[dest]
	for i, v := range r.posted {
		if v.fits(&m) {
			v.got = &m
			r.posted = slices.Delete(r.posted, i, i+1)
			return
		}
	}
	r.unexpected = append(r.unexpected, m)
}

// post makes a receive look for a message.
func (x *machine) post(rank int, v *machineRecv) {
	r := x.ranks[rank]
	for i := range r.unexpected {
		if v.fits(&r.unexpected[i]) {
			m := r.unexpected[i]
			v.got = &m
			r.unexpected = slices.Delete(r.unexpected, i, i+1)
			return
		}
	}
	r.posted = append(r.posted, v)
}

// request finds a free number.
func (r *machineRank) request(q *machineRequest) int {
	for i := range r.requests {
		if r.requests[i] == nil {
			r.requests[i] = q
			return i
		}
	}
	r.requests = append(r.requests, q)
	return len(r.requests) - 1
}

func (x *machine) match(m *machineMessage, recv string) {
	x.truth = append(x.truth, fmt.Sprintf("%s -> %s tag %d bytes %d", m.id, recv, m.tag, m.bytes))
}

func wildcard(n int, name string) string {
	if n < 0 {
		return name
	}
	return fmt.Sprint(n)
}

func (v *machineRecv) args(x *machine) string {
	return fmt.Sprintf("count=1000, datatype=MPI_CHAR, source=%s, tag=%s, comm=%s",
		wildcard(v.source, "MPI_ANY_SOURCE"), wildcard(v.tag, "MPI_ANY_TAG"), x.comms[v.comm])
}

func status(m *machineMessage) string {
	return fmt.Sprintf("{source=%d tag=%d bytes=%d}", m.source, m.tag, m.bytes)
}

// wild tells whether a request, if it is a receive, has wildcards.
func (v *machineRecv) wild() bool { return v != nil && (v.source < 0 || v.tag < 0) }

// asked is a status as it is recorded: the program asks for it, or ignores it.
func (x *machine) asked(wild bool, status string) string {
	switch {
	case x.rng.IntN(2) == 0:
		return status
	case wild:
		return "ignored" + status
	}
	return "-"
}

// receive makes up what a receive asks for.
func (x *machine) receive(wild bool) *machineRecv {
	v := &machineRecv{source: x.rng.IntN(len(x.ranks)), tag: x.rng.IntN(3), comm: x.rng.IntN(len(x.comms))}
	if wild && x.rng.IntN(2) == 0 {
		v.source = -1
	}
	if wild && x.rng.IntN(2) == 0 {
		v.tag = -1
	}
	return v
}

// message makes up a message.
func (x *machine) message(rank int) (m machineMessage, dest int) {
	return machineMessage{source: rank, tag: x.rng.IntN(3), comm: x.rng.IntN(len(x.comms)), bytes: x.rng.IntN(100)},
		x.rng.IntN(len(x.ranks))
}

func (m *machineMessage) args(x *machine, dest int) string {
	return fmt.Sprintf("count=%d, datatype=MPI_CHAR, dest=%d, tag=%d, comm=%s", m.bytes, dest, m.tag, x.comms[m.comm])
}

// step makes one call of a rank, if what it chooses can be done.
func (x *machine) step(rank, thread int) {
	r := x.ranks[rank]
	switch x.rng.IntN(11) {
	case 0, 1: // blocking send
		m, dest := x.message(rank)
		m.id = x.call(rank, thread, "MPI_Send(%s)", m.args(x, dest))
		x.deliver(dest, m)
	case 2: // nonblocking send
		m, dest := x.message(rank)
		m.id = x.next(rank, thread)
		n := r.request(&machineRequest{active: true})
		x.call(rank, thread, "MPI_Isend(%s) ; request=request#%d", m.args(x, dest), n)
		x.deliver(dest, m)
	case 3: // blocking receive, only of what is there
		v := x.receive(true)
		if !slices.ContainsFunc(r.unexpected, func(m machineMessage) bool { return v.fits(&m) }) {
			return
		}
		x.post(rank, v)
		id := x.call(rank, thread, "MPI_Recv(%s) ; status=%s", v.args(x), x.asked(v.wild(), status(v.got)))
		x.match(v.got, id)
	case 4, 5: // nonblocking receive
		v := x.receive(true)
		v.id = x.next(rank, thread)
		n := r.request(&machineRequest{recv: v, active: true})
		x.call(rank, thread, "MPI_Irecv(%s) ; request=request#%d", v.args(x), n)
		x.post(rank, v)
	case 6: // persistent ones
		q := &machineRequest{persistent: "send"}
		if x.rng.IntN(2) == 0 {
			q.msg, q.dest = x.message(rank)
			n := r.request(q)
			x.call(rank, thread, "MPI_Send_init(%s) ; request=request#%d", q.msg.args(x, q.dest), n)
			return
		}
		q.persistent, q.recv = "recv", x.receive(true)
		n := r.request(q)
		x.call(rank, thread, "MPI_Recv_init(%s) ; request=request#%d", q.recv.args(x), n)
	case 7: // start one
		for n, q := range r.requests {
			if q == nil || q.persistent == "" || q.active {
				continue
			}
			q.active = true
			id := x.call(rank, thread, "MPI_Start(request=request#%d)", n)
			if q.persistent == "send" {
				m := q.msg
				m.id = id
				x.deliver(q.dest, m)
			} else {
				v := *q.recv
				v.id, v.got = id, nil
				q.recv = &v
				x.post(rank, &v)
			}
			return
		}
	case 8: // mprobe
		v := x.receive(true)
		if !slices.ContainsFunc(r.unexpected, func(m machineMessage) bool { return v.fits(&m) }) {
			return
		}
		x.post(rank, v)
		n := slices.Index(r.messages, nil)
		if n < 0 {
			n = len(r.messages)
			r.messages = append(r.messages, nil)
		}
		r.messages[n] = v.got
		x.call(rank, thread, "MPI_Mprobe(%s) ; message=message#%d ; status=%s",
			strings.TrimPrefix(v.args(x), "count=1000, datatype=MPI_CHAR, "), n, x.asked(v.wild(), status(v.got)))
	case 9: // receive what was probed
		for n, m := range r.messages {
			if m != nil {
				id := x.call(rank, thread, "MPI_Mrecv(count=1000, datatype=MPI_CHAR, message=message#%d) ; status=%s",
					n, x.asked(false, status(m)))
				x.match(m, id)
				r.messages[n] = nil
				return
			}
		}
	case 10:
		x.complete(rank, thread)
	}
}

// complete waits for one request that is complete, or for some, or cancels one.
func (x *machine) complete(rank, thread int) {
	r := x.ranks[rank]
	var ready []int
	for n, q := range r.requests {
		if q != nil && q.active && (q.recv == nil || q.recv.got != nil) {
			ready = append(ready, n)
		}
	}
	x.rng.Shuffle(len(ready), func(i, j int) { ready[i], ready[j] = ready[j], ready[i] })
	switch {
	case len(ready) == 0:
		x.cancel(rank, thread)
	case x.rng.IntN(2) == 0:
		n := ready[0]
		wild := r.requests[n].recv.wild()
		got := x.finished(r, n, true)
		x.call(rank, thread, "MPI_Wait(request=request#%d) ; status=%s", n, x.asked(wild, got))
	default:
		ready = ready[:1+x.rng.IntN(len(ready))]
		var names, got, wilds []string
		wild := false
		for _, n := range ready {
			names = append(names, fmt.Sprintf("request#%d", n))
			one := r.requests[n].recv.wild()
			wild = wild || one
			got = append(got, x.finished(r, n, true))
			if wilds = append(wilds, got[len(got)-1]); !one {
				wilds[len(wilds)-1] = "{source=-1 tag=-1 bytes=0}"
			}
		}
		statuses := x.asked(wild, "["+strings.Join(got, ", ")+"]")
		if strings.HasPrefix(statuses, "ignored") { // of those without wildcards nothing is kept
			statuses = "ignored[" + strings.Join(wilds, ", ") + "]"
		}
		x.call(rank, thread, "MPI_Waitall(count=%d, array_of_requests=[%s]) ; array_of_statuses=%s", len(names),
			strings.Join(names, ", "), statuses)
	}
}

// finished ends what a request stands for and gives its status.
func (x *machine) finished(r *machineRank, n int, received bool) string {
	q := r.requests[n]
	text := "{source=-1 tag=-1 bytes=0}"
	if q.recv != nil && received {
		text = status(q.recv.got)
		x.match(q.recv.got, q.recv.id)
	}
	if q.active = false; q.persistent == "" {
		r.requests[n] = nil
	}
	return text
}

func (x *machine) cancel(rank, thread int) {
	r := x.ranks[rank]
	for n, q := range r.requests {
		if q != nil && q.active && q.recv != nil && q.recv.got == nil {
			x.call(rank, thread, "MPI_Cancel(request=request#%d)", n)
			r.posted = slices.DeleteFunc(r.posted, func(v *machineRecv) bool { return v == q.recv })
			x.finished(r, n, false)
			x.call(rank, thread, "MPI_Wait(request=request#%d) ; status={source=-1 tag=-1 bytes=0 cancelled}", n)
			return
		}
	}
}

// randomProgram runs a program and gives its recording and its messages.
func randomProgram(rng *rand.Rand, steps int) (text string, truth []string) {
	x := &machine{rng: rng, comms: []string{"MPI_COMM_WORLD", "comm#0"}}
	n := 1 + x.rng.IntN(5)
	threads := 1 + x.rng.IntN(2)
	x.timed = threads > 1 || x.rng.IntN(2) == 0
	for rank := range n {
		x.ranks = append(x.ranks, &machineRank{})
		x.call(rank, 0, "MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0")
	}
	for range steps {
		x.step(x.rng.IntN(n), x.rng.IntN(threads))
	}
	for rank, r := range x.ranks { // what has been received is complete, though nobody waits for it
		for _, q := range r.requests {
			if q != nil && q.active && q.recv != nil && q.recv.got != nil {
				if q.recv.source >= 0 && q.recv.tag >= 0 {
					x.match(q.recv.got, q.recv.id)
				} else {
					k := slices.Index(r.requests, q)
					x.call(rank, 0, "MPI_Wait(request=request#%d) ; status=%s", k, x.finished(r, k, true))
				}
			}
		}
		for k, m := range r.messages {
			if m != nil {
				x.match(m, x.call(rank, 0, "MPI_Mrecv(count=1000, datatype=MPI_CHAR, message=message#%d) ; status=%s",
					k, status(m)))
			}
		}
	}
	var b strings.Builder
	b.WriteString("abi openmpi\n")
	if !x.timed {
		b.WriteString("notiming\n")
	}
	for rank, r := range x.ranks {
		fmt.Fprintf(&b, "rank %d of %d on node\n%s\n", rank, n, strings.Join(r.threads[0], "\n"))
		if len(r.threads[1]) > 0 {
			fmt.Fprintf(&b, "thread 1\n%s\n", strings.Join(r.threads[1], "\n"))
		}
	}
	slices.Sort(x.truth)
	return b.String(), x.truth
}

// checkRandom matches a random program and compares with what really happened, and with the
// reference.
func checkRandom(t *testing.T, rng *rand.Rand, steps int, open func(testing.TB, string,
	...archive.Option) *archive.Archive) {
	t.Helper()
	text, truth := randomProgram(rng, steps)
	a := open(t, text)
	if _, err := plainmatch.Compare(a); err != nil {
		t.Fatal(err)
	}
	name := func(r *match.Ref) string {
		s := a.Stream(int(r.Stream))
		return fmt.Sprintf("%d.%d/%d", s.Rank().Rank, s.Thread(), r.Call)
	}
	var got []string
	sum, err := match.Run(a, match.Options{Message: func(m *match.Message) error {
		got = append(got, fmt.Sprintf("%s -> %s tag %d bytes %d", name(&m.Send.Post), name(&m.Recv.Post), m.Tag,
			m.Bytes))
		if m.Guessed {
			return fmt.Errorf("message %s was guessed", got[len(got)-1])
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if !slices.Equal(got, truth) {
		for i := range max(len(got), len(truth)) {
			if i >= len(got) || i >= len(truth) || got[i] != truth[i] {
				t.Fatalf("%d messages instead of %d, the first difference:\n%s\n%s\n%s", len(got),
					len(truth), at(got, i), at(truth, i), text)
			}
		}
	}
	if sum.Messages != uint64(len(truth)) {
		t.Errorf("%d messages in the summary, %d handed out", sum.Messages, len(truth))
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "none"
}

func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			checkRandom(t, rand.New(rand.NewPCG(seed, 1)), 10+2*int(seed), archivetest.Archive)
		})
	}
}

func FuzzPrograms(f *testing.F) {
	f.Add([]byte("some bytes"))
	f.Fuzz(func(t *testing.T, in []byte) {
		checkRandom(t, choices.Rand(in), min(len(in)/4, 24), archivetest.InMemory)
	})
}
