package render

import (
	"fmt"
	"slices"
)

// arrowLine is the height of a line of the list of arrows, in points; headHigh and headWide are the sizes of their
// heads, maxHeads how many an arrow has at most: beyond, at its ends only.
const (
	arrowLine = 15
	headHigh  = 6
	headWide  = 7
	maxHeads  = 16
)

// rowAt is the drawn row of a row.
func (l *timeLayout) rowAt(row int) *timeRow {
	k, _ := slices.BinarySearchFunc(l.rows, row, func(r timeRow, row int) int { return r.to - 1 - row })
	return &l.rows[min(k, len(l.rows)-1)]
}

// middle is the height of the middle of a drawn row.
func (l *timeLayout) middle(r *timeRow) float64 {
	return l.body.y + float64(r.y) + float64(r.high-gap(r.high))/2
}

// arrows draws the arrows, numbered, and their list below.
func (l *timeLayout) arrows(c canvas) {
	tl, b := l.tl, l.body
	if len(tl.Arrows) == 0 {
		return
	}
	y := b.y + b.h + 42 + arrowLine
	c.text(b.x, y, arrowTitle+", from who was late to those who waited:", tickStyle)
	right := 0.0
	for i := range tl.Arrows {
		a := &tl.Arrows[i]
		text := Instant(a.At.Round(tl.tick())) + ": " + a.Text
		x := b.x + float64(a.At-tl.Start)/float64(tl.End-tl.Start)*b.w
		x = max(x, right) // beside the one before
		right = x + 13
		c.hover(text, box{}, func() { l.arrow(c, a, x, fmt.Sprint(i+1)) })
		y += arrowLine
		c.text(b.x, y, fmt.Sprintf("%d", i+1), tickStyle.in(ink))
		c.text(b.x+16, y, bandText(text, b.w-16, tickStyle), tickStyle)
	}
}

// arrow draws an arrow from the middle of one row to those of others.
func (l *timeLayout) arrow(c canvas, a *Arrow, x float64, name string) {
	from := l.rowAt(a.From)
	var to []*timeRow
	for _, r := range a.To {
		if k := l.rowAt(r); k != from && !slices.Contains(to, k) {
			to = append(to, k)
		}
	}
	if len(to) == 0 {
		return
	}
	y0 := l.middle(from)
	low, high := y0, y0
	for _, r := range to {
		low, high = min(low, l.middle(r)), max(high, l.middle(r))
	}
	c.rect(x-2, low, 4, high-low, paper)
	c.rect(x-0.75, low, 1.5, high-low, ink)
	for _, r := range to {
		y := l.middle(r)
		if len(to) > maxHeads && y != low && y != high {
			continue
		}
		for k := range headHigh { // narrower towards the tip
			w := headWide * float64(headHigh-k) / headHigh
			if y > y0 {
				c.rect(x-w/2, y-headHigh/2+float64(k), w, 1, ink)
			} else {
				c.rect(x-w/2, y+headHigh/2-float64(k)-1, w, 1, ink)
			}
		}
	}
	c.rect(x-6, y0-6, 12, 12, paper)
	c.rect(x-5, y0-5, 10, 10, ink)
	c.text(x, y0+3.5, name, style{size: 9, bold: true, color: paper, align: middle})
}

// marks draws the marks of rows that are high enough.
func (l *timeLayout) marks(c canvas) {
	if l.tl.Marks == nil {
		return
	}
	for k := range l.rows {
		r := &l.rows[k]
		if r.high < stackRow {
			continue
		}
		for _, at := range l.tl.Marks(r.from) {
			if at > l.tl.Start && at < l.tl.End {
				x := l.body.x + float64(at-l.tl.Start)/float64(l.tl.End-l.tl.Start)*l.body.w
				c.rect(x-0.5, l.body.y+float64(r.y), 1, float64(r.high-gap(r.high)), ink)
			}
		}
	}
}

// absent says why rows are empty.
func (l *timeLayout) absent(c canvas) {
	if l.tl.Absent == nil {
		return
	}
	for k := range l.rows {
		r := &l.rows[k]
		text := l.tl.Absent(r.from)
		if text == "" || r.to > r.from+1 {
			continue
		}
		h := float64(r.high - gap(r.high))
		for x := 0.0; x+6 <= l.body.w; x += 12 { // a broken line
			c.rect(l.body.x+x, l.middle(r), 6, 1, rule)
		}
		if h >= 10 {
			w, right := textWidth(text, tickStyle), l.body.x+l.body.w-6
			c.rect(right-w-12, l.body.y+float64(r.y), w+12, h, paper)
			c.text(right-6, l.middle(r)+4, text, tickStyle.at(end))
		}
	}
}
