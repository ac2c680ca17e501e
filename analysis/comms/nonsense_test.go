package comms

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	parts "github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/testkit/choices"
	"github.com/tabard-hpc/tabard/spec"
)

// nonsense makes an archive of calls with arbitrary parameters: at most most calls of each thread,
// the functions of which are for most ranks those that shared chooses, the same for all.
func nonsense(t testing.TB, rng *rand.Rand, shared func() *rand.Rand, most int) *parts.Part {
	names := slices.Sorted(maps.Keys(places))
	number := func() int64 {
		return []int64{-1 << 62, -32766, -3, -1, 0, 0, 1, 1, 2, 3, 4, 7, 1 << 31, 1<<63 - 1}[rng.IntN(14)]
	}
	code := func(c spec.Class) int64 {
		if c == spec.Comm && rng.IntN(2) == 0 {
			return []int64{worldRef, selfRef}[rng.IntN(2)]
		}
		return 2 * rng.Int64N(4)
	}
	value := func(s *spec.Slot) archive.Value {
		switch {
		case rng.IntN(20) == 0:
			return archive.Value{}
		case s.Codec == spec.Handle && !s.Array:
			return archive.Value{Kind: archive.Ref, Class: s.Class, N: code(s.Class)}
		case s.Codec == spec.Int && s.Array:
			v := archive.Value{Kind: archive.Ints, Ints: []int64{}}
			for range rng.IntN(5) {
				v.Ints = append(v.Ints, number())
			}
			return v
		case s.Codec == spec.Int:
			return archive.Value{Kind: archive.Int, N: number()}
		case s.Codec == spec.String:
			return archive.Value{Kind: archive.Str, Str: []string{"", "p", "mpi://WORLD", "mpi://SELF"}[rng.IntN(4)]}
		}
		return archive.Value{}
	}
	b := parts.New()
	b.SetMeta(archive.Meta{ABI: spec.MPICH})
	size := 1 + rng.IntN(4)
	for r := range size {
		rank := archive.RankData{Rank: r, Size: size, World: rng.IntN(8) / 7, Host: "n"}
		if rng.IntN(10) == 0 {
			rank.Rank, rank.PID = -1, r
		}
		var streams []archive.StreamData
		shared := shared()
		for thread := range 1 + rng.IntN(8)/7 {
			s := archivetest.NewStream()
			at := uint64(0)
			for range 1 + rng.IntN(most) {
				k := shared.IntN(len(names))
				if rng.IntN(8) == 0 {
					k = rng.IntN(len(names))
				}
				f := spec.ByID(names[k])
				c := &archivetest.Call{Sig: archive.Signature{Func: f.ID}, Run: 1, Start: at,
					End: at + uint64(rng.IntN(3))}
				at = c.End
				if rng.IntN(30) == 0 {
					c.Sig.Flags = archive.Unfinished
				}
				c.Holes = make([]archive.Value, len(f.Slots))
				for i := range f.Slots {
					v := value(&f.Slots[i])
					if v.Kind != archive.Absent && rng.IntN(6) == 0 {
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

// checkNonsense: whatever the calls say, the result is whole.
func checkNonsense(t *testing.T, a *archive.Archive) {
	t.Helper()
	res, err := Analyze(a, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range res.Comms {
		if c.ID != i || c.Times < 1 || c.Freed > c.Times || c.Parent != nil && c.Parent.ID >= i || c.Members == nil {
			t.Fatalf("communicator %d is %+v", i, c)
		}
		res.Text(c.Members, 0)
		res.Text(c.RemoteMembers, MaxText)
		c.Short()
	}
	for _, p := range res.Processes {
		for _, o := range p.Objects {
			if o.Comm != nil && o.Rank >= max(o.Comm.Members.Len(), o.Comm.RemoteMembers.Len()) {
				t.Fatalf("rank %d of %+v", o.Rank, o.Comm)
			}
		}
	}
}

func TestNonsense(t *testing.T) {
	for seed := range uint64(200) {
		b := nonsense(t, rand.New(rand.NewPCG(seed, 9)), func() *rand.Rand { return rand.New(rand.NewPCG(seed, 10)) },
			40)
		var buf bytes.Buffer
		if err := b.Write(&buf); err != nil {
			t.Fatal(err)
		}
		if checkNonsense(t, archivetest.Open(t, buf.Bytes())); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzNonsense(f *testing.F) {
	f.Add([]byte("some bytes"), []byte("others"))
	f.Fuzz(func(t *testing.T, in, shared []byte) {
		b := nonsense(t, choices.Rand(in), func() *rand.Rand { return choices.Rand(shared) }, 12)
		checkNonsense(t, archivetest.OfPart(t, b))
	})
}
