package scale_test

import (
	"bytes"
	"os"
	"testing"

	"tabard/internal/merge"
	"tabard/internal/synth"
	"tabard/trace"
)

// recorded makes the archive of a synthetic program of some ranks.
func recorded(t testing.TB, p *synth.Program, params synth.Params) *trace.Archive {
	t.Helper()
	job, err := synth.NewJob(p, params)
	if err != nil {
		t.Fatal(err)
	}
	part := merge.New()
	for r := range params.Ranks {
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
	if dir := os.Getenv("SCALE_KEEP"); dir != "" {
		os.WriteFile(dir+"/"+p.Name+"-"+string(rune('0'+params.Ranks/100))+string(rune('0'+params.Ranks/10%10))+string(rune('0'+params.Ranks%10))+".tabard", b.Bytes(), 0o644)
	}
	return a
}

func TestKeep(t *testing.T) {
	for _, p := range synth.Programs() {
		for _, n := range []int{4, 8, 9, 16, 27, 64} {
			if p.Fits != nil && p.Name != "alltoallv" {
				continue
			}
			recorded(t, p, synth.Params{Ranks: n, Steps: 20})
		}
	}
}
