package report

import (
	"math"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/analysis/trend"
)

// Schemas of comparisons of several recordings.
const (
	CheckSchema = "tabard.check/1"
	TrendSchema = "tabard.trend/1"
)

var (
	_ = register[Check](CheckSchema, "check --json")
	_ = register[Trend](TrendSchema, "trend --json")
)

// Run sums up a recording for comparisons with others. Clocks have to be corrected before.
func (j *Job) Run(file string) (*trend.Run, error) {
	in := trend.Input{File: file, Created: j.Archive.Meta().Created, Ranks: j.Archive.NumRanks(),
		Processes: j.Archive.NumRanks(), Bytes: map[efficiency.Key]int64{}}
	var err error
	if in.Usage, in.Waits, err = j.usageAndWaits(); err != nil {
		return nil, err
	}
	if in.Usage != nil {
		in.Processes = len(in.Usage.Processes)
	}
	chosen, err := j.resolved()
	if err != nil {
		return nil, err
	}
	if in.Matrix, err = traffic.MatrixOf(chosen); err != nil {
		return nil, err
	}
	p, err := profile.Of(chosen, profile.Options{By: profile.GroupBy{Func: true, Site: true}})
	if err != nil {
		return nil, err
	}
	in.Calls = p.Calls
	for _, row := range p.Rows {
		key := efficiency.Key{Func: row.Func.Name}
		if row.Site != nil {
			key.Site = row.Site.String()
		}
		in.Bytes[key] += row.Bytes
	}
	return trend.NewRun(in), nil
}

// StructureOf is what a comparison with the baseline says of structure.
func StructureOf(r *diff.Result) (s trend.Structure) {
	for _, d := range r.Differences {
		to := &s.Differences
		if d.Kind == diff.Parameter || d.Kind == diff.Outcome {
			to = &s.Parameters
		}
		if len(*to) < maxDifferences {
			*to = append(*to, DifferenceText(d))
		}
	}
	return s
}

// maxDifferences is how many differences of a kind a check lists.
const maxDifferences = 10

// Check is how recordings compare with a baseline, and whether that is a regression.
type Check struct {
	Schema   string   `json:"schema"`
	Baseline []string `json:"baseline"`
	Files    []string `json:"files"`
	// Passed says that nothing is a regression.
	Passed bool        `json:"passed"`
	Checks []CheckItem `json:"checks"`
}

// CheckItem is one thing that was compared.
type CheckItem struct {
	Name    string        `json:"name"`
	Verdict trend.Verdict `json:"verdict"`
	// Why says why it was not judged.
	Why string `json:"why,omitempty"`
	// Tolerance is the greatest change that is no regression: a part, or a difference of shares; left out if it is off.
	Tolerance *float64 `json:"tolerance,omitempty"`
	// Base and Now are numbers, nanoseconds or shares, as the name says.
	Base *float64 `json:"base,omitempty"`
	Now  *float64 `json:"now,omitempty"`
	// Change is that of the time steps, in pairs, with a 99 % interval, over so many steps: of times a part, of shares
	// a difference.
	Change *float64 `json:"change,omitempty"`
	Low    *float64 `json:"low,omitempty"`
	High   *float64 `json:"high,omitempty"`
	Steps  int      `json:"steps,omitempty"`
	// Mean says that the change is the mean of the steps without the tenths at both ends, else it is the median.
	Mean bool `json:"mean,omitempty"`
	// Differences are those of structure in words, of bytes those of parameters.
	Differences []string `json:"differences,omitempty"`
}

// finite is nil for what JSON has no number for.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// NewCheck makes the document of checks.
func NewCheck(baseline, files []string, checks []trend.Check) *Check {
	c := &Check{Schema: CheckSchema, Baseline: baseline, Files: files, Passed: Passed(checks), Checks: []CheckItem{}}
	for i := range checks {
		x := &checks[i]
		item := CheckItem{Name: x.Name, Verdict: x.Verdict, Why: x.Why, Tolerance: finite(x.Tolerance),
			Differences: x.Differences}
		if x.Name != trend.OfStructure && x.Verdict != trend.NotJudged {
			item.Base, item.Now = finite(x.Base), finite(x.Now)
		}
		if d := x.Change; d != nil {
			item.Change, item.Low, item.High, item.Steps = finite(d.Change), finite(d.Low), finite(d.High), d.Steps
			item.Mean = d.Mean
		}
		c.Checks = append(c.Checks, item)
	}
	return c
}

// Passed tells whether no check is a regression.
func Passed(checks []trend.Check) bool {
	return !slices.ContainsFunc(checks, func(c trend.Check) bool { return c.Verdict.Regression() })
}

// Trend is how a program developed from run to run, or how it scales.
type Trend struct {
	Schema string     `json:"schema"`
	Runs   []TrendRun `json:"runs"`
	// Scaling is left out if all runs have as many ranks.
	Scaling *Scaling `json:"scaling,omitempty"`
}

// TrendRun is a recording.
type TrendRun struct {
	File     string `json:"file"`
	Created  string `json:"created"`
	Ranks    int    `json:"ranks"`
	Calls    uint64 `json:"calls"`
	Messages uint64 `json:"messages"`
	Bytes    int64  `json:"bytes"`
	// The following are left out without times.
	Elapsed    time.Duration          `json:"elapsed_ns,omitempty"`
	Useful     time.Duration          `json:"computation_ns,omitempty"`
	Efficiency *efficiency.Efficiency `json:"efficiency,omitempty"`
	// Waiting is the part of the time of all: in a time step, by the median, or in the run if it has few steps.
	Waiting    *float64      `json:"waiting,omitempty"`
	Steps      uint64        `json:"steps,omitempty"`
	MedianStep time.Duration `json:"median_step_ns,omitempty"`
	// Changes are those since the run before it with as many ranks.
	Changes []TrendChange `json:"changes,omitempty"`
}

