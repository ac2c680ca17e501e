package collect

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/symbol"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// checkpointDue says that p's state should be made durable. That is so when what was taken in is
// large against the cost of a checkpoint, or when a thread is about to run out of segments, or may have run out of
// them: it is between two, as it is for a moment each time. perThread is the number of segments of a ring, which need
// not be able to grow as far.
func (p *process) checkpointDue(perThread int) bool {
	if p.consumed > p.pace() {
		return true
	}
	for _, c := range p.chains {
		if c == nil {
			continue
		}
		if n := c.waiting(); n >= max(1, perThread*3/4) || n > 0 && !c.find() {
			return true
		}
	}
	return false
}

// encode is the durable state of p.
func (p *process) encode() ([]byte, error) {
	e := &encoder{byteio.Writer{Out: []byte(checkpointMagic)}}
	e.Uvarint(uint64(p.id.PID))
	e.Uvarint(p.id.Start)
	e.Uvarint(p.gen + 1)
	e.Uvarint(p.broken)
	e.Uvarint(p.missing)
	e.Bool(p.timing)
	e.Uvarint(uint64(len(p.problems)))
	for _, s := range p.problems {
		e.Text(s)
	}
	state, err := p.syms.AppendState(nil)
	if err != nil {
		return nil, err
	}
	e.Sized(state)
	log := p.journal()
	e.Uvarint(uint64(log.size))
	e.Sized(log.tail)
	cs := p.live()
	e.Uvarint(uint64(len(cs)))
	for _, c := range cs {
		e.Uvarint(uint64(c.thread))
		e.Uvarint(uint64(c.tid))
		e.Uvarint(c.seq)
		e.Uvarint(uint64(c.off))
		e.Bool(c.begun)
		e.Bool(c.skip)
		e.Uvarint(c.last)
		e.Uvarint(c.raw.length())
		e.stream(c.s)
	}
	return seal(e.Out), nil
}

// decodeProcess is the inverse of encode. Its chains have no segments yet. Spools are in dir.
func decodeProcess(b []byte, dir *safefile.Dir, open spoolOpener) (*process, error) {
	body, err := unseal(b)
	if err != nil {
		return nil, err
	}
	d := decode(body)
	p := newProcess(d.processID(), false)
	p.durable = len(b)
	p.gen, p.broken, p.missing, p.timing = d.Uvarint(), d.Uvarint(), d.Uvarint(), d.Bool()
	for i, n := 0, d.Count(); i < n && d.Err == nil; i++ {
		p.problems = append(p.problems, string(d.Sized()))
	}
	state := d.Sized()
	size, tail := d.Uvarint(), d.Sized()
	if d.Err != nil {
		return nil, d.Err
	}
	log, err := open(dir, journalName(p.id), int64(size), bytes.Clone(tail))
	if err != nil {
		return nil, err
	}
	if err := p.restore(state, log); err != nil {
		return nil, err
	}
	for i, n := 0, d.Count(); i < n && d.Err == nil; i++ {
		thread := d.Uvarint()
		if thread >= maxThreads {
			return nil, errCheckpoint
		}
		c := p.chain(int(thread))
		c.tid, c.seq, c.off = int(d.Uvarint()), d.Uvarint(), int(d.Uvarint())
		c.begun, c.skip, c.last = d.Bool(), d.Bool(), d.Uvarint()
		if n := d.Uvarint(); n > 0 {
			c.raw = &rawFile{size: int64(n)}
		}
		if c.s, err = d.stream(p, dir, spoolName(p.id, c.thread), open); err != nil {
			return nil, err
		}
	}
	p.changed = true
	p.dir = dir
	return p, d.Err
}

// journal brings the journal of the symbols up to date.
func (p *process) journal() *spool {
	if p.log == nil && p.dir != nil {
		p.log, _ = newSpool(p.dir, journalName(p.id), 0, nil)
	}
	if p.log == nil {
		p.log = &spool{}
	}
	if news := p.syms.Journal(); len(news) > 0 {
		p.log.add(news)
	}
	return p.log
}

