package column

import (
	"bytes"
	"math"
	"math/rand"
	"slices"
	"testing"
)

// loopCalls returns the starts and ends of n calls of a loop whose calls have
// different costs, with noise and some outliers, in ticks of 0.5 ns.
func loopCalls(rng *rand.Rand, n, body int) (calls []Span) {
	cost := make([]float64, 2*body)
	for i := range cost {
		cost[i] = math.Exp(rng.Float64()*8 + 5)
	}
	noisy := func(c float64) uint64 {
		v := c * math.Exp(0.08*rng.NormFloat64())
		if rng.Intn(200) == 0 {
			v *= 1 + 20*rng.Float64()
		}
		return uint64(v) / 2 * 2
	}
	now := uint64(1) << 50
	for i := range n {
		now += noisy(cost[2*(i%body)])
		end := now + noisy(cost[2*(i%body)+1])
		calls = append(calls, Span{now, end})
		now = end
	}
	return calls
}

// anyCalls returns calls of several kinds, some of which no clock would give.
func anyCalls(rng *rand.Rand, n int) (calls []Span) {
	switch rng.Intn(4) {
	case 0:
		return loopCalls(rng, n, 1+rng.Intn(20))
	case 1: // nested: the inner call comes first
		for i := range n {
			start := uint64(i) * 1000
			calls = append(calls, Span{start + 10, start + 20}, Span{start, start + 30})
		}
		return calls[:n]
	case 2: // anything
		for range n {
			calls = append(calls, Span{rng.Uint64() >> rng.Intn(64), rng.Uint64() >> rng.Intn(64)})
		}
	case 3: // a stopped clock
		calls = make([]Span, n)
	}
	return calls
}

func buildTiming(calls []Span) *TimingBuilder {
	b := NewTimingBuilder()
	for _, c := range calls {
		b.Append(c.Start, c.End)
	}
	return b
}

func checkTiming(t *testing.T, rng *rand.Rand, in []byte, calls []Span) {
	t.Helper()
	r, err := OpenTiming(in)
	if err != nil {
		t.Fatal(err)
	}
	if r.Len() != uint64(len(calls)) {
		t.Fatalf("%d calls, want %d", r.Len(), len(calls))
	}
	var got []Span
	for i, s := range r.Range(0, math.MaxUint64) {
		if i != uint64(len(got)) {
			t.Fatalf("call %d comes after %d calls", i, len(got))
		}
		got = append(got, s)
	}
	if !slices.Equal(got, calls) {
		t.Fatal("calls differ")
	}
	for range min(30, len(calls)) {
		i := rng.Intn(len(calls))
		if start, end := r.At(uint64(i)); start != calls[i].Start || end != calls[i].End {
			t.Fatalf("call %d: %d-%d, want %v", i, start, end, calls[i])
		}
		time := calls[i].End + uint64(rng.Intn(3)-1)
		want := slices.IndexFunc(calls, func(s Span) bool { return s.End >= time })
		if want < 0 {
			want = len(calls)
		}
		if got := r.SeekTime(time); got != uint64(want) {
			t.Fatalf("SeekTime(%d) = %d, want %d", time, got, want)
		}
	}
	for k := range r.Blocks() {
		from, to, start, latest := r.Block(k)
		max := slices.MaxFunc(calls[from:to], func(a, b Span) int {
			if a.End < b.End {
				return -1
			}
			return 1
		})
		if start != calls[from].Start || latest != max.End {
			t.Fatalf("block %d: %d-%d, want %d-%d", k, start, latest, calls[from].Start, max.End)
		}
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if s, e := r.At(r.Len()); s|e != 0 {
		t.Fatal("call behind the end")
	}
}

func TestTimingRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for i := range 300 {
		calls := anyCalls(rng, rng.Intn(1<<(1+rng.Intn(15))))
		if i < 3 {
			calls = anyCalls(rng, i*timingCalls) // full blocks only
		}
		b := buildTiming(calls)
		if b.Len() != uint64(len(calls)) {
			t.Fatalf("length %d, want %d", b.Len(), len(calls))
		}
		enc := b.Encode([]byte("x"))
		checkTiming(t, rng, enc[1:], calls)
	}
}

