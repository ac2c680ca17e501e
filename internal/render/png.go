package render

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"slices"

	"golang.org/x/image/font"
	"golang.org/x/image/vector"
)

// density is the number of pixels in a point.
const density = 2

// pngCanvas draws pixels.
type pngCanvas struct{ img *image.RGBA }

func newPNG(p *Picture) *pngCanvas {
	c := &pngCanvas{image.NewRGBA(image.Rect(0, 0, p.Width*density, p.Height*density))}
	draw.Draw(c.img, c.img.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	return c
}

func (c *pngCanvas) finish(w io.Writer) error {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.DefaultCompression}
	if err := e.Encode(&b, compact(c.img)); err != nil {
		return err
	}
	text := b.Bytes()
	_, err := w.Write(slices.Concat(text[:pngHead], pngMark, text[pngHead:]))
	return err
}

// pngHead is the length of the signature and of the first chunk of a PNG file.
const pngHead = 8 + 25

// pngMark is a chunk of text that says who drew a picture.
var pngMark = func() []byte {
	text := []byte("tEXtSoftware\x00Tabard")
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(text)-4))
	return binary.BigEndian.AppendUint32(append(chunk, text...), crc32.ChecksumIEEE(text))
}()

// IsPNG tells whether a file that begins so is a picture that this package drew.
func IsPNG(head []byte) bool {
	return len(head) >= pngHead && string(head[1:4]) == "PNG" && bytes.HasPrefix(head[pngHead:], pngMark)
}

// IsSVG tells whether a file that begins so is a picture that this package drew.
func IsSVG(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(line, []byte("<svg xmlns=")) && bytes.HasSuffix(line, []byte(` role="img">`))
}

// compact gives the image a palette if 256 colours are enough.
func compact(img *image.RGBA) image.Image {
	index := map[color.RGBA]uint8{}
	var palette color.Palette
	out := image.NewPaletted(img.Rect, nil)
	var last color.RGBA
	k, ok := uint8(0), false
	for i := 0; i < len(img.Pix); i += 4 {
		c := color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3]}
		if !ok || c != last {
			k, ok = index[c]
			last = c
		}
		if !ok {
			if len(palette) == 256 {
				return img
			}
			k, ok = uint8(len(palette)), true
			index[c] = k
			palette = append(palette, c)
		}
		out.Pix[i/4] = k
	}
	out.Palette = palette
	return out
}

func pixel(x float64) int { return int(math.Round(x * density)) }

func (c *pngCanvas) rect(x, y, w, h float64, col color.RGBA) {
	r := image.Rect(pixel(x), pixel(y), pixel(x+w), pixel(y+h))
	if r.Dx() == 0 && w > 0 {
		r.Max.X++
	}
	draw.Draw(c.img, r, image.NewUniform(col), image.Point{}, draw.Src)
}

func (c *pngCanvas) hover(_ string, _ box, draw func()) { draw() }

func (c *pngCanvas) cells(b box, rows, cols int, at func(row, col int) color.RGBA) {
	for r := range rows {
		for col := range cols {
			if k := at(r, col); k.A != 0 {
				c.rect(b.x+b.w*float64(col)/float64(cols), b.y+b.h*float64(r)/float64(rows), b.w/float64(cols),
					b.h/float64(rows), k)
			}
		}
	}
}

// polygon draws on a mask of the polygon's own size.
func (c *pngCanvas) polygon(corners []point, col color.RGBA) {
	low, high := corners[0], corners[0]
	for _, p := range corners {
		low, high = point{min(low.x, p.x), min(low.y, p.y)}, point{max(high.x, p.x), max(high.y, p.y)}
	}
	area := image.Rect(pixel(low.x)-1, pixel(low.y)-1, pixel(high.x)+2, pixel(high.y)+2)
	r := vector.NewRasterizer(area.Dx(), area.Dy())
	for i, p := range corners {
		x, y := float32(p.x*density)-float32(area.Min.X), float32(p.y*density)-float32(area.Min.Y)
		if i == 0 {
			r.MoveTo(x, y)
		} else {
			r.LineTo(x, y)
		}
	}
	r.ClosePath()
	r.Draw(c.img, area, image.NewUniform(col), image.Point{})
}

// text draws s on a mask. Of the shades of its edges 16 are kept, so that a
// palette is enough for most pictures.
func (c *pngCanvas) text(x, y float64, s string, st style) {
	w := textWidth(s, st)
	up, down := int(st.size*density*1.2), int(st.size*density*0.5)
	mask := image.NewAlpha(image.Rect(-2, -up, pixel(w)+4, down))
	fonts.Lock()
	d := font.Drawer{Dst: mask, Src: image.Opaque, Face: face(st.bold, st.size*density)}
	d.DrawString(s)
	fonts.Unlock()
	for i, a := range mask.Pix {
		mask.Pix[i] = uint8((int(a) + 8) / 17 * 17)
	}
	shift := w * float64(st.align) / 2
	if st.up {
		mask = turned(mask)
		y += shift
	} else {
		x -= shift
	}
	at := image.Pt(pixel(x), pixel(y))
	draw.DrawMask(c.img, mask.Rect.Add(at), image.NewUniform(st.color), image.Point{}, mask, mask.Rect.Min, draw.Over)
}

// turned is a mask turned to the left by a quarter.
func turned(m *image.Alpha) *image.Alpha {
	r := m.Rect
	out := image.NewAlpha(image.Rect(r.Min.Y, 1-r.Max.X, r.Max.Y, 1-r.Min.X))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			out.SetAlpha(y, -x, m.AlphaAt(x, y))
		}
	}
	return out
}
