package timing

import (
	"encoding/binary"
	"maps"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// someSummaries are those of random classes, in their order.
func someSummaries(rng *rand.Rand) []ClassSummary {
	byClass := map[uint32]ClassSummary{}
	for range rng.Intn(20) {
		s := ClassSummary{Class: uint32(rng.Intn(30)), Calls: 1 + uint64(rng.Intn(1000)), Sum: rng.Uint64()}
		s.Max = ceiling(rng.Uint64() >> (2 + rng.Intn(60)))
		byClass[s.Class] = s
	}
	var list []ClassSummary
	for _, c := range slices.Sorted(maps.Keys(byClass)) {
		list = append(list, byClass[c])
	}
	return list
}

// TestClassSummaries: summaries are read as they were written, and two merged are what counting class by class gives.
func TestClassSummaries(t *testing.T) {
	rng := rand.New(rand.NewSource(41))
	for range 500 {
		x, y := someSummaries(rng), someSummaries(rng)
		calls := uint64(0)
		want := map[uint32]ClassSummary{}
		for _, s := range slices.Concat(x, y) {
			w := want[s.Class]
			want[s.Class] = ClassSummary{s.Class, w.Calls + s.Calls, w.Sum + s.Sum, max(w.Max, s.Max)}
			calls += s.Calls
		}
		both := mergeClasses(x, y)
		if !slices.IsSortedFunc(both, func(a, b ClassSummary) int { return int(a.Class) - int(b.Class) }) ||
			len(both) != len(want) {
			t.Fatalf("%v and %v are %v", x, y, both)
		}
		for _, s := range both {
			if s != want[s.Class] {
				t.Fatalf("class %d: %+v, want %+v", s.Class, s, want[s.Class])
			}
		}
		in := appendClasses(nil, both)
		p := open(in, 0)
		if back := readClasses(p, calls); p.Err != nil || p.Left() > 0 || !slices.Equal(back, both) {
			t.Fatalf("read %v, want %v: %v", back, both, p.Err)
		}
		for _, other := range []uint64{calls + 1, calls - 1} {
			if calls == 0 {
				break
			}
			p := open(in, 0)
			if readClasses(p, other); p.Err == nil {
				t.Fatalf("a summary of %d calls is one of %d", calls, other)
			}
		}
	}
}

// TestBrokenSummaries: classes and durations that cannot be.
func TestBrokenSummaries(t *testing.T) {
	for what, numbers := range map[string][]uint64{
		"":                            {2, 0, 3, 100, 5, 0, 4, 100, 5},
		"summary out of range: class": {1, MaxClass + 1, 7, 100, 5},
		"summary out of range: back":  {2, 5, 3, 100, 5, 1<<64 - 3, 4, 100, 5},
		"summary out of range: calls": {2, 0, 3, 100, 5, 0, 5, 100, 5},
		"summary out of range: most":  {1, 0, 7, 100, 61<<3 + 8},
		"a summary of other calls":    {1, 0, 3, 100, 5},
	} {
		var in []byte
		for _, n := range numbers {
			in = binary.AppendUvarint(in, n)
		}
		p := open(in, 0)
		readClasses(p, 7)
		if want, _, _ := strings.Cut(what, ":"); (p.Err == nil) != (what == "") ||
			p.Err != nil && !strings.Contains(p.Err.Error(), want) {
			t.Errorf("%q: error %v", what, p.Err)
		}
	}
}

// TestClassIndex numbers small and large classes as they come, the same each time, and from anew after a reset.
func TestClassIndex(t *testing.T) {
	var x classIndex
	for range 2 {
		x.reset()
		numbers := map[uint32]int{}
		for _, c := range []uint32{0, 255, 256, 7, 256, 0, MaxClass, 255, MaxClass, 7} {
			next := len(numbers)
			if _, ok := numbers[c]; !ok {
				numbers[c] = next
			}
			if got, want := x.of(c, next), numbers[c]; got != want {
				t.Errorf("class %d is number %d, want %d", c, got, want)
			}
		}
	}
}

// TestDriftOfUnlike: however long calls are, and whichever way their bins round, no start or end is further off than
// one number may be, after many blocks as after one.
func TestDriftOfUnlike(t *testing.T) {
	rng := rand.New(rand.NewSource(42))
	for _, text := range []string{"lossy:1%", "lossy:100%", "lossy:1us"} {
		m, err := ParseMode(text)
		if err != nil {
			t.Fatal(err)
		}
		p := &program{classes: []uint32{0}}
		now, longest := uint64(1)<<45, uint64(0)
		for range 3*blockCalls + 1 {
			gap, duration := uint64(rng.Intn(3000)), uint64(1)<<rng.Intn(14)+uint64(rng.Intn(2))
			p.calls = append(p.calls, Span{now + gap, now + gap + duration})
			p.terms = append(p.terms, 0)
			now += gap + duration
			longest = max(longest, gap, duration)
		}
		l := newLimits(m.Bound, Rate{1, 2})
		most, far := l.allowed(longest), uint64(0)
		for i, c := range decodeAll(t, p.open(t, p.encode(m))) {
			far = max(far, magnitude(int64(c.Start-p.calls[i].Start)), magnitude(int64(c.End-p.calls[i].End)))
			if d, want := c.End-c.Start, p.calls[i].End-p.calls[i].Start; magnitude(int64(d-want)) > l.allowed(want) {
				t.Fatalf("%s: call %d takes %d, stored as %d", text, i, want, d)
			}
		}
		if far > most || far == 0 {
			t.Errorf("%s: a time is %d ticks off, a number %d at most", text, far, most)
		}
	}
}

// TestBrokenErrors: a sum of squares is a number, and not negative.
func TestBrokenErrors(t *testing.T) {
	for _, sum := range []float64{math.NaN(), -1} {
		e := Errors{Calls: 1}
		e.Gaps.Sum2 = sum
		var back Errors
		p := open(e.append(nil), 0)
		if back.read(p); p.Err == nil {
			t.Errorf("squares may add up to %g", sum)
		}
	}
}
