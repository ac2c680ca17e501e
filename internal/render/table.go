package render

import (
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table aligns cells in columns: text at the left, numbers at the right.
type Table struct {
	columns []tableColumn
	rows    [][]string
	// Indent is put before each line.
	Indent string
	dense  bool // one space between columns instead of two
}

type tableColumn struct {
	head  string
	right bool
	width int
}

// NewTable makes a table with the given heads of columns. Those that begin
// with ">" (which is not shown) are aligned at the right. A table whose heads
// are all empty has no line of heads.
func NewTable(heads ...string) *Table {
	t := &Table{}
	for _, h := range heads {
		name, right := strings.CutPrefix(h, ">")
		t.columns = append(t.columns, tableColumn{name, right, utf8.RuneCountInString(name)})
	}
	return t
}

// Row adds a row. Missing cells are empty, further ones are an error of ours.
func (t *Table) Row(cells ...string) {
	if len(cells) > len(t.columns) {
		panic("render: a row has more cells than the table columns")
	}
	cells = slices.Clone(cells)
	for i, c := range cells {
		c = OneLine(c)
		cells[i] = c
		t.columns[i].width = max(t.columns[i].width, utf8.RuneCountInString(c))
	}
	t.rows = append(t.rows, cells)
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// leastCell is how narrow cells of text may become on a page, and denseCell on one that is too narrow for that.
const (
	leastCell = 16
	denseCell = 8
)

// fit shortens names and cuts the widest cells of text until the table fits a page, or they are narrow, or as wide as
// their heads. If that is not enough the columns come closer to each other, and cells of text become narrower.
func (t *Table) fit(p *Page) {
	if p == nil || p.Wide {
		return
	}
	all := utf8.RuneCountInString(t.Indent) + 2*(len(t.columns)-1)
	for i := range t.columns {
		c := &t.columns[i]
		c.width = utf8.RuneCountInString(c.head)
		for _, r := range t.rows {
			if i < len(r) {
				if !c.right {
					r[i] = p.brief(r[i])
				}
				c.width = max(c.width, utf8.RuneCountInString(r[i]))
			}
		}
		all += c.width
	}
	whole := make([][]string, len(t.rows))
	for i, r := range t.rows {
		whole[i] = slices.Clone(r)
	}
	least := leastCell
	for p.Width > 0 && all > p.Width {
		widest, next := -1, least // of columns of text, and how wide the others are
		for i := range t.columns {
			c := &t.columns[i]
			if c.right || c.width <= max(least, utf8.RuneCountInString(c.head)) {
				continue
			}
			if widest < 0 || c.width > t.columns[widest].width {
				if widest >= 0 {
					next = max(next, t.columns[widest].width)
				}
				widest = i
			} else {
				next = max(next, c.width)
			}
		}
		if widest < 0 && t.dense {
			break
		}
		if widest < 0 {
			t.dense, least = true, denseCell
			all -= len(t.columns) - 1
			continue
		}
		c := &t.columns[widest]
		width := max(next, c.width-(all-p.Width))
		if width == c.width {
			width-- // two are as wide
		}
		all += t.cut(widest, width, t.rows)
	}
	for i := len(t.columns) - 1; i >= 0 && all < p.Width; i-- { // what was cut for others that needed no more
		if c := &t.columns[i]; !c.right {
			all += t.cut(i, c.width+p.Width-all, whole)
		}
	}
}

// cut fits the cells of a column, taken from some rows, to a width, and says by how much it is wider then.
func (t *Table) cut(column, width int, from [][]string) (wider int) {
	c := &t.columns[column]
	before := c.width
	c.width = utf8.RuneCountInString(c.head)
	for i, r := range t.rows {
		if column < len(r) {
			r[column] = cutNames(from[i][column], width)
			c.width = max(c.width, utf8.RuneCountInString(r[column]))
		}
	}
	return c.width - before
}

// WriteText writes the table; where w is a page, it fits that.
func (t *Table) WriteText(w io.Writer) error {
	t.fit(PageOf(w))
	var b strings.Builder
	heads := make([]string, len(t.columns))
	some := false
	for i, c := range t.columns {
		heads[i] = c.head
		some = some || c.head != ""
	}
	if some {
		t.line(&b, heads)
	}
	for _, r := range t.rows {
		t.line(&b, r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) line(b *strings.Builder, cells []string) {
	line := t.Indent
	for i, s := range cells {
		if i > 0 && t.dense {
			line += " "
		} else if i > 0 {
			line += "  "
		}
		pad := strings.Repeat(" ", max(0, t.columns[i].width-utf8.RuneCountInString(s)))
		if t.columns[i].right {
			line += pad + s
		} else {
			line += s + pad
		}
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// Spark draws values as a line of characters, the greatest as the highest;
// values that are not known (NaN) are blank. More values than width are
// averaged in groups. Without Unicode the heights are "_.-=*#".
func Spark(values []float64, width int, unicode bool) string {
	if len(values) == 0 || width <= 0 {
		return ""
	}
	levels := []rune("_.-=*#")
	if unicode {
		levels = []rune("▁▂▃▄▅▆▇█")
	}
	n := min(width, len(values))
	heights := make([]float64, n)
	most := 0.0
	for i := range heights {
		heights[i] = meanOf(values[i*len(values)/n : (i+1)*len(values)/n])
		if heights[i] > most {
			most = heights[i]
		}
	}
	var b strings.Builder
	for _, v := range heights {
		switch {
		case math.IsNaN(v):
			b.WriteByte(' ')
		case most == 0 || v <= 0:
			b.WriteRune(levels[0])
		default:
			b.WriteRune(levels[min(int(v/most*float64(len(levels))), len(levels)-1)])
		}
	}
	return b.String()
}

// meanOf is the mean of the values that are known, NaN if none is.
func meanOf(values []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}
