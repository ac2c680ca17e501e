package scale_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"tabard/analysis/compare"
	"tabard/internal/scale"
	"tabard/internal/synth"
	"tabard/trace"
)

func opened(t testing.TB, c *trace.Content) *trace.Archive {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	a, err := trace.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func content(t testing.TB, a *trace.Archive) *trace.Content {
	t.Helper()
	c, err := a.Content()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// check compares an archive that was made with one that was recorded.
func check(t testing.TB, got, want *trace.Archive) {
	t.Helper()
	r, err := compare.Of(want, got, compare.Options{Structure: true, Parameters: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range r.Differences {
		if i < 5 {
			t.Errorf("%v: ranks %v: %s at %s (%d): %s: %s instead of %s; %v", d.Kind, d.Ranks, d.Call.Func, d.Call.Site, d.Call.Count, d.Param, d.B, d.A, d.Calls)
		}
	}
	for _, n := range r.Notes {
		t.Errorf("not compared: %s", n)
	}
	if r.Ranks != want.NumRanks() || got.NumRanks() != want.NumRanks() {
		t.Errorf("%d ranks, not %d", got.NumRanks(), want.NumRanks())
	}
}

// scaled checks that the recording of a program with one number of ranks gives that with another one.
func scaled(t *testing.T, name string, from, to int, with ...int) {
	t.Run(fmt.Sprintf("%s/%d-%d", name, from, to), func(t *testing.T) {
		p := synth.ByName(name)
		record := func(ranks int) *trace.Archive { return recorded(t, p, synth.Params{Ranks: ranks, Steps: 20}) }
		var o scale.Options
		for _, n := range with {
			o.With = append(o.With, content(t, record(n)))
		}
		c, m, err := scale.Of(content(t, record(from)), to, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range m.Assumptions {
			t.Log(a)
		}
		check(t, opened(t, c), record(to))
	})
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to int
	}{
		{"stencil-1d", 4, 64}, {"stencil-1d", 5, 100}, {"stencil-1d", 64, 3},
		{"stencil-1d-periodic", 4, 64}, {"stencil-1d-periodic", 7, 12},
		{"stencil-2d", 9, 16}, {"stencil-2d", 9, 12}, {"stencil-2d", 16, 100}, {"stencil-2d", 12, 9},
		{"stencil-2d-periodic", 9, 16}, {"stencil-2d-periodic", 12, 64}, {"stencil-2d-periodic", 15, 9},
		{"stencil-2d-cart", 4, 16}, {"stencil-2d-cart", 9, 16}, {"stencil-2d-cart", 6, 64},
		{"stencil-2d-9", 9, 16}, {"stencil-2d-9", 12, 64},
		{"stencil-3d", 27, 64}, {"stencil-3d", 8, 27}, {"stencil-3d", 36, 100},
		{"stencil-3d-periodic", 27, 64}, {"stencil-3d-periodic", 36, 125},
		{"stencil-3d-27", 27, 64},
		{"hub", 4, 64}, {"hub", 8, 16}, {"hub", 64, 100}, {"hub", 64, 9}, {"hub", 10, 2},
		{"tree-binary", 8, 64}, {"tree-binary", 6, 30}, {"tree-binary", 7, 100},
		{"tree-binomial", 8, 64}, {"tree-binomial", 16, 64}, {"tree-binomial", 13, 50},
		{"ring", 4, 16}, {"ring", 7, 64},
		{"transpose", 9, 16}, {"transpose", 16, 64}, {"transpose", 6, 12},
		{"growing", 4, 16}, {"growing", 9, 50},
	} {
		scaled(t, c.name, c.from, c.to)
	}
}

// TestTwoSizes lets a second recording decide.
func TestTwoSizes(t *testing.T) {
	for _, c := range []struct {
		name           string
		from, with, to int
	}{
		{"stencil-1d", 4, 9, 64},
		{"stencil-2d", 4, 9, 25}, {"stencil-2d", 9, 20, 64},
		{"stencil-2d-cart", 6, 9, 64},
		{"stencil-2d-periodic", 4, 9, 16},
		{"stencil-3d", 8, 27, 64},
		{"stencil-3d-periodic", 8, 27, 64},
		{"hub", 8, 64, 100}, {"hub", 5, 9, 40},
		{"tree-binary", 4, 8, 32}, {"tree-binomial", 8, 16, 128},
		{"transpose", 4, 9, 64}, {"ring", 3, 8, 20},
	} {
		scaled(t, c.name, c.from, c.to, c.with)
	}
}

func TestShow(t *testing.T) {
	name, n := os.Getenv("SHOW"), 0
	if name == "" {
		t.Skip()
	}
	fmt.Sscan(os.Getenv("N"), &n)
	m, err := scale.Infer(content(t, recorded(t, synth.ByName(name), synth.Params{Ranks: n, Steps: 20})), scale.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + m.String())
}
