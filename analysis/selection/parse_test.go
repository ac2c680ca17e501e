package selection

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

func TestParseRanks(t *testing.T) {
	set := rankfunc.NewSet([]int{0, 1, 2, 3, 5, 8, 9, 10, 16, 24, 100})
	for text, want := range map[string]string{
		"0": "0", "0-2": "0-2", "8-63:8": "8-24:8", "9-": "9-10,16-24:8,100", "0,2,100": "0-2:2,100",
		"0-1000": set.String(), "4": "", "1-3,2-8": "1-3,5-8:3",
	} {
		r, err := ParseRanks(text)
		if err != nil {
			t.Fatal(err)
		}
		of := r.Of(set)
		got := of.String()
		if of.Len() == 0 {
			got = ""
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		for rank := range set.All() {
			if r.Contains(rank) != of.Contains(rank) {
				t.Errorf("%s: rank %d", text, rank)
			}
		}
	}
	for _, text := range []string{"", "a", "3-1", "1:2:3", "-1", "0-3:0", "1,,2", "1-2-3"} {
		if _, err := ParseRanks(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if !(*Ranks)(nil).Contains(-1) || (*Ranks)(nil).Of(set) != set {
		t.Error("nil is not all")
	}
}

func TestParseWindow(t *testing.T) {
	const length = 10 * time.Second
	for text, want := range map[string][2]time.Duration{
		"1.5s..2s":   {1500 * time.Millisecond, 2 * time.Second},
		"1.5..2":     {1500 * time.Millisecond, 2 * time.Second},
		"20ms..":     {20 * time.Millisecond, Forever},
		"..1e-3":     {math.MinInt64, time.Millisecond},
		"10%..30%":   {time.Second, 3 * time.Second},
		"50%..100%":  {5 * time.Second, Forever},
		"1s..50%":    {time.Second, 5 * time.Second},
		"1.5s+20ms":  {1500 * time.Millisecond, 1520 * time.Millisecond},
		"10%+5%":     {time.Second, 1500 * time.Millisecond},
		"1e+0+1e-3":  {time.Second, 1001 * time.Millisecond},
		" 1s .. 2s ": {time.Second, 2 * time.Second},
	} {
		w, err := ParseWindow(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if from, to := w.span(length); from != want[0] || to != want[1] {
			t.Errorf("%s: %v to %v, want %v", text, from, to, want)
		}
	}
	for text, want := range map[string]string{
		"1s": "no window", "2s..1s": "before it begins", "..": "neither", "a..b": "no time", "-1s..2s": "no time",
		"30%..10%": "before", "0%..110%": "percentage",
		"1s+5%": "both", "+1s": "no window", "": "no window", "1s..2s..3s": "no time", "nan..1s": "no time",
		"1e300..": "no time",
	} {
		if _, err := ParseWindow(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestParseSteps(t *testing.T) {
	for text, want := range map[string][2]uint64{
		"7": {7, 7}, "10-19": {10, 19}, "10..19": {10, 19}, "100-": {100, math.MaxUint64}, "-9": {0, 9}, "..9": {0, 9},
		"0": {0, 0},
	} {
		if s, err := ParseSteps(text); err != nil || s.From != want[0] || s.To != want[1] {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "-", "..", "a", "5-3", "1.5", "1-2-3", "-1-2"} {
		if s, err := ParseSteps(text); err == nil {
			t.Errorf("%q is accepted: %+v", text, s)
		}
	}
}

func TestParse(t *testing.T) {
	f := Flags{Ranks: "0-3", Functions: "p2p", Comms: "0,grid", Time: "1s..2s", Steps: "3-"}
	s, err := Parse(f)
	if err != nil || s.Flags() != f || s.Ranks == nil || s.Functions == nil || s.Comms == nil || s.Window == nil ||
		s.Steps == nil {
		t.Fatalf("%+v, %v", s, err)
	}
	for want, f := range map[string]Flags{
		"ranks: ": {Ranks: "x"}, "functions: ": {Functions: "MPI_Sned"}, "communicators: ": {Comms: "a,"},
		"time: ": {Time: "1"}, "steps: ": {Steps: "x"},
	} {
		if _, err := Parse(f); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	if s, err := Parse(Flags{}); err != nil || !s.whole() || !s.Rank(-1) || !s.Function(99) {
		t.Errorf("%+v, %v", s, err)
	}
}
