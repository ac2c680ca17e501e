package report

import (
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/faults"
	"github.com/tabard-hpc/tabard/analysis/files"
	"github.com/tabard-hpc/tabard/analysis/findings"
	"github.com/tabard-hpc/tabard/analysis/gpus"
	"github.com/tabard-hpc/tabard/analysis/growth"
	"github.com/tabard-hpc/tabard/analysis/regions"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
)

// SummarySchema names the form of Summary.
const SummarySchema = "tabard.report/1"

// Overview is what a summary is made of.
type Overview struct {
	// File is the archive as the user calls it.
	File    string
	Archive *archive.Archive
	Usage   *efficiency.Result // nil without times
	Waits   *waits.Result      // nil without times
	// StepRegion is the region that a time step is, "" if it is an iteration of a loop.
	StepRegion string
	Regions    *regions.Result // nil if none are recorded, or without times
	GPUs       *gpus.Result    // nil if nothing of them is recorded, or without times
	// Functions are the program's, nil if none are recorded or a part of the calls is looked at.
	Functions *Functions
	Matrix    *Grid
	Findings  []findings.Finding
	// Open are the calls that had not returned.
	Open []OpenCall
	// Others are the events by kind, if the recording has no calls of the program.
	Others map[string]uint64
}

// Overview makes all analyses. Clocks have to be corrected before.
func (j *Job) Overview(file string) (*Overview, error) {
	steps, err := j.steps()
	if err != nil {
		return nil, err
	}
	o := &Overview{File: file, Archive: j.Archive, StepRegion: steps.Region}
	if o.Usage, o.Waits, err = j.usageAndWaits(); err != nil {
		return nil, err
	}
	if o.Regions, err = j.regions(); err != nil {
		return nil, err
	}
	if o.GPUs, err = j.gpus(); err != nil {
		return nil, err
	}
	if o.Functions, err = j.functions(); err != nil {
		return nil, err
	}
	if o.Matrix, err = j.sketch(); err != nil {
		return nil, err
	}
	if o.Open, err = openCalls(j.Archive); err != nil {
		return nil, err
	}
	if o.Counts().Calls == 0 {
		info, err := NewInfo(j.Archive.Whole(), j.meter)
		if err != nil {
			return nil, err
		}
		o.Others = info.Events
	}
	return o, j.find(o, steps)
}

// find finds what is worth doing something about, with all that findings are told from.
func (j *Job) find(o *Overview, steps *selection.StepIndex) (err error) {
	in := findings.Input{Usage: o.Usage, Waits: o.Waits, Archive: o.Archive, Clocks: j.clocks,
		Duration: render.Duration,
		Worlds:   j.Program.Comms.Worlds, Process: j.Program.Process,
		Bytes: render.ByteSize}
	if in.Files, err = j.files(); err != nil {
		return err
	}
	if in.Locks, err = j.locks(); err != nil {
		return err
	}
	// Where all calls have returned, members may have called what does not fit together all the same.
	if len(o.Open) > 0 || j.events() <= cheapEvents {
		if in.Standstill, err = consistency.Stuck(j.Program); err != nil {
			return err
		}
		in.Now = o.Archive.SnapshotTime()
	}
	if j.chosen == nil {
		if in.Faults, err = faults.Of(j.Program); err != nil {
			return err
		}
	}
	if j.chosen == nil && j.events() <= cheapEvents {
		if in.Growth, err = growth.Of(j.Program, steps); err != nil {
			return err
		}
		in.Compared = true
		if o.Usage != nil {
			if in.Collectives, err = collectives.Of(j.Archive.Whole(),
				collectives.Options{Most: cheapMessages, All: true}); err != nil {
				return err
			}
		}
	}
	graph := j.graph(o)
	if err = j.avoidable(o, &in, graph, steps); err != nil {
		return err
	}
	in.Step = func(stream int32, call uint64) int64 { return stepOf(steps, j.Archive, stream, call) }
	o.Findings = findings.Of(in)
	return j.without(o, &in, graph)
}

// stepOf is the time step of a call. A call after the last whole step is in the next one, if that has begun: -1 for
// calls that are in none.
func stepOf(steps *selection.StepIndex, a *archive.Archive, stream int32, call uint64) int64 {
	of, err := steps.Of(a.Stream(int(stream)))
	if err != nil || of == nil || of.Len() == 0 {
		return -1
	}
	if k, ok, err := of.Cursor().Find(call); err == nil && ok {
		return int64(k)
	}
	last, err := of.Range(of.Len() - 1)
	if err != nil || call < last.To || call-last.To > 2*last.Len() || a.Stream(int(stream)).Rank().Complete {
		return -1
	}
	return int64(of.Len())
}

