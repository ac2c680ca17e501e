package collect

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// discovery is what is known of the directories that a collector watches.
type discovery struct {
	dirs    []*safefile.Dir // where segments and checkpoints may be, the state directory first
	scans   []*dirScan
	ignored map[string]bool // names of files that make no sense
	retry   bool            // a file was not ready: look again whatever the directory says
}

// newDiscovery begins to watch the state directory, and the one where large segments go if there is
// one.
func newDiscovery(dirs []*safefile.Dir) discovery {
	d := discovery{dirs: dirs, ignored: map[string]bool{}}
	for _, dir := range d.dirs {
		d.scans = append(d.scans, &dirScan{dir: dir})
	}
	return d
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
			if err := c.file(c.dirs[i], name); err != nil {
				c.retry = true
				if old := fileAge(c.dirs[i].Join(name)) > startTime; old {
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
func (c *collector) file(d *safefile.Dir, name string) error {
	if pid, thread, _, ok := ring.ParseSegmentName(name); ok {
		p := c.process(pid)
		if p.finished {
			return nil
		}
		fresh := p.start == 0
		if err := p.addSegment(d, name, thread); err != nil {
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
		if p.reg, err = readRegistration(d, name); err != nil {
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

// A dirScan lists a directory when it may have changed.
type dirScan struct {
	dir   *safefile.Dir
	mtime time.Time
	at    time.Time
}

// mtimeGrain is more than the granularity of the time stamps of files.
const mtimeGrain = 20 * time.Millisecond

// names lists the directory, nil if nothing was added or removed since the last time.
func (d *dirScan) names() []string {
	st, err := d.dir.Self()
	if err != nil {
		return nil
	}
	now := time.Now()
	if m := time.Unix(st.Mtim.Unix()); m.Equal(d.mtime) && d.at.Sub(m) > mtimeGrain {
		return nil
	} else {
		d.mtime, d.at = m, now
	}
	names, _ := d.dir.Names()
	return names
}
