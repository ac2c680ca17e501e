package collect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// A job that is running is looked at by whoever asks, alone: what lies in the state directory is complete at every
// moment, as a recovery needs it, so a recovery that changes nothing makes a snapshot. Neither the program nor the
// collector hears of it, and a collector that hangs, or was killed, makes no difference.
//
// Checkpoints and segments belong together: segments are handed back as soon as a newer checkpoint covers them. So
// what was read counts only if no newer checkpoint has come meanwhile.

// ErrNotRunning is returned for an output that nothing is being recorded to.
var ErrNotRunning = errors.New("no running job is known here that records to it")

// Live makes a snapshot of the job that is recording to output: all calls of the processes of this machine up to now,
// with those that have not returned. It changes nothing. note is told what is not in it, and why. The error is
// ErrNotRunning if there is no such job.
func Live(output string, note func(text string)) (*archive.Archive, error) {
	target, err := CanonicalOutput(output)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	var sources []*partFile
	var whole *merge.Part
	for _, dir := range FindStates(target) {
		var part *merge.Part
		look := func() (err error) {
			part, err = snapshot(dir, now, note)
			return err
		}
		err := ring.Guarded(look)
		if errors.Is(err, ring.ErrShortened) { // from now on it is known to be
			err = ring.Guarded(look)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrNotRunning):
			continue // it has ended
		case err != nil:
			return nil, fmt.Errorf("looking at the job that records to %s: %w", output, err)
		}
		content, err := part.Content()
		if err != nil {
			return nil, err
		}
		whole = part
		sources = append(sources, &partFile{path: dir, Source: merge.Source{Name: "the job of " + dir,
			Content: content}})
	}
	switch len(sources) {
	case 0:
		return nil, fmt.Errorf("%s: %w", output, ErrNotRunning)
	case 1:
	default:
		u, err := unite(target, newest(sources), sources, note)
		if err != nil {
			return nil, err
		}
		if u != nil {
			whole = u.whole
		}
	}
	here, size := 0, 0
	for _, s := range sources {
		for _, g := range s.Content.Groups {
			if g.World == 0 && !g.Unranked {
				here, size = here+g.Ranks.Len(), max(size, g.Size)
			}
		}
	}
	if here < size {
		note(fmt.Sprintf("%d of %d ranks are in it: others are on other machines, left out, or have not begun", here,
			size))
	}
	relate(whole)
	return openUnwritten(output, whole)
}

// Running lists the jobs of this user that are being recorded on this machine, oldest first. Of a job with several
// collectors it lists one, with the processes of all.
func Running() []Leftover {
	var jobs []Leftover
	for _, l := range Leftovers(".") {
		if l.Processes == 0 {
			continue
		}
		if i := slices.IndexFunc(jobs, func(j Leftover) bool { return j.Output == l.Output }); i >= 0 {
			jobs[i].Processes += l.Processes
		} else {
			jobs = append(jobs, l)
		}
	}
	return jobs
}

// snapshot is what the state directory dir holds of a job that runs. It is ErrNotRunning if none does.
func snapshot(dir string, now time.Time, note func(string)) (*merge.Part, error) {
	c, err := newCollector(dir, io.Discard)
	if err != nil {
		return nil, err
	}
	defer c.control.Close()
	v := &viewer{collector: c, note: note, alive: c.control.CollectorAlive(), ticks: ticks(), nanos: ring.MonotonicNS()}
	defer func() {
		for _, p := range c.order {
			p.closeFiles()
			p.watch.close()
		}
		for _, d := range c.dirs {
			d.Close()
		}
	}()
	if err := v.look(); err != nil {
		return nil, err
	}
	if v.running == 0 {
		return nil, ErrNotRunning
	}
	if !v.alive {
		note("its collector does not answer: this is what the program left in memory")
	}
	c.snapshot = now
	return c.build()
}

// viewer reads a state directory without changing anything.
type viewer struct {
	*collector
	note         func(string)
	alive        bool   // the collector is, and so hands segments back
	ticks, nanos uint64 // calls that returned later are left to the next one who looks
	running      int    // processes
}