// TestTimingRestores interrupts a builder in all ways, with and without a spool.
func TestTimingRestores(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for range 60 {
		calls := anyCalls(rng, rng.Intn(40000))
		plain := NewTimingBuilder()
		spooled := NewTimingBuilder()
		var spool bytes.Buffer
		sink := func(block []byte) { spool.Write(block) }
		for i, c := range calls {
			if rng.Intn(9000) == 0 {
				var err error
				if plain, err = RestoreTiming(plain.Encode(nil)); err != nil {
					t.Fatal(err)
				}
				if rng.Intn(2) == 0 {
					spooled.SetSink(sink)
				}
				if spooled.sink != nil {
					if spooled, err = RestoreTimingState(spooled.AppendState(nil), sink); err != nil {
						t.Fatal(err)
					}
				}
				if plain.Len() != uint64(i) || spooled.Len() != uint64(i) {
					t.Fatalf("restored %d and %d calls, want %d", plain.Len(), spooled.Len(), i)
				}
			}
			plain.Append(c.Start, c.End)
			spooled.Append(c.Start, c.End)
		}
		spooled.SetSink(sink)
		want := buildTiming(calls).Encode(nil)
		if !bytes.Equal(plain.Encode(nil), want) {
			t.Fatal("restoring changed the encoding")
		}
		if spooled.SealedBytes() != int64(spool.Len()) {
			t.Fatalf("%d bytes are in the spool, want %d", spool.Len(), spooled.SealedBytes())
		}
		enc, err := spooled.EncodeSpooled(nil, bytes.NewReader(spool.Bytes()))
		if err != nil || !bytes.Equal(enc, want) {
			t.Fatalf("spooling changed the encoding: %v", err)
		}
		if n := spool.Len(); n > 0 {
			if _, err := spooled.EncodeSpooled(nil, bytes.NewReader(spool.Bytes()[:n-1])); err == nil {
				t.Fatal("encoded with a short spool")
			}
		}
	}
}

func TestTimingSizes(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls []Span
		bytes int
	}{
		{"none", nil, 1},
		{"one", []Span{{1 << 50, 1<<50 + 1000}}, 17},
		// The cost of such calls in a loop, where zstd -19 needs 4.06 bytes a call for
		// the same gaps and durations as 32-bit numbers, 4.48 for varints of differences.
		{"loop of ten calls", loopCalls(rand.New(rand.NewSource(1)), 1<<17, 10), (1 << 17) * 35 / 10},
		{"stopped clock", make([]Span, 100_000), 25 * 12},
	} {
		if n := len(buildTiming(c.calls).Encode(nil)); n > c.bytes {
			t.Errorf("%s: %d bytes, at most %d expected", c.name, n, c.bytes)
		}
	}
}

func TestTimingBrokenInput(t *testing.T) {
	good := buildTiming(loopCalls(rand.New(rand.NewSource(5)), 5000, 7)).Encode(nil)
	for name, in := range map[string][]byte{
		"empty":                  {},
		"bytes after nothing":    {0, 0},
		"nothing follows":        {1},
		"another size of blocks": {1, 11, 0, 0, 0},
		"many calls":             {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 12, 0, 0, 0},
		"huge block":             {0x80, 0x20, 12, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		"cut":                    good[:4000],
	} {
		if _, err := OpenTiming(in); err == nil {
			t.Errorf("%s: opened", name)
		}
		if _, err := RestoreTiming(in); err == nil {
			t.Errorf("%s: restored", name)
		}
	}
	r, err := OpenTiming(append(good[:len(good):len(good)], 1))
	if err != nil {
		t.Fatal(err)
	}
	if r.Check() == nil {
		t.Error("bytes behind the last block are accepted")
	}
	if s, e := r.At(4999); s|e != 0 {
		t.Errorf("broken block: call at %d-%d", s, e)
	}
	if _, err := RestoreTimingState([]byte{1, 12, 0, 0, 99}, nil); err == nil {
		t.Error("broken state restored")
	}
	defer func() {
		if recover() == nil {
			t.Error("Encode without the blocks that are in a sink")
		}
	}()
	b := buildTiming(make([]Span, timingCalls))
	b.SetSink(func([]byte) {})
	b.Encode(nil)
}
