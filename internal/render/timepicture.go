package render

import (
	"fmt"
	"image/color"
	"math"
)

// Sizes of timelines in points.
const (
	timeWidth  = 900
	timeHeight = 640 // of the rows, at most
	maxRow     = 26
	stackRow   = 6 // rows of at least this height show shares as heights, lower ones as mixed colours
)

// timeLayout is where the parts of a timeline are.
type timeLayout struct {
	tl            *Timeline
	body          box
	bin, rows     int // rows of the timeline in a drawn one, drawn rows
	high          int // points in a row
	legend        float64
	ticks         []tick
	axisName      string
	note          string
	width, height float64
}

// Picture draws the timeline.
func (tl *Timeline) Picture() *Picture {
	l := &timeLayout{tl: tl, note: tl.Note}
	l.bin = ceilDiv(tl.Rows, timeHeight)
	l.rows = ceilDiv(tl.Rows, l.bin)
	l.high = max(1, min(maxRow, timeHeight/l.rows))
	if l.bin > 1 {
		if l.note != "" {
			l.note += "; "
		}
		l.note += fmt.Sprintf("a row is the mean of %d", l.bin)
	}
	names := make([]string, 0, l.rows)
	for _, r := range l.labelled() {
		names = append(names, label(tl.RowLabel, r))
	}
	l.legend = headHeight(tl.Title, l.note)
	l.body = box{math.Ceil(margin + widest(tickStyle, names...) + 10), l.legend + legendHeight(tl.Categories) + 8 + tl.bandRoom(),
		timeWidth, float64(l.rows * l.high)}
	if tl.RowAxis != "" {
		l.body.x += 20
	}
	l.ticks, l.axisName = timeTicks(tl.Start, tl.End, 9)
	l.width = max(l.body.x+l.body.w+margin+20, headWidth(tl.Title, l.note), l.body.x+legendWidth(tl.Categories)+margin)
	l.height = l.body.y + l.body.h + 42 + margin
	return &Picture{Width: int(math.Ceil(l.width)), Height: int(math.Ceil(l.height)), draw: l.draw, about: tl.Title}
}

// labelled are the rows that have labels.
func (l *timeLayout) labelled() []int {
	return places(l.tl.Rows, labelRoom(float64(l.rows*l.high), 15))
}

func (l *timeLayout) draw(c canvas) {
	drawHead(c, l.tl.Title, l.note)
	drawLegend(c, l.body.x, l.legend, l.tl.Categories)
	b := l.body
	for _, t := range l.ticks {
		c.rect(b.x+t.at*b.w-0.5, b.y+b.h+1, 1, 4, rule)
		c.text(b.x+t.at*b.w, b.y+b.h+17, t.text, tickStyle.at(middle))
	}
	c.text(b.x+b.w/2, b.y+b.h+36, l.axisName, axisStyle.at(middle))
	for _, r := range l.labelled() {
		c.text(b.x-8, b.y+(float64(r/l.bin)+0.5)*float64(l.high)+4, label(l.tl.RowLabel, r), tickStyle.at(end))
	}
	if l.tl.RowAxis != "" {
		c.text(margin+12, b.y+b.h/2, l.tl.RowAxis, axisStyle.at(middle).upward())
	}
	frame(c, b, rule)
	l.bands(c)
	switch {
	case l.tl.nothing():
	case l.tl.Spans != nil && l.bin == 1 && l.high >= stackRow:
		l.spans(c)
	default:
		l.grid(c)
	}
}

// gap is the space between rows.
func (l *timeLayout) gap() int {
	switch {
	case l.high >= 16:
		return 2
	case l.high >= stackRow:
		return 1
	}
	return 0
}

// grid draws shares: stacked from below where rows are high, the first
// category on top, as mixtures of colours where not.
func (l *timeLayout) grid(c canvas) {
	cols := timeWidth
	if l.tl.Spans == nil {
		cols = min(cols, l.tl.Columns)
	}
	sub, gap := 1, 0
	if l.high >= stackRow {
		sub, gap = l.high, l.gap()
	}
	colors := make([]color.RGBA, len(l.tl.Categories))
	for i, s := range l.tl.Categories {
		colors[i] = s.Color
	}
	pixels := make([]color.RGBA, l.rows*sub*cols)
	shares := make([]float64, len(colors))
	for r := range l.rows {
		for x := range cols {
			l.tl.share(r*l.bin, min((r+1)*l.bin, l.tl.Rows), float64(x)/float64(cols), float64(x+1)/float64(cols),
				shares)
			if sub == 1 {
				pixels[r*cols+x] = l.tl.blendAll(paper, colors, shares)
				continue
			}
			for k := range sub - gap {
				pixels[(r*sub+k)*cols+x] = stacked(colors, shares, (float64(sub-gap-1-k)+0.5)/float64(sub-gap))
			}
		}
	}
	c.cells(l.body, l.rows*sub, cols, func(r, x int) color.RGBA { return pixels[r*cols+x] })
}

// stacked is the colour at a height (0..1 from below) of a stack of shares in
// which the first category is the uppermost.
func stacked(colors []color.RGBA, shares []float64, height float64) color.RGBA {
	sum := 0.0
	for i := 1; i < len(shares); i++ {
		sum += shares[i]
		if height < sum {
			return colors[i]
		}
	}
	if height < sum+shares[0] {
		return colors[0]
	}
	return color.RGBA{}
}

// spans draws single spans with their labels.
func (l *timeLayout) spans(c canvas) {
	b, window := l.body, float64(l.tl.End-l.tl.Start)
	st := style{size: 10, align: middle}
	for r := range l.rows {
		y, h := b.y+float64(r*l.high), float64(l.high-l.gap())
		from, to := l.tl.life(r)
		c.rect(b.x+float64(from-l.tl.Start)/window*b.w, y, float64(to-from)/window*b.w, h, l.tl.Categories[0].Color)
		for _, s := range l.tl.Spans(r) {
			x0 := max(0, float64(s.Start-l.tl.Start)/window) * b.w
			x1 := min(1, float64(s.End-l.tl.Start)/window) * b.w
			if x1 < x0 || s.Category >= len(l.tl.Categories) {
				continue
			}
			w := max(x1-x0, 0.5)
			col := l.tl.Categories[s.Category].Color
			c.rect(b.x+x0, y, w, h, col)
			if s.Label != "" && h >= 11 && textWidth(s.Label, st)+6 <= w {
				c.text(b.x+x0+w/2, y+h/2+3.5, s.Label, st.in(contrast(col)))
			}
		}
	}
}
