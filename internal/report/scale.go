package report

import "github.com/tabard-hpc/tabard/internal/program/infer"

// ScaleSchema names the form of Scale.
const ScaleSchema = "tabard.scale/1"

var _ = register[Scale](ScaleSchema, "scale --json")

// Scale is an archive that was inferred from recordings of other sizes.
type Scale struct {
	Schema string `json:"schema"`
	// File is the archive that was written, empty for none, with Ranks ranks.
	File  string `json:"file"`
	Ranks int    `json:"ranks"`
	Bytes int64  `json:"bytes"`
	// Checked is the number of ranks with which calls were found to fit together: Ranks, or less if
	// that is too many to look at each; 0 if that was not looked at.
	Checked int `json:"checked"`
	// From are the sizes of the recordings.
	From []int `json:"from"`
	// HeldOut says for each recording whether its job follows from the others alone; empty for fewer
	// than three.
	HeldOut []ScaleHeldOut `json:"held_out"`
	Grids   []string       `json:"grids"`
	// Assumptions say what was decided without evidence, as sentences.
	Assumptions []string `json:"assumptions"`
	// Assumed is the same, with all the parameters and loops that each was decided of.
	Assumed []ScaleAssumption `json:"assumed"`
	Program string            `json:"program,omitempty"`
}

// ScaleAssumption is what was decided in the same way of one or several parameters and loops.
type ScaleAssumption struct {
	What string `json:"what"`
	// Where are the parameters and loops; empty if it is about the job as a whole.
	Where []string `json:"where"`
}

// ScaleHeldOut is a recording that was left out.
type ScaleHeldOut struct {
	Ranks int `json:"ranks"`
	// Outcome is "equal" if the others give what was recorded, "different" if they give something else,
	// "assumed" if they do so on assumptions that would be listed, "refused" if they do not say.
	Outcome string `json:"outcome"`
}

// NewScale makes the document of what was inferred. The program is in it only if asked for.
func NewScale(m *infer.Model, program bool) *Scale {
	r := &Scale{Schema: ScaleSchema, From: m.Sizes, Grids: []string{}, Assumptions: []string{},
		Assumed: []ScaleAssumption{}}
	for _, a := range m.Assumptions {
		r.Assumptions = append(r.Assumptions, a.String())
		r.Assumed = append(r.Assumed, ScaleAssumption{What: a.What, Where: append([]string{}, a.Where...)})
	}
	r.HeldOut = []ScaleHeldOut{}
	for _, h := range m.HeldOut {
		r.HeldOut = append(r.HeldOut, ScaleHeldOut{Ranks: h.Ranks, Outcome: string(h.Outcome)})
	}
	for _, g := range m.Grids {
		r.Grids = append(r.Grids, g.String())
	}
	if program {
		r.Program = m.String()
	}
	return r
}
