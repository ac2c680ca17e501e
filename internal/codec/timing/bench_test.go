package timing

import (
	"math/rand"
	"testing"
)

// Benchmarks report the time of a call, which has two numbers.

func benchModes(b *testing.B, f func(b *testing.B, m Mode, p *program)) {
	p := loopProgram(rand.New(rand.NewSource(1)), 1<<17, 10)
	for _, text := range []string{"lossless", "lossy:1%,1us", "lossy:10%", "aggregate"} {
		m, err := ParseMode(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) { f(b, m, p) })
	}
}

func BenchmarkAppend(b *testing.B) {
	benchModes(b, func(b *testing.B, m Mode, p *program) {
		b.ReportAllocs()
		size := len(p.encode(m))
		t := New(m, nil)
		t.SetSink(func([]byte) {})
		for i := range b.N {
			k := i & (1<<17 - 1)
			if k == 0 {
				t = New(m, nil)
				t.SetSink(func([]byte) {})
			}
			c := &p.calls[k]
			t.Append(c.Start, c.End, p.classes[p.terms[k]])
		}
		b.ReportMetric(float64(size)/float64(len(p.calls)), "B/call")
	})
}

func BenchmarkRead(b *testing.B) {
	benchModes(b, func(b *testing.B, m Mode, p *program) {
		if m.Kind == Aggregate {
			b.Skip("there are no calls to read")
		}
		r := p.open(b, p.encode(m))
		sum := uint64(0)
		for i := 0; i < b.N; {
			starts, ends := r.Span(uint64(i & (1<<17 - 1)))
			for k := range starts {
				sum += ends[k] - starts[k]
			}
			i += len(starts)
		}
		if r.Err() != nil || sum == 0 {
			b.Fatal(r.Err())
		}
	})
}

func BenchmarkSeekTime(b *testing.B) {
	p := loopProgram(rand.New(rand.NewSource(1)), 1<<17, 10)
	r := p.open(b, p.encode(lossless))
	b.Run("anywhere", func(b *testing.B) {
		for i := range b.N {
			r.SeekTime(p.calls[i*7919&(1<<17-1)].End)
		}
	})
	b.Run("near", func(b *testing.B) {
		for i := range b.N {
			r.SeekTime(p.calls[1<<16+i*7919&(1<<13-1)].End)
		}
	})
}
