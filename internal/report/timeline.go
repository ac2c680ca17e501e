package report

import (
	"math"
	"time"

	"github.com/tabard-hpc/tabard/analysis/regions"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// TimelineSchema names the form of Timeline.
const TimelineSchema = "tabard.timeline/1"

var _ = register[Timeline](TimelineSchema, "timeline --json")

// Timeline is what each rank does over time. Times are since the start of the trace.
type Timeline struct {
	Schema    string          `json:"schema"`
	File      string          `json:"file"`
	Selection selection.Flags `json:"selection"`
	From      int64           `json:"from_ns"`
	To        int64           `json:"to_ns"`
	Columns   int             `json:"columns"`
	Calls     uint64          `json:"calls"`
	// Blur is 0 if each call was looked at; else some shares are means of stretches, of which this
	// is the longest.
	Blur int64 `json:"blur_ns"`
	// Total is the share of each category in all time that is known of.
	Total map[string]float64 `json:"total"`
	// Regions are those of the first row's first thread.
	Regions []TimelineRegion `json:"regions,omitempty"`
	Rows    []TimelineRow    `json:"rows"`
}

// TimelineRegion is a stretch of time in a region, or if Times is more than 1 in several that follow one another, whose
// name is empty if they have several.
type TimelineRegion struct {
	Level int    `json:"level"` // in how many regions it is
	Name  string `json:"name"`
	Times uint64 `json:"times"`
	Start int64  `json:"start_ns"`
	End   int64  `json:"end_ns"`
}

// TimelineRow is a thread, or several of which it is the mean.
type TimelineRow struct {
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
	// Waiting is the parts of shares in which calls wait for other processes, like shares; there is none where that is
	// not known.
	Waiting map[string][]float64 `json:"waiting,omitempty"`
	// Calls is given only where there are few.
	Calls []TimelineCall `json:"calls,omitempty"`
}

// TimelineCall is a call.
type TimelineCall struct {
	Index      uint64 `json:"index"`
	Func       string `json:"func"`
	Category   string `json:"category"`
	Start      int64  `json:"start_ns"`
	End        int64  `json:"end_ns"`
	Unfinished bool   `json:"unfinished,omitempty"`
}

// NewTimeline makes the document of a timeline.
func NewTimeline(arch *archive.Archive, flags selection.Flags, r *timeline.Result, bands []regions.Band) *Timeline {
	run := &Timeline{Schema: TimelineSchema, File: arch.File(), Selection: flags, From: int64(r.From), To: int64(r.To),
		Columns: r.Columns, Calls: r.Calls, Blur: int64(r.Blur), Total: map[string]float64{}, Rows: []TimelineRow{}}
	for c, v := range r.Total {
		if v > 0 {
			run.Total[timeline.Category(c).String()] = rounded(v)
		}
	}
	for _, b := range bands {
		run.Regions = append(run.Regions, TimelineRegion{b.Level, b.Name, b.Times, int64(b.Start), int64(b.End)})
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		j := TimelineRow{Rank: row.Rank, LastRank: row.LastRank, World: row.World, Thread: row.Thread,
			Threads: row.Threads, From: int64(row.From), To: int64(row.To), Shares: map[string][]float64{}}
		for c := range timeline.NumCategories {
			if values, some := column(r, func(col int) float64 { return r.Shares(i, col)[c] }); some {
				j.Shares[c.String()] = values
			}
			if r.Waiting(i, 0) == nil {
				continue
			}
			if values, some := column(r, func(col int) float64 { return r.Waiting(i, col)[c] }); some {
				if j.Waiting == nil {
					j.Waiting = map[string][]float64{}
				}
				j.Waiting[c.String()] = values
			}
		}
		for _, s := range row.Spans {
			j.Calls = append(j.Calls, TimelineCall{s.Call, s.Func.Name, s.Category.String(), int64(s.Start),
				int64(s.End),
				s.Unfinished})
		}
		run.Rows = append(run.Rows, j)
	}
	return run
}

// column is a value for each column of a timeline, and tells whether some are not 0.
func column(r *timeline.Result, of func(col int) float64) (values []float64, some bool) {
	values = make([]float64, r.Columns)
	for col := range values {
		values[col] = rounded(of(col))
		some = some || values[col] > 0
	}
	return values, some
}

// bandLevels is how many levels of regions are shown.
const bandLevels = 3

// RegionBands are the regions of a stream in the window of a timeline.
func RegionBands(s *archive.Stream, clock func(*archive.Stream, time.Duration) time.Duration, r *timeline.Result) (
	[]regions.Band, error) {
	at := func(t time.Duration) time.Duration { return t }
	if clock != nil {
		at = func(t time.Duration) time.Duration { return clock(s, t) }
	}
	return regions.Bands(s, regions.BandOptions{From: r.From, To: r.To, Levels: bandLevels,
		Least: (r.To - r.From) / time.Duration(max(1, min(r.Columns, 400))), At: at})
}

// rounded keeps six digits: shares are not known better, and output is read by people, too.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }
