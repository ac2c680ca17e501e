package collect

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"tabard/internal/ring"
	"tabard/internal/timing"
	"tabard/trace"
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
	idleSleep = 5 * time.Millisecond
	busySleep = time.Millisecond
)

// collector drains one state directory.
type collector struct {
	dir     string
	dirs    []string // where segments and checkpoints may be, dir first
	job     *Job
	control *ring.Control
	log     io.Writer
	began   time.Time

	procs   map[int]*process
	order   []*process // by discovery
	ignored map[string]bool
	scans   []*dirScan
	retry   bool // a file was not ready: look again whatever the directory says
	stuck   map[*chain]time.Time

	progress atomic.Int64 // time of the last progress, Unix ns
	written  bool         // an archive of all that is known so far is safe
	early    bool         // the archive after MPI_Finalize was tried
	report   Report
	names    *names
	bundles  trace.Bundles // of the last archive: the next one has little else

	answered    uint32         // the last request of the leader that was dealt with
	provisional bool           // an archive is made while processes are in MPI_Finalize
	handed      map[int]uint64 // calls of each process then
}

// Report says what an archive holds and what it lacks.
type Report struct {
	// Ranks and Calls count what is in the archive.
	Ranks int
	Calls uint64
	// Bytes is the size of the archive.
	Bytes int64
	// Unfinished is the number of processes that did not reach their end in order.
	Unfinished int
	// Lost is the number of calls that could not be recorded.
	Lost uint64
	// Problems are sentences about what is missing or went wrong.
	Problems []string
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
	job, err := ReadJob(dir)
	if err != nil {
		return nil, err
	}
	control, err := ring.OpenControl(dir)
	if err != nil {
		return nil, err
	}
	c := &collector{dir: dir, dirs: []string{dir}, job: job, control: control, log: log, began: time.Now(),
		procs: map[int]*process{}, ignored: map[string]bool{}, stuck: map[*chain]time.Time{}, names: newNames()}
	if spill := control.SpillDir(); spill != "" {
		c.dirs = append(c.dirs, spill)
	}
	for _, d := range c.dirs {
		c.scans = append(c.scans, &dirScan{path: d})
	}
	c.bundles.Tick = c.moved
	c.moved()
	return c, nil
}

func (c *collector) logf(format string, args ...any) {
	fmt.Fprintf(c.log, "%s %s\n", time.Now().Format("15:04:05.000"), fmt.Sprintf(format, args...))
}

func (c *collector) moved() { c.progress.Store(time.Now().UnixNano()) }

// run collects until the job has ended and the archive is written.
func (c *collector) run() error {
	stop := c.heart()
	defer stop()
	c.control.SetCollector(ring.CollectorRunning)
	c.logf("collecting for %s", c.job.Output)
	for {
		n := c.round()
		if err := c.finalized(); err != nil {
			c.logf("archive after MPI_Finalize: %v", err)
		}
		c.answerLeader()
		if c.over() {
			ended, err := c.end()
			if ended {
				return err
			}
		}
		switch {
		case n >= 1<<20: // more than that has come meanwhile
		case n > 0:
			time.Sleep(busySleep)
		default:
			time.Sleep(idleSleep)
		}
	}
}

// heart beats as long as there is progress.
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
				if time.Since(time.Unix(0, c.progress.Load())) < stuckAfter {
					c.control.Beat()
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
	// Who was dead before this scan has all of its segments in it.
	c.scan()
	n := c.drainAll()
	for _, p := range dying {
		c.bury(p)
	}
	c.checkStuck()
	return n
}

