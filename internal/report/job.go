package report

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/clocks"
	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/spec"
)

// Meter begins to show the progress of something that may take longer than a second: what is being
// done, in steps called noun, of which there are total (0: unknown). A nil Meter shows nothing. It
// may return nil if there is nobody to show it to.
type Meter func(what, noun string, total uint64) *render.Progress

// Start begins it, of a number that is not known yet. The result may be nil, which shows nothing.
func (m Meter) Start(what, noun string) *render.Progress {
	if m == nil {
		return nil
	}
	return m(what, noun, 0)
}

// Reading shows how many streams an analysis has read, of several passes the first; done removes
// it.
func (m Meter) Reading(r *selection.Resolved) (done func()) {
	p := m.Start("reading", "streams")
	if p == nil {
		return func() {}
	}
	r.Progress = p.Show
	return func() {
		r.Progress = nil
		p.Done()
	}
}

// Resolve finds what flags select in an archive.
func Resolve(arch *archive.Archive, flags selection.Flags) (*selection.Resolved, error) {
	s, err := selection.Parse(flags)
	if err != nil {
		return nil, err
	}
	return s.Resolve(arch)
}

// records tells whether an archive has events of a kind.
func records(a *archive.Archive, kind string) (bool, error) {
	kinds, err := a.Kinds()
	k, ok := spec.EventsNamed(kind)
	return err == nil && ok && kinds[k], err
}

// Job is an archive that was opened for analyses that follow its calls in time.
type Job struct {
	Archive *archive.Archive
	Program *calls.Program
	meter   Meter
	chosen  *selection.Resolved // nil: all
	found   *selection.StepIndex
	// clocks are the corrections of the hosts' clocks; nil on one host, whose processes share one.
	clocks *clocks.Correction
	clock  func(process int32, t time.Duration) time.Duration // nil: none
}

// Open looks at the structure of an archive, and at what flags select in it.
func Open(arch *archive.Archive, flags selection.Flags, meter Meter) (*Job, error) {
	j := &Job{Archive: arch, meter: meter}
	var err error
	if flags != (selection.Flags{}) {
		if j.chosen, err = Resolve(arch, flags); err != nil {
			return nil, err
		}
	}
	j.Program, err = calls.Open(arch)
	return j, err
}

// steps finds the time steps.
func (j *Job) steps() (*selection.StepIndex, error) {
	if j.found == nil && j.chosen != nil {
		j.found = j.chosen.Steps()
	}
	if j.found != nil {
		return j.found, nil
	}
	var err error
	var named loops.StepLoop
	if j.chosen != nil {
		named = j.chosen.Selection.StepLoop
	}
	j.found, err = selection.FindSteps(j.Archive, named)
	return j.found, err
}

// CorrectClocks finds out how the clocks of several hosts differ.
func (j *Job) CorrectClocks() error {
	if len(j.Archive.HostClocks()) < 2 {
		return nil
	}
	p := j.meter.Start("comparing clocks", "events")
	defer p.Done()
	var err error
	j.clocks, err = clocks.OfProgram(j.Program, clocks.Options{LinesOnly: true, Progress: p.Show})
	if err != nil || j.clocks.Identity() {
		return err
	}
	j.clock = func(process int32, at time.Duration) time.Duration {
		return j.clocks.At(j.Program.Process(process), at)
	}
	return nil
}

// NeedTimes is the error for an archive that has no times of calls.
func (j *Job) NeedTimes() error {
	for s := range j.Archive.Streams() {
		if s.Timed() {
			return nil
		}
	}
	return fmt.Errorf("%s has no times of calls: record with --timing=lossy or --timing=lossless", j.Archive.File())
}

// At is the corrected time of a moment of a process.
func (j *Job) At(process int32, at time.Duration) time.Duration {
	if j.clock == nil {
		return at
	}
	return j.clock(process, at)
}

