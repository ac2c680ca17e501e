package selection_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// app is three ranks with a time-step loop, polls, memory records in between, communicators
// whose number is used again, and a thread.
func app() string {
	var b strings.Builder
	b.WriteString("abi mpich\ncommand ./app\n")
	for r := range 3 {
		fmt.Fprintf(&b, `rank %d of 3 on n
clock 0 0 0
clock 1000000 2000000 2000000
MPI_Init() @ a.c:1 [main]
MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:2 [main] ; newcomm=comm#0
MPI_Barrier(comm=comm#0) @ a.c:3 [main]
MPI_Comm_free(comm=comm#0) @ a.c:4 [main]
MPI_Comm_split(comm=MPI_COMM_WORLD, color=%d, key=0) @ a.c:5 [main] ; newcomm=comm#0
`, r, r/2)
		fmt.Fprintf(&b, `loop 30
  MPI_Irecv(count=8, datatype=MPI_INT, source=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:10 [step] ; request=request#0
  loop %d
    tabard_segment(segment=3)
  end
  MPI_Send(count=8, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:11 [step]
  poll %d MPI_Test(request=request#0) @ a.c:12 [step] ; flag=0
  MPI_Wait(request=request#0) @ a.c:13 [step]
  MPI_Barrier(comm=comm#0) @ a.c:14 [step]
  loop 3
    MPI_Allreduce(count=?%d, datatype=MPI_INT, op=MPI_SUM, comm=comm#0) @ a.c:15 [step]
  end
end
MPI_Barrier(comm=comm#0) @ a.c:20 [main]
MPI_Finalize() @ a.c:21 [main]
`, (r+2)%3, 1+r%2, (r+1)%3, 3+r, 5+r)
		if r == 1 {
			b.WriteString("thread 1\nloop 3\n  MPI_Iprobe(source=0, tag=2, comm=MPI_COMM_WORLD) @ b.c:1 [t] ; " +
				"flag=0\nend\n")
		}
	}
	return b.String()
}

// naive tells for one call after another whether it is selected, from the flags alone.
type naive struct {
	f     selection.Flags
	s     *selection.Selection
	comms *comms.Result
	step  map[int]int // by stream: steps begun
	event map[int]uint64
	last  map[int]*archive.Call
}

func (n *naive) has(t *testing.T, s *archive.Stream, c *archive.Call) bool {
	i := s.Index()
	if c.Site != nil && c.Site.Frames[0].Line == 10 {
		n.step[i]++
	}
	if l := n.last[i]; l != nil && !(c.Flags&archive.Polls != 0 && l.Flags&archive.Polls != 0) {
		n.event[i]++
	}
	n.last[i] = c.Clone()
	if !n.s.Rank(s.Rank().Rank) || !n.s.Function(c.Func.ID) {
		return false
	}
	if n.s.Steps != nil {
		inLoop := c.Site == nil && n.step[i] > 0 ||
			c.Site != nil && c.Site.Frames[0].Line >= 10 && c.Site.Frames[0].Line < 20
		if k := uint64(n.step[i] - 1); !inLoop || k < n.s.Steps.From || k > n.s.Steps.To {
			return false
		}
	}
	if n.f.Time != "" {
		var from, to time.Duration
		if _, err := fmt.Sscanf(strings.ReplaceAll(n.f.Time, "us", ""), "%d..%d", &from, &to); err != nil {
			t.Fatal(err)
		}
		if c.End < from*time.Microsecond || c.Start >= to*time.Microsecond {
			return false
		}
	}
	if n.f.Comms == "" {
		return true
	}
	v, ok := c.In("comm")
	if !ok || v.Kind != archive.Ref {
		return false
	}
	o := n.comms.Lookup(s.Process(), v.N, i, n.event[i])
	if o == nil || o.Comm == nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(n.f.Comms, ","), func(item string) bool {
		ok, _ := path.Match(item, o.Comm.Short())
		return ok || item == "MPI_COMM_WORLD" && o.Comm.How == "world" || item == fmt.Sprint(o.Comm.ID)
	})
}

func check(t *testing.T, a *archive.Archive, f selection.Flags) (selected int) {
	t.Helper()
	s, err := selection.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(a)
	if err != nil {
		t.Fatalf("%+v: %v", f, err)
	}
	n := &naive{f: f, s: s, step: map[int]int{}, event: map[int]uint64{}, last: map[int]*archive.Call{}}
	if n.comms, err = comms.Analyze(a, nil); err != nil {
		t.Fatal(err)
	}
	parts := map[int]*selection.Part{}
	for p, err := range r.Parts() {
		if err != nil {
			t.Fatal(err)
		}
		parts[p.Stream.Index()] = p
	}
	for st := range a.Streams() {
		var want []uint64
		sigs, _ := st.Signatures()
		counts := make([]uint64, len(sigs))
		for c, err := range st.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			if n.has(t, st, c) {
				want = append(want, c.Index)
				counts[c.Terminal]++
			}
		}
		selected += len(want)
		p := parts[st.Index()]
		if p == nil {
			if len(want) > 0 {
				t.Errorf("%+v: stream %d has nothing, want %d calls", f, st.Index(), len(want))
			}
			continue
		}
		var got []uint64
		for c, err := range p.Calls {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, c.Index)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: stream %d: calls %v, want %v", f, st.Index(), got, want)
		}
		have, err := p.Counts()
		if err != nil || !slices.Equal(have, counts) {
			t.Errorf("%+v: stream %d: counts %v, want %v: %v", f, st.Index(), have, counts, err)
		}
		occ, err := p.Occurrences()
		if err != nil {
			t.Fatal(err)
		}
		for i := range sigs {
			all, none, err := p.Terminal(uint32(i))
			if err != nil || none && counts[i] > 0 || all && counts[i] == 0 && occ[i].Len() > 0 {
				t.Errorf("%+v: terminal %d: all %v, none %v, %d calls, %v", f, i, all, none, counts[i], err)
			}
		}
	}
	return selected
}

