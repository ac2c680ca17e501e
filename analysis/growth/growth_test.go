package growth

import "testing"

func TestGrows(t *testing.T) {
	series := func(n int, of func(i int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = of(i)
		}
		return x
	}
	for name, c := range map[string]struct {
		bytes []float64
		ok    bool
		jump  bool
		step  uint64
	}{
		"a jump": {series(100, func(i int) float64 {
			if i >= 60 {
				return 1.6e6
			}
			return float64(1600 + 8*(i%7))
		}), true, true, 60},
		"the same": {series(100, func(i int) float64 { return 1e6 }), false, false, 0},
		"a cycle": {series(100, func(i int) float64 { return float64(1000 + 1e6*float64(i%7/6)) }), false, false,
			0},
		"one spike": {series(100, func(i int) float64 {
			return 1000 +
				1e6*float64(i/50*50/50%2)*float64((i+1)/51%2*(51/(i+1)))
		}), false, false, 0},
		"a ramp":       {series(120, func(i int) float64 { return float64(18000 * (i + 1)) }), true, false, 119},
		"a trend":      {series(200, func(i int) float64 { return float64(8000 + 100*i) }), true, false, 199},
		"small":        {series(100, func(i int) float64 { return float64(1 + i/60*100) }), false, false, 0},
		"slow to grow": {series(100, func(i int) float64 { return float64(8000 + 10*i) }), false, false, 0},
		"back again": {series(100, func(i int) float64 {
			if i >= 40 && i < 60 {
				return 1e6
			}
			return 1e4
		}), false, false, 0},
	} {
		g, ok := (&place{bytes: c.bytes}).grows()
		if ok != c.ok || ok && (g.Jump != c.jump || g.Step != c.step) {
			t.Errorf("%s: %+v, %t", name, g, ok)
		}
	}
}
