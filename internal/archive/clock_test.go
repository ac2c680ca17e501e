package archive

import (
	"math"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// archiveOfGroup is an archive of one group, whose clocks are given by rank.
func archiveOfGroup(g *Group, clocks [][]Clock) *Archive {
	ctx := &rankfunc.Context{Size: g.Size}
	var readings [][]int64
	for _, cs := range clocks {
		readings = append(readings, AppendClocks(nil, cs))
	}
	g.Clocks = rankfunc.FitVec(ctx, g.Ranks, readings)
	g.Bases = rankfunc.FitVec(ctx, g.Ranks, make([][]int64, g.Ranks.Len()))
	g.PID, g.Complete, g.Lost = ConstantFunc(1), ConstantFunc(1), ConstantFunc(0)
	g.Ends = Cases[string]{Values: []string{"exited"}}
	g.Modules = Cases[[]int]{Values: [][]int{nil}}
	a := &Archive{groups: []*Group{g}}
	if err := a.makeRealms(); err != nil {
		panic(err)
	}
	return a
}

func TestTimelines(t *testing.T) {
	second := int64(time.Second)
	a := archiveOfGroup(&Group{
		Size: 5, Ranks: rankfunc.Range(0, 5),
		Hosts: Cases[string]{Values: []string{"a", "b", "c", "d"}, Sets: []*RankSet{
			rankfunc.Range(0, 2), rankfunc.Range(2, 3), rankfunc.Range(3, 4), rankfunc.Range(4, 5)}},
	}, [][]Clock{
		// Two readings, 2 ticks a ns; the clocks of the host differ by 100 s.
		{{1000, 100*second + 5000, 5000}, {3000, 100*second + 6000, 6000}},
		// Killed: one reading; rate and difference are those of its host.
		{{7000, 100*second + 8003, 8000}},
		// Another host: CLOCK_REALTIME counts; the rate changes after the second reading, and after the last it is that
		// of all.
		{{0, 100*second + 7000, 0}, {100, 100*second + 7100, 100}, {200, 100*second + 7400, 400}},
		// No clock at all.
		nil,
		// A host without a rate takes any.
		{{50, 100*second + 9000, 1}},
	})
	for _, test := range []struct {
		process int
		ticks   uint64
		want    time.Duration
	}{
		{0, 1000, 0}, {0, 3000, 1000}, {0, 2000, 500}, {0, 5000, 2000}, {0, 0, -500},
		{1, 7000, 3000}, {1, 7100, 3050},
		{2, 0, 2000}, {2, 50, 2050}, {2, 150, 2250}, {2, 300, 2600},
		{3, 42, 42},
		{4, 50, 4000},
	} {
		line := a.timeline(a.Rank(test.process))
		if got := line.at(test.ticks); got != test.want {
			t.Errorf("process %d, tick %d: %d ns, want %d", test.process, test.ticks, got, test.want)
		}
	}
}

// TestKilledProcesses: the first moments of a process do not tell the rate of its clock for long. That follows from all
// readings on the host, but for a process whose ticks are of another clock.
func TestKilledProcesses(t *testing.T) {
	a := archiveOfGroup(&Group{Size: 3, Ranks: rankfunc.Range(0, 3),
		Hosts: Cases[string]{Values: []string{"a"}, Sets: []*RankSet{rankfunc.Range(0, 3)}}}, [][]Clock{
		{{2_000_000, 0, 1_000_000}, {2_020_000, 0, 1_010_050}}, // 10,000 ns apart, and 50 wrong
		{{2_100_000, 0, 1_050_000}, {4_100_000, 0, 2_050_000}},
		{{1_000_000, 0, 1_000_000}, {1_010_000, 0, 1_010_000}}, // a tick is a ns
	})
	for process, want := range []time.Duration{1_000_050, 1_000_000, 1_000_000} {
		ticks := []uint64{4_000_000, 4_000_000, 2_000_000}[process]
		line := a.timeline(a.Rank(process))
		again := tickTime{timeline: line}
		if got := line.at(ticks); got != want || again.at(ticks) != got || again.at(ticks+2) != line.at(ticks+2) {
			t.Errorf("process %d: %d, want %d", process, got, want)
		}
	}
}

func TestScale(t *testing.T) {
	for _, test := range []struct {
		x, num, den uint64
		want        int64
	}{
		{1 << 60, 3, 4, 3 << 58}, {math.MaxUint64, math.MaxUint64, 1, math.MaxInt64},
		{math.MaxUint64, 1, 1, math.MaxInt64}, {7, 1, 2, 3},
	} {
		if got := scale(test.x, test.num, test.den); got != test.want {
			t.Errorf("%d*%d/%d = %d, want %d", test.x, test.num, test.den, got, test.want)
		}
	}
}
