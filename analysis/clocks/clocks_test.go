package clocks

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/choices"
)

// world is processes on hosts whose clocks are wrong, and what they did.
type world struct {
	r       *rand.Rand
	looks   int // how often correct looks at the time of a process
	hosts   int
	clockOf []int32
	shows   []func(t float64) float64 // what the clock of a host shows at the true time, ns
	groups  [][2][]Event
	truth   [][2]float64 // true times of messages: sent, received
	now     []float64    // of each process
}

// steady is a clock with an offset in ns and a drift in ppm.
func steady(offset, ppm float64) func(float64) float64 {
	return func(t float64) float64 { return offset + t*(1+ppm*1e-6) }
}

func newWorld(seed uint64, hosts, perHost int) *world {
	return worldOf(rand.New(rand.NewPCG(seed, 7)), hosts, perHost)
}

func worldOf(r *rand.Rand, hosts, perHost int) *world {
	w := &world{r: r, looks: 2000, hosts: hosts, now: make([]float64, hosts*perHost)}
	for p := range hosts * perHost {
		w.clockOf = append(w.clockOf, int32(p/perHost))
	}
	w.shows = append(w.shows, steady(0, 0))
	for range hosts - 1 {
		w.shows = append(w.shows, steady((w.r.Float64()-0.5)*4e6, (w.r.Float64()-0.5)*100))
	}
	return w
}

func (w *world) event(p int, t float64) Event {
	return Event{Process: p, Time: time.Duration(math.Floor(w.shows[w.clockOf[p]](t)))}
}

// latency is at least 1 us, between processes of a host at least 200 ns.
func (w *world) latency(p, q int) float64 {
	least := 1000.0
	if w.clockOf[p] == w.clockOf[q] {
		least = 200
	}
	return least * (1 + w.r.ExpFloat64())
}

func (w *world) message(p, q int) {
	sent := w.now[p] + 100 + 1000*w.r.ExpFloat64()
	received := max(w.now[q], sent) + w.latency(p, q)
	w.now[p], w.now[q] = sent+100, received
	w.groups = append(w.groups, [2][]Event{{w.event(p, sent)}, {w.event(q, received)}})
}

func (w *world) barrier() {
	var begins, ends []Event
	last := 0.0
	for p := range w.now {
		at := w.now[p] + 1000*w.r.ExpFloat64()
		begins = append(begins, w.event(p, at))
		last = max(last, at)
	}
	for p := range w.now {
		w.now[p] = last + 2000*(1+w.r.ExpFloat64())
		ends = append(ends, w.event(p, w.now[p]))
	}
	w.groups = append(w.groups, [2][]Event{begins, ends})
}

// pause lets all processes compute for a while.
func (w *world) pause(ns float64) {
	for p := range w.now {
		w.now[p] += ns
	}
}

func (w *world) input() Input {
	in := Input{ClockOf: w.clockOf}
	for h := range w.hosts {
		in.Clocks = append(in.Clocks, Clock{Host: fmt.Sprint("h", h), Processes: len(w.now) / w.hosts,
			Reference: h == 0})
	}
	in.Source = func(before func(first, then []Event)) error {
		for _, g := range w.groups {
			before(g[0], g[1])
		}
		return nil
	}
	return in
}

// end is the true time of the end.
func (w *world) end() (t float64) {
	for _, n := range w.now {
		t = max(t, n)
	}
	return t
}

// correct makes the correction and checks what must hold of any: nothing comes before what it
// depends on, in no process time goes back.
func (w *world) correct(t *testing.T, in Input) *Correction {
	t.Helper()
	c, err := Correct(in)
	if err != nil {
		t.Fatal(err)
	}
	if c.After != (Violations{}) {
		t.Errorf("after correction: %+v (before %+v, with lines %+v)", c.After, c.Before, c.Fitted)
	}
	bad := 0
	for _, g := range w.groups {
		for _, f := range g[0] {
			for _, e := range g[1] {
				if a, b := c.At(f.Process, f.Time), c.At(e.Process, e.Time); f.Process != e.Process && a > b {
					if bad++; bad < 5 {
						t.Errorf("process %d at %d comes after process %d at %d: by %v", f.Process, f.Time, e.Process,
							e.Time, a-b)
					}
				}
			}
		}
	}
	step := w.end() / float64(w.looks)
	for p := range w.now {
		from := time.Duration(w.shows[w.clockOf[p]](0))
		last := c.At(p, from-1)
		for range w.looks {
			from += time.Duration(w.r.ExpFloat64() * step)
			for _, x := range []time.Duration{from, from + 1, from + 2} {
				now := c.At(p, x)
				if now < last {
					t.Fatalf("process %d goes back by %v at %v", p, last-now, x)
				}
				last = now
			}
			from += 2
		}
	}
	return c
}

