package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"tabard/analysis/selection"
	"tabard/analysis/usage"
	"tabard/internal/render"
	"tabard/trace"
)

// durationsSchema names the form of what `tabard histogram --durations --json` prints.
const durationsSchema = "tabard.durations/1"

// durationsOne is the durations of like calls.
type durationsOne struct {
	Name string `json:"name"` // of the group of functions, function, or call
	Func string `json:"func,omitempty"`
	Site string `json:"site,omitempty"`
	// Time is what the calls took together; those that end one inside of another count once.
	Time      time.Duration       `json:"time_ns"`
	Durations *usage.Distribution `json:"durations"`
}

// durationsRun is the schema of `tabard histogram --durations --json`.
type durationsRun struct {
	Schema     string          `json:"schema"`
	File       string          `json:"file"`
	Selection  selection.Flags `json:"selection"`
	Histograms []durationsOne  `json:"histograms"`
}

// durations shows how long calls took.
func (f *histogramFlags) durations(a *app, archive *trace.Archive) error {
	t, err := a.structure(archive, &f.selectFlags)
	if err != nil {
		return err
	}
	if err := t.needTimes(); err != nil {
		return err
	}
	p := a.meter("reading times", "calls", 0)
	u, err := usage.Of(t.program, usage.Options{Selection: t.chosen, Steps: t.steps, Progress: p.Show})
	p.Done()
	if err != nil {
		return err
	}
	all := f.alike(u)
	switch {
	case f.json:
		return a.printJSON(durationsRun{durationsSchema, archive.File(), f.flags, all})
	case len(all) == 0:
		_, err := fmt.Fprintln(a.out, "no such calls")
		return err
	case f.wanted():
		b := durationsBars(&all[0])
		b.Note += ", " + archive.File()
		return f.pictureFlags.write(a, b.Picture())
	}
	w := bufio.NewWriter(a.out)
	for i := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := durationsBars(&all[i]).WriteText(w, a.terminal()); err != nil {
			return err
		}
		d := all[i].Durations
		fmt.Fprintf(w, "a tenth take up to %s, half %s, all but a hundredth %s; %s more than if all were as fast as the fastest tenth\n",
			render.Duration(d.Quantile(.1)), render.Duration(d.Quantile(.5)), render.Duration(d.Quantile(.99)), render.Duration(d.Excess()))
	}
	return w.Flush()
}

// alike puts the calls together that --by does not tell apart, those that take most time first.
func (f *histogramFlags) alike(u *usage.Result) []durationsOne {
	all := []durationsOne{}
	at := map[string]int{}
	for i := range u.Places {
		p := &u.Places[i]
		one := durationsOne{Name: p.Group}
		switch f.by.value {
		case "function":
			one.Name, one.Func = p.Func, p.Func
		case "site":
			one.Name, one.Func, one.Site = placeText(p.Func, p.Site), p.Func, p.Site
		}
		if p.Durations.Count() == 0 {
			continue
		}
		k, ok := at[one.Name]
		if !ok {
			k = len(all)
			at[one.Name] = k
			one.Durations = &usage.Distribution{}
			all = append(all, one)
		}
		all[k].Time += p.MPI.Sum
		all[k].Durations.Merge(&p.Durations)
	}
	slices.SortStableFunc(all, func(a, b durationsOne) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Name, b.Name)) })
	return all
}

// durationsBars makes the chart: a bar for each power of two.
func durationsBars(h *durationsOne) *render.Bars {
	b := &render.Bars{Title: h.Name, Axis: "duration", Value: "calls", Unit: render.Number, Upright: true,
		Note: fmt.Sprintf("%s, %s", plural(h.Durations.Count(), "call"), render.Duration(h.Time))}
	power := func(d time.Duration) int { return bits.Len64(uint64(d)) } // durations below 1<<power
	var counts [65]uint64
	first, last := 64, 0
	for _, x := range h.Durations.Bins() {
		k := power(x.From)
		counts[k] += x.Count
		first, last = min(first, k), max(last, k)
	}
	for k := first; k <= last; k++ {
		b.Bars = append(b.Bars, render.Bar{Label: "< " + render.Duration(1<<min(k, 62)), Values: []float64{float64(counts[k])}})
	}
	return b
}
