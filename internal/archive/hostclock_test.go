package archive

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// syncText is the text of measurements in RankData.Info.
func syncText(syncs ...ClockSync) string {
	text := ""
	for i, s := range syncs {
		if i > 0 {
			text += ";"
		}
		text += fmt.Sprint(s.Partner, s.MonoNS, s.Offset, s.RoundTrip)
	}
	return text
}

// archiveOfHosts has one rank on each host, with what it measured.
func archiveOfHosts(clocks [][]Clock, measured []string) *Archive {
	g := &Group{Size: len(clocks), Ranks: rankfunc.Range(0, len(clocks))}
	info := InfoKey{Key: InfoClockSync}
	for i := range clocks {
		g.Hosts.Values = append(g.Hosts.Values, fmt.Sprint("h", i))
		info.Values.Values = append(info.Values.Values, InfoValue{Present: measured[i] != "", Text: measured[i]})
	}
	g.Info = []InfoKey{info}
	return archiveOfGroup(g, clocks)
}

func TestParseClockSyncs(t *testing.T) {
	want := []ClockSync{{3, 10, -5, 7}, {0, 20, 1 << 40, 0}}
	if got := ParseClockSyncs(syncText(want...)); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for _, text := range []string{"", ";", "1 2 3", "1 2 3 4 5", "-1 2 3 4", "1 2 3 -4", "1 x 3 4",
		"1 9223372036854775807 3 4", "4294967296 1 1 1"} {
		if got := ParseClockSyncs(text + ";" + syncText(want[0])); !slices.Equal(got, want[:1]) {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestHostClocks: clocks of all kinds come out right, however they lead to the reference, and what
// was not measured keeps CLOCK_REALTIME.
func TestHostClocks(t *testing.T) {
	const second = int64(time.Second)
	const hosts, unmeasured = 40, 39
	r := rand.New(rand.NewPCG(1, 2))
	// Host h shows boot + (1 + drift) t as CLOCK_MONOTONIC and real more as CLOCK_REALTIME.
	type host struct {
		boot, real int64
		drift      float64
	}
	hs := make([]host, hosts)
	for i := range hs {
		// Only the differences between the hosts' drifts count, so that of the reference may be
		// zero.
		hs[i] = host{r.Int64N(1000 * second), 5000*second + r.Int64N(1000*second), 2e-5 * (r.Float64() - 0.5)}
		if i == 0 || i == unmeasured {
			hs[i].drift = 0
		}
	}
	mono := func(h int, t int64) int64 { return hs[h].boot + t + int64(hs[h].drift*float64(t)) }
	clock := func(h int, t int64) Clock {
		return Clock{Ticks: uint64(1000 + t), MonoNS: mono(h, t), RealNS: mono(h, t) + hs[h].real}
	}
	const begin, end = 10 * second, 70 * second
	clocks, measured := make([][]Clock, hosts), make([]string, hosts)
	for h := range hs {
		clocks[h] = []Clock{clock(h, begin+int64(h)), clock(h, end)}
		if h == 0 || h == unmeasured {
			continue
		}
		parent := r.IntN(h)
		var syncs []ClockSync
		for _, at := range []int64{begin, end} {
			syncs = append(syncs, ClockSync{parent, mono(h, at), mono(parent, at) - mono(h, at), 1000})
		}
		measured[h] = syncText(syncs...)
	}
	a := archiveOfHosts(clocks, measured)
	list := a.HostClocks()
	if len(list) != hosts || !list[0].Reference || list[unmeasured].Measured || list[unmeasured].Residual != 0 {
		t.Fatalf("%d clocks: %+v", len(list), list)
	}
	start := time.Duration(0)
	if d := mono(unmeasured, begin+unmeasured) + hs[unmeasured].real - mono(0, begin) - hs[0].real; d < 0 {
		start = time.Duration(d)
	}
	for h, clock := range a.ProcessClocks() {
		if int(clock) != h {
			t.Errorf("process %d has clock %d", h, clock)
		}
	}
	for h := range unmeasured {
		rank := a.Rank(h)
		if a.HostClock(rank) != h {
			t.Fatalf("host %d has clock %d", h, a.HostClock(rank))
		}
		line := a.timeline(rank)
		for range 20 {
			at := begin + r.Int64N(end-begin)
			got := line.at(uint64(1000+at)) + start
			if d := got - time.Duration(at-begin); d < -50 || d > 50 {
				t.Errorf("host %d at %d: error %d ns", h, at, d)
			}
		}
		if h == 0 {
			continue
		}
		want := mono(h, end) + hs[h].real - mono(0, end) - hs[0].real
		if c := list[h]; !c.Measured || c.Processes != 1 || len(c.Syncs) != 2 || c.Residual < 500 ||
			c.Residual%500 != 0 ||
			absDiff(int64(c.Ahead), want) > 50 || c.Drift < 1e6*hs[h].drift-0.01 || c.Drift > 1e6*hs[h].drift+0.01 {
			t.Errorf("host %d: %+v, ahead %d, drift %v", h, c, want, hs[h].drift)
		}
		if s := list[h].Syncs[1]; absDiff(int64(s.At+start), end-begin) > 50 || s.Error != 500 {
			t.Errorf("host %d: %+v", h, s)
		}
	}
	line := a.timeline(a.Rank(unmeasured))
	want := mono(unmeasured, end) + hs[unmeasured].real - mono(0, begin) - hs[0].real
	if got := line.at(uint64(1000+end)) + start; got != time.Duration(want) {
		t.Errorf("a clock that was not measured: %d, want %d", got, want)
	}
}

// TestHostClocksNonsense: measurements that contradict each other, name nobody, or go round in
// circles do no harm.
func TestHostClocksNonsense(t *testing.T) {
	c := []Clock{{0, 1 << 40, 100}, {1000, 1<<40 + 1000, 1100}}
	clocks := [][]Clock{c, c, c, c, nil}
	for _, measured := range [][]string{
		{syncText(ClockSync{9, 1, 2, 3}), syncText(ClockSync{4, 1, 2, 3}), "x", "", ""},
		{syncText(ClockSync{1, 1, 2, 3}), syncText(ClockSync{2, 1, 2, 3}), syncText(ClockSync{0, 1, 2, 3}),
			syncText(ClockSync{3, 1, 2, 3}), syncText(ClockSync{0, 1, 2, 3})},
		{"", syncText(ClockSync{0, 7, 2, 3}, ClockSync{0, 7, 1 << 60, 3}),
			syncText(ClockSync{0, 8, -1 << 60, 1 << 60}, ClockSync{0, 9, 1 << 60, 1 << 60}),
			syncText(ClockSync{2, 5, 1, 1}, ClockSync{1, 6, 1, 1}), ""},
	} {
		a := archiveOfHosts(clocks, measured)
		if n := len(a.HostClocks()); n != 4 {
			t.Errorf("%d clocks", n)
		}
		if got := a.ProcessClocks(); !slices.Equal(got, []int32{0, 1, 2, 3, -1}) {
			t.Errorf("clocks %v", got)
		}
		for i := range 5 {
			line := a.timeline(a.Rank(i))
			line.at(500)
		}
	}
}

// TestHostClocksAmbiguous: if several measurements of one clock are equally good, the same one
// counts every time.
func TestHostClocksAmbiguous(t *testing.T) {
	const n = 12
	c := []Clock{{0, 1 << 40, 100}, {1000, 1<<40 + 1000, 1100}}
	clocks, measured := make([][]Clock, n), make([]string, n)
	g := &Group{Size: n, Ranks: rankfunc.Range(0, n)}
	info := InfoKey{Key: InfoClockSync}
	for i := range n {
		clocks[i] = c
		host := "h1"
		if i == 0 {
			host = "h0"
		} else {
			measured[i] = syncText(ClockSync{0, 500, int64(100 * i), 10})
		}
		g.Hosts.Values = append(g.Hosts.Values, host)
		info.Values.Values = append(info.Values.Values, InfoValue{Present: measured[i] != "", Text: measured[i]})
	}
	g.Info = []InfoKey{info}
	for range 50 {
		if list := archiveOfGroup(g, clocks).HostClocks(); len(list) != 2 || list[1].Ahead != -100 {
			t.Fatalf("%+v", list)
		}
	}
}
