package infer_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// A recording that is left out follows from the others where the program is the same at all sizes.
// The number of halvings is 3 with 5 and with 8 ranks: only 9 ranks show that it is not the same
// everywhere, which is said.
func TestHeldOut(t *testing.T) {
	program := func(count func(ranks int) int) *synthetic.Program {
		return &synthetic.Program{Name: "counts", Body: func(r *synthetic.Rank) {
			for range r.Steps {
				d := synthetic.Data{Addr: r.Stack(-1024), Count: count(r.Ranks), Type: r.Double}
				r.Bcast(10, d, 0, r.World)
			}
		}}
	}
	for _, c := range []struct {
		name  string
		count func(ranks int) int
		want  []infer.Outcome
	}{
		{"the same", func(int) int { return 5 }, []infer.Outcome{infer.Confirmed, infer.Confirmed, infer.Confirmed}},
		{"halvings", func(ranks int) int { return bits.Len(uint(ranks - 1)) },
			[]infer.Outcome{infer.Confirmed, infer.Confirmed, infer.Contradicted}},
	} {
		p := program(c.count)
		record := func(n int) side { return side{n, recorded(t, p, synthetic.Params{Ranks: n, Steps: 5})} }
		made, m, err := infer.Of(content(t, record(5).a), 24, infer.Options{With: contents(t, record(8), record(9))})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		check(t, opened(t, made), record(24).a)
		var got []infer.Outcome
		for _, h := range m.HeldOut {
			got = append(got, h.Outcome)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v instead of %v", c.name, got, c.want)
		}
		told := strings.Contains(fmt.Sprint(m.Assumptions),
			"the recording of 9 ranks shows what does not follow")
		if told != slices.Contains(c.want, infer.Contradicted) {
			t.Errorf("%s: %v", c.name, m.Assumptions)
		}
	}
}
