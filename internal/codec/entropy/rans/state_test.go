package rans

import (
	"math/rand/v2"
	"testing"
)

// Symbols come back in order from states that were given them in reverse, whatever their
// frequencies.
func TestState(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		scale := uint(rng.IntN(MaxScale + 1))
		var cums, freqs []uint32
		for left := uint32(1) << scale; left > 0; {
			f := 1 + rng.Uint32N(left)
			cums, freqs = append(cums, 1<<scale-left), append(freqs, f)
			left -= f
		}
		symbols := make([]int, rng.IntN(200))
		for i := range symbols {
			symbols[i] = rng.IntN(len(freqs))
		}
		at := Room(len(symbols))
		words := make([]byte, at)
		x, y := uint32(Low), uint32(Low)
		for i := len(symbols) - 1; i >= 0; i-- {
			s := NewSymbol(cums[symbols[i]], freqs[symbols[i]], scale)
			x, y = y, x
			x, at = s.Put(x, words, at)
			if x < Low || x >= 1<<31 {
				t.Fatalf("state %#x", x)
			}
		}
		words = words[End(words, at, x, y):]
		x, y = Begin(words)
		in := words[8:]
		for i, want := range symbols {
			slot := x & (1<<scale - 1)
			s := len(cums) - 1
			for cums[s] > slot {
				s--
			}
			if s != want {
				t.Fatalf("symbol %d is %d, want %d", i, s, want)
			}
			next, taken := uint16(0), uint(0)
			if len(in) >= 2 {
				next = uint16(in[0]) | uint16(in[1])<<8
			}
			x, taken = Refill(freqs[s]*(x>>scale)+slot-cums[s], next)
			in = in[2*taken:]
			x, y = y, x
		}
		if len(in) != 0 || x != Low || y != Low {
			t.Fatalf("%d bytes left, states %#x and %#x", len(in), x, y)
		}
	}
}
