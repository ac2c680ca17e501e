package report

import "github.com/tabard-hpc/tabard/analysis/diff"

// DiffSchema names the form of Diff.
const DiffSchema = "tabard.diff/1"

var _ = register[Diff](DiffSchema, "diff --json")

// Difference is a difference that some ranks have in common.
type Difference struct {
	Kind     string      `json:"kind"`
	Text     string      `json:"text"`
	World    int         `json:"world,omitempty"`
	Thread   int         `json:"thread,omitempty"`
	Ranks    string      `json:"ranks"`
	NumRanks int         `json:"num_ranks"`
	Func     string      `json:"func,omitempty"`
	Site     string      `json:"site,omitempty"`
	Calls    []DiffCall  `json:"calls,omitempty"`
	More     uint64      `json:"more_calls,omitempty"`
	Param    string      `json:"param,omitempty"`
	A        string      `json:"a,omitempty"`
	B        string      `json:"b,omitempty"`
	Varies   bool        `json:"varies,omitempty"`
	Count    uint64      `json:"count"`
	Of       uint64      `json:"of,omitempty"`
	Onwards  bool        `json:"from_there_on,omitempty"`
	OnlyA    bool        `json:"only_a,omitempty"`
	CallA    uint64      `json:"call_a"`
	CallB    uint64      `json:"call_b"`
	Loops    []DiffPlace `json:"loops,omitempty"`
}

// DiffCall is a number of calls in a row.
type DiffCall struct {
	Func  string `json:"func"`
	Site  string `json:"site,omitempty"`
	Count uint64 `json:"count"`
}

// DiffPlace is an iteration of a loop.
type DiffPlace struct {
	Place      string `json:"place,omitempty"`
	Step       bool   `json:"step,omitempty"`
	Iteration  uint64 `json:"iteration"`
	Iterations uint64 `json:"iterations"`
}

// DiffOrder is values of a parameter that differ from run to run by nature.
type DiffOrder struct {
	Func  string `json:"func"`
	Site  string `json:"site,omitempty"`
	Param string `json:"param"`
	Ranks int    `json:"ranks"`
	Count uint64 `json:"count"`
}

// DiffArrival is the first outcome that differs of those that the standard leaves open.
type DiffArrival struct {
	World int    `json:"world,omitempty"`
	Rank  int    `json:"rank"`
	Func  string `json:"func"`
	Site  string `json:"site,omitempty"`
	Param string `json:"param"`
	A     string `json:"a"`
	B     string `json:"b"`
	CallA uint64 `json:"call_a"`
	CallB uint64 `json:"call_b"`
}

