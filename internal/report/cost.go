package report

import "github.com/tabard-hpc/tabard/internal/archive"

// CostSchema names the form of Cost.
const CostSchema = "tabard.cost/1"

var _ = register[Cost](CostSchema, "info --cost --json")

// Cost is what the bytes of a file are for.
type Cost struct {
	Schema string    `json:"schema"`
	File   string    `json:"file"`
	Bytes  Bytes     `json:"bytes"`
	Costs  []CostRow `json:"costs"`
}

// CostRow is what some bytes of a file are for: Raw before compression, and
// Stored, estimated, in the file.
type CostRow struct {
	Section string  `json:"section"`
	Kind    string  `json:"kind"`
	Name    string  `json:"name,omitempty"`
	Items   int     `json:"items"`
	Raw     int64   `json:"raw_bytes"`
	Stored  float64 `json:"stored_bytes"`
}

// NewCost sums up what the bytes of an archive are for, the dearest first.
func NewCost(arch *archive.Archive) (*Cost, error) {
	costs, err := arch.Costs()
	if err != nil {
		return nil, err
	}
	st := arch.Stats()
	info := &Cost{Schema: CostSchema, File: arch.File(), Bytes: bytesOf(&st)}
	for _, c := range costs {
		info.Costs = append(info.Costs, CostRow{c.Section, c.Kind, c.Name, c.Count, c.Bytes, c.Stored})
	}
	return info, nil
}
