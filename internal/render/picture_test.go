package render

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func svgOf(t *testing.T, c chart) string {
	t.Helper()
	var b strings.Builder
	if err := c.Picture().SVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func pngOf(t *testing.T, p *Picture) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := p.PNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update rewrites it):\n%s", path, got)
	}
}

func TestGoldens(t *testing.T) {
	for _, name := range []string{"heat-4", "bars", "histogram", "time-4", "zoom-4"} {
		golden(t, name+".svg", svgOf(t, charts[name]()))
	}
	for _, name := range []string{"heat-4", "heat-16", "heat-0", "steps-8", "bars", "parts-8", "time-4", "zoom-4"} {
		for _, term := range []string{"ascii", "256"} {
			var b strings.Builder
			if err := charts[name]().WriteText(&b, terminals[term]); err != nil {
				t.Fatal(err)
			}
			golden(t, name+"."+term+".txt", strings.ReplaceAll(onTerminal(b.String()), "\x1b", "^"))
		}
	}
}

// onTerminal is what comes out of a command.
func onTerminal(s string) string {
	var b strings.Builder
	c := NewCleaner(&b)
	io.WriteString(c, s)
	c.Flush()
	return b.String()
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// No line is wider than the terminal, and plain terminals get plain ASCII.
func TestTextFits(t *testing.T) {
	for name, make := range charts {
		for term, tm := range terminals {
			var b strings.Builder
			if err := make().WriteText(&b, tm); err != nil {
				t.Fatal(err)
			}
			text := onTerminal(b.String())
			if tm.Colors == NoColors && strings.Contains(text, "\x1b") || !tm.Unicode &&
				strings.ContainsFunc(text, func(r rune) bool { return r > 126 }) {
				t.Errorf("%s for %s has characters that it cannot show", name, term)
			}
			for _, line := range strings.Split(escapes.ReplaceAllString(text, ""), "\n") {
				if utf8.RuneCountInString(line) > tm.width() || strings.HasSuffix(line, " ") && tm.Colors == NoColors {
					t.Errorf("%s for %s: line of %d characters: %q", name, term, utf8.RuneCountInString(line), line)
				}
			}
		}
	}
}

// svgText is a text of an SVG document with the space that it takes.
type svgText struct {
	s              string
	x0, y0, x1, y1 float64
}

var (
	classRule = regexp.MustCompile(`\.(t\d+)\{font-size:([\d.]+)px;fill:#[0-9a-f]{6}(;font-weight:bold)?(;text-anchor:(middle|end))?\}`)
	turnedAt  = regexp.MustCompile(`translate\(([-\d.]+) ([-\d.]+)\) rotate\(-90\)`)
)

// texts reads an SVG document strictly and finds the texts in it.
func texts(t *testing.T, doc string) (out []svgText, width, height float64) {
	t.Helper()
	styles := map[string]style{}
	for _, m := range classRule.FindAllStringSubmatch(doc, -1) {
		size, _ := strconv.ParseFloat(m[2], 64)
		styles[m[1]] = style{size: size, bold: m[3] != "",
			align: map[string]align{"": start, "middle": middle, "end": end}[m[5]]}
	}
	d := xml.NewDecoder(strings.NewReader(doc))
	number := func(a map[string]string, name string) float64 {
		v, err := strconv.ParseFloat(a[name], 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return v
	}
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return out, width, height
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		attrs := map[string]string{}
		for _, a := range e.Attr {
			attrs[a.Name.Local] = a.Value
		}
		switch e.Name.Local {
		case "svg":
			width, height = number(attrs, "width"), number(attrs, "height")
		case "text":
			var s string
			if err := d.DecodeElement(&s, &e); err != nil {
				t.Fatal(err)
			}
			st, ok := styles[attrs["class"]]
			if !ok {
				t.Fatalf("text %q has no style", s)
			}
			w, x, y := textWidth(s, st), 0.0, 0.0
			up, down := 0.75*st.size, 0.2*st.size
			if m := turnedAt.FindStringSubmatch(attrs["transform"]); m != nil {
				x, _ = strconv.ParseFloat(m[1], 64)
				y, _ = strconv.ParseFloat(m[2], 64)
				y += w * float64(st.align) / 2
				out = append(out, svgText{s, x - up, y - w, x + down, y})
				continue
			}
			x, y = number(attrs, "x")-w*float64(st.align)/2, number(attrs, "y")
			out = append(out, svgText{s, x, y - up, x + w, y + down})
		}
	}
}

// Texts of a picture are inside of it and apart from each other.
func TestLabelsDoNotOverlap(t *testing.T) {
	all := map[string]func() chart{}
	for name, make := range charts {
		all[name] = make
	}
	for _, n := range []int{1, 2, 3, 5, 12, 25, 64, 100, 300, 511, 2000} {
		all[fmt.Sprintf("stencil %d", n)] = func() chart { return stencil(n) }
		all[fmt.Sprintf("phases %d", n)] = func() chart { return phases(n, 300) }
		all[fmt.Sprintf("parts %d", n)] = func() chart { return parts(n) }
		all[fmt.Sprintf("steps %d", n)] = func() chart { return steps(n, 3*n) }
	}
	for name, make := range all {
		doc := svgOf(t, make())
		found, w, h := texts(t, doc)
		if len(found) < 2 {
			t.Errorf("%s has %d texts", name, len(found))
		}
		slices.SortFunc(found, func(a, b svgText) int { return int(math.Copysign(1, a.y0-b.y0)) })
		for i, a := range found {
			if a.x0 < 0 || a.y0 < 0 || a.x1 > w || a.y1 > h {
				t.Errorf("%s: %+v is outside of %g x %g", name, a, w, h)
			}
			for _, b := range found[i+1:] {
				if b.y0 >= a.y1 {
					break
				}
				if a.x0 < b.x1 && b.x0 < a.x1 && b.y0 < a.y1 && a.y0 < b.y1 {
					t.Errorf("%s: %+v and %+v overlap", name, a, b)
				}
			}
		}
	}
}

// Documents refer to nothing outside, and do not grow with the number of ranks beyond reason.
func TestSVGIsSelfContained(t *testing.T) {
	for name, make := range charts {
		doc := svgOf(t, make())
		if n := strings.Count(doc, "http"); n != 1 { // the name space
			t.Errorf("%s: %d addresses", name, n)
		}
		if len(doc) > 400_000 {
			t.Errorf("%s: %d bytes", name, len(doc))
		}
		if doc != svgOf(t, make()) {
			t.Errorf("%s is not the same every time", name)
		}
	}
	h := stencil(4)
	h.Title = `<a> & "b" ` + "\x00\u009b\u202e"
	doc := svgOf(t, h)
	if found, _, _ := texts(t, doc); !strings.Contains(found[0].s, `<a> & "b"`) {
		t.Errorf("%q", found[0].s)
	}
	if strings.ContainsAny(doc, "\u009b\u202e") {
		t.Error("a terminal that shows the document obeys what is in it")
	}
}

// The rectangles of a grid cover each cell once, in its colour.
func TestJoined(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for range 300 {
		rows, cols := 1+rng.IntN(20), 1+rng.IntN(20)
		img := make([]color.RGBA, rows*cols)
		for i := range img {
			if k := rng.IntN(4); k > 0 {
				img[i] = viridis[k]
			}
		}
		got := make([]color.RGBA, len(img))
		by, ok := joined(rows, cols, func(r, c int) color.RGBA { return img[r*cols+c] })
		if !ok {
			t.Fatal("given up")
		}
		for c, rects := range by {
			for _, r := range rects {
				for y := r.Min.Y; y < r.Max.Y; y++ {
					for x := r.Min.X; x < r.Max.X; x++ {
						if got[y*cols+x].A != 0 {
							t.Fatal("covered twice")
						}
						got[y*cols+x] = c
					}
				}
			}
		}
		if !slices.Equal(got, img) {
			t.Fatalf("%v, want %v", got, img)
		}
	}
}

// A grid of too many pieces becomes an image with the same pixels.
func TestEmbeddedImage(t *testing.T) {
	const n = 300
	at := func(r, c int) color.RGBA {
		if (r+c)%2 == 0 {
			return color.RGBA{}
		}
		return viridis[(r*7+c*3)%10]
	}
	s := newSVG(&Picture{Width: 10, Height: 10})
	s.cells(box{0, 0, 10, 10}, n, n, at)
	m := regexp.MustCompile(`base64,([^"]+)"`).FindStringSubmatch(s.b.String())
	if m == nil {
		t.Fatal("no image")
	}
	data, err := base64.StdEncoding.DecodeString(m[1])
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := range n {
		for c := range n {
			if got := color.RGBAModel.Convert(img.At(c, r)); got != at(r, c) {
				t.Fatalf("%d,%d: %v, want %v", r, c, got, at(r, c))
			}
		}
	}
}

// Cells of a PNG have the colour of their value; what is empty is white.
func TestHeatmapPixels(t *testing.T) {
	for _, n := range []int{4, 16, 36, 500, 1000, 5000} {
		h := &Heatmap{Title: "t", Rows: n, Cols: n, Value: "v", Unit: Number, Scale: Linear,
			Each: func(yield func(int, int, float64) bool) {
				yield(0, 0, 100)
				yield(n-1, n/2, 50)
				yield(n/2, n-1, 1)
				yield(n, 0, 1e9) // outside
			}}
		l := h.layout()
		img := pngOf(t, h.Picture())
		if want := image.Rect(0, 0, 2*h.Picture().Width, 2*h.Picture().Height); img.Bounds() != want {
			t.Errorf("%d ranks: size %v, want %v", n, img.Bounds(), want)
		}
		pixel := func(row, col int) color.Color {
			x := l.body.x + (float64(col/l.c.colBin)+0.5)*l.body.w/float64(l.c.cols)
			y := l.body.y + (float64(row/l.c.rowBin)+0.2)*l.body.h/float64(l.c.rows)
			return color.RGBAModel.Convert(img.At(int(2*x), int(2*y)))
		}
		for _, c := range []struct {
			row, col int
			want     color.RGBA
		}{{0, 0, onPaper(1)}, {n - 1, n / 2, onPaper(64.0 / 127)}, {n / 2, n - 1, onPaper(1.0 / 127)},
			{n - 1, 0, paper}} {
			if got := pixel(c.row, c.col); got != c.want {
				t.Errorf("%d ranks: cell %d,%d is %v, want %v", n, c.row, c.col, got, c.want)
			}
		}
		if color.RGBAModel.Convert(img.At(0, 0)) != paper {
			t.Errorf("%d ranks: the background is %v", n, img.At(0, 0))
		}
		if _, ok := img.(*image.Paletted); !ok {
			t.Errorf("%d ranks: no palette", n)
		}
	}
}

// Bins sum up exactly, whatever fits.
func TestBins(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 0))
	for range 200 {
		h := &Heatmap{Rows: 1 + rng.IntN(60), Cols: 1 + rng.IntN(60), Wide: rng.IntN(2) == 0, Bin: Bin(rng.IntN(3)),
			Scale: Linear}
		type cell struct {
			row, col int
			v        float64
		}
		var data []cell
		for range rng.IntN(200) {
			data = append(data, cell{rng.IntN(h.Rows), rng.IntN(h.Cols), float64(rng.IntN(100))})
		}
		h.Each = func(yield func(int, int, float64) bool) {
			for _, c := range data {
				yield(c.row, c.col, c.v)
			}
		}
		c := h.bins(1+rng.IntN(30), 1+rng.IntN(30))
		sum, most, n := map[int]float64{}, map[int]float64{}, map[int]float64{}
		for _, d := range data {
			i := d.row/c.rowBin*c.cols + d.col/c.colBin
			sum[i] += d.v
			most[i] = math.Max(most[i], d.v)
			n[i]++
		}
		for i, v := range c.v {
			want := [3]float64{sum[i], sum[i] / n[i], most[i]}[h.Bin]
			if n[i] == 0 && !math.IsNaN(v) || n[i] > 0 && math.Abs(v-want) > 1e-9 {
				t.Fatalf("%+v: cell %d is %g, want %g", h, i, v, want)
			}
		}
		if !h.Wide && c.rowBin != c.colBin {
			t.Fatalf("cells of %d x %d", c.rowBin, c.colBin)
		}
	}
}

