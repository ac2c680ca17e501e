package render

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"time"
)

// Sizes of timelines in points.
const (
	timeWidth  = 900
	timeHeight = 640 // of the rows, at most
	maxRow     = 26
	aloneRow   = 14 // rows that are alone are at least as high
	aloneGap   = 6  // between them and the others
	stackRow   = 6  // rows of at least this height show shares as heights, lower ones as mixed colours
)

// timeLayout is where the parts of a timeline are.
type timeLayout struct {
	tl            *Timeline
	body          box
	rows          []timeRow // that are drawn
	bin           int       // rows of the timeline in a drawn one, of those that are not alone
	alone         int       // drawn rows at the top that are higher than the others
	legend        float64
	ticks         []tick
	axisName      string
	note          string
	width, height float64
}

// timeRow is a drawn row: rows from to before to of the timeline, at a place below the upper border of the body.
type timeRow struct {
	from, to int
	y, high  int
}

// place finds the places of the rows.
func (l *timeLayout) place() {
	n, room := l.tl.Rows, timeHeight
	l.bin = 1
	if k := l.tl.Alone; k > 0 && k < n && timeHeight/n < aloneRow {
		l.alone = k
		room = max(timeHeight-k*aloneRow-aloneGap, timeHeight/4)
	}
	rest := n - l.alone
	l.bin = ceilDiv(rest, room)
	drawn := ceilDiv(rest, l.bin)
	high := max(1, min(maxRow, room/drawn))
	y := 0
	for r := range l.alone {
		l.rows = append(l.rows, timeRow{r, r + 1, y, aloneRow})
		y += aloneRow
	}
	if l.alone > 0 {
		y += aloneGap
	}
	for r := l.alone; r < n; r += l.bin {
		l.rows = append(l.rows, timeRow{r, min(r+l.bin, n), y, high})
		y += high
	}
	l.body.h = float64(y)
}

// Picture draws the timeline.
func (tl *Timeline) Picture() *Picture {
	l := &timeLayout{tl: tl, note: tl.Note}
	l.place()
	if l.bin > 1 {
		if l.note != "" {
			l.note += "; "
		}
		l.note += fmt.Sprintf("a row is the mean of %d", l.bin)
	}
	names := make([]string, 0, len(l.rows))
	for _, k := range l.labelled() {
		names = append(names, l.label(k))
	}
	l.legend = headHeight(tl.Title, l.note)
	l.body.x = math.Ceil(margin + widest(tickStyle, names...) + 10)
	l.body.y = l.legend + legendHeight(tl.Categories) + 8 + tl.bandRoom()
	l.body.w = timeWidth
	if tl.RowAxis != "" {
		l.body.x += 20
	}
	l.ticks, l.axisName = timeTicks(tl.Start, tl.End, 9)
	l.width = max(l.body.x+l.body.w+margin+20, headWidth(tl.Title, l.note), l.body.x+legendWidth(tl.Categories)+margin)
	l.height = l.body.y + l.body.h + 42 + margin
	if n := len(tl.Arrows); n > 0 {
		l.height += float64(n+1)*arrowLine + 4
	}
	return &Picture{Width: int(math.Ceil(l.width)), Height: int(math.Ceil(l.height)), draw: l.draw, about: tl.Title}
}

// labelled are the drawn rows that have labels.
func (l *timeLayout) labelled() (out []int) {
	if l.tl.Labelled == nil && l.alone == 0 {
		for _, r := range places(l.tl.Rows, labelRoom(l.body.h, 15)) {
			out = append(out, r/l.bin)
		}
		return out
	}
	below := -100
	for k := range l.rows {
		r := &l.rows[k]
		if n := l.tl.labelled(r.from, r.to-r.from); n >= 0 && r.y >= below {
			out = append(out, k)
			below = r.y + 12
		}
	}
	return out
}

// label is the label of a drawn row.
func (l *timeLayout) label(k int) string {
	r := &l.rows[k]
	return fit(label(l.tl.RowLabel, l.tl.labelled(r.from, r.to-r.from)), 40)
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
	for _, k := range l.labelled() {
		r := &l.rows[k]
		y := b.y + float64(r.y) + float64(r.high)/2 + 4
		if r.high < 10 && l.tl.Labelled != nil { // it begins there
			y = b.y + float64(r.y) + 9
			c.rect(b.x-6, b.y+float64(r.y), 6, 1, rule)
		}
		c.text(b.x-8, y, l.label(k), tickStyle.at(end))
	}
	if l.tl.RowAxis != "" {
		c.text(margin+12, b.y+b.h/2, l.tl.RowAxis, axisStyle.at(middle).upward())
	}
	frame(c, b, rule)
	l.bands(c)
	if l.tl.nothing() {
		return
	}
	if l.tl.Spans != nil && l.bin == 1 && l.rows[len(l.rows)-1].high >= stackRow {
		l.spans(c)
	} else {
		l.grid(c, l.rows[:l.alone])
		l.grid(c, l.rows[l.alone:])
		l.hints(c)
	}
	l.absent(c)
	l.marks(c)
	l.arrows(c)
}

