package render

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
)

// svgCanvas writes the elements of an SVG document.
type svgCanvas struct {
	b      bytes.Buffer
	styles map[style]int // classes of texts, in the order of their first use
	order  []style
	p      *Picture
}

func newSVG(p *Picture) *svgCanvas { return &svgCanvas{styles: map[style]int{}, p: p} }

func (s *svgCanvas) finish(w io.Writer) error {
	var head bytes.Buffer
	fmt.Fprintf(&head,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n",
		s.p.Width, s.p.Height)
	if s.p.about != "" {
		head.WriteString("<title>" + escape(s.p.about) + "</title>\n")
	}
	head.WriteString("<style>text{font-family:Go,'Helvetica Neue',Helvetica,Arial,sans-serif}")
	for i, st := range s.order {
		fmt.Fprintf(&head, ".t%d{font-size:%spx;fill:%s", i, num(st.size), hex(st.color))
		if st.bold {
			head.WriteString(";font-weight:bold")
		}
		if st.align != start {
			head.WriteString(";text-anchor:" + [3]string{"start", "middle", "end"}[st.align])
		}
		head.WriteString("}")
	}
	fmt.Fprintf(&head, "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n", hex(paper))
	s.b.WriteString("</svg>\n")
	if _, err := head.WriteTo(w); err != nil {
		return err
	}
	_, err := s.b.WriteTo(w)
	return err
}

// num writes a length with at most two decimals.
func num(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64) }

func escape(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(OneLine(s))) // a Buffer takes everything
	return b.String()
}

func (s *svgCanvas) rect(x, y, w, h float64, c color.RGBA) {
	fmt.Fprintf(&s.b, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"/>\n", num(x), num(y), num(w),
		num(h), hex(c))
}

func (s *svgCanvas) hover(text string, area box, draw func()) {
	s.b.WriteString("<g><title>" + escape(text) + "</title>\n")
	draw()
	if area.w > 0 {
		fmt.Fprintf(&s.b, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"none\" pointer-events=\"all\"/>\n",
			num(area.x), num(area.y), num(area.w), num(area.h))
	}
	s.b.WriteString("</g>\n")
}

func (s *svgCanvas) polygon(corners []point, c color.RGBA) {
	s.b.WriteString(`<polygon points="`)
	for i, p := range corners {
		if i > 0 {
			s.b.WriteByte(' ')
		}
		s.b.WriteString(num(p.x) + "," + num(p.y))
	}
	fmt.Fprintf(&s.b, "\" fill=\"%s\"/>\n", hex(c))
}

func (s *svgCanvas) text(x, y float64, text string, st style) {
	up := st.up
	st.up = false
	k, ok := s.styles[st]
	if !ok {
		k = len(s.order)
		s.styles[st] = k
		s.order = append(s.order, st)
	}
	place := fmt.Sprintf(`x="%s" y="%s"`, num(x), num(y))
	if up {
		place = fmt.Sprintf(`transform="translate(%s %s) rotate(-90)"`, num(x), num(y))
	}
	fmt.Fprintf(&s.b, "<text class=\"t%d\" %s>%s</text>\n", k, place, escape(text))
}

// maxRuns is how many rectangles a grid may have; beyond an image is smaller
// and faster to show.
const maxRuns = 20_000

// cells joins neighbours of one colour to rectangles and draws those of a
// colour as one path.
func (s *svgCanvas) cells(b box, rows, cols int, at func(row, col int) color.RGBA) {
	runs, ok := joined(rows, cols, at)
	if !ok {
		s.image(b, rows, cols, at)
		return
	}
	fmt.Fprintf(&s.b, `<g transform="translate(%s %s) scale(%s %s)" shape-rendering="crispEdges">`+"\n", num(b.x),
		num(b.y),
		precise(b.w/float64(cols)), precise(b.h/float64(rows)))
	for _, c := range slices.SortedFunc(maps.Keys(runs),
		func(x, y color.RGBA) int { return cmp.Compare(hex(x), hex(y)) }) {
		fmt.Fprintf(&s.b, `<path fill="%s" d="`, hex(c))
		for _, r := range runs[c] {
			fmt.Fprintf(&s.b, "M%d %dh%dv%dh-%dz", r.Min.X, r.Min.Y, r.Dx(), r.Dy(), r.Dx())
		}
		s.b.WriteString("\"/>\n")
	}
	s.b.WriteString("</g>\n")
}

func precise(v float64) string { return strconv.FormatFloat(v, 'f', -1, 32) }

// joined covers a grid with rectangles of one colour: runs within a row, and
// equal runs in successive rows. It gives up when there are too many.
func joined(rows, cols int, at func(row, col int) color.RGBA) (map[color.RGBA][]image.Rectangle, bool) {
	type run struct {
		x, w int
		c    color.RGBA
	}
	var all []image.Rectangle
	var colors []color.RGBA
	open, next := map[run]int{}, map[run]int{} // runs of the row above: index in all
	for y := range rows {
		clear(next)
		for x := 0; x < cols; {
			r := run{x, 1, at(y, x)}
			for x+r.w < cols && at(y, x+r.w) == r.c {
				r.w++
			}
			x += r.w
			if r.c.A == 0 {
				continue
			}
			k, ok := open[r]
			if ok {
				all[k].Max.Y++
			} else {
				k = len(all)
				all = append(all, image.Rect(r.x, y, r.x+r.w, y+1))
				colors = append(colors, r.c)
			}
			if k >= maxRuns {
				return nil, false
			}
			next[r] = k
		}
		open, next = next, open
	}
	by := map[color.RGBA][]image.Rectangle{}
	for i, c := range colors {
		by[c] = append(by[c], all[i])
	}
	return by, true
}

// image embeds the grid as a PNG with a pixel a cell.
func (s *svgCanvas) image(b box, rows, cols int, at func(row, col int) color.RGBA) {
	img := image.NewRGBA(image.Rect(0, 0, cols, rows))
	for y := range rows {
		for x := range cols {
			img.SetRGBA(x, y, at(y, x))
		}
	}
	var data bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&data, compact(img)); err != nil {
		panic("render: PNG in memory: " + err.Error())
	}
	fmt.Fprintf(&s.b,
		`<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" style="image-rendering:pixelated" href="data:image/png;base64,%s"/>`+"\n",
		num(b.x), num(b.y), num(b.w), num(b.h), base64.StdEncoding.EncodeToString(data.Bytes()))
}
