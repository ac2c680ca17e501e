package render

import (
	"math"
)

// Picture draws the bars.
func (b *Bars) Picture() *Picture {
	p := b.prepare()
	var l interface {
		size() (w, h float64)
		draw(canvas)
	} = newBarRows(p)
	if b.Upright {
		l = newBarColumns(p)
	}
	w, h := l.size()
	w = max(w, headWidth(b.Title, b.Note), 2*margin+legendWidth(p.series))
	return &Picture{Width: int(math.Ceil(w)), Height: int(math.Ceil(h)), draw: l.draw, about: b.Title}
}

// legendWidth and drawLegend are of a line of names of series; one series
// needs none.
func legendWidth(series []Series) float64 {
	if len(series) < 2 {
		return 0
	}
	w := 0.0
	for _, s := range series {
		w += 16 + textWidth(s.Name, tickStyle) + 16
	}
	return w - 16
}

func legendHeight(series []Series) float64 {
	if len(series) < 2 {
		return 0
	}
	return 22
}

func drawLegend(c canvas, x, y float64, series []Series) {
	if len(series) < 2 {
		return
	}
	for _, s := range series {
		c.rect(x, y, 11, 11, s.Color)
		c.text(x+16, y+10, s.Name, tickStyle.in(ink))
		x += 16 + textWidth(s.Name, tickStyle) + 16
	}
}

// valueName is the name of the axis of lengths.
func (b *bars) valueName() string {
	if s := scaleText(&b.axis); s != "" {
		return b.Value + " " + s
	}
	return b.Value
}

// barRows are bars below each other.
type barRows struct {
	*bars
	left, width, pitch, top float64
	thick                   float64 // part of the pitch that a bar takes
	notes                   float64
}

func newBarRows(b *bars) *barRows {
	l := &barRows{bars: b, width: 520, pitch: 22, thick: 0.72}
	if len(b.Bars.Bars) > 40 {
		l.pitch = max(1, math.Floor(880/float64(len(b.Bars.Bars))))
	}
	if l.pitch < 8 {
		l.thick = 1
	}
	b.axis.round(5)
	for i, bar := range b.Bars.Bars {
		l.left = max(l.left, textWidth(bar.Label, tickStyle))
		l.notes = max(l.notes, textWidth(l.valueText(i), tickStyle))
	}
	l.left = math.Ceil(margin + min(l.left, 320) + 10)
	l.top = headHeight(b.Title, b.Note) + legendHeight(b.series)
	return l
}

func (l *barRows) valueText(i int) string {
	s := l.Unit.Format(l.sums[i])
	if n := l.Bars.Bars[i].Note; n != "" {
		s += "  " + n
	}
	return s
}

func (l *barRows) size() (w, h float64) {
	h = l.top + l.pitch*float64(len(l.Bars.Bars)) + 26 + margin
	if l.Value != "" {
		h += 18
	}
	return l.left + l.width + 10 + l.notes + margin, h
}

func (l *barRows) draw(c canvas) {
	drawHead(c, l.Title, l.Note)
	drawLegend(c, l.left, headHeight(l.Title, l.Note), l.series)
	high := l.pitch * float64(len(l.Bars.Bars))
	for _, t := range l.axis.ticks(5) {
		c.rect(l.left+t.at*l.width-0.5, l.top, 1, high+4, grid)
		c.text(l.left+t.at*l.width, l.top+high+18, t.text, tickStyle.at(middle))
	}
	every := stride(14 / l.pitch)
	for i, bar := range l.Bars.Bars {
		y := l.top + float64(i)*l.pitch
		x := l.left
		sum := 0.0
		for k, v := range bar.Values {
			if length(v) && k < len(l.series) {
				sum += v
				to := l.left + l.axis.at(sum)*l.width
				c.rect(x, y+l.pitch*(1-l.thick)/2, to-x, l.pitch*l.thick, l.series[k].Color)
				x = to
			}
		}
		if i%every == 0 {
			c.text(l.left-8, y+l.pitch/2+4, cut(bar.Label, tickStyle, 320), tickStyle.at(end).in(ink))
			c.text(x+6, y+l.pitch/2+4, l.valueText(i), tickStyle)
		}
	}
	c.rect(l.left-0.5, l.top, 1, high, rule)
	if l.Value != "" {
		c.text(l.left+l.width/2, l.top+high+38, l.valueName(), axisStyle.at(middle))
	}
}

// barColumns are bars side by side.
type barColumns struct {
	*bars
	body  box
	ticks []tick
}

func newBarColumns(b *bars) *barColumns {
	b.axis.round(5)
	l := &barColumns{bars: b, ticks: b.axis.ticks(5)}
	pitch := min(56, max(2, math.Floor(720/float64(max(len(b.Bars.Bars), 1)))))
	l.body.w = max(320, pitch*float64(len(b.Bars.Bars)))
	l.body.h = 280
	var texts []string
	for _, t := range l.ticks {
		texts = append(texts, t.text)
	}
	l.body.x = math.Ceil(margin + 20 + widest(tickStyle, texts...) + 8)
	l.body.y = headHeight(b.Title, b.Note) + legendHeight(b.series) + 8
	return l
}

func (l *barColumns) size() (w, h float64) {
	h = l.body.y + l.body.h + 22 + margin
	if l.Axis != "" {
		h += 20
	}
	return l.body.x + l.body.w + margin + 16, h
}

func (l *barColumns) draw(c canvas) {
	b := l.body
	drawHead(c, l.Title, l.Note)
	drawLegend(c, b.x, headHeight(l.Title, l.Note), l.series)
	for _, t := range l.ticks {
		y := b.y + b.h*(1-t.at)
		c.rect(b.x, y-0.5, b.w, 1, grid)
		c.text(b.x-6, y+4, t.text, tickStyle.at(end))
	}
	pitch := b.w / float64(max(len(l.Bars.Bars), 1))
	for i, bar := range l.Bars.Bars {
		x := b.x + float64(i)*pitch
		from, sum := 0.0, 0.0
		for k, v := range bar.Values {
			if length(v) && k < len(l.series) {
				sum += v
				to := l.axis.at(sum) * b.h
				c.rect(x+pitch*0.08, b.y+b.h-to, pitch*0.84, to-from, l.series[k].Color)
				from = to
			}
		}
	}
	c.rect(b.x, b.y+b.h, b.w, 1, rule)
	l.labels(c, pitch)
	if l.Value != "" {
		c.text(margin+12, b.y+b.h/2, l.valueName(), axisStyle.at(middle).upward())
	}
	if l.Axis != "" {
		c.text(b.x+b.w/2, b.y+b.h+38, l.Axis, axisStyle.at(middle))
	}
}

// labels names as many bars as there is room for, evenly.
func (l *barColumns) labels(c canvas, pitch float64) {
	w := 0.0
	for _, bar := range l.Bars.Bars {
		w = max(w, textWidth(bar.Label, tickStyle))
	}
	every := int(math.Ceil((w + 8) / pitch))
	for i := 0; i < len(l.Bars.Bars); i += every {
		c.text(l.body.x+(float64(i)+0.5)*pitch, l.body.y+l.body.h+17, l.Bars.Bars[i].Label, tickStyle.at(middle))
	}
}