// gap is the space between rows of a height.
func gap(high int) int {
	switch {
	case high >= 16:
		return 2
	case high >= stackRow:
		return 1
	}
	return 0
}

// grid draws the shares of rows of one height: stacked from below where rows are high, the first category on top, as
// mixtures of colours where not.
func (l *timeLayout) grid(c canvas, rows []timeRow) {
	if len(rows) == 0 {
		return
	}
	cols := timeWidth
	if l.tl.Spans == nil {
		cols = min(cols, l.tl.Columns)
	}
	high := rows[0].high
	sub, space := 1, 0
	if high >= stackRow {
		sub, space = high, gap(high)
	}
	colors := make([]color.RGBA, len(l.tl.Categories))
	for i, s := range l.tl.Categories {
		colors[i] = s.Color
	}
	pixels := make([]color.RGBA, len(rows)*sub*cols)
	shares := make([]float64, len(colors))
	for r := range rows {
		for x := range cols {
			l.tl.share(rows[r].from, rows[r].to, float64(x)/float64(cols), float64(x+1)/float64(cols), shares)
			if sub == 1 {
				pixels[r*cols+x] = l.tl.blendAll(paper, colors, shares)
				continue
			}
			for k := range sub - space {
				pixels[(r*sub+k)*cols+x] = stacked(colors, shares, (float64(sub-space-1-k)+0.5)/float64(sub-space))
			}
		}
	}
	at := box{l.body.x, l.body.y + float64(rows[0].y), l.body.w, float64(len(rows) * high)}
	c.cells(at, len(rows)*sub, cols, func(r, x int) color.RGBA { return pixels[r*cols+x] })
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

// maxHints and maxParts are how many areas of the grid explain themselves, of all rows and of one.
const (
	maxHints = 1500
	maxParts = 40
)

// hints explains parts of rows.
func (l *timeLayout) hints(c canvas) {
	tl, b := l.tl, l.body
	parts := min(maxParts, maxHints/len(l.rows))
	if tl.Names == nil || parts == 0 {
		return
	}
	shares := make([]float64, len(tl.Categories))
	w := b.w / float64(parts)
	for k := range l.rows {
		r := &l.rows[k]
		for i := range parts {
			tl.share(r.from, r.to, float64(i)/float64(parts), float64(i+1)/float64(parts), shares)
			if text := tl.sharesText(shares); text != "" {
				c.hover(tl.rowText(r.from)+", "+tl.stretch(i, parts)+": "+text,
					box{b.x + float64(i)*w, b.y + float64(r.y), w, float64(r.high)}, func() {})
			}
		}
	}
}

func (tl *Timeline) rowText(r int) string {
	if tl.RowHint != nil {
		return tl.RowHint(r)
	}
	return tl.RowAxis + " " + label(tl.RowLabel, r)
}

// stretch names part i of the window.
func (tl *Timeline) stretch(i, parts int) string {
	at := func(i int) string {
		return Instant((tl.Start + (tl.End-tl.Start)*time.Duration(i)/time.Duration(parts)).Round(tl.tick()))
	}
	return at(i) + " to " + at(i+1)
}

// sharesText lists shares, "" if nothing is known.
func (tl *Timeline) sharesText(shares []float64) string {
	var parts []string
	for i, v := range shares {
		if v >= 0.005 {
			parts = append(parts, tl.Names[i]+" "+Percent(v))
		}
	}
	return strings.Join(parts, ", ")
}

// spans draws single spans with their labels.
func (l *timeLayout) spans(c canvas) {
	b, window := l.body, float64(l.tl.End-l.tl.Start)
	st := style{size: 10, align: middle}
	for k := range l.rows {
		row := &l.rows[k]
		y, h := b.y+float64(row.y), float64(row.high-gap(row.high))
		from, to := l.tl.life(row.from)
		c.rect(b.x+float64(from-l.tl.Start)/window*b.w, y, float64(to-from)/window*b.w, h, l.tl.Categories[0].Color)
		for _, s := range l.tl.Spans(row.from) {
			x0 := max(0, float64(s.Start-l.tl.Start)/window) * b.w
			x1 := min(1, float64(s.End-l.tl.Start)/window) * b.w
			if x1 < x0 || s.Category >= len(l.tl.Categories) {
				continue
			}
			w := max(x1-x0, 0.5)
			draw := func() {
				col := l.tl.Categories[s.Category].Color
				c.rect(b.x+x0, y, w, h, col)
				if s.Label != "" && h >= 11 && textWidth(s.Label, st)+6 <= w {
					c.text(b.x+x0+w/2, y+h/2+3.5, s.Label, st.in(contrast(col)))
				}
			}
			if s.Hint == "" || w < 1 { // nobody could point to it
				draw()
			} else {
				c.hover(s.Hint, box{}, draw)
			}
		}
	}
}
