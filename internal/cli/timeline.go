package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tabard/analysis/selection"
	"tabard/analysis/timeline"
	"tabard/internal/render"
	"tabard/trace"
)

// timelineSchema names the form of what `tabard timeline --json` prints.
const timelineSchema = "tabard.timeline/1"

// Sizes of timelines: columns and rows of pictures, columns of JSON, and how many calls in
// a row are shown one by one, on the average, in text and in pictures.
const (
	pictureColumns = 900
	pictureRows    = 640
	jsonColumns    = 200
	textSpans      = 40
	pictureSpans   = 150
	maxSpans       = 20_000
)

const timelineLong = `Show what each rank does over time: point-to-point communication, waiting for requests,
collectives, one-sided communication, files, other MPI calls, and computation, which is all
time outside of MPI. A line is a rank, or a thread of it (3.1 is thread 1 of rank 3), or
several where there are many. Nothing is drawn before the first call of a rank and after
its last one.

With colours a cell is a mixture of the colours of what happens in it. Without, it is
the letter of what takes most of the time; a small letter is what takes at least an
eighth of the time while the rest is computation.

Of many calls, summaries that the file has of ranges of calls are read instead of each
call; what is shown then is the mean of stretches of time as long as the note says.

--time, --rank and --steps zoom in. Where few calls are left, their names are shown, too.

`

// timelineFlags are the flags of `tabard timeline`.
type timelineFlags struct {
	selectFlags
	pictureFlags
	width, rows int
	skewed      bool // clocks of several hosts are as they were recorded
}

