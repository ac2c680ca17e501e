package scale_test

import (
	"bytes"
	"testing"

	"tabard/internal/merge"
	"tabard/internal/synth"
	"tabard/trace"
)

// recorded makes the archive of a synthetic program of some ranks.
func recorded(t testing.TB, p *synth.Program, params synth.Params) *trace.Archive {
	t.Helper()
	ranks := make([]int, params.Ranks)
	for r := range ranks {
		ranks[r] = r
	}
	return recordedRanks(t, p, params, ranks)
}

// recordedRanks makes the archive of some ranks of a job.
func recordedRanks(t testing.TB, p *synth.Program, params synth.Params, ranks []int) *trace.Archive {
	t.Helper()
	job, err := synth.NewJob(p, params)
	if err != nil {
		t.Fatal(err)
	}
	part := merge.New()
	seen := map[int]bool{}
	for _, r := range ranks {
		if seen[r] {
			continue
		}
		seen[r] = true
		d, streams, _, err := job.Rank(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := part.Add(d, streams); err != nil {
			t.Fatal(err)
		}
	}
	part.SetMeta(job.Meta())
	var b bytes.Buffer
	if err := part.Write(&b); err != nil {
		t.Fatal(err)
	}
	a, err := trace.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return a
}
