package column

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// pairs are columns and contexts of several natures.
func pairs(r *rand.Rand, n int) (vals, context []int64) {
	kind := r.IntN(4)
	table := map[int64]int64{}
	for i := range n {
		c := int64(r.IntN(1 + r.IntN(40)))
		if _, ok := table[c]; !ok || r.IntN(50) == 0 {
			table[c] = r.Int64() >> r.IntN(60)
		}
		v := table[c]
		switch {
		case kind == 1:
			v = int64(i / 3)
		case kind == 2 && len(vals) >= 7:
			v = vals[len(vals)-7]
		case kind == 3:
			v = []int64{math.MinInt64, -1, 0, 1, math.MaxInt64 - 1}[r.IntN(5)]
		}
		vals, context = append(vals, v), append(context, c)
	}
	return vals, context
}

func TestGiven(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := r.IntN(300)
		if seed%10 == 0 {
			n = givenBlock - 5 + r.IntN(2*givenBlock)
		}
		vals, context := pairs(r, n)
		plain := NewBuilder()
		for _, c := range context {
			plain.Append(c)
		}
		for mode := GivenContext; mode <= lastGiven; mode++ {
			ctx, err := Open(plain.Encode(nil))
			if err != nil {
				t.Fatal(err)
			}
			b, ok := EncodeGiven(nil, mode, vals, context)
			if !ok {
				t.Fatalf("seed %d: not encoded", seed)
			}
			got, err := OpenGiven(b, mode, ctx)
			if err != nil {
				t.Fatal(err)
			}
			all := make([]int64, n)
			if got.Read(0, all) != n || !slices.Equal(all, vals) {
				t.Fatalf("seed %d, mode %d: values differ", seed, mode)
			}
			for range 20 {
				if i := r.IntN(n + 1); i < n && got.At(uint64(i)) != vals[i] {
					t.Fatalf("seed %d, mode %d: value %d differs", seed, mode, i)
				}
			}
		}
	}
}

// What depends on the context, or repeats, takes next to nothing.
func TestGivenIsSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var peers, counts []int64
	for range 20000 {
		p := int64(r.IntN(30))
		peers, counts = append(peers, p), append(counts, 1000+p*p*37%511)
	}
	if b, _ := EncodeGiven(nil, GivenContext, counts, peers); len(b) > 300 {
		t.Errorf("%d bytes for a function of the context", len(b))
	}
	pattern := peers[:1500]
	var long []int64
	for i := range 15000 {
		long = append(long, pattern[i%len(pattern)]+100*int64(i%len(pattern)))
	}
	if b, _ := EncodeGiven(nil, GivenPast, long, nil); len(b) > 4000 {
		t.Errorf("%d bytes for a pattern that repeats", len(b))
	}
	if _, ok := EncodeGiven(nil, GivenPast, []int64{1, math.MaxInt64}, nil); ok {
		t.Error("the greatest number was encoded")
	}
}

func TestOpenGivenBroken(t *testing.T) {
	b, _ := EncodeGiven(nil, GivenContext, []int64{1, 2, 3}, []int64{4, 5, 6})
	short, err := Open(NewBuilder().Encode(nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (*Reader, error){
		"no context":           func() (*Reader, error) { return OpenGiven(b, GivenContext, nil) },
		"context too short":    func() (*Reader, error) { return OpenGiven(b, GivenBoth, short) },
		"no mode":              func() (*Reader, error) { return OpenGiven(b, 0, nil) },
		"mode of the future":   func() (*Reader, error) { return OpenGiven(b, lastGiven+1, nil) },
		"nothing that we know": func() (*Reader, error) { return OpenGiven(b[:1], GivenPast, nil) },
	} {
		if _, err := open(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