// DiffMoved is a call site of A, and where it is in B.
type DiffMoved struct {
	Func string `json:"func"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// DiffTimes compares times.
type DiffTimes struct {
	ElapsedA int64      `json:"elapsed_a_ns"`
	ElapsedB int64      `json:"elapsed_b_ns"`
	CallsA   int64      `json:"calls_a_ns"`
	CallsB   int64      `json:"calls_b_ns"`
	Sites    []DiffSite `json:"sites"`
	Slower   []DiffRank `json:"slower_ranks"`
	Faster   []DiffRank `json:"faster_ranks"`
}

// DiffSite is the time in the calls of one call site.
type DiffSite struct {
	Func   string `json:"func"`
	Site   string `json:"site,omitempty"`
	A      int64  `json:"a_ns"`
	B      int64  `json:"b_ns"`
	CallsA uint64 `json:"calls_a"`
	CallsB uint64 `json:"calls_b"`
}

// DiffRank is the time of a rank outside of calls.
type DiffRank struct {
	World int   `json:"world,omitempty"`
	Rank  int   `json:"rank"`
	A     int64 `json:"outside_calls_a_ns"`
	B     int64 `json:"outside_calls_b_ns"`
}

// Diff is in what two recordings differ.
type Diff struct {
	Schema      string        `json:"schema"`
	A           string        `json:"a"`
	B           string        `json:"b"`
	Same        bool          `json:"same"`
	What        string        `json:"what"`
	Ranks       int           `json:"ranks"`
	Calls       uint64        `json:"calls"`
	Total       int           `json:"total_differences"`
	Differences []Difference  `json:"differences"`
	Order       []DiffOrder   `json:"order"`
	Arrivals    []DiffArrival `json:"arrivals"`
	Follows     []Difference  `json:"follows_from_arrivals"`
	Moved       []DiffMoved   `json:"moved"`
	Times       *DiffTimes    `json:"times,omitempty"`
	Notes       []string      `json:"notes"`
}

// DiffView says what of a comparison is shown.
type DiffView struct {
	// A and B are the files as the user calls them.
	A, B string
	// What is compared: structure, params, time, or all.
	What string
	// Limit is how many differences are listed, 0 for all.
	Limit int
	// Strict counts differences of order, and call sites that moved, as differences.
	Strict bool
}

// Options are those of a comparison of what is asked for.
func (v *DiffView) Options() diff.Options {
	all := v.What == "all"
	return diff.Options{Structure: all || v.What == "structure", Parameters: all || v.What == "params",
		Time: all || v.What == "time"}
}

// Different tells whether a result counts as a difference.
func (v *DiffView) Different(r *diff.Result) bool {
	if len(r.Differences) > 0 || v.Strict && len(r.Order)+len(r.Follows)+len(r.Arrivals)+len(r.Moved) > 0 {
		return true
	}
	t := r.Times
	return v.What == "time" && t != nil && len(t.Sites)+len(t.Slower)+len(t.Faster) > 0
}

// Document makes the document of a result.
func (v *DiffView) Document(r *diff.Result) *Diff {
	out := &Diff{Schema: DiffSchema, A: v.A, B: v.B, Same: !v.Different(r), What: v.What, Ranks: r.Ranks,
		Calls: r.Calls,
		Total: len(r.Differences), Differences: v.differences(r.Differences), Order: []DiffOrder{},
		Moved:    []DiffMoved{},
		Arrivals: []DiffArrival{}, Follows: v.differences(r.Follows), Notes: append([]string{}, r.Notes...)}
	for _, x := range r.Arrivals {
		out.Arrivals = append(out.Arrivals,
			DiffArrival{x.World, x.Rank, x.Call.Func, x.Call.Site, x.Param, x.A, x.B, x.CallA, x.CallB})
	}
	for _, o := range r.Order {
		out.Order = append(out.Order, DiffOrder{o.Func, o.Site, o.Param, o.Ranks, o.Count})
	}
	for _, m := range r.Moved {
		out.Moved = append(out.Moved, DiffMoved(m))
	}
	if t := r.Times; t != nil {
		out.Times = &DiffTimes{ElapsedA: int64(t.ElapsedA), ElapsedB: int64(t.ElapsedB), CallsA: int64(t.CallsA),
			CallsB: int64(t.CallsB), Sites: []DiffSite{}, Slower: rankTimes(t.Slower), Faster: rankTimes(t.Faster)}
		for _, s := range t.Sites {
			site := DiffSite{s.Func, s.Site, int64(s.A), int64(s.B), s.CallsA, s.CallsB}
			out.Times.Sites = append(out.Times.Sites, site)
		}
	}
	return out
}

// differences are the documents of differences, as many as are listed.
func (v *DiffView) differences(all []*diff.Difference) []Difference {
	if v.Limit > 0 {
		all = all[:min(len(all), v.Limit)]
	}
	out := []Difference{}
	for _, d := range all {
		out = append(out, newDifference(d))
	}
	return out
}

func newDifference(d *diff.Difference) Difference {
	x := Difference{Kind: d.Kind.String(), Text: DifferenceText(d), World: d.World, Thread: max(d.Thread, 0),
		Ranks: d.Ranks.String(), NumRanks: d.Ranks.Len(), Func: d.Call.Func, Site: d.Call.Site, More: d.More,
		Param: d.Param, A: d.A, B: d.B, Varies: d.Varies, Count: d.Count, Of: d.Of, Onwards: d.FromThereOn,
		OnlyA: d.OnlyA, CallA: d.CallA, CallB: d.CallB}
	for _, c := range d.Calls {
		x.Calls = append(x.Calls, DiffCall{c.Func, c.Site, c.Count})
	}
	for _, p := range d.Places {
		x.Loops = append(x.Loops, DiffPlace{p.Loop, p.Step, p.Iteration, p.Iterations})
	}
	return x
}

func rankTimes(list []diff.RankTime) []DiffRank {
	out := []DiffRank{}
	for _, r := range list {
		out = append(out, DiffRank{r.World, r.Rank, int64(r.A), int64(r.B)})
	}
	return out
}
