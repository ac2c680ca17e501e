package timing

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/timing/published"
)

// Kind is what is stored of the times.
type Kind uint8

// Kinds.
const (
	Off       Kind = iota // nothing
	Lossless              // every start and end, exactly
	Lossy                 // every start and end, within a bound
	Aggregate             // sums and distributions, no calls
	Published             // every call, by a method of package published
)

// A Bound is the greatest error of a duration or a gap. If both parts are given both hold.
type Bound struct {
	PPM uint32 // relative to the value, in millionths; 0 none
	NS  uint64 // absolute, in nanoseconds; 0 none
}

// A Rule is the bound of the functions whose names match a pattern (path.Match).
type Rule struct {
	Pattern string
	Bound   Bound
}

// A Mode says how times are stored.
type Mode struct {
	Kind   Kind
	Method string // of Published
	Bound  Bound
	Rules  []Rule // other bounds; the first that matches counts
	K, M   int    // parameters of the method hist, 0 for the published ones
}

// Default is the mode of a recording that asks for none. No number that is read from it is off by
// more than 1 % or, where that is less, a microsecond. No begin or end of a call is off by more
// than that. So what an analysis says is as good as the measurement, which differs by more from run
// to run.
//
// It takes 55 to 75 % of the bytes of lossless in programs. In loops of calls of some tens of ns it
// takes up to all of them, and their durations are then exact, too. A relative error alone costs as
// much, and lets begins drift by the error of the longest call, which is MPI_Init. 100ns alone
// takes only 20 to 45 %, but loses the durations of polls and of other short calls.
const Default = "lossy:1%,1us"

// Limits of bounds. MaxNS is a day; the least relative bound is 0.01 %.
const (
	MinPPM   = 100
	MaxPPM   = 1_000_000
	MaxNS    = 86_400_000_000_000
	maxRules = 64
)

// ParseMode parses a mode, such as
//
//	off, lossless, aggregate
//	lossy:1%  lossy:100ns  lossy:1%,1us  lossy:1%;MPI_Wait*=100ns
//	cfg:10%  hist:10%,k=3,m=100  sz:10%  zfp:10us  sz-clustered:10%  zfp-clustered:10us
func ParseMode(s string) (Mode, error) {
	head, rules, hasRules := strings.Cut(s, ";")
	name, args, hasArgs := strings.Cut(head, ":")
	m := Mode{}
	fail := func(format string, a ...any) (Mode, error) {
		return Mode{}, fmt.Errorf("timing mode %q: %s", s, fmt.Sprintf(format, a...))
	}
	switch {
	case name == "off":
		m.Kind = Off
	case name == "lossless":
		m.Kind = Lossless
	case name == "aggregate":
		m.Kind = Aggregate
	case name == "lossy":
		m.Kind = Lossy
	case slices.Contains(published.Names(), name):
		m.Kind, m.Method = Published, name
	default:
		return fail("unknown; there are off, lossless, aggregate, lossy:ERROR and, to compare with published "+
			"methods, %s", strings.Join(published.Names(), ", "))
	}
	if m.Kind < Lossy || m.Kind == Aggregate {
		if hasArgs || hasRules {
			return fail("%s takes no bounds", name)
		}
		return m, nil
	}
	if !hasArgs {
		return fail("the error is missing, e.g. %s:%s", name, map[bool]string{true: "10us", false: "1%"}[m.absolute()])
	}
	for _, arg := range strings.Split(args, ",") {
		key, v, isKey := strings.Cut(arg, "=")
		if !isKey {
			if err := m.Bound.add(arg); err != nil {
				return fail("%v", err)
			}
			continue
		}
		n, err := strconv.Atoi(v)
		if m.Method != "hist" || err != nil || n < 1 || key != "k" && key != "m" || key == "k" && n > 8 ||
			n > 1_000_000 {
			return fail("%s: only hist has parameters: k=1 to 8, m=1 to 1000000", arg)
		}
		if key == "k" {
			m.K = n
		} else {
			m.M = n
		}
	}
	if hasRules {
		for _, r := range strings.Split(rules, ";") {
			pattern, bound, ok := strings.Cut(r, "=")
			rule := Rule{Pattern: pattern}
			if _, err := path.Match(pattern, ""); !ok || err != nil || pattern == "" {
				return fail("%q is no bound of a function, which look like MPI_Wait*=100ns", r)
			}
			for _, arg := range strings.Split(bound, ",") {
				if err := rule.Bound.add(arg); err != nil {
					return fail("%v", err)
				}
			}
			m.Rules = append(m.Rules, rule)
		}
	}
	if len(m.Rules) > maxRules {
		return fail("more than %d bounds of functions", maxRules)
	}
	return m, m.check(s)
}