// errorOf is the largest error of a host's corrected times.
func (w *world) errorOf(c *Correction, host int) (worst time.Duration) {
	for i := range 101 {
		t := w.end() * float64(i) / 100
		got := c.Clocks[host].at(time.Duration(w.shows[host](t)))
		worst = max(worst, (got - time.Duration(w.shows[0](t))).Abs())
	}
	return worst
}

// TestOneHost: where nothing is out of order nothing changes.
func TestOneHost(t *testing.T) {
	w := newWorld(1, 1, 4)
	for range 500 {
		p := w.r.IntN(4)
		w.message(p, (p+1+w.r.IntN(3))%4)
	}
	w.barrier()
	c := w.correct(t, w.input())
	if !c.Identity() || c.Before.Count != 0 || c.Ends != 504 || c.At(2, 12345) != 12345 || c.At(99, 5) != 5 {
		t.Errorf("%+v", c)
	}
	if k := c.Clocks[0]; k.Residual != 0 || len(k.Knots) != 0 {
		t.Errorf("%+v", k)
	}
}

// TestSkewed: offsets of milliseconds and drifts of tens of ppm come out within the residual that
// is stated, which is about the latency of messages.
func TestSkewed(t *testing.T) {
	for seed := range uint64(20) {
		hosts := 2 + int(seed%5)
		w := newWorld(seed, hosts, 1+int(seed%3))
		n := len(w.now)
		for i := range 3000 {
			p := w.r.IntN(n)
			w.message(p, (p+1+w.r.IntN(max(1, n-1)))%n)
			w.pause(w.r.ExpFloat64() * 1e5)
			if i%100 == 99 && seed%2 == 0 {
				w.barrier()
			}
		}
		c := w.correct(t, w.input())
		if c.Before.Count == 0 {
			t.Errorf("seed %d: nothing was wrong", seed)
		}
		if c.Fitted.Count != 0 || len(c.ramps) != 0 {
			t.Errorf("seed %d: lines are not enough: %+v", seed, c.Fitted)
		}
		for h := range hosts {
			k := c.Clocks[h]
			got := w.errorOf(c, h)
			if got > k.Residual+2 || k.Residual > 40*time.Microsecond || !k.Known() || k.Best > k.Residual {
				t.Errorf("seed %d, host %d of %d: error %v, residual %v, best %v", seed, h, hosts, got, k.Residual,
					k.Best)
			}
			ppm := 1e6 * (w.shows[h](w.end()) - w.shows[h](0) - w.end()) / w.end()
			if math.Abs(k.Drift-ppm) > 2e6*float64(k.Residual+2)/w.end() {
				t.Errorf("seed %d, host %d: drift %v, want %v", seed, h, k.Drift, ppm)
			}
		}
	}
}

// TestMeasured: one measurement bounds the clock at one time; with messages the drift is known,
// too.
func TestMeasured(t *testing.T) {
	w := newWorld(3, 2, 1)
	w.shows[1] = steady(0, 0)
	w.message(0, 1)
	w.message(1, 0)
	w.pause(1e9)
	in := w.input()
	in.Measured = []Measurement{{Clock: 1, Partner: 0, At: 1e9, Error: 700}}
	c := w.correct(t, in)
	if k := c.Clocks[1]; k.Best > 2000 || k.Residual < k.Best || w.errorOf(c, 1) > k.Residual {
		t.Errorf("%+v: error %v", k, w.errorOf(c, 1))
	}
	// The clock is 300 us off at first and right at the end, when it is measured.
	w = newWorld(4, 2, 1)
	w.shows[1] = func(t float64) float64 { return t + 3e-4*(t-1e9) }
	for range 10 {
		w.message(0, 1)
		w.message(1, 0)
	}
	w.pause(1e9 - w.end())
	in = w.input()
	in.Measured = []Measurement{{Clock: 1, Partner: 0, At: 1e9, Error: 700}}
	c = w.correct(t, in)
	if k := c.Clocks[1]; w.errorOf(c, 1) > k.Residual || k.Residual > 10*time.Microsecond ||
		math.Abs(k.Drift-300) > 10 {
		t.Errorf("%+v: error %v", k, w.errorOf(c, 1))
	}
}