// drainAll takes in what all processes have published, several at a time if there is much.
func (c *collector) drainAll() int {
	var total atomic.Int64
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, min(4, runtime.GOMAXPROCS(0)-1)))
	one := func(p *process) {
		for {
			n := p.drain(false)
			total.Add(int64(n))
			c.moved()
			c.logPanics(p)
			c.checkpointIfDue(p)
			// A full ring's worth at a time; then others have their turn.
			if n < 1<<20 {
				return
			}
		}
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

// logPanics leaves what a bug report needs.
func (c *collector) logPanics(p *process) {
	for _, s := range p.panics {
		c.logf("process %d: internal error, please report: %s", p.pid, s)
	}
	p.panics = nil
}

func (c *collector) checkpointIfDue(p *process) {
	if !p.checkpointDue(c.job.SegmentsMax) {
		return
	}
	if err := p.checkpoint(c.dirs); err != nil {
		p.complain("no checkpoint could be written: %v", err)
		c.logf("checkpoint of process %d: %v; its segments are released without one", p.pid, err)
	}
}

// scan makes new registrations and segments known.
func (c *collector) scan() {
	again := c.retry
	c.retry = false
	for i, s := range c.scans {
		if again {
			s.mtime = time.Time{}
		}
		for _, name := range s.names() {
			if c.ignored[name] {
				continue
			}
			path := filepath.Join(c.dirs[i], name)
			if err := c.file(path, name); err != nil {
				c.retry = true
				if old := fileAge(path) > startTime; old {
					c.ignored[name] = true
					c.logf("left out: %v", err)
				}
			}
		}
	}
}

func fileAge(path string) time.Duration {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return time.Since(st.ModTime())
}

// file takes notice of a file in a state directory.
func (c *collector) file(path, name string) error {
	if pid, thread, _, ok := ring.ParseSegmentName(name); ok {
		p := c.process(pid)
		if p.finished {
			return nil
		}
		fresh := p.start == 0
		if err := p.addSegment(path, thread); err != nil {
			return err
		}
		if p.watch == nil || fresh && p.watch.start == 0 {
			c.watchProcess(p)
		}
		c.keepRaw(p, p.chains[thread])
		return nil
	}
	if digits, ok := strings.CutPrefix(name, rankPrefix); ok {
		pid, err := strconv.Atoi(digits)
		if err != nil {
			return nil
		}
		p := c.process(pid)
		if p.reg != nil {
			return nil
		}
		if p.reg, err = readRegistration(path); err != nil {
			return err
		}
		if p.start == 0 {
			p.start = p.reg.Start
		}
		c.watchProcess(p)
	}
	return nil
}

func (c *collector) watchProcess(p *process) {
	if p.watch != nil {
		p.watch.close()
	}
	p.watch = newWatch(p.pid, p.start)
}

func (c *collector) process(pid int) *process {
	p := c.procs[pid]
	if p == nil {
		var err error
		p, err = loadProcess(c.dirs, pid)
		if err != nil {
			c.logf("process %d: %v", pid, err)
		}
		if p == nil {
			p = newProcess(pid, !c.control.NoTiming())
			p.dir = c.dir
			if err != nil {
				p.complain("a checkpoint could not be used: %v", err)
			}
		} else {
			c.logf("process %d: continued from its checkpoint %d", pid, p.gen)
		}
		p.watch = newWatch(pid, p.start)
		p.mode, p.ticks, p.nanos = c.timingMode(), ticks(), ring.MonotonicNS()
		c.procs[pid] = p
		c.order = append(c.order, p)
	}
	return p
}

// timingMode is how the job wants times to be stored: exactly, if it does not say.
func (c *collector) timingMode() timing.Mode {
	m, err := timing.ParseMode(c.job.Options["timing"])
	if err != nil || m.Kind == timing.Off {
		return timing.Mode{Kind: timing.Lossless}
	}
	return m
}

func (c *collector) keepRaw(p *process, ch *chain) {
	if c.job.KeepRaw == "" || ch.raw != nil && ch.raw.f != nil || ch.raw != nil && ch.raw.err != nil {
		return
	}
	ch.raw = openRaw(c.job.KeepRaw, c.job.Created.UnixNano(), p.pid, p.start, ch, ch.raw)
	if ch.raw.err != nil {
		c.logf("raw log: %v", ch.raw.err)
		p.complain("the raw log is incomplete: %v", ch.raw.err)
	}
}

// checkStuck goes on behind segments that are gone. They are believed gone
// when a later one has been there for a second.
func (c *collector) checkStuck() {
	for _, p := range c.order {
		if p.finished {
			continue
		}
		for _, ch := range p.chains {
			if ch == nil || ch.cur != nil || ch.find() || !ch.beyond() {
				if ch != nil {
					delete(c.stuck, ch)
				}
				continue
			}
			if since, ok := c.stuck[ch]; !ok {
				c.stuck[ch] = time.Now()
			} else if time.Since(since) > time.Second {
				p.skipMissing(ch)
			}
		}
	}
}

// beyond reports whether there is a segment behind the position.
func (c *chain) beyond() bool {
	for _, seg := range c.files {
		if seg.State() != ring.SegFree && seg.Seq() > c.seq {
			return true
		}
	}
	return false
}

// bury takes in the last of a process that is dead.
func (c *collector) bury(p *process) {
	for p.drain(true) > 0 {
		c.checkpointIfDue(p)
	}
	p.finish()
	c.logPanics(p)
	p.end = p.howEnded()
	for _, ch := range p.live() {
		if err := ch.raw.close(); err != nil {
			p.complain("the raw log is incomplete: %v", err)
		}
		ch.close()
	}
	if len(p.chains) > 0 {
		c.logf("process %d: %s, %d calls", p.pid, p.end, p.calls())
	}
}

// howEnded describes the end of a dead process.
func (p *process) howEnded() string {
	ended, final := p.syms.Ended()
	status := p.watch.exitStatus()
	switch {
	case status == "" && !ended:
		return "ended abruptly"
	case status == "":
		status = "exited"
	case !ended && strings.HasPrefix(status, "exited"):
		return status + " abruptly" // by _exit
	}
	if ended && !final {
		status += " without MPI_Finalize"
	}
	return status
}

func (p *process) calls() uint64 {
	n := uint64(0)
	for _, c := range p.live() {
		n += c.s.calls
	}
	return n
}

// registered counts the processes of the launcher.
func (c *collector) registered() (n, traced int) {
	for _, p := range c.order {
		if p.reg != nil {
			n++
			if p.reg.Traced {
				traced++
			}
		}
	}
	return n, traced
}

// complete reports whether every process of the job on this node is known.
func (c *collector) complete() bool {
	n, _ := c.registered()
	return n > 0 && (c.job.LocalRanks > 0 && n >= c.job.LocalRanks || time.Since(c.began) > startTime)
}

// over reports whether all processes are gone.
func (c *collector) over() bool {
	for _, p := range c.order {
		if !p.finished {
			return false
		}
	}
	if n, _ := c.registered(); n == 0 {
		// Whoever started us died before it registered.
		return time.Since(c.began) > startTime
	}
	return c.complete()
}

// finalized writes the archive when all processes are through MPI_Finalize,
// so that the program's last process can say how large it is.
func (c *collector) finalized() error {
	_, traced := c.registered()
	if c.early || c.partFile() != "" || traced == 0 || c.control.Finalized() < traced || c.job.LocalRanks > 0 && !c.complete() {
		return nil
	}
	c.early = true
	// The records of MPI_Finalize were published before it was counted.
	c.scan()
	for _, p := range c.order {
		p.upto = 0
	}
	c.drainAll()
	if c.job.Keeps && c.written { // it was written a moment ago, and will be at the end
		c.control.SetSummary(c.summary())
		return nil
	}
	if err := c.archive(); err != nil {
		c.control.SetSummary("tabard: the recording is safe but could not be written: " + err.Error())
		return err
	}
	c.control.SetSummary(c.summary())
	return nil
}

// end writes the archive and dissolves the state directory, unless a process
// has registered in the meantime.
func (c *collector) end() (bool, error) {
	lock, err := lockFile(filepath.Join(c.dir, RegisterLock), unix.LOCK_EX)
	if err == nil {
		defer lock.Close()
	}
	c.retry = true
	c.scan()
	if !c.over() {
		return false, nil
	}
	changed := slices.ContainsFunc(c.order, func(p *process) bool { return p.changed })
	if c.job.Taken && !c.deviates() {
		err = nil
	} else if !c.written || changed {
		err = c.archive()
	} else {
		err = nil
	}
	if err != nil {
		c.logf("archive: %v", err)
	}
	c.control.SetCollector(ring.CollectorDone)
	for _, p := range c.order {
		p.log.close()
		for _, ch := range p.live() {
			ch.s.spool.close()
		}
	}
	c.dissolve(err == nil && c.job.Archive == "")
	return true, err
}

// dissolve ends the state directory: it is removed if the archive is safe
// where it should be, else set aside for a recovery.
func (c *collector) dissolve(safe bool) {
	if safe {
		if aside, err := setAside(c.dir, removedMark); err == nil {
			os.RemoveAll(aside)
		} else {
			os.RemoveAll(c.dir)
		}
		for _, d := range c.dirs[1:] {
			os.RemoveAll(d)
		}
		tidyRoot(filepath.Dir(c.dir), c.job.Output)
		return
	}
	os.WriteFile(filepath.Join(c.dir, endedFile), nil, 0o600)
	if c.job.Archive != "" {
		c.strip()
	}
	if strings.Contains(filepath.Base(c.dir), keptMark) {
		return
	}
	if aside, err := setAside(c.dir, keptMark); err == nil {
		c.dir = aside
	}
}

// strip removes what the archive in the state directory makes superfluous.
func (c *collector) strip() {
	for _, d := range c.dirs[1:] {
		os.RemoveAll(d)
	}
	names, _ := os.ReadDir(c.dir)
	for _, e := range names {
		switch e.Name() {
		case JobFile, LogFile, KeptArchive, CollectLock, RegisterLock, endedFile:
		default:
			os.Remove(filepath.Join(c.dir, e.Name()))
		}
	}
}

// Main is the body of the collector process of the state directory dir, whose
// lock it holds.
func Main(dir string) error {
	// On long loop bodies a quarter of the work was marking what never dies.
	debug.SetGCPercent(200)
	c, err := newCollector(dir, os.Stderr)
	if err != nil {
		return err
	}
	return c.run()
}

// Recover makes the archive of a recording to output whose collector is gone,
// waits for one that lives, or brings home an archive that could not be
// written. It returns the path of the archive, empty if nothing was recorded to output or left of it.
// With wait false it returns ErrRecording if the program still runs. What it
// waits for is told on progress.
func Recover(output string, wait bool, progress io.Writer) (path string, report Report, err error) {
	if output, err = CanonicalOutput(output); err != nil {
		return "", Report{}, err
	}
	if _, err := os.Stat(output); err == nil {
		path = output
	}
	seen := map[string]bool{}
	for again := true; again; {
		again = false
		for _, dir := range FindStates(output) {
			if seen[dir] {
				continue
			}
			seen[dir] = true
			p, r, e := recoverState(dir, wait, progress)
			switch {
			case errors.Is(e, errGone):
				again = true // it may have been set aside
			case e != nil:
				err = errors.Join(err, e)
				if p == "" {
					continue
				}
			}
			if p == "" {
				if _, e := os.Stat(output); e != nil {
					continue
				}
				p = output
			}
			path, report = p, r
		}
	}
	return path, report, err
}

// errGone is recoverState's for a directory that somebody else dealt with meanwhile.
var errGone = errors.New("the state directory is gone")

// ErrRecording is returned for an output that is being recorded.
var ErrRecording = errors.New("the recording has not ended")

// recoverState deals with one state directory.
func recoverState(dir string, wait bool, progress io.Writer) (string, Report, error) {
	lock, err := electOrWait(dir, wait, progress)
	if err != nil {
		return "", Report{}, err
	}
	if lock == nil {
		return "", Report{}, errGone
	}
	defer lock.Close()
	job, err := ReadJob(dir)
	if err != nil {
		return "", Report{}, err
	}
	// A collector that was killed after it wrote the archive early left more than the archive.
	if _, e := os.Stat(filepath.Join(dir, endedFile)); e == nil && job.Archive != "" {
		return bringHome(dir, job)
	}
	// The log of the lost collector stays readable above ours.
	log, err := os.OpenFile(filepath.Join(dir, LogFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return "", Report{}, err
	}
	defer log.Close()
	c, err := newCollector(dir, log)
	if err != nil {
		return "", Report{}, err
	}
	defer c.control.Close()
	c.began = time.Now().Add(-time.Hour) // whoever has not registered by now is not coming
	c.scan()
	if n := c.alive(); n > 0 {
		if !wait {
			return "", Report{}, fmt.Errorf("%s: %w: %d processes are running, their collector is gone", job.Output, ErrRecording, n)
		}
		fmt.Fprintf(progress, "tabard: %s: collecting until the %d running processes end\n", job.Output, n)
	}
	if err := c.avoidNewer(); err != nil {
		return "", Report{}, err
	}
	err = c.run()
	path := c.job.target()
	if c.job.Taken && !c.written {
		path = c.job.Output
	}
	if c.job.Archive != "" {
		path = filepath.Join(c.dir, c.job.Archive)
		c.report.Kept = true
	}
	if err != nil {
		path = ""
	}
	return path, c.report, err
}

func (c *collector) alive() int {
	n := 0
	for _, p := range c.order {
		if p.watch.alive() {
			n++
		}
	}
	return n
}

// electOrWait takes the lock of the collector of dir. It returns nil if the
// directory went away meanwhile.
func electOrWait(dir string, wait bool, progress io.Writer) (*os.File, error) {
	told := false
	for {
		lock, err := Elect(dir)
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if lock != nil {
			// The directory may have been renamed before we had the lock.
			if _, err := os.Stat(filepath.Join(dir, JobFile)); err != nil {
				lock.Close()
				return nil, nil
			}
			return lock, nil
		}
		if !wait {
			return nil, ErrRecording
		}
		if !told {
			told = true
			fmt.Fprintln(progress, "tabard: waiting for the recording to end")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
