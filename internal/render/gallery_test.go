package render

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	update  = flag.Bool("update", false, "write the golden files anew")
	gallery = flag.String("gallery", "", "write pictures of all kinds and sizes to this directory, to be looked at")
)

// chart is what all charts can do.
type chart interface {
	WriteText(io.Writer, Terminal) error
	Picture() *Picture
}

// stencil is the matrix of a 2-D five-point stencil on a grid of about equal sides.
func stencil(n int) *Heatmap {
	side := 1
	for side*side < n {
		side++
	}
	return &Heatmap{
		Title: fmt.Sprintf("Bytes sent between %d ranks", n), Note: "app.tabard, point to point, MPI_COMM_WORLD",
		Rows: n, Cols: n, RowAxis: "sender (rank)", ColAxis: "receiver (rank)", Value: "bytes sent", Unit: Bytes,
		Each: func(yield func(int, int, float64) bool) {
			for r := range n {
				for d, v := range map[int]float64{1: 8 << 10, -1: 8 << 10, side: 4 << 20, -side: 4 << 20} {
					if p := r + d; p >= 0 && p < n && (d != 1 || p%side != 0) && (d != -1 || r%side != 0) {
						yield(r, p, v)
					}
				}
			}
		},
	}
}

// irregular is a matrix in which every rank has some random peers.
func irregular(n int) *Heatmap {
	h := stencil(n)
	h.Each = func(yield func(int, int, float64) bool) {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		for r := range n {
			for range 24 {
				yield(r, (r+int(rng.NormFloat64()*float64(n)/6)+n)%n, float64(uint64(64)<<rng.IntN(18)))
			}
		}
	}
	return h
}

// categories are those of MPI timelines.
var categories = []Series{
	{"computation 61.2%", Grey, Slate, '.'}, {"point to point 12.0%", Blue, Blue, 'P'},
	{"wait 20.4%", Vermillion, Vermillion, 'W'}, {"collective 6.4%", Orange, Orange, 'C'},
}

// phases is a timeline of iterations with waits that grow with the rank.
func phases(rows, cols int) *Timeline {
	return &Timeline{
		Title: fmt.Sprintf("What %d ranks do", rows), Note: "app.tabard", Rows: rows, RowAxis: "rank", Start: 0,
		End:        4200 * time.Millisecond,
		Categories: categories, Columns: cols,
		Shares: func(row, col int, dst []float64) {
			phase := float64(col%(cols/6)) / float64(cols/6)
			wait := 0.25 * float64(row) / float64(rows)
			switch {
			case col < cols/40 && row%2 == 1 || col > cols-cols/30 && row%3 == 1:
			case phase < 0.55:
				dst[0], dst[1] = 0.95, 0.05
			case phase < 0.65+wait:
				dst[0], dst[1], dst[2] = 0.2, 0.1, 0.7
			case phase < 0.95:
				dst[0], dst[1] = 0.6, 0.4
			default:
				dst[3] = 1
			}
		},
	}
}

// zoomed is a timeline of single calls.
func zoomed(rows int) *Timeline {
	tl := phases(rows, 1)
	tl.Start, tl.End = 12_345_678*time.Microsecond, 12_345_678*time.Microsecond+90*time.Microsecond
	tl.Shares, tl.Columns = nil, 0
	spans := make([][]Span, rows)
	for r := range spans {
		at := tl.Start + time.Duration(r)*time.Microsecond
		for i, d := range []int{4, 20, 2, 30, 1, 9} {
			end := at + time.Duration(d)*time.Microsecond
			spans[r] = append(spans[r], Span{Start: at, End: end, Category: 1 + i%3,
				Label: []string{"Isend", "Waitall", "Allreduce"}[i%3]})
			at = end + 2*time.Microsecond
		}
	}
	tl.Spans = func(row int) []Span { return spans[row] }
	tl.Life = func(row int) (from, to time.Duration) {
		return spans[row][0].Start, spans[row][5].End + 5*time.Microsecond
	}
	return tl
}

