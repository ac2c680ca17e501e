package view

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/view/api"
	"github.com/tabard-hpc/tabard/internal/workers"
	"github.com/tabard-hpc/tabard/spec"
)

// recording is an open archive.
type recording struct {
	number int
	// whole is all of it; calls has no begins and ends of regions, and messages only what communicates.
	whole, calls, messages *archive.Archive

	timesMu  sync.Mutex
	known    bool // the following is
	timed    bool
	length   time.Duration
	about    bool              // length is a bound
	first    *archive.Overview // nil if the file has none
	timesErr error
	tiles    tilers
	packed   packedTiles
	bands    keptBands
	// firstOnce takes the first picture from the cache.
	firstOnce sync.Once
	nests     nests

	background workers.Group
	closed     atomic.Bool

	arrows keptArrows

	drawnMu sync.Mutex
	drawn   *report.Job // see question.drawn

	indexMu  sync.Mutex
	indexed  bool // the following is known
	entries  []entry
	indexErr error
}

func newRecording(number int, a *archive.Archive) (*recording, error) {
	r := &recording{number: number, whole: a}
	var err error
	if r.calls, err = a.Calls(); err != nil {
		return nil, err
	}
	r.messages, err = a.Messages()
	return r, err
}

// times tells whether there are times of single calls, and how long the run was.
func (r *recording) times() (timed bool, length time.Duration, err error) {
	r.timesMu.Lock()
	defer r.timesMu.Unlock()
	if r.known {
		return r.timed, r.length, r.timesErr
	}
	r.known = true
	if r.first, r.timesErr = r.whole.Overview(); r.first != nil {
		r.timed, r.length = true, r.first.Length
	} else if r.timesErr == nil {
		r.timed, r.length, r.about, r.timesErr = lengthOf(r.calls)
	}
	return r.timed, r.length, r.timesErr
}

// manyStreams is of how many streams of a single block the ends are read before the first picture: each takes a third
// of a millisecond.
const manyStreams = 256

// lengthOf is how long the run was. Where the ends of many streams would have to be decoded, it is about that: when the
// clocks of processes were read last, and the ends of some streams. The last reading comes after MPI_Finalize.
func lengthOf(a *archive.Archive) (timed bool, length time.Duration, about bool, err error) {
	n, single := a.NumStreams(), 0
	for _, c := range a.Classes() {
		some := c.Stream(c.Ranks().Min())
		timed = timed || some.Timed()
		if some.Timed() && some.Calls() <= 1<<14 {
			single += c.Ranks().Len()
		}
	}
	if !timed || single <= manyStreams {
		if timed {
			length, err = selection.Length(a)
		}
		return timed, length, false, err
	}
	every := max(1, n/manyStreams)
	for s := range a.Streams() {
		if clocks := s.Rank().Clocks; len(clocks) > 0 {
			length = max(length, s.Since(clocks[len(clocks)-1].Ticks))
		}
		if s.Index()%every != 0 {
			continue
		}
		t, err := s.Timing()
		if err != nil {
			return true, 0, true, err
		}
		if t != nil && t.Len() > 0 {
			_, end := t.At(t.Len() - 1)
			length = max(length, s.Since(end))
		}
	}
	return true, length, true, nil
}

// exactly says how long the run was once all of it has been read.
func (r *recording) exactly(length time.Duration) {
	r.timesMu.Lock()
	defer r.timesMu.Unlock()
	if r.about && length > 0 {
		r.length, r.about = length, false
	}
}

// tileBins is how many bins a tile has, maxRows how many rows at most.
const (
	tileBins = timeline.TileBins
	maxRows  = timeline.MaxTileRows
)

// categories are the names of what time is spent in.
func categories() (names []string) {
	for c := range timeline.NumCategories {
		names = append(names, c.String())
	}
	return names
}

// overview answers /api/overview.
func overview(q *question) (any, error) {
	a := q.rec.whole
	info, err := report.NewInfo(a, q.meter)
	if err != nil {
		return nil, err
	}
	timed, length, err := q.rec.times()
	if err != nil {
		return nil, err
	}
	o := &api.Overview{Name: filepath.Base(a.File()), Recordings: len(q.s.recordings),
		Version: report.NewVersion().String(), Command: info.Command, MPI: info.MPI, Created: info.Created,
		Processes: info.Ranks, Threads: q.rec.calls.NumStreams(), Hosts: len(info.Hosts), Calls: info.Calls,
		Bytes: info.Bytes.File, Timed: timed, Kinds: []string{},
		Banner: api.Banner{Unfinished: info.Open, Lost: info.LostCalls, Snapshot: info.Snapshot,
			Incomplete: info.Incomplete}}
	if info.Timing != nil {
		o.Banner.TimeError = int64(info.Timing.Starts.Max + 0.5)
	}
	for _, c := range a.HostClocks() {
		if c.Measured {
			o.Banner.Residual = max(o.Banner.Residual, int64(c.Residual))
		} else if !c.Reference {
			o.Banner.Unmeasured++
		}
	}
	kinds, err := a.Kinds()
	if err != nil {
		return nil, err
	}
	for k := range kinds {
		o.Kinds = append(o.Kinds, spec.EventKind(k).String())
	}
	slices.Sort(o.Kinds)
	if timed {
		o.Grid = q.rec.grid(length)
		q.rec.timesMu.Lock()
		o.Grid.About = q.rec.about
		q.rec.timesMu.Unlock()
	}
	return o, nil
}

// grid is the grid of tiles that covers the run.
func (r *recording) grid(length time.Duration) *api.Grid {
	g := &api.Grid{Lines: r.calls.NumStreams(), From: 0, To: int64(length), Bins: tileBins, MaxRows: maxRows,
		Categories: categories(), Orders: timeline.TileOrders}
	g.Group, g.Level = timeline.Grid(g.Lines, length)
	g.First = []string{fmt.Sprintf("/api/tiles?group=%d&level=%d&rows=%d", g.Group, g.Level, maxRows)}
	return g
}
