//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/spec"
)

// TestPayload: the same data has the same hash in whatever way it is sent: described by which datatype, in which mode,
// by which request. testdata/collectives/payload.c sends each layout as such, as what MPI packs it to, and as bytes.
func TestPayload(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			exe := filepath.Join(dir, "payload")
			if err := m.Build(filepath.Join(mpirun.Root(), "testdata", "collectives", "payload.c"), exe,
				"-O1"); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "payload.tabard")
			for _, mode := range []string{"--payload", "--payload=samples"} {
				r, err := (&mpirun.Job{MPI: m, Ranks: 2, Dir: dir,
					Args: []string{tabardBin, "record", "--quiet", "--force", mode,
						"-o", file, exe}}).Start()
				if err != nil || r.Code != 0 || r.Stdout != "arrived\n" {
					t.Fatalf("%v, %+v", err, r)
				}
				hashes := sentHashes(t, file)
				for tag := range int64(9) {
					if h := hashes[tag]; len(h) != 3 || h[0] != h[1] || h[0] != h[2] || h[0] == 0 {
						t.Errorf("layout %d has hashes %v", tag, h)
					}
				}
				sameHashes(t, "modes and requests", hashes[20], 19)
				sameHashes(t, "derived datatypes of requests", hashes[21], 4)
			}
		})
	}
}

func sameHashes(t *testing.T, what string, hashes []int64, want int) {
	t.Helper()
	if len(hashes) < want {
		t.Errorf("%s: %d hashes, want %d at least", what, len(hashes), want)
	}
	for _, h := range hashes {
		if h != hashes[0] || h == 0 {
			t.Errorf("%s: hashes %v", what, hashes)
			return
		}
	}
}

// sentHashes are the hashes of what rank 0 sends, by tag; those of persistent requests by the tag of the request. What
// it gets is as if it were sent with tag 20.
func sentHashes(t *testing.T, file string) map[int64][]int64 {
	t.Helper()
	a, err := archive.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	hashes := map[int64][]int64{}
	for s := range a.Streams() {
		if s.Rank().Rank != 0 {
			continue
		}
		var waiting []int64
		got := false
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			switch f := c.Func; {
			case f.Name == "payload_got":
				got = true
			case f.Category == "payload":
				if i := f.In("hash"); i >= 0 && got {
					hashes[20], got = append(hashes[20], c.Slots[i].N), false
				} else if i >= 0 {
					waiting = append(waiting, c.Slots[i].N)
				}
			case f.Name == "MPI_Startall": // of requests with tags 20, 21 and 20, and of one to nobody
				if len(waiting) != 3 {
					t.Errorf("%d hashes of the requests that are started together", len(waiting))
					break
				}
				hashes[20], hashes[21] = append(hashes[20], waiting[0], waiting[2]), append(hashes[21], waiting[1])
				waiting = nil
			case f.Name == "MPI_Start":
				hashes[20], waiting = append(hashes[20], waiting...), nil
			default:
				if i := f.Slot(spec.RoleSendTag); i >= 0 && len(waiting) > 0 &&
					c.Slots[f.Slot(spec.RoleSendPeer)].N == 1 {
					hashes[c.Slots[i].N] = append(hashes[c.Slots[i].N], waiting...)
				}
				waiting = nil
			}
		}
	}
	return hashes
}
