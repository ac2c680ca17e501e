package cli

import (
	"tabard/analysis/selection"
	"tabard/analysis/traffic"
)

// matrixRun is the schema of `tabard matrix --json`.
type matrixRun struct {
	Schema    string          `json:"schema"`
	File      string          `json:"file"`
	Selection selection.Flags `json:"selection"`
	Kind      string          `json:"kind"`
	// Processes are numbered through all worlds; those of the launched one have their rank as number. Worlds are where they begin.
	Processes int           `json:"processes"`
	Worlds    []matrixWorld `json:"worlds"`
	// Missing is how many processes were not recorded or not selected: what they send is not known.
	Missing int `json:"missing"`
	// Received is messages point to point that are known from their receipt only.
	Received uint64 `json:"received_only"`
	// Totals are what there is of each kind.
	Totals map[string]matrixTotal `json:"totals"`
	// Bins is the number of groups of ranks that rows and columns are, 0 if they are processes; process p is in group
	// p*bins/processes, rounded down.
	Bins int `json:"bins"`
	// Columns name the numbers of each of Cells.
	Columns []string  `json:"columns"`
	Cells   [][]int64 `json:"cells"`
}

type matrixWorld struct {
	World int `json:"world"`
	First int `json:"first"`
	Size  int `json:"size"`
}

type matrixTotal struct {
	Messages uint64 `json:"messages"`
	Bytes    int64  `json:"bytes"`
	// Nowhere are messages to partners that are not known, Unsized those of unknown size.
	Nowhere uint64 `json:"nowhere"`
	Unsized uint64 `json:"unsized"`
}

func (v *matrixView) json() *matrixRun {
	run := &matrixRun{Schema: matrixSchema, File: v.archive.File(), Selection: v.f.flags, Kind: v.f.kind.value, Processes: v.m.Processes,
		Worlds: []matrixWorld{}, Missing: v.m.Missing, Received: v.received.Messages, Totals: map[string]matrixTotal{}, Bins: v.bins, Columns: []string{"from", "to", "messages", "bytes"}, Cells: [][]int64{}}
	for _, w := range v.m.Worlds {
		run.Worlds = append(run.Worlds, matrixWorld{w.Number, w.First, w.Size})
	}
	for k := range traffic.File {
		t := v.m.Total(k)
		run.Totals[k.String()] = matrixTotal{t.Messages, t.Bytes, v.m.Nowhere[k].Messages, v.m.Unsized[k]}
	}
	timed := v.f.value.value == "time"
	if timed {
		run.Columns = append(run.Columns, "time_ns")
	}
	for c := range v.cells() {
		cell := []int64{int64(c.From), int64(c.To), int64(c.Messages), c.Bytes}
		if timed {
			cell = append(cell, int64(c.Time))
		}
		run.Cells = append(run.Cells, cell)
	}
	return run
}
