package cli

import (
	"bytes"
	"strings"

	"tabard/analysis/selection"
	"tabard/analysis/traffic"
	"tabard/internal/render"
)

// sketchBins is how many rows the matrix of a report has at most.
const sketchBins = 16

// matrix finds who sends to whom.
func (t *timed) matrix() (*matrixView, error) {
	chosen := t.chosen
	if chosen == nil {
		var err error
		if chosen, err = selection.All.Resolve(t.archive); err != nil {
			return nil, err
		}
	}
	m, err := traffic.MatrixOf(chosen)
	if err != nil {
		return nil, err
	}
	v := &matrixView{f: &matrixFlags{kind: &choice{value: "p2p"}, value: &choice{value: "bytes"}, bins: sketchBins}, m: m, archive: t.archive,
		rows: m.Processes, kinds: []traffic.Kind{traffic.PointToPoint}}
	return v, v.group()
}

// matrix draws a sketch of the communication matrix and sums up what else moves data.
func (p *reportPrinter) matrix() error {
	v := p.r.matrix
	t := render.NewTable("", ">messages", ">bytes", ">mean size")
	t.Indent = "  "
	for k := range traffic.NumKinds {
		if x := v.m.Total(k); x.Messages > 0 {
			t.Row(kindNames[k], render.Count(x.Messages), render.ByteSize(x.Bytes), render.ByteSize(x.Bytes/int64(x.Messages)))
		}
	}
	if t.Len() == 0 {
		return nil
	}
	p.title("Who talks to whom")
	t.WriteText(p.w)
	if v.total().Messages == 0 {
		return nil
	}
	h := v.chart()
	h.Title, h.Note = "", ""
	var text bytes.Buffer
	if err := h.WriteText(&text, p.term); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		p.line("%s", strings.TrimRight("  "+strings.TrimSuffix(line, "\n"), " "))
	}
	return nil
}

// kindNames are the kinds of traffic as a report calls them.
var kindNames = [traffic.NumKinds]string{"point to point", "implied by collectives", "one-sided", "files"}