// absolute tells whether the method takes an absolute bound only.
func (m *Mode) absolute() bool { return strings.HasPrefix(m.Method, "zfp") }

// check checks the bounds.
func (m *Mode) check(s string) error {
	for _, b := range m.bounds() {
		switch {
		case b == (Bound{}):
			return fmt.Errorf("timing mode %q: the error is missing", s)
		case m.Kind != Published:
		case m.absolute() && (b.PPM != 0 || b.NS == 0):
			return fmt.Errorf("timing mode %q: the error of %s is a time, e.g. 10us", s, m.Method)
		case !m.absolute() && (b.NS != 0 || b.PPM < 1000):
			return fmt.Errorf("timing mode %q: the error of %s is relative, 0.1%% to 100%%", s, m.Method)
		}
	}
	return nil
}

// add parses a part of a bound.
func (b *Bound) add(s string) error {
	if num, ok := strings.CutSuffix(s, "%"); ok {
		v, err := strconv.ParseFloat(num, 64)
		if err != nil || !(v >= MinPPM/1e4 && v <= MaxPPM/1e4) || b.PPM != 0 {
			return fmt.Errorf("%q is no error; relative ones go from 0.01%% to 100%%, one of them", s)
		}
		b.PPM = uint32(v*1e4 + 0.5)
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 1 || d > MaxNS || b.NS != 0 {
		return fmt.Errorf("%q is no error, which look like 1%% or 100ns or both, as in 1%%,1us", s)
	}
	b.NS = uint64(d)
	return nil
}

// String writes the bound as ParseMode reads it.
func (b Bound) String() string {
	var parts []string
	if b.PPM != 0 {
		parts = append(parts, strconv.FormatFloat(float64(b.PPM)/1e4, 'f', -1, 64)+"%")
	}
	if b.NS != 0 {
		parts = append(parts, strings.ReplaceAll(time.Duration(b.NS).String(), "µ", "u"))
	}
	return strings.Join(parts, ",")
}

// String writes the mode as ParseMode reads it.
func (m Mode) String() string {
	switch m.Kind {
	case Off:
		return "off"
	case Lossless:
		return "lossless"
	case Aggregate:
		return "aggregate"
	}
	s := m.Method
	if m.Kind == Lossy {
		s = "lossy"
	}
	s += ":" + m.Bound.String()
	if m.K != 0 {
		s += ",k=" + strconv.Itoa(m.K)
	}
	if m.M != 0 {
		s += ",m=" + strconv.Itoa(m.M)
	}
	for _, r := range m.Rules {
		s += ";" + r.Pattern + "=" + r.Bound.String()
	}
	return s
}

// bounds are all bounds: that of the mode and those of the rules.
func (m *Mode) bounds() []Bound {
	all := []Bound{m.Bound}
	for _, r := range m.Rules {
		all = append(all, r.Bound)
	}
	return all
}

// boundOf is the index in bounds of what a function has.
func (m *Mode) boundOf(function string) int {
	for i, r := range m.Rules {
		if ok, err := path.Match(r.Pattern, function); ok && err == nil {
			return i + 1
		}
	}
	return 0
}

// A Rate says how long ticks are: Ticks of them take NS nanoseconds.
type Rate struct{ NS, Ticks uint64 }

// orOne makes a rate of one tick a nanosecond of one that is not known.
func (r Rate) orOne() Rate {
	if r.NS == 0 || r.Ticks == 0 {
		return Rate{1, 1}
	}
	return r
}
