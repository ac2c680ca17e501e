package collect

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// A spool holds what only grows in a file (the complete blocks of a stream's timing, the journal of
// a process), so that neither memory nor the cost of a checkpoint grows with the number of calls.
// What a full disk refuses stays in memory.
type spool struct {
	f     *os.File
	size  int64  // of the file
	tail  []byte // what comes after it
	fixed bool   // the file is somebody else's
}

func spoolName(id ring.ProcessID, thread int) string { return fmt.Sprintf("%s.%d.times", id, thread) }

// A spoolOpener makes a spool of the first size bytes of a file in d, followed by tail.
type spoolOpener func(d *safefile.Dir, name string, size int64, tail []byte) (*spool, error)

// viewSpool is the spoolOpener of those who only look: what is added stays in memory.
func viewSpool(d *safefile.Dir, name string, size int64, tail []byte) (*spool, error) {
	s := &spool{size: size, tail: tail, fixed: true}
	if size == 0 {
		return s, nil
	}
	f, err := d.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || st.Size() < size {
		f.Close()
		return nil, fmt.Errorf("%s: %w: it should have %d bytes (%v)", d.Join(name), errCheckpoint, size, err)
	}
	s.f = f
	return s, nil
}

// newSpool makes a file in d hold size bytes, which it must have already.
func newSpool(d *safefile.Dir, name string, size int64, tail []byte) (*spool, error) {
	s := &spool{size: size, tail: tail}
	f, err := d.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		if size == 0 {
			return s, nil // all in memory
		}
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.Size() < size {
		err = fmt.Errorf("%s: %d bytes, %w: it had %d", f.Name(), st.Size(), errCheckpoint, size)
	}
	if err == nil {
		err = f.Truncate(size)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	s.f = f
	return s, nil
}

// add is the sink of a timing.Builder.
func (s *spool) add(block []byte) {
	s.tail = append(s.tail, block...)
	if s.f == nil || s.fixed {
		return
	}
	n, err := s.f.WriteAt(s.tail, s.size)
	if err != nil {
		// Written in part, or not at all: memory has it, the next block tries again.
		return
	}
	s.size += int64(n)
	s.tail = s.tail[:0]
}

// reader reads all blocks.
func (s *spool) reader() io.Reader {
	tail := bytes.NewReader(s.tail)
	if s.f == nil {
		return tail
	}
	return io.MultiReader(io.NewSectionReader(s.f, 0, s.size), tail)
}

func (s *spool) close() {
	if s != nil && s.f != nil {
		s.f.Close()
		s.f = nil
	}
}

// spoolTiming makes the blocks of s go to a file in dir. Without a directory they stay in memory.
func (s *stream) spoolTiming(dir *safefile.Dir, name string) {
	if s.timing == nil {
		return
	}
	sp, err := newSpool(dir, name, 0, nil)
	if err != nil {
		return
	}
	s.spool = sp
	s.timing.SetSink(sp.add)
}

func (e *encoder) times(s *stream) {
	e.Sized(s.timing.AppendState(nil))
	e.Bool(s.spool != nil)
	if s.spool != nil {
		e.Uvarint(uint64(s.spool.size))
		e.Sized(s.spool.tail)
	} else {
		e.Sized(s.timing.Sealed())
	}
}

func (d *decoder) times(s *stream, dir *safefile.Dir, name string, open spoolOpener) (err error) {
	state := d.Sized()
	if !d.Bool() {
		blocks := d.Sized()
		if d.Err == nil {
			s.timing, err = timing.Restore(state, s.p.rate, nil, blocks)
		}
		return err
	}
	size, tail := d.Uvarint(), d.Sized()
	if d.Err != nil {
		return d.Err
	}
	if s.spool, err = open(dir, name, int64(size), bytes.Clone(tail)); err != nil {
		return err
	}
	if s.timing, err = timing.Restore(state, s.p.rate, s.spool.add, nil); err == nil &&
		s.timing.SealedBytes() != int64(size)+int64(len(tail)) {
		err = errCheckpoint
	}
	if err != nil {
		s.spool.close()
	}
	return err
}