// TestOneWay: messages in one direction tell that a clock is late, not by how much.
func TestOneWay(t *testing.T) {
	for _, offset := range []float64{-5e6, 5e6} {
		w := newWorld(5, 2, 1)
		w.shows[1] = steady(offset, 0)
		for range 100 {
			w.message(0, 1)
		}
		c := w.correct(t, w.input())
		k := c.Clocks[1]
		if k.Known() || (offset > 0) != c.Identity() || (offset < 0) != (c.Before.Count > 0) {
			t.Errorf("offset %v: %+v, %+v", offset, k, c.Before)
		}
		// No further than needed.
		if off := c.Clocks[1].at(0); offset < 0 && (off > 5e6 || off < 5e6-2e5) {
			t.Errorf("moved by %v", off)
		}
	}
}

// TestBends: a clock that changes its speed gets bends, and what they leave is put right one by
// one.
func TestBends(t *testing.T) {
	w := newWorld(6, 2, 1)
	w.shows[1] = func(t float64) float64 { return t + 1e5*math.Sin(t/1e9) }
	for range 20000 {
		w.message(0, 1)
		w.message(1, 0)
		w.pause(w.r.ExpFloat64() * 1e6)
	}
	c := w.correct(t, w.input())
	if len(c.Clocks[1].Knots) < 3 {
		t.Errorf("knots %v", c.Clocks[1].Knots)
	}
	// The clock is not straight between the bends.
	if got := w.errorOf(c, 1); got > 20*time.Microsecond || got > 2*c.Clocks[1].Residual {
		t.Errorf("error %v, residual %v", got, c.Clocks[1].Residual)
	}
}

// TestJumps: single receives that end too early, as where times are stored with an error, are
// moved, and few others.
func TestJumps(t *testing.T) {
	w := newWorld(8, 1, 3)
	for range 2000 {
		p := w.r.IntN(3)
		w.message(p, (p+1)%3)
	}
	wrong := 0
	for i, g := range w.groups {
		if i%50 == 0 {
			g[1][0].Time = g[0][0].Time - time.Duration(w.r.IntN(1000))
			wrong++
		}
	}
	c := w.correct(t, w.input())
	if c.Before.Count == 0 || c.Before.Count > uint64(wrong) || c.Moved == 0 || c.Moved > 10*wrong || c.Identity() {
		t.Errorf("%d wrong: %+v, moved %d", wrong, c.Before, c.Moved)
	}
	if c.Before != c.Fitted {
		t.Errorf("before %+v, fitted %+v", c.Before, c.Fitted)
	}
}

// TestInexact: times that are stored with an error do not spoil the clocks, and few passes put all
// in order.
func TestInexact(t *testing.T) {
	for seed := range uint64(6) {
		w := newWorld(10+seed, 1+int(seed%3), 4)
		for i := range 5000 {
			p := w.r.IntN(len(w.now))
			w.message(p, (p+1+w.r.IntN(len(w.now)-1))%len(w.now))
			if i%500 == 0 {
				w.barrier()
				w.pause(1e6)
			}
		}
		const limit = 1000
		last := map[int]time.Duration{} // the calls of a process keep their order
		for _, g := range w.groups {
			for _, side := range g {
				for i := range side {
					e := &side[i]
					e.Time += time.Duration(w.r.Int64N(2*limit+1) - limit)
					if before, ok := last[e.Process]; ok {
						e.Time = max(e.Time, before+1)
					}
					last[e.Process], e.Error = e.Time, limit
				}
			}
		}
		c := w.correct(t, w.input())
		if c.Passes > 10 || c.Fitted.Largest > 2*limit+2 {
			t.Errorf("seed %d: %d passes, fitted %+v", seed, c.Passes, c.Fitted)
		}
		for h, k := range c.Clocks {
			if got := w.errorOf(c, h); got > k.Residual+2 || !k.Known() {
				t.Errorf("seed %d, host %d: error %v, residual %v", seed, h, got, k.Residual)
			}
		}
	}
}

// TestManyJumps: the list of moves stays short.
func TestManyJumps(t *testing.T) {
	r := &ramps{rate: catchUp}
	rnd := rand.New(rand.NewPCG(1, 1))
	at := map[time.Duration]float64{}
	for range 20000 {
		x, v := time.Duration(rnd.Int64N(1e12)), 1+1000*rnd.Float64()
		r.raise(x, v)
		at[x] = max(at[x], v)
	}
	if len(r.list) > maxRamps {
		t.Errorf("%d moves", len(r.list))
	}
	for x, v := range at {
		if r.at(x) < v-1e-6 {
			t.Fatalf("at %v: %v, want %v", x, r.at(x), v)
		}
	}
}

