package main

import (
	"path/filepath"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

func TestSpread(t *testing.T) {
	if got, want := spread([]float64{3, 1, 2, 10}), "2.50 (1.00 to 10.00)"; got != want {
		t.Errorf("spread of four: %s, want %s", got, want)
	}
	if got := median([]float64{5, 1, 2}); got != 2 {
		t.Errorf("median of three: %v", got)
	}
}

// Each program of the table has one source.
func TestSources(t *testing.T) {
	for _, p := range tested {
		sources, err := filepath.Glob(filepath.Join(mpirun.Programs(), p.name+".*"))
		if err != nil || len(sources) != 1 {
			t.Errorf("%s: %v, %v", p.name, sources, err)
		}
	}
}

// With few ranks some kinds of neighbours are missing. Such proxies are shorter and are not
// compared with larger ones.
func TestGrowth(t *testing.T) {
	b := bar{all: [][2]int{{4, 100}, {4, 110}, {16, 150}, {36, 180}}}
	if steps, ranks := b.growth(); steps != 1.1 || ranks != 1.2 {
		t.Errorf("%v by steps, %v by ranks", steps, ranks)
	}
}