// Shares of a timeline add up, however it is cut.
func TestTimelineShares(t *testing.T) {
	tl := phases(10, 60)
	dst := make([]float64, len(categories))
	for _, n := range []int{7, 60, 93, 200} {
		for x := range n {
			tl.share(2, 5, float64(x)/float64(n), float64(x+1)/float64(n), dst)
			if k := known(dst); k > 1+1e-9 || k < 0.3 && float64(x)/float64(n) > 0.1 {
				t.Fatalf("%d of %d: %v", x, n, dst)
			}
		}
	}
	z := zoomed(1) // of 90 us 4+30, 20+1, and 2+9 in spans, 10+5 between them and after
	z.share(0, 1, 0, 1, dst)
	for i, want := range []float64{15. / 90, 34. / 90, 21. / 90, 11. / 90} {
		if math.Abs(dst[i]-want) > 1e-9 {
			t.Errorf("%v", dst)
		}
	}
}

// A picture of shares has the colours of categories, one above the other.
func TestTimelinePixels(t *testing.T) {
	tl := phases(4, 300)
	tl.Shares = func(row, col int, dst []float64) { dst[0], dst[2] = 0.5, 0.5 }
	img := pngOf(t, tl.Picture())
	seen := map[color.Color]int{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		seen[color.RGBAModel.Convert(img.At(b.Dx()/2, y))]++
	}
	if grey, red := seen[Grey], seen[Vermillion]; grey < 80 || grey > 110 || red < 80 || red > 110 {
		t.Errorf("%d grey and %d red pixels in a column", grey, red)
	}
}

