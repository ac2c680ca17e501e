package cli

import (
	"fmt"
	"os"
	"time"

	"tabard/analysis/clocks"
	"tabard/analysis/findings"
	"tabard/analysis/match"
	"tabard/analysis/ops"
	"tabard/analysis/selection"
	"tabard/analysis/waits"
	"tabard/internal/comms"
	"tabard/internal/render"
	"tabard/trace"
)

// timed is an archive that was opened for an analysis of times.
type timed struct {
	app     *app
	archive *trace.Archive
	program *ops.Program
	steps   *selection.StepIndex
	chosen  *selection.Resolved // nil: all
	// clocks are the corrections of the hosts' clocks; nil on one host, whose processes share one.
	clocks *clocks.Correction
	clock  func(process int32, t time.Duration) time.Duration // nil: none
}

// timed looks at the structure of an archive, and at its clocks.
func (a *app) timed(archive *trace.Archive, f *selectFlags) (*timed, error) {
	t, err := a.structure(archive, f)
	if err != nil {
		return nil, err
	}
	return t, t.correct()
}

// structure looks at the structure of an archive.
func (a *app) structure(archive *trace.Archive, f *selectFlags) (*timed, error) {
	t := &timed{app: a, archive: archive}
	var err error
	if f.flags != (selection.Flags{}) {
		if t.chosen, err = f.resolve(archive); err != nil {
			return nil, err
		}
	}
	if t.program, err = ops.Open(archive); err != nil {
		return nil, err
	}
	if t.chosen != nil {
		t.steps = t.chosen.Steps()
	}
	if t.steps == nil {
		if t.steps, err = selection.FindSteps(archive); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// correct finds out how the clocks of several hosts differ.
func (t *timed) correct() (err error) {
	if len(t.archive.HostClocks()) < 2 {
		return nil
	}
	p := t.app.meter("comparing clocks", "events", 0)
	defer p.Done()
	if t.clocks, err = clocks.OfProgram(t.program, clocks.Options{LinesOnly: true, Progress: p.Show}); err != nil || t.clocks.Identity() {
		return err
	}
	t.clock = func(process int32, at time.Duration) time.Duration {
		return t.clocks.At(t.program.Process(process), at)
	}
	return nil
}

// waits finds the waits that are selected, and hands all calls to an observer on the way, unless it is nil.
func (t *timed) waits(seen match.Observer) (*waits.Result, error) {
	p := t.app.meter("matching messages", "events", 0)
	defer p.Done()
	o := waits.Options{Steps: t.steps, Clock: t.clock, Observer: seen, Progress: p.Show}
	if t.chosen != nil {
		choice := &waitChoice{t: t, parts: map[int]*selection.Part{}}
		o.Selected = choice.selected
	}
	return waits.Of(t.program, o)
}

// waitChoice tells which calls are selected.
type waitChoice struct {
	t     *timed
	parts map[int]*selection.Part
}

func (c *waitChoice) selected(stream int, term uint32, call uint64) bool {
	p, ok := c.parts[stream]
	if !ok {
		p, _ = c.t.chosen.Part(c.t.archive.Stream(stream)) // what cannot be read ends the analysis elsewhere
		c.parts[stream] = p
	}
	if p == nil || call < p.Range.From || call >= p.Range.To {
		return false
	}
	all, none, err := p.Terminal(term)
	if err != nil || none {
		return false
	}
	if all {
		return true
	}
	k, err := p.Stream.CallAt(call)
	if err != nil {
		return false
	}
	ok, err = p.Has(k)
	return ok && err == nil
}

// processName names a process of an archive.
func processName(worlds []comms.World, n int32) string { return findings.ProcessName(worlds, n) }

// timeShare renders a part of a time.
func timeShare(d, of time.Duration) string {
	if of <= 0 {
		return "-"
	}
	return render.Percent(float64(d) / float64(of))
}

// placeText renders a call of the program.
func placeText(fn, site string) string {
	if site == "" {
		return fn
	}
	return fmt.Sprintf("%s @ %s", fn, site)
}

// terminal is what text on standard output is drawn for.
func (a *app) terminal() render.Terminal { return render.DetectTerminal(a.out, os.Getenv) }
