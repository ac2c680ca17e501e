package timeline

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
	"github.com/tabard-hpc/tabard/spec"
)

// Limits of a grid.
const (
	MaxColumns = 1 << 14
	MaxCells   = 1 << 22
)

// Options are what Of looks at.
type Options struct {
	// Columns is the number of columns, from 1 to MaxColumns.
	Columns int
	// MaxRows is how many rows there are at most: where more threads are
	// selected, a row stands for several. 0 is as many as MaxCells allows.
	MaxRows int
	// MaxSpans is up to how many calls in the window are listed.
	MaxSpans int
	// Exact is up to how many calls are all looked at, 0 for DefaultExact. Of more, the time
	// that goes to each category is taken from summaries of ranges of calls, see Result.Blur.
	Exact uint64
	// Order is the streams of the rows in blocks: a row has streams of one block only. Streams of which nothing is
	// selected are passed over, and such as are in no block left out. Nil is one block of all, by process.
	Order [][]int
	// Waiting is the stretches of the selected calls of a stream in which they wait for other processes, by call; nil
	// if that is not known. It is called by several goroutines.
	Waiting func(stream int) []Stretch
	// Clock corrects a time of a stream's process; nil for none.
	Clock func(s *archive.Stream, t time.Duration) time.Duration
	// Progress is called now and then, by several goroutines, with the number of
	// calls that have been read and the number of all.
	Progress func(done, total uint64)
}

// Result is a timeline.
type Result struct {
	// From and To are the window.
	From, To time.Duration
	Columns  int
	Rows     []Row
	// Calls is the number of calls in the window.
	Calls uint64
	// Blur is 0 if each call was looked at. Else some shares are the means of stretches of
	// time, of which this is the longest.
	Blur time.Duration
	// Total is the share of each category in the time that is known of.
	Total [NumCategories]float64
	// TotalWaiting is the part of each of them that is waiting for other processes.
	TotalWaiting [NumCategories]float64
	// Spans tells whether the calls are listed in the rows.
	Spans bool

	// shares are by row, column and category; waiting, the parts of them that are waiting for other processes, too.
	shares, waiting []float64
	rowOf           map[int]int // rows of streams
}

// Row is one thread, or several.
type Row struct {
	// Block is the index in Options.Order.
	Block int
	// First and Last are the numbers of the first and last stream of the row.
	First, Last int
	// Rank and LastRank are those of these streams' processes, -1 without one; World and
	// Thread are those of the first.
	Rank, LastRank, World, Thread int
	// Threads is how many streams the row stands for.
	Threads int
	// From and To are the time within the window in which anything is known of these.
	From, To time.Duration
	// Spans are the calls in the window in the order of their starts, if Result.Spans is set.
	Spans []Span
}

// Span is a call.
type Span struct {
	Start, End time.Duration
	Func       *spec.Func
	Category   Category
	Call       uint64 // number of the call in its stream
	// Unfinished calls did not return.
	Unfinished bool
	// WaitFrom and WaitTo is the stretch of it in which it waits for another process; equal for none.
	WaitFrom, WaitTo time.Duration
}

// Stretch is a part of a call.
type Stretch struct {
	Call     uint64 // number of the call in its stream
	Category Category
	From, To time.Duration
}

// Shares is the share of each category in the time of a cell. What they lack to 1 is not known.
func (r *Result) Shares(row, col int) []float64 {
	i := (row*r.Columns + col) * int(NumCategories)
	return r.shares[i : i+int(NumCategories) : i+int(NumCategories)]
}

// Waiting is the part of each category in a cell that is waiting for other processes, within its share; nil if that is
// not known.
func (r *Result) Waiting(row, col int) []float64 {
	if r.waiting == nil {
		return nil
	}
	i := (row*r.Columns + col) * int(NumCategories)
	return r.waiting[i : i+int(NumCategories) : i+int(NumCategories)]
}

// RowOf is the row that a stream is in, known with Options.Waiting.
func (r *Result) RowOf(stream int) (row int, ok bool) {
	row, ok = r.rowOf[stream]
	return row, ok
}

// ErrUntimed is the error for an archive without times of calls.
var ErrUntimed = errors.New("the recording has no times of single calls (record --timing=off or aggregate): " +
	"record with --timing=lossy or lossless")

// job is what the workers share.
type job struct {
	o     Options
	sel   *selection.Resolved
	parts []*selection.Part
	lives []life
	rows  [][2]int // ranges of parts
	r     *Result
	total uint64
	calls atomic.Uint64 // that have been read
	mu    sync.Mutex    // protects Result.Blur
}

// life is the time that the selected part of a stream spans.
type life struct{ from, to time.Duration }

// Of computes the timeline of what is selected. The window is that of the
// selection, within the trace; with time steps or a region it is from the first call of
// any rank to the last one.
func Of(sel *selection.Resolved, o Options) (*Result, error) {
	j := &job{o: o, sel: sel, r: &Result{Columns: max(1, min(o.Columns, MaxColumns))}}
	if j.o.Exact == 0 {
		j.o.Exact = DefaultExact
	}
	if err := j.open(); err != nil {
		return nil, err
	}
	if err := j.window(); err != nil {
		return nil, err
	}
	most := MaxCells / j.r.Columns
	if o.MaxRows > 0 {
		most = min(most, o.MaxRows)
	}
	j.arrange(max(1, most))
	j.r.shares = make([]float64, len(j.r.Rows)*j.r.Columns*int(NumCategories))
	if o.Waiting != nil {
		j.r.waiting = make([]float64, len(j.r.shares))
	}
	for _, p := range j.parts {
		j.total += p.Range.Len()
	}
	j.r.Spans = j.total <= uint64(max(o.MaxSpans, 0))
	if err := workers.Each(len(j.r.Rows), j.fill); err != nil {
		return nil, err
	}
	for _, p := range j.parts {
		if p.Range.Len() == 0 {
			continue
		}
		n, err := p.ProgramCalls()
		if err != nil {
			return nil, err
		}
		j.r.Calls += n
	}
	j.sum()
	return j.r, nil
}

