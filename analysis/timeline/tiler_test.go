package timeline_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// plainCall is a call as the reference knows it.
type plainCall struct {
	start, end time.Duration
	category   timeline.Category
}

// plain reads all calls of all streams, one by one.
func plain(t testing.TB, a *archive.Archive, sel *selection.Selection) (lines [][]plainCall, end time.Duration) {
	t.Helper()
	for s := range a.Streams() {
		var list []plainCall
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Func.Own() || c.Flags&archive.Nested != 0 {
				continue
			}
			p := plainCall{c.Start, c.End, timeline.CategoryOf(c.Func)}
			if !sel.Function(c.Func.ID) {
				p.category = timeline.Unselected
			}
			list = append(list, p)
			end = max(end, c.End)
		}
		lines = append(lines, list)
	}
	return lines, end
}

// sum is what the reference says of a bin.
func sum(
	list []plainCall,
	from, to time.Duration,
) (ns [timeline.NumCategories]float64, calls [timeline.NumCategories]uint64) {
	first := sort.Search(len(list), func(i int) bool { return list[i].end >= from })
	for _, c := range list[first:] {
		if c.start >= to {
			break
		}
		ns[c.category] += float64(max(0, min(to, c.end)-max(from, c.start)))
		if c.start >= from && c.start < to {
			calls[c.category]++
		}
	}
	if len(list) > 0 {
		ns[timeline.Computation] = float64(max(0, min(to, list[len(list)-1].end)-max(from, list[0].start)))
		for k := timeline.Computation + 1; k < timeline.NumCategories; k++ {
			ns[timeline.Computation] -= ns[k]
		}
	}
	return ns, calls
}

