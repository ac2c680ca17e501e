package trace

import (
	"math/rand/v2"
	"testing"
)

// TestTickTime: what remembers the last reading gives the same times.
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