// Usage finds out what time went to, without matching messages, and which region a time step is, "" if it is none.
func (j *Job) Usage() (u *efficiency.Result, region string, err error) {
	steps, err := j.steps()
	if err != nil {
		return nil, "", err
	}
	p := j.meter.Start("reading times", "calls")
	defer p.Done()
	u, err = efficiency.Of(j.Program, efficiency.Options{Selection: j.chosen, Steps: steps, Clock: j.clock,
		Progress: p.Show})
	return u, steps.Region, err
}

// Waits finds the waits that are selected.
func (j *Job) Waits() (*waits.Result, error) { return j.observedWaits(nil) }

// WaitsForFiles finds the waits of a recording that has messages and times, and calls that access files; nil of others.
func WaitsForFiles(arch *archive.Archive, flags selection.Flags, meter Meter) (*waits.Result, error) {
	calls, err := arch.Calls()
	if err != nil {
		return nil, err
	}
	j, err := Open(calls, flags, meter)
	if err != nil || j.NeedTimes() != nil {
		return nil, err
	}
	if err := j.CorrectClocks(); err != nil {
		return nil, err
	}
	return j.Waits()
}

// observedWaits finds the waits that are selected. It also passes all calls to an observer, unless
// that is nil.
func (j *Job) observedWaits(seen match.Observer) (*waits.Result, error) {
	steps, err := j.steps()
	if err != nil {
		return nil, err
	}
	p := j.meter.Start("matching messages", "events")
	defer p.Done()
	return waits.Of(j.Program, waits.Options{Steps: steps, Clock: j.clock, Observer: seen, Progress: p.Show,
		Selected: j.selected()})
}

// usageAndWaits finds what the selected time was spent on, and the waits in it, in one pass. Both are nil without
// times.
func (j *Job) usageAndWaits() (*efficiency.Result, *waits.Result, error) {
	steps, err := j.steps()
	if err != nil {
		return nil, nil, err
	}
	spent, err := efficiency.Observe(j.Program, efficiency.Options{Selection: j.chosen, Steps: steps, Clock: j.clock})
	if errors.Is(err, efficiency.ErrUntimed) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	found, err := j.observedWaits(spent)
	if err != nil {
		return nil, nil, err
	}
	usage, err := spent.Result()
	return usage, found, err
}

// Match matches the messages and collectives that are selected.
func (j *Job) Match() (*match.Result, error) {
	p := j.meter.Start("matching messages", "events")
	defer p.Done()
	return match.Of(j.Program, j.selected(), p.Show)
}

// selected tells which calls are selected, nil for all.
func (j *Job) selected() match.Choice {
	if j.chosen == nil {
		return nil
	}
	return j.chosen.Chooser()
}

// clockCalls is the number of calls up to which clocks that were not measured are corrected by
// reading all calls. A timeline of a small window must not take the time of reading everything.
const clockCalls = 4 << 20

// StreamClock is the correction of clocks by the messages of the program, nil if none is needed
// (measured clocks are corrected anyway). Skewed says that one is needed, and that there are too
// many messages to find it.
func StreamClock(arch *archive.Archive, flags selection.Flags, meter Meter) (
	clock func(*archive.Stream, time.Duration) time.Duration, skewed bool, err error) {
	unmeasured := func(h archive.HostClock) bool { return !h.Measured && !h.Reference }
	if !slices.ContainsFunc(arch.HostClocks(), unmeasured) {
		return nil, false, nil
	}
	calls := uint64(0)
	for s := range arch.Streams() {
		if calls += s.Calls(); calls > clockCalls {
			return nil, true, nil
		}
	}
	j, err := Open(arch, flags, meter)
	if err == nil {
		err = j.CorrectClocks()
	}
	if err != nil || j.clock == nil {
		return nil, false, err
	}
	return func(s *archive.Stream, at time.Duration) time.Duration {
		return j.clock(j.Program.Number(s.Process()), at)
	}, false, nil
}

// flags are those of the selection.
func (j *Job) flags() selection.Flags {
	if j.chosen == nil {
		return selection.Flags{}
	}
	return j.chosen.Selection.Flags()
}

// resolved is what is selected, or all.
func (j *Job) resolved() (*selection.Resolved, error) {
	if j.chosen != nil {
		return j.chosen, nil
	}
	return selection.All.Resolve(j.Archive)
}
