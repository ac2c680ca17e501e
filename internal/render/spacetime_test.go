package render

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// TestSpaceTime: each message is a line and a head, between the rows of its ends, in both forms.
func TestSpaceTime(t *testing.T) {
	d := &SpaceTime{Title: "ring", Note: "<a & b>", RowAxis: "rank", Rows: []string{"0", "1", "2"}, Flights: []Flight{
		{From: 0, To: 1, Start: 0, End: 1, Color: Blue}, {From: 1, To: 2, Start: 2, End: 3, Color: Vermillion},
	}}
	p := d.Picture()
	var b strings.Builder
	if err := p.SVG(&b); err != nil {
		t.Fatal(err)
	}
	svg := b.String()
	for x := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := x.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(svg, "<polygon "); n != 4 {
		t.Errorf("%d polygons", n)
	}
	img := pngOf(t, p)
	seen := map[[3]uint32]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}
	for _, c := range []Flight{d.Flights[0], d.Flights[1]} {
		if n := seen[[3]uint32{uint32(c.Color.R), uint32(c.Color.G), uint32(c.Color.B)}]; n < 100 {
			t.Errorf("%d points of %v", n, c.Color)
		}
	}
	(&SpaceTime{}).Picture().draw(newSVG(p)) // nothing in it
}
