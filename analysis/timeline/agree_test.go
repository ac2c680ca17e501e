package timeline_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// Tiles of random windows say what a timeline says whose columns are their bins.
func TestTilesAndTimeline(t *testing.T) {
	for name, a := range map[string]*archive.Archive{"stencil": makeJob(t, "stencil-2d", 5, 700),
		"polls": makeJob(t, "polls", 3, 600), "amr": makeJob(t, "amr", 3, 300)} {
		_, end := plain(t, a, selection.All)
		for _, functions := range []string{"", "MPI_Waitall,MPI_Send"} {
			x := newTiler(t, a, selection.Flags{Functions: functions}, end)
			rnd, cells := rand.New(rand.NewPCG(5, 6)), 0
			for range 12 {
				level := max(0, timeline.GridLevel(end)-1-rnd.IntN(10))
				width := int64(timeline.TileBins) << level
				tile := &timeline.Tile{Level: level, X: rnd.Int64N(int64(end) / width), Group: 1, Rows: 64}
				fill(t, x, tile)
				flags := selection.Flags{Functions: functions,
					Time: fmt.Sprintf("%dns..%dns", tile.X*width, (tile.X+1)*width)}
				sel, err := selection.Parse(flags)
				if err != nil {
					t.Fatal(err)
				}
				r, err := timeline.Of(mustResolve(t, sel, a), timeline.Options{Columns: timeline.TileBins})
				if err != nil {
					continue // no thread calls anything then
				}
				if int64(r.From) != tile.X*width || int64(r.To) != (tile.X+1)*width {
					t.Fatalf("%s: from %v to %v", name, r.From, r.To)
				}
				selected := &timeline.Tile{Level: level, X: tile.X, Group: 1, Rows: 64}
				fill(t, newTiler(t, a, flags, end), selected)
				for row := range r.Rows {
					cells += agree(t, name, tile, r, row)
					agree(t, name+", selected", selected, r, row)
				}
			}
			if cells < 10_000 {
				t.Errorf("%s %q: %d cells", name, functions, cells)
			}
		}
	}
}

// agree compares a row of a timeline with that of a tile. Both may round the times of calls.
func agree(t *testing.T, name string, tile *timeline.Tile, r *timeline.Result, row int) (cells int) {
	t.Helper()
	line, width := r.Rows[row].First, float64(int64(1)<<tile.Level)
	for bin := range timeline.TileBins {
		calls := uint64(0)
		for c := range timeline.NumCategories {
			calls += tile.Calls(line, bin, c)
		}
		for c, share := range r.Shares(row, bin) {
			got := tile.Time(line, bin, timeline.Category(c))
			if d := math.Abs(got - share*width); d > width/255 && d > 2*float64(calls)+2 {
				t.Fatalf("%s: level %d, x %d, line %d, bin %d: %v is %g ns in the tile, %g in the timeline", name,
					tile.Level, tile.X, line, bin, timeline.Category(c), got, share*width)
			}
			cells++
		}
	}
	return cells
}
