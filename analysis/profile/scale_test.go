package profile_test

import (
	"testing"

	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// job makes the archive of a synthetic job.
func job(t testing.TB, p *synthetic.Program, params synthetic.Params) *archive.Archive {
	t.Helper()
	j, err := synthetic.NewJob(p, params)
	if err != nil {
		return nil
	}
	b, err := j.Recording()
	if err != nil {
		t.Fatal(err)
	}
	return archivetest.Open(t, b)
}

func benchmark(b *testing.B, params synthetic.Params, o profile.Options) {
	a := job(b, synthetic.ByName("stencil-1d-periodic"), params)
	calls := uint64(0)
	for b.Loop() {
		r, err := selection.All.Resolve(a)
		if err != nil {
			b.Fatal(err)
		}
		p, err := profile.Of(r, o)
		if err != nil {
			b.Fatal(err)
		}
		calls = p.Calls
	}
	b.ReportMetric(float64(calls)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
}

func BenchmarkCounts(b *testing.B) {
	benchmark(b, synthetic.Params{Ranks: 1024, Steps: 50}, profile.Options{By: profile.GroupBy{Site: true}})
}

func BenchmarkSummary(b *testing.B) {
	benchmark(b, synthetic.Params{Ranks: 4, Steps: 100_000, Timing: true},
		profile.Options{By: profile.GroupBy{Site: true}, Timing: profile.Summary})
}

func BenchmarkExact(b *testing.B) {
	benchmark(b, synthetic.Params{Ranks: 4, Steps: 100_000, Timing: true},
		profile.Options{By: profile.GroupBy{Site: true}, Timing: profile.Exact})
}
