package view

import (
	"fmt"
	"image/color"
	"os"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/render"
)

// The page draws in the colours of pictures and terminals, and knows all categories by their names.
func TestPalette(t *testing.T) {
	b, err := os.ReadFile("ui/src/palette.ts")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	hex := func(c color.RGBA) string { return fmt.Sprintf("0x%02x%02x%02x", c.R, c.G, c.B) }
	var map10 []string
	for i := range 10 {
		map10 = append(map10, hex(render.Viridis(float64(i)/9)))
	}
	if want := strings.Join(map10, ", "); !strings.Contains(page, want) {
		t.Errorf("the page's viridis is not %s", want)
	}
	light := map[timeline.Category]color.RGBA{timeline.Computation: render.Grey, timeline.PointToPoint: render.Blue,
		timeline.Wait: render.Vermillion, timeline.Collective: render.Orange, timeline.RMA: render.Purple,
		timeline.IO: render.Green, timeline.Other: render.SkyBlue, timeline.Lifecycle: render.PaleBlue,
		timeline.Unselected: render.DarkGrey}
	dark := map[timeline.Category]color.RGBA{timeline.Computation: render.Slate, timeline.Lifecycle: render.SlateBlue}
	rest := page
	for c := range timeline.NumCategories {
		d, ok := dark[c]
		if !ok {
			d = light[c]
		}
		var line string
		_, rest, ok = strings.Cut(rest, fmt.Sprintf("{ key: %q,", c.String()))
		line, _, _ = strings.Cut(rest, "}")
		if want := fmt.Sprintf("light: %s, dark: %s ", hex(light[c]), hex(d)); !ok || !strings.HasSuffix(line, want) {
			t.Errorf("category %s of the page, in the order of package timeline: %q lacks %s", c, line, want)
		}
	}
}
