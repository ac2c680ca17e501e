package cli

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

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

const timelineLong = `Show what each rank does over time: point-to-point communication, waiting for requests,
collectives, one-sided communication, files, other MPI calls, and computation, which is all
time outside of MPI. A line is a rank, or a thread of it (3.1 is thread 1 of rank 3), or
several where there are many. Nothing is drawn before the first call of a rank and after
its last one.

With colours, a cell mixes the colours of what happens in it. Without, it shows the letter
of what takes most of the time; a small letter means at least an eighth of the time, the
rest being computation.

If there are many calls, summaries in the file are read instead of single calls; the
picture then shows means over intervals, as long as the note says.

Above the rows are the regions of the first row (see docs/regions.md), the outermost on top;
regions that are too short are merged.

--time, --rank, --in and --steps zoom in. Where few calls are left, their names are shown, too.

`

// timelineFlags are the flags of `tabard timeline`.
type timelineFlags struct {
	selectFlags
	pictureFlags
	width, rows int
}

var _ = command(90, timelineCommand)

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
	chosen, err := report.Resolve(arch, f.flags)
	if err != nil {
		return err
	}
	o := f.options(&term)
	view := &text.TimelineView{File: arch.File(), Spans: text.TextSpans}
	if o.Clock, view.Skewed, err = report.StreamClock(arch, f.flags, a.meter); err != nil {
		return err
	}
	progress := a.meter("reading times", "calls", 0)
	o.Progress = progress.Show
	r, err := timeline.Of(chosen, o)
	progress.Done()
	if err != nil {
		return err
	}
	if len(r.Rows) > 0 {
		whole, _ := arch.Stream(r.Rows[0].First).Whole()
		if view.Bands, err = report.RegionBands(whole, o.Clock, r); err != nil {
			return err
		}
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
