package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/analysis/outliers"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// OutliersSchema names the form of Outliers.
const OutliersSchema = "tabard.outliers/1"

var _ = register[Outliers](OutliersSchema, "outliers --json")

// Outliers is who did something else than the others.
type Outliers struct {
	Schema string `json:"schema"`
	File   string `json:"file"`
	// Variants are threads that made the same calls in the same order, most threads first.
	Variants []ThreadVariant `json:"variants"`
	// Groups are variants that are alike, by their places in Variants.
	Groups [][]int `json:"groups"`
	// Similarity is how much each two variants have in common, from 0 to 1.
	Similarity [][]float64 `json:"similarity"`
	// Outliers are sorted, what stands out most first.
	Outliers []Outlier `json:"outliers"`
	// More is how many variants were not looked at: there are too many.
	More int `json:"more,omitempty"`
}

// ThreadVariant is threads that made the same calls in the same order.
type ThreadVariant struct {
	Ranks  string `json:"ranks"`
	World  int    `json:"world,omitempty"`
	Thread int    `json:"thread,omitempty"`
	Calls  uint64 `json:"calls"`
	Group  int    `json:"group"`
}

// Outlier is threads that differ from what they are like.
type Outlier struct {
	// Variant is its place in Variants, Of that of what it is compared with.
	Variant    int     `json:"variant"`
	Of         int     `json:"of"`
	Similarity float64 `json:"similarity"`
	// Kind is "sporadic", "once", "systematic" or "behind": see tabard outliers --help.
	Kind string `json:"kind"`
	// What says it in words.
	What string `json:"what"`
	// Func and Site are what is called, Param, Value and Others a parameter, if it is one that differs.
	Func   string `json:"func"`
	Site   string `json:"site"`
	Param  string `json:"param,omitempty"`
	Value  string `json:"value,omitempty"`
	Others string `json:"others,omitempty"`
	// Loop is the innermost loop around it, Iteration the number of the iteration from 0.
	Loop       string `json:"loop,omitempty"`
	Iteration  uint64 `json:"iteration,omitempty"`
	Iterations uint64 `json:"iterations,omitempty"`
	// Call is the number of the call, as tabard dump shows it.
	Call uint64 `json:"call"`
	// Differences is how many there are.
	Differences int `json:"differences"`
}

// NewOutliers makes the document of a result.
func NewOutliers(a *archive.Archive, r *outliers.Result) *Outliers {
	d := &Outliers{Schema: OutliersSchema, File: a.File(), Variants: []ThreadVariant{}, Groups: r.Groups,
		Similarity: r.Similarity, Outliers: []Outlier{}, More: r.More}
	for _, v := range r.Variants {
		d.Variants = append(d.Variants, variantOf(v))
	}
	place := func(v *outliers.Variant) int { return slices.Index(r.Variants, v) }
	for _, o := range r.Outliers {
		x := o.First
		e := Outlier{Variant: place(o.Variant), Of: place(o.Of), Similarity: o.Similarity, Kind: o.Kind.String(),
			What: outlierText(o), Func: x.Call.Func, Site: x.Call.Site, Call: x.CallA, Differences: o.Differences}
		if x.Kind == diff.Parameter {
			e.Param, e.Value, e.Others = x.Param, x.A, x.B
		}
		if n := len(x.Places); n > 0 {
			p := x.Places[n-1]
			e.Loop, e.Iteration, e.Iterations = p.Loop, p.Iteration, p.Iterations
		}
		d.Outliers = append(d.Outliers, e)
	}
	return d
}

func variantOf(v *outliers.Variant) ThreadVariant {
	var ranks []int
	for _, t := range v.Threads {
		ranks = append(ranks, t.Rank)
	}
	return ThreadVariant{Ranks: RankList(ranks), World: v.Threads[0].World, Thread: v.Threads[0].Thread, Calls: v.Calls,
		Group: v.Group}
}

// outlierText says what an outlier did that the others did not.
func outlierText(o *outliers.Outlier) string {
	x := o.First
	what := ""
	switch x.Kind {
	case diff.Parameter:
		what = fmt.Sprintf("%s was given %s %s, not %s", calledText(x.Call), x.Param, x.A, x.B)
	case diff.Missing:
		what = "made " + listedCalls(x) + ", which the others did not"
		if o.Instead != nil {
			what = "made " + listedCalls(x) + " where the others made " + listedCalls(o.Instead)
		}
		if x.Open {
			what += ", and did not return"
		}
	case diff.Extra:
		what = "did not make " + listedCalls(x)
	case diff.Order:
		what = "made in another order: " + listedCalls(x)
	case diff.Trips:
		what = fmt.Sprintf("repeated %s %s times, not %s", listedCalls(x), x.A, x.B)
	case diff.Inside:
		what = fmt.Sprintf("called %s, not %s, in %s", x.A, x.B, x.Param)
	case diff.Hang, diff.Stop:
		what = endingText(x)
	}
	for i := len(x.Places) - 1; i >= 0; i-- {
		p := &x.Places[i]
		what += fmt.Sprintf(", in iteration %d of %d", p.Iteration, p.Iterations)
		if p.Loop != "" {
			what += " of the loop at " + p.Loop
		}
	}
	return what
}

// endingText says who came how far.
func endingText(x *diff.Difference) string {
	who, what := "", "ended after "
	if !x.OnlyA {
		who = "came further: the others "
	}
	if x.Kind == diff.Hang {
		what = "did not return from "
	}
	return who + what + calledText(x.Call)
}

func listedCalls(d *diff.Difference) string {
	var parts []string
	for _, c := range d.Calls {
		t := calledText(c)
		if c.Count > 1 {
			t += fmt.Sprintf(" (%d times)", c.Count)
		}
		parts = append(parts, t)
	}
	if d.More > 0 {
		parts = append(parts, fmt.Sprintf("%d more", d.More))
	}
	if parts == nil {
		parts = []string{calledText(d.Call)}
	}
	return strings.Join(parts, ", ")
}

// calledText is a call with its innermost place.
func calledText(c diff.Call) string {
	c.Site, _, _ = strings.Cut(c.Site, " < ")
	return CallText(c)
}
