package column

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"testing"
)

// streams returns columns of many kinds, of about n values.
func streams(rng *rand.Rand, n int) []int64 {
	var out []int64
	small := func() int64 { return int64(rng.Intn(1 << (1 + rng.Intn(20)))) }
	switch rng.Intn(11) {
	case 0: // anything
		for range n {
			out = append(out, int64(rng.Uint64())>>rng.Intn(64))
		}
	case 1: // runs
		for len(out) < n {
			v, step := small(), int64(rng.Intn(3)-1)*small()
			for range 1 + rng.Intn(1<<(1+rng.Intn(11))) {
				out = append(out, v)
				v += step
			}
		}
	case 2: // a period that moves and is disturbed now and then
		p := make([]int64, 1+rng.Intn(1<<(1+rng.Intn(8))))
		for i := range p {
			p[i] = small()
		}
		step := int64(rng.Intn(3)) * small()
		often := 1 + rng.Intn(n)
		for i := range n {
			out = append(out, p[i%len(p)]+step*int64(i/len(p)))
			if rng.Intn(often) == 0 {
				out = append(out, small())
			}
		}
	case 3: // few values
		var dict []int64
		for range 1 + rng.Intn(1<<rng.Intn(11)) {
			dict = append(dict, small()*small()-small())
		}
		for range n {
			out = append(out, dict[rng.Intn(len(dict))])
		}
	case 4: // rising
		v := int64(rng.Uint64())
		for range n {
			v += small()
			out = append(out, v)
		}
	case 5: // a walk
		v := small()
		for range n {
			v += small() - small()
			out = append(out, v)
		}
	case 6: // narrow
		w := 1 + rng.Intn(1000)
		base := int64(rng.Uint64())
		for range n {
			out = append(out, base+int64(rng.Intn(w)))
		}
	case 7: // log-normal
		for range n {
			out = append(out, int64(math.Exp(rng.NormFloat64()*2+8)))
		}
	case 8: // mixed
		for len(out) < n {
			out = append(out, streams(rng, 1+rng.Intn(n))...)
		}
	case 9: // extremes
		for range n {
			out = append(out, []int64{math.MaxInt64, math.MinInt64, 0, -1}[rng.Intn(1+rng.Intn(4))])
		}
	case 10: // ramps that are cut off or disturbed now and then
		for len(out) < n {
			p, first, step, move := 1+rng.Intn(200), small(), small()-small(), int64(rng.Intn(2))*(small()-small())
			for i := range rng.Intn(10 * p) {
				out = append(out, first+step*int64(i%p)+move*int64(i/p))
			}
		}
	}
	return out
}

func build(vals []int64) *Builder {
	b := NewBuilder()
	for _, v := range vals {
		b.Append(v)
	}
	return b
}

// checkReader tests that in holds exactly vals, whichever way it is read.
func checkReader(t *testing.T, rng *rand.Rand, in []byte, vals []int64) {
	t.Helper()
	r, err := Open(in)
	if err != nil {
		t.Fatalf("%v\n% x", err, in[:min(len(in), 100)])
	}
	if r.Len() != uint64(len(vals)) {
		t.Fatalf("%d values, want %d", r.Len(), len(vals))
	}
	got := make([]int64, len(vals)+1)
	if n := r.Read(0, got); n != len(vals) || !slices.Equal(got[:n], vals) {
		for i := range vals {
			if got[i] != vals[i] {
				t.Fatalf("value %d of %d is %d, want %d", i, len(vals), got[i], vals[i])
			}
		}
		t.Fatalf("read %d values, want %d", n, len(vals))
	}
	for range min(50, len(vals)) {
		i := rng.Intn(len(vals))
		if v := r.At(uint64(i)); v != vals[i] {
			t.Fatalf("At(%d) = %d, want %d", i, v, vals[i])
		}
		part := make([]int64, rng.Intn(100))
		n := r.Read(uint64(i), part)
		if want := vals[i:min(i+len(part), len(vals))]; !slices.Equal(part[:n], want) {
			t.Fatalf("values from %d: %v, want %v", i, part[:n], want)
		}
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if r.At(r.Len()) != 0 || r.Read(r.Len(), got) != 0 {
		t.Fatal("values behind the end")
	}
}

func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 2000 {
		vals := streams(rng, 1+rng.Intn(1<<(1+rng.Intn(10))))
		b := build(vals)
		if b.Len() != uint64(len(vals)) {
			t.Fatalf("length %d, want %d", b.Len(), len(vals))
		}
		enc := b.Encode([]byte("x"))
		checkReader(t, rng, enc[1:], vals)
	}
	for range 100 {
		vals := streams(rng, 30000)
		checkReader(t, rng, build(vals).Encode(nil), vals)
	}
	checkReader(t, rng, NewBuilder().Encode(nil), nil)
}