// open finds the streams: in the order of their processes, not of classes.
func (j *job) open() (err error) {
	if j.parts, err = j.sel.LivingParts(); err != nil || len(j.parts) > 0 {
		return err
	}
	for s := range j.sel.Archive.Streams() {
		if s.Timed() {
			return errors.New("no calls are selected: the ranks make none then, and none before and after")
		}
	}
	return ErrUntimed
}

// at is the time of a stream's ticks.
func (j *job) at(s *archive.Stream) func(ticks uint64) time.Duration {
	at := s.TickTime()
	if j.o.Clock == nil {
		return at
	}
	return func(ticks uint64) time.Duration { return j.o.Clock(s, at(ticks)) }
}

// window finds the window of time.
func (j *job) window() error {
	first, last := time.Duration(math.MaxInt64), time.Duration(math.MinInt64)
	for _, p := range j.parts {
		l, err := j.life(p)
		if err != nil {
			return err
		}
		j.lives = append(j.lives, l)
		first, last = min(first, l.from), max(last, l.to)
	}
	if s := j.sel.Selection; s.Steps == nil && s.Within == nil {
		// The whole trace, but for what the window cuts.
		length, err := selection.Length(j.sel.Archive)
		if err != nil {
			return err
		}
		first = min(first, 0)
		last = max(last, length)
	}
	j.r.From, j.r.To = max(first, j.sel.From), min(last, j.sel.To)
	if j.r.To <= j.r.From {
		j.r.To = j.r.From + 1
	}
	return nil
}

// life begins at the end of the call before the part, as computation before a
// call belongs to it, and ends with the part's last call, or if that is where the window
// cuts with the begin of the next one.
func (j *job) life(p *selection.Part) (l life, err error) {
	t, err := p.Stream.Timing()
	if err != nil {
		return l, err
	}
	at := j.at(p.Stream)
	var from, to uint64
	if p.Range.From == 0 {
		_, _, from, _ = t.Block(0)
	} else {
		_, from = t.At(p.Range.From - 1)
	}
	switch {
	case p.Range.To == t.Len():
		_, _, _, to = t.Block(t.Blocks() - 1)
	case j.sel.Selection.Steps == nil && j.sel.Selection.Within == nil:
		to, _ = t.At(p.Range.To)
	default:
		_, to = t.At(p.Range.To - 1)
	}
	return life{at(from), at(to)}, broken(p.Stream, t.Err())
}

// broken is the error of the times of a stream.
func broken(s *archive.Stream, err error) error {
	if err == nil {
		return nil
	}
	return &archive.FormatError{File: s.Archive().File(), Section: "timing", Offset: -1, Msg: err.Error(),
		Hint: "the file is damaged: copy it again"}
}

// arrange puts the parts into their order, and into at most so many rows.
func (j *job) arrange(most int) {
	var blocks [][]int
	if o := j.o.Order; o == nil || len(o) > most {
		blocks = [][]int{make([]int, len(j.parts))}
		for i := range j.parts {
			blocks[0][i] = i
		}
	} else {
		of := map[int]int{}
		for i, p := range j.parts {
			of[p.Stream.Index()] = i
		}
		for _, streams := range o {
			var b []int
			for _, s := range streams {
				if i, ok := of[s]; ok {
					b = append(b, i)
				}
			}
			blocks = append(blocks, b)
		}
	}
	bin := 1 // streams in a row
	for rowsOf(blocks, bin) > most {
		bin++
	}
	if j.o.Waiting != nil {
		j.r.rowOf = make(map[int]int, len(j.parts))
	}
	var parts []*selection.Part
	var lives []life
	for n, b := range blocks {
		for from := 0; from < len(b); from += bin {
			at := len(parts)
			for _, i := range b[from:min(from+bin, len(b))] {
				if j.r.rowOf != nil {
					j.r.rowOf[j.parts[i].Stream.Index()] = len(j.rows)
				}
				parts, lives = append(parts, j.parts[i]), append(lives, j.lives[i])
			}
			j.rows = append(j.rows, [2]int{at, len(parts)})
			row := rowOf(parts[at:])
			row.Block = n
			j.r.Rows = append(j.r.Rows, row)
		}
	}
	j.parts, j.lives = parts, lives
}

// rowsOf is how many rows blocks take with bin streams in each.
func rowsOf(blocks [][]int, bin int) (n int) {
	for _, b := range blocks {
		n += (len(b) + bin - 1) / bin
	}
	return n
}

func rowOf(parts []*selection.Part) Row {
	first, last := parts[0].Stream, parts[len(parts)-1].Stream
	a, b := first.Rank(), last.Rank()
	return Row{First: first.Index(), Last: last.Index(), Rank: a.Rank, LastRank: b.Rank, World: a.World,
		Thread: first.Thread(), Threads: len(parts)}
}

// sum adds up the shares of each category.
func (j *job) sum() {
	r := j.r
	all := 0.0
	for row := range r.Rows {
		for col := range r.Columns {
			for c, v := range r.Shares(row, col) {
				v *= float64(r.Rows[row].Threads)
				r.Total[c] += v
				all += v
			}
			for c, v := range r.Waiting(row, col) {
				r.TotalWaiting[c] += v * float64(r.Rows[row].Threads)
			}
		}
	}
	for c := range r.Total {
		r.Total[c] /= max(all, math.SmallestNonzeroFloat64)
		r.TotalWaiting[c] /= max(all, math.SmallestNonzeroFloat64)
	}
}
