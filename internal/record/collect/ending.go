package collect

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// A gap is that the segment at the position of a chain is not there, while a later one is.
type gap struct {
	seq   uint64
	since time.Time
}

// checkStuck goes on behind segments that are gone. They are believed gone when a later one has been there for a
// second, and they are not found then either. A chain that grows all the time is often before a segment that nobody has
// looked for yet, each time another one.
func (c *collector) checkStuck() {
	looked := false
	for _, p := range c.order {
		if p.finished {
			continue
		}
		for _, ch := range p.live() {
			if ch.find() && !ch.abandoned() || !ch.beyond() {
				delete(c.stuck, ch)
				continue
			}
			switch g, ok := c.stuck[ch]; {
			case !ok || g.seq != ch.seq:
				c.stuck[ch] = gap{ch.seq, time.Now()}
			case time.Since(g.since) > time.Second:
				if !looked {
					c.look()
					looked = true
				}
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
	if ended, _ := p.syms.Ended(); !ended && len(p.live()) > 0 && c.blind.Load() {
		// What is mapped can still be read, though the program may have written elsewhere for long: see guard.c.
		p.missing++
		p.complain("the directory of its files could not be read when it ended: calls may be missing")
	}
	p.end = p.howEnded()
	if strings.HasPrefix(p.end, "killed") || strings.HasPrefix(p.end, "exited with") { // it was watched
		p.died = time.Now()
	}
	for _, ch := range p.live() {
		if err := ch.raw.close(); err != nil {
			p.complain("the raw log is incomplete: %v", err)
		}
		ch.close()
	}
	if len(p.chains) > 0 {
		c.logf("process %d: %s, %d calls", p.id.PID, p.end, p.calls())
	}
}

// exited is how a process ended in order whose exit status is not known.
const exited = "exited"

// abruptly ends the text of how a process ended that did not say so.
const abruptly = " abruptly"

// howEnded describes the end of a dead process.
func (p *process) howEnded() string {
	ended, final := p.syms.Ended()
	status := p.watch.exitStatus()
	switch {
	case status == "" && !ended:
		return "ended" + abruptly
	case status == "":
		status = exited
	case !ended && strings.HasPrefix(status, "exited"):
		return status + abruptly // by _exit
	}
	if ended && !final {
		status += " without MPI_Finalize"
	}
	return status
}

// calls is how many calls of the program were recorded.
func (p *process) calls() uint64 {
	n := uint64(0)
	for _, c := range p.live() {
		n += c.s.calls - c.s.own
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
	return c.complete() && !c.moreMayCome()
}

// moreMayCome says that not all ranks of this node have registered, and that their launcher may still start them.
func (c *collector) moreMayCome() bool {
	if n, _ := c.registered(); n >= c.job.LocalRanks || c.job.Launcher.PID == 0 {
		return false
	}
	if c.launcher == nil {
		c.launcher = newWatch(c.job.Launcher)
	}
	return c.launcher.alive()
}

// finalized writes the archive when all processes are through MPI_Finalize: the last one waits for that, so that the
// file is there when the launcher returns, and can say how large it is.
func (c *collector) finalized() error {
	_, traced := c.registered()
	if c.early || traced == 0 || c.control.Finalized() < traced || c.job.LocalRanks > 0 && !c.complete() {
		return nil
	}
	c.early = true
	c.control.SetArchive(ring.ArchiveWriting)
	defer c.control.SetArchive(ring.ArchiveDone)
	if c.job.Taken {
		return nil
	}
	c.look()
	c.drainPublished()            // the records of MPI_Finalize were published before it was counted
	if c.job.Keeps && c.written { // it was written a moment ago, and will be at the end
		c.tell(c.lines())
		return nil
	}
	c.provisional = true
	err := c.archive()
	c.provisional = false
	c.handed = map[ring.ProcessID]uint64{}
	for _, p := range c.order {
		c.handed[p.id] = p.calls()
	}
	if err != nil {
		c.tell(notWritten(err))
		return err
	}
	c.tell(c.lines())
	return nil
}

// end writes the archive and dissolves the state directory, unless a process
// has registered in the meantime.
func (c *collector) end() (bool, error) {
	lock, err := c.dir.Lock(RegisterLock, unix.LOCK_EX)
	if err == nil {
		defer lock.Close()
	}
	c.look()
	if !c.over() {
		return false, nil
	}
	c.passesOn = c.dir.Has(jobsFile)
	// Without calls it would take the place of a recording that has some. What a script itself does beside jobs that
	// have recordings of their own is kept if it called MPI.
	if (c.passesOn || c.job.OfScript && c.calls() == 0) && c.control.Initialized() == 0 {
		c.job.Taken = true
	}
	changed := slices.ContainsFunc(c.order, func(p *process) bool { return p.changed })
	if (c.job.Taken || c.early && c.written && c.job.Archive == "" && !c.job.Keeps) && !c.deviates() {
		err = nil // nothing is to be said that was not said when the processes left MPI_Finalize
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
		p.closeFiles()
	}
	c.dissolve(err == nil && c.job.Archive == "")
	c.say(err)
	return true, err
}

// dissolve ends the state directory: it is removed if the archive is safe
// where it should be, else set aside for a recovery.
func (c *collector) dissolve(safe bool) {
	if safe {
		if c.job.Taken || c.partFile() == "" {
			Release(c.job.Output, c.job.Claim) // unless the recording has taken the place
		}
		path := c.dir.Path()
		setAside(c.dir, removedMark) // if that is impossible, the next job waits until it is empty
		if err := removeState(c.dir); err != nil {
			c.logf("%v", err)
		}
		c.removeSpills()
		tidyRoot(filepath.Dir(path), c.job.Output)
		return
	}
	c.dir.WriteFile(endedFile, nil, false)
	if c.job.Archive != "" {
		c.strip()
	}
	if !strings.Contains(filepath.Base(c.dir.Path()), keptMark) {
		setAside(c.dir, keptMark)
	}
}

func (c *collector) removeSpills() {
	for _, d := range c.dirs[1:] {
		if err := removeState(d); err != nil {
			c.logf("%v", err)
		}
		tidyRoot(filepath.Dir(d.Path()), c.job.Output)
	}
}

// removeState removes an open state directory, or a second place, with what is ours in it.
func removeState(d *safefile.Dir) error {
	err := d.Clear(ofState)
	root, e := safefile.OpenPrivate(filepath.Dir(d.Path()))
	if e != nil {
		return errors.Join(err, e)
	}
	defer root.Close()
	if d.IsAt(d.Path()) {
		err = errors.Join(err, root.RemoveDir(filepath.Base(d.Path())))
	}
	return err
}

// strip removes what the archive in the state directory makes superfluous.
func (c *collector) strip() {
	c.removeSpills()
	c.dir.Clear(func(name string) bool {
		switch name {
		case JobFile, LogFile, KeptArchive, CollectLock, RegisterLock, endedFile:
			return false
		}
		return ofState(name)
	})
}
