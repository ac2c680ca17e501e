package collect

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Times of the collector's life.
const (
	beatEvery = 50 * time.Millisecond
	// stuckAfter is when a collector that makes no progress stops to say that
	// it lives: programs then go on without it.
	stuckAfter = 60 * time.Second
	// startTime is how long processes may take to register when it is not
	// known how many there will be.
	startTime = 2 * time.Second
	// A collector that finds little to do sleeps for longer and longer, up to mostSleep, unless the program rings:
	// ranks that share their cores with it should not notice it. What fills a few segments in this time waits in the
	// ring.
	leastSleep = time.Millisecond
	mostSleep  = 50 * time.Millisecond
	// littleWork and muchWork are the bytes of a round after which it sleeps for longer, or not at all.
	littleWork, muchWork = 256 << 10, 1 << 20
)

// collector drains one state directory.
type collector struct {
	*discovery // of registrations and segments
	handover   // of what was recorded up to MPI_Finalize, to the collector of the first node

	dir     *safefile.Dir
	job     *Job
	control *ring.Control
	log     io.Writer
	began   time.Time

	console  console // of Main's: a recovery has somebody to tell the same
	passesOn bool    // see HandOver
	launcher *watch  // see moreMayCome; nil: not looked at yet

	procs map[ring.ProcessID]*process
	order []*process // by discovery
	stuck map[*chain]gap

	progress atomic.Uint64 // time of the last progress, CLOCK_MONOTONIC ns: the date may be set
	written  bool          // an archive of all that is known so far is safe
	early    bool          // the archive after MPI_Finalize was tried
	told     string        // see tell
	snapshot time.Time     // when, if this only looks: see Live
	report   Report
	names    *names
	limit    *cpuLimit
	retreat  *retreat        // nil: it runs anywhere
	bundles  archive.Bundles // of the last archive: the next one has little else
}

// Report says what an archive holds and what it lacks.
type Report struct {
	// Ranks and Calls count what is in the archive.
	Ranks int
	Calls uint64
	// Bytes is the size of the archive.
	Bytes int64
	// Unfinished is the number of processes that did not reach their end in order; Abnormal of those that had made
	// calls.
	Unfinished, Abnormal int
	// Lost is the number of calls that could not be recorded.
	Lost uint64
	// Incomplete is a sentence about ranks and calls that were not recorded, "" if there are none.
	Incomplete string
	// Problems are sentences about what is missing or went wrong.
	Problems []string
	// In are the regions that recording was limited to, NeverEntered those of them that no process came to.
	In, NeverEntered []string
	// PeakMemory is the largest resident size of the collector in bytes.
	PeakMemory uint64
	// Moved is the directory from which Recover brought home an archive that could not be
	// written to its output before. Ranks and Calls are not set then.
	// Kept says that the archive cannot be written to its output and lies in the state directory.
	Moved string
	Kept  bool
}

// newCollector opens the state directory dir.
func newCollector(dir string, log io.Writer) (*collector, error) {
	d, err := safefile.OpenPrivate(dir)
	if err != nil {
		return nil, err
	}
	job, err := readJob(d)
	if err != nil {
		return nil, err
	}
	control, err := openControl(d, job)
	if err != nil {
		return nil, err
	}
	dirs := []*safefile.Dir{d}
	if spill := SpillOf(job.Output, dir); spill != "" {
		s, err := safefile.OpenPrivate(spill)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, s)
	}
	c := &collector{
		dir: d, job: job, control: control, log: log, began: time.Now(),
		console: -1, procs: map[ring.ProcessID]*process{}, stuck: map[*chain]gap{}, names: newNames(),
		discovery: newDiscovery(dirs), limit: &cpuLimit{},
	}
	c.bundles.Tick = c.moved
	c.moved()
	return c, nil
}

// openControl maps the control page. If it is gone, there is another one, which nobody else sees: all processes
// are looked at then, whatever they say there.
func openControl(d *safefile.Dir, job *Job) (control *ring.Control, err error) {
	lost := ring.Guarded(func() error {
		control, err = ring.OpenControl(d)
		return err
	})
	if !errors.Is(lost, ring.ErrShortened) {
		return control, lost
	}
	partial := job.Options["start"] == "off" ||
		job.Options["only"]+job.Options["except"]+job.Options[archive.OptionIn] != ""
	return ring.LostControl(ring.Config{NoTiming: job.Options["timing"] == "off", StartOff: partial}), nil
}

func (c *collector) logf(format string, args ...any) {
	fmt.Fprintf(c.log, "%s %s\n", time.Now().Format("15:04:05.000"), fmt.Sprintf(format, args...))
}

func (c *collector) moved() { c.progress.Store(ring.MonotonicNS()) }

