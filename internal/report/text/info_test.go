package text

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/report"
)

func TestClockText(t *testing.T) {
	reference := report.Clock{Host: "a", Processes: 2, Reference: true}
	ahead := report.Clock{Host: "b", Processes: 2, Measured: true, Ahead: 5_000_123, Residual: 470}
	behind := report.Clock{Host: "c", Processes: 2, Measured: true, Ahead: -7_000_000, Residual: 1300}
	alone := report.Clock{Host: "d", Processes: 1}
	for _, c := range []struct {
		list  []report.Clock
		hosts int
		want  string
	}{
		{nil, 1, ""},
		{nil, 2, "not measured: between hosts, times are as good as the system keeps them"},
		{[]report.Clock{reference, ahead}, 2, "b 5.000123ms ahead of a, corrected; error at the end at most 470ns"},
		{[]report.Clock{reference, behind, alone}, 3,
			"c 7ms behind a, corrected; error at the end at most 1.3µs; 1 not measured"},
		{[]report.Clock{reference, ahead, behind}, 3,
			"2 measured against a, corrected; most 7ms (c); error at the end at most 1.3µs"},
	} {
		if got := clockText(c.list, c.hosts); got != c.want {
			t.Errorf("%+v: %q, want %q", c.list, got, c.want)
		}
	}
}
