package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/spec"
)

// call is the first call of an archive of one rank that makes it.
func call(t *testing.T, line string) (*class, *archive.Call) {
	t.Helper()
	a := archivetest.Archive(t, "abi mpich\nrank 0 of 1 on n\n"+line+"\n")
	c := &comparison{keys: names{}, o: Options{}}
	k, err := c.class(&side{a: a, abi: a.Meta().ABI, classes: map[*archive.Class]*class{}}, a.Classes()[0])
	if err != nil {
		t.Fatal(err)
	}
	x, err := a.Stream(0).CallAt(0)
	if err != nil {
		t.Fatal(err)
	}
	return k, x
}

// What the standard leaves open, or the machine decides, is no difference; which of it may change
// what the program does next is the order of arrival.
func TestOpenOutcomes(t *testing.T) {
	const status = "status={source=1 tag=2 bytes=4}"
	for _, c := range []struct {
		line    string
		soft    string // slots that are not compared
		arrival string // slots whose differences are the order of arrival
	}{
		{"MPI_Recv(count=1, source=1, tag=2, comm=MPI_COMM_WORLD) ; " + status, "", "status"},
		{"MPI_Recv(count=1, source=MPI_ANY_SOURCE, tag=2, comm=MPI_COMM_WORLD) ; " + status, "status", "status"},
		{"MPI_Recv(count=1, source=1, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) ; " + status, "status", "status"},
		{"MPI_Irecv(count=1, source=1, tag=2, comm=MPI_COMM_WORLD) ; request=request#0", "request", ""},
		{"MPI_Waitany(count=1, array_of_requests=[request#0]) ; array_of_requests=[] ; index=0 ; " + status,
			"array_of_requests array_of_requests index status", "index status"},
		{"MPI_Test(request=request#0) ; request=MPI_REQUEST_NULL ; flag=1 ; " + status, "request request flag status",
			"flag status"},
		{"MPI_Iprobe(source=1, tag=2, comm=MPI_COMM_WORLD) ; flag=1 ; " + status, "flag status", "flag status"},
		{"MPI_Get_processor_name() ; name=\"n\" ; resultlen=1", "name resultlen", ""},
		{"MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=0", "", ""},
		{"MPI_Allreduce(sendbuf=heap#0, recvbuf=heap#1, count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)",
			"", ""},
	} {
		k, x := call(t, c.line)
		term := &k.terms[x.Terminal]
		var soft, arrival []string
		for i := range x.Slots {
			name := archive.SlotName(term.f, &term.f.Slots[i])
			if term.soft[i] {
				soft = append(soft, name)
			}
			if mayBeOpen(term.f, i) {
				arrival = append(arrival, name)
			}
		}
		if got := strings.Join(soft, " "); got != c.soft {
			t.Errorf("%s: not compared: %s, want %s", c.line, got, c.soft)
		}
		if got := strings.Join(arrival, " "); got != c.arrival {
			t.Errorf("%s: order of arrival: %s, want %s", c.line, got, c.arrival)
		}
	}
}

// Of a status, the order of arrival is whom the message came from: what one source sends comes in
// its order.
func TestSenders(t *testing.T) {
	stat := func(source int32, tag int32, cancelled bool) archive.Value {
		return archive.Value{Kind: archive.Stat, Stat: archive.Status{Source: source, Tag: tag, Cancelled: cancelled}}
	}
	list := func(v ...archive.Value) archive.Value { return archive.Value{Kind: archive.List, List: v} }
	for _, c := range []struct {
		a, b  archive.Value
		equal bool
	}{
		{stat(1, 5, false), stat(1, 6, false), true},
		{stat(1, 5, false), stat(2, 5, false), false},
		{stat(1, 5, false), stat(1, 5, true), false},
		{stat(-1, -1, false), stat(-2, -1, false), true}, // none, in the constants of either MPI
		{list(stat(1, 5, false), stat(2, 5, false)), list(stat(1, 7, false), stat(2, 8, false)), true},
		{list(stat(1, 5, false), stat(2, 5, false)), list(stat(2, 5, false), stat(1, 5, false)), false},
	} {
		if (senders(&c.a) == senders(&c.b)) != c.equal {
			t.Errorf("%v and %v: %q and %q", c.a, c.b, senders(&c.a), senders(&c.b))
		}
	}
}

