package regions

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Band is a stretch of time in which a thread is in a region, or, if regions are too short to be shown, in several
// that follow one another.
type Band struct {
	// Level is how many regions it is in.
	Level      int
	Start, End time.Duration
	// Name is empty if the regions have several.
	Name string
	// Times is how many regions it stands for.
	Times uint64
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

// Bands are the regions of a thread over time, none if it has no times or too many events.
func Bands(s *archive.Stream, o BandOptions) ([]Band, error) {
	if !s.Timed() || s.Calls() > mostBandEvents {
		return nil, nil
	}
	terms, err := terminals(s, selection.All)
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
			b.open = append(b.open, Band{Start: start, Name: t.name})
		case spec.ShapeClose:
			b.close(end)
		}
	}
	for len(b.open) > 0 {
		b.close(min(last, o.To))
	}
	return b.list, nil
}

type bands struct {
	o      BandOptions
	open   []Band
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
	x.Level, x.Start, x.End, x.Times = n, max(x.Start, b.o.From), min(end, b.o.To), 1
	if n >= b.o.Levels || x.End < x.Start || x.End <= b.o.From {
		return
	}
	if k := b.latest[n]; k > 0 {
		old := &b.list[k-1]
		short := x.End-x.Start < b.o.Least && old.End-old.Start < b.o.Least*time.Duration(old.Times)
		if short && x.Start-old.End < b.o.Least {
			if old.Name != x.Name {
				old.Name = ""
			}
			old.End, old.Times = x.End, old.Times+1
			return
		}
	}
	b.list = append(b.list, x)
	b.latest[n] = len(b.list)
}
