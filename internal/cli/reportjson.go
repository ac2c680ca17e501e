package cli

import (
	"time"

	"tabard/analysis/findings"
	"tabard/analysis/usage"
	"tabard/analysis/waits"
)

// reportRun is the schema of `tabard report --json`. Times are in nanoseconds, processes are numbered through all worlds:
// in the launched one the number is the rank.
type reportRun struct {
	Schema    string   `json:"schema"`
	File      string   `json:"file"`
	Command   []string `json:"command"`
	MPI       string   `json:"mpi"`
	Created   string   `json:"created"`
	Processes int      `json:"processes"`
	Bytes     int64    `json:"bytes"`
	// The following are missing without times.
	Elapsed    time.Duration        `json:"elapsed_ns,omitempty"`
	Efficiency *usage.Efficiency    `json:"efficiency,omitempty"`
	Ranks      []reportProcess      `json:"ranks,omitempty"`
	Groups     []reportGroup        `json:"groups,omitempty"`
	Calls      []reportPlace        `json:"calls,omitempty"`
	Steps      *reportSteps         `json:"steps,omitempty"`
	Waits      map[string]waits.Sum `json:"waits,omitempty"`
	Findings   []findings.Finding   `json:"findings"`
}

type reportProcess struct {
	Process int32         `json:"process"`
	Begin   time.Duration `json:"begin_ns"`
	End     time.Duration `json:"end_ns"`
	MPI     time.Duration `json:"mpi_ns"`
	Useful  time.Duration `json:"computation_ns"`
	Calls   uint64        `json:"calls"`
}

type reportGroup struct {
	Name  string        `json:"name"`
	Calls uint64        `json:"calls"`
	Time  time.Duration `json:"time_ns"`
}

type reportPlace struct {
	Func      string              `json:"func"`
	Site      string              `json:"site"`
	Group     string              `json:"group"`
	Calls     uint64              `json:"calls"`
	MPI       reportSpread        `json:"mpi"`
	Before    reportSpread        `json:"computation_before"`
	Durations *usage.Distribution `json:"durations"`
}

type reportSpread struct {
	Processes int           `json:"processes"`
	Sum       time.Duration `json:"sum_ns"`
	Mean      time.Duration `json:"mean_ns"`
	Min       time.Duration `json:"min_ns"`
	Max       time.Duration `json:"max_ns"`
	Imbalance time.Duration `json:"imbalance_ns"`
	Least     int32         `json:"least"` // the process with the minimum
	Most      int32         `json:"most"`  // and with the maximum
}

type reportSteps struct {
	Stride uint64        `json:"stride"` // steps in an element of steps
	Median time.Duration `json:"median_ns"`
	MAD    time.Duration `json:"mad_ns"`
	Steps  []reportStep  `json:"steps"`
	Slow   []reportSlow  `json:"slow"`
}

type reportStep struct {
	Begin  time.Duration `json:"begin_ns"`
	Length reportSpread  `json:"length"`
	Useful reportSpread  `json:"computation"`
}

type reportSlow struct {
	Step    uint64        `json:"step"`
	Begin   time.Duration `json:"begin_ns"`
	Length  time.Duration `json:"length_ns"`
	Cause   usage.Cause   `json:"cause"`
	Process int32         `json:"process"`
	Excess  time.Duration `json:"excess_ns"`
}

func spreadJSON(s *usage.Spread) reportSpread {
	return reportSpread{s.Processes, s.Sum, s.Mean(), s.Min, s.Max, s.Imbalance(), s.Least, s.Most}
}

func reportJSON(r *report) *reportRun {
	m := r.archive.Meta()
	j := &reportRun{Schema: reportSchema, File: r.file, Command: m.Command, MPI: m.MPI, Created: m.Created.UTC().Format(time.RFC3339), Processes: r.archive.NumRanks(),
		Bytes: r.archive.Stats().Total, Findings: r.findings}
	if j.Findings == nil {
		j.Findings = []findings.Finding{}
	}
	if u := r.usage; u != nil {
		e := u.Efficiency()
		j.Elapsed, j.Efficiency = u.Elapsed(), &e
		for i := range u.Processes {
			p := &u.Processes[i]
			j.Ranks = append(j.Ranks, reportProcess{p.Process, p.Begin, p.End, p.MPI, p.Useful(), p.Calls})
		}
		for _, g := range u.Groups {
			j.Groups = append(j.Groups, reportGroup(g))
		}
		for i := range u.Places {
			p := &u.Places[i]
			j.Calls = append(j.Calls, reportPlace{p.Func, p.Site, p.Group, p.Calls, spreadJSON(&p.MPI), spreadJSON(&p.Before), &p.Durations})
		}
		if len(u.Steps) > 0 {
			j.Steps = stepsJSON(u)
		}
	}
	if r.waits != nil {
		j.Waits = map[string]waits.Sum{}
		for k, s := range r.waits.Kinds {
			j.Waits[waits.Kind(k).String()] = s
		}
	}
	return j
}

func stepsJSON(u *usage.Result) *reportSteps {
	s := &reportSteps{Stride: u.Stride, Median: u.MedianStep, MAD: u.MADStep, Slow: []reportSlow{}}
	for i := range u.Steps {
		x := &u.Steps[i]
		s.Steps = append(s.Steps, reportStep{x.Begin, spreadJSON(&x.Length), spreadJSON(&x.Useful)})
	}
	for _, x := range u.SlowSteps {
		s.Slow = append(s.Slow, reportSlow(x))
	}
	return s
}
