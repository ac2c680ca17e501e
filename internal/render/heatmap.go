package render

import (
	"fmt"
	"io"
	"math"
	"strconv"
)

// Bin says what a cell shows that stands for several values.
type Bin uint8

// Ways to sum up.
const (
	Sum Bin = iota
	Mean
	Max
)

var binNames = [...]string{"sum", "mean", "maximum"}

// Heatmap is a matrix whose values are shown as colours. Larger ones than fit
// are binned: a cell then stands for a square of values, and the legend says so.
type Heatmap struct {
	Title string
	// Note is a line below the title, may be empty.
	Note       string
	Rows, Cols int
	// RowAxis and ColAxis say what rows and columns are, e.g. "sender (rank)".
	RowAxis, ColAxis string
	// RowLabel and ColLabel name row and column i; nil: by number.
	RowLabel, ColLabel func(i int) string
	// Each yields the values in any order. What is not yielded is empty, as are infinite
	// values and, on a logarithmic scale, values of 0; values of one place are summed up
	// as Bin says.
	Each func(yield func(row, col int, v float64) bool)
	// Value says what the values are, e.g. "bytes sent".
	Value string
	Unit  Unit
	Scale Scale
	Bin   Bin
	// Wide lets cells have any shape, as of time in columns; else they are squares.
	Wide bool
}

// cells is a Heatmap in bins.
type cells struct {
	rows, cols       int // of bins
	rowBin, colBin   int // rows and columns of the matrix that a bin stands for
	v                []float64
	n                []uint32 // values in a bin, for means
	axis             axis
	least, pos, most float64
}

// bins sums up the matrix in at most maxRows and maxCols cells.
func (h *Heatmap) bins(maxRows, maxCols int) *cells {
	c := &cells{rowBin: ceilDiv(h.Rows, maxRows), colBin: ceilDiv(h.Cols, maxCols)}
	if !h.Wide {
		c.rowBin = max(c.rowBin, c.colBin)
		c.colBin = c.rowBin
	}
	c.rows, c.cols = ceilDiv(h.Rows, c.rowBin), ceilDiv(h.Cols, c.colBin)
	c.v = make([]float64, c.rows*c.cols)
	for i := range c.v {
		c.v[i] = math.NaN()
	}
	if h.Bin == Mean {
		c.n = make([]uint32, len(c.v))
	}
	if h.Each != nil {
		h.Each(func(row, col int, v float64) bool {
			if row >= 0 && row < h.Rows && col >= 0 && col < h.Cols && finite(v) {
				c.add(h.Bin, row/c.rowBin*c.cols+col/c.colBin, v)
			}
			return true
		})
	}
	for i, n := range c.n {
		if n > 1 {
			c.v[i] /= float64(n)
		}
	}
	c.range_(h)
	return c
}

// finite tells numbers that can be added up from NaN and infinities.
func finite(v float64) bool { return math.Abs(v) < 1e290 }

func (c *cells) add(b Bin, i int, v float64) {
	switch old := c.v[i]; {
	case math.IsNaN(old):
		c.v[i] = v
	case b == Max:
		c.v[i] = math.Max(old, v)
	default:
		c.v[i] = old + v
	}
	if c.n != nil {
		c.n[i]++
	}
}

// range_ finds the extremes and the axis; on a logarithmic one 0 is empty.
func (c *cells) range_(h *Heatmap) {
	c.least, c.pos, c.most = math.Inf(1), math.Inf(1), math.Inf(-1)
	for _, v := range c.v {
		if math.IsNaN(v) {
			continue
		}
		c.least, c.most = math.Min(c.least, v), math.Max(c.most, v)
		if v > 0 {
			c.pos = math.Min(c.pos, v)
		}
	}
	if c.empty() {
		return
	}
	if math.IsInf(c.pos, 1) {
		c.pos = 0
	}
	c.axis = newAxis(h.Scale, h.Unit, c.least, c.pos, c.most)
	if c.axis.log {
		for i, v := range c.v {
			if v <= 0 {
				c.v[i] = math.NaN()
			}
		}
	}
}

// empty reports whether there are no values at all.
func (c *cells) empty() bool { return c.least > c.most }

func (c *cells) at(row, col int) float64 {
	if row >= c.rows || col >= c.cols {
		return math.NaN()
	}
	return c.v[row*c.cols+col]
}

// binText says what a cell stands for, "" if for itself.
func (h *Heatmap) binText(c *cells) string {
	if c.rowBin == 1 && c.colBin == 1 {
		return ""
	}
	return fmt.Sprintf("a cell is the %s of %d x %d", binNames[h.Bin], c.rowBin, c.colBin)
}

func label(f func(int) string, i int) string {
	if f != nil {
		return f(i)
	}
	return strconv.Itoa(i)
}

// places are the numbers from 0 to n-1 that get a label: every 1st, 2nd, 5th,
// 10th and so on, at most about most of them.
func places(n, most int) []int {
	step := stride(float64(n) / float64(max(most, 1)))
	var out []int
	for i := 0; i < n; i += step {
		out = append(out, i)
	}
	return out
}

// stride is the least of 1, 2, 5, 10, 20, 50 and so on that is not below x.
func stride(x float64) int {
	s := 1
	for k := 0; float64(s) < x; k++ {
		s = s / [3]int{1, 2, 5}[k%3] * [3]int{2, 5, 10}[k%3]
	}
	return s
}

func ceilDiv(a, b int) int { return max(1, (a+max(b, 1)-1)/max(b, 1)) }

// WriteText draws the matrix for a terminal.
func (h *Heatmap) WriteText(w io.Writer, t Terminal) error {
	_, err := io.WriteString(w, h.text(&t))
	return err
}
