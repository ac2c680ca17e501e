package text

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

func unit(g *report.Grid) render.Unit {
	return map[string]render.Unit{"messages": render.Number, "time": render.Nanos, "bytes": render.Bytes}[g.Value]
}

var kindTitles = map[string]string{"p2p": "Messages point to point", "collective": "What collectives imply",
	"rma": "One-sided operations", "all": "Messages, collectives and one-sided operations"}

// MatrixChart makes the heat map of a matrix.
func MatrixChart(g *report.Grid) *render.Heatmap {
	t := g.Sum()
	h := &render.Heatmap{Title: fmt.Sprintf("%s, %s", kindTitles[g.Kind], plural(uint64(g.Processes), "rank")),
		Note: fmt.Sprintf("%s: %s, %s", g.File, plural(t.Messages, "message"), byteSize(t.Bytes)),
		Rows: g.Rows, Cols: g.Rows, RowAxis: "sender (rank)", ColAxis: "receiver (rank)", Unit: unit(g),
		Value: map[string]string{"messages": "messages", "time": "time in calls that send",
			"bytes": "bytes sent"}[g.Value]}
	if g.Bins > 0 || len(g.Worlds) > 1 {
		h.RowLabel, h.ColLabel = g.Label, g.Label
	}
	if g.Bins > 0 {
		h.Note += fmt.Sprintf("; a row is about %d ranks", g.Processes/g.Bins)
	}
	h.Each = func(yield func(row, col int, x float64) bool) {
		for c := range g.Shown() {
			if !yield(int(c.From), int(c.To), g.Number(c.Volume)) {
				return
			}
		}
	}
	return h
}

// Matrix shows a matrix as a heat map, with the top greatest pairs.
func Matrix(w io.Writer, t render.Terminal, g *report.Grid, top int) error {
	if g.Sum().Messages == 0 {
		render.Printf(w, "%s: no such messages\n", kindTitles[g.Kind])
	} else {
		if err := MatrixChart(g).WriteText(w, t); err != nil {
			return err
		}
		if err := pairs(w, g, top); err != nil {
			return err
		}
	}
	return matrixNotes(w, g)
}

// pairs lists the greatest pairs.
func pairs(w io.Writer, g *report.Grid, top int) error {
	if top == 0 {
		return nil
	}
	heads := []string{">FROM", ">TO", ">MESSAGES", ">BYTES", ">MEAN SIZE"}
	if g.Timed() {
		heads = append(heads, ">TIME")
	}
	t := render.NewTable(heads...)
	for _, c := range g.Greatest(top) {
		cells := []string{g.Label(int(c.From)), g.Label(int(c.To)), count(c.Messages), byteSize(c.Bytes),
			byteSize(c.Bytes / int64(c.Messages))}
		if g.Timed() {
			cells = append(cells, render.Duration(c.Time))
		}
		t.Row(cells...)
	}
	fmt.Fprintln(w)
	return t.WriteText(w)
}

// matrixNotes says what else there is, and what is not known.
func matrixNotes(w io.Writer, g *report.Grid) error {
	var notes []string
	for k := range traffic.File {
		if t := g.Total(k); !slices.Contains(g.Kinds, k) && t.Messages > 0 {
			notes = append(notes, fmt.Sprintf("--kind %s shows %s, %s", k, plural(t.Messages, "message"),
				byteSize(t.Bytes)))
		}
	}
	for _, k := range g.Kinds {
		if n := g.Nowhere[k]; n.Messages > 0 {
			notes = append(notes, fmt.Sprintf("%s (%s) not shown: the recording does not say to whom",
				plural(n.Messages, k.String()+" message"), byteSize(n.Bytes)))
		}
		if n := g.Unsized[k]; n > 0 {
			notes = append(notes, fmt.Sprintf("%s of unknown size", plural(n, k.String()+" message")))
		}
	}
	if n := g.Received; n.Messages > 0 {
		notes = append(notes, fmt.Sprintf("%s, %s, are known from their receipt only: their senders were not recorded",
			plural(n.Messages, "message"), byteSize(n.Bytes)))
	}
	if n := g.Missing; n > 0 {
		notes = append(notes, fmt.Sprintf("%s not recorded or not selected: what they send to one another is not known",
			plural(uint64(n), "rank")))
	}
	if len(notes) > 0 {
		fmt.Fprintln(w)
		for _, n := range notes {
			render.Printf(w, "%s\n", n)
		}
	}
	return nil
}

// MatrixCSV writes a line for each pair.
func MatrixCSV(out io.Writer, g *report.Grid) error {
	w := bufio.NewWriter(out)
	fmt.Fprint(w, "from,to,messages,bytes")
	if g.Timed() {
		fmt.Fprint(w, ",time_ns")
	}
	fmt.Fprintln(w)
	for c := range g.Shown() {
		render.Printf(w, "%s,%s,%d,%d", g.Label(int(c.From)), g.Label(int(c.To)), c.Messages, c.Bytes)
		if g.Timed() {
			render.Printf(w, ",%d", c.Time)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
