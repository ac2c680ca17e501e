package report

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// ProfileSchema names the form of Profile.
const ProfileSchema = "tabard.profile/1"

var _ = register[Profile](ProfileSchema, "profile --json")

// Profile is calls, bytes and times by function, call site, communicator or rank.
type Profile struct {
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
	Rows    []ProfileRow `json:"rows"`
}

// ProfileRow is like calls. Which of the first members it has says "by".
type ProfileRow struct {
	Func  string       `json:"func,omitempty"`
	Site  []Frame      `json:"site,omitempty"`
	Comm  *ProfileComm `json:"comm,omitempty"`
	World *int         `json:"world,omitempty"`
	Rank  *int         `json:"rank,omitempty"`
	Ranks int          `json:"ranks"`
	Calls uint64       `json:"calls"`
	Bytes int64        `json:"bytes"`
	// Unsized counts calls whose size is not known.
	Unsized uint64 `json:"unsized,omitempty"`
	// Elapsed is the whole time of the rank, only where rows are told apart by rank.
	Elapsed int64         `json:"elapsed_ns,omitempty"`
	Times   *ProfileTimes `json:"times,omitempty"`
}

// ProfileTimes is how long calls took.
type ProfileTimes struct {
	Calls uint64 `json:"calls"`
	Total int64  `json:"total_ns"`
	Mean  int64  `json:"mean_ns"`
	Max   int64  `json:"max_ns"`
	// Exact is false if max may be an eighth too great; min and quantiles are left out then.
	Exact     bool             `json:"exact"`
	Min       *int64           `json:"min_ns,omitempty"`
	Quantiles map[string]int64 `json:"quantiles_ns,omitempty"`
}

// ProfileComm is a communicator as tabard info --comms numbers it.
type ProfileComm struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// NewProfile makes the document of a profile. The words by say what tells its rows apart.
func NewProfile(arch *archive.Archive, flags selection.Flags, by []string, o profile.Options,
	p *profile.Profile) *Profile {
	run := &Profile{Schema: ProfileSchema, File: arch.File(), Selection: flags, By: by, Ranks: p.Ranks, Calls: p.Calls,
		Bytes: p.Bytes, Rows: []ProfileRow{}}
	ns := func(d time.Duration) *int64 {
		n := int64(d)
		return &n
	}
	if p.Timed {
		run.Time, run.Elapsed = ns(p.Time), ns(p.Elapsed)
	}
	for _, r := range p.Rows {
		row := ProfileRow{Site: frames(r.Site), Ranks: r.Ranks, Calls: r.Calls, Bytes: r.Bytes, Unsized: r.Unsized,
			Elapsed: int64(r.Elapsed)}
		if r.Func != nil {
			row.Func = r.Func.Name
		}
		if r.Comm != nil {
			row.Comm = &ProfileComm{r.Comm.ID, r.Comm.Name}
		}
		if o.By.Rank {
			row.World, row.Rank = &r.World, &r.Rank
		}
		if t := r.Time; t != nil && t.Calls > 0 {
			row.Times = &ProfileTimes{Calls: t.Calls, Total: int64(t.Total), Mean: int64(t.Mean()), Max: int64(t.Max),
				Exact: t.Exact}
			if t.Exact {
				row.Times.Min = ns(t.Min)
				row.Times.Quantiles = map[string]int64{"0.5": int64(t.Quantile(0.5)), "0.95": int64(t.Quantile(0.95)),
					"0.99": int64(t.Quantile(0.99))}
			}
		}
		run.Rows = append(run.Rows, row)
	}
	return run
}
