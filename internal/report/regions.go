package report

import (
	"github.com/tabard-hpc/tabard/analysis/regions"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// RegionsSchema names the form of Regions.
const RegionsSchema = "tabard.regions/1"

var _ = register[Regions](RegionsSchema, "profile --by region --json")

// Regions is what the program did in the parts that it names itself.
type Regions struct {
	Schema    string          `json:"schema"`
	File      string          `json:"file"`
	Selection selection.Flags `json:"selection"`
	// Elapsed is the time of all processes, left out without times.
	Elapsed *int64 `json:"elapsed_ns,omitempty"`
	// Open is how many regions had not ended, Unmatched how many ends had no begin.
	Open      uint64   `json:"open"`
	Unmatched uint64   `json:"unmatched_ends"`
	Regions   []Region `json:"regions"`
}

// Region is the regions of one path: those that they are in, and their own name, from the outside in.
type Region struct {
	Path []string `json:"path"`
	// From is what they were made with, such as "kokkos parallel_for".
	From  string `json:"from,omitempty"`
	Count uint64 `json:"count"`
	Ranks int    `json:"ranks"`
	// Calls are those in them, inner regions included, InCalls the time that those took.
	Calls   uint64 `json:"calls"`
	Time    int64  `json:"time_ns"`
	InCalls int64  `json:"in_calls_ns"`
	// InKind is InCalls by the kinds of events, such as "mpi" and "io".
	InKind map[string]int64 `json:"in_kind_ns,omitempty"`
	// Most is the time of the process that took longest, MostRank its rank, Imbalance how much of it the mean lacks.
	Most      int64   `json:"most_ns"`
	MostRank  int     `json:"most_rank"`
	Imbalance float64 `json:"imbalance"`
}

// NewRegions makes the document of a profile by regions.
func NewRegions(arch *archive.Archive, flags selection.Flags, r *regions.Result) *Regions {
	out := &Regions{Schema: RegionsSchema, File: arch.File(), Selection: flags, Open: r.Open, Unmatched: r.Unmatched,
		Regions: []Region{}}
	if r.Timed {
		n := int64(r.Elapsed)
		out.Elapsed = &n
	}
	out.Regions = append(out.Regions, regionsOf(arch, r)...)
	return out
}

func regionsOf(arch *archive.Archive, r *regions.Result) (list []Region) {
	for _, g := range r.Regions {
		x := Region{Path: g.Path, From: g.From, Count: g.Count, Ranks: g.Ranks, Calls: g.Calls, Time: int64(g.Time),
			InCalls: int64(g.InCalls), Most: int64(g.Most), MostRank: MostRank(arch, g), Imbalance: g.Imbalance()}
		for k, d := range g.InKind {
			if d > 0 {
				if x.InKind == nil {
					x.InKind = map[string]int64{}
				}
				x.InKind[spec.EventKind(k).String()] = int64(d)
			}
		}
		list = append(list, x)
	}
	return list
}

// MostRank is the rank of the process that spent most time in a region, -1 if there is none.
func MostRank(arch *archive.Archive, g *regions.Region) int {
	if g.Process < 0 {
		return -1
	}
	return arch.Rank(g.Process).Rank
}
