package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/regions"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
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

// waiting is the place of waiting for others among the looks, behind the categories.
const waiting = timeline.NumCategories

// timelineLooks is how categories are shown. The order is that of package timeline.
var timelineLooks = [timeline.NumCategories + 1]render.Series{
	{Name: "computation", Letter: '.', Color: render.Grey, Dark: render.Slate},
	{Name: "point to point", Letter: 'P', Color: render.Blue},
	{Name: "wait and test calls", Letter: 'T', Color: render.Yellow},
	{Name: "collective", Letter: 'C', Color: render.Orange},
	{Name: "one-sided", Letter: 'R', Color: render.Purple},
	{Name: "files", Letter: 'F', Color: render.Green},
	{Name: "other MPI", Letter: 'M', Color: render.SkyBlue},
	{Name: "init and finalize", Letter: 'I', Color: render.PaleBlue, Dark: render.SlateBlue},
	{Name: "not chosen", Letter: '-', Color: render.DarkGrey},
	{Name: "waiting for others", Letter: 'W', Color: render.Vermillion},
}

// TimelineView is how a timeline is shown.
type TimelineView struct {
	File    string
	Archive *archive.Archive // names ranks; may be nil if Waits is
	// Spans is up to how many calls a row, on the average, are shown one by one.
	Spans int
	// Skewed says that the clocks of several hosts are as they were recorded, Cut that initialisation is left out.
	Skewed, Cut bool
	// Bands are the regions of the first row's first thread, Steps its time steps.
	Bands, Steps []regions.Band
	// Marks are the begins of time steps, by row.
	Marks [][]time.Duration
	// Waits are who waits for whom; nil if that is not known, for the reason NoWaits.
	Waits   *report.StreamWaits
	NoWaits string
	// Order is that of the rows; nil by rank.
	Order   *report.RowOrder
	Missing []report.MissingRanks
}

// Chart makes the drawing of a timeline.
func (v *TimelineView) Chart(r *timeline.Result) *render.Timeline {
	rows := v.rows(r)
	tl := &render.Timeline{
		Title: "Timeline of " + rowsText(r) + v.missingText(), Note: v.note(r), Rows: len(rows), RowAxis: "rank",
		RowLabel: func(i int) string { return rows[i].label }, RowHint: func(i int) string { return rows[i].hint },
		Start: r.From, End: r.To, Columns: r.Columns,
	}
	if v.Order != nil {
		tl.Alone, tl.Labelled = v.chart(rows)
	}
	if len(v.Missing) > 0 {
		tl.Absent = func(i int) string { return rows[i].absent }
	}
	v.bands(tl, r, rows)
	show := v.categories(tl, r)
	tl.Shares = func(row, col int, dst []float64) {
		i := rows[row].of
		if i < 0 {
			return
		}
		s, w := r.Shares(i, col), r.Waiting(i, col)
		for c, at := range show {
			switch {
			case at < 0:
			case c == int(waiting):
				for _, x := range w {
					dst[at] += x
				}
			case w != nil:
				dst[at] = s[c] - w[c]
			default:
				dst[at] = s[c]
			}
		}
	}
	v.spans(tl, r, rows, show)
	v.arrows(tl, r, rows)
	return tl
}

// chartRow is a row of a chart: one of the result, or one of ranks of which nothing is known, where of is -1.
type chartRow struct {
	of                  int
	label, hint, absent string
}

