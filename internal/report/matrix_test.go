package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// hub is three ranks that send to rank 0, rank r as often as r says.
func hub() string {
	var b strings.Builder
	b.WriteString("abi mpich\nnotiming\n")
	for r := range 4 {
		fmt.Fprintf(&b, "rank %d of 4 on n\nMPI_Init()\n", r)
		for range r {
			b.WriteString("MPI_Send(count=3, datatype=MPI_INT, dest=0, tag=2, comm=MPI_COMM_WORLD)\n")
		}
	}
	return b.String()
}

func TestGrid(t *testing.T) {
	a := archivetest.Archive(t, hub())
	grid := func(o GridOptions) (*Grid, error) {
		chosen, err := Resolve(a, selection.Flags{})
		if err != nil {
			t.Fatal(err)
		}
		return NewGrid(chosen, o, nil)
	}
	g, err := grid(GridOptions{Kind: "p2p", Value: "messages"})
	if err != nil {
		t.Fatal(err)
	}
	best := g.Greatest(2)
	if g.Rows != 4 || g.Sum().Messages != 6 || g.Sum().Bytes != 72 || len(best) != 2 || best[0].From != 3 ||
		best[1].From != 2 {
		t.Errorf("%d rows, %+v, greatest %+v", g.Rows, g.Sum(), best)
	}
	if d := g.Document(selection.Flags{}); fmt.Sprint(d.Cells) != "[[1 0 1 12] [2 0 2 24] [3 0 3 36]]" ||
		d.Totals["rma"].Messages != 0 {
		t.Errorf("%+v", d)
	}
	if g, err = grid(GridOptions{Kind: "all", Value: "bytes", Bins: 2}); err != nil {
		t.Fatal(err)
	}
	if d := g.Document(selection.Flags{}); g.Label(0) != "0-1" || g.Label(1) != "2-3" ||
		fmt.Sprint(d.Cells) != "[[0 0 1 12] [1 0 5 60]]" {
		t.Errorf("%s, %s, %v", g.Label(0), g.Label(1), d.Cells)
	}
	if _, err = grid(GridOptions{Kind: "p2p", Value: "time"}); err == nil ||
		!strings.Contains(err.Error(), "no times of single calls") {
		t.Errorf("times that there are not: %v", err)
	}
}

// Groups of ranks are as large as each other, give or take one, and none is empty.
func TestGridLabels(t *testing.T) {
	worlds := []comms.World{{Number: 0, First: 0, Size: 5}, {Number: 1, First: 5, Size: 2}}
	g := &Grid{GridOptions: GridOptions{Bins: 3}, Matrix: &traffic.Matrix{Processes: 7, Worlds: worlds}}
	var labels []string
	for i := range 3 {
		labels = append(labels, g.Label(i))
	}
	if got := strings.Join(labels, " "); got != "0-2 3-4 w1:0-w1:1" {
		t.Errorf("%s", got)
	}
}

func TestNeedTimes(t *testing.T) {
	j, err := Open(archivetest.Archive(t, hub()), selection.Flags{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.NeedTimes(); err == nil || !strings.Contains(err.Error(), "--timing=lossless") {
		t.Errorf("error %v", err)
	}
}

// What one process causes keeps its place in the list of causes that is left.
func TestNarrowWaits(t *testing.T) {
	r := &waits.Result{
		Groups: []waits.Group{{Kind: 0, Causers: []waits.Share{{Process: 3}}},
			{Kind: 1, Causers: []waits.Share{{Process: 3}}},
			{Kind: 0, Causers: []waits.Share{{Process: 4}}}},
		Roots: []waits.Root{{Process: 4}, {Process: 3}, {Process: 3}},
		Steps: []waits.Step{{Step: 7, Root: 2}, {Step: 8, Root: 0}, {Step: 9, Root: -1}},
	}
	NarrowWaits(r, 0, 3)
	if len(r.Groups) != 1 || len(r.Roots) != 2 || len(r.Steps) != 1 || r.Steps[0].Step != 7 || r.Steps[0].Root != 1 {
		t.Errorf("%+v", r)
	}
}

// Names are those of files in docs/schema, and differ.
func TestDocuments(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Documents() {
		if name := d.Name(); seen[name] || !strings.HasPrefix(d.Schema, "tabard."+name+"/") ||
			!strings.HasSuffix(d.Command, "--json") {
			t.Errorf("%+v", d)
		}
		seen[d.Name()] = true
	}
	if len(seen) < 20 {
		t.Errorf("only %d", len(seen))
	}
}
