package render

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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
}

// Span is a stretch of a row.
type Span struct {
	Start, End time.Duration
	Category   int
	// Label is written into the span where it fits.
	Label string
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

// text is the timeline for a terminal.
func (tl *Timeline) text(t *Terminal) string {
	p := &pen{colors: t.Colors}
	heading(p, tl.Title, tl.Note)
	if tl.nothing() {
		p.text("(nothing)\n")
		return p.b.String()
	}
	g := &timeGrid{tl: tl, t: t, p: p, left: labelWidth(tl.RowLabel, tl.Rows) + 2}
	g.width = t.width() - g.left - 1
	for i := range tl.Categories {
		g.colors = append(g.colors, tl.Categories[i].on(t))
	}
	lines := t.Lines()
	blocks := t.Colors != NoColors && t.Unicode
	g.bands()
	if tl.RowAxis != "" {
		p.text(tl.RowAxis + "\n")
	}
	switch {
	case blocks && tl.Rows > lines:
		g.bin = ceilDiv(tl.Rows, 2*lines)
		g.halves()
	case blocks && tl.Spans == nil:
		g.bin = 1
		g.sides()
	default:
		g.bin = ceilDiv(tl.Rows, lines)
		g.plain()
	}
	g.foot()
	return p.b.String()
}

// timeGrid draws the cells of a Timeline on a terminal.
type timeGrid struct {
	tl          *Timeline
	t           *Terminal
	p           *pen
	left, width int
	bin         int // rows in a cell
	colors      []color.RGBA
}

// cell is the shares of row bin y in column x of n.
func (g *timeGrid) cell(y, x, n int) []float64 {
	shares := make([]float64, len(g.tl.Categories))
	r0 := y * g.bin
	if r0 >= g.tl.Rows {
		return shares
	}
	g.tl.share(r0, min(r0+g.bin, g.tl.Rows), float64(x)/float64(n), float64(x+1)/float64(n), shares)
	return shares
}

// color is the colour of shares, nil if little is known.
func (g *timeGrid) color(shares []float64) *color.RGBA {
	if known(shares) < 0.05 {
		return nil
	}
	base := color.RGBA{A: 255}
	if g.t.Light {
		base = paper
	}
	c := g.tl.blendAll(base, g.colors, shares)
	return &c
}

func (g *timeGrid) label(line, lines, perLine int) {
	rows := g.bin * perLine
	s := ""
	every := 1
	if lines > 20 && g.tl.RowLabel == nil {
		every = 2
	}
	if line%every == 0 {
		s = fit(label(g.tl.RowLabel, line*rows), g.left-2)
	}
	g.p.set(nil, nil)
	g.p.text(padLeft(s, g.left-2) + " |")
}

// halves shows two rows in a line.
func (g *timeGrid) halves() {
	bins := ceilDiv(g.tl.Rows, g.bin)
	lines := ceilDiv(bins, 2)
	for line := range lines {
		g.label(line, lines, 2)
		for x := range g.width {
			g.pair(g.color(g.cell(2*line, x, g.width)), g.color(g.cell(2*line+1, x, g.width)), "▀", "▄")
		}
		g.p.line()
	}
}

// sides shows two columns in a character.
func (g *timeGrid) sides() {
	for y := range g.tl.Rows {
		g.label(y, g.tl.Rows, 1)
		for x := range g.width {
			g.pair(g.color(g.cell(y, 2*x, 2*g.width)), g.color(g.cell(y, 2*x+1, 2*g.width)), "▌", "▐")
		}
		g.p.line()
	}
}

// pair draws the halves of a character.
func (g *timeGrid) pair(a, b *color.RGBA, first, second string) {
	switch {
	case a == nil && b == nil:
		g.p.set(nil, nil)
		g.p.text(" ")
	case a == nil:
		g.p.set(b, nil)
		g.p.text(second)
	case b == nil:
		g.p.set(a, nil)
		g.p.text(first)
	default:
		g.p.set(a, b)
		g.p.text(first)
	}
}

// plain shows a cell in a character: its letter, or the part of a span's label.
func (g *timeGrid) plain() {
	lines := ceilDiv(g.tl.Rows, g.bin)
	for y := range lines {
		g.label(y, lines, 1)
		over := g.overlay(y)
		var line strings.Builder
		for x := range g.width {
			shares := g.cell(y, x, g.width)
			ch := string(rune(g.tl.letter(shares)))
			if c := g.color(shares); c != nil && g.t.Colors != NoColors {
				ch = " "
				fg := contrast(*c)
				g.p.set(&fg, c)
			} else {
				g.p.set(nil, nil)
			}
			if x < len(over) && over[x] != 0 {
				ch = string(over[x])
			}
			line.WriteString(ch)
			if g.t.Colors != NoColors {
				g.p.text(line.String())
				line.Reset()
			}
		}
		g.p.text(strings.TrimRight(line.String(), " "))
		g.p.line()
	}
}

// overlay is the labels of the spans of a row where they fit.
func (g *timeGrid) overlay(y int) []rune {
	if g.tl.Spans == nil || g.bin > 1 {
		return nil
	}
	out := make([]rune, g.width)
	window := float64(g.tl.End - g.tl.Start)
	for _, s := range g.tl.Spans(y) {
		x0 := max(0, int(math.Ceil(float64(s.Start-g.tl.Start)/window*float64(g.width))))
		x1 := min(g.width, int(float64(s.End-g.tl.Start)/window*float64(g.width)))
		n := utf8.RuneCountInString(s.Label)
		if s.Label == "" || n+1 > x1-x0 {
			continue
		}
		copy(out[x0+(x1-x0-n)/2:], []rune(s.Label))
	}
	return out
}

// foot draws the axis of time and the legend.
func (g *timeGrid) foot() {
	p := g.p
	p.set(nil, nil)
	ticks, name := timeTicks(g.tl.Start, g.tl.End, g.width/14)
	line := []byte(strings.Repeat("-", g.width))
	var marks []mark
	for _, t := range ticks {
		x := min(int(t.at*float64(g.width)), g.width-1)
		line[x] = '+'
		marks = append(marks, mark{x, t.text})
	}
	indent := strings.Repeat(" ", g.left)
	p.text(indent[1:] + "+" + string(line) + "\n")
	p.text(indent + labelLine(marks, g.width) + "\n")
	if name != "time" {
		p.text(indent + name + "\n")
	}
	seriesLegend(p, g.t, g.tl.Categories, g.left)
	if g.bin > 1 {
		p.text(fmt.Sprintf("%sa cell is the mean of %d rows\n", indent, g.bin))
	}
}
