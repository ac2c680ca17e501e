package collect

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// The raw log of a thread holds every record as the program wrote it. It is
//
//	eight little-endian words: magic, version, pid, start time of the process
//	(field 22 of /proc/PID/stat), thread, tid, when the recording was created (Unix ns), zero
//	records (internal/record/ring), each with its length in its first word
//	at most one pending entry part: a word rawPending | length in words, then
//	the words; its own length field and return time are not valid
//
// Records of the runtime's own (ids below 64) are in it too.
const (
	rawMagic   = 0x31574152424154ff // "\xffTABRAW1"
	rawVersion = 1
	rawSuffix  = ".raw"
	// rawPending can be no record's first word: records have at least five words.
	rawPending = 0xffff << 48
)

func rawName(id ring.ProcessID, thread int) string {
	return fmt.Sprintf("%s.%d%s", id, thread, rawSuffix)
}

// rawFile writes a raw log. Failures end the log, never the recording.
type rawFile struct {
	f    *os.File
	w    *bufio.Writer
	size int64
	err  error
}

// openRaw opens the log of a chain of the recording that was created at run (Unix ns). resume, if
// not nil, is what a checkpoint knew: what was written after it is written again. mode is that of the archive, which
// says no more than the logs.
func openRaw(dir string, mode os.FileMode, run int64, id ring.ProcessID, c *chain, resume *rawFile) *rawFile {
	r := &rawFile{}
	if r.err = os.MkdirAll(dir, 0o777); r.err != nil {
		return r
	}
	d, err := safefile.OpenDir(dir)
	if r.err = err; err != nil {
		return r
	}
	defer d.Close()
	if r.f, r.err = d.OpenFile(rawName(id, c.thread), os.O_WRONLY|os.O_CREATE, mode); r.err != nil {
		return r
	}
	r.w = bufio.NewWriterSize(r.f, 1<<18)
	if resume != nil {
		r.size = resume.size
	}
	if r.err = r.f.Truncate(r.size); r.err != nil {
		return r
	}
	if _, r.err = r.f.Seek(r.size, io.SeekStart); r.err == nil && r.size == 0 {
		r.words([]uint64{rawMagic, rawVersion, uint64(id.PID), id.Start, uint64(c.thread), uint64(c.tid), uint64(run),
			0})
	}
	return r
}

func (r *rawFile) words(w []uint64) {
	if r.err != nil || len(w) == 0 {
		return
	}
	// The log is in the byte order of the ring, which is little endian on all
	// machines that the runtime supports.
	b := unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 8*len(w))
	if _, r.err = r.w.Write(b); r.err == nil {
		r.size += int64(len(b))
	}
}

func (r *rawFile) record(rec ring.Record) { r.words(rec) }

func (r *rawFile) pending(rec ring.Record) {
	r.words([]uint64{rawPending | uint64(len(rec))})
	r.words(rec)
}

// flush writes what is buffered, so that length is true of the file.
func (r *rawFile) flush() error {
	if r == nil || r.w == nil {
		return nil
	}
	if r.err == nil {
		r.err = r.w.Flush()
	}
	return r.err
}

func (r *rawFile) close() error {
	if r == nil || r.f == nil {
		return nil
	}
	return errors.Join(r.flush(), r.f.Close())
}

func (r *rawFile) length() uint64 {
	if r == nil {
		return 0
	}
	return uint64(r.size)
}

// A RawLog is the raw log of one thread, as --keep-raw wrote it.
type RawLog struct {
	Path        string
	PID         int
	Start       uint64
	Thread, TID int
	// Run is when the recording was created, Unix ns.
	Run int64
	// Empty: nothing was written yet, or ever; nothing but Path is known.
	Empty bool
}

// RawLogs lists the logs in dir by process and thread.
func RawLogs(dir string) ([]RawLog, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var logs []RawLog
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), rawSuffix) {
			continue
		}
		l, err := readRawHeader(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		logs = append(logs, l)
	}
	slices.SortFunc(logs, func(a, b RawLog) int {
		switch {
		case a.PID != b.PID:
			return a.PID - b.PID
		case a.Start != b.Start:
			if a.Start < b.Start {
				return -1
			}
			return 1
		default:
			return a.Thread - b.Thread
		}
	})
	return logs, nil
}

func readRawHeader(path string) (RawLog, error) {
	f, err := safefile.OpenInput(path)
	if err != nil {
		return RawLog{}, err
	}
	defer f.Close()
	var h [8]uint64
	if err := binary.Read(f, binary.LittleEndian, &h); err == io.EOF {
		return RawLog{Path: path, Empty: true}, nil
	} else if err != nil {
		return RawLog{}, fmt.Errorf("%s: not a raw log: %w", path, err)
	}
	if h[0] != rawMagic || h[1] != rawVersion {
		return RawLog{}, fmt.Errorf("%s: not a raw log of this version of tabard", path)
	}
	return RawLog{Path: path, PID: int(h[2]), Start: h[3], Thread: int(h[4]), TID: int(h[5]), Run: int64(h[6])}, nil
}

// RawRecord is an item of a raw log.
type RawRecord struct {
	ring.Record
	// Pending marks the entry part of a call that did not return.
	Pending bool
}

// Records yields the log's records in order. A record is valid until the next
// one is asked for. A log that is cut off or broken ends with an error.
func (l RawLog) Records() iter.Seq2[RawRecord, error] {
	return func(yield func(RawRecord, error) bool) {
		f, err := safefile.OpenInput(l.Path)
		if err != nil {
			yield(RawRecord{}, err)
			return
		}
		defer f.Close()
		r := &rawReader{r: bufio.NewReaderSize(f, 1<<18)}
		r.fill(8)
		r.at = 0
		for {
			rec, err := r.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				err = fmt.Errorf("%s: offset %d: %w", l.Path, 64+r.at, err)
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

type rawReader struct {
	r   io.Reader
	buf []uint64
	at  int64 // bytes after the header
}

// fill reads n words to the end of buf.
func (r *rawReader) fill(n int) error {
	const step = 1 << 16 // a lying length must not make us allocate
	for n > 0 {
		k := min(n, step)
		at := len(r.buf)
		r.buf = append(r.buf, make([]uint64, k)...)
		b := unsafe.Slice((*byte)(unsafe.Pointer(&r.buf[at])), 8*k)
		if _, err := io.ReadFull(r.r, b); err != nil {
			return err
		}
		r.at += int64(8 * k)
		n -= k
	}
	return nil
}

func (r *rawReader) next() (RawRecord, error) {
	r.buf = r.buf[:0]
	if err := r.fill(1); err != nil {
		return RawRecord{}, err
	}
	if w := r.buf[0]; w&rawPending == rawPending {
		r.buf = r.buf[:0]
		n := int(w &^ rawPending)
		if n < ring.HeadWords {
			return RawRecord{}, fmt.Errorf("pending record of %d words", n)
		}
		err := r.fill(n)
		return RawRecord{Record: r.buf, Pending: true}, unexpected(err)
	}
	n := ring.Record(r.buf).Len()
	if n < ring.HeadWords {
		return RawRecord{}, fmt.Errorf("record of %d words", n)
	}
	err := r.fill(n - 1)
	return RawRecord{Record: r.buf}, unexpected(err)
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
