package timeline

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// overviewCalls is from how many calls on an overview pays: fewer are decoded in a second.
const overviewCalls = 4 << 20

// ErrSmall and ErrNoRoom say why a recording gets no overview.
var (
	ErrSmall  = fmt.Errorf("it has fewer than %d calls, whose times are read in a moment", overviewCalls)
	ErrNoRoom = fmt.Errorf("one as fine as the first picture would take more than a hundredth of the file")
)

// MakeOverview makes the overview of an archive: as fine as there is room for, and at least as fine as the first
// picture. All times are read for that.
func MakeOverview(a *archive.Archive, progress func(done, total int)) (*archive.Overview, error) {
	x, err := a.Calls()
	if err != nil {
		return nil, err
	}
	n := uint64(0)
	for s := range x.Streams() {
		n += s.Calls()
	}
	if n < overviewCalls {
		return nil, ErrSmall
	}
	return fitOverview(x, a.MaxOverview(), progress)
}

// Grid is the tile of a whole run: how many lines a row has, and the level.
func Grid(lines int, length time.Duration) (group, level int) {
	for group = 1; group*MaxTileRows < lines; {
		group *= 2
	}
	return group, GridLevel(length)
}

// fitOverview is the finest overview of up to so many bytes.
func fitOverview(x *archive.Archive, most int64, progress func(done, total int)) (*archive.Overview, error) {
	length, err := selection.Length(x)
	if err != nil {
		return nil, err
	}
	t, err := NewTiler(NewMemory(), x, selection.All, TileOrders[0], length)
	if err != nil {
		return nil, err
	}
	group, level := Grid(t.Lines(), length)
	// Twice as fine in time and four times in lines is what a zoom or two ask for.
	o := &archive.Overview{Length: length, Lines: t.Lines(), Group: max(1, group/4), Level: max(0, level-1)}
	if err := t.overview(o, progress); err != nil {
		return nil, err
	}
	for o.Size() > most {
		switch {
		case o.Group < group:
			o = coarser(o, 2, 0)
		case o.Level < level:
			o = coarser(o, 1, 1)
		default:
			return nil, ErrNoRoom
		}
	}
	return o, nil
}

// CheckOverview compares the overview of an archive, if it has one, with the times of all its calls.
func CheckOverview(a *archive.Archive, progress func(done, total int)) error {
	o, err := a.Overview()
	if o == nil || err != nil {
		return err
	}
	x, err := a.Calls()
	if err != nil {
		return err
	}
	length, err := selection.Length(x)
	if err != nil {
		return err
	}
	t, err := NewTiler(NewMemory(), x, selection.All, TileOrders[0], length)
	if err != nil {
		return err
	}
	want := &archive.Overview{Length: length, Lines: t.Lines(), Group: o.Group, Level: o.Level}
	if err := t.fits(o); err != nil {
		return err
	}
	if err := t.overview(want, progress); err != nil {
		return err
	}
	if !o.Equal(want) {
		return fmt.Errorf("%s: its overview is not that of its calls: make it again with tabard merge --overview", a.File())
	}
	return nil
}

// overview fills in the rows.
func (t *Tiler) overview(o *archive.Overview, progress func(done, total int)) error {
	o.Rows = make([]archive.OverviewRow, (o.Lines+o.Group-1)/o.Group)
	var done atomic.Int64
	return workers.Each(len(o.Rows), func(i int) error {
		r, bins := &o.Rows[i], o.Bins()
		r.Time, r.Calls = make([][]uint64, NumCategories), make([][]uint64, NumCategories)
		var sums [NumCategories]float64
		for at := 0; at < bins; at += TileBins {
			tile := &Tile{Level: o.Level, X: int64(at / TileBins), First: i * o.Group, Group: o.Group, Rows: 1}
			if err := t.Fill(tile); err != nil {
				return err
			}
			for c := range NumCategories {
				sums[c] = put(r, tile, c, at, bins, sums[c])
			}
		}
		if n := int(done.Add(1)) * o.Group; progress != nil {
			progress(min(n, o.Lines), o.Lines)
		}
		return nil
	})
}

// put adds a category of a tile to a row, from a bin on. before is its time in the bins before: numbers are such that
// those of any stretch add up to its time, rounded.
func put(r *archive.OverviewRow, tile *Tile, c Category, at, bins int, before float64) float64 {
	for bin := range min(TileBins, bins-at) {
		after := before + max(0, tile.Time(0, bin, c))
		if ns := uint64(math.Round(after)) - uint64(math.Round(before)); ns > 0 {
			filled(&r.Time[c], bins)[at+bin] = ns
		}
		if calls := tile.Calls(0, bin, c); calls > 0 {
			filled(&r.Calls[c], bins)[at+bin] = calls
		}
		before = after
	}
	return before
}

// coarser is an overview with rows of so many, and bins of 2^shift.
func coarser(o *archive.Overview, rows, shift int) *archive.Overview {
	c := *o
	c.Group, c.Level, c.Rows = o.Group*rows, o.Level+shift, nil
	for first := 0; first < len(o.Rows); first += rows {
		r := archive.OverviewRow{Time: make([][]uint64, NumCategories), Calls: make([][]uint64, NumCategories)}
		for _, x := range o.Rows[first:min(first+rows, len(o.Rows))] {
			addBins(r.Time, x.Time, c.Bins(), shift)
			addBins(r.Calls, x.Calls, c.Bins(), shift)
		}
		c.Rows = append(c.Rows, r)
	}
	return &c
}

func addBins(sum, values [][]uint64, bins, shift int) {
	for c, list := range values {
		for bin, v := range list {
			filled(&sum[c], bins)[bin>>shift] += v
		}
	}
}

// UseOverview gives a Tiler of the times of all calls, in the order of ranks, the overview of its archive: what is no
// finer comes from there.
func (t *Tiler) UseOverview(o *archive.Overview) error {
	err := t.fits(o)
	if err == nil {
		t.whole = o
	}
	return err
}

// fits is an error if an overview cannot be that of the archive.
func (t *Tiler) fits(o *archive.Overview) error {
	wrong := o.Lines != len(t.order)
	for i := range o.Rows {
		wrong = wrong || len(o.Rows[i].Time) > int(NumCategories) || len(o.Rows[i].Calls) > int(NumCategories)
	}
	if wrong {
		return &archive.FormatError{File: t.arch.File(), Section: "overview", Offset: -1,
			Msg: "it does not fit the calls", Hint: "the file is damaged: copy it again"}
	}
	return nil
}

// rowOfOverview is a row of a tile, nil if the overview is not fine enough.
func (t *Tiler) rowOfOverview(x *Tile, first, last int) *chunk {
	o := t.whole
	if o == nil || x.Level < o.Level || first%o.Group != 0 || x.Group%o.Group != 0 {
		return nil
	}
	sum, shift := &chunk{}, uint(x.Level-o.Level)
	from := x.X * TileBins
	to := min(int64(o.Bins()-1)>>shift+1, from+TileBins)
	for row := first / o.Group; row*o.Group < last; row++ {
		r := &o.Rows[row]
		for bin := from << shift; from < to && bin < min(to<<shift, int64(o.Bins())); bin++ {
			at := bin>>shift - from
			for c, list := range r.Time {
				if list != nil && list[bin] > 0 {
					filled(&sum.ns[c], TileBins)[at] += float64(list[bin])
				}
			}
			for c, list := range r.Calls {
				if list != nil && list[bin] > 0 {
					filled(&sum.calls[c], TileBins)[at] += list[bin]
				}
			}
		}
	}
	return sum
}
