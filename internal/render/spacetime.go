package render

import (
	"image/color"
	"math"
)

// SpaceTime is a diagram of messages: rows are processes, and time goes to the right.
type SpaceTime struct {
	Title, Note string
	RowAxis     string
	Rows        []string // labels
	Flights     []Flight
}

// Flight is a message, from a row at a time to another row at a later one. Times are from 0, in any unit.
type Flight struct {
	From, To   int
	Start, End float64
	Color      color.RGBA
}

// Sizes of space-time diagrams in points.
const (
	spaceWidth  = 900
	spaceHeight = 700 // of the rows, at most
	spaceRow    = 34  // of a row, at most
	arrowHead   = 7
)

type spaceLayout struct {
	d             *SpaceTime
	body          box
	row, last     float64 // points between rows, the last time
	width, height float64
}

// Picture draws the diagram.
func (d *SpaceTime) Picture() *Picture {
	l := &spaceLayout{d: d, row: min(spaceRow, spaceHeight/float64(max(len(d.Rows), 1))), last: 1}
	for _, a := range d.Flights {
		l.last = max(l.last, a.Start, a.End)
	}
	l.body = box{math.Ceil(margin + 20 + widest(tickStyle, d.Rows...) + 10), headHeight(d.Title, d.Note) + 8,
		spaceWidth,
		max(l.row*float64(len(d.Rows)), 20)}
	l.width = max(l.body.x+l.body.w+margin, headWidth(d.Title, d.Note))
	l.height = l.body.y + l.body.h + margin
	return &Picture{Width: int(math.Ceil(l.width)), Height: int(math.Ceil(l.height)), draw: l.draw, about: d.Title}
}

func (l *spaceLayout) at(row int, time float64) (x, y float64) {
	return l.body.x + 10 + time/l.last*(l.body.w-20), l.body.y + (float64(row)+0.5)*l.row
}

func (l *spaceLayout) draw(c canvas) {
	drawHead(c, l.d.Title, l.d.Note)
	if l.d.RowAxis != "" {
		c.text(margin+12, l.body.y+l.body.h/2, l.d.RowAxis, axisStyle.at(middle).upward())
	}
	for row := range l.d.Rows {
		_, y := l.at(row, 0)
		c.rect(l.body.x, y-0.5, l.body.w, 1, rule)
	}
	for _, row := range places(len(l.d.Rows), labelRoom(l.body.h, 15)) {
		_, y := l.at(row, 0)
		c.text(l.body.x-8, y+4, l.d.Rows[row], tickStyle.at(end))
	}
	for i := range l.d.Flights {
		l.arrow(c, &l.d.Flights[i])
	}
}

// arrow draws a thin quadrilateral and a triangle.
func (l *spaceLayout) arrow(c canvas, a *Flight) {
	x, y := l.at(a.From, a.Start)
	u, v := l.at(a.To, a.End)
	length := math.Hypot(u-x, v-y)
	if length == 0 {
		return
	}
	dx, dy := (u-x)/length, (v-y)/length
	head := min(arrowHead, length/2, l.row/2)
	thick := min(0.7, l.row/8)
	p, q := u-head*dx, v-head*dy
	c.polygon([]point{{x - thick*dy, y + thick*dx}, {p - thick*dy, q + thick*dx}, {p + thick*dy, q - thick*dx},
		{x + thick*dy, y - thick*dx}}, a.Color)
	c.polygon([]point{{u, v}, {p - head/2.5*dy, q + head/2.5*dx}, {p + head/2.5*dy, q - head/2.5*dx}}, a.Color)
}
