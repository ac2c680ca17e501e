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

// timedLines are lines of text with times, added in any order and read in that of their times; what was added before
// stays in front where times are equal. Sorted runs of them go to a file without a name.
type timedLines struct {
	text  []byte
	index []timedLine
	runs  []int64 // where each begins in file
	size  int64
	file  *os.File
}

// timedLine is a line in memory.
type timedLine struct {
	at       int64
	from, to int32 // in text
}

// runText is how much text is in memory.
const runText = 8 << 20

func (l *timedLines) add(at int64, line []byte) error {
	l.index = append(l.index, timedLine{at, int32(len(l.text)), int32(len(l.text) + len(line))})
	l.text = append(l.text, line...)
	if len(l.text) < runText {
		return nil
	}
	return l.spill()
}

// spill writes a run.
func (l *timedLines) spill() (err error) {
	if l.file == nil {
		if l.file, err = safefile.Unnamed(); err != nil {
			return err
		}
	}
	slices.SortFunc(l.index, func(a, b timedLine) int {
		return cmp.Or(cmp.Compare(a.at, b.at),
			cmp.Compare(a.from, b.from))
	})
	w := bufio.NewWriterSize(l.file, 1<<16)
	l.runs = append(l.runs, l.size)
	var head []byte
	for _, x := range l.index {
		head = binary.AppendUvarint(binary.AppendUvarint(head[:0], uint64(x.at)), uint64(x.to-x.from))
		l.size += int64(len(head)) + int64(x.to-x.from)
		w.Write(head)
		w.Write(l.text[x.from:x.to])
	}
	l.text, l.index = l.text[:0], l.index[:0]
	return w.Flush()
}

// writeTo writes all lines in order.
func (l *timedLines) writeTo(w io.Writer) error {
	if err := l.spill(); err != nil {
		return err
	}
	var heads lineHeap
	for i, from := range l.runs {
		to := l.size
		if i+1 < len(l.runs) {
			to = l.runs[i+1]
		}
		r := &lineRun{number: i, r: bufio.NewReaderSize(io.NewSectionReader(l.file, from, to-from), 1<<16)}
		more, err := r.next()
		if err != nil {
			return err
		}
		if more {
			heads = append(heads, r)
		}
	}
	heap.Init(&heads)
	for len(heads) > 0 {
		r := heads[0]
		if _, err := w.Write(r.line); err != nil {
			return err
		}
		more, err := r.next()
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&heads, 0)
		} else {
			heap.Pop(&heads)
		}
	}
	return nil
}

func (l *timedLines) close() {
	if l.file != nil {
		l.file.Close()
	}
}

// lineRun is a sorted run.
type lineRun struct {
	number int
	at     uint64
	line   []byte
	r      *bufio.Reader
}

func (r *lineRun) next() (more bool, err error) {
	if r.at, err = binary.ReadUvarint(r.r); err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	n, err := binary.ReadUvarint(r.r)
	if err != nil {
		return false, err
	}
	r.line = slices.Grow(r.line[:0], int(n))[:n]
	_, err = io.ReadFull(r.r, r.line)
	return err == nil, err
}

// lineHeap has the run with the earliest line in front.
type lineHeap []*lineRun

func (h lineHeap) Len() int { return len(h) }
func (h lineHeap) Less(i, k int) bool {
	return cmp.Or(cmp.Compare(h[i].at, h[k].at), h[i].number-h[k].number) < 0
}
func (h lineHeap) Swap(i, k int) { h[i], h[k] = h[k], h[i] }

// Push implements heap.Interface.
func (h *lineHeap) Push(x any) { *h = append(*h, x.(*lineRun)) }

// Pop implements heap.Interface.
func (h *lineHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
