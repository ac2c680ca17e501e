package collect

import (
	"math/rand/v2"
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/ring/ringtest"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/internal/testkit/private"
)

// segmentOf fills one full segment with what loop returns, again and again,
// and gives a process that stands before it.
func segmentOf(b *testing.B, prologue []ring.Record, loop func() []ring.Record) (p *process, c *chain, records int) {
	b.Helper()
	dir := private.Temp(b)
	seg, err := ring.CreateSegment(dir, ring.ProcessID{PID: 1}, 0, 0, 0, 4<<20)
	if err != nil {
		b.Fatal(err)
	}
	p = newProcess(ring.ProcessID{PID: 1}, true)
	p.dir = dir
	c = p.chain(0)
	for _, r := range prologue {
		if err := p.syms.Record(0, r, p); err != nil {
			b.Fatal(err)
		}
	}
	at := 0
	for {
		for _, r := range loop() {
			if at+len(r) > seg.Capacity() {
				seg.Publish(at)
				c.files["s"] = seg
				c.cur = seg
				return p, c, records
			}
			copy(seg.Words(at, at+len(r)), r)
			at += len(r)
			records++
		}
	}
}

func benchmarkDrain(b *testing.B, loop func(tick func() uint64) []ring.Record) {
	clock := uint64(0)
	tick := func() uint64 { clock += 100 + rand.Uint64N(20); return clock }
	p, c, n := segmentOf(b, []ring.Record{
		ringtest.Meta(ring.RABI, 0, 2, 32, []uint64{}),
		ringtest.Meta(ring.RWorld, 0, 0, 2),
	}, func() []ring.Record { return loop(tick) })
	b.ReportAllocs()
	calls := 0
	for b.Loop() {
		c.off = 0
		p.drain(false)
		calls += n
	}
	if p.broken != 0 {
		b.Fatal(p.problems)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
	b.ReportMetric(float64(c.s.memory())/float64(c.s.calls), "B/call")
}

// One call in a loop: the cheapest program.
func BenchmarkOneCall(b *testing.B) {
	benchmarkDrain(b, func(tick func() uint64) []ring.Record {
		return []ring.Record{ringtest.Record(ringtest.Call{Func: "MPI_Barrier", Start: tick(), End: tick(),
			In: []any{commWorld}})}
	})
}

// A ring exchange: requests and arrays.
func BenchmarkExchange(b *testing.B) {
	i := uint64(0)
	benchmarkDrain(b, func(tick func() uint64) []ring.Record {
		i++
		return []ring.Record{
			ringtest.Record(ringtest.Call{Func: "MPI_Irecv", Start: tick(), End: tick(),
				In: []any{heapAt(1, 0), 8, mpiInt, 1, 7, commWorld}, Out: []any{2 + i%2}}),
			ringtest.Record(ringtest.Call{Func: "MPI_Isend", Start: tick(), End: tick(),
				In: []any{heapAt(2, 0), 8, mpiInt, 1, 7, commWorld}, Out: []any{9}}),
			ringtest.Record(ringtest.Call{Func: "MPI_Waitall", Start: tick(), End: tick(),
				In: []any{2, []uint64{2 + i%2, 9}}, Out: []any{nil}}),
		}
	})
}

// A long loop body of sends with different parameters.
func BenchmarkLongBody(b *testing.B) {
	i := 0
	benchmarkDrain(b, func(tick func() uint64) []ring.Record {
		i = (i + 1) % 1000
		return []ring.Record{ringtest.Record(ringtest.Call{Func: "MPI_Send", Start: tick(), End: tick(),
			In: []any{heapAt(1, int64(64*i)), 8 + i, mpiInt, i % 64, i, commWorld}})}
	})
}

// Polls between receives from any source: runs and columns.
func BenchmarkPolls(b *testing.B) {
	benchmarkDrain(b, func(tick func() uint64) []ring.Record {
		recs := []ring.Record{
			ringtest.Record(ringtest.Call{Func: "MPI_Recv", Start: tick(), End: tick(),
				In:  []any{heapAt(2, 64), 8, mpiInt, -2, -1, commWorld},
				Out: []any{ring.Status{Source: int32(rand.IntN(16)), Tag: 7, Bytes: 32}}})}
		for range 10 {
			recs = append(recs, ringtest.Record(ringtest.Call{Func: "MPI_Iprobe", Start: tick(), End: tick(),
				In: []any{-2, -1, commWorld}, Out: []any{0, nil}}))
		}
		return recs
	})
}

// Calls of two threads, merged by time.
func BenchmarkTwoThreads(b *testing.B) {
	dir := private.Temp(b)
	p := newProcess(ring.ProcessID{PID: 1}, true)
	clock := uint64(0)
	if err := p.syms.Record(0, ringtest.Meta(ring.RABI, 0, 2, 32, []uint64{}), p); err != nil {
		b.Fatal(err)
	}
	var segs []*ring.Segment
	for th := range 2 {
		seg, err := ring.CreateSegment(dir, ring.ProcessID{PID: 1}, th, 0, 0, 1<<20)
		if err != nil {
			b.Fatal(err)
		}
		c := p.chain(th)
		c.files["s"], c.cur = seg, seg
		segs = append(segs, seg)
	}
	n := 0
	for at := 0; ; {
		for th, seg := range segs {
			clock += 100
			r := ringtest.Record(ringtest.Call{Func: "MPI_Barrier", Start: clock, End: clock + 70,
				In: []any{commWorld}})
			if at+len(r) > seg.Capacity() {
				benchmarkMerge(b, p, segs, at, n)
				return
			}
			copy(seg.Words(at, at+len(r)), r)
			n++
			if th == 1 {
				at += len(r)
			}
		}
	}
}

func benchmarkMerge(b *testing.B, p *process, segs []*ring.Segment, words, n int) {
	for _, s := range segs {
		s.Publish(words)
	}
	calls := 0
	for b.Loop() {
		for _, c := range p.chains {
			c.off, c.last = 0, 0
		}
		p.drain(true)
		calls += n
	}
	if p.broken != 0 || p.calls() < uint64(calls) {
		b.Fatal(p.problems, p.calls(), calls)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
}

// The state that a checkpoint writes, for a program with a long irregular trace.
func BenchmarkCheckpoint(b *testing.B) {
	clock := uint64(0)
	tick := func() uint64 { clock += 100 + rand.Uint64N(1000); return clock }
	p, c, _ := segmentOf(b, []ring.Record{ringtest.Meta(ring.RABI, 0, 2, 32, []uint64{})}, func() []ring.Record {
		return []ring.Record{ringtest.Record(ringtest.Call{Func: "MPI_Send", Start: tick(), End: tick(),
			In: []any{heapAt(1, 0), 8, mpiInt, rand.IntN(8), 7, commWorld}})}
	})
	for range 20 {
		c.off = 0
		p.drain(false)
	}
	dirs := []*safefile.Dir{private.Temp(b)}
	for b.Loop() {
		if err := p.checkpoint(dirs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(p.durable), "bytes")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.s.calls), "ns/call")
}

// memory is an estimate of the bytes that s occupies.
func (s *stream) memory() int {
	n := s.g.MemoryBytes() + 4*len(s.terms) + 8*len(s.strings)
	for _, t := range s.list {
		for _, c := range t.cols {
			n += c.MemoryBytes()
		}
	}
	if s.timing != nil {
		n += s.timing.MemoryBytes()
	}
	return n
}
