package collectives

import (
	"encoding/binary"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/tabard-hpc/tabard/internal/fingerprint"
)

// A job runs an algorithm on so many ranks, with real data, and notes its messages as a recording would have them.
type job struct {
	n       int
	reals   bool // data is reals, else integers
	place   bool // places in memory are known
	hashed  bool // contents are known
	mu      sync.Mutex
	pipes   map[[2]int]chan parcel
	msgs    []*Message
	barrier *sync.WaitGroup
}

type parcel struct {
	data    []float64
	message *Message
}

// A proc is a rank of a job. Its memory is one buffer.
type proc struct {
	*job
	rank  int32
	calls uint64
	mem   []float64
}

const memory = 4096

func runJob(n int, reals, hashed bool, algorithm func(p *proc)) []Message {
	j := &job{n: n, reals: reals, place: true, hashed: hashed, pipes: map[[2]int]chan parcel{}}
	for a := range n {
		for b := range n {
			j.pipes[[2]int{a, b}] = make(chan parcel, 10000)
		}
	}
	var all sync.WaitGroup
	for r := range n {
		all.Go(func() {
			p := &proc{job: j, rank: int32(r), mem: make([]float64, memory)}
			algorithm(p)
		})
	}
	all.Wait()
	out := make([]Message, len(j.msgs))
	for i, m := range j.msgs {
		out[i] = *m
	}
	return out
}

// fill puts data of its own into n elements, other data in each step.
func (p *proc) fill(at, n, step int) {
	for i := range n {
		v := float64((int(p.rank)*7919+i*104729+step*15485863)%1000003) + 1
		if p.reals {
			v = math.Sin(v) * 1e3
		}
		p.mem[at+i] = v
	}
}

func (p *proc) add(to, from, n int) {
	for i := range n {
		p.mem[to+i] += p.mem[from+i]
	}
}

func (p *proc) send(at, n int, to int) { p.sendFrom(at, n, to, line()) }

func (p *proc) recv(at, n int, from int) { p.recvAt(at, n, from, line()) }

// swap sends and receives at once.
func (p *proc) swap(at, n, to, into, m, from int) {
	site := line()
	p.sendFrom(at, n, to, site)
	p.calls--
	p.recvAt(into, m, from, site)
}

func line() int32 {
	_, _, n, _ := runtime.Caller(2)
	return int32(n)
}

func (p *proc) sendFrom(at, n, to int, site int32) {
	p.calls++
	data := append([]float64(nil), p.mem[at:at+n]...)
	m := &Message{
		From:     p.rank,
		To:       int32(to),
		Sent:     p.calls,
		Freed:    p.calls,
		Bytes:    int64(8 * n),
		Count:    1,
		SendSite: site,
		Width:    8,
		Source:   Place{1, int64(8 * at)},
	}
	if p.hashed {
		m.describe(data, p.reals)
	}
	p.mu.Lock()
	p.msgs = append(p.msgs, m)
	p.mu.Unlock()
	p.pipes[[2]int{int(p.rank), to}] <- parcel{data, m}
}

func (p *proc) recvAt(at, n, from int, site int32) {
	p.calls++
	x := <-p.pipes[[2]int{from, int(p.rank)}]
	copy(p.mem[at:at+n], x.data)
	x.message.Received, x.message.Posted, x.message.RecvSite, x.message.Target = p.calls, p.calls, site, Place{
		1,
		int64(8 * at),
	}
}

func (m *Message) describe(data []float64, reals bool) {
	var bytes []byte
	for k, v := range data {
		if reals {
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v))
			m.Amount.Wave = m.Amount.Wave.Join(uint64(k), fingerprint.Wave{Re: v, Size: math.Abs(v)})
		} else {
			bytes = binary.LittleEndian.AppendUint64(bytes, uint64(int64(v)))
			m.Amount.Sum = fingerprint.JoinSums(m.Amount.Sum, uint64(int64(v)), 1)
		}
	}
	m.Sampled = min(8, len(data))
	for k := range m.Sampled {
		at := k
		if last := len(data) - 1; len(data) > 8 {
			at = last/7*k + last%7*k/7
		}
		word := uint64(int64(data[at]))
		if reals {
			word = math.Float64bits(data[at])
		}
		m.Samples = append(m.Samples, word)
	}
	m.Elements = Integers
	if reals {
		m.Elements = Reals
	}
	m.Hash, m.Known = fingerprint.Of(bytes), true
	m.Amount.Hash = m.Hash
}

// TestJob: what the job notes is what the package fingerprint says.
func TestJob(t *testing.T) {
	ms := runJob(2, true, true, func(p *proc) {
		p.fill(0, 8, 0)
		if p.rank == 0 {
			p.send(0, 8, 1)
			p.send(0, 3, 1)
			p.send(3, 5, 1)
		} else {
			for range 3 {
				p.recv(0, 8, 0)
			}
		}
	})
	w := ms[1].Amount.Wave.Join(3, ms[2].Amount.Wave)
	if !w.Near(ms[0].Amount.Wave, 8, 8, 1) || fingerprint.Join(ms[1].Hash, ms[2].Hash, 40) != ms[0].Hash {
		t.Fatalf("%+v", ms)
	}
}
