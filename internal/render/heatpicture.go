package render

import (
	"image/color"
	"math"
)

// Sizes of heat maps in points.
const (
	maxCells  = 512 // cells in a row or column of a picture
	wideCells = 760
	wideSide  = 760
	heatSide  = 480 // the least side of the matrix, unless cells are at their largest
	maxCell   = 72
)

// Picture draws the matrix.
func (h *Heatmap) Picture() *Picture {
	l := h.layout()
	return &Picture{Width: int(math.Ceil(l.width)), Height: int(math.Ceil(l.height)), draw: l.draw, about: h.Title}
}

// heatLayout is where the parts of a heat map are.
type heatLayout struct {
	h             *Heatmap
	c             *cells
	body          box
	bar           box
	note          string
	rows, cols    []int // rows and columns that have labels
	ticks         []tick
	width, height float64
}

func (h *Heatmap) layout() *heatLayout {
	l := &heatLayout{h: h, c: h.bins(maxCells, maxCells), note: h.Note}
	if h.Wide {
		l.c = h.bins(maxCells, wideCells)
	}
	if s := h.binText(l.c); s != "" {
		if l.note != "" {
			l.note += "; "
		}
		l.note += s
	}
	l.size()
	l.rows = places(h.Rows, labelRoom(l.body.h, 15))
	names := widest(tickStyle, labels(h.RowLabel, l.rows)...)
	colStep := 12 + widest(tickStyle, label(h.ColLabel, max(h.Cols-1, 0)), label(h.ColLabel, 0))
	l.cols = places(h.Cols, int(l.body.w/colStep))
	l.body.x = math.Ceil(margin + names + 10)
	if h.RowAxis != "" {
		l.body.x += 20
	}
	l.body.y = headHeight(h.Title, l.note) + 4
	l.bar = box{l.body.x + l.body.w + 22, l.body.y, 14, min(l.body.h, 320)}
	l.height = l.body.y + l.body.h + 22 + margin
	if h.ColAxis != "" {
		l.height += 20
	}
	l.width = l.bar.x
	if !l.c.empty() {
		l.ticks = l.c.axis.withEnds(max(2, int(l.bar.h/50)), 14/l.bar.h)
		var texts []string
		for _, t := range l.ticks {
			texts = append(texts, t.text)
		}
		l.width = l.bar.x + l.bar.w + 10 + widest(tickStyle, texts...) + 26
	}
	l.width = max(l.width+margin, headWidth(h.Title, l.note))
	return l
}

// size decides how large cells are.
func (l *heatLayout) size() {
	if l.h.Wide {
		l.body.w = wideSide
		l.body.h = float64(l.c.rows) * min(28, max(1, math.Floor(heatSide/float64(l.c.rows))))
		return
	}
	n := max(l.c.rows, l.c.cols)
	side := math.Ceil(heatSide / float64(n))
	side = min(side, maxCell)
	l.body.w, l.body.h = side*float64(l.c.cols), side*float64(l.c.rows)
}

func labels(f func(int) string, at []int) []string {
	out := make([]string, len(at))
	for i, k := range at {
		out[i] = label(f, k)
	}
	return out
}

// labelRoom is how many labels are put along a side: as many as fit if these
// are few, else fewer, as nobody reads 50 numbers.
func labelRoom(side, each float64) int {
	n := int(side / each)
	if n > 40 {
		return max(20, n/2)
	}
	return n
}

// onPaper is the colour of t, from 0 to 1, on white: more is darker. The
// lightest colours are left out because nobody would see them.
func onPaper(t float64) color.RGBA { return Viridis(0.94 * (1 - t)) }

// color is the colour of a value. There are 128, so that pictures stay small.
func (l *heatLayout) color(v float64) color.RGBA {
	if math.IsNaN(v) {
		return color.RGBA{}
	}
	return onPaper(math.Round(l.c.axis.at(v)*127) / 127)
}

func (l *heatLayout) draw(c canvas) {
	drawHead(c, l.h.Title, l.note)
	b := l.body
	frame(c, b, rule)
	c.cells(b, l.c.rows, l.c.cols, func(r, k int) color.RGBA { return l.color(l.c.at(r, k)) })
	l.values(c)
	rh, cw := b.h/float64(l.c.rows), b.w/float64(l.c.cols)
	for _, r := range l.rows {
		y := b.y + (float64(r/l.c.rowBin)+0.5)*rh
		c.rect(b.x-5, y-0.5, 4, 1, rule)
		c.text(b.x-8, y+4, label(l.h.RowLabel, r), tickStyle.at(end))
	}
	for _, k := range l.cols {
		x := b.x + (float64(k/l.c.colBin)+0.5)*cw
		c.rect(x-0.5, b.y+b.h+1, 1, 4, rule)
		c.text(x, b.y+b.h+17, label(l.h.ColLabel, k), tickStyle.at(middle))
	}
	if l.h.RowAxis != "" {
		c.text(margin+12, b.y+b.h/2, l.h.RowAxis, axisStyle.at(middle).upward())
	}
	if l.h.ColAxis != "" {
		c.text(b.x+b.w/2, b.y+b.h+38, l.h.ColAxis, axisStyle.at(middle))
	}
	if l.c.empty() {
		c.text(b.x+b.w/2, b.y+b.h/2, "no values", axisStyle.at(middle))
		return
	}
	l.colorBar(c)
}

// values writes numbers into cells that are large enough.
func (l *heatLayout) values(c canvas) {
	cw, ch := l.body.w/float64(l.c.cols), l.body.h/float64(l.c.rows)
	if cw < 24 || ch < 16 {
		return
	}
	st := style{size: 10, align: middle}
	for _, v := range l.c.v {
		if !math.IsNaN(v) && textWidth(l.h.Unit.Format(v), st) > cw-6 {
			return
		}
	}
	for r := range l.c.rows {
		for k := range l.c.cols {
			v := l.c.at(r, k)
			if math.IsNaN(v) {
				continue
			}
			c.text(l.body.x+(float64(k)+0.5)*cw, l.body.y+(float64(r)+0.5)*ch+3.5, l.h.Unit.Format(v),
				st.in(contrast(l.color(v))))
		}
	}
}

// contrast is black or white, whichever is easier to read on c.
func contrast(c color.RGBA) color.RGBA {
	if 0.2126*toLinear(c.R)+0.7152*toLinear(c.G)+0.0722*toLinear(c.B) > 0.25 {
		return ink
	}
	return paper
}

// colorBar draws the legend: high values at the top.
func (l *heatLayout) colorBar(c canvas) {
	b := l.bar
	const steps = 64
	c.cells(b, steps, 1, func(r, _ int) color.RGBA { return onPaper(1 - float64(r)/(steps-1)) })
	frame(c, b, rule)
	for _, t := range l.ticks {
		y := b.y + b.h*(1-t.at)
		c.rect(b.x+b.w+1, y-0.5, 4, 1, rule)
		c.text(b.x+b.w+9, y+4, t.text, tickStyle)
	}
	name := l.h.Value
	if s := scaleText(&l.c.axis); s != "" {
		name += " " + s
	}
	c.text(l.width-margin, b.y+b.h/2, name, axisStyle.at(middle).upward())
}
