package report

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/trial"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
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
	// SetsRule is the sets as a formula of the number k of the set, as "4k to 4k+3, k = 0 to 7"; empty if there is one
	// set, or no formula.
	SetsRule string `json:"sets_rule"`
	// Topology is who the neighbours are, of neighbourhood exchanges: "periodic 4x4 grid"; empty for other operations.
	// Make is the call that makes a communicator of it.
	Topology string `json:"topology"`
	Make     string `json:"make"`
	// Arguments are what is known of the arguments of a neighbourhood exchange, by parameter, as source code.
	Arguments map[string]string `json:"arguments,omitempty"`
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
	Certain bool `json:"certain"`
	// Gaps tells whether what the program computes between the calls was kept, as the recording has times; Computed is
	// how long that is in an instance, of the rank with the most.
	Gaps     bool    `json:"gaps"`
	Computed float64 `json:"computed_s"`
	Cores    int     `json:"cores"`     // of the host; with more ranks than cores a trial is one of the scheduler
	Why      string  `json:"not_tried"` // why nothing was measured; else empty
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
		t := &CollectiveTrial{Host: host, Cores: runtime.NumCPU(), Rounds: len(r.Made), Why: r.Why,
			Gaps: r.Gaps, Computed: r.Computed.Seconds()}
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

// setsRule is sets as a formula of the number of the set: each has ranks at one distance, and begins as far behind the
// one before.
func setsRule(sets [][]int32) string {
	if len(sets) < 2 || len(sets[0]) < 2 {
		return ""
	}
	sets = slices.Clone(sets)
	slices.SortFunc(sets, slices.Compare)
	first, n := sets[0][0], len(sets[0])
	step, by := sets[1][0]-first, sets[0][1]-sets[0][0]
	for k, s := range sets {
		for i, p := range s {
			if len(s) != n || p != first+int32(k)*step+int32(i)*by {
				return ""
			}
		}
	}
	if step < 1 {
		return ""
	}
	term := func(at int32) string {
		text := "k"
		if step != 1 {
			text = fmt.Sprintf("%dk", step)
		}
		if at > 0 {
			text += fmt.Sprintf("+%d", at)
		}
		return text
	}
	text := fmt.Sprintf("%s to %s", term(first), term(first+by*int32(n-1)))
	if by > 1 {
		text += fmt.Sprintf(" by %d", by)
	}
	return fmt.Sprintf("%s, k = 0 to %d", text, len(sets)-1)
}

// arrayOf is an array in C.
func arrayOf(datatype string, n int, of func(int) string) string {
	var list []string
	for i := range n {
		list = append(list, of(i))
	}
	return "(" + datatype + "[]){" + strings.Join(list, ", ") + "}"
}

// argumentsOf are arguments of the call for an exchange with neighbours. Parameters of one count and of a count for
// each have different names.
func argumentsOf(a *collectives.Arguments, call string) map[string]string {
	f := spec.ByName(call)
	if a == nil || f == nil || f.Vector == spec.VectorNone {
		return nil
	}
	values := map[string]string{}
	for _, x := range []struct {
		name string
		list []int64
	}{{"sendcounts", a.SendCounts}, {"sdispls", a.SendAt}, {"recvcounts", a.RecvCounts}, {"rdispls", a.RecvAt},
		{"displs", a.RecvAt}} {
		for i := range f.Params {
			if p := &f.Params[i]; p.Name == x.name && x.list != nil {
				typ := strings.TrimSuffix(strings.TrimPrefix(p.CType, "const "), "[]")
				values[x.name] = arrayOf(typ, len(x.list), func(k int) string { return fmt.Sprint(x.list[k]) })
			}
		}
	}
	return values
}

// topologyCall is the call that makes a communicator with a topology.
func topologyCall(t *collectives.Topology) string {
	op, array := spec.OpCommDistGraphAdjacent, func(n int, of func(int) int) string {
		return arrayOf("int", n, func(i int) string { return fmt.Sprint(of(i)) })
	}
	values := map[string]string{}
	if t.Dims != nil {
		op = spec.OpCommCart
		values["ndims"] = fmt.Sprint(len(t.Dims))
		values["dims"] = array(len(t.Dims), func(i int) int { return t.Dims[i] })
		values["periods"] = array(len(t.Dims), func(i int) int {
			if t.Periods[i] {
				return 1
			}
			return 0
		})
		values["reorder"], values["comm_cart"] = "0", "&grid"
	} else if t.Least == t.Most {
		values["indegree"], values["outdegree"] = fmt.Sprint(t.Most), fmt.Sprint(t.Most)
		values["comm_dist_graph"], values["reorder"], values["info"] = "&graph", "0", mpi.InfoNull
		values["sourceweights"], values["destweights"] = mpi.Unweighted, mpi.Unweighted
	}
	if n := len(t.Distances); n > 0 {
		at := func(form string) string {
			return arrayOf("int", n, func(i int) string { return fmt.Sprintf(form, t.Distances[i]) })
		}
		values["sources"], values["destinations"] = at("(rank + size - %d) %% size"), at("(rank + %d) %% size")
	}
	for _, f := range spec.Functions() {
		if f.Op != op || f.API != "mpi" || f.LargeOf != 0 {
			continue
		}
		var args []string
		for _, p := range f.Params {
			args = append(args, cmp.Or(values[p.Name], p.Name))
		}
		return f.Name + "(" + strings.Join(args, ", ") + ")"
	}
	return ""
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
		m.SetsRule = setsRule(f.Sets)
		if f.Topology != nil {
			m.Topology, m.Make = f.Topology.String(), topologyCall(f.Topology)
			m.Arguments = argumentsOf(f.Arguments, f.Call)
			if k := f.Arguments.Datatype; k >= 0 {
				m.Datatype = spec.Predefineds[k].Name
			}
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
