package render

import (
	"image/color"
	"io"
)

// Picture is a drawing that can be written in several forms. It has a light
// background and holds all that it needs.
type Picture struct {
	// Width and Height are in points; a PNG has two pixels a point.
	Width, Height int
	draw          func(c canvas)
	// about is what the picture shows, for readers that do not see it.
	about string
}

// SVG writes the picture as a self-contained SVG document.
func (p *Picture) SVG(w io.Writer) error {
	s := newSVG(p)
	p.draw(s)
	return s.finish(w)
}

// PNG writes the picture as a PNG image.
func (p *Picture) PNG(w io.Writer) error {
	c := newPNG(p)
	p.draw(c)
	return c.finish(w)
}

// canvas is what charts draw on. Lengths are in points from the upper left corner.
type canvas interface {
	rect(x, y, w, h float64, c color.RGBA)
	// text draws s; y is the base line.
	text(x, y float64, s string, st style)
	// cells draws a grid of rows and columns; colours with A=0 are left out.
	cells(b box, rows, cols int, at func(row, col int) color.RGBA)
	// hover draws something that explains itself where a mouse points to it; a box of no size adds no area to it.
	hover(text string, area box, draw func())
	polygon(corners []point, c color.RGBA)
}

// point is a place.
type point struct{ x, y float64 }

// box is a rectangle.
type box struct{ x, y, w, h float64 }

// style is how text looks.
type style struct {
	size  float64
	bold  bool
	color color.RGBA
	align align
	// up writes from below to above.
	up bool
}

// align says which part of a text is at the given place.
type align uint8

const (
	start align = iota
	middle
	end
)

// Styles of the parts of a chart.
var (
	titleStyle = style{size: 15, bold: true, color: ink}
	noteStyle  = style{size: 11, color: faint}
	axisStyle  = style{size: 12, color: ink}
	tickStyle  = style{size: 11, color: faint}
)

func (s style) at(a align) style { s.align = a; return s }

func (s style) upward() style { s.up = true; return s }

func (s style) in(c color.RGBA) style { s.color = c; return s }

// frame draws the outline of a box.
func frame(c canvas, b box, col color.RGBA) {
	c.rect(b.x-1, b.y-1, b.w+2, 1, col)
	c.rect(b.x-1, b.y+b.h, b.w+2, 1, col)
	c.rect(b.x-1, b.y, 1, b.h, col)
	c.rect(b.x+b.w, b.y, 1, b.h, col)
}

// Margins of pictures in points.
const margin = 16.0

// head is the height of title and note, head draws them.
func headHeight(title, note string) float64 {
	y := margin
	if title != "" {
		y += 20
	}
	if note != "" {
		y += 17
	}
	return y + 4
}

func drawHead(c canvas, title, note string) {
	y := margin
	if title != "" {
		c.text(margin, y+13, title, titleStyle)
		y += 20
	}
	if note != "" {
		c.text(margin, y+11, note, noteStyle)
	}
}

// headWidth is how wide the picture must be for title and note.
func headWidth(title, note string) float64 {
	return 2*margin + max(textWidth(title, titleStyle), textWidth(note, noteStyle))
}
