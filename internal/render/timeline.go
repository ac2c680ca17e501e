package render

import (
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// Timeline shows what each row (a rank, say) does over time: either the shares
// of categories in the columns of a grid, or single spans.
type Timeline struct {
	Title, Note string
	Rows        int
	// RowAxis says what the rows are, RowLabel names row i; nil: by number.
	RowAxis  string
	RowLabel func(i int) string
	// Start and End are the window.
	Start, End time.Duration
	// Categories are what time is spent in. The first is what a row does when
	// it does nothing else: it is drawn as background.
	Categories []Series
	// Columns is the number of columns that Shares knows.
	Columns int
	// Shares fills dst with the parts of a cell's time that each category
	// takes. If they add up to less than 1, the rest is left white: nothing is
	// known, or the row does not exist then.
	Shares func(row, col int, dst []float64)
	// Spans, if set, is used instead: the spans of a row in order. What is between them is
	// of the first category, from the first to the second time that Life tells
	// (nil: always).
	Spans func(row int) []Span
	Life  func(row int) (from, to time.Duration)
	// Bands are drawn above the rows, under BandTitle.
	Bands     []Band
	BandTitle string
	// Marks are moments of a row, drawn as thin lines in it where rows are high; nil for none.
	Marks func(row int) []time.Duration
	// Alone is how many rows at the top stand for themselves: they are never drawn together with others, and high
	// enough for labels.
	Alone int
	// Labelled are the rows that have labels, besides those that are Alone; nil for as many as there is room for.
	Labelled []int
	// Absent says why there is nothing in a row, "" for all others; nil for none.
	Absent func(row int) string
	// Arrows go from row to row.
	Arrows []Arrow
	// RowHint names a row on hovering; nil: by axis and label.
	RowHint func(row int) string
	// Names are those of Categories without their shares, for what is shown on hovering; nil for none.
	Names []string
}

// Arrow says that at a moment one row let others go on.
type Arrow struct {
	At   time.Duration
	From int
	To   []int
	// Text explains it, in a list below.
	Text string
}

// Span is a stretch of a row.
type Span struct {
	Start, End time.Duration
	Category   int
	// Label is written into the span where it fits, Hint is shown on hovering.
	Label, Hint string
}

// WriteText draws the timeline for a terminal. With colours a cell mixes the
// colours of its categories. Without it is a letter: the category that takes
// most of the time, in lower case if that is the first one and another has at
// least an eighth.
func (tl *Timeline) WriteText(w io.Writer, t Terminal) error {
	_, err := io.WriteString(w, tl.text(&t))
	return err
}

// nothing tells whether there is nothing to draw.
func (tl *Timeline) nothing() bool {
	return tl.Rows <= 0 || tl.End <= tl.Start || len(tl.Categories) == 0 || tl.Columns <= 0 && tl.Spans == nil
}

// share is the sum of parts over the rows [r0,r1) and a part of the columns,
// given as [x0,x1) of 0..1.
func (tl *Timeline) share(r0, r1 int, x0, x1 float64, dst []float64) {
	clear(dst)
	if tl.Spans != nil {
		for r := r0; r < r1; r++ {
			tl.spanShare(r, x0, x1, dst)
		}
	} else {
		cols := float64(tl.Columns)
		c0 := min(int(x0*cols+1e-9), tl.Columns-1)
		c1 := max(c0+1, int(math.Ceil(x1*cols-1e-9)))
		part := make([]float64, len(dst))
		for r := r0; r < r1; r++ {
			for c := c0; c < c1; c++ {
				clear(part)
				tl.Shares(r, c, part)
				for i, v := range part {
					dst[i] += v / float64(c1-c0)
				}
			}
		}
	}
	for i := range dst {
		dst[i] /= float64(r1 - r0)
	}
}

// life is the part of the window in which a row exists.
func (tl *Timeline) life(row int) (from, to time.Duration) {
	if tl.Life == nil {
		return tl.Start, tl.End
	}
	from, to = tl.Life(row)
	return max(from, tl.Start), max(min(to, tl.End), tl.Start)
}

// spanShare adds the parts that spans take of a stretch of a row.
func (tl *Timeline) spanShare(r int, x0, x1 float64, dst []float64) {
	window := float64(tl.End - tl.Start)
	lo, hi := float64(tl.Start)+x0*window, float64(tl.Start)+x1*window
	from, to := tl.life(r)
	rest := math.Max(0, math.Min(hi, float64(to))-math.Max(lo, float64(from))) / (hi - lo)
	for _, s := range tl.Spans(r) {
		overlap := math.Min(hi, float64(s.End)) - math.Max(lo, float64(s.Start))
		if overlap > 0 && s.Category < len(dst) {
			v := min(overlap/(hi-lo), rest)
			dst[s.Category] += v
			rest -= v
		}
	}
	dst[0] += rest
}

// blendAll mixes the colours of categories. Weights are rounded, so that cells
// that look alike are alike.
func (tl *Timeline) blendAll(base color.RGBA, colors []color.RGBA, shares []float64) color.RGBA {
	rounded := make([]float64, len(shares))
	for i, v := range shares {
		rounded[i] = math.Round(v*16) / 16
	}
	if i := largest(shares); shares[i] > 0.97 {
		return colors[i]
	}
	return blend(base, colors, rounded)
}

func largest(v []float64) int {
	k := 0
	for i := range v {
		if v[i] > v[k] {
			k = i
		}
	}
	return k
}

// known is the sum of shares.
func known(shares []float64) float64 {
	sum := 0.0
	for _, v := range shares {
		sum += v
	}
	return sum
}

// letter stands for a cell where there are no colours.
func (tl *Timeline) letter(shares []float64) byte {
	all := known(shares)
	if all < 0.05 {
		return ' '
	}
	k := largest(shares)
	if k == 0 && len(shares) > 1 {
		if m := 1 + largest(shares[1:]); shares[m] >= all/8 {
			return letterOf(&tl.Categories[m]) | 0x20
		}
	}
	return letterOf(&tl.Categories[k])
}

// timeTicks are marks of a window of time: values in one unit. If the window is short
// and far from 0, they count from an offset that name tells.
func timeTicks(from, to time.Duration, n int) (ticks []tick, name string) {
	name = "time"
	offset := time.Duration(0)
	if from > 0 && to-from < from/500 {
		offset = from
		name = "time since " + Instant(from)
	}
	a := axis{unit: Nanos, lo: float64(from - offset), hi: float64(to - offset)}
	if !(a.hi > a.lo) {
		return nil, name
	}
	unit, text := 1.0, "ns"
	for _, u := range []struct {
		ns   float64
		name string
	}{{1e3, "us"}, {1e6, "ms"}, {1e9, "s"}} {
		if a.hi >= u.ns {
			unit, text = u.ns, u.name
		}
	}
	step := niceStep((a.hi - a.lo) / float64(max(n, 1)) / unit) // 1 ms is nicer than 1.048 ms
	if unit == 1 {
		step = max(step, 1)
	}
	for v := math.Ceil(a.lo/unit/step-1e-9) * step; v*unit <= a.hi*(1+1e-9); v += step {
		if len(ticks) > 100 {
			break
		}
		sign := ""
		if offset > 0 && v > 0 {
			sign = "+"
		}
		ticks = append(ticks, tick{a.at(v * unit), sign + trimNumber(v+0, step) + " " + text})
	}
	return ticks, name
}

// Instant renders a point in time exactly: "1.000023456 s", "40 us".
func Instant(d time.Duration) string {
	digits, unit := 9, "s"
	switch a := max(d, -d); {
	case a < time.Microsecond:
		digits, unit = 0, "ns"
	case a < time.Millisecond:
		digits, unit = 3, "us"
	case a < time.Second:
		digits, unit = 6, "ms"
	}
	s := strconv.FormatFloat(float64(d)/math.Pow10(digits), 'f', digits, 64)
	if digits > 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s + " " + unit
}
