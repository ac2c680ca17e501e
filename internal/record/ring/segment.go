package ring

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// A ProcessID names a process for good, as the kernel uses numbers again. Zero is none.
type ProcessID struct {
	PID int `json:"pid"`
	// Start is field 22 of /proc/PID/stat, 0 if it could not be read.
	Start uint64 `json:"start"`
}

// String is the form in names of files: "PID-START".
func (id ProcessID) String() string { return fmt.Sprintf("%d-%d", id.PID, id.Start) }

// ParseProcessID is the inverse of String.
func ParseProcessID(s string) (id ProcessID, ok bool) {
	if _, err := fmt.Sscanf(s, "%d-%d", &id.PID, &id.Start); err != nil {
		return ProcessID{}, false
	}
	return id, s == id.String()
}

// SegmentName is the name of the k-th segment file of a thread.
func SegmentName(id ProcessID, thread, k int) string { return fmt.Sprintf("s.%s.%d.%d", id, thread, k) }

// ParseSegmentName is the inverse of SegmentName on a base name.
func ParseSegmentName(name string) (id ProcessID, thread, k int, ok bool) {
	if _, err := fmt.Sscanf(name, "s.%d-%d.%d.%d", &id.PID, &id.Start, &thread, &k); err != nil {
		return ProcessID{}, 0, 0, false
	}
	return id, thread, k, name == SegmentName(id, thread, k)
}

// Segment is a mapped segment file.
type Segment struct {
	Path string
	dir  *safefile.Dir
	h    *segmentHeader
	m    *mapping
	data []uint64
}

// ErrNotSetUp is OpenSegment's for a file that its program has not finished setting up: look again later.
var ErrNotSetUp = errors.New("not set up")

// OpenSegment maps a segment file in d.
func OpenSegment(d *safefile.Dir, name string) (*Segment, error) {
	return mapSegment(d, name, os.O_RDWR, safefile.Map)
}

// ViewSegment maps a segment file for somebody who only looks: what is changed in the segment is changed in the copy
// of this process alone. What the program goes on to write is seen, but for pages that were changed here.
func ViewSegment(d *safefile.Dir, name string) (*Segment, error) {
	return mapSegment(d, name, os.O_RDONLY, safefile.View)
}

// CopySegment returns a copy of a segment as it is at one moment, nil if the segment is free. It is for somebody who
// only looks while a collector hands segments back.
func CopySegment(d *safefile.Dir, name string) (*Segment, error) {
	live, err := ViewSegment(d, name)
	if err != nil {
		return nil, err
	}
	defer live.Close()
	for range 1000 {
		if live.State() == SegFree {
			return nil, nil
		}
		if s, err := live.snapshot(); s != nil || err != nil {
			return s, err
		}
	}
	return nil, fmt.Errorf("%s: changes all the time", live.Path)
}