func sizes(upright bool) *Bars {
	b := &Bars{Title: "Sizes of messages", Note: "app.tabard, 1,204,312 messages", Axis: "size of a message",
		Value: "messages", Unit: Number, Upright: upright}
	for i := range 14 {
		b.Bars = append(b.Bars, Bar{Label: sizeTick(float64(uint64(8) << (2 * i))),
			Values: []float64{float64((i*i*7919 + 3) % 4001)}, Note: ByteSize(int64(i) << 22)})
	}
	return b
}

func parts(n int) *Bars {
	b := &Bars{Title: "Time per rank", Value: "time", Unit: Nanos, Series: categories}
	for i := range n {
		b.Bars = append(b.Bars, Bar{Label: fmt.Sprintf("rank %d", i),
			Values: []float64{3e9 - float64(i)*1e7, 4e8, float64(i) * 1e7, 1e8}})
	}
	return b
}

// steps is ranks by time steps, in cells that are no squares.
func steps(rows, cols int) *Heatmap {
	return &Heatmap{
		Title: "Time waited in each step", Rows: rows, Cols: cols, RowAxis: "rank", ColAxis: "time step",
		Value: "time waited", Unit: Nanos, Wide: true, Bin: Mean,
		Each: func(yield func(int, int, float64) bool) {
			for r := range rows {
				for c := range cols {
					yield(r, c, 1e6*float64((r*13+c*7)%50)+2e6*float64(c%97/96))
				}
			}
		},
	}
}

var charts = map[string]func() chart{
	"heat-4": func() chart { return stencil(4) }, "heat-16": func() chart { return irregular(16) },
	"heat-36":   func() chart { return stencil(36) },
	"heat-1000": func() chart { return stencil(1000) }, "heat-1000i": func() chart { return irregular(1000) },
	"heat-4096": func() chart { return stencil(4096) },
	"heat-0": func() chart {
		return &Heatmap{Title: "Nothing", Rows: 8, Cols: 8, RowAxis: "rank", ColAxis: "rank", Value: "bytes",
			Unit: Bytes}
	},
	"steps-8": func() chart { return steps(8, 100) }, "steps-1000": func() chart { return steps(1000, 5000) },
	"bars": func() chart { return sizes(false) }, "histogram": func() chart { return sizes(true) },
	"parts-8": func() chart { return parts(8) }, "parts-200": func() chart { return parts(200) },
	"time-4": func() chart { return phases(4, 240) }, "time-36": func() chart { return phases(36, 900) },
	"time-1000": func() chart { return phases(1000, 900) },
	"zoom-4":    func() chart { return zoomed(4) }, "zoom-36": func() chart { return zoomed(36) },
}

// terminals are what text is drawn for.
var terminals = map[string]Terminal{
	"ascii": {}, "wide": {Width: 120, Height: 40, Unicode: true, TTY: true},
	"256":   {Width: 80, Height: 24, Unicode: true, Colors: Colors256, TTY: true},
	"color": {Width: 120, Height: 40, Unicode: true, Colors: TrueColors, TTY: true},
	"light": {Width: 100, Height: 50, Unicode: true, Colors: TrueColors, Light: true, TTY: true},
}

// TestGallery writes everything; without -gallery it checks that all can be drawn.
func TestGallery(t *testing.T) {
	for name, make := range charts {
		c := make()
		write := func(file string, draw func(io.Writer) error) {
			var b strings.Builder
			if err := draw(&b); err != nil || b.Len() == 0 {
				t.Errorf("%s: %d bytes, error %v", file, b.Len(), err)
			}
			if *gallery != "" {
				if err := os.WriteFile(filepath.Join(*gallery, file), []byte(b.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		write(name+".svg", c.Picture().SVG)
		write(name+".png", c.Picture().PNG)
		for term, tm := range terminals {
			write(name+"."+term+".txt", func(w io.Writer) error { return c.WriteText(w, tm) })
		}
	}
}