// run collects until the job has ended and the archive is written.
func (c *collector) run() error {
	stop := c.heart()
	defer stop()
	defer c.startPlanner()()
	c.control.SetCollector(ring.CollectorRunning)
	c.logf("collecting for %s", c.job.Output)
	leaveStart()
	pause, heard := leastSleep, uint32(0)
	for {
		n, ended, err := c.turn()
		switch {
		case ended:
			return err
		case n >= muchWork: // and more has come meanwhile
			pause = max(leastSleep, pause/2)
			continue
		case n < littleWork:
			pause = min(2*pause, mostSleep)
		}
		if bell := c.wait(heard, pause); bell != heard {
			heard, pause = bell, leastSleep
		}
	}
}

// wait sleeps until the program rings after it rang for the heard-th time, but no longer than atMost.
func (c *collector) wait(heard uint32, atMost time.Duration) (bell uint32) {
	_ = ring.Guarded(func() error {
		c.control.Wait(heard, atMost)
		bell = c.control.Bell()
		return nil
	})
	return bell
}

// turn is what run does again and again. It is broken off, to be begun anew, where a file is gone that somebody made
// shorter.
func (c *collector) turn() (n int, ended bool, err error) {
	lost := ring.Guarded(func() error {
		n = c.round()
		if err := c.finalized(); err != nil {
			c.logf("archive after MPI_Finalize: %v", err)
		}
		c.answerLeader()
		if c.over() {
			ended, err = c.end()
		}
		return nil
	})
	if lost != nil {
		c.logf("%v", lost)
	}
	return n, ended, err
}

// heart beats as long as there is progress. It does not while there may be segments that cannot be seen or read: the
// program would wait for their return.
func (c *collector) heart() (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if ring.MonotonicNS()-c.progress.Load() < uint64(stuckAfter) && !c.blind.Load() {
					_ = ring.Guarded(func() error { c.control.Beat(); return nil })
				}
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// round looks for new processes and segments, takes in what is there, and
// buries the dead. It returns how many bytes it took in.
func (c *collector) round() int {
	c.moved()
	c.retreat.keepAway(c.order)
	var dying []*process
	for _, p := range c.order {
		if p.finished {
			continue
		}
		if !p.watch.alive() {
			dying = append(dying, p)
		}
		// Threads that make their first call later than now may escape this scan.
		p.upto = p.idleFrontier()
	}
	// Who was dead before this look has all of its segments in it.
	if len(dying) > 0 {
		c.look()
	} else {
		c.scan()
	}
	n := c.drainEach(func() { c.limit.wait(func() bool { c.moved(); return c.computing() }) })
	for _, p := range dying {
		c.bury(p)
	}
	c.checkStuck()
	return n
}

// computing tells that there are ranks that have not come to their end, so that the processors are theirs.
func (c *collector) computing() bool {
	_, traced := c.registered()
	return !c.control.Arrived() && c.control.Finalized() < traced
}

// drainAll takes in what all processes have published.
func (c *collector) drainAll() int { return c.drainEach(func() {}) }

// drainEach is drainAll, several processes at a time if there is much: of each as much as it takes for a checkpoint,
// and then rest is called. So no process waits for long while another one has a lot to say.
func (c *collector) drainEach(rest func()) int {
	var total atomic.Int64
	var wg sync.WaitGroup
	slots := make(chan struct{}, c.limit.drains())
	one := func(p *process) {
		_ = ring.Guarded(func() error {
			total.Add(int64(p.drain(false)))
			c.moved()
			c.logPanics(p)
			c.checkpointIfDue(p)
			rest()
			return nil
		})
	}
	for _, p := range c.order {
		switch {
		case p.finished:
		case cap(slots) == 1 || len(c.order) == 1:
			one(p)
		default:
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				one(p)
			})
		}
	}
	wg.Wait()
	return int(total.Load())
}

// drainPublished takes in all that is there, whoever may still come up with something earlier: what has just been
// published, too, which is held back for a moment otherwise (see merge).
func (c *collector) drainPublished() {
	for _, p := range c.order {
		p.upto = 0
	}
	for until := time.Now().Add(2 * holdAtMost); ; time.Sleep(safeTime) {
		n := c.drainAll()
		held := slices.ContainsFunc(c.order, func(p *process) bool { return !p.finished && !p.holding.IsZero() })
		if n == 0 && !held || n < muchWork && time.Now().After(until) {
			return
		}
	}
}

// logPanics leaves what a bug report needs.
func (c *collector) logPanics(p *process) {
	for _, s := range p.panics {
		c.logf("process %d: internal error, please report: %s", p.id.PID, s)
	}
	p.panics = nil
}

func (c *collector) checkpointIfDue(p *process) {
	if !p.checkpointDue(c.job.SegmentsMax) {
		return
	}
	if err := p.checkpoint(c.dirs); err != nil {
		p.complain("no checkpoint could be written: %v", err)
		c.logf("checkpoint of process %d: %v; its segments are released without one", p.id.PID, err)
	}
}

// errGone is recoverState's for a directory that somebody else dealt with meanwhile.
var errGone = errors.New("the state directory is gone")

// ErrRecording is returned for an output that is being recorded.
var ErrRecording = errors.New("the recording has not ended")
