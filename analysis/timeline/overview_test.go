package timeline_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

func overview(t *testing.T, a *archive.Archive, most int64) *archive.Overview {
	t.Helper()
	o, err := timeline.FitOverview(a, most, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// An overview gives the tiles that the calls give, to the nanosecond, and nothing is decoded for them. What is finer
// comes from the calls.
func TestOverviewTiles(t *testing.T) {
	for name, a := range map[string]*archive.Archive{"stencil": makeJob(t, "stencil-2d", 5, 700),
		"polls": makeJob(t, "polls", 3, 600), "many": makeJob(t, "stencil-2d", 150, 60)} {
		_, end := plain(t, a, selection.All)
		o := overview(t, a, math.MaxInt64)
		group, level := timeline.Grid(a.NumStreams(), end)
		if o.Length != end || o.Level >= level || o.Group > group || group > 1 && o.Group >= group {
			t.Fatalf("%s: an overview of %v with groups of %d at level %d", name, o.Length, o.Group, o.Level)
		}
		calls, x := newTiler(t, a, selection.Flags{}, end), newTiler(t, a, selection.Flags{}, end)
		if err := x.UseOverview(o); err != nil {
			t.Fatal(err)
		}
		rnd := rand.New(rand.NewPCG(1, 2))
		for k := range 20 {
			tile := func() *timeline.Tile {
				return &timeline.Tile{Level: o.Level + rnd.IntN(4), Group: o.Group << rnd.IntN(3), Rows: 64}
			}
			want := tile()
			want.X = rnd.Int64N(int64(end)>>want.Level/timeline.TileBins + 2)
			got := &timeline.Tile{Level: want.Level, X: want.X, Group: want.Group, Rows: 64,
				Until: time.Now().Add(-time.Hour)}
			fill(t, calls, want)
			fill(t, x, got)
			if !got.Exact() || x.Ends() != 0 {
				t.Fatalf("%s: tile %d took calls", name, k)
			}
			for row := range want.Rows {
				for bin := range timeline.TileBins {
					for c := range timeline.NumCategories {
						if d := got.Time(row, bin, c) - want.Time(row, bin, c); math.Abs(d) > float64(want.Group/o.Group) ||
							got.Calls(row, bin, c) != want.Calls(row, bin, c) {
							t.Fatalf("%s: row %d, bin %d: %v is off by %g ns, and has %d calls, want %d", name, row, bin, c,
								d, got.Calls(row, bin, c), want.Calls(row, bin, c))
						}
					}
				}
			}
		}
		fine := &timeline.Tile{Level: o.Level - 1, Group: o.Group, Rows: 64}
		if fill(t, x, fine); x.Ends() == 0 {
			t.Errorf("%s: a finer tile took no calls", name)
		}
	}
}

// With less room an overview is coarser, what it adds up to stays what it is, and none is made that is coarser than the
// first picture.
func TestOverviewRoom(t *testing.T) {
	a := makeJob(t, "stencil-2d", 300, 40)
	most := overview(t, a, math.MaxInt64)
	sums := func(o *archive.Overview) (ns, calls [timeline.NumCategories]uint64) {
		for _, r := range o.Rows {
			for c := range timeline.NumCategories {
				for _, v := range r.Time[c] {
					ns[c] += v
				}
				for _, v := range r.Calls[c] {
					calls[c] += v
				}
			}
		}
		return ns, calls
	}
	ns, calls := sums(most)
	if ns[timeline.Computation] == 0 || calls[timeline.Wait] == 0 {
		t.Fatalf("%v, %v", ns, calls)
	}
	coarser := 0
	for room := most.Size() - 1; ; coarser++ {
		o, err := timeline.FitOverview(a, room, nil)
		if err == timeline.ErrNoRoom {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n, c := sums(o); o.Size() > room || n != ns || c != calls {
			t.Fatalf("%d bytes of %d: %v, want %v; %v, want %v", o.Size(), room, n, ns, c, calls)
		}
		room = o.Size() - 1
	}
	if coarser != 3 { // a half and a quarter of the lines, a half of the bins
		t.Errorf("%d coarser ones", coarser)
	}
}

// An overview of other calls is refused.
func TestOverviewOfOthers(t *testing.T) {
	a, b := makeJob(t, "stencil-2d", 3, 40), makeJob(t, "stencil-2d", 4, 40)
	_, end := plain(t, a, selection.All)
	if newTiler(t, a, selection.Flags{}, end).UseOverview(overview(t, b, math.MaxInt64)) == nil {
		t.Error("an overview with other lines is used")
	}
}

// The overview of a file is compared with its calls: one number that is off by one is found.
func TestOverviewChecked(t *testing.T) {
	a := makeJob(t, "stencil-2d", 3, 40)
	o := overview(t, a, math.MaxInt64)
	check := func() error {
		var b bytes.Buffer
		if err := a.WriteOverview(&b, o); err != nil {
			t.Fatal(err)
		}
		return timeline.CheckOverview(archivetest.Open(t, b.Bytes()), nil)
	}
	if err := check(); err != nil {
		t.Error(err)
	}
	o.Rows[1].Time[timeline.Wait][o.Bins()/2]++
	if check() == nil {
		t.Error("a wrong time is not found")
	}
}