// files is what was done to files, nil if that is not recorded, or without times.
func (j *Job) files() (*files.Result, error) {
	if has, err := records(j.Archive, "io"); !has || err != nil || j.NeedTimes() != nil {
		return nil, err
	}
	p := j.meter.Start("reading accesses to files", "calls")
	defer p.Done()
	chosen, err := j.resolved()
	if err != nil {
		return nil, err
	}
	return files.Of(j.Archive, chosen, files.Options{})
}

// regions sums up the parts that the program names itself, nil if there are none, or no times.
func (j *Job) regions() (*regions.Result, error) {
	chosen, err := Resolve(j.Archive.Whole(), j.flags())
	if err != nil {
		return nil, err
	}
	p := j.meter.Start("reading regions", "events")
	defer p.Done()
	r, err := regions.Of(chosen)
	if err != nil || !r.Timed || len(r.Regions) == 0 {
		return nil, err
	}
	return r, nil
}

// cheapEvents is how many events are looked at without a reason to do so.
const cheapEvents = 1 << 20

// cheapMessages is how many messages, those of loops once, are looked at for collectives; they take some 300 MB.
const cheapMessages = 1 << 17

// events counts the events of all streams: calls, or runs of polls.
func (j *Job) events() (n uint64) {
	for s := range j.Archive.Streams() {
		n += s.Calls()
	}
	return n
}

// Counts are numbers of recorded and of lost calls, of hosts, of processes that did not end in
// order, and of those that a snapshot found at work.
type Counts struct {
	Calls, Lost            uint64
	Hosts, Broken, Running int
}

// Counts counts what is recorded, and what is missing.
func (o *Overview) Counts() (n Counts) {
	for _, c := range o.Archive.Classes() {
		if k, err := c.ProgramCalls(); err == nil {
			n.Calls += k
		}
	}
	hosts := map[string]bool{}
	for _, d := range o.Archive.Ranks() {
		hosts[d.Host] = true
		n.Lost += d.LostCalls
		switch {
		case strings.HasPrefix(d.End, archive.Running):
			n.Running++
		case !d.Complete:
			n.Broken++
		}
	}
	n.Hosts = len(hosts)
	return n
}

var _ = register[Summary](SummarySchema, "report --json")

// Summary is where the time goes and what to fix, on one page.
type Summary struct {
	Schema  string   `json:"schema"`
	File    string   `json:"file"`
	Command []string `json:"command"`
	MPI     string   `json:"mpi"`
	Created string   `json:"created"`
	// Snapshot is when the job was looked at if it was running.
	Snapshot  string `json:"snapshot,omitempty"`
	Processes int    `json:"processes"`
	// Open are the calls that had not returned.
	Open  []OpenCall `json:"open_calls,omitempty"`
	Bytes int64      `json:"bytes"`
	// The following are missing without times.
	Elapsed    time.Duration          `json:"elapsed_ns,omitempty"`
	Efficiency *efficiency.Efficiency `json:"efficiency,omitempty"`
	Ranks      []ProcessTime          `json:"ranks,omitempty"`
	Groups     []GroupTime            `json:"groups,omitempty"`
	Kinds      []GroupTime            `json:"kinds,omitempty"` // of events, if there are several
	Regions    []Region               `json:"regions,omitempty"`
	GPUs       *GPUs                  `json:"gpus,omitempty"`
	Functions  []Function             `json:"functions,omitempty"` // of the program, those with most time of their own first
	Calls      []PlaceTime            `json:"calls,omitempty"`
	Steps      *Steps                 `json:"steps,omitempty"`
	Waits      map[string]waits.Sum   `json:"waits,omitempty"`
	Findings   []findings.Finding     `json:"findings"`
	// Gaps are ranks and calls that should have been recorded and were not, and Incomplete says so in a sentence.
	Gaps       []Gap  `json:"not_recorded,omitempty"`
	Incomplete string `json:"incomplete,omitempty"`
}

// ProcessTime is where the time of the main thread of a process goes.
type ProcessTime struct {
	Process int32         `json:"process"`
	Begin   time.Duration `json:"begin_ns"`
	End     time.Duration `json:"end_ns"`
	MPI     time.Duration `json:"mpi_ns"`
	Useful  time.Duration `json:"computation_ns"`
	Calls   uint64        `json:"calls"`
}

// GroupTime is the time in a group of functions.
type GroupTime struct {
	Name  string        `json:"name"`
	Calls uint64        `json:"calls"`
	Time  time.Duration `json:"time_ns"`
}

// PlaceTime is the calls of one call site.
type PlaceTime struct {
	Func      string       `json:"func"`
	Site      string       `json:"site"`
	Group     string       `json:"group"`
	Calls     uint64       `json:"calls"`
	MPI       Spread       `json:"mpi"`
	Before    Spread       `json:"computation_before"`
	Durations Distribution `json:"durations"`
}

