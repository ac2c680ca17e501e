package main

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
)

// synthetic returns the times of a loop of four calls. Every hundredth call is made inside the one
// before it.
func synthetic(n int) *times {
	r := rand.New(rand.NewPCG(1, 2))
	t := &times{rate: timing.Rate{NS: 1, Ticks: 2}, nsPerTick: 0.5, classOf: []uint32{0, 1, 2, 1}}
	now := uint64(1 << 40)
	for i := range n {
		now += 100 + r.Uint64N(50)
		start := now
		if i%100 == 99 {
			start -= 150
		}
		now += uint64(1000*(i%4+1)) + r.Uint64N(300)
		t.add(start, now, uint32(i%4))
		t.classes = append(t.classes, t.classOf[i%4])
	}
	return t
}

// TestModes encodes and decodes times in all modes. The bounds are checked on the way.
func TestModes(t *testing.T) {
	b := &bench{options: &options{modes: regexp.MustCompile("^[^z]|^zfp")}}
	all := []*times{synthetic(3000), synthetic(1), synthetic(40)}
	res, err := b.measure(program{Program: programs.Program{Name: "loop", Ranks: 3}}, all)
	if err != nil {
		t.Fatal(err)
	}
	if res.calls != 3041 || len(res.rows) != len(modes())+1 {
		t.Errorf("%d calls, %d rows", res.calls, len(res.rows))
	}
	for _, r := range res.rows {
		switch {
		case r.whole <= 0 || r.mode.name != "raw" && r.whole >= 16*res.calls:
			t.Errorf("%s %s: %d bytes", r.mode.name, r.mode.bound, r.whole)
		case r.mode.name == "lossless" && (r.durationErrors.MaxAbs != 0 || r.startErrors.MaxAbs != 0 || !r.decoded):
			t.Errorf("lossless is not: %+v", r.durationErrors)
		case r.mode.relative > 0 && r.durationErrors.MaxAbs == 0:
			t.Errorf("%s %s is exact", r.mode.name, r.mode.bound)
		}
	}
	var out strings.Builder
	res.print(&out)
	if got := strings.Count(out.String(), "\n| "); got != len(res.rows)+1 {
		t.Errorf("%d lines for %d rows:\n%s", got, len(res.rows), &out)
	}
}

func TestRebuild(t *testing.T) {
	s := synthetic(1000)
	for i, start := range s.rebuild(s.durations, s.gaps) {
		if start != s.starts[i] {
			t.Fatalf("call %d: rebuilt start is %d ticks off", i, int64(start-s.starts[i]))
		}
	}
	if s.apart() == 0 {
		t.Error("calls inside others take no bytes")
	}
}

func TestBars(t *testing.T) {
	of := func(name string, relative float64, ours bool, whole int64) row {
		return row{mode: mode{name: name, relative: relative, ours: ours}, durations: whole / 2, whole: whole}
	}
	for _, c := range []struct {
		why  string
		rows []row
		met  bool
		said int
	}{
		{"nothing to compare with", []row{of("lossless", 0, true, 5), of("lossy", 0.1, true, 9)}, true, 0},
		{"small enough", []row{of("lossy", 0.1, true, 100), of("hist", 0.1, false, 150)}, true, 1},
		{"not small enough", []row{of("lossy", 0.1, true, 101), of("hist", 0.1, false, 150)}, false, 1},
		{"the smaller of both", []row{of("lossy", 0.1, true, 100), of("hist", 0.1, false, 150),
			of("hist, k=8", 0.1, false, 149)}, false, 1},
		{"another bound", []row{of("lossy", 0.1, true, 100), of("hist", 0.01, false, 1)}, true, 0},
		{"below zstd", []row{of("lossless", 0, true, 100), of(zstdName, 0, false, 102)}, true, 1},
		{"not below zstd", []row{of("lossless", 0, true, 100), of(zstdName, 0, false, 100)}, false, 1},
	} {
		var out strings.Builder
		met := printBars(&out, []*result{{rows: c.rows}})
		if met != c.met || strings.Count(out.String(), "\n") != 1+c.said {
			t.Errorf("%s: %t, %q", c.why, met, out.String())
		}
	}
}

func TestNanoseconds(t *testing.T) {
	for ns, want := range map[float64]string{0: "0 ns", 12.345: "12.3 ns", 1500: "1.5 us", 999.7: "1 us", 2e6: "2 ms",
		3e9: "3 s"} {
		if got := nanoseconds(ns); got != want {
			t.Errorf("%g: %s", ns, got)
		}
	}
}
