package verify

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/spec"
)

// TestTimesWithinBounds checks that what a bound allows is accepted and one tick more is not. A tick is 0.5 ns.
func TestTimesWithinBounds(t *testing.T) {
	mode, err := timing.ParseMode("lossy:1%,1us;MPI_W*=100ns")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		function                      string
		duration, gap                 uint64 // recorded
		duration2, gap2               uint64 // in the archive
		durationsOff, gapsOff, starts int
	}{
		{"MPI_Send", 1000, 5000, 1010, 4950, 0, 0, 0},
		{"MPI_Send", 1000, 5000, 1011, 5051, 1, 1, 0},
		{"MPI_Send", 10_000_000, 5000, 10_002_000, 5000, 0, 0, 0},
		{"MPI_Send", 10_000_000, 5000, 10_002_001, 5000, 1, 0, 0},
		{"MPI_Wait", 1000, 5000, 1200, 4800, 0, 0, 0},
		{"MPI_Wait", 1000, 5000, 1201, 4799, 1, 1, 0},
		{"MPI_Wait", 1000, 5000, 1000, 6000, 0, 1, 1},
	} {
		x := &times{mode: mode, ns: 1, ticks: 2, any: true, end: 100_000, archived: 100_000}
		x.stated.Starts.Max = 400
		p, th := &process{report: &Report{}}, &thread{times: x}
		start, start2 := x.end+c.gap, x.archived+c.gap2
		p.compareTime(th, &call{f: spec.ByName(c.function), start: start},
			&archive.Call{StartTicks: start2, EndTicks: start2 + c.duration2}, start+c.duration)
		found := map[string]int{}
		for _, d := range p.report.First {
			found[d.What]++
		}
		if found["duration"] != c.durationsOff || found["time since the call before"] != c.gapsOff ||
			found["time of the call"] != c.starts {
			t.Errorf("%+v: differences %v", c, found)
		}
	}
}