// TestApart: hosts that have nothing to do with the reference stay as they are; contradictions end.
func TestApart(t *testing.T) {
	w := newWorld(9, 4, 1)
	for range 100 {
		w.message(2, 3)
		w.message(3, 2)
	}
	c := w.correct(t, w.input())
	if c.Clocks[1].Known() || c.Clocks[2].Known() || c.Clocks[3].Known() || len(c.Clocks[2].Knots) != 0 ||
		len(c.Clocks[3].Knots) == 0 {
		t.Errorf("%+v", c.Clocks)
	}
	in := w.input()
	in.Source = func(before func(first, then []Event)) error {
		for i := range 10 {
			x := time.Duration(i * 1000)
			before([]Event{{Process: 0, Time: x + 500}}, []Event{{Process: 1, Time: x}})
			before([]Event{{Process: 1, Time: x + 500}}, []Event{{Process: 0, Time: x}})
		}
		return nil
	}
	c, err := Correct(in)
	if err != nil || c.After.Count == 0 {
		t.Errorf("%+v, %v", c, err)
	}
	broken := errors.New("broken")
	in.Source = func(func(first, then []Event)) error { return broken }
	if _, err := Correct(in); err != broken {
		t.Errorf("%v", err)
	}
}

// FuzzCorrect: whatever the hosts and the traffic, everything is in order afterwards.
func FuzzCorrect(f *testing.F) {
	f.Add([]byte("some bytes"), uint8(30), false)
	f.Add([]byte("some bytes"), uint8(20), true)
	f.Fuzz(func(t *testing.T, in []byte, messages uint8, wild bool) {
		r := choices.Rand(in)
		w := worldOf(r, 1+r.IntN(3), 1+r.IntN(2))
		w.looks = 8
		n := len(w.now)
		if wild {
			for h := range w.shows {
				period := 1e3 + w.r.Float64()*1e6
				size := w.r.Float64() * period / 2
				w.shows[h] = func(t float64) float64 { return t + size*math.Sin(t/period) }
			}
		}
		for range messages % 12 {
			p := w.r.IntN(n)
			if q := w.r.IntN(n); p != q {
				w.message(p, q)
			}
			if w.r.IntN(10) == 0 {
				w.barrier()
			}
			w.pause(w.r.ExpFloat64() * 1e4)
		}
		c := w.correct(t, w.input())
		if !wild {
			for h := range w.shows {
				if k := c.Clocks[h]; k.Known() && w.errorOf(c, h) > k.Residual+2 {
					t.Errorf("host %d: error %v, residual %v", h, w.errorOf(c, h), k.Residual)
				}
			}
		}
	})
}

// TestManyHosts: memory is bounded where all exchange messages with all, and the clocks come out
// all the same.
func TestManyHosts(t *testing.T) {
	w := newWorld(12, 300, 1)
	for i := range 100_000 {
		p := w.r.IntN(len(w.now))
		w.message(p, (p+1+w.r.IntN(len(w.now)-1))%len(w.now))
		if i%100 == 0 {
			w.pause(1e5)
		}
	}
	in := w.input()
	c := &Correction{Clocks: in.Clocks, clockOf: in.ClockOf, ramps: map[int]*ramps{}}
	e := newEstimator(c)
	if err := in.Source(e.before); err != nil {
		t.Fatal(err)
	}
	if n := len(e.pairs); n > 300*maxPartners || e.kept > maxKept || !e.inexact {
		t.Errorf("%d pairs, %d windows", n, e.kept)
	}
	c = w.correct(t, in)
	for h, k := range c.Clocks {
		if got := w.errorOf(c, h); got > k.Residual+2 || k.Residual > time.Millisecond || !k.Known() {
			t.Errorf("host %d: error %v, residual %v", h, got, k.Residual)
		}
	}
}

// BenchmarkCorrect is the time for a message between hosts with lines only, and with everything.
func BenchmarkCorrect(b *testing.B) {
	w := newWorld(1, 8, 4)
	for range 200_000 {
		p := w.r.IntN(len(w.now))
		w.message(p, (p+1+w.r.IntN(len(w.now)-1))%len(w.now))
	}
	for _, lines := range []bool{true, false} {
		b.Run(fmt.Sprint("lines=", lines), func(b *testing.B) {
			in := w.input()
			in.LinesOnly = lines
			for b.Loop() {
				if _, err := Correct(in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(w.groups)), "ns/message")
		})
	}
}
