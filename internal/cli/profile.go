package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tabard/analysis/profile"
	"tabard/analysis/selection"
	"tabard/internal/render"
	"tabard/trace"
)

// profileSchema names the form of what `tabard profile --json` prints.
const profileSchema = "tabard.profile/1"

const profileLong = `Show how many calls were made, how much data they moved and how long they took: by
function and call site, or by what --by says: function, site, comm, rank, or several of them.

Bytes are those that calls send, put, get, write or read: messages count where they are
sent, collectives by what the process itself gives. Times come from the sums that
are stored with the time stamps; a maximum marked with ~ is up to an eighth too great.
SHARE is of the time from the first to the last call, of all ranks, or with --by rank of the rank.
--quantiles reads every time stamp and gives exact extremes and quantiles, which are
off by at most 1.6 %.

Counts and bytes come from the compressed structure: how long that takes does not
depend on the number of calls.

`

// profileFlags are the flags of `tabard profile`.
type profileFlags struct {
	selectFlags
	by        []string
	top       int
	quantiles bool
	untimed   bool
}

func profileCommand(a *app) *cobra.Command {
	f := &profileFlags{}
	cmd := &cobra.Command{
		Use:   "profile FILE",
		Short: "Show calls, bytes and times by function, call site, communicator or rank",
		Long:  profileLong + selectHelp,
		Example: `  tabard profile app.tabard
  tabard profile app.tabard --by function
  tabard profile app.tabard --by rank --function coll
  tabard profile app.tabard --by function,comm --quantiles
  tabard profile app.tabard --json | jq '.rows[0]'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.by, "by", []string{"site"}, "tell rows apart by `KEYS`: function, site, comm, rank")
	fl.IntVar(&f.top, "top", 20, "show the first `N` rows, 0 for all")
	fl.BoolVar(&f.quantiles, "quantiles", false, "read every time stamp and show minimum, median and further quantiles")
	fl.BoolVar(&f.untimed, "no-times", false, "leave times out, and sort by calls")
	f.add(cmd, profileSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		o, err := f.options()
		if err != nil {
			return err
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		return f.run(a, archive, o)
	}
	return cmd
}

// options checks the flags.
func (f *profileFlags) options() (o profile.Options, err error) {
	for _, key := range f.by {
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "function", "func":
			o.By.Func = true
		case "site", "callsite":
			o.By.Func, o.By.Site = true, true
		case "comm", "communicator":
			o.By.Comm = true
		case "rank":
			o.By.Rank = true
		default:
			msg := fmt.Sprintf("--by %s: want function, site, comm, rank or several of them", key)
			if best := closest(key, []string{"function", "site", "comm", "rank"}, 1); len(best) > 0 {
				msg += fmt.Sprintf("; did you mean %s?", best[0])
			}
			return o, usagef("%s", msg)
		}
	}
	if f.top < 0 {
		return o, usagef("--top %d is negative", f.top)
	}
	if f.quantiles && f.untimed {
		return o, usagef("--quantiles and --no-times do not go together")
	}
	o.Timing = profile.Summary
	switch {
	case f.quantiles:
		o.Timing = profile.Exact
	case f.untimed:
		o.Timing = profile.None
	}
	return o, nil
}

func (f *profileFlags) run(a *app, archive *trace.Archive, o profile.Options) error {
	chosen, err := f.resolve(archive)
	if err != nil {
		return err
	}
	done := a.showProgress(chosen)
	p, err := profile.Of(chosen, o)
	done()
	if err != nil {
		return err
	}
	if f.json {
		return a.printJSON(profileJSON(archive, f, o, p))
	}
	w := bufio.NewWriter(a.out)
	if err := f.print(w, o, p); err != nil {
		return err
	}
	return w.Flush()
}

// print writes the table.
func (f *profileFlags) print(w io.Writer, o profile.Options, p *profile.Profile) error {
	fmt.Fprintf(w, "%s of %s, %s moved", plural(p.Calls, "call"), plural(uint64(p.Ranks), "rank"), byteSize(p.Bytes))
	if p.Timed {
		fmt.Fprintf(w, ", %s in MPI of %s (%s), all ranks together", render.Duration(p.Time), render.Duration(p.Elapsed), timeShare(p.Time, p.Elapsed))
	} else if o.Timing != profile.None {
		fmt.Fprint(w, "; the recording has no times")
	}
	fmt.Fprint(w, "\n\n")
	if len(p.Rows) == 0 {
		_, err := fmt.Fprintln(w, "nothing is selected")
		return err
	}
	heads := []string{}
	if o.By.Rank {
		heads = append(heads, "RANK")
	}
	if o.By.Func {
		heads = append(heads, "FUNCTION")
	}
	heads = append(heads, ">CALLS", ">BYTES")
	if p.Timed {
		heads = append(heads, ">TIME", ">SHARE", ">MEAN")
		if o.Timing == profile.Exact {
			heads = append(heads, ">MIN", ">MEDIAN", ">95 %", ">99 %")
		}
		heads = append(heads, ">MAX")
	}
	if !o.By.Rank {
		heads = append(heads, ">RANKS")
	}
	if o.By.Comm {
		heads = append(heads, "COMMUNICATOR")
	}
	if o.By.Site {
		heads = append(heads, "CALL SITE")
	}
	t := render.NewTable(heads...)
	rows := p.Rows
	if f.top > 0 && len(rows) > f.top {
		rows = rows[:f.top]
	}
	for _, r := range rows {
		t.Row(profileCells(o, p, r)...)
	}
	if err := t.WriteText(w); err != nil {
		return err
	}
	if n := len(p.Rows) - len(rows); n > 0 {
		fmt.Fprintf(w, "and %s (--top 0 shows all)\n", plural(uint64(n), "more row"))
	}
	return nil
}

func profileCells(o profile.Options, p *profile.Profile, r *profile.Row) []string {
	var cells []string
	if o.By.Rank {
		cells = append(cells, rankName(r.World, r.Rank))
	}
	if o.By.Func {
		cells = append(cells, r.Func.Name)
	}
	bytes := "-"
	if r.Bytes > 0 || r.Unsized > 0 {
		bytes = byteSize(r.Bytes)
		if r.Unsized > 0 {
			bytes = ">" + bytes
		}
	}
	cells = append(cells, count(r.Calls), bytes)
	if p.Timed {
		of := p.Elapsed
		if o.By.Rank {
			of = r.Elapsed
		}
		cells = append(cells, timeCells(o, of, r.Time)...)
	}
	if !o.By.Rank {
		cells = append(cells, count(uint64(r.Ranks)))
	}
	if o.By.Comm {
		name := "-"
		if r.Comm != nil {
			name = fmt.Sprintf("%d %s", r.Comm.ID, r.Comm.Short())
		}
		cells = append(cells, name)
	}
	if o.By.Site {
		cells = append(cells, siteName(r.Site))
	}
	return cells
}

// timeCells are the cells of times, whose share is of elapsed.
func timeCells(o profile.Options, elapsed time.Duration, t *profile.Times) []string {
	n := 4
	if o.Timing == profile.Exact {
		n = 8
	}
	if t == nil || t.Calls == 0 {
		return strings.Split(strings.Repeat("-", n), "")
	}
	cells := []string{render.Duration(t.Total), timeShare(t.Total, elapsed), render.Duration(t.Mean())}
	if o.Timing == profile.Exact {
		cells = append(cells, render.Duration(t.Min), render.Duration(t.Quantile(0.5)), render.Duration(t.Quantile(0.95)), render.Duration(t.Quantile(0.99)))
	}
	most := render.Duration(t.Max)
	if !t.Exact {
		most = "~" + most
	}
	return append(cells, most)
}

// rankName names a process: its rank, and its world if that is not the first.
func rankName(world, rank int) string {
	s := fmt.Sprint(rank)
	if rank < 0 {
		s = "none"
	}
	if world > 0 {
		return fmt.Sprintf("w%d:%s", world, s)
	}
	return s
}

// siteName is a call site in a table.
func siteName(s *trace.Site) string {
	if s == nil {
		return "-"
	}
	var parts []string
	for _, f := range s.Frames {
		text := f.String()
		if f.File == "" && f.Func != "" { // several call sites may be in one function
			text = fmt.Sprintf("%#x %s", f.Offset, text)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " < ")
}

// profileRun is the schema of `tabard profile --json`. Times are in nanoseconds.
type profileRun struct {
	Schema    string          `json:"schema"`
	File      string          `json:"file"`
	Selection selection.Flags `json:"selection"`
	By        []string        `json:"by"`
	Ranks     int             `json:"ranks"`
	Calls     uint64          `json:"calls"`
	Bytes     int64           `json:"bytes"`
	// Time is in calls, Elapsed the time of all processes; left out without times.
	Time    *int64       `json:"time_ns,omitempty"`
	Elapsed *int64       `json:"elapsed_ns,omitempty"`
	Rows    []profileRow `json:"rows"`
}

type profileRow struct {
	Func  string       `json:"func,omitempty"`
	Site  []siteJSON   `json:"site,omitempty"`
	Comm  *profileComm `json:"comm,omitempty"`
	World *int         `json:"world,omitempty"`
	Rank  *int         `json:"rank,omitempty"`
	Ranks int          `json:"ranks"`
	Calls uint64       `json:"calls"`
	Bytes int64        `json:"bytes"`
	// Unsized counts calls whose size is not known.
	Unsized uint64 `json:"unsized,omitempty"`
	// Elapsed is the whole time of the rank, only where rows are told apart by rank.
	Elapsed int64         `json:"elapsed_ns,omitempty"`
	Times   *profileTimes `json:"times,omitempty"`
}

type profileTimes struct {
	Calls uint64 `json:"calls"`
	Total int64  `json:"total_ns"`
	Mean  int64  `json:"mean_ns"`
	Max   int64  `json:"max_ns"`
	// Exact is false if max may be an eighth too great; min and quantiles are left out then.
	Exact     bool             `json:"exact"`
	Min       *int64           `json:"min_ns,omitempty"`
	Quantiles map[string]int64 `json:"quantiles_ns,omitempty"`
}

type profileComm struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// siteJSON is a frame of a call site, innermost first.
type siteJSON struct {
	Func string `json:"func,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Offset is the place in the module, only where the line is not known.
	Offset uint64 `json:"offset,omitempty"`
}

func siteFrames(s *trace.Site) (frames []siteJSON) {
	if s == nil {
		return nil
	}
	for i := range s.Frames {
		f := siteJSON{Func: s.Frames[i].Func, File: s.Frames[i].File, Line: s.Frames[i].Line}
		if f.Line == 0 {
			f.Offset = s.Frames[i].Offset
		}
		frames = append(frames, f)
	}
	return frames
}

func profileJSON(archive *trace.Archive, f *profileFlags, o profile.Options, p *profile.Profile) *profileRun {
	run := &profileRun{Schema: profileSchema, File: archive.File(), Selection: f.flags, By: f.by, Ranks: p.Ranks, Calls: p.Calls, Bytes: p.Bytes, Rows: []profileRow{}}
	ns := func(d time.Duration) *int64 {
		n := int64(d)
		return &n
	}
	if p.Timed {
		run.Time, run.Elapsed = ns(p.Time), ns(p.Elapsed)
	}
	for _, r := range p.Rows {
		row := profileRow{Site: siteFrames(r.Site), Ranks: r.Ranks, Calls: r.Calls, Bytes: r.Bytes, Unsized: r.Unsized, Elapsed: int64(r.Elapsed)}
		if r.Func != nil {
			row.Func = r.Func.Name
		}
		if r.Comm != nil {
			row.Comm = &profileComm{r.Comm.ID, r.Comm.Name}
		}
		if o.By.Rank {
			row.World, row.Rank = &r.World, &r.Rank
		}
		if t := r.Time; t != nil && t.Calls > 0 {
			row.Times = &profileTimes{Calls: t.Calls, Total: int64(t.Total), Mean: int64(t.Mean()), Max: int64(t.Max), Exact: t.Exact}
			if t.Exact {
				row.Times.Min = ns(t.Min)
				row.Times.Quantiles = map[string]int64{"0.5": int64(t.Quantile(0.5)), "0.95": int64(t.Quantile(0.95)), "0.99": int64(t.Quantile(0.99))}
			}
		}
		run.Rows = append(run.Rows, row)
	}
	return run
}
