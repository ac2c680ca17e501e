package export

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"io"
	"os"
	"slices"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// note is what is known of a call from elsewhere: that an arrow begins or ends at it.
type note struct {
	stream int32
	call   uint64
	// value is the number of the arrow, times two, plus 1 where it ends.
	value uint64
	message
}

// message is what a receive knows of its message.
type message struct {
	source, comm, tag int32
	bytes             int64
}

func (a note) compare(b note) int {
	return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.call, b.call), cmp.Compare(a.value, b.value))
}

const (
	// runNotes is how many notes are in memory; noteBytes is what one takes in the file.
	runNotes  = 1 << 18
	noteBytes = 40
)

// notes are made in any order and read in that of streams and calls: sorted runs of them go to a file without a
// name.
type notes struct {
	last []note
	runs []int64 // where each begins in file
	size int64
	file *os.File

	// For reading.
	heads runHeap
}

func (n *notes) add(x note) error {
	n.last = append(n.last, x)
	if len(n.last) < runNotes {
		return nil
	}
	return n.spill()
}

// spill writes a run.
func (n *notes) spill() (err error) {
	if n.file == nil {
		if n.file, err = safefile.Unnamed(); err != nil {
			return err
		}
	}
	slices.SortFunc(n.last, note.compare)
	w := bufio.NewWriterSize(n.file, 1<<16)
	var b []byte
	for _, x := range n.last {
		b = binary.LittleEndian.AppendUint32(b[:0], uint32(x.stream))
		b = binary.LittleEndian.AppendUint64(b, x.call)
		b = binary.LittleEndian.AppendUint64(b, x.value)
		b = binary.LittleEndian.AppendUint32(b, uint32(x.source))
		b = binary.LittleEndian.AppendUint32(b, uint32(x.comm))
		b = binary.LittleEndian.AppendUint32(b, uint32(x.tag))
		b = binary.LittleEndian.AppendUint64(b, uint64(x.bytes))
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	n.runs = append(n.runs, n.size)
	n.size += int64(len(n.last)) * noteBytes
	n.last = n.last[:0]
	return w.Flush()
}

// rewind begins reading: nothing is added any more.
func (n *notes) rewind() error {
	slices.SortFunc(n.last, note.compare)
	n.heads = runHeap{}
	runs := make([]*run, 0, len(n.runs)+1)
	for i, from := range n.runs {
		to := n.size
		if i+1 < len(n.runs) {
			to = n.runs[i+1]
		}
		runs = append(runs, &run{r: bufio.NewReaderSize(io.NewSectionReader(n.file, from, to-from), 1<<14)})
	}
	for _, r := range append(runs, &run{rest: n.last}) {
		more, err := r.next()
		if err != nil {
			return err
		}
		if more {
			n.heads = append(n.heads, r)
		}
	}
	heap.Init(&n.heads)
	return nil
}

// of appends what is known of a call. Calls are asked for in the order of streams and calls.
func (n *notes) of(dst []note, stream int32, call uint64) ([]note, error) {
	for len(n.heads) > 0 {
		r := n.heads[0]
		c := r.at.compare(note{stream: stream, call: call})
		if c > 0 && (r.at.stream != stream || r.at.call != call) {
			break
		}
		if r.at.stream == stream && r.at.call == call {
			dst = append(dst, r.at)
		}
		more, err := r.next()
		if err != nil {
			return dst, err
		}
		if more {
			heap.Fix(&n.heads, 0)
		} else {
			heap.Pop(&n.heads)
		}
	}
	return dst, nil
}

func (n *notes) close() {
	if n.file != nil {
		n.file.Close()
	}
}

// run is a sorted part of the notes: in a file, or in memory.
type run struct {
	at   note
	r    *bufio.Reader
	rest []note
}

func (r *run) next() (more bool, err error) {
	if r.r == nil {
		if len(r.rest) == 0 {
			return false, nil
		}
		r.at, r.rest = r.rest[0], r.rest[1:]
		return true, nil
	}
	var b [noteBytes]byte
	if _, err := io.ReadFull(r.r, b[:]); err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, err
	}
	word := func(at int) int32 { return int32(binary.LittleEndian.Uint32(b[at:])) }
	r.at = note{word(0), binary.LittleEndian.Uint64(b[4:]), binary.LittleEndian.Uint64(b[12:]),
		message{word(20), word(24), word(28), int64(binary.LittleEndian.Uint64(b[32:]))}}
	return true, nil
}

// runHeap has the run with the least note in front.
type runHeap []*run

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, k int) bool { return h[i].at.compare(h[k].at) < 0 }
func (h runHeap) Swap(i, k int)      { h[i], h[k] = h[k], h[i] }

// Push implements heap.Interface.
func (h *runHeap) Push(x any) { *h = append(*h, x.(*run)) }

// Pop implements heap.Interface.
func (h *runHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
