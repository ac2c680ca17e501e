package selection

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Window is a window of time. Calls are in it that are in progress at some time
// in it.
type Window struct {
	text     string
	from, to bound
}

// bound is a time since the start of the trace or, of percent, a hundredth
// of the trace's length.
type bound struct {
	at      time.Duration
	percent float64
	isPart  bool
	open    bool // no bound
}

// ParseWindow understands a window FROM..TO or FROM+LENGTH. Times are since the start of the
// trace: numbers with a unit (ns, us, ms, s, m, h), of seconds without one, or percent of the
// trace's length. FROM.. has no end and ..TO begins at the start. Examples:
// 1.5s..2s, 20ms.., 10%..30%, 1.5s+20ms.
func ParseWindow(s string) (*Window, error) {
	w := &Window{text: s}
	from, to, ok := strings.Cut(s, "..")
	if !ok {
		if from, to, ok = cutLength(s); !ok {
			return nil, fmt.Errorf("%q is no window FROM..TO or FROM+LENGTH, such as 1.5s..2s, 10%%..30%% or 1.5s+20ms",
				s)
		}
	}
	var err error
	if w.from, err = parseBound(from); err != nil {
		return nil, err
	}
	if w.to, err = parseBound(to); err != nil {
		return nil, err
	}
	if !strings.Contains(s, "..") {
		if w.from.open || w.to.open || w.from.isPart != w.to.isPart {
			return nil, fmt.Errorf("%q: begin and length of FROM+LENGTH are both times or both percent", s)
		}
		w.to.at += w.from.at
		w.to.percent += w.from.percent
	}
	if w.from.open && w.to.open {
		return nil, errors.New("the window has neither begin nor end")
	}
	if !w.from.open && !w.to.open && w.from.isPart == w.to.isPart &&
		(w.to.at < w.from.at || w.to.percent < w.from.percent) {
		return nil, fmt.Errorf("%q ends before it begins", s)
	}
	return w, nil
}

// cutLength splits at a plus sign that is none of an exponent.
func cutLength(s string) (from, length string, ok bool) {
	for i := 1; i < len(s); i++ {
		if s[i] == '+' && s[i-1] != 'e' && s[i-1] != 'E' {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

func parseBound(s string) (bound, error) {
	s = strings.TrimSpace(s)
	wrong := func() (bound, error) {
		return bound{}, fmt.Errorf("%q is no time such as 1.5s, 20ms or 10%%", s)
	}
	if s == "" {
		return bound{open: true}, nil
	}
	if n, ok := strings.CutSuffix(s, "%"); ok {
		p, err := strconv.ParseFloat(n, 64)
		if err != nil || !(p >= 0 && p <= 100) {
			return bound{}, fmt.Errorf("%q is no percentage from 0%% to 100%%", s)
		}
		return bound{percent: p, isPart: true}, nil
	}
	if sec, err := strconv.ParseFloat(s, 64); err == nil {
		if !(sec >= 0 && sec < math.MaxInt64/1e9) {
			return wrong()
		}
		return bound{at: time.Duration(math.Round(sec * 1e9))}, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return wrong()
	}
	return bound{at: d}, nil
}

// String is the window as given.
func (w *Window) String() string { return w.text }

// Forever is the end of a window that has none.
const Forever = time.Duration(math.MaxInt64)

// span is the window in a trace of some length: times from up to, but not including, to.
func (w *Window) span(length time.Duration) (from, to time.Duration) {
	of := func(b bound, open time.Duration) time.Duration {
		switch {
		case b.open:
			return open
		case b.isPart:
			return time.Duration(math.Round(float64(length) * b.percent / 100))
		}
		return b.at
	}
	from, to = of(w.from, math.MinInt64), of(w.to, Forever)
	if w.to.isPart && w.to.percent == 100 {
		to = Forever // the last call, too
	}
	return from, to
}
