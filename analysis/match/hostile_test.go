package match

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/testkit/choices"
	"github.com/tabard-hpc/tabard/spec"
)

// communicating are the functions that nonsense is made of.
func communicating() (fs []*spec.Func) {
	for _, f := range spec.Functions() {
		switch f.Category {
		case "pt2pt", "completion", "completion_query", "start", "partitioned", "collective", "neighbor_collective",
			"comm_mgmt", "rma_op", "rma_sync", "rma_mgmt", "io_data", "io_mgmt", "process_mgmt", "lifecycle":
			fs = append(fs, f)
		default:
			if strings.HasPrefix(f.Name, "MPI_Type_") || f.Name == "MPI_Request_free" || f.Name == "MPI_Cancel" {
				fs = append(fs, f)
			}
		}
	}
	return fs
}

// pointToPoint are those of them that nonsense has most of.
func pointToPoint() (fs []*spec.Func) {
	for _, f := range communicating() {
		if f.Category == "pt2pt" || f.Category == "completion" || f.Category == "start" {
			fs = append(fs, f)
		}
	}
	return fs
}

var all, often = communicating(), pointToPoint()

// nonsense makes an archive of calls with arbitrary parameters, more often point-to-point ones, at most
// most calls of each thread.
func nonsense(t testing.TB, rng *rand.Rand, most int) *merge.Part {
	number := func() int64 {
		return []int64{-1 << 62, -32766, -3, -2, -1, -1, 0, 0, 0, 1, 1, 2, 3, 7, 1 << 31, 1<<63 - 1}[rng.IntN(16)]
	}
	ref := func(c spec.Class) archive.Value {
		v := archive.Value{Kind: archive.Ref, Class: c, N: 2 * rng.Int64N(5)}
		if name := map[spec.Class]string{spec.Comm: "MPI_COMM_WORLD", spec.Type: "MPI_INT"}[c]; name != "" &&
			rng.IntN(2) == 0 {
			v.N = predefined(name)
		}
		return v
	}
	status := func() archive.Value {
		return archive.Value{Kind: archive.Stat,
			Stat: archive.Status{Source: int32(number()), Tag: int32(number()), Bytes: number(),
				Error: int32(rng.IntN(40)), Cancelled: rng.IntN(6) == 0}}
	}
	value := func(s *spec.Slot) archive.Value {
		list := archive.Value{Kind: archive.List, List: []archive.Value{}}
		switch {
		case rng.IntN(20) == 0:
		case s.Codec == spec.Handle && s.Array:
			for range rng.IntN(5) {
				list.List = append(list.List, ref(s.Class))
			}
			return list
		case s.Codec == spec.Handle:
			return ref(s.Class)
		case s.Codec == spec.Status && s.Array:
			for range rng.IntN(5) {
				list.List = append(list.List, status())
			}
			return list
		case s.Codec == spec.Status:
			return status()
		case s.Codec == spec.Int && s.Array:
			v := archive.Value{Kind: archive.Ints, Ints: []int64{}}
			for range rng.IntN(5) {
				v.Ints = append(v.Ints, number())
			}
			return v
		case s.Codec == spec.Int:
			return archive.Value{Kind: archive.Int, N: number()}
		}
		return archive.Value{}
	}
	b := merge.New()
	b.SetMeta(archive.Meta{ABI: []spec.ABI{spec.MPICH, spec.OpenMPI, spec.UnknownABI}[rng.IntN(3)],
		Partial: rng.IntN(4) == 0})
	size := 1 + rng.IntN(4)
	for r := range size {
		rank := archive.RankData{Rank: r, Size: size, World: rng.IntN(8) / 7, Host: "n"}
		if rng.IntN(10) == 0 {
			rank.Rank, rank.PID = -1, r
		}
		var streams []archive.StreamData
		for thread := range 1 + rng.IntN(8)/7 {
			s := archivetest.NewStream()
			at := uint64(0)
			for range 1 + rng.IntN(most) {
				f := often[rng.IntN(len(often))]
				if rng.IntN(3) == 0 {
					f = all[rng.IntN(len(all))]
				}
				c := &archivetest.Call{Sig: archive.Signature{Func: f.ID}, Run: 1, Start: at,
					End: at + uint64(rng.IntN(3))}
				at = c.End
				switch rng.IntN(30) {
				case 0:
					c.Sig.Flags = archive.Unfinished
				case 1, 2:
					c.Sig.Flags, c.Sig.Ret = archive.Failed, int32(rng.IntN(80))
				case 3:
					if f.Has(spec.Poll) {
						c.Sig.Flags, c.Run = archive.Polls, 1+rng.Uint64N(5)
					}
				}
				c.Holes = make([]archive.Value, len(f.Slots))
				for i := range f.Slots {
					v := value(&f.Slots[i])
					if v.Kind != archive.Absent && rng.IntN(4) == 0 {
						c.Holes[i], v = v, archive.Value{Kind: archive.Hole}
					}
					c.Sig.Slots = append(c.Sig.Slots, v)
				}
				if err := s.Add(c); err != nil {
					t.Fatal(err)
				}
			}
			streams = append(streams, s.Data(thread, rng.IntN(2) == 0))
		}
		if err := b.Add(rank, streams); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func predefined(name string) int64 {
	k, _ := spec.PredefinedByName(name)
	return archive.PredefinedRef(k)
}

// account matches an archive and checks that every end of a message is accounted for once.
func account(t *testing.T, a *archive.Archive) error {
	t.Helper()
	p, err := calls.Open(a)
	if err != nil {
		return err
	}
	type id struct {
		stream int32
		call   uint64
		send   bool
		n      int
	}
	seen := map[id]bool{}
	add := func(r Ref, send bool) {
		if r.Stream < 0 || int(r.Stream) >= a.NumStreams() {
			t.Fatalf("a call of stream %d", r.Stream)
		}
		n := 0 // MPI_Startall starts several
		for seen[id{r.Stream, r.Call, send, n}] {
			n++
		}
		seen[id{r.Stream, r.Call, send, n}] = true
	}
	messages, alone := uint64(0), uint64(0)
	r := newRunner(p, Options{
		Message: func(m *Message) error {
			messages++
			add(m.Send.Post, true)
			add(m.Recv.Post, false)
			if m.Send.Func == nil || m.Recv.Func == nil || m.Bytes < calls.UnknownBytes {
				t.Fatalf("message %+v", *m)
			}
			return nil
		},
		Unmatched: func(u *Unmatched) error {
			alone++
			add(u.Post, u.Send)
			return nil
		},
		Collective: func(c *Collective) error {
			if len(c.Parts) == 0 || c.Missing < 0 || c.Func == nil {
				t.Fatalf("collective %+v", *c)
			}
			return nil
		},
	})
	sum, err := r.run()
	if err != nil {
		return err
	}
	if r.live != 0 || len(r.colls) != 0 {
		t.Fatalf("%d ends and %d collectives are left in memory", r.live, len(r.colls))
	}
	if sum.Messages != messages || sum.UnmatchedSends+sum.UnmatchedRecvs != alone {
		t.Fatalf("%d messages and %d unmatched ends were handed out: %+v", messages, alone, *sum)
	}
	return nil
}

func TestNonsense(t *testing.T) {
	for seed := range uint64(150) {
		b := nonsense(t, rand.New(rand.NewPCG(seed, 9)), 80)
		var buf bytes.Buffer
		if err := b.Write(&buf); err != nil {
			t.Fatal(err)
		}
		if err := account(t, archivetest.Open(t, buf.Bytes())); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func FuzzNonsense(f *testing.F) {
	f.Add([]byte("some bytes"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := account(t, archivetest.OfPart(t, nonsense(t, choices.Rand(in), 12))); err != nil {
			t.Fatal(err)
		}
	})
}

// damagedPrograms are archives that TestDamage breaks.
var damagedPrograms = []string{`
abi openmpi
rank 0 of 2 on n
MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
MPI_Type_vector(count=4, blocklength=2, stride=9, oldtype=MPI_INT) ; newtype=type#0
loop 50
  MPI_Isend(count=?3, datatype=type#0, dest=1, tag=?7, comm=comm#0) ; request=request#0
  MPI_Wait(request=request#0) ; status=?{source=-1 tag=-1 bytes=0}
end
MPI_Barrier(comm=comm#0)
rank 1 of 2 on n
MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
loop 50
  MPI_Irecv(count=3, datatype=MPI_INT, source=?-1, tag=7, comm=comm#0) ; request=request#0
  poll 3 MPI_Test(request=request#0) ; flag=0
  MPI_Waitall(count=1, array_of_requests=?[request#0]) ; array_of_statuses=?[{source=0 tag=7 bytes=96}]
end
MPI_Barrier(comm=comm#0)
`}

// TestDamage: a broken archive gives an error that says so, or a result; never a panic.
func TestDamage(t *testing.T) {
	var samples [][]byte
	for _, d := range damagedPrograms {
		samples = append(samples, archivetest.Bytes(t, d))
	}
	d, err := archivetest.NewDamager(5, samples...)
	if err != nil {
		t.Fatal(err)
	}
	broken, whole := 0, 0
	for range 700 {
		b, what := d.Next()
		a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(1<<20),
			archive.MaxWork(1<<16))
		if err != nil {
			continue
		}
		events, ok := uint64(0), true
		for s := range a.Streams() {
			n, err := s.Events()
			if events += n; err != nil || n > 1<<14 || events > 1<<16 || a.NumRanks() > 1<<10 {
				ok = false // it would take longer, and no more
				break
			}
		}
		if !ok {
			continue
		}
		var fe *archive.FormatError
		switch err := account(t, a); {
		case err == nil:
			whole++
		case errors.As(err, &fe):
			broken++
		default:
			t.Errorf("%s: %v", what, err)
		}
	}
	if broken < 10 || whole < 10 {
		t.Errorf("%d archives were found broken, %d matched", broken, whole)
	}
}

// matched matches a job of two processes with room for few calls that are under way.
func matched(t *testing.T, rank0, rank1 string) (*Summary, error) {
	t.Helper()
	defer func(most int) { mostWaiting = most }(mostWaiting)
	mostWaiting = 1 << 14
	a := archivetest.Archive(t, "abi mpich\nnotiming\nrank 0 of 2 on n\n"+rank0+"rank 1 of 2 on n\n"+rank1)
	p, err := calls.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	return RunProgram(p, Options{})
}

// A loop of sends that nobody receives is a few bytes of a file. What is kept of them has a bound.
func TestSendsWithoutEnd(t *testing.T) {
	_, err := matched(t, "loop 50000\nMPI_Send(count=1, datatype=MPI_INT, dest=1, tag=0, comm=MPI_COMM_WORLD)\nend\n",
		"MPI_Barrier(comm=MPI_COMM_WORLD)\n")
	if err == nil || !strings.Contains(err.Error(), "under way at once") {
		t.Errorf("all sends were kept: %v", err)
	}
}

// TestCollectivesWithoutEnd: so has what is kept of collectives that others are not at. Where the others have come to
// their end, as what followed was lost, nothing is kept.
func TestCollectivesWithoutEnd(t *testing.T) {
	const barriers = "loop 50000\nMPI_Barrier(comm=MPI_COMM_WORLD)\nend\n"
	copies := func(of ...string) string {
		s := "MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0\n"
		for _, c := range of {
			s += "loop 50000\nMPI_Barrier(comm=" + c + ")\nend\n"
		}
		return s
	}
	_, err := matched(t, copies("MPI_COMM_WORLD", "comm#0"), copies("comm#0", "MPI_COMM_WORLD"))
	if err == nil || !strings.Contains(err.Error(), "calls of collectives are under way at once") {
		t.Errorf("all barriers were kept: %v", err)
	}
	sum, err := matched(t, barriers, "MPI_Barrier(comm=MPI_COMM_WORLD)\n")
	if err != nil || sum.Collectives != 50000 || sum.Incomplete != 49999 {
		t.Errorf("%v, %+v", err, sum)
	}
}
