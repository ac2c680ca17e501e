package render

import (
	"image/color"
	"math"
	"strings"
	"unicode/utf8"
)

// shades are the characters from little to much where there are no colours.
const shades = ".:-=+*#%@"

// text is the matrix for a terminal. With colours a character shows two cells,
// one above the other, so that a cell is about a square; without, two
// characters show one.
func (h *Heatmap) text(t *Terminal) string {
	p := &pen{colors: t.Colors}
	heading(p, h.Title, h.Note)
	if h.Rows <= 0 || h.Cols <= 0 {
		p.text("(nothing)\n")
		return p.b.String()
	}
	blocks := t.Colors != NoColors && t.Unicode
	left := labelWidth(h.RowLabel, h.Rows) + 2
	wide, high := t.width()-left-1, t.Lines()
	perLine := 2 // cells in a line
	if !blocks {
		perLine = 1
	}
	aspect := 1 // characters in the width of a cell at the least
	if !blocks && !h.Wide {
		aspect = 2
	}
	c := h.bins(high*perLine, wide/aspect)
	// Small matrices are enlarged, to at most 64 characters and 16 lines.
	k := max(1, min(min(wide, 64)/(c.cols*aspect), 16*perLine/c.rows))
	if blocks && k > 1 {
		k &^= 1 // whole characters, so that labels stand beside cells
	}
	g := &heatGrid{h: h, c: c, light: t.Light, left: left, cw: k * aspect, ch: k}
	if h.Wide {
		g.cw = max(1, wide/c.cols)
		g.ch = max(1, min(2, k))
	}
	if c.empty() {
		p.text("(no values)\n")
		return p.b.String()
	}
	if h.RowAxis != "" {
		p.text(h.RowAxis + "\n")
	}
	if n := h.valueWidth(c) + 1; !h.Wide && c.rowBin == 1 && c.cols*n <= wide && c.rows <= high {
		g.cw, g.ch, g.numbered = n, 1, true
		if blocks && 3*c.rows <= 24 {
			g.ch = 3
		}
		g.numbers(p)
	} else if blocks {
		g.blocks(p)
	} else {
		g.ascii(p, t)
	}
	g.columns(p)
	g.legend(p, t, blocks)
	return p.b.String()
}

func heading(p *pen, title, note string) {
	if title != "" {
		p.text(title + "\n")
	}
	if note != "" {
		p.text(note + "\n")
	}
}

// labelWidth is the width of the longest row label; long ones are cut.
func labelWidth(f func(int) string, n int) int {
	if f == nil {
		return len(label(nil, n-1))
	}
	w := 1
	for i := range n {
		w = max(w, utf8.RuneCountInString(f(i)))
	}
	return min(w, 24)
}

func fit(s string, width int) string {
	s = OneLine(s)
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:width-1]) + "~"
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}

// heatGrid draws the cells: each cw characters wide and ch half lines (with
// blocks) or lines high.
type heatGrid struct {
	h            *Heatmap
	c            *cells
	light        bool
	left, cw, ch int
	numbered     bool // values are written out
}

func (g *heatGrid) color(v float64) *color.RGBA {
	if math.IsNaN(v) {
		return nil
	}
	t := g.c.axis.at(v)
	if g.light {
		t = 1 - t
	}
	c := Viridis(t)
	return &c
}

func (g *heatGrid) blocks(p *pen) {
	marks := g.rowMarks(2)
	for y := 0; y < g.c.rows*g.ch; y += 2 {
		g.rowLabel(p, marks, y/2)
		for col := range g.c.cols {
			up, down := g.color(g.c.at(y/g.ch, col)), g.color(g.c.at((y+1)/g.ch, col))
			switch {
			case up == nil && down == nil:
				p.set(nil, nil)
				p.text(strings.Repeat(" ", g.cw))
			case up == nil:
				p.set(down, nil)
				p.text(strings.Repeat("▄", g.cw))
			case down == nil:
				p.set(up, nil)
				p.text(strings.Repeat("▀", g.cw))
			default:
				p.set(up, down)
				p.text(strings.Repeat("▀", g.cw))
			}
		}
		p.line()
	}
}

// valueWidth is the width of the longest value.
func (h *Heatmap) valueWidth(c *cells) int {
	n := 1
	for _, v := range c.v {
		if !math.IsNaN(v) {
			n = max(n, utf8.RuneCountInString(h.Unit.Format(v)))
		}
	}
	return n
}

// numbers writes values into the cells of a small matrix.
func (g *heatGrid) numbers(p *pen) {
	marks := g.rowMarks(1)
	for y := range g.c.rows * g.ch {
		g.rowLabel(p, marks, y)
		var line strings.Builder
		for col := range g.c.cols {
			v := g.c.at(y/g.ch, col)
			s := ""
			switch {
			case y%g.ch != (g.ch-1)/2:
			case !math.IsNaN(v):
				s = g.h.Unit.Format(v)
			case p.colors == NoColors:
				s = "."
			}
			s = padLeft(s, g.cw-1) + " "
			if p.colors == NoColors {
				line.WriteString(s)
				continue
			}
			if bg := g.color(v); bg != nil {
				fg := contrast(*bg)
				p.set(&fg, bg)
			} else {
				p.set(nil, nil)
			}
			p.text(s)
		}
		p.text(strings.TrimRight(line.String(), " "))
		p.line()
	}
}

