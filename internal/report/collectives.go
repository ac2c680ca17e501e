package report

import (
	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// CollectivesSchema names the form of Collectives.
const CollectivesSchema = "tabard.collectives/1"

var _ = register[Collectives](CollectivesSchema, "collectives --json")

// Collectives are places in the program that do by messages what a collective does.
type Collectives struct {
	Schema string `json:"schema"`
	File   string `json:"file"`
	// Contents tells whether the recording has hashes of what messages carry.
	Contents bool               `json:"contents"`
	Messages uint64             `json:"messages"`
	LeftOut  uint64             `json:"left_out"` // messages that were not looked at, as there are too many
	Findings []ManualCollective `json:"findings"`
}

// ManualCollective is one of them.
type ManualCollective struct {
	Operation string `json:"operation"` // "broadcast"
	Call      string `json:"call"`      // the function to call instead
	Op        string `json:"op"`        // of a reduction, "MPI_SUM"; empty if it is not known
	Grade     string `json:"grade"`     // "proven by contents", "consistent with structure" or "near miss"
	// Sets are the ranks that take part: a list for each group that does it by itself.
	Sets []string `json:"sets"`
	// Roots are the places of roots in their sets, from 0.
	Roots []int `json:"roots"`
	// RootRule is by which formula they change, of the number k of the instance, as "(1 + k) mod 4"; empty if by none.
	RootRule  string   `json:"root_rule"`
	Comm      string   `json:"communicator"` // empty if the sets have one each
	Sends     []string `json:"sends"`        // where messages are sent
	Receives  []string `json:"receives"`     // and received
	Instances uint64   `json:"instances"`
	Proven    uint64   `json:"proven"`   // instances that contents prove
	Bytes     int64    `json:"bytes"`    // of an instance, the largest one
	Segments  int      `json:"segments"` // that it is sent in
	Algorithm string   `json:"algorithm"`
	Steps     int      `json:"steps"` // messages on the critical path of an instance
	Messages  int      `json:"messages"`
	Parts     []string `json:"parts"`    // operations that it is made of
	Missing   []string `json:"missing"`  // of near misses
	Unproven  []string `json:"unproven"` // what the grade leaves open
	Against   []string `json:"against"`  // a replacement
}

// NewCollectives makes the document of a result.
func NewCollectives(arch *archive.Archive, r *collectives.Result) *Collectives {
	d := &Collectives{Schema: CollectivesSchema, File: arch.File(), Contents: r.Contents, Messages: r.Messages, LeftOut: r.Left,
		Findings: []ManualCollective{}}
	for i := range r.Findings {
		f := &r.Findings[i]
		m := ManualCollective{Operation: f.Operation, Call: f.Call, Op: f.Op, Grade: string(f.Grade), Roots: f.Roots, RootRule: f.Rule,
			Comm: r.Comms[f.Comm], Instances: f.Instances, Proven: f.Proven, Bytes: f.Bytes, Segments: f.Segments, Algorithm: f.Algorithm,
			Steps: f.Steps, Messages: f.Messages, Parts: f.Parts, Missing: f.Missing, Unproven: f.Unproven, Against: f.Against}
		for _, s := range f.Sets {
			var ranks []int
			for _, p := range s {
				ranks = append(ranks, int(p))
			}
			m.Sets = append(m.Sets, RankList(ranks))
		}
		for _, s := range f.SendSites {
			m.Sends = append(m.Sends, r.Sites[s])
		}
		for _, s := range f.RecvSites {
			m.Receives = append(m.Receives, r.Sites[s])
		}
		d.Findings = append(d.Findings, m)
	}
	return d
}