// restore makes the symbols from their state and their journal.
func (p *process) restore(state []byte, log *spool) error {
	all, err := io.ReadAll(log.reader())
	if err == nil {
		p.syms, err = symbol.RestoreProcess(state, all)
	}
	if err != nil {
		log.close()
		return err
	}
	p.log = log
	return nil
}

func journalName(id ring.ProcessID) string { return id.String() + ".journal" }

func checkpointName(id ring.ProcessID) string { return id.String() + ".ckpt" }

// checkpoint makes p's state durable in one of dirs and then hands the
// segments that it covers back to the program. If no directory can hold it, the
// segments are handed back all the same: a program that waits for ever would be worse
// than a recording that a crash of the collector shortens.
func (p *process) checkpoint(dirs []*safefile.Dir) error {
	began := time.Now()
	for _, c := range p.live() {
		if err := c.raw.flush(); err != nil && !c.rawFailed {
			c.rawFailed = true
			p.complain("the raw log is incomplete: %v", err)
		}
	}
	b, err := p.encode()
	if err == nil {
		err = p.store(dirs, b)
	}
	if err == nil {
		p.gen++
		p.durable = len(b)
		beGenerous(p.durable)
	}
	p.consumed, p.took = 0, plausible(p.took, time.Since(began))
	for _, c := range p.live() {
		c.release(c.seq, err == nil)
	}
	return err
}

// plausible is how long a checkpoint seems to take, by what the last one seemed to take and what this one took: on a
// busy node that includes what others did now and then, and the ring would grow for that.
func plausible(before, now time.Duration) time.Duration {
	return min(now, 2*before+50*time.Microsecond)
}

func (p *process) store(dirs []*safefile.Dir, b []byte) error {
	var errs []error
	for i, dir := range dirs {
		err := dir.WriteFile(checkpointName(p.id), b, false) // a state directory outlives processes, not the machine
		if err == nil {
			for k, other := range dirs {
				if k != i {
					other.Remove(checkpointName(p.id))
				}
			}
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// loadProcess restores the newest readable checkpoint of a process in dirs. Without
// one it returns nil; the error then says why a checkpoint that exists was not used.
func loadProcess(dirs []*safefile.Dir, id ring.ProcessID) (*process, error) {
	found, err := findCheckpoints(dirs, id)
	// To restore one cuts the files beside it to its time.
	return restoreNewest(found, dirs[0], newSpool, err)
}

// A candidate is a checkpoint of a process.
type candidate struct {
	path string
	b    []byte
	gen  uint64
}

// findCheckpoints reads the checkpoints of a process, the newest first. The error says which cannot be used.
func findCheckpoints(dirs []*safefile.Dir, id ring.ProcessID) ([]candidate, error) {
	var found []candidate
	var errs []error
	for _, dir := range dirs {
		c := candidate{path: dir.Join(checkpointName(id))}
		var err error
		if c.b, err = dir.ReadFile(checkpointName(id), math.MaxInt64-1); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			c.gen, err = generation(c.b, id)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.path, err))
			continue
		}
		found = append(found, c)
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.gen, a.gen) })
	return found, errors.Join(errs...)
}

// restoreNewest makes a process of the first checkpoint that can be used, whose spools are in dir. errs are errors of
// others.
func restoreNewest(found []candidate, dir *safefile.Dir, open spoolOpener, errs ...error) (*process, error) {
	for _, c := range found {
		p, err := decodeProcess(c.b, dir, open)
		if err == nil {
			return p, errors.Join(errs...)
		}
		errs = append(errs, fmt.Errorf("%s: %w", c.path, err))
	}
	return nil, errors.Join(errs...)
}

// generation is the number of a checkpoint of a process.
func generation(b []byte, id ring.ProcessID) (uint64, error) {
	body, err := unseal(b)
	if err != nil {
		return 0, err
	}
	d := decode(body)
	of, gen := d.processID(), d.Uvarint()
	if d.Err == nil && of != id {
		d.Stop(errCheckpoint)
	}
	return gen, d.Err
}

func (d *decoder) processID() ring.ProcessID {
	return ring.ProcessID{PID: int(d.Uvarint()), Start: d.Uvarint()}
}