// TrendChange is how a measure of time steps differs from the run before, see tabard check.
type TrendChange struct {
	Name  string `json:"name"`
	Since string `json:"since"`
	// Notable says that it is beyond the tolerance of tabard check, and no chance.
	Notable bool     `json:"notable"`
	Change  *float64 `json:"change"`
	Low     *float64 `json:"low"`
	High    *float64 `json:"high"`
	Steps   int      `json:"steps"`
}

// Scaling is a scaling table.
type Scaling struct {
	Kind     string         `json:"kind"` // strong or weak
	Stepwise bool           `json:"stepwise"`
	Sizes    []ScalingSize  `json:"sizes"`
	Growing  []ScalingGrows `json:"growing"`
}

// ScalingSize is a number of ranks. Values that are not known are null.
type ScalingSize struct {
	Ranks int    `json:"ranks"`
	File  string `json:"file"`
	Runs  int    `json:"runs"`
	// Step is the time of a step, or of the run if not all have steps.
	Step                    time.Duration `json:"step_ns"`
	Speedup                 *float64      `json:"speed_up"`
	Efficiency              *float64      `json:"scaling_efficiency"`
	Parallel                *float64      `json:"parallel_efficiency"`
	LoadBalance             *float64      `json:"load_balance"`
	CommunicationEfficiency *float64      `json:"communication_efficiency"`
	Computation             *float64      `json:"computation_scalability"`
	Global                  *float64      `json:"global_efficiency"`
	Waiting                 *float64      `json:"waiting"`
}

// ScalingGrows is something that costs more than it should with more ranks.
type ScalingGrows struct {
	Func     string         `json:"func"`
	Site     string         `json:"site,omitempty"`
	Quantity trend.Quantity `json:"quantity"`
	// Values are those of a rank on the average, at each size: ns, numbers or bytes.
	Values   []float64 `json:"values"`
	Exponent *float64  `json:"exponent"`
	Loss     *float64  `json:"loss"`
}

// Course is how a program developed: its runs in the order in which they are given, with what changed since the run
// before of the same size.
type Course struct {
	Runs    []*trend.Run
	Changes [][]trend.Change
	Since   []*trend.Run // nil of the first of a size
	Scaling *trend.Scaling
}

// NewCourse compares runs. Weak nil finds out which scaling it is.
func NewCourse(runs []*trend.Run, weak *bool) *Course {
	c := &Course{Runs: runs}
	latest := map[int]*trend.Run{}
	for _, r := range runs {
		var changes []trend.Change
		before := latest[r.Ranks]
		if before != nil {
			for m := range trend.Elapsed {
				if x := trend.Compare([]*trend.Run{before}, []*trend.Run{r}, m); x.Steps > 0 {
					changes = append(changes, x)
				}
			}
		}
		c.Changes, c.Since = append(c.Changes, changes), append(c.Since, before)
		latest[r.Ranks] = r
	}
	if len(latest) > 1 {
		c.Scaling = trend.Scale(runs, weak)
	}
	return c
}

// Notable tells whether a change is beyond what check tolerates by default.
func Notable(c *trend.Change) bool {
	t := 0.05
	if c.Measure == trend.StepTime {
		t = trend.Defaults()[trend.OfTime]
	}
	return c.Worse(t) || c.Better(t)
}

// Document makes the document of a course.
func (c *Course) Document() *Trend {
	t := &Trend{Schema: TrendSchema, Runs: []TrendRun{}}
	for i, r := range c.Runs {
		x := TrendRun{File: r.File, Created: r.Created.UTC().Format(time.RFC3339), Ranks: r.Ranks, Calls: r.Calls,
			Messages: r.Messages, Bytes: r.Bytes, Elapsed: r.Elapsed, Useful: r.Useful, Steps: r.Steps,
			MedianStep: r.MedianStep}
		if r.Elapsed > 0 {
			x.Efficiency, x.Waiting = &r.Efficiency, &r.Waiting
		}
		for k := range c.Changes[i] {
			d := &c.Changes[i][k]
			x.Changes = append(x.Changes, TrendChange{d.Measure.String(), c.Since[i].File, Notable(d), finite(d.Change),
				finite(d.Low), finite(d.High), d.Steps})
		}
		t.Runs = append(t.Runs, x)
	}
	if c.Scaling != nil {
		t.Scaling = scalingOf(c.Scaling)
	}
	return t
}

func scalingOf(s *trend.Scaling) *Scaling {
	out := &Scaling{Kind: "strong", Stepwise: s.Stepwise, Growing: []ScalingGrows{}}
	if s.Weak {
		out.Kind = "weak"
	}
	for i := range s.Sizes {
		x := &s.Sizes[i]
		e := &x.Run.Efficiency
		out.Sizes = append(out.Sizes, ScalingSize{x.Run.Ranks, x.Run.File, x.Runs, x.Step, finite(x.Speedup),
			finite(x.Efficiency),
			finite(e.Parallel), finite(e.LoadBalance), finite(e.Communication), finite(x.Computation), finite(x.Global),
			finite(x.Run.Waiting)})
	}
	for i := range s.Growing {
		g := &s.Growing[i]
		out.Growing = append(out.Growing, ScalingGrows{g.Func, g.Site, g.Quantity, g.Values, finite(g.Exponent),
			finite(g.Loss)})
	}
	return out
}
