package text

import (
	"fmt"
	"time"

	"github.com/tabard-hpc/tabard/analysis/regions"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/render"
)

// Sizes of timelines: columns and rows of pictures, and how many calls in a row are shown one by
// one, on the average, in text and in pictures.
const (
	PictureColumns = 900
	PictureRows    = 640
	PictureSpans   = 150
	TextSpans      = 40
)

// TimelineSize is the columns and rows of a timeline that fills a terminal.
func TimelineSize(t *render.Terminal) (columns, rows int) {
	columns, rows = 2*t.Columns(), t.Lines()
	if t.Unicode && t.Colors != render.NoColors {
		rows *= 2
	}
	return columns, rows
}

// timelineLooks is how categories are shown. The order is that of package timeline.
var timelineLooks = [timeline.NumCategories]render.Series{
	{Name: "computation", Letter: '.', Color: render.Grey, Dark: render.Slate},
	{Name: "point to point", Letter: 'P', Color: render.Blue},
	{Name: "wait", Letter: 'W', Color: render.Vermillion},
	{Name: "collective", Letter: 'C', Color: render.Orange},
	{Name: "one-sided", Letter: 'R', Color: render.Purple},
	{Name: "files", Letter: 'F', Color: render.Green},
	{Name: "other MPI", Letter: 'M', Color: render.SkyBlue},
	{Name: "init and finalize", Letter: 'I', Color: render.PaleBlue, Dark: render.SlateBlue},
	{Name: "not chosen", Letter: '-', Color: render.DarkGrey},
}

// TimelineView is how a timeline is shown.
type TimelineView struct {
	File string
	// Spans is up to how many calls a row, on the average, are shown one by one.
	Spans int
	// Skewed says that the clocks of several hosts are as they were recorded.
	Skewed bool
	// Bands are the regions of the first row's first thread.
	Bands []regions.Band
}

// Chart makes the drawing of a timeline.
func (v *TimelineView) Chart(r *timeline.Result) *render.Timeline {
	tl := &render.Timeline{
		Title: "Timeline of " + rowsText(r), Note: v.note(r), Rows: len(r.Rows), RowAxis: "rank",
		RowLabel: func(i int) string { return rowText(&r.Rows[i]) }, Start: r.From, End: r.To, Columns: r.Columns,
	}
	for _, b := range v.Bands {
		tl.Bands = append(tl.Bands, render.Band{Level: b.Level, Start: b.Start, End: b.End,
			Label: render.BandLabel(b.Name, b.Times)})
	}
	tl.BandTitle = "regions of rank " + tl.RowLabel(0)
	shown, place := []timeline.Category{}, [timeline.NumCategories]int{}
	for c := range timeline.NumCategories {
		if r.Total[c] > 0 || c == timeline.Computation {
			look := timelineLooks[c]
			look.Name += " " + render.Percent(r.Total[c])
			place[c] = len(shown)
			shown = append(shown, c)
			tl.Categories = append(tl.Categories, look)
		}
	}
	tl.Shares = func(row, col int, dst []float64) {
		s := r.Shares(row, col)
		for i, c := range shown {
			dst[i] = s[c]
		}
	}
	if r.Spans && oneThreadRows(r) && r.Calls <= uint64(v.Spans*len(r.Rows)) {
		rows := make([][]render.Span, len(r.Rows))
		for i := range r.Rows {
			for _, s := range r.Rows[i].Spans {
				rows[i] = append(rows[i], render.Span{Start: s.Start, End: s.End, Category: place[s.Category],
					Label: s.Func.ShortName()})
			}
		}
		tl.Spans = func(row int) []render.Span { return rows[row] }
		tl.Life = func(row int) (from, to time.Duration) { return r.Rows[row].From, r.Rows[row].To }
	}
	return tl
}

func oneThreadRows(r *timeline.Result) bool {
	for i := range r.Rows {
		if r.Rows[i].Threads > 1 {
			return false
		}
	}
	return true
}

// rowsText says how many ranks and threads there are.
func rowsText(r *timeline.Result) string {
	threads := 0
	for i := range r.Rows {
		threads += r.Rows[i].Threads
	}
	noun := "rank"
	for i := range r.Rows {
		if r.Rows[i].Thread > 0 {
			noun = "thread"
		}
	}
	return render.Plural(uint64(threads), noun)
}

// note names the file, the window, and what a row is.
func (v *TimelineView) note(r *timeline.Result) string {
	s := v.File + ", " + render.Duration(r.To-r.From)
	if r.From > 0 {
		s += " from " + render.Instant(r.From)
	}
	s += ", " + render.Plural(r.Calls, "call")
	if n := r.Rows[0].Threads; n > 1 {
		s += fmt.Sprintf(", a row is the mean of %d", n)
	}
	if r.Blur > 0 {
		s += ", from summaries of up to " + render.Duration(r.Blur)
	}
	if v.Skewed {
		s += ", clocks of hosts not corrected"
	}
	return s
}

// rowText names a row: its rank, thread and world, only as far as they are special.
func rowText(r *timeline.Row) string {
	s := fmt.Sprint(r.Rank)
	if r.Rank < 0 {
		s = fmt.Sprintf("process %d", r.First)
	}
	if r.World > 0 {
		s = fmt.Sprintf("w%d:%s", r.World, s)
	}
	if r.Thread > 0 {
		s += fmt.Sprintf(".%d", r.Thread)
	}
	return s
}