// snapshot copies a segment, nil if it was handed back meanwhile.
func (s *Segment) snapshot() (*Segment, error) {
	state, seq := s.State(), s.Seq()
	// In this order, as for whoever takes records in: what ended before inCall was read is published.
	inCall, published := atomic.LoadUint32(&s.h.InCall), atomic.LoadUint64(&s.h.Published)
	pending := atomic.LoadUint64(&s.h.Pending)
	words := min(int(published/8)+int(pending/8), len(s.data))
	if words < 0 {
		words = 0 // nonsense, which Published and Pending of the copy will see, too
	}
	mem, err := unix.Mmap(-1, 0, HeaderBytes+8*words, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	c := &Segment{Path: s.Path, m: newMapping(mem), h: (*segmentHeader)(unsafe.Pointer(&mem[0]))}
	if words > 0 {
		c.data = unsafe.Slice((*uint64)(unsafe.Pointer(&mem[HeaderBytes])), words)
	}
	copy(c.data, s.data[:words])
	*c.h = segmentHeader{Magic: SegmentMagic, Version: Version, PID: s.h.PID, PIDStart: s.h.PIDStart,
		Thread: s.h.Thread, TID: s.h.TID, Seq: seq, Capacity: uint64(8 * words), Published: published, InCall: inCall,
		State: state}
	// The entry part of the call in progress is whole if nothing has happened meanwhile.
	if atomic.LoadUint64(&s.h.Pending) == pending && atomic.LoadUint64(&s.h.Published) == published {
		c.h.Pending = pending
	}
	if s.Seq() != seq || s.State() != state {
		c.Close()
		return nil, nil
	}
	return c, nil
}

func mapSegment(
	d *safefile.Dir, name string, open int, mapped func(*os.File, int64) ([]byte, error),
) (*Segment, error) {
	path := d.Join(name)
	f, err := d.OpenFile(name, open, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() < HeaderBytes {
		return nil, fmt.Errorf("%s: %w: %d bytes", path, ErrNotSetUp, st.Size())
	}
	mem, err := mapped(f, st.Size())
	if err != nil {
		return nil, err
	}
	s := &Segment{Path: path, dir: d, m: newMapping(mem), h: (*segmentHeader)(unsafe.Pointer(&mem[0]))}
	room := uint64(len(mem) - HeaderBytes)
	switch {
	case atomic.LoadUint64(&s.h.Magic) != SegmentMagic:
		err = fmt.Errorf("%s: %w", path, ErrNotSetUp)
	case s.h.Version != Version:
		err = fmt.Errorf("%s: version %d of the ring, this tabard reads %d", path, s.h.Version, Version)
	case s.h.Capacity > room || s.h.Capacity%8 != 0:
		err = fmt.Errorf("%s: states %d bytes of records, the file holds %d", path, s.h.Capacity, room)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	if s.h.Capacity > 0 {
		s.data = unsafe.Slice((*uint64)(unsafe.Pointer(&mem[HeaderBytes])), s.h.Capacity/8)
	}
	return s, nil
}

// CreateSegment makes a segment file in d as the runtime would, and announces it if there is a control page: for
// tests.
func CreateSegment(d *safefile.Dir, id ProcessID, thread, k int, seq uint64, capacity int) (*Segment, error) {
	f, err := d.Create(SegmentName(id, thread, k), 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(int64(HeaderBytes + capacity)); err != nil {
		return nil, err
	}
	h := segmentHeader{Magic: SegmentMagic, Version: Version, PID: uint32(id.PID), PIDStart: id.Start,
		Thread: uint32(thread),
		TID:    uint32(id.PID), Seq: seq, Capacity: uint64(capacity), State: SegActive}
	if _, err := f.WriteAt(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)), 0); err != nil {
		return nil, err
	}
	if c, err := OpenControl(d); err == nil {
		c.AddFile()
		c.Close()
	}
	return OpenSegment(d, SegmentName(id, thread, k))
}

// Close unmaps the segment.
func (s *Segment) Close() error {
	s.h, s.data = nil, nil
	return s.m.close()
}

// Remove removes the file from its directory, which has to be open still.
func (s *Segment) Remove() error { return s.dir.Remove(filepath.Base(s.Path)) }

// Lost tells whether some of the file is gone: what the program writes there does not arrive.
func (s *Segment) Lost() bool { return s.m.lost.Load() }

// Shortened tells whether the file is shorter than it was when it was mapped: the program may have come upon the end.
func (s *Segment) Shortened() bool {
	var st unix.Stat_t
	return unix.Lstat(s.Path, &st) == nil && st.Size < int64(len(s.m.mem))
}

// Touch accesses the words [from, to), so that whoever works on them need not expect that they are gone.
func (s *Segment) Touch(from, to int) {
	const page = 4096 / 8
	sum := uint64(0)
	for i := from; i < to; i += page {
		sum += s.data[i]
	}
	if to > from {
		sum += s.data[to-1]
	}
	touched.Store(sum)
}

var touched atomic.Uint64 // accesses that have no other use are not left out

// Process, Thread and TID say whose segment this is.
func (s *Segment) Process() ProcessID { return ProcessID{int(s.h.PID), s.h.PIDStart} }
func (s *Segment) Thread() int        { return int(s.h.Thread) }
func (s *Segment) TID() int           { return int(s.h.TID) }

// Seq is the segment's position in its thread's chain.
func (s *Segment) Seq() uint64 { return atomic.LoadUint64(&s.h.Seq) }

// State is one of the Seg constants.
func (s *Segment) State() uint32 { return atomic.LoadUint32(&s.h.State) }

// SetFree hands the segment back to the program. The state that covers its
// records must be durable.
func (s *Segment) SetFree() { atomic.StoreUint32(&s.h.State, SegFree) }

// Once tells that the segment is in no ring: nobody needs its file once a durable state covers its records.
func (s *Segment) Once() bool { return s.h.Once != 0 }

// SetOnce is for tests that play the program.
func (s *Segment) SetOnce() { s.h.Once = 1 }

// SetState is for tests that play the program.
func (s *Segment) SetState(state uint32) { atomic.StoreUint32(&s.h.State, state) }

// SetSeq is for tests that play the program.
func (s *Segment) SetSeq(seq uint64) { atomic.StoreUint64(&s.h.Seq, seq) }

// Capacity is the size of the record area in words.
func (s *Segment) Capacity() int { return len(s.data) }

// Published is the number of words of complete records, never beyond Capacity.
func (s *Segment) Published() int {
	return min(int(atomic.LoadUint64(&s.h.Published)/8), len(s.data))
}

// Publish is for tests that play the program.
func (s *Segment) Publish(words int) { atomic.StoreUint64(&s.h.Published, uint64(words)*8) }

// SetPending is for tests that play the program: the call in progress has an entry part of so many
// words.
func (s *Segment) SetPending(words int) {
	atomic.StoreUint64(&s.h.Pending, uint64(words)*8)
	in := uint32(0)
	if words > 0 {
		in = 1
	}
	atomic.StoreUint32(&s.h.InCall, in)
}

// InCall reports whether the thread is between entry and exit of a call.
func (s *Segment) InCall() bool { return atomic.LoadUint32(&s.h.InCall) != 0 }

// Pending is the entry part of the call in progress, nil if there is none. It
// is only meaningful in the last segment of a chain.
func (s *Segment) Pending() Record {
	n := int(atomic.LoadUint64(&s.h.Pending) / 8)
	at := s.Published()
	if n < RefWords || n > len(s.data)-at {
		return nil
	}
	r := Record(s.data[at : at+n : at+n])
	if n < r.headWords() {
		return nil
	}
	return r
}

// Words are the words [from, to) of the record area. They stay mapped until Close.
func (s *Segment) Words(from, to int) []uint64 { return s.data[from:to:to] }

// SetConsumed tells the program's side how far the collector is, in words.
func (s *Segment) SetConsumed(words int) { atomic.StoreUint64(&s.h.Consumed, uint64(words)*8) }
