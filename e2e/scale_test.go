//go:build e2e

package e2e

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/infer"
)

// scalable are programs with the sizes at which they are recorded: what the recording of from
// ranks, and with if it is not 0, gives for to ranks has to be what is recorded there.
var scalable = []struct {
	program        string
	from, with, to int
}{
	{"halo1d", 4, 0, 16}, {"halo1d", 9, 0, 5},
	{"halo2d", 4, 0, 16}, {"halo2d", 9, 0, 16}, {"halo2d", 6, 0, 12},
	{"halo3d", 27, 0, 12}, {"halo3d", 8, 27, 12}, {"halo3d", 12, 0, 8}, {"halo3d", 6, 0, 9},
	{"ring", 4, 0, 9}, {"loops", 4, 0, 6},
	{"collectives", 4, 0, 9}, {"collectives", 9, 0, 4}, {"collectives", 4, 6, 9}, {"collectives", 5, 6, 8},
}

// unscalable are programs and sizes that must be refused, as the recording leaves open what other
// ranks would do.
var unscalable = []struct {
	program  string
	from, to int
	reason   string
}{
	{"halo3d", 8, 12, "both neighbours along it are the same rank"},
	{"halo3d", 9, 16, "what is done along it did not show"},
	{"collectives", 5, 8, "it goes round the ranks"}, // two rounds of five steps, or ten steps
	{"masterworker", 4, 6, "do not follow from rank, size and iteration"},
	{"pingpong", 2, 6, "calls would not fit together: process 1 sends to process 0"},
}

// Recordings of real programs that leave something open are refused, with the reason.
func TestScaleRefused(t *testing.T) {
	t.Parallel()
	for _, p := range unscalable {
		t.Run(p.program, func(t *testing.T) {
			t.Parallel()
			c, err := record(t, mpis[0], p.from, untimed, p.program).Content()
			if err != nil {
				t.Fatal(err)
			}
			var o *infer.Obstacles
			if _, _, err := infer.Of(c, p.to, infer.Options{}); !errors.As(err, &o) ||
				!strings.Contains(err.Error(), p.reason) {
				t.Errorf("from %d to %d ranks: %v", p.from, p.to, err)
			}
		})
	}
}

// untimed: times have no part in it.
var untimed = []string{"--timing=off"}

// Recordings of real programs give those of other sizes.
func TestScale(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range scalable {
		for i, m := range mpis {
			if i > 0 && seen[p.program] {
				continue // the calls are those of the first MPI
			}
			seen[p.program] = seen[p.program] || i == len(mpis)-1
			t.Run(m.Name+"/"+p.program, func(t *testing.T) {
				t.Parallel()
				content := func(ranks int) *archive.Content {
					c, err := record(t, m, ranks, untimed, p.program).Content()
					if err != nil {
						t.Fatal(err)
					}
					return c
				}
				var o infer.Options
				if p.with > 0 {
					o.With = append(o.With, content(p.with))
				}
				c, model, err := infer.Of(content(p.from), p.to, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range model.Assumptions {
					t.Log(a)
				}
				var b bytes.Buffer
				if err := c.Write(&b); err != nil {
					t.Fatal(err)
				}
				got, err := archive.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
				if err != nil {
					t.Fatal(err)
				}
				if err := archive.Validate(got); err != nil {
					t.Error(err)
				}
				same(t, "scaled and recorded", record(t, m, p.to, untimed, p.program), got)
			})
		}
	}
}