// rows are those of the result, with such as are missing.
func (v *TimelineView) rows(r *timeline.Result) []chartRow {
	var rows []chartRow
	for i := range r.Rows {
		x := &r.Rows[i]
		row := chartRow{of: i, label: rowText(x)}
		row.hint = "rank " + row.label
		if x.Threads > 1 {
			row.hint = fmt.Sprintf("mean of %d, rank %s and others", x.Threads, row.label)
		}
		if v.Order != nil && v.Order.Names[x.Block] != "" {
			row.hint += ", " + v.Order.Names[x.Block]
			row.label = v.Order.Names[x.Block]
		}
		rows = append(rows, row)
	}
	for k, m := range v.Missing {
		at := len(rows)
		for i := range r.Rows {
			if x := &r.Rows[i]; v.Order == nil && m.Ranks == 1 &&
				(x.World > m.World || x.World == m.World && x.Rank > m.Rank) {
				at = min(at, slices.IndexFunc(rows, func(c chartRow) bool { return c.of == i }))
			}
		}
		if v.Order != nil {
			at = v.Order.Alone + k
		}
		label := report.RankLabel(m.World, m.Rank)
		if m.Ranks > 1 {
			label = m.List
		}
		rows = slices.Insert(rows, at, chartRow{of: -1, label: label, hint: "rank " + label,
			absent: "not recorded: " + m.Why})
	}
	return rows
}