func timelineCommand(a *app) *cobra.Command {
	f := &timelineFlags{}
	cmd := &cobra.Command{
		Use:   "timeline FILE",
		Short: "Show what each rank does over time",
		Long:  timelineLong + selectHelp + "\nThe time of calls that are not chosen is shown as such.",
		Example: `  tabard timeline app.tabard
  tabard timeline app.tabard --time 10%..12% --rank 0-15
  tabard timeline app.tabard --steps 100-101 --svg steps.svg
  tabard timeline app.tabard --png app.png
  tabard timeline app.tabard --json | jq '.total'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.IntVar(&f.width, "width", 0, "draw `N` columns: characters of text (default: as the terminal), cells of JSON (default 200)")
	fl.IntVar(&f.rows, "rows", 0, "draw at most `N` rows (default: what fits)")
	f.pictureFlags.add(cmd)
	f.selectFlags.add(cmd, timelineSchema)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		return f.run(a, archive)
	}
	return cmd
}

func (f *timelineFlags) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("width") && (f.width < 10 || f.width > timeline.MaxColumns) {
		return usagef("--width %d is not in 10 to %d", f.width, timeline.MaxColumns)
	}
	if cmd.Flags().Changed("rows") && f.rows < 1 {
		return usagef("--rows %d is less than 1", f.rows)
	}
	return f.pictureFlags.check(f.json)
}

func (f *timelineFlags) run(a *app, archive *trace.Archive) error {
	term := a.terminal()
	if f.width > 0 {
		term.Width = f.width
	}
	chosen, err := f.resolve(archive)
	if err != nil {
		return err
	}
	o := f.options(&term)
	if o.Clock, err = f.clock(a, archive); err != nil {
		return err
	}
	progress := a.meter("reading times", "calls", 0)
	o.Progress = progress.Show
	r, err := timeline.Of(chosen, o)
	progress.Done()
	if err != nil {
		return err
	}
	if f.json {
		return json.NewEncoder(a.out).Encode(timelineJSON(archive, f.flags, r)) // on one line: most of it is long lists of numbers
	}
	if f.wanted() {
		return f.pictureFlags.write(a, f.chart(archive, r, pictureSpans).Picture())
	}
	w := bufio.NewWriter(a.out)
	if err := f.chart(archive, r, textSpans).WriteText(w, term); err != nil {
		return err
	}
	return w.Flush()
}

// clockCalls is up to how many calls are gone through to correct clocks that were not measured: a timeline of
// a small window must not take the time of reading all.
const clockCalls = 4 << 20

// clock is the correction of clocks by the messages of the program, nil if none is needed (measured
// clocks are corrected anyway), or if there are too many of them.
func (f *timelineFlags) clock(a *app, archive *trace.Archive) (func(*trace.Stream, time.Duration) time.Duration, error) {
	if !slices.ContainsFunc(archive.HostClocks(), func(h trace.HostClock) bool { return !h.Measured && !h.Reference }) {
		return nil, nil
	}
	calls := uint64(0)
	for s := range archive.Streams() {
		if calls += s.Calls(); calls > clockCalls {
			f.skewed = true
			return nil, nil
		}
	}
	t, err := a.timed(archive, &f.selectFlags)
	if err != nil || t.clock == nil {
		return nil, err
	}
	return func(s *trace.Stream, at time.Duration) time.Duration {
		return t.clock(t.program.Number(s.Process()), at)
	}, nil
}

// options chooses the size of the grid.
func (f *timelineFlags) options(term *render.Terminal) timeline.Options {
	o := timeline.Options{MaxRows: f.rows, MaxSpans: maxSpans}
	fit := 0
	switch {
	case f.json:
		if o.Columns = f.width; o.Columns == 0 {
			o.Columns = jsonColumns
		}
	case f.wanted():
		o.Columns, fit = pictureColumns, pictureRows
	default:
		o.Columns, fit = 2*term.Columns(), term.Lines()
		if term.Unicode && term.Colors != render.NoColors {
			fit *= 2
		}
	}
	if o.MaxRows == 0 {
		o.MaxRows = fit
	}
	return o
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

// chart makes the drawing of a timeline; up to spans calls a row are shown one by one.
func (f *timelineFlags) chart(archive *trace.Archive, r *timeline.Result, spans int) *render.Timeline {
	tl := &render.Timeline{
		Title: "Timeline of " + rowsText(r), Note: f.note(archive, r), Rows: len(r.Rows), RowAxis: "rank",
		RowLabel: func(i int) string { return rowText(&r.Rows[i]) }, Start: r.From, End: r.To, Columns: r.Columns,
	}
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
	if r.Spans && oneThreadRows(r) && r.Calls <= uint64(spans*len(r.Rows)) {
		rows := make([][]render.Span, len(r.Rows))
		for i := range r.Rows {
			for _, s := range r.Rows[i].Spans {
				rows[i] = append(rows[i], render.Span{Start: s.Start, End: s.End, Category: place[s.Category], Label: strings.TrimPrefix(s.Func.Name, "MPI_")})
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
func (f *timelineFlags) note(archive *trace.Archive, r *timeline.Result) string {
	s := archive.File() + ", " + render.Duration(r.To-r.From)
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
	if f.skewed {
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

// timelineRun is the schema of `tabard timeline --json`. Times are in nanoseconds since the start of the trace.
type timelineRun struct {
	Schema    string          `json:"schema"`
	File      string          `json:"file"`
	Selection selection.Flags `json:"selection"`
	From      int64           `json:"from_ns"`
	To        int64           `json:"to_ns"`
	Columns   int             `json:"columns"`
	Calls     uint64          `json:"calls"`
	// Blur is 0 if each call was looked at; else some shares are means of stretches, of which this is the longest.
	Blur int64 `json:"blur_ns"`
	// Total is the share of each category in all time that is known of.
	Total map[string]float64 `json:"total"`
	Rows  []timelineRow      `json:"rows"`
}

type timelineRow struct {
	// Rank and LastRank are -1 for processes without one.
	Rank     int `json:"rank"`
	LastRank int `json:"last_rank"`
	World    int `json:"world"`
	Thread   int `json:"thread"`
	// Threads is how many threads the row is the mean of.
	Threads int `json:"threads"`
	// From and To are from when to when anything is known of it, within the window.
	From int64 `json:"from_ns"`
	To   int64 `json:"to_ns"`
	// Shares of the time in each column, by category; categories that are 0 everywhere are left out.
	Shares map[string][]float64 `json:"shares"`
	// Calls is given only where there are few.
	Calls []timelineCall `json:"calls,omitempty"`
}

type timelineCall struct {
	Index      uint64 `json:"index"`
	Func       string `json:"func"`
	Category   string `json:"category"`
	Start      int64  `json:"start_ns"`
	End        int64  `json:"end_ns"`
	Unfinished bool   `json:"unfinished,omitempty"`
}

func timelineJSON(archive *trace.Archive, flags selection.Flags, r *timeline.Result) *timelineRun {
	run := &timelineRun{Schema: timelineSchema, File: archive.File(), Selection: flags, From: int64(r.From), To: int64(r.To), Columns: r.Columns,
		Calls: r.Calls, Blur: int64(r.Blur), Total: map[string]float64{}, Rows: []timelineRow{}}
	for c, v := range r.Total {
		if v > 0 {
			run.Total[timeline.Category(c).String()] = rounded(v)
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		j := timelineRow{Rank: row.Rank, LastRank: row.LastRank, World: row.World, Thread: row.Thread, Threads: row.Threads,
			From: int64(row.From), To: int64(row.To), Shares: map[string][]float64{}}
		for c := range timeline.NumCategories {
			values, some := make([]float64, r.Columns), false
			for col := range values {
				values[col] = rounded(r.Shares(i, col)[c])
				some = some || values[col] > 0
			}
			if some {
				j.Shares[c.String()] = values
			}
		}
		for _, s := range row.Spans {
			j.Calls = append(j.Calls, timelineCall{s.Call, s.Func.Name, s.Category.String(), int64(s.Start), int64(s.End), s.Unfinished})
		}
		run.Rows = append(run.Rows, j)
	}
	return run
}

// rounded keeps six digits: shares are not known better, and output is read by people, too.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }
