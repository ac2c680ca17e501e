package report

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/render"
)

// MatrixSchema names the form of Matrix.
const MatrixSchema = "tabard.matrix/1"

var _ = register[Matrix](MatrixSchema, "matrix --json")

// Matrix is which ranks send how much to which.
type Matrix struct {
	Schema    string          `json:"schema"`
	File      string          `json:"file"`
	Selection selection.Flags `json:"selection"`
	Kind      string          `json:"kind"`
	// Processes are numbered through all worlds; those of the launched one have their rank as
	// number. Worlds are where they begin.
	Processes int           `json:"processes"`
	Worlds    []MatrixWorld `json:"worlds"`
	// Missing is how many processes were not recorded or not selected: what they send is not known.
	Missing int `json:"missing"`
	// Received is messages point to point that are known from their receipt only.
	Received uint64 `json:"received_only"`
	// Totals are what there is of each kind.
	Totals map[string]MatrixTotal `json:"totals"`
	// Bins is the number of groups of ranks that rows and columns are, 0 if they are processes;
	// process p is in group p*bins/processes, rounded down.
	Bins int `json:"bins"`
	// Columns name the numbers of each of Cells.
	Columns []string  `json:"columns"`
	Cells   [][]int64 `json:"cells"`
}

// MatrixWorld is the processes that one launch or spawn started.
type MatrixWorld struct {
	World int `json:"world"`
	First int `json:"first"`
	Size  int `json:"size"`
}

// MatrixTotal is what there is of a kind of messages.
type MatrixTotal struct {
	Messages uint64 `json:"messages"`
	Bytes    int64  `json:"bytes"`
	// Nowhere are messages to partners that are not known, Unsized those of unknown size.
	Nowhere uint64 `json:"nowhere"`
	Unsized uint64 `json:"unsized"`
}

// MatrixKinds are the kinds of messages that a matrix can be of.
var MatrixKinds = []string{"p2p", "collective", "rma", "all"}

// MatrixValues are what a matrix can be of: numbers of bytes, of messages, or time in the calls
// that send.
var MatrixValues = []string{"bytes", "messages", "time"}

// GridOptions say what is shown of a communication matrix.
type GridOptions struct {
	// Kind is one of MatrixKinds, Value one of MatrixValues.
	Kind, Value string
	// Bins is how many groups of neighbours ranks are summed up in, 0 for none.
	Bins int
	// Listed says that each pair will be listed, so that there may not be very many.
	Listed bool
}

// Limits of matrices: how many pairs are listed one by one, and how many bins are drawn of more.
const (
	maxPairs    = 1 << 22
	defaultBins = 512
)

// Grid is a communication matrix as it is shown: of some kinds of messages, of processes or of
// groups of them.
type Grid struct {
	GridOptions
	*traffic.Matrix
	File  string
	Kinds []traffic.Kind
	// Rows is the number of rows and columns. GridOptions.Bins is that of groups of ranks, 0 if
	// there are none.
	Rows int
	// Received are messages that are known from receives only.
	Received traffic.Volume
	binned   []traffic.Volume
}

// NewGrid finds out who sends to whom.
func NewGrid(chosen *selection.Resolved, o GridOptions, meter Meter) (*Grid, error) {
	done := meter.Reading(chosen)
	m, err := traffic.MatrixOf(chosen)
	done()
	if err != nil {
		return nil, err
	}
	g := &Grid{GridOptions: o, Matrix: m, File: chosen.Archive.File(), Rows: m.Processes,
		Kinds: []traffic.Kind{traffic.PointToPoint, traffic.Collective, traffic.OneSided}}
	if k := slices.Index(MatrixKinds, o.Kind); k < len(g.Kinds) {
		g.Kinds = g.Kinds[k : k+1]
	}
	if m.Missing > 0 && chosen.Selection.Ranks == nil && slices.Contains(g.Kinds, traffic.PointToPoint) {
		if g.Received, err = m.AddReceived(chosen); err != nil {
			return nil, err
		}
	}
	if g.Timed() {
		p := meter.Start("reading times", "events")
		n, err := m.AddTimes(chosen, p.Add)
		p.Done()
		if err != nil {
			return nil, err
		}
		if g.Sum().Messages > 0 && n == 0 {
			return nil, fmt.Errorf("%s has no times of single calls: --value time needs them", g.File)
		}
	}
	return g, g.group()
}

// sketchBins is how many rows the matrix of a summary has at most.
const sketchBins = 16

// sketch is a small matrix of the messages point to point.
func (j *Job) sketch() (*Grid, error) {
	chosen, err := j.resolved()
	if err != nil {
		return nil, err
	}
	m, err := traffic.MatrixOf(chosen)
	if err != nil {
		return nil, err
	}
	g := &Grid{GridOptions: GridOptions{Kind: "p2p", Value: "bytes", Bins: sketchBins}, Matrix: m,
		File: j.Archive.File(),
		Rows: m.Processes, Kinds: []traffic.Kind{traffic.PointToPoint}}
	return g, g.group()
}

// group sums up ranks if that was asked for, or if there are too many pairs to draw.
func (g *Grid) group() error {
	if pairs := g.Pairs(g.Kinds...); g.Bins == 0 && pairs > maxPairs {
		if g.Listed {
			return fmt.Errorf("there are %s pairs: choose --kind p2p, --bins N or fewer ranks", render.Count(pairs))
		}
		g.Bins = defaultBins
	}
	if g.Bins == 0 || g.Bins >= g.Processes {
		g.Bins = 0
		return nil
	}
	g.Rows = g.Bins
	g.binned = g.Binned(g.Bins, g.Kinds...)
	return nil
}

// Timed says that the grid has times.
func (g *Grid) Timed() bool { return g.Value == "time" }

// Shown yields the cells that are not empty: of processes, or of groups.
func (g *Grid) Shown() iter.Seq[traffic.Cell] {
	if g.Bins == 0 {
		return g.Cells(g.Kinds...)
	}
	return func(yield func(traffic.Cell) bool) {
		for i, b := range g.binned {
			if b.Messages > 0 && !yield(traffic.Cell{From: int32(i / g.Bins), To: int32(i % g.Bins), Volume: b}) {
				return
			}
		}
	}
}

// Sum adds up all cells.
func (g *Grid) Sum() (sum traffic.Volume) {
	for _, k := range g.Kinds {
		t := g.Total(k)
		sum.Messages += t.Messages
		sum.Bytes += t.Bytes
		sum.Time += t.Time
	}
	return sum
}

// Number is what of a volume is shown.
func (g *Grid) Number(x traffic.Volume) float64 {
	switch g.Value {
	case "messages":
		return float64(x.Messages)
	case "time":
		return float64(x.Time)
	}
	return float64(x.Bytes)
}

// Label names row i.
func (g *Grid) Label(i int) string {
	if g.Bins == 0 {
		return processLabel(g.Worlds, i)
	}
	// The first process p with p*bins/Processes = i.
	first := func(i int) int { return (i*g.Processes + g.Bins - 1) / g.Bins }
	lo, hi := first(i), first(i+1)-1
	if lo == hi {
		return processLabel(g.Worlds, lo)
	}
	return processLabel(g.Worlds, lo) + "-" + processLabel(g.Worlds, hi)
}

// processLabel names a process: its rank, and its world if that is not the first.
func processLabel(worlds []comms.World, p int) string {
	for i := len(worlds) - 1; i > 0; i-- {
		if w := worlds[i]; p >= w.First {
			return RankLabel(w.Number, p-w.First)
		}
	}
	return strconv.Itoa(p)
}

// Greatest are the n greatest cells, by what is shown.
func (g *Grid) Greatest(n int) []traffic.Cell {
	var best []traffic.Cell
	for c := range g.Shown() {
		if len(best) == n && g.Number(c.Volume) <= g.Number(best[n-1].Volume) {
			continue
		}
		i, _ := slices.BinarySearchFunc(best, c, func(a, b traffic.Cell) int {
			if g.Number(a.Volume) >= g.Number(b.Volume) { // equal ones stay in order
				return -1
			}
			return 1
		})
		if best = slices.Insert(best, i, c); len(best) > n {
			best = best[:n]
		}
	}
	return best
}

// Document lists the cells.
func (g *Grid) Document(flags selection.Flags) *Matrix {
	doc := &Matrix{Schema: MatrixSchema, File: g.File, Selection: flags, Kind: g.Kind, Processes: g.Processes,
		Worlds: []MatrixWorld{}, Missing: g.Missing, Received: g.Received.Messages, Totals: map[string]MatrixTotal{},
		Bins: g.Bins, Columns: []string{"from", "to", "messages", "bytes"}, Cells: [][]int64{}}
	for _, w := range g.Worlds {
		doc.Worlds = append(doc.Worlds, MatrixWorld{w.Number, w.First, w.Size})
	}
	for k := range traffic.File {
		t := g.Total(k)
		doc.Totals[k.String()] = MatrixTotal{t.Messages, t.Bytes, g.Nowhere[k].Messages, g.Unsized[k]}
	}
	if g.Timed() {
		doc.Columns = append(doc.Columns, "time_ns")
	}
	for c := range g.Shown() {
		cell := []int64{int64(c.From), int64(c.To), int64(c.Messages), c.Bytes}
		if g.Timed() {
			cell = append(cell, int64(c.Time))
		}
		doc.Cells = append(doc.Cells, cell)
	}
	return doc
}