// TestEncodeIsNotDestructive encodes and restores all the time.
func TestEncodeIsNotDestructive(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for range 400 {
		vals := streams(rng, 1+rng.Intn(6000))
		plain, b := NewBuilder(), NewBuilder()
		for i, v := range vals {
			if rng.Intn(1+len(vals)/8) == 0 {
				enc := plain.Encode(nil)
				checkReader(t, rng, enc, vals[:i])
				r, err := Restore(b.Encode(nil))
				if err != nil {
					t.Fatal(err)
				}
				if b = r; b.Len() != uint64(i) {
					t.Fatalf("restored %d values, want %d", b.Len(), i)
				}
			}
			plain.Append(v)
			b.Append(v)
		}
		if !slices.Equal(plain.Encode(nil), build(vals).Encode(nil)) {
			t.Fatal("encoding changed the builder")
		}
		checkReader(t, rng, b.Encode(nil), vals)
	}
}

// TestSizes states what regular columns cost, however long they are.
func TestSizes(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	type gen func(i int) int64
	period := make([]int64, 300)
	for i := range period {
		period[i] = int64(rng.Intn(1 << 16))
	}
	geometric := func(int) int64 { return int64(math.Log(rng.Float64()) / math.Log(0.5)) }
	for _, c := range []struct {
		name  string
		n     int
		v     gen
		bytes int
	}{
		{"one value", 1, func(int) int64 { return 5 }, 3},
		{"two values", 2, func(i int) int64 { return int64(7 - 2*i) }, 4},
		{"constant", 100, func(int) int64 { return 5 }, 3},
		{"constant", 10_000_000, func(int) int64 { return 1000 }, 7},
		{"affine", 1_000_000, func(i int) int64 { return int64(64 * i) }, 7},
		{"first differs", 1_000_000, func(i int) int64 { return int64(min(i, 1)) }, 10},
		{"two alternating", 1_000_000, func(i int) int64 { return int64(i % 2) }, 18},
		{"period of 300", 1_000_000, func(i int) int64 { return period[i%300] }, 2000},
		{"moving period of 300", 1_000_000, func(i int) int64 { return period[i%300] + int64(i/300*8) }, 3200},
		{"eight ranks, random", 100_000, func(int) int64 { return int64(rng.Intn(8)) }, 100_000 * 31 / 80},
		{"geometric", 100_000, geometric, 100_000 * 21 / 80},
		{"one in 50 differs", 100_000, func(i int) int64 { return int64(rng.Intn(50) / 49) }, 100_000 * 25 / 800},
		{"16 random bits", 100_000, func(int) int64 { return int64(rng.Intn(1 << 16)) }, 100_000 * 205 / 100},
		{"rising by up to 1000", 100_000, func(i int) int64 { return int64(i*1000 + rng.Intn(1000)) },
			100_000 * 14 / 10},
	} {
		b := NewBuilder()
		for i := range c.n {
			b.Append(c.v(i))
		}
		if n := len(b.Encode(nil)); n > c.bytes {
			t.Errorf("%s, %d values: %d bytes, at most %d expected", c.name, c.n, n, c.bytes)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	b := NewBuilder()
	if n := b.MemoryBytes(); n > 256 {
		t.Errorf("empty: %d bytes", n)
	}
	for range 1_000_000 {
		b.Append(77)
	}
	if n := b.MemoryBytes(); n > 256 {
		t.Errorf("constant: %d bytes", n)
	}
	rng := rand.New(rand.NewSource(4))
	for range 300_000 {
		b.Append(int64(rng.Intn(1 << 8)))
	}
	if n := b.MemoryBytes(); n > 300_000*13/10+40<<10 {
		t.Errorf("300,000 random bytes: %d bytes", n)
	}
}

func TestBrokenInput(t *testing.T) {
	for name, in := range map[string][]byte{
		"empty":                   {},
		"nothing follows":         {1},
		"bytes after nothing":     {0, 0},
		"unknown kind":            {1, 9, 0},
		"short segment":           {5, 0, 2, 7},
		"segment beyond the end":  {2, 0, 5, 7},
		"segment of everything":   {2, 0, 1, 7},
		"block of everything":     {0xff, 0xff, 0xff, 0xff, 0x7f, segmentBlock | segmentToEnd, 0},
		"period of zero":          {9, segmentPeriodic | segmentToEnd, 0, 0, 0},
		"ramps of nothing":        {9, segmentHigh | segmentToEnd, 0, 2, 2, 2},
		"ramps that are cut off":  {9, segmentHigh | segmentToEnd, 3, 2, 2},
		"high kind":               {9, segmentHigh | segmentToEnd | 1, 3, 2, 2, 2},
		"period beyond a block":   {9, segmentPeriodic | segmentToEnd, 0xff, 0xff, 3, 0, 0},
		"bytes behind the column": {1, 4, 0, 0},
	} {
		if _, err := Open(in); err == nil {
			t.Errorf("%s: opened", name)
		}
		if _, err := Restore(in); err == nil {
			t.Errorf("%s: restored", name)
		}
	}
	for name, block := range map[string][]byte{
		"empty":                  {},
		"unknown method":         {99},
		"cut varints":            {methodVarints, 1},
		"cut deltas":             {methodDeltas, 1},
		"bytes behind":           {methodVarints, 1, 1, 1, 1},
		"run beyond":             {methodRuns, 3, 0, 0},
		"no runs":                {methodRuns},
		"width of 65":            {methodPacked, 0, 65, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
		"dictionary too large":   {methodDictionary, 3, 1, 1, 1, 1, symbolsSame, 0},
		"beyond the dictionary":  {methodDictionary, 1, 1, 1, symbolsSame, 2},
		"unknown symbols":        {methodDictionary, 1, 1, 1, 77},
		"symbols of 9 bits":      {methodDictionary, 1, 1, 1, symbolsPacked, 9, 1, 1, 1, 1, 1},
		"broken Huffman table":   {methodDictionary, 1, 1, 1, symbolsHuff1, 3, 1, 2, 3},
		"broken Huffman code":    {methodDictionary, 1, 1, 1, symbolsHuff4, 3, 129, 16, 0},
		"broken Zstandard frame": {methodDictionary, 1, 1, 1, symbolsZstd, 3, 1, 2, 3},
		"precision of 8":         {methodClasses, 0, 8, symbolsSame, 0},
		"low bits cut off":       {methodClasses, 0, 0, symbolsSame, 20},
		"class of 2^200":         {methodClasses, 0, 0, symbolsSame, 200},
	} {
		in := append([]byte{3, segmentBlock | segmentToEnd}, block...)
		r, err := Open(in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Check() == nil {
			t.Errorf("%s: decoded as %d %d %d", name, r.At(0), r.At(1), r.At(2))
		}
		if r.At(1) != 0 {
			t.Errorf("%s: value %d", name, r.At(1))
		}
		if _, err := Restore(in); err == nil {
			t.Errorf("%s: restored", name)
		}
	}
}

func ExampleBuilder() {
	b := NewBuilder()
	for i := range 1_000_000 {
		b.Append(int64(i) * 4096)
	}
	enc := b.Encode(nil)
	r, err := Open(enc)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(enc), "bytes;", r.At(999_999))
	// Output: 7 bytes; 4095995904
}

// A run that comes again and again takes the same space, however long it is and however often it
// comes, also if it moves.
func TestRepeatedRuns(t *testing.T) {
	for _, move := range []int64{0, 1000} {
		for _, n := range []int64{8, 20, 24, 27, 31, 32, 35, 600, 5000, 100_000} {
			b := NewBuilder()
			var want []int64
			for k := range max(3, min(600, 400_000/n)) {
				for i := range n {
					v := 1 + i + move*k
					want = append(want, v)
					b.Append(v)
				}
				if k == 5 { // go on from the encoding
					var err error
					if b, err = Restore(b.Encode(nil)); err != nil {
						t.Fatal(err)
					}
				}
			}
			enc := b.Encode(nil)
			if len(enc) > 12 {
				t.Errorf("moving by %d, runs of %d: %d bytes", move, n, len(enc))
			}
			checkReader(t, rand.New(rand.NewSource(n)), enc, want)
			segs, ok := Segments(enc, 4)
			if want := (Segment{Kind: Ramps, N: uint64(len(want)), Base: 1, Step: 1, Period: uint64(n),
				Move: move}); !ok || len(segs) != 1 || !reflect.DeepEqual(segs[0], want) {
				t.Errorf("moving by %d, runs of %d: %+v, want %+v", move, n, segs, want)
			}
		}
	}
}

// TestSegments takes columns apart and puts them together again.
func TestSegments(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	var seen [Ramps + 1]int
	for range 1000 {
		vals := streams(rng, 1+rng.Intn(1<<rng.Intn(12)))
		if rng.Intn(2) == 0 {
			vals = append(vals, streams(rng, 1+rng.Intn(300))...)
		}
		segs, ok := Segments(build(vals).Encode(nil), len(vals)+1)
		if !ok {
			continue // more numbers than values
		}
		for _, s := range segs {
			seen[s.Kind]++
		}
		enc := AppendSegments(nil, segs)
		checkReader(t, rng, enc, vals)
		if again, ok := Segments(enc, len(vals)+1); !ok || !reflect.DeepEqual(again, segs) {
			t.Fatalf("%+v, were %+v", again, segs)
		}
	}
	for kind, n := range seen {
		if n == 0 {
			t.Errorf("no segment of kind %d", kind)
		}
	}
}
