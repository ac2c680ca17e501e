package files

import (
	"math/rand/v2"
	"testing"
	"time"
)

// accesses makes a file of what ranks do: rank r makes n(r) accesses at offset(r, i).
func accesses(ranks int, n func(r int) int, offset func(r, i int) int64, bytes int64) *File {
	f := &File{ranks: map[int]*[2]sequence{}}
	for r := range ranks {
		f.ranks[r] = &[2]sequence{}
		for i := range n(r) {
			f.Writes.add(&f.ranks[r][1], offset(r, i), bytes, time.Microsecond)
		}
	}
	f.finish()
	return f
}

func always(n int) func(int) int { return func(int) int { return n } }

// TestPattern: offsets that are a formula are found to be that formula, and no others.
func TestPattern(t *testing.T) {
	for range 200 {
		want := Pattern{Base: rand.Int64N(1000), PerRank: rand.Int64N(1000), Step: rand.Int64N(1000), Calls: 2 + rand.Int64N(9),
			Bytes: rand.Int64N(5000)}
		ranks := 2 + rand.IntN(6)
		at := func(r, i int) int64 { return want.Base + want.PerRank*int64(r) + want.Step*int64(i) }
		if p := accesses(ranks, always(int(want.Calls)), at, want.Bytes).Writes.Pattern; p == nil || *p != want {
			t.Fatalf("%d ranks: got %+v, want %+v", ranks, p, want)
		}
		bad := rand.IntN(ranks)
		f := accesses(ranks, always(int(want.Calls)+1), func(r, i int) int64 {
			if r == bad && i == int(want.Calls)-1 {
				return at(r, i) + 1
			}
			return at(r, i)
		}, want.Bytes)
		if f.Writes.Pattern != nil {
			t.Fatalf("one offset is another one, and the formula is %+v", f.Writes.Pattern)
		}
	}
	f := accesses(3, func(r int) int { return r + 1 }, func(r, i int) int64 { return int64(10 * r) }, 5)
	if p := f.Writes.Pattern; p == nil || p.PerRank != 10 || p.Calls != -1 {
		t.Errorf("ranks with 1 to 3 accesses: %+v", p)
	}
}

// TestOrder: each access is in one class, and the first of a rank in none.
func TestOrder(t *testing.T) {
	a := accesses(2, always(10), func(r, i int) int64 { return int64(100 * i) }, 100).Writes
	if a.Consecutive != 18 || a.Forward+a.Backward+a.Strided != 0 || a.Calls != 20 || a.Bytes != 2000 {
		t.Errorf("one after the other: %+v", a)
	}
	if a.SmallCalls != 20 || a.Unaligned != 18 || a.Sizes[0] != 20 || a.Time != 20*time.Microsecond {
		t.Errorf("sizes: %+v", a)
	}
	a = accesses(1, always(10), func(r, i int) int64 { return int64(8192 * i) }, 4096).Writes
	if a.Forward != 9 || a.Strided != 8 || a.Unaligned != 0 || a.SmallCalls != 0 {
		t.Errorf("strided: %+v", a)
	}
	a = accesses(1, always(10), func(r, i int) int64 { return int64(-100*i + 1000) }, 10).Writes
	if a.Backward != 9 {
		t.Errorf("backward: %+v", a)
	}
}