// Spread is how a time differs between processes.
type Spread struct {
	Processes int           `json:"processes"`
	Sum       time.Duration `json:"sum_ns"`
	Mean      time.Duration `json:"mean_ns"`
	Min       time.Duration `json:"min_ns"`
	Max       time.Duration `json:"max_ns"`
	Imbalance time.Duration `json:"imbalance_ns"`
	Least     int32         `json:"least"` // the process with the minimum
	Most      int32         `json:"most"`  // and with the maximum
}

// Steps is the time steps.
type Steps struct {
	Region string        `json:"region,omitempty"` // the region that a step is, if it is one
	Stride uint64        `json:"stride"`           // steps in an element of steps
	Median time.Duration `json:"median_ns"`
	MAD    time.Duration `json:"mad_ns"`
	Steps  []Step        `json:"steps"`
	Slow   []SlowStep    `json:"slow"`
}

// Step is a time step, or as many in a row as Steps.Stride says.
type Step struct {
	Begin  time.Duration `json:"begin_ns"`
	Length Spread        `json:"length"`
	Useful Spread        `json:"computation"`
}

// SlowStep is a time step that takes unusually long.
type SlowStep struct {
	Step    uint64           `json:"step"`
	Begin   time.Duration    `json:"begin_ns"`
	Length  time.Duration    `json:"length_ns"`
	Cause   efficiency.Cause `json:"cause"`
	Process int32            `json:"process"`
	Excess  time.Duration    `json:"excess_ns"`
}

// Document makes the document of an overview.
func (o *Overview) Document() *Summary {
	m := o.Archive.Meta()
	j := &Summary{Schema: SummarySchema, File: o.File, Command: m.Command, MPI: m.MPI,
		Created: m.Created.UTC().Format(time.RFC3339), Processes: o.Archive.NumRanks(), Bytes: o.Archive.Stats().Total,
		Snapshot: m.Options[archive.OptionSnapshot], Open: o.Open, Findings: o.Findings, Gaps: gapsOf(o.Archive),
		Incomplete: archive.Incomplete(o.Archive.Gaps())}
	if j.Findings == nil {
		j.Findings = []findings.Finding{}
	}
	if u := o.Usage; u != nil {
		e := u.Efficiency()
		j.Elapsed, j.Efficiency = u.Elapsed(), &e
		for i := range u.Processes {
			p := &u.Processes[i]
			j.Ranks = append(j.Ranks, ProcessTime{p.Process, p.Begin, p.End, p.MPI, p.Useful(), p.Calls})
		}
		for _, g := range u.Groups {
			j.Groups = append(j.Groups, GroupTime{g.Name, g.Calls, g.Time})
		}
		if kinds := u.Kinds(); len(kinds) > 1 {
			for _, k := range kinds {
				j.Kinds = append(j.Kinds, GroupTime{k.Kind.String(), k.Calls, k.Time})
			}
		}
		for i := range u.Places {
			p := &u.Places[i]
			j.Calls = append(j.Calls, PlaceTime{p.Func, p.Site, p.Group, p.Calls, spreadOf(&p.MPI), spreadOf(&p.Before),
				distribution(&p.Durations)})
		}
		if len(u.Steps) > 0 {
			j.Steps = stepsOf(u)
			j.Steps.Region = o.StepRegion
		}
	}
	if o.Regions != nil {
		j.Regions = regionsOf(o.Archive, o.Regions)
	}
	if o.GPUs != nil {
		j.GPUs = gpusOf(o.Archive, o.GPUs)
	}
	if o.Functions != nil {
		j.Functions = o.Functions.Functions
	}
	if o.Waits != nil {
		j.Waits = map[string]waits.Sum{}
		for k, s := range o.Waits.Kinds {
			j.Waits[waits.Kind(k).String()] = s
		}
	}
	return j
}

func spreadOf(s *efficiency.Spread) Spread {
	return Spread{s.Processes, s.Sum, s.Mean(), s.Min, s.Max, s.Imbalance(), s.Least, s.Most}
}

func stepsOf(u *efficiency.Result) *Steps {
	s := &Steps{Stride: u.Stride, Median: u.MedianStep, MAD: u.MADStep, Slow: []SlowStep{}}
	for i := range u.Steps {
		x := &u.Steps[i]
		s.Steps = append(s.Steps, Step{x.Begin, spreadOf(&x.Length), spreadOf(&x.Useful)})
	}
	for _, x := range u.SlowSteps {
		s.Slow = append(s.Slow, SlowStep(x))
	}
	return s
}
