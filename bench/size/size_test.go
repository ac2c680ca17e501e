package main

import (
	"math"
	"strings"
	"testing"
)

func TestBars(t *testing.T) {
	row := func(name string, ranks, steps int, bytes, zstd int64) result {
		return result{row: row{name: name, ranks: ranks, steps: steps}, structure: bytes - 1, columns: 1, bare: bytes,
			zstd: zstd}
	}
	for _, c := range []struct {
		why     string
		results []result
		met     bool
		said    int
	}{
		{"nothing is about it", []result{row("own", 4, 0, 1<<40, 0)}, true, 0},
		{"at the limit", []result{row("transpose", 36, 100, 600, 0)}, true, 1},
		{"above it", []result{row("transpose", 36, 100, 601, 0)}, false, 1},
		{"a fifth", []result{row("CG.S", 16, 0, 954, 0)}, true, 1},
		{"more than a fifth", []result{row("CG.S", 16, 0, 955, 0)}, false, 1},
		{"small programs have 500", []result{row("EP.S", 16, 0, 500, 0)}, true, 1},
		{"within 5 %", []result{row("multipartition", 16, 20, 400, 0), row("multipartition", 36, 20, 420, 0)}, true, 1},
		{"not within 5 %", []result{row("multipartition", 16, 20, 400, 0), row("multipartition", 36, 20, 421, 0)},
			false, 1},
		{"half", []result{row("amr", 16, 200, 500, 1000)}, true, 1},
		{"more than half", []result{row("amr", 16, 200, 501, 1000)}, false, 1},
		{"fails under Pilgrim", []result{row("amr", 16, 200, 501, -1)}, true, 1},
		{"without Pilgrim", []result{row("amr", 16, 200, 501, 0)}, true, 1},
	} {
		var out strings.Builder
		met := true
		for _, b := range bars() {
			met = b.print(&out, c.results) && met
		}
		if met != c.met || strings.Count(out.String(), "\n") != c.said {
			t.Errorf("%s: %t, %q", c.why, met, out.String())
		}
	}
}

func TestEntropy(t *testing.T) {
	if got := (lengths{1: 8, 5: 8}).entropy(); math.Abs(got-16) > 1e-9 {
		t.Errorf("16 fair coins have %g bits", got)
	}
	if got := (lengths{7: 1000}).entropy(); got != 0 {
		t.Errorf("constants have %g bits", got)
	}
	if got := matchings(4); math.Abs(got-math.Log2(3)) > 1e-9 {
		t.Errorf("4 ranks pair up in 3 ways: %g bits", got)
	}
}

func TestLine(t *testing.T) {
	r := result{row: row{name: "CG.S", ranks: 16}, calls: 141_392, structure: 600, columns: 8, bare: 590, file: 455_059, zstd: -1}
	want := "| CG.S | 16 | 141,392 | **608** | 590 | 455,059 | (4,772) | fails | (45,800) |"
	if got := r.line(); got != want {
		t.Errorf("%s\nis not\n%s", got, want)
	}
}
