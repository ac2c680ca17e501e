package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/render"
)

// Histograms shows histograms, and of each the top sizes that occur most.
func Histograms(w io.Writer, t render.Terminal, hs []*traffic.Histogram, top int) error {
	if len(hs) == 0 {
		_, err := fmt.Fprintln(w, "no such messages")
		return err
	}
	for i, h := range hs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := HistogramChart(h).WriteText(w, t); err != nil {
			return err
		}
		if top > 0 && len(h.Sizes) > 1 {
			var sizes []string
			for _, s := range h.Top(top) {
				share := render.Percent(float64(s.Messages) / float64(h.Messages))
				sizes = append(sizes, fmt.Sprintf("%s B %s", count(uint64(s.Bytes)), share))
			}
			render.Printf(w, "most often: %s\n", strings.Join(sizes, ", "))
		}
		if h.Unsized > 0 {
			render.Printf(w, "%s of unknown size\n", plural(h.Unsized, "message"))
		}
	}
	return nil
}

var histogramTitles = [traffic.NumKinds]string{"Messages point to point", "Collectives", "One-sided operations",
	"File access"}

// HistogramChart makes the chart, without the empty bins at both ends.
func HistogramChart(h *traffic.Histogram) *render.Bars {
	b := &render.Bars{Title: histogramTitles[h.Kind], Axis: "size", Value: "messages", Unit: render.Number,
		Upright: true,
		Note: fmt.Sprintf("%s, %s, sizes from %s to %s", plural(h.Messages, "message"), byteSize(h.Bytes),
			byteSize(h.Least), byteSize(h.Most))}
	if h.Func != nil {
		b.Title = h.Func.Name
		if h.Site != nil {
			b.Title += " @ " + siteName(h.Site)
		}
	}
	first, last := traffic.BinOf(h.Least), traffic.BinOf(h.Most)
	for k := first; k <= last && h.Messages > 0; k++ {
		note := ""
		if h.Bins[k] > 0 {
			note = byteSize(h.BinBytes[k])
		}
		b.Bars = append(b.Bars, render.Bar{Label: binLabel(k), Values: []float64{float64(h.Bins[k])}, Note: note})
	}
	return b
}

// binLabel names a bin by its sizes.
func binLabel(k int) string {
	least, most := traffic.BinRange(k)
	switch {
	case least == most:
		return byteSize(least)
	case least < 1024:
		return fmt.Sprintf("%d-%d B", least, most)
	}
	return "< " + byteSize(most+1)
}
