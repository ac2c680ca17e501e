package trend

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Verdict says how something compares with the baseline.
type Verdict string

// Verdicts.
const (
	Same      Verdict = "same"       // no difference beyond the tolerance, or one that may be chance
	Worse     Verdict = "worse"      // a regression
	Differs   Verdict = "differs"    // where what is less or more is no better: a regression, too
	Better    Verdict = "better"     // an improvement
	NotJudged Verdict = "not judged" // there is nothing to judge it by, or it was not asked for
)

// Regression tells whether a check fails by it.
func (v Verdict) Regression() bool { return v == Worse || v == Differs }

// Names of what is checked, as tolerances are given for.
const (
	OfStructure     = "structure"
	OfMessages      = "messages"
	OfBytes         = "bytes"
	OfTime          = "time"
	OfWaiting       = "waiting"
	OfLoadBalance   = "load-balance"
	OfCommunication = "communication"
	OfElapsed       = "elapsed"
)

// Names are all of them, in the order in which they are shown.
var Names = []string{OfStructure, OfMessages, OfBytes, OfTime, OfWaiting, OfLoadBalance, OfCommunication, OfElapsed}

var measures = map[string]Measure{OfTime: StepTime, OfWaiting: Waiting, OfLoadBalance: LoadBalance,
	OfCommunication: Communication, OfElapsed: Elapsed}

// Tolerances are the greatest changes that are no regressions, as fractions: of times, bytes and messages relative
// ones. Off leaves something out.
type Tolerances map[string]float64

// Off is the tolerance of what is not judged.
var Off = math.Inf(1)

// Defaults are the tolerances if nothing else is said.
func Defaults() Tolerances {
	return Tolerances{OfStructure: 0, OfMessages: 0, OfBytes: 0, OfTime: 0.03, OfWaiting: 0.05, OfLoadBalance: 0.05,
		OfCommunication: 0.05, OfElapsed: 0.05}
}

// Parse changes tolerances as text says: NAME=VALUE,... with values such as 5%, 0.05 and off.
func (t Tolerances) Parse(text string) error {
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || !slices.Contains(Names, name) {
			return fmt.Errorf("%q is not NAME=VALUE with one of %s", part, strings.Join(Names, ", "))
		}
		if value == "off" {
			t[name] = Off
			continue
		}
		number, percent := strings.CutSuffix(value, "%")
		v, err := strconv.ParseFloat(number, 64)
		if percent {
			v /= 100
		}
		if err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%q: a tolerance is a part such as 5%% or 0.05, or off", part)
		}
		if name == OfStructure && v != 0 {
			return fmt.Errorf("%q: structure is the same or not: want 0 or off", part)
		}
		t[name] = v
	}
	return nil
}

// Check is one thing that was compared with the baseline.
type Check struct {
	Name      string
	Verdict   Verdict
	Tolerance float64
	// Why says why it was not judged.
	Why string
	// Base and Now are numbers of messages or bytes, or those of Change, which is nil of what has no statistics.
	Base, Now float64
	Change    *Change
	// Differences are those of structure in words, of messages and bytes those of parameters.
	Differences []string
}

// Structure is how the structures of recordings compare, which package diff finds out.
type Structure struct {
	// Differences are those of the first of the recordings that differs from the first of the baseline.
	Differences []string
	// Parameters are the differences of the recordings in parameters, which alone are no regression.
	Parameters []string
	// Unsteady says that recordings of the baseline differ from each other: then other differences mean nothing.
	Unsteady bool
	// Lacking says why structures were not compared; empty: they were.
	Lacking string
}

// Checks compares recordings with those of a baseline.
func Checks(base, now []*Run, s Structure, t Tolerances) []Check {
	list := []Check{structure(s, t[OfStructure])}
	list = append(list, counted(OfMessages, base, now, t, func(r *Run) float64 { return float64(r.Messages) }),
		counted(OfBytes, base, now, t, func(r *Run) float64 { return float64(r.Bytes) }))
	if len(s.Differences) == 0 && list[2].Verdict == Differs {
		list[2].Differences = s.Parameters
	}
	for _, name := range Names[len(list):] {
		c := Check{Name: name, Tolerance: t[name], Verdict: NotJudged}
		change := Compare(base, now, measures[name])
		if name == OfTime && change.Steps > 0 && !change.Worse(c.Tolerance) {
			if mean := CompareMean(base, now, StepTime); mean.Worse(c.Tolerance) {
				change = mean
			}
		}
		switch {
		case c.Tolerance == Off:
			c.Why = "not asked for"
		case change.Steps == 0:
			c.Why = lacking(base, now, change.Measure)
		default:
			c.Change, c.Base, c.Now, c.Verdict = &change, change.Base, change.Now, Same
			if change.Worse(c.Tolerance) {
				c.Verdict = Worse
			} else if change.Better(c.Tolerance) {
				c.Verdict = Better
			}
		}
		list = append(list, c)
	}
	return list
}

// lacking says why a measure has no change.
func lacking(base, now []*Run, m Measure) string {
	for _, r := range slices.Concat(base, now) {
		switch {
		case r.Elapsed == 0:
			return r.File + " has no times"
		case m != Elapsed && len(r.series[StepTime]) < leastSteps:
			return fmt.Sprintf("%s has fewer than %d time steps", r.File, leastSteps)
		}
	}
	if m == Elapsed {
		return fmt.Sprintf("it takes %d recordings of each side", leastRuns)
	}
	return "steps have no such values"
}

func structure(s Structure, tolerance float64) Check {
	c := Check{Name: OfStructure, Tolerance: tolerance, Verdict: NotJudged}
	switch {
	case tolerance == Off:
		c.Why = "not asked for"
	case s.Lacking != "":
		c.Why = s.Lacking
	case s.Unsteady:
		c.Why = "recordings of the baseline differ from each other"
	case len(s.Differences) > 0:
		c.Verdict, c.Differences = Differs, s.Differences
	default:
		c.Verdict = Same
	}
	return c
}

// counted compares a number that each run has one of: of some runs the one that differs most from the mean of the
// baseline.
func counted(name string, base, now []*Run, t Tolerances, of func(*Run) float64) Check {
	c := Check{Name: name, Tolerance: t[name], Verdict: Same}
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range base {
		v := of(r)
		least, most = min(least, v), max(most, v)
		c.Base += v / float64(len(base))
	}
	c.Now = c.Base
	usual := true // runs of the baseline differ by as much
	for i, r := range now {
		v := of(r)
		within, farther := v >= least && v <= most, math.Abs(v-c.Base) > math.Abs(c.Now-c.Base)
		if i == 0 || usual && !within || usual == within && farther {
			c.Now, usual = v, within
		}
	}
	switch {
	case c.Tolerance == Off:
		c.Verdict, c.Why = NotJudged, "not asked for"
	case usual:
	case math.Abs(c.Now-c.Base) > c.Tolerance*c.Base:
		c.Verdict = Differs
	}
	return c
}
