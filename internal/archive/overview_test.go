package archive_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// withOverview is an archive with an overview, which says nothing true.
func withOverview(t *testing.T, a *archive.Archive) ([]byte, *archive.Overview) {
	t.Helper()
	o := &archive.Overview{Length: 5000, Lines: 3, Group: 2, Level: 10, Rows: []archive.OverviewRow{
		{Time: [][]uint64{{1, 2, 3, 4, 5}, nil, {0, 1 << 40, 0, 0, 0}}, Calls: [][]uint64{nil, nil, {7, 0, 0, 0, 7}}},
		{Calls: [][]uint64{nil, {0, 0, 1, 0, 0}}},
	}}
	var b bytes.Buffer
	if err := a.WriteOverview(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), o
}

const overviewDesc = `abi mpich
rank 0 of 1 on n
MPI_Init()
loop 40
  MPI_Barrier(comm=MPI_COMM_WORLD)
end
MPI_Finalize()
`

// An overview is read as it was written. It changes neither the rest of the file nor its identity, and goes without a
// trace.
func TestOverview(t *testing.T) {
	plain := archivetest.Bytes(t, overviewDesc)
	a := archivetest.Open(t, plain)
	if o, err := a.Overview(); o != nil || err != nil {
		t.Fatalf("%v, %v", o, err)
	}
	b, want := withOverview(t, a)
	c := archivetest.Open(t, b)
	got, err := c.Overview()
	if err != nil || !reflect.DeepEqual(got, want) || !got.Equal(want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if a.Identity() != c.Identity() || len(c.Skipped()) > 0 || c.MaxOverview() > int64(len(plain))/100+1 {
		t.Errorf("identity %x, want %x; skipped %v, room %d", c.Identity(), a.Identity(), c.Skipped(), c.MaxOverview())
	}
	st := c.Stats()
	if grown := int64(len(b) - len(plain)); st.Other <= 0 || st.Other >= grown ||
		st.Meta+st.Structure+st.Columns+st.Timing+st.Index+st.Other != st.Total {
		t.Errorf("%+v; the file has %d bytes more", st, grown)
	}
	var back bytes.Buffer
	if err := c.WriteOverview(&back, nil); err != nil || !bytes.Equal(back.Bytes(), plain) {
		t.Errorf("%d bytes, %v, want %d", back.Len(), err, len(plain))
	}
	var twice bytes.Buffer
	if err := c.WriteOverview(&twice, want); err != nil || !bytes.Equal(twice.Bytes(), b) {
		t.Errorf("%d bytes, %v, want %d", twice.Len(), err, len(b))
	}
	content, err := c.Content()
	if err != nil {
		t.Fatal(err)
	}
	back.Reset()
	if err := content.Write(&back); err != nil || !bytes.Equal(back.Bytes(), plain) {
		t.Errorf("written anew: %d bytes, %v, want %d", back.Len(), err, len(plain))
	}
}

// An overview that some writer took along to other content is not used, and that is said.
func TestOverviewOfOthers(t *testing.T) {
	b, _ := withOverview(t, archivetest.Open(t, archivetest.Bytes(t, overviewDesc)))
	other := archivetest.Bytes(t, strings.Replace(overviewDesc, "loop 40", "loop 41", 1))
	mixed := archivetest.Open(t, archive.CopySection(t, other, b, "overview"))
	if o, err := mixed.Overview(); o != nil || err != nil || len(mixed.Skipped()) != 1 {
		t.Errorf("%v, %v; skipped %v", o, err, mixed.Skipped())
	}
}

// A file that was damaged is refused, whichever byte of the overview it was.
func TestOverviewDamaged(t *testing.T) {
	plain := archivetest.Bytes(t, overviewDesc)
	b, _ := withOverview(t, archivetest.Open(t, plain))
	st := archivetest.Open(t, b).Stats()
	at := len(b) - int(st.Index) // the header is the index's
	for i := at - int(st.Other) + 8; i < at+8; i++ {
		bad := bytes.Clone(b)
		bad[i] ^= 0x10
		if _, err := archive.OpenReader(bytes.NewReader(bad), int64(len(bad))); err == nil {
			t.Errorf("byte %d is wrong: opened", i)
		}
	}
}

// What pretends to be an overview is an error, or an overview of bounded size, and nothing worse.
func TestOverviewHostile(t *testing.T) {
	_, o := withOverview(t, archivetest.Open(t, archivetest.Bytes(t, overviewDesc)))
	good := archive.EncodeOverview(o)
	rnd := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 20_000 {
		bad := bytes.Clone(good)
		for range 1 + rnd.IntN(3) {
			bad[rnd.IntN(len(bad))] = byte(rnd.Uint32())
		}
		if rnd.IntN(4) == 0 {
			bad = bad[:rnd.IntN(len(bad))]
		}
		p, err := archive.ParseOverview(bad)
		if err != nil {
			refused++
			continue
		}
		for _, r := range p.Rows {
			for _, list := range append(r.Time, r.Calls...) {
				if list != nil && len(list) != p.Bins() {
					t.Fatalf("%d numbers of %d", len(list), p.Bins())
				}
			}
		}
	}
	if refused < 10_000 {
		t.Errorf("%d refused", refused)
	}
}