// Nothing to show and numbers that are none do no harm.
func TestNonsense(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, math.MaxFloat64, 5e-324, 1}
	var all []chart
	for n := range 4 {
		for _, v := range odd {
			for s := Auto; s <= Log; s++ {
				h := stencil(n)
				h.Scale, h.Unit, h.Wide = s, Unit(n+2), n%2 == 0
				h.Each = func(yield func(int, int, float64) bool) {
					yield(0, 0, v)
					yield(n-1, 0, 1)
					yield(-1, 7, 1)
				}
				b := &Bars{Unit: Unit(n), Scale: s, Upright: n%2 == 0, Series: categories[:n]}
				for range n {
					b.Bars = append(b.Bars, Bar{Values: []float64{v, 1}})
				}
				tl := phases(n, 6)
				tl.Columns, tl.End = n, tl.Start+time.Duration(n-1)
				all = append(all, h, b, tl, &Timeline{Rows: n,
					Spans: func(int) []Span {
						return []Span{{Start: -5, End: -9, Category: 9},
							{Start: 9, End: 5, Label: "x"}}
					}})
			}
		}
	}
	for _, c := range all {
		if err := c.Picture().SVG(io.Discard); err != nil {
			t.Fatal(err)
		}
		for _, tm := range terminals {
			if err := c.WriteText(io.Discard, tm); err != nil {
				t.Fatal(err)
			}
		}
	}
}
