package view

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/requests"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

// maxFlightBins is how many bins the answer of /api/inflight has at most.
const maxFlightBins = 1024

// inFlight answers /api/inflight: the memory that requests bind over time, from t0 to t1 (the whole run without them),
// in at most bins bins of time (256) and rows rows (64) of processes in the order of ranks. Of a selection, it is about
// the requests that selected calls begin.
func inFlight(q *question) (any, error) {
	timed, _, err := q.rec.times()
	if err != nil {
		return nil, err
	}
	if !timed {
		return nil, absent("%v", timeline.ErrUntimed)
	}
	t0, t1, _, err := q.window(0)
	if err != nil {
		return nil, err
	}
	bins, err := q.number("bins", tileBins, 1, maxFlightBins)
	if err != nil {
		return nil, err
	}
	rows, err := q.number("rows", maxRows, 1, maxRows)
	if err != nil {
		return nil, err
	}
	chosen, err := q.resolve(q.rec.messages)
	if err != nil {
		return nil, err
	}
	program, err := calls.Open(q.rec.messages)
	if err != nil {
		return nil, err
	}
	p := q.meter.Start("reading requests", "processes")
	r, err := requests.Of(program, chosen, requests.Options{From: time.Duration(t0), To: time.Duration(t1),
		Bins: int(bins), Rows: int(rows), Progress: p.Show})
	if err != nil {
		return nil, err
	}
	return newInFlight(q.rec.messages, r), nil
}

func newInFlight(a *archive.Archive, r *requests.Result) *api.InFlight {
	x := &api.InFlight{From: int64(r.From), To: int64(r.To), Width: int64(r.Width), Rows: []api.InFlightRow{}}
	for i := range r.Rows {
		row := &r.Rows[i]
		y := api.InFlightRow{Rank: a.Rank(row.First).Rank, LastRank: a.Rank(row.Last).Rank,
			World: a.Rank(row.First).World, Processes: row.Last - row.First + 1, Mean: row.Mean, Peak: row.Peak,
			Most: row.Most, MostRank: -1, MostAt: int64(row.When), Requests: row.Requests, Unsized: row.Unsized,
			Open: row.Open}
		if row.Process >= 0 {
			y.MostRank, y.MostWorld = a.Rank(row.Process).Rank, a.Rank(row.Process).World
		}
		x.Rows = append(x.Rows, y)
	}
	return x
}