func (g *heatGrid) ascii(p *pen, t *Terminal) {
	marks := g.rowMarks(1)
	for y := range g.c.rows * g.ch {
		g.rowLabel(p, marks, y)
		var line strings.Builder
		for col := range g.c.cols {
			v := g.c.at(y/g.ch, col)
			ch := " "
			if !math.IsNaN(v) {
				ch = shadeOf(g.c.axis.at(v))
				p.set(g.color(v), nil)
			}
			line.WriteString(strings.Repeat(ch, g.cw))
			if t.Colors != NoColors {
				p.text(line.String())
				line.Reset()
			}
		}
		p.text(strings.TrimRight(line.String(), " "))
		p.line()
	}
}

func shadeOf(t float64) string {
	i := min(int(t*float64(len(shades))), len(shades)-1)
	return shades[i : i+1]
}

// rowMarks says which row of the matrix stands beside which line; per is half
// lines in a line.
func (g *heatGrid) rowMarks(per int) map[int]int {
	marks := map[int]int{}
	lines := ceilDiv(g.c.rows*g.ch, per)
	for _, row := range places(g.h.Rows, max(1, lines)) {
		y := row / g.c.rowBin * g.ch
		line := (y + (g.ch-1)/2) / per
		if _, taken := marks[line]; !taken {
			marks[line] = row
		}
	}
	return marks
}

func (g *heatGrid) rowLabel(p *pen, marks map[int]int, line int) {
	p.set(nil, nil)
	s := ""
	if row, ok := marks[line]; ok {
		s = fit(label(g.h.RowLabel, row), g.left-2)
	}
	p.text(padLeft(s, g.left-2) + " |"[:1])
	p.text("|")
}

// columns draws the labels of columns and the name of their axis.
func (g *heatGrid) columns(p *pen) {
	width := g.c.cols * g.cw
	last := label(g.h.ColLabel, g.h.Cols-1)
	var marks []mark
	for _, col := range places(g.h.Cols, max(1, width/(len(last)+2))) {
		marks = append(marks, mark{col/g.c.colBin*g.cw + (g.cw-1)/2, label(g.h.ColLabel, col)})
	}
	p.text(strings.Repeat(" ", g.left-1) + "+" + strings.Repeat("-", width) + "\n")
	p.text(strings.Repeat(" ", g.left) + labelLine(marks, width+8) + "\n")
	if g.h.ColAxis != "" {
		p.text(strings.Repeat(" ", g.left) + padLeft(g.h.ColAxis, min(width, (width+len(g.h.ColAxis))/2)) + "\n")
	}
}

// mark is a text that belongs at a column of characters.
type mark struct {
	at   int
	text string
}

// labelLine places texts centred at their marks; those that would touch are left out.
func labelLine(marks []mark, width int) string {
	var b strings.Builder
	n := 0
	for _, m := range marks {
		size := utf8.RuneCountInString(m.text)
		at := max(0, m.at-(size-1)/2)
		if n > 0 && at < n+1 || at+size > width {
			continue
		}
		b.WriteString(strings.Repeat(" ", at-n) + m.text)
		n = at + size
	}
	return b.String()
}

func (g *heatGrid) legend(p *pen, t *Terminal, blocks bool) {
	a := &g.c.axis
	indent := strings.Repeat(" ", g.left)
	p.text("\n")
	name := g.h.Value
	used := 0
	if blocks || !g.numbered {
		lo, hi := a.unit.Format(a.lo), a.unit.Format(a.hi)
		p.text(indent + lo + " ")
		used = g.left + utf8.RuneCountInString(lo+hi) + g.ramp(p, t, blocks) + 2
		p.text(" " + hi)
		if a.log {
			name += " (log scale)"
		}
	}
	for _, s := range []string{name, g.h.binText(g.c)} {
		n := utf8.RuneCountInString(s) + 2
		switch {
		case s == "":
			continue
		case used == 0:
			p.text(indent + s)
		case used+n > t.width():
			p.text("\n" + indent + s)
			used = g.left
		default:
			p.text("  " + s)
		}
		used += n
	}
	p.text("\n")
}

// ramp shows the colours or shades from little to much, and tells how wide that is.
func (g *heatGrid) ramp(p *pen, t *Terminal, blocks bool) int {
	if !blocks {
		for i := range 2 * len(shades) {
			p.text(shades[i/2 : i/2+1])
		}
		return 2 * len(shades)
	}
	const n = 24
	for i := range n {
		v := float64(i) / (n - 1)
		if t.Light {
			v = 1 - v
		}
		c := Viridis(v)
		p.set(&c, nil)
		p.text("█")
	}
	p.set(nil, nil)
	return n
}

func scaleText(a *axis) string {
	if a.log {
		return "(log scale)"
	}
	return ""
}
