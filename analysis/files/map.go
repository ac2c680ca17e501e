package files

import "time"

// Map is bytes that were moved over time and offset, in cells.
type Map struct {
	Rows, Cols int
	// From is the time where column 0 begins, Width that of a column; row 0 begins at offset 0, and Height is the bytes
	// of a row.
	From, Width time.Duration
	Height      int64
	// Cells are the bytes of each cell, row by row.
	Cells []float64
}

// mapRows and mapCols are the most cells that accesses are put into; a map has at least half of them where there is
// enough.
const (
	mapRows = 256
	mapCols = 1024

	farthest = 1 << 60
)

// placed puts accesses into cells, which become larger as needed.
type placed struct {
	Map
	any         bool
	first, last int // columns with accesses
	high        int // the highest row with any
}

func newPlaced() *placed {
	return &placed{Map: Map{Rows: mapRows, Cols: mapCols, Width: 1, Height: 1, Cells: make([]float64, mapRows*mapCols)}}
}

func (p *placed) add(a *access) {
	if a.bytes <= 0 || a.begin < 0 || a.end < a.begin || a.end > farthest || a.offset > farthest || a.bytes > farthest {
		return // of a damaged recording
	}
	for int64(p.Rows)*p.Height < a.offset+a.bytes {
		p.foldRows()
	}
	for time.Duration(p.Cols)*p.Width <= a.end {
		p.foldCols()
	}
	lo, hi := int(a.offset/p.Height), int((a.offset+a.bytes-1)/p.Height)
	from, to := int(a.begin/p.Width), int(a.end/p.Width)
	share := float64(a.bytes) / float64((hi-lo+1)*(to-from+1))
	for r := lo; r <= hi; r++ {
		for c := from; c <= to; c++ {
			p.Cells[r*p.Cols+c] += share
		}
	}
	if !p.any {
		p.any, p.first, p.last = true, from, to
	}
	p.first, p.last, p.high = min(p.first, from), max(p.last, to), max(p.high, hi)
}

func (p *placed) foldRows() {
	for r := range p.Rows {
		row := p.Cells[r*p.Cols:][:p.Cols]
		for c, v := range row {
			row[c] = 0
			p.Cells[r/2*p.Cols+c] += v
		}
	}
	p.Height *= 2
	p.high /= 2
}

func (p *placed) foldCols() {
	for r := range p.Rows {
		row := p.Cells[r*p.Cols:][:p.Cols]
		for c, v := range row {
			row[c] = 0
			row[c/2] += v
		}
	}
	p.Width *= 2
	p.first, p.last = p.first/2, p.last/2
}

// finish is the part with accesses, nil if there are none.
func (p *placed) finish() *Map {
	if !p.any {
		return nil
	}
	m := &Map{Rows: p.high + 1, Cols: p.last - p.first + 1, From: time.Duration(p.first) * p.Width, Width: p.Width,
		Height: p.Height}
	for r := range m.Rows {
		m.Cells = append(m.Cells, p.Cells[r*p.Cols+p.first:][:m.Cols]...)
	}
	return m
}
