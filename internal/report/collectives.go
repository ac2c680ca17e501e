package report

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/trial"
	"github.com/tabard-hpc/tabard/spec"
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
	// Count and Datatype are those of an instance, 0 and empty if they change or are not known.
	Count    int64  `json:"count"`
	Datatype string `json:"datatype"`
	// Sets are the ranks that take part: a list for each group that does it by itself.
	Sets []string `json:"sets"`
	// Roots are the places of roots in their sets, from 0.
	Roots []int `json:"roots"`
	// RootRule is by which formula they change, of the number k of the instance, as "(1 + k) mod 4"; empty if by none.
	RootRule  string   `json:"root_rule"`
	Comm      string   `json:"communicator"` // empty if the sets have one each
	Subset    bool     `json:"subset"`       // a set lacks members of its communicator
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
	// Estimate is on paper, for another machine; nothing of it is measured. It is missing where no one call replaces
	// it.
	Estimate *CollectiveEstimate `json:"estimate,omitempty"`
	// Trial is measured (--try), and missing without.
	Trial *CollectiveTrial `json:"trial,omitempty"`
}

// CollectiveEstimate is what an instance takes by LogGP, in seconds.
type CollectiveEstimate struct {
	Latency  float64 `json:"latency_s"`
	Overhead float64 `json:"overhead_s"`
	Byte     float64 `json:"byte_s"`
	Made     float64 `json:"made_s"`    // as the program makes it
	Library  float64 `json:"library_s"` // by the best of the textbook algorithms
}

// CollectiveTrial is what an instance took, the slowest rank in each round, in seconds.
type CollectiveTrial struct {
	Host   string `json:"host"`
	Rounds int    `json:"rounds"`
	// Made is as the program makes it, Library by the collective in its place.
	Made    Quartiles `json:"made_s"`
	Library Quartiles `json:"library_s"`
	// Gain is what the collective saves in all instances by the medians, in seconds; negative if it takes longer.
	Gain float64 `json:"gain_s"`
	// Certain tells whether the quartiles of both do not overlap.
	Certain bool   `json:"certain"`
	Cores   int    `json:"cores"`     // of the host; with more ranks than cores a trial is one of the scheduler
	Why     string `json:"not_tried"` // why nothing was measured; else empty
}

// Quartiles is a median, and the quartiles beside it.
type Quartiles struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// Try adds what was measured on a host. Findings with the greatest gains come first.
func (d *Collectives) Try(host string, results []trial.Result) {
	for i := range results {
		r := &results[i]
		t := &CollectiveTrial{Host: host, Cores: runtime.NumCPU(), Rounds: len(r.Made), Why: r.Why}
		if r.Why == "" {
			t.Made, t.Library = quartilesOf(r.Made), quartilesOf(r.Library)
			t.Certain = t.Made.Low > t.Library.High || t.Library.Low > t.Made.High
			t.Gain = float64(
				d.Findings[i].Instances,
			) / float64(
				max(len(d.Findings[i].Sets), 1),
			) * (t.Made.Median - t.Library.Median)
		}
		d.Findings[i].Trial = t
	}
	slices.SortStableFunc(d.Findings, func(a, b ManualCollective) int { return cmp.Compare(gain(&b), gain(&a)) })
}

func gain(f *ManualCollective) float64 {
	if f.Trial == nil || f.Trial.Why != "" {
		return math.Inf(-1)
	}
	return f.Trial.Gain
}

func quartilesOf(list []float64) Quartiles {
	list = slices.Clone(list)
	slices.Sort(list)
	n := len(list)
	return Quartiles{Median: (list[(n-1)/2] + list[n/2]) / 2, Low: list[(n-1)/4], High: list[n-1-(n-1)/4]}
}

// elementsOf is how many elements of which predefined datatype a process has in each instance.
func elementsOf(f *collectives.Finding) (count int64, datatype string) {
	for _, x := range f.All {
		m := x.Messages[0]
		k, ok := m.Predefined()
		if !ok || x.Shares != nil {
			return 0, ""
		}
		p := &spec.Predefineds[k]
		if x.Block%int64(p.Size) != 0 || datatype != "" && datatype != p.Name {
			return 0, ""
		}
		n := x.Block / int64(p.Size)
		if datatype != "" && n != count {
			n = -1
		}
		count, datatype = n, p.Name
	}
	return max(count, 0), datatype
}

// NewCollectives makes the document of a result.
func NewCollectives(arch *archive.Archive, r *collectives.Result) *Collectives {
	d := &Collectives{
		Schema:   CollectivesSchema,
		File:     arch.File(),
		Contents: r.Contents,
		Messages: r.Messages,
		LeftOut:  r.Left,
		Findings: []ManualCollective{},
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		m := ManualCollective{
			Operation: f.Operation,
			Call:      f.Call,
			Op:        f.Op,
			Grade:     string(f.Grade),
			Roots:     f.Roots,
			RootRule:  f.Rule,
			Comm:      r.Comms[f.Comm],
			Instances: f.Instances,
			Proven:    f.Proven,
			Bytes:     f.Bytes,
			Segments:  f.Segments,
			Algorithm: f.Algorithm,
			Steps:     f.Steps,
			Messages:  f.Messages,
			Parts:     f.Parts,
			Missing:   f.Missing,
			Unproven:  f.Unproven,
			Against:   f.Against,
		}
		m.Count, m.Datatype = elementsOf(f)
		m.Subset = f.Comm >= 0 && len(f.Sets[0]) < r.Sizes[f.Comm]
		if made, library, ok := f.Estimate(collectives.Paper); ok {
			p := collectives.Paper
			m.Estimate = &CollectiveEstimate{p.Latency, p.Overhead, p.Byte, made, library}
		}
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