// Calls whose number depends on what is complete at the moment are marked in the table of
// functions.
func TestSomeOf(t *testing.T) {
	for name, want := range map[string]bool{"MPI_Waitsome": true, "MPI_Testany": true, "MPI_Test": true,
		"MPI_Iprobe": true, "MPI_Request_get_status_any": true,
		"MPI_Wait": false, "MPI_Waitall": false, "MPI_Test_cancelled": true, "MPI_Probe": false} {
		if spec.ByName(name).Has(spec.Indefinite) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// Addresses in one segment are told apart by where they are in it, all others are equal.
func TestAddresses(t *testing.T) {
	addr := func(mem archive.Mem, n int64) archive.Value { return archive.Value{Kind: archive.Addr, Mem: mem, N: n} }
	number := func(n int64) archive.Value { return archive.Value{Kind: archive.Int, N: n} }
	for _, c := range []struct {
		a, b archive.Value
		want bool // the difference means nothing
	}{
		{addr(archive.Heap, 8), addr(archive.Heap, 16), false},
		{addr(archive.Stack, 8), addr(archive.Stack, 16), true},
		{addr(archive.Heap, 8), addr(archive.Stack, 8), true},
		{number(8), number(16), false},
		{number(1 << 45), number(1 << 46), true},
		{number(1 << 45), number(8), false},
		{number(1 << 45), addr(archive.Heap, 8), true},
		{archive.Value{Kind: archive.Ints, Ints: []int64{1, 1 << 45}}, archive.Value{Kind: archive.Ints,
			Ints: []int64{1, 1 << 46}}, true},
		{archive.Value{Kind: archive.Ints, Ints: []int64{1, 1 << 45}}, archive.Value{Kind: archive.Ints,
			Ints: []int64{2, 1 << 46}}, false},
		{archive.Value{Kind: archive.Ints, Ints: []int64{1}},
			archive.Value{Kind: archive.Ints, Ints: []int64{1, 1 << 46}},
			false},
	} {
		if addresses(&c.a, &c.b) != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, !c.want)
		}
	}
}

// Fingerprints follow from those of the parts, however a word is cut.
func TestPrint(t *testing.T) {
	of := func(letters ...uint64) (p print) {
		for _, l := range letters {
			p = p.then(print{l, l}, 1)
		}
		return p
	}
	word := []uint64{3, 1, 4, 1, 5, 9, 2, 6}
	whole := of(word...)
	for i := range word {
		head, tail := of(word[:i]...), of(word[i:]...)
		n := uint64(len(word) - i)
		if got := head.then(tail, n); got != whole {
			t.Errorf("cut at %d: %v, want %v", i, got, whole)
		}
		if got := part(head, whole, n); got != tail {
			t.Errorf("from %d on: %v, want %v", i, got, tail)
		}
	}
	for count := range uint64(9) {
		if got, want := whole.repeated(uint64(len(word)), count), of(slices.Repeat(word, int(count))...); got != want {
			t.Errorf("%d times: %v, want %v", count, got, want)
		}
	}
	if of(1, 2) == of(2, 1) || of(1) == of(1, 1) {
		t.Error("words that are not the same have one fingerprint")
	}
}

// A trip through renaming is one to one.
func TestRenaming(t *testing.T) {
	var r renaming
	for i, c := range []struct {
		x, y uint32
		want bool
	}{{1, 7, true}, {2, 8, true}, {1, 7, true}, {1, 8, false}, {3, 7, false}, {3, 3, true}} {
		if got := r.add(c.x, c.y); got != c.want {
			t.Errorf("%d: %d may be called %d: %v, %s", i, c.x, c.y, got, fmt.Sprint(r))
		}
	}
}