// missingText says how many ranks are missing, if any.
func (v *TimelineView) missingText() string {
	n := 0
	for _, m := range v.Missing {
		n += m.Ranks
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d not recorded", n)
}

// chart is how many rows stand for themselves, and which of the others are labelled: the first ones of blocks.
func (v *TimelineView) chart(rows []chartRow) (alone int, labelled []int) {
	alone = v.Order.Alone + len(v.Missing)
	for i := alone; i < len(rows); i++ {
		if i == alone || rows[i].label != rows[i-1].label {
			labelled = append(labelled, i)
		}
	}
	return alone, labelled
}

// bands are the time steps, and below them the regions.
func (v *TimelineView) bands(tl *render.Timeline, r *timeline.Result, rows []chartRow) {
	var names []string
	below := 0
	if len(v.Steps) > 0 {
		names, below = append(names, "time steps"), 1
		if n := v.Steps[len(v.Steps)/2].Times; n > 1 {
			names[0] = fmt.Sprintf("every %d time steps", n)
		}
	}
	if len(v.Bands) > 0 {
		names = append(names, bandsName(v.Bands))
	}
	for _, b := range v.Steps {
		tl.Bands = append(tl.Bands, render.Band{Start: b.Start, End: b.End, Label: b.Name})
	}
	for _, b := range v.Bands {
		tl.Bands = append(tl.Bands, render.Band{Level: b.Level + below, Start: b.Start, End: b.End,
			Label: render.BandLabel(b.Name, b.Times)})
	}
	if len(r.Rows) > 0 {
		tl.BandTitle = strings.Join(names, " and ") + " of rank " + rowText(&r.Rows[0])
	}
	if v.Marks != nil {
		tl.Marks = func(row int) []time.Duration {
			if i := rows[row].of; i >= 0 && i < len(v.Marks) {
				return v.Marks[i]
			}
			return nil
		}
	}
}

// categories chooses those that are shown, and gives the place of each, -1 for none.
func (v *TimelineView) categories(tl *render.Timeline, r *timeline.Result) (show [timeline.NumCategories + 1]int) {
	for c := range show {
		share := 0.0
		if c == int(waiting) {
			for _, x := range r.TotalWaiting {
				share += x
			}
		} else {
			share = r.Total[c] - r.TotalWaiting[c]
		}
		if show[c] = -1; share > 0 || c == int(timeline.Computation) {
			show[c] = len(tl.Categories)
			look := timelineLooks[c]
			tl.Names = append(tl.Names, look.Name)
			look.Name += " " + render.Percent(share)
			tl.Categories = append(tl.Categories, look)
		}
	}
	return show
}

// spans shows single calls where there are few, each in the parts in which it waits for others and in which it does
// not.
func (v *TimelineView) spans(tl *render.Timeline, r *timeline.Result, rows []chartRow,
	show [timeline.NumCategories + 1]int) {
	if !r.Spans || !oneThreadRows(r) || r.Calls > uint64(v.Spans*len(r.Rows)) {
		return
	}
	all := make([][]render.Span, len(rows))
	for i := range rows {
		if rows[i].of < 0 {
			continue
		}
		for _, s := range r.Rows[rows[i].of].Spans {
			all[i] = append(all[i], callSpans(&s, show)...)
		}
	}
	tl.Spans = func(row int) []render.Span { return all[row] }
	tl.Life = func(row int) (from, to time.Duration) {
		if i := rows[row].of; i >= 0 {
			return r.Rows[i].From, r.Rows[i].To
		}
		return 0, 0
	}
}

// callSpans are the parts of a call; its name is in the longest one.
func callSpans(s *timeline.Span, show [timeline.NumCategories + 1]int) []render.Span {
	hint := fmt.Sprintf("%s, call %d: %s from %s", s.Func.Name, s.Call, render.Duration(s.End-s.Start),
		render.Instant(s.Start))
	var parts []render.Span
	add := func(from, to time.Duration, category int) {
		if to > from || s.WaitTo <= s.WaitFrom {
			parts = append(parts, render.Span{Start: from, End: to, Category: category, Hint: hint})
		}
	}
	if own := show[s.Category]; s.WaitTo <= s.WaitFrom {
		add(s.Start, s.End, max(0, own))
	} else {
		hint += ", of that " + render.Duration(s.WaitTo-s.WaitFrom) + " waiting for another rank"
		add(s.Start, s.WaitFrom, max(0, own))
		add(s.WaitFrom, s.WaitTo, max(0, show[waiting]))
		add(s.WaitTo, s.End, max(0, own))
	}
	longest := 0
	for i := range parts {
		if parts[i].End-parts[i].Start > parts[longest].End-parts[longest].Start {
			longest = i
		}
	}
	parts[longest].Label = s.Func.ShortName()
	return parts
}

// maxArrows is how many arrows there are at most; of those that are shorter than a part of the longest none.
const (
	maxArrows  = 6
	arrowShare = 20
)

// arrows shows the largest waits.
func (v *TimelineView) arrows(tl *render.Timeline, r *timeline.Result, rows []chartRow) {
	if v.Waits == nil {
		return
	}
	at := make([]int, len(r.Rows))
	for i := range rows {
		if rows[i].of >= 0 {
			at[rows[i].of] = i
		}
	}
	place := func(stream int) int {
		if row, ok := r.RowOf(stream); ok {
			return at[row]
		}
		return -1
	}
	for i := range v.Waits.Late {
		l := &v.Waits.Late[i]
		from := place(l.Stream)
		if len(tl.Arrows) == maxArrows || l.Time < v.Waits.Late[0].Time/arrowShare {
			break
		}
		if from < 0 || l.At < r.From || l.At > r.To {
			continue
		}
		a := render.Arrow{At: l.At, From: from, Text: render.ShortNames(l.Text(v.Archive))}
		for _, s := range l.Waiters {
			if to := place(int(s)); to >= 0 && !slices.Contains(a.To, to) {
				a.To = append(a.To, to)
			}
		}
		tl.Arrows = append(tl.Arrows, a)
	}
	slices.SortStableFunc(tl.Arrows, func(a, b render.Arrow) int { return cmp.Compare(a.At, b.At) })
}

// bandsName says what bands are.
func bandsName(bands []regions.Band) string {
	functions := 0
	for _, b := range bands {
		if b.Function {
			functions++
		}
	}
	switch functions {
	case 0:
		return "regions"
	case len(bands):
		return "functions"
	}
	return "regions and functions"
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
	if r.From > 0 && !v.Cut {
		s += " from " + render.Instant(r.From)
	}
	s += ", " + render.Plural(r.Calls, "call")
	n := r.Rows[0].Threads
	if v.Order != nil {
		for i := range r.Rows {
			n = max(n, r.Rows[i].Threads)
		}
	}
	if n > 1 {
		s += fmt.Sprintf(", a row is the mean of %d", n)
	}
	if r.Blur > 0 {
		s += ", from summaries of up to " + render.Duration(r.Blur)
	}
	if v.Cut {
		s += ", without initialisation (--whole shows it)"
	}
	if v.Order != nil {
		s += ", ranks that stand out first, then by class"
	}
	if v.NoWaits != "" {
		s += ", " + v.NoWaits
	} else if v.Waits != nil && v.Waits.Least > 0 {
		s += ", waits of up to " + render.Duration(v.Waits.Least) + " not told apart"
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