func newTiler(t testing.TB, a *archive.Archive, flags selection.Flags, end time.Duration) *timeline.Tiler {
	t.Helper()
	sel, err := selection.Parse(flags)
	if err != nil {
		t.Fatal(err)
	}
	x, err := timeline.NewTiler(timeline.NewMemory(), a, sel, "rank", end)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func fill(t testing.TB, x *timeline.Tiler, tile *timeline.Tile) {
	t.Helper()
	if err := x.Fill(tile); err != nil {
		t.Fatal(err)
	}
}

// zoomed fills a tile of pairs of lines, at a place and level of chance, and the two of single lines that it is the sum
// of.
func zoomed(t testing.TB, x *timeline.Tiler, rnd *rand.Rand, end time.Duration) (*timeline.Tile, [2]*timeline.Tile) {
	t.Helper()
	level := 1 + rnd.IntN(timeline.GridLevel(end))
	coarse := &timeline.Tile{Level: level, X: rnd.Int64N(int64(end)>>level/timeline.TileBins + 1), Group: 2, Rows: 64}
	fill(t, x, coarse)
	var fine [2]*timeline.Tile
	for i := range fine {
		fine[i] = &timeline.Tile{Level: level - 1, X: 2*coarse.X + int64(i), Group: 1, Rows: 64}
		fill(t, x, fine[i])
	}
	return coarse, fine
}

// Tiles of random windows say what a plain look at each call says.
func TestTilesExact(t *testing.T) {
	slow := archivetest.Archive(t, `abi mpich
rank 0 of 1 on n
clock 1000 5000 3000
clock 31000 15000 13003
2000+100 MPI_Init()
loop 40
  MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD)
  MPI_Barrier(comm=MPI_COMM_WORLD)
end
30000+900 MPI_Finalize()
`)
	archives := map[string]*archive.Archive{"clocks": slow, "stencil": makeJob(t, "stencil-2d", 5, 700),
		"polls": makeJob(t, "polls", 3, 600), "amr": makeJob(t, "amr", 3, 300),
		"long": makeJob(t, "stencil-2d", 2, 9000)}
	rnd := rand.New(rand.NewPCG(1, 2))
	for name, a := range archives {
		for _, flags := range []selection.Flags{{}, {Functions: "MPI_Waitall,MPI_Send"}} {
			sel, err := selection.Parse(flags)
			if err != nil {
				t.Fatal(err)
			}
			lines, end := plain(t, a, sel)
			x := newTiler(t, a, flags, end)
			top := timeline.GridLevel(end)
			compared := 0
			for range 12 {
				level := max(0, top+2-rnd.IntN(14))
				tiles := int64(end)>>level/timeline.TileBins + 1
				tile := &timeline.Tile{Level: level, X: rnd.Int64N(tiles), First: 0, Group: 1 + rnd.IntN(2), Rows: 64}
				fill(t, x, tile)
				if !tile.Exact() {
					t.Fatalf("%s: %+v is not exact", name, tile)
				}
				for row := range tile.Rows {
					for bin := range timeline.TileBins {
						from := time.Duration((tile.X*timeline.TileBins + int64(bin)) << level)
						var want [timeline.NumCategories]float64
						var calls [timeline.NumCategories]uint64
						for line := row * tile.Group; line < min((row+1)*tile.Group, len(lines)); line++ {
							ns, n := sum(lines[line], from, from+1<<level)
							for k := range want {
								want[k] += ns[k]
								calls[k] += n[k]
							}
						}
						width := float64(int64(1) << level)
						for k := range timeline.NumCategories {
							got := tile.Time(row, bin, k)
							// Times of calls are rounded to nanoseconds, and rates of clocks are averages.
							n := float64(calls[k]) + 2
							if math.Abs(got-want[k]) > width/255 && math.Abs(got-want[k]) > n {
								t.Fatalf("%s %+v: level %d, x %d, row %d, bin %d: %v is %g ns, want %g", name, flags,
									level,
									tile.X, row, bin, k, got, want[k])
							}
							if k != timeline.Computation && tile.Calls(row, bin, k) != calls[k] {
								t.Fatalf("%s %+v: level %d, x %d, row %d, bin %d: %v has %d calls, want %d", name,
									flags,
									level, tile.X, row, bin, k, tile.Calls(row, bin, k), calls[k])
							}
							compared++
						}
					}
				}
			}
			if compared < 10_000 {
				t.Errorf("%s: %d comparisons", name, compared)
			}
		}
	}
}

// Zooming changes no sum: a bin is the two bins of the level below, to the nanosecond, and a row the rows of half as
// many lines, whatever was asked for before.
func TestTilesConserve(t *testing.T) {
	for _, name := range []string{"stencil-2d", "polls"} {
		a := makeJob(t, name, 3, 4000)
		_, end := plain(t, a, selection.All)
		for range 2 { // from above, and then in an order of chance with all summaries there
			x := newTiler(t, a, selection.Flags{}, end)
			rnd := rand.New(rand.NewPCG(3, 4))
			for range 8 {
				coarse, fine := zoomed(t, x, rnd, end)
				for row := range coarse.Rows {
					for bin := range timeline.TileBins {
						half, at := fine[bin/128], bin%128*2
						for k := range timeline.NumCategories {
							sum, calls := 0.0, uint64(0)
							for r := 2 * row; r < min(2*row+2, half.Rows); r++ {
								sum += half.Time(r, at, k) + half.Time(r, at+1, k)
								calls += half.Calls(r, at, k) + half.Calls(r, at+1, k)
							}
							if math.Abs(sum-coarse.Time(row, bin, k)) > 1e-3 || calls != coarse.Calls(row, bin, k) {
								t.Fatalf("%s: level %d, bin %d of %d, row %d: %v is %g ns and %d calls, its parts "+
									"%g and %d", name,
									coarse.Level, bin, coarse.X, row, k, coarse.Time(row, bin, k),
									coarse.Calls(row, bin, k),
									sum, calls)
							}
						}
					}
				}
			}
		}
	}
}

// When the time is up, what is there is sound: shares do not exceed the time, what was not read is said, and asking
// again comes to the exact end.
func TestTilesInTime(t *testing.T) {
	for _, c := range []struct{ ranks, steps, group int }{{4, 20_000, 1}, {300, 20, 128}} {
		a := makeJob(t, "stencil-2d", c.ranks, c.steps)
		_, end := plain(t, a, selection.All)
		x, exact := newTiler(t, a, selection.Flags{}, end), newTiler(t, a, selection.Flags{}, end)
		tile := func(until time.Time) *timeline.Tile {
			return &timeline.Tile{Level: timeline.GridLevel(end), Group: c.group, Rows: 64, Until: until}
		}
		want := tile(time.Time{})
		fill(t, exact, want)
		first := tile(time.Now())
		fill(t, x, first)
		if first.Exact() {
			t.Errorf("%d ranks: all was read in no time", c.ranks)
		}
		var got *timeline.Tile
		for range 10_000 {
			got = tile(time.Now().Add(2 * time.Millisecond))
			if fill(t, x, got); got.Exact() {
				break
			}
			for row := range got.Rows {
				if got.Read[row] < 0 || got.Read[row] > got.Lines[row] {
					t.Fatalf("%d of %d", got.Read[row], got.Lines[row])
				}
				for bin := range timeline.TileBins {
					sum := 0.0
					for k := range timeline.NumCategories {
						sum += got.Time(row, bin, k)
					}
					if most := float64(got.Read[row]) * float64(int64(1)<<got.Level); sum > most*1.001+1 {
						t.Fatalf("%g ns in a bin of %g", sum, most)
					}
				}
			}
		}
		if !got.Exact() {
			t.Fatalf("%d ranks: it never becomes exact", c.ranks)
		}
		for row := range got.Rows {
			for bin := range timeline.TileBins {
				for k := range timeline.NumCategories {
					if x, y := got.Time(row, bin, k), want.Time(row, bin, k); math.Abs(x-y) > 1e-3 {
						t.Fatalf("row %d, bin %d: %v is %g, want %g", row, bin, k, x, y)
					}
				}
			}
		}
	}
}

// A stream of a single block has no summary. It is not spread over the run, whatever is not looked at.
func TestShortStreams(t *testing.T) {
	a := makeJob(t, "stencil-2d", 40, 100)
	const columns = 300 // a stream takes a few of them
	want, err := timeline.Of(mustResolve(t, selection.All, a),
		timeline.Options{Columns: columns, Exact: math.MaxUint64})
	if err != nil {
		t.Fatal(err)
	}
	got, err := timeline.Of(mustResolve(t, selection.All, a), timeline.Options{Columns: columns, Exact: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got.Blur != 0 {
		t.Errorf("blur %v", got.Blur)
	}
	for row := range want.Rows {
		for col := range columns {
			if x, y := fmt.Sprint(got.Shares(row, col)), fmt.Sprint(want.Shares(row, col)); x != y {
				t.Fatalf("row %d, column %d: %s, want %s", row, col, x, y)
			}
		}
	}
}

// What was saved is what is loaded, and what is damaged is not used.
func TestSaved(t *testing.T) {
	a := makeJob(t, "stencil-2d", 4, 4000)
	_, end := plain(t, a, selection.All)
	x := newTiler(t, a, selection.Flags{}, end)
	if err := x.Warm(func() bool { return true }, nil); err != nil || x.Ends() != end {
		t.Fatalf("%v, ends at %v, want %v", err, x.Ends(), end)
	}
	var b bytes.Buffer
	if err := x.Save(&b); err != nil {
		t.Fatal(err)
	}
	tile := func(x *timeline.Tiler) *timeline.Tile {
		tile := &timeline.Tile{Level: timeline.GridLevel(end), Group: 1, Rows: 64, Until: time.Now().Add(-time.Hour)}
		fill(t, x, tile)
		return tile
	}
	want := tile(x)
	y := newTiler(t, a, selection.Flags{}, end)
	if tile(y).Exact() || !y.Load(b.Bytes()) {
		t.Fatal("nothing is loaded")
	}
	got := tile(y)
	if !want.Exact() || !got.Exact() {
		t.Fatalf("exact: %v, %v", want.Exact(), got.Exact())
	}
	for row := range got.Rows {
		for bin := range timeline.TileBins {
			for k := range timeline.NumCategories {
				if got.Time(row, bin, k) != want.Time(row, bin, k) {
					t.Fatalf("row %d, bin %d, %v: %g, want %g", row, bin, k, got.Time(row, bin, k),
						want.Time(row, bin, k))
				}
			}
		}
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		bad := bytes.Clone(b.Bytes())
		if at := rnd.IntN(len(bad)); rnd.IntN(3) == 0 {
			bad = bad[:at]
		} else {
			bad[at] ^= byte(1 + rnd.IntN(255))
		}
		if newTiler(t, a, selection.Flags{}, end).Load(bad) {
			t.Fatal("damaged bytes are loaded")
		}
	}
	if newTiler(t, makeJob(t, "stencil-2d", 3, 10), selection.Flags{}, end).Load(b.Bytes()) {
		t.Error("what belongs to another archive is loaded")
	}
}

// What is finer than the summaries of blocks is spread over their bins if there is no time to decode them, and the tile
// says over what: no line is left out, and sums stay what they are.
func TestLateTiles(t *testing.T) {
	a := makeJob(t, "stencil-2d", 100, 40)
	_, end := plain(t, a, selection.All)
	x := newTiler(t, a, selection.Flags{}, end)
	if err := x.Warm(func() bool { return true }, nil); err != nil {
		t.Fatal(err)
	}
	level := timeline.GridLevel(end)
	whole := &timeline.Tile{Level: level, Group: 64, Rows: 64}
	fill(t, x, whole)
	var sum, want [timeline.NumCategories]float64
	add := func(to *[timeline.NumCategories]float64, tile *timeline.Tile) {
		for row := range tile.Rows {
			for bin := range timeline.TileBins {
				for c := range timeline.NumCategories {
					to[c] += tile.Time(row, bin, c)
				}
			}
		}
	}
	add(&want, whole)
	const finer = 9 // ranks begin at different times: their blocks are shorter than the run
	blurred := 0
	for k := range int64(1 << finer) {
		tile := &timeline.Tile{Level: level - finer, X: k, Group: 64, Rows: 64, Until: time.Now().Add(-1)}
		fill(t, x, tile)
		for row := range tile.Rows {
			if tile.Read[row] != tile.Lines[row] {
				t.Errorf("tile %d, row %d: %d of %d lines", k, row, tile.Read[row], tile.Lines[row])
			}
		}
		if !tile.Exact() {
			blurred++
			if tile.Blur <= 1<<(level-finer) || tile.Blur > end/64 {
				t.Errorf("tile %d: blur %v of %v", k, tile.Blur, end)
			}
		}
		add(&sum, tile)
	}
	if blurred < 5 {
		t.Errorf("%d tiles are spread", blurred)
	}
	for c := range want {
		if math.Abs(sum[c]-want[c]) > 1e-3*want[c] {
			t.Errorf("%v: %g ns in all tiles, want %g", timeline.Category(c), sum[c], want[c])
		}
	}
}

// What a row has that is exact is kept from one question to the next, also where blocks have to be decoded for it:
// however little time there is, it becomes exact after as many questions as it has lines.
func TestTilesGoOn(t *testing.T) {
	const group = 8
	a := makeJob(t, "stencil-2d", 24, 1500)
	_, end := plain(t, a, selection.All)
	x := newTiler(t, a, selection.Flags{}, end)
	if err := x.Warm(func() bool { return true }, nil); err != nil {
		t.Fatal(err)
	}
	level := timeline.GridLevel(end) - 9
	most := 0
	for at := int64(0); at < 1<<9; at += 23 {
		tile := func(x *timeline.Tiler, until time.Time) *timeline.Tile {
			tile := &timeline.Tile{Level: level, X: at, Group: group, Rows: 64, Until: until}
			fill(t, x, tile)
			return tile
		}
		asked := 1
		got := tile(x, time.Now())
		for ; !got.Exact() && asked <= group; asked++ {
			got = tile(x, time.Now())
		}
		if !got.Exact() {
			t.Fatalf("tile %d: not exact after %d questions", at, asked)
		}
		most = max(most, asked)
		want := tile(newTiler(t, a, selection.Flags{}, end), time.Time{})
		for row := range want.Rows {
			for bin := range timeline.TileBins {
				for k := range timeline.NumCategories {
					x, y := got.Time(row, bin, k), want.Time(row, bin, k)
					if math.Abs(x-y) > 1e-3 || got.Calls(row, bin, k) != want.Calls(row, bin, k) {
						t.Fatalf("tile %d, row %d, bin %d: %v is %g, want %g", at, row, bin, k, x, y)
					}
				}
			}
		}
	}
	if most < 3 {
		t.Errorf("%d questions at most: nothing was to be read", most)
	}
}
