package archive

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestTickTime: remembering the last reading of the clocks gives the same times.
func TestTickTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		line := timeline{num: 1 + rng.Uint64N(5), den: 1 + rng.Uint64N(5), domain: &domain{shift: rng.Int64N(1000)}}
		c := Clock{Ticks: rng.Uint64N(100)}
		for range rng.IntN(5) {
			line.clocks = append(line.clocks, c)
			c.Ticks += rng.Uint64N(1000)
			c.MonoNS += rng.Int64N(2000)
		}
		fast := &tickTime{timeline: line}
		ticks := uint64(0)
		for range 200 {
			if ticks += rng.Uint64N(60); rng.IntN(20) == 0 {
				ticks = []uint64{0, rng.Uint64N(3000), ^uint64(0)}[rng.IntN(3)]
			}
			if got, want := fast.at(ticks), line.at(ticks); got != want {
				t.Fatalf("clocks %v: %d ticks are %v instead of %v", line.clocks, ticks, got, want)
			}
		}
	}
}

// TestTickTimes: many ticks at once give the same times, too, whatever the rates.
func TestTickTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		big := func() uint64 { return 1 + rng.Uint64()>>(rng.UintN(63)) }
		line := timeline{num: big(), den: big(), domain: &domain{shift: rng.Int64N(1000)}}
		if rng.IntN(4) == 0 {
			line.domain.knots = []knot{{0, 17}, {1 << 30, 99}}[:1+rng.IntN(2)]
		}
		c := Clock{Ticks: rng.Uint64N(100)}
		step := 1 + rng.Uint64()>>(10+rng.UintN(50))
		for range rng.IntN(5) {
			line.clocks = append(line.clocks, c)
			c.Ticks += rng.Uint64N(step)
			c.MonoNS += rng.Int64N(1 << (10 + rng.UintN(40)))
		}
		ticks := make([]uint64, 300)
		for i := range ticks {
			if i > 0 {
				ticks[i] = ticks[i-1] + rng.Uint64N(step/50+2)
			}
			if rng.IntN(30) == 0 {
				ticks[i] = []uint64{0, rng.Uint64(), rng.Uint64N(4*step + 1), ^uint64(0)}[rng.IntN(4)]
			}
		}
		fast := &tickTimes{tickTime: tickTime{timeline: line}}
		got := make([]time.Duration, len(ticks))
		for from := 0; from < len(ticks); from += 100 {
			fast.convert(got[from:from+100], ticks[from:from+100])
		}
		for i, x := range ticks {
			if want := line.at(x); got[i] != want {
				t.Fatalf("clocks %v: %d ticks are %v instead of %v", line.clocks, x, got[i], want)
			}
		}
	}
}
