package regions

import (
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Band is a stretch of time in which a thread is in a region or a function of the program, or, if these are too short
// to be shown, in several that follow one another.
type Band struct {
	// Level is how many regions it is in.
	Level      int
	Start, End time.Duration
	// Name is empty if the regions have several.
	Name string
	// Times is how many regions it stands for.
	Times uint64
	// Function says that it is a function of the program.
	Function bool
}

// BandOptions say what Bands looks at.
type BandOptions struct {
	From, To time.Duration
	Levels   int           // how many, from the outermost one on
	Least    time.Duration // regions that are shorter are taken together
	At       func(time.Duration) time.Duration
}

// mostBandEvents is up to how many events of a thread are gone through.
const mostBandEvents = 1 << 23

// Bands are the regions of a thread over time, none if it has no times or too many events. Functions of the program are
// among them where they are recorded, from those on that main calls.
func Bands(s *archive.Stream, o BandOptions) ([]Band, error) {
	if !s.Timed() || s.Calls() > mostBandEvents {
		return nil, nil
	}
	terms, err := bandTerminals(s)
	if err != nil {
		return nil, err
	}
	b := &bands{o: o, latest: make([]int, o.Levels)}
	last := o.From
	for c, err := range archive.Events(s, 0) {
		if err != nil {
			return nil, err
		}
		if !c.Timed {
			continue
		}
		start, end := o.At(c.Start), o.At(c.End)
		if start > o.To {
			last = o.To
			break
		}
		last = max(last, end)
		switch t := &terms[c.Terminal]; t.shape {
		case spec.ShapeOpen:
			if t.start && b.start == len(b.open) {
				b.start++
			}
			b.open = append(b.open, Band{Start: start, Name: t.name, Times: 1, Function: t.function})
		case spec.ShapeClose:
			b.close(end)
		case spec.ShapePoint:
			if t.function && start < end {
				b.open = append(b.open, Band{Start: start, Name: t.name, Times: t.calls(c), Function: true})
				b.close(end)
			}
		}
	}
	for len(b.open) > 0 {
		b.close(min(last, o.To))
	}
	if len(b.list) == 0 {
		return b.outer, nil
	}
	return b.list, nil
}

// bandTerminal is what an event is to Bands.
type bandTerminal struct {
	shape           spec.Shape
	name            string
	function, start bool // it is a function of the program; one that starts it
	times           int  // the slot that says how often it was called
}

// calls is how many calls an event stands for.
func (t *bandTerminal) calls(c *archive.Call) uint64 {
	if t.times < len(c.Slots) && c.Slots[t.times].Kind == archive.Int {
		return uint64(max(1, c.Slots[t.times].N))
	}
	return 1
}

// starters are the functions that are around everything: main, and what calls it.
var starters = []string{"_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main", "main",
	"MAIN__"}

func bandTerminals(s *archive.Stream) ([]bandTerminal, error) {
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	calls := spec.ByName("function_calls")
	out := make([]bandTerminal, len(sigs))
	for t, sig := range sigs {
		f := spec.ByID(sig.Func)
		x := &out[t]
		x.shape, x.function = f.Shape, f == calls || f.Name == "function_open"
		if x.name, _ = selection.OpenName(s, sig); f == calls {
			x.times = f.In("times")
			if site := s.Site(sig); site != nil && len(site.Frames) > 0 {
				x.name = site.Frames[0].Func
			}
		}
		x.start = x.function && slices.Contains(starters, x.name)
	}
	return out, nil
}

type bands struct {
	o      BandOptions
	open   []Band
	start  int // how many of these start the program
	outer  []Band
	list   []Band
	latest []int // by level: 1 + the place of the latest one
}

// close ends what began last.
func (b *bands) close(end time.Duration) {
	n := len(b.open) - 1
	if n < 0 {
		return
	}
	x := b.open[n]
	b.open = b.open[:n]
	outer := n < b.start
	b.start = min(b.start, n)
	if !outer {
		n -= b.start
	}
	x.Level, x.Start, x.End = n, max(x.Start, b.o.From), min(end, b.o.To)
	if n >= b.o.Levels || x.End < x.Start || x.End <= b.o.From {
		return
	}
	if outer {
		b.outer = append(b.outer, x)
		return
	}
	if k := b.latest[n]; k > 0 {
		old := &b.list[k-1]
		short := x.End-x.Start < b.o.Least && old.End-old.Start < b.o.Least*time.Duration(old.Times)
		if short && x.Start-old.End < b.o.Least {
			if old.Name != x.Name {
				old.Name = ""
			}
			old.End, old.Times, old.Function = x.End, old.Times+x.Times, old.Function && x.Function
			return
		}
	}
	b.list = append(b.list, x)
	b.latest[n] = len(b.list)
}