func TestResolve(t *testing.T) {
	a := archivetest.Archive(t, app())
	total := 0
	for s := range a.Streams() {
		total += int(s.Calls())
	}
	if n := check(t, a, selection.Flags{}); n != total {
		t.Errorf("%d calls of %d", n, total)
	}
	for _, f := range []selection.Flags{
		{Ranks: "1-"}, {Functions: "coll"}, {Functions: "MPI_Test"}, {Comms: "MPI_COMM_WORLD"}, {Comms: "dup0"},
		{Comms: "split1*"}, {Comms: "dup*,MPI_COMM_WORLD"},
		{Steps: "0"}, {Steps: "29"}, {Steps: "7-12"}, {Steps: "20-"},
		{Steps: "25-1000", Functions: "MPI_Test,MPI_Wait", Ranks: "2"}, {Steps: "-3", Comms: "split*"},
		{Time: "5us..40us"}, {Time: "0us..1us"}, {Time: "3us..30us", Steps: "1-2", Functions: "wait"},
	} {
		if n := check(t, a, f); n == 0 || n == total {
			t.Errorf("%+v selects %d of %d calls", f, n, total)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		f := selection.Flags{}
		if from := rng.IntN(80); rng.IntN(2) == 0 {
			f.Time = fmt.Sprintf("%dus..%dus", from, from+rng.IntN(50))
		}
		if from := rng.IntN(30); rng.IntN(2) == 0 {
			f.Steps = fmt.Sprintf("%d-%d", from, from+rng.IntN(10))
		}
		if rng.IntN(2) == 0 {
			f.Comms = []string{"MPI_COMM_WORLD", "dup0", "split*", "0,dup0"}[rng.IntN(4)]
		}
		if rng.IntN(2) == 0 {
			f.Functions = []string{"coll", "MPI_Test", "p2p,wait"}[rng.IntN(3)]
		}
		check(t, a, f)
	}
}

func TestWhole(t *testing.T) {
	a := archivetest.Archive(t, app())
	for want, f := range map[bool]selection.Flags{true: {Ranks: "0-1", Functions: "p2p"}, false: {Time: "1us.."}} {
		s, _ := selection.Parse(f)
		r, err := s.Resolve(a)
		if err != nil || r.Whole() != want {
			t.Fatalf("%+v: %v, %v", f, r.Whole(), err)
		}
		members := 0
		for _, c := range r.Classes() {
			members += c.Ranks.Len()
		}
		if f.Ranks != "" && members != 3 {
			t.Errorf("%d streams of ranks 0 and 1", members)
		}
	}
}

func TestResolveErrors(t *testing.T) {
	a := archivetest.Archive(t, app())
	none := archivetest.Archive(t, "abi mpich\nnotiming\nrank 0 of 1 on n\nMPI_Barrier(comm=MPI_COMM_WORLD)\n")
	for _, c := range []struct {
		a    *archive.Archive
		f    selection.Flags
		want string
	}{
		{a, selection.Flags{Ranks: "7"}, "no calls of rank 7"},
		{a, selection.Flags{Comms: "99"}, "there is no communicator 99"},
		{a, selection.Flags{Comms: "spilt1:0"}, "did you mean split1:0"},
		{a, selection.Flags{Steps: "30-"}, "the time-step loop has 30 (0 to 29)"},
		{a, selection.Flags{Time: "2h..1%"}, "ends before it begins"},
		{none, selection.Flags{Steps: "1"}, "no time-step loop was found"},
		{none, selection.Flags{Time: "1s.."}, "has no times"},
		{none, selection.Flags{Time: "1%.."}, "has no times"},
	} {
		s, err := selection.Parse(c.f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Resolve(c.a); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.f, err, c.want)
		}
	}
}

// Times of a stream and back.
func TestTicks(t *testing.T) {
	a := archivetest.Archive(t, app())
	s := a.Stream(0)
	for _, ticks := range []uint64{0, 1, 7, 999_999, 1_000_000, 3_000_000} {
		if at := s.Ticks(s.Since(ticks)); at != ticks {
			t.Errorf("tick %d, back as %d", ticks, at)
		}
	}
	if s.Ticks(-1) != 0 || s.Ticks(math.MaxInt64) == 0 {
		t.Error("times out of range")
	}
}
