package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/selection"
)

// DurationsSchema names the form of Durations.
const DurationsSchema = "tabard.durations/1"

var _ = register[Durations](DurationsSchema, "histogram --durations --json")

// Durations is how long calls took.
type Durations struct {
	Schema     string          `json:"schema"`
	File       string          `json:"file"`
	Selection  selection.Flags `json:"selection"`
	Histograms []CallDurations `json:"histograms"`
}

// CallDurations is the durations of like calls.
type CallDurations struct {
	Name string `json:"name"` // of the group of functions, function, or call
	Func string `json:"func,omitempty"`
	Site string `json:"site,omitempty"`
	// Time is what the calls took together; those that end one inside of another count once.
	Time      time.Duration `json:"time_ns"`
	Durations Distribution  `json:"durations"`
}

// Distribution is how durations are distributed: how many of them there are, and up to what time a
// part of them is.
type Distribution struct {
	Count uint64        `json:"count"`
	P10   time.Duration `json:"p10_ns"`
	P50   time.Duration `json:"p50_ns"`
	P90   time.Duration `json:"p90_ns"`
	P99   time.Duration `json:"p99_ns"`
	// Excess is what they take longer than if all were as fast as the fastest tenth.
	Excess time.Duration `json:"excess_ns"`
	// Bins are those with calls.
	Bins []DurationBin `json:"bins"`
}

// DurationBin is durations from From up to, but not including, To.
type DurationBin struct {
	From  time.Duration `json:"from_ns"`
	To    time.Duration `json:"to_ns"`
	Count uint64        `json:"count"`
}

func distribution(d *efficiency.Distribution) Distribution {
	out := Distribution{Count: d.Count(), P10: d.Quantile(.1), P50: d.Quantile(.5), P90: d.Quantile(.9),
		P99:    d.Quantile(.99),
		Excess: d.Excess()}
	for _, b := range d.Bins() {
		out.Bins = append(out.Bins, DurationBin(b))
	}
	return out
}

// Durations reads how long calls took. The word by says which of them are put together: those of
// one function or call site, or by default those of a group of functions. Those that take most time
// come first.
func (j *Job) Durations(flags selection.Flags, by string) (*Durations, error) {
	if err := j.NeedTimes(); err != nil {
		return nil, err
	}
	steps, err := j.steps()
	if err != nil {
		return nil, err
	}
	p := j.meter.Start("reading times", "calls")
	u, err := efficiency.Of(j.Program, efficiency.Options{Selection: j.chosen, Steps: steps, Progress: p.Show})
	p.Done()
	if err != nil {
		return nil, err
	}
	all := []CallDurations{}
	var sums []*efficiency.Distribution
	at := map[string]int{}
	for i := range u.Places {
		p := &u.Places[i]
		one := CallDurations{Name: p.Group}
		switch by {
		case "function":
			one.Name, one.Func = p.Func, p.Func
		case "site":
			one.Name, one.Func, one.Site = PlaceText(p.Func, p.Site), p.Func, p.Site
		}
		if p.Durations.Count() == 0 {
			continue
		}
		k, ok := at[one.Name]
		if !ok {
			k = len(all)
			at[one.Name] = k
			all, sums = append(all, one), append(sums, &efficiency.Distribution{})
		}
		all[k].Time += p.MPI.Sum
		sums[k].Merge(&p.Durations)
	}
	for k := range all {
		all[k].Durations = distribution(sums[k])
	}
	slices.SortStableFunc(all, func(a, b CallDurations) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Name, b.Name))
	})
	return &Durations{DurationsSchema, j.Archive.File(), flags, all}, nil
}