// look reads all processes.
func (v *viewer) look() error {
	found := map[ring.ProcessID]string{} // names of registrations, empty if there is none
	for i, dir := range v.dirs {
		names, err := dir.Names()
		if err != nil && i == 0 {
			return err
		}
		for _, name := range names {
			if id, _, _, ok := ring.ParseSegmentName(name); ok {
				found[id] += ""
			} else if id, ok := registered(name); ok && i == 0 {
				found[id] = name
			}
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(found), byNumber) {
		p, err := v.read(id, found[id])
		if err != nil {
			return err
		}
		v.procs[id] = p
		v.order = append(v.order, p)
		if p.watch.alive() {
			v.running++
		}
	}
	return nil
}

// attempts is how often a process is read anew whose collector was faster.
const attempts = 20

// read reads a process: its newest checkpoint and the segments that came after it.
func (v *viewer) read(id ring.ProcessID, registration string) (p *process, err error) {
	for n := range attempts {
		found, why := findCheckpoints(v.dirs, id)
		copies := v.alive
		segments := v.segments(id, copies)
		if copies && v.newer(found, id) {
			closeSegments(segments)
			if n < attempts-1 {
				continue
			}
			segments = nil // rather a moment too old than never
			v.note(fmt.Sprintf("process %d: its last calls are missing: it makes too many at the moment", id.PID))
		}
		if p, err = v.take(id, registration, found, why, segments); err == nil {
			whole := !copies || !p.torn() || n == attempts-1
			if v.finish(p, whole); whole && (copies || !v.newer(found, id)) {
				return p, nil
			}
			p.closeFiles()
			p.watch.close()
		}
		v.alive = v.control.CollectorAlive() // it may have come back
	}
	return nil, err
}

// torn says that segments are missing in front of others: they were written while those were copied.
func (p *process) torn() bool {
	return slices.ContainsFunc(p.live(), func(c *chain) bool { return !c.find() && c.beyond() })
}

// newer says that the checkpoints of a process are others by now.
func (v *viewer) newer(found []candidate, id ring.ProcessID) bool {
	now, _ := findCheckpoints(v.dirs, id)
	return !slices.EqualFunc(found, now, func(a, b candidate) bool { return a.path == b.path && a.gen == b.gen })
}

// segments opens the segments of a process: copies if a collector may hand them back while they are read. Those that
// are not set up, or free, have nothing to tell.
func (v *viewer) segments(id ring.ProcessID, copies bool) (segments []*ring.Segment) {
	open := ring.ViewSegment
	if copies {
		open = ring.CopySegment
	}
	for _, dir := range v.dirs {
		names, _ := dir.Names()
		for _, name := range names {
			of, thread, _, ok := ring.ParseSegmentName(name)
			if !ok || of != id || thread < 0 || thread >= maxThreads {
				continue
			}
			if seg, err := open(dir, name); err == nil && seg != nil {
				segments = append(segments, seg)
			}
		}
	}
	return segments
}

func closeSegments(segments []*ring.Segment) {
	for _, seg := range segments {
		seg.Close()
	}
}

// take makes a process of what was found of it, up to the time of the snapshot. why says which checkpoints cannot be
// used.
func (v *viewer) take(
	id ring.ProcessID, registration string, found []candidate, why error, segments []*ring.Segment,
) (*process, error) {
	p, err := restoreNewest(found, v.dirs[0], viewSpool, why)
	if p == nil {
		p = newProcess(id, !v.control.NoTiming())
		if err != nil {
			p.complain("a checkpoint could not be used: %v", err)
		}
	}
	p.dir = nil // new threads spool nothing
	p.mode, p.ticks, p.nanos = v.timingMode(), v.ticks, v.nanos
	for _, c := range p.live() {
		c.raw = nil
	}
	for _, seg := range segments {
		_, thread, _, _ := ring.ParseSegmentName(filepath.Base(seg.Path))
		if err := p.hasSegment(seg.Path, thread, seg); err != nil {
			v.note(err.Error())
		}
	}
	if registration != "" {
		if p.reg, err = readRegistration(v.dirs[0], registration); err != nil {
			p.closeFiles()
			return nil, err
		}
	}
	p.watch = newWatch(p.id)
	p.cut = math.MaxUint64
	if p.watch.alive() {
		p.cut = v.cut(p)
	}
	p.drain(true)
	return p, nil
}

// finish takes in what p was doing at the time of the snapshot, unless what was taken in is to be thrown away.
func (v *viewer) finish(p *process, whole bool) {
	if !whole {
		return
	}
	for _, c := range p.live() {
		if p.skipMissing(c) {
			p.drain(true)
		}
		p.unreturned(c)
		c.close()
	}
	p.syms.Finish(p)
	p.finished = true
	if ended, _ := p.syms.Ended(); !p.watch.alive() {
		p.end = p.howEnded()
	} else if !ended {
		p.end = archive.Running
	}
}

// cut is the time of the snapshot by the clock of p.
func (v *viewer) cut(p *process) uint64 {
	source := uint64(0)
	if clocks := p.syms.Clocks(); len(clocks) > 0 {
		source = clocks[len(clocks)-1].Source
	} else if cs := p.live(); len(cs) > 0 { // among the first records, which are to be taken in yet
		cs[0].refresh()
		source = clockSource(cs[0].words())
	}
	if source == ring.ClockTSC {
		return v.ticks
	}
	return v.nanos
}

// clockSource is which clock the first records of a process name, 0 if they do not.
func clockSource(words []uint64) uint64 {
	for len(words) > 0 {
		rec, rest, err := ring.Next(words)
		if err != nil || rec.ID() >= spec.FirstFunction {
			return 0
		}
		if rec.ID() == ring.RClock && len(rec.Payload()) >= 4 {
			return rec.Payload()[3]
		}
		words = rest
	}
	return 0
}

// unreturned takes in the entry of the call that the thread of c was in at the time of the snapshot, which has returned
// since or not.
func (p *process) unreturned(c *chain) {
	begin := func(rec ring.Record) {
		if err := p.syms.Begin(c.thread, rec, p); err != nil {
			p.brokenRecord(c, err)
		}
	}
	for c.refresh(); !c.begun; {
		words := c.words()
		if len(words) == 0 {
			if c.advance() {
				c.refresh()
				continue
			}
			if rec := c.entry(); rec != nil && rec.Start() <= p.cut {
				begin(rec)
			}
			return
		}
		rec, _, err := ring.Next(words)
		if err != nil {
			return
		}
		switch id := rec.ID(); {
		case id == ring.RDef || id == ring.RModule || id == ring.RStack: // what the entry may refer to
			begin(rec)
		case id < spec.FirstFunction:
		case rec.Flags()&ring.FExit == 0 && rec.Start() <= p.cut:
			begin(rec)
			return
		default:
			return
		}
		c.off += len(rec)
	}
}
