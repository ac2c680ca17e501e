package match_test

import (
	"syscall"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// benchmarks are programs of different regularity.
var benchmarks = []struct {
	name   string
	params synthetic.Params
}{
	{"stencil-2d-periodic", synthetic.Params{Ranks: 16, Steps: 4000}},
	{"stencil-2d-periodic", synthetic.Params{Ranks: 16, Steps: 4000, Timing: true}},
	{"stencil-1d-periodic", synthetic.Params{Ranks: 16, Steps: 20000}},
	{"master-worker", synthetic.Params{Ranks: 16, Steps: 2000}},
	{"polls", synthetic.Params{Ranks: 16, Steps: 2000}},
	{"amr", synthetic.Params{Ranks: 16, Steps: 2000}},
}

func eachBenchmark(b *testing.B, f func(b *testing.B, p *calls.Program)) {
	for _, x := range benchmarks {
		name := x.name
		if x.params.Timing {
			name += "-timed"
		}
		b.Run(name, func(b *testing.B) {
			a, _ := makeJob(b, x.name, x.params)
			p, err := calls.Open(a)
			if err != nil {
				b.Fatal(err)
			}
			f(b, p)
		})
	}
}

// cpuTime is the processor time that the test has taken, in nanoseconds: wall time says little on a
// machine that others use.
func cpuTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRead reads all operations.
func BenchmarkRead(b *testing.B) {
	eachBenchmark(b, func(b *testing.B, p *calls.Program) {
		cs, began := uint64(0), cpuTime()
		for b.Loop() {
			for s := range p.Archive.Streams() {
				r, err := p.Reader(s)
				if err != nil {
					b.Fatal(err)
				}
				for op, err := r.Next(); op != nil || err != nil; op, err = r.Next() {
					if err != nil {
						b.Fatal(err)
					}
					cs++
				}
			}
		}
		b.ReportMetric((cpuTime()-began)/float64(cs), "cpu-ns/call")
	})
}

// BenchmarkMatch matches all messages.
func BenchmarkMatch(b *testing.B) {
	eachBenchmark(b, func(b *testing.B, p *calls.Program) {
		cs, began := uint64(0), cpuTime()
		waiting := 0
		for b.Loop() {
			sum, err := match.RunProgram(p, match.Options{Message: func(*match.Message) error { return nil }})
			if err != nil {
				b.Fatal(err)
			}
			cs += sum.Events
			waiting = sum.Waiting
		}
		b.ReportMetric((cpuTime()-began)/float64(cs), "cpu-ns/call")
		b.ReportMetric(float64(waiting), "waiting")
	})
}
