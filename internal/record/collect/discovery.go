package collect

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// discovery is what is known of the directories that a collector watches.
type discovery struct {
	dirs    []*safefile.Dir // where segments and checkpoints may be, the state directory first
	ignored map[string]bool // names of files that make no sense
	seen    uint32          // how many files had been announced before the last look
	retry   bool            // a file was not ready: look again whatever was announced
	blind   atomic.Bool     // a directory cannot be listed, as when its file system is gone
}

// newDiscovery begins to watch the state directory, and the one where large segments go if there is
// one.
func newDiscovery(dirs []*safefile.Dir) *discovery {
	return &discovery{dirs: dirs, ignored: map[string]bool{}, retry: true}
}

// scan makes new registrations and segments known, if any were announced, and notices that the file system is gone.
func (c *collector) scan() {
	_, gone := c.dir.Self()
	if n := c.control.Files(); n != c.seen || c.retry || c.control.Lost() || gone != nil {
		c.look()
	}
}

// look makes known all registrations and segments that there are. What a process that is dead has
// left must be looked for in this way: it may have been killed before it announced a file.
func (c *collector) look() {
	c.seen, c.retry = c.control.Files(), false // first: what comes meanwhile is looked for again
	blind := false
	for _, dir := range c.dirs {
		names, err := c.list(dir)
		if err != nil {
			c.retry, blind = true, true
			if !c.blind.Load() {
				c.logf("%v", err)
			}
		}
		for _, name := range names {
			if c.ignored[name] {
				continue
			}
			if err := c.file(dir, name); err != nil {
				c.notReady(name, err)
			}
		}
	}
	c.blind.Store(blind)
}

// list lists a directory. It may be that there are no descriptors for a moment.
func (c *collector) list(dir *safefile.Dir) ([]string, error) {
	for try := 0; ; try++ {
		names, err := dir.Names()
		if errors.Is(err, fs.ErrNotExist) {
			return names, nil
		}
		if err == nil || try == listTries || c.blind.Load() {
			return names, err
		}
		time.Sleep(listPause)
	}
}

// How long a directory that cannot be listed is tried for.
const (
	listTries = 100
	listPause = 20 * time.Millisecond
)

// notReady deals with a file that cannot be used. A process may take any time to set a segment up: the
// file is looked at again until its process was dead before a look.
func (c *collector) notReady(name string, err error) {
	id, _, _, ok := ring.ParseSegmentName(name)
	p := c.procs[id]
	if ok && p != nil && !p.watch.dead {
		c.retry = true
		return
	}
	c.ignored[name] = true
	c.logf("left out: %v", err)
	if p != nil && !errors.Is(err, ring.ErrNotSetUp) {
		p.complain("records are lost: %v", err)
	}
}

// file takes notice of a file in a state directory.
func (c *collector) file(d *safefile.Dir, name string) error {
	if id, thread, _, ok := ring.ParseSegmentName(name); ok {
		p := c.process(id)
		if p.finished {
			return nil
		}
		if err := p.addSegment(d, name, thread); err != nil {
			return err
		}
		c.keepRaw(p, p.chains[thread])
		return nil
	}
	if id, ok := registered(name); ok {
		p := c.process(id)
		if p.reg != nil {
			return nil
		}
		var err error
		p.reg, err = readRegistration(d, name)
		return err
	}
	return nil
}

// registered says whose registration a file is.
func registered(name string) (id ring.ProcessID, ok bool) {
	if s, is := strings.CutPrefix(name, rankPrefix); is {
		return ring.ParseProcessID(s)
	}
	return id, false
}

// byNumber orders processes.
func byNumber(a, b ring.ProcessID) int {
	return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.Start, b.Start))
}

func (c *collector) process(id ring.ProcessID) *process {
	p := c.procs[id]
	if p == nil {
		var err error
		p, err = loadProcess(c.dirs, id)
		if err != nil {
			c.logf("process %d: %v", id.PID, err)
		}
		if p == nil {
			p = newProcess(id, !c.control.NoTiming())
			p.dir = c.dir
			if err != nil {
				p.complain("a checkpoint could not be used: %v", err)
			}
		} else {
			c.logf("process %d: continued from its checkpoint %d", id.PID, p.gen)
		}
		p.watch = newWatch(id)
		p.mode, p.ticks, p.nanos = c.timingMode(), ticks(), ring.MonotonicNS()
		c.procs[id] = p
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
	ch.raw = openRaw(c.job.KeepRaw, c.job.mode(), c.job.Created.UnixNano(), p.id, ch, ch.raw)
	if ch.raw.err != nil {
		c.logf("raw log: %v", ch.raw.err)
		p.complain("the raw log is incomplete: %v", ch.raw.err)
	}
}
