package files

import (
	"math"
	"math/rand/v2"
	"slices"
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
	f.finish(false)
	return f
}

func always(n int) func(int) int { return func(int) int { return n } }

// TestPattern: offsets that are a formula are found to be that formula, and no others.
func TestPattern(t *testing.T) {
	for range 200 {
		want := Pattern{Base: rand.Int64N(1000), PerRank: rand.Int64N(1000), Step: rand.Int64N(1000),
			Calls: 2 + rand.Int64N(9),
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

// TestTurns: offsets that go on in turns are a formula of the rank, the place in the turn and the turn.
func TestTurns(t *testing.T) {
	for range 200 {
		want := Pattern{Base: rand.Int64N(1000), PerRank: rand.Int64N(1000), Step: rand.Int64N(1000),
			Turn: 5000 + rand.Int64N(1000),
			Run:  2 + rand.Int64N(5), Bytes: 7}
		ranks, turns := 2+rand.IntN(3), 3+rand.IntN(4)
		want.Calls = want.Run * int64(turns)
		if want.Turn == want.Run*want.Step {
			continue // one step after all
		}
		at := func(r, i int) int64 {
			return want.Base + want.PerRank*int64(r) + want.Step*(int64(i)%want.Run) + want.Turn*(int64(i)/want.Run)
		}
		if p := accesses(ranks, always(int(want.Calls)), at, 7).Writes.Pattern; p == nil || *p != want {
			t.Fatalf("%d ranks: got %+v, want %+v", ranks, p, want)
		}
		bad := 1 + rand.IntN(int(want.Calls)-1)
		if p := accesses(ranks, always(int(want.Calls)), func(r, i int) int64 {
			if i >= bad && r == 1 {
				return at(r, i) + 3
			}
			return at(r, i)
		}, 7).Writes.Pattern; p != nil {
			t.Fatalf("offsets change in access %d of %+v, and the formula is %+v", bad, want, p)
		}
	}
}

// served makes accesses of ranks that come at random times, or all at once, to something that serves them: servers at a
// time, each for a time of its own.
func served(ranks, steps int, together bool, servers int) *samples {
	s := &samples{}
	rng := rand.New(rand.NewPCG(1, uint64(ranks+servers)))
	type arrival struct{ at time.Duration }
	var all []arrival
	for step := range steps {
		for range ranks {
			at := time.Duration(step) * 20 * time.Millisecond
			if !together {
				at += time.Duration(rng.Int64N(int64(20 * time.Millisecond)))
			} else {
				at += time.Duration(rng.Int64N(int64(20 * time.Microsecond)))
			}
			all = append(all, arrival{at})
		}
	}
	slices.SortFunc(all, func(a, b arrival) int { return int(a.at - b.at) })
	free := make([]time.Duration, servers)
	for _, a := range all {
		k := 0
		for i := range free {
			if free[i] < free[k] {
				k = i
			}
		}
		begin := max(a.at, free[k])
		free[k] = begin + time.Duration(float64(time.Millisecond)*(0.5+rng.ExpFloat64()))
		s.add(&access{begin: a.at, end: free[k], bytes: 1 << 20})
	}
	return s
}

// TestContention: accesses that queue for one disk are told from those of which each has its own, however much the
// times of both vary.
func TestContention(t *testing.T) {
	for _, together := range []bool{false, true} {
		s := served(8, 200, together, 1)
		var alone time.Duration
		for _, x := range served(8, 200, together, 1000).list {
			alone += x.end - x.begin
		}
		c := s.contention()[0]
		if c.Calls != 1600 || c.Slowdown() < 1.5 || math.Abs(float64(c.Alone)/float64(alone)-1) > 0.5 {
			t.Errorf("together %v: one disk: %+v, alone %v", together, c, alone)
		}
		if c := served(8, 200, together, 1000).contention(); c != [2]Contention{} {
			t.Errorf("together %v: a disk for each: %+v", together, c)
		}
	}
	// Too many to be kept: every second stretch of time tells the same.
	few, many := served(8, 2000, false, 1), served(8, 2000, false, 1)
	few.every = 2
	few.list = slices.DeleteFunc(few.list, func(x sample) bool { return !few.touches(&x) })
	a, b := few.contention()[0], many.contention()[0]
	if math.Abs(a.Slowdown()/b.Slowdown()-1) > 0.2 || math.Abs(float64(a.Time)/float64(b.Time)-1) > 0.2 {
		t.Errorf("half of it: %+v, all: %+v", a, b)
	}
}

// TestMap: cells have all bytes, where they were moved, however large the file becomes.
func TestMap(t *testing.T) {
	p := newPlaced()
	sum := 0.0
	for i := range 1000 {
		p.add(&access{begin: time.Duration(1e6 * i), end: time.Duration(1e6*i + 5e5), offset: int64(i) << 20,
			bytes: 1 << 20})
		sum += 1 << 20
	}
	p.add(&access{begin: 0, end: 1, offset: math.MaxInt64 - 5, bytes: 5})
	m := p.finish()
	got := 0.0
	for i, v := range m.Cells {
		got += v
		row, col := i/m.Cols, i%m.Cols
		// The file is written from the beginning to the end, so that there is a diagonal.
		if d := float64(row)/float64(m.Rows) - float64(col)/float64(m.Cols); v > 0 && math.Abs(d) > 0.02 {
			t.Fatalf("%v bytes in row %d of %d, column %d of %d", v, row, m.Rows, col, m.Cols)
		}
	}
	if math.Abs(got-sum) > 1 || m.Rows < mapRows/2-10 || m.Cols < mapCols/2-30 || len(m.Cells) != m.Rows*m.Cols {
		t.Errorf("%v bytes of %v in %d x %d cells", got, sum, m.Rows, m.Cols)
	}
}
