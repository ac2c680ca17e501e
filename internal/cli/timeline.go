package cli

import (
	"cmp"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/regions"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

// Columns of JSON, and how many calls are shown one by one.
const (
	jsonColumns = 200
	maxSpans    = 20_000
)

const timelineLong = `Show what each rank does over time: computation, which is all time outside of MPI,
waiting for other ranks, and besides that point-to-point communication, calls that wait
and test, collectives, one-sided communication, files and other MPI calls. A line is a
rank, or a thread of it (3.1 is thread 1 of rank 3), or several where there are many.
Nothing is drawn before the first call of a rank and after its last one. A rank that makes
no call in the window, but some before and after it, is shown computing. MPI_Init and
MPI_Finalize are left out, unless --whole or a window is given.

A call waits as long as it could not go on since another rank had not made its call yet
("tabard waits" says more). Arrows in pictures, and a list, show the largest of these
waits, from the rank that was late to those that waited. Recordings of more than 4,194,304
calls are shown without.

With colours, a cell mixes the colours of what happens in it. Without, it shows the letter
of what takes most of the time; a small letter means at least an eighth of the time, the
rest being computation.

From 64 threads on, the first rows are ranks that stand out: that others wait for, and
that compute for more or less of the time than others of their class. The others follow by
class (ranks that make the same calls), in each of them first those that wait least.
--order chooses. Ranks that were not recorded have rows of their own.

If there are many calls, summaries in the file are read instead of single calls; the
picture then shows means over intervals, as long as the note says.

Above the rows are the time steps of the first row, numbered, and its regions (see
docs/regions.md), the outermost on top; regions that are too short are merged. Functions of
the program are shown there, too, from those on that main calls, if they were recorded:
those in which calls are made, and with --function-times=all the outermost of the others.
Pictures as SVG explain what the mouse points to.

--time, --rank, --in and --steps zoom in. Where few calls are left, their names are shown, too.

`

// timelineFlags are the flags of `tabard timeline`.
type timelineFlags struct {
	selectFlags
	pictureFlags
	width, rows int
	whole       bool
	by          *choice
}

var _ = reading(90, Bound{Memory: 1e9, PerRank: 15e3, Seconds: 60}, timelineCommand)

func timelineCommand(a *app) *cobra.Command {
	f := &timelineFlags{}
	cmd := &cobra.Command{
		Use:   "timeline FILE",
		Short: "Show what each rank does over time",
		Long:  timelineLong + selectHelp + "\nThe time of calls that are not selected is shown as such.",
		Example: `  tabard timeline app.tabard
  tabard timeline app.tabard --time 10%..12% --rank 0-15
  tabard timeline app.tabard --steps 100-101 --svg steps.svg
  tabard timeline app.tabard --png app.png
  tabard timeline app.tabard --json | jq '.total'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.IntVar(&f.width, "width", 0,
		"draw `N` columns: characters of text (default: as the terminal), cells of JSON (default 200)")
	fl.IntVar(&f.rows, "rows", 0, "draw at most `N` rows (default: what fits)")
	fl.BoolVar(&f.whole, "whole", false, "show MPI_Init and MPI_Finalize, too (JSON always has them)")
	f.by = addChoice(cmd, "order", "order of the rows: auto is class from 64 threads on, else and in JSON rank",
		"auto", "rank",
		"class")
	f.pictureFlags.add(cmd)
	f.selectFlags.add(cmd, report.TimelineSchema)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		return a.readsCalls(args[0], func(arch *archive.Archive) error { return f.run(a, arch) })
	}
	return a.withLive(cmd)
}

func (f *timelineFlags) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("width") && (f.width < 10 || f.width > timeline.MaxColumns) {
		return usagef("--width %d is not in 10 to %d", f.width, timeline.MaxColumns)
	}
	if cmd.Flags().Changed("rows") {
		if err := atLeast("rows", f.rows, 1); err != nil {
			return err
		}
	}
	return f.pictureFlags.check(f.json)
}

func (f *timelineFlags) run(a *app, arch *archive.Archive) error {
	term := a.terminal()
	if f.width > 0 {
		term.Width = f.width
	}
	view := &text.TimelineView{File: arch.File(), Archive: arch, Spans: text.TextSpans}
	flags := f.flags
	if !f.json && !f.whole {
		var err error
		if flags, err = report.WithoutInit(arch, flags); err != nil {
			return err
		}
		view.Cut = flags != f.flags
	}
	r, err := f.compute(a, arch, flags, view, &term)
	if err != nil {
		return err
	}
	return a.print(answer{json: f.json, oneLine: true, // most of it is long lists of numbers
		document: func() any { return report.NewTimeline(arch, f.flags, r, view.Bands) },
		pictures: &f.pictureFlags,
		picture: func() (*render.Picture, error) {
			view.Spans = text.PictureSpans
			return view.Chart(r).Picture(), nil
		},
		text: func(w io.Writer) error { return view.Chart(r).WriteText(w, term) }})
}

// compute finds what is to be shown.
func (f *timelineFlags) compute(a *app, arch *archive.Archive, flags selection.Flags, view *text.TimelineView,
	term *render.Terminal) (*timeline.Result, error) {
	chosen, err := report.Resolve(arch, flags)
	if err != nil {
		return nil, err
	}
	o := f.options(term)
	if o.Clock, view.Skewed, err = report.StreamClock(arch, flags, a.meter); err != nil {
		return nil, err
	}
	view.Waits, view.NoWaits, err = report.FindStreamWaits(arch, flags, o.Clock != nil, a.meter)
	if err != nil {
		return nil, err
	}
	if view.Waits != nil {
		o.Waiting = view.Waits.Of
	}
	if err := f.order(chosen, &o, view); err != nil {
		return nil, err
	}
	progress := a.meter("reading times", "calls", 0)
	o.Progress = progress.Show
	r, err := timeline.Of(chosen, o)
	progress.Done()
	if err != nil || len(r.Rows) == 0 {
		return r, err
	}
	whole, _ := arch.Stream(r.Rows[0].First).Whole()
	if view.Bands, err = report.RegionBands(whole, o.Clock, r); err != nil || f.json {
		return r, err
	}
	view.Missing = report.FindMissing(chosen, fewMissing)
	return r, f.steps(chosen, &o, view, r, term)
}

// Rows are grouped by class if there are at least so many threads; missing ranks have a row each if they are few; where
// rows are few, time steps are marked in each, if these are few, too.
const (
	manyRows    = 64
	fewMissing  = 8
	markedRows  = 64
	markedSteps = 40
	stepText    = 6 // characters of a step, at least
)

// order finds the order of the rows.
func (f *timelineFlags) order(chosen *selection.Resolved, o *timeline.Options, view *text.TimelineView) error {
	if f.by.value == "rank" || f.by.value == "auto" && f.json {
		return nil
	}
	parts, err := chosen.LivingParts()
	if err != nil || f.by.value == "auto" && len(parts) < manyRows {
		return err
	}
	if view.Order, err = report.OrderRows(chosen, *o, view.Waits); err != nil || view.Order == nil {
		return err
	}
	if o.MaxRows > 0 && len(view.Order.Blocks) > o.MaxRows { // no room for an order
		view.Order = nil
		return nil
	}
	o.Order = view.Order.Blocks
	return nil
}

// steps finds the time steps.
func (f *timelineFlags) steps(chosen *selection.Resolved, o *timeline.Options, view *text.TimelineView,
	r *timeline.Result,
	term *render.Terminal) error {
	most := markedSteps
	if !f.wanted() {
		most = max(1, min(most, term.Columns()/stepText))
	}
	steps, err := report.StepsOf(chosen)
	if err != nil {
		return err
	}
	bands := func(row int) ([]regions.Band, error) {
		return report.StepBands(steps, chosen.Archive.Stream(r.Rows[row].First), o.Clock, r.From, r.To, most)
	}
	if view.Steps, err = bands(0); err != nil || !f.wanted() || len(r.Rows) > markedRows {
		return err
	}
	for row := range r.Rows {
		all, err := bands(row)
		if err != nil {
			return err
		}
		var marks []time.Duration
		for _, b := range all {
			marks = append(marks, b.Start)
		}
		view.Marks = append(view.Marks, marks)
	}
	return nil
}

// options chooses the size of the grid.
func (f *timelineFlags) options(term *render.Terminal) timeline.Options {
	o := timeline.Options{MaxSpans: maxSpans}
	switch {
	case f.json:
		o.Columns = cmp.Or(f.width, jsonColumns)
	case f.wanted():
		o.Columns, o.MaxRows = text.PictureColumns, text.PictureRows
	default:
		o.Columns, o.MaxRows = text.TimelineSize(term)
	}
	if f.rows > 0 {
		o.MaxRows = f.rows
	}
	return o
}
