package render

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

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
		g.bin = ceilDiv(tl.Rows-tl.Alone, 2*max(1, lines-tl.Alone))
		g.sides(tl.Alone)
		g.halves()
	case blocks && tl.Spans == nil:
		g.bin = 1
		g.sides(tl.Rows)
	default:
		g.bin = ceilDiv(tl.Rows-tl.Alone, max(1, lines-tl.Alone))
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
	bin         int // rows in a cell, of those that are not alone
	colors      []color.RGBA
}

// cell is the shares of n rows from row r on in column x of cols.
func (g *timeGrid) cell(r, n, x, cols int) []float64 {
	shares := make([]float64, len(g.tl.Categories))
	if r < g.tl.Rows {
		g.tl.share(r, min(r+n, g.tl.Rows), float64(x)/float64(cols), float64(x+1)/float64(cols), shares)
	}
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

// label writes the label of a line, which is that of n rows from row r on.
func (g *timeGrid) label(line, lines, r, n int) {
	s := ""
	every := 1
	if lines > 20 && g.tl.RowLabel == nil {
		every = 2
	}
	if r = g.tl.labelled(r, n); r >= 0 && line%every == 0 {
		s = fit(label(g.tl.RowLabel, r), g.left-2)
	}
	g.p.set(nil, nil)
	g.p.text(padLeft(s, g.left-2) + " |")
}

// labelled is the row of n from row r on whose label stands there, -1 for none.
func (tl *Timeline) labelled(r, n int) int {
	if r < tl.Alone || tl.Labelled == nil {
		return r
	}
	for _, k := range tl.Labelled {
		if k >= r && k < r+n {
			return k
		}
	}
	return -1
}

// absent writes why there is nothing in a row, and tells whether there is.
func (g *timeGrid) absent(r int) bool {
	if g.tl.Absent == nil || g.tl.Absent(r) == "" {
		return false
	}
	g.p.set(nil, nil)
	g.p.text(" " + fit("("+g.tl.Absent(r)+")", g.width-1))
	g.p.line()
	return true
}

// halves shows two rows, or means of rows, in a line.
func (g *timeGrid) halves() {
	bins := ceilDiv(g.tl.Rows-g.tl.Alone, g.bin)
	lines := ceilDiv(bins, 2)
	for line := range lines {
		r := g.tl.Alone + 2*line*g.bin
		g.label(line, lines, r, 2*g.bin)
		for x := range g.width {
			g.pair(g.color(g.cell(r, g.bin, x, g.width)), g.color(g.cell(r+g.bin, g.bin, x, g.width)), "▀", "▄")
		}
		g.p.line()
	}
}

// sides shows the first n rows, two columns in a character.
func (g *timeGrid) sides(n int) {
	for y := range n {
		if g.label(y, n, y, 1); g.absent(y) {
			continue
		}
		for x := range g.width {
			g.pair(g.color(g.cell(y, 1, 2*x, 2*g.width)), g.color(g.cell(y, 1, 2*x+1, 2*g.width)), "▌", "▐")
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
	alone := g.tl.Alone
	lines := alone
	if g.tl.Rows > alone {
		lines += ceilDiv(g.tl.Rows-alone, g.bin)
	}
	for y := range lines {
		r, n := y, 1
		if y >= alone {
			r, n = alone+(y-alone)*g.bin, g.bin
		}
		if g.label(y, lines, r, n); n == 1 && g.absent(r) {
			continue
		}
		over := g.overlay(r)
		var line strings.Builder
		for x := range g.width {
			shares := g.cell(r, n, x, g.width)
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
	if len(g.tl.Arrows) > 0 {
		p.text(indent + arrowTitle + ":\n")
	}
	for _, a := range g.tl.Arrows {
		p.text(indent + fit(Instant(a.At.Round(g.tl.tick()))+": "+a.Text, g.t.width()-g.left) + "\n")
	}
}

// arrowTitle is above the list of arrows.
const arrowTitle = "the largest waits"

// tick is how exact moments are worth to be told: to a ten thousandth of the window.
func (tl *Timeline) tick() time.Duration {
	d := time.Duration(1)
	for d <= (tl.End-tl.Start-1)/100_000 {
		d *= 10
	}
	return d
}
