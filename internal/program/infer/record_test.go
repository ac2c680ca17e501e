package infer_test

import (
	"bytes"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// recorded makes the archive of a synthetic program of some ranks.
func recorded(t testing.TB, p *synthetic.Program, params synthetic.Params) *archive.Archive {
	t.Helper()
	ranks := make([]int, params.Ranks)
	for r := range ranks {
		ranks[r] = r
	}
	return recordedRanks(t, p, params, ranks)
}

// recordedRanks makes the archive of some ranks of a job.
func recordedRanks(t testing.TB, p *synthetic.Program, params synthetic.Params, ranks []int) *archive.Archive {
	t.Helper()
	job, err := synthetic.NewJob(p, params)
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
	a, err := archive.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return a
}
