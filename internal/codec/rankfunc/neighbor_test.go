package rankfunc

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// existing lists the neighbours of r in the order of the directions, with the places of these in
// that order.
func existing(dims []int, dirs [][]int, r int) (ranks, places []int) {
	at := coordinates(dims, r)
	for i, by := range dirs {
		v, ok := 0, true
		for k, d := range dims {
			x := at[k] + by[k]
			ok = ok && x >= 0 && x < d
			v = v*d + x
		}
		if ok {
			ranks, places = append(ranks, v), append(places, i)
		}
	}
	return ranks, places
}

// orderTests are orders in which programs go through the directions, with numbers that go with
// them.
var orderTests = []struct {
	name  string
	dims  [][]int
	dirs  [][]int
	tags  []int64 // none: of no simple form
	bytes int     // of the tags
}{
	{"ascending", [][]int{{3, 3}, {6, 6}, {12, 21}, {64, 64}, {1024, 1024}, {2, 50}},
		[][]int{{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, []int64{1, 3, 5, 7}, 6},
	{"in pairs", [][]int{{3, 3}, {4, 6}, {64, 64}}, [][]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}},
		[]int64{101, 100, 103, 102}, 7},
	{"clockwise", [][]int{{5, 5}, {30, 30}}, [][]int{{-1, 0}, {0, 1}, {1, 0}, {0, -1}}, []int64{40, 30, 20, 10}, 7},
	{"faces", [][]int{{3, 3, 3}, {8, 8, 8}, {7, 6, 5}},
		[][]int{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}}, []int64{4, 10, 12, 14, 16, 22},
		6},
	{"columns first", [][]int{{4, 4}, {20, 20}}, [][]int{{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1},
		{1, 1}}, nil, 0},
	{"line", [][]int{{2}, {36}, {1 << 20}}, [][]int{{-1}, {1}}, []int64{7, 8}, 6},
}

// TestCourses checks the numbers that the encoding gives to orders of directions.
func TestCourses(t *testing.T) {
	for _, c := range []struct {
		axes, number int
		dirs         []int
	}{
		{1, 0, []int{0, 2}}, {1, 1, []int{2, 0}},
		{2, 0, []int{1, 3, 5, 7}}, {2, 1, []int{1, 3, 7, 5}}, {2, 23, []int{7, 5, 3, 1}},
		{2, 24, []int{0, 1, 2, 3, 5, 6, 7, 8}}, {2, 25, []int{6, 7, 8, 3, 5, 0, 1, 2}},
		{2, 28, []int{0, 3, 6, 1, 7, 2, 5, 8}},
		{3, 0, []int{4, 10, 12, 14, 16, 22}}, {3, 1, []int{4, 22, 10, 16, 12, 14}},
		{3, 5, []int{22, 16, 14, 4, 10, 12}},
		{3, 6 + 2, []int{4, 12, 10, 22, 14, 16}},
	} {
		if list := neighborOrders(c.axes); !slices.Equal(list[c.number].dirs, c.dirs) {
			t.Errorf("%d axes, course %d is %v, want %v", c.axes, c.number, list[c.number].dirs, c.dirs)
		}
	}
	if a, b, c := len(neighborOrders(1)), len(neighborOrders(2)), len(neighborOrders(3)); a != 2 || b != 32 || c != 84 {
		t.Errorf("%d, %d and %d courses", a, b, c)
	}
	for _, d := range neighborOrders(3)[36:] {
		if len(d.dirs) != 26 {
			t.Errorf("%d directions all around", len(d.dirs))
		}
	}
}

// TestNeighbours checks that the k-th of the neighbours that exist is one short formula for all
// ranks that have equally many, in grids of any size.
func TestNeighbours(t *testing.T) {
	for _, c := range orderTests {
		for _, dims := range c.dims {
			ctx := &Context{Size: product(dims)}
			more := 0
			if len(dims) > 1 && slices.Contains(dims, 2) {
				more = 4 // the directions that are missing may tell another story
			}
			byCount := map[int][]int{}
			for r := range ctx.Size {
				if ctx.Size > 1<<12 && r%977 != 0 && borders(dims, r) == 0 {
					continue
				}
				ns, _ := existing(dims, c.dirs, r)
				byCount[len(ns)] = append(byCount[len(ns)], r)
			}
			for n, rs := range byCount {
				s := NewSet(rs)
				for k := range n {
					var peers, tags []int64
					for _, r := range rs {
						ns, places := existing(dims, c.dirs, r)
						peers = append(peers, int64(ns[k]))
						if c.tags != nil {
							tags = append(tags, c.tags[places[k]])
						}
					}
					checkIn(t, c.name, ctx, s, peers, 4+more)
					if c.tags != nil {
						checkIn(t, c.name+", tags", ctx, s, tags, c.bytes+more)
					}
				}
			}
		}
	}
}

// checkIn checks that the values take at most so many bytes and are read again.
func checkIn(t *testing.T, name string, ctx *Context, s *Set, vals []int64, limit int) {
	t.Helper()
	f := Fit(ctx, s, vals)
	b := f.AppendIn(nil, ctx)
	if len(b) > limit {
		t.Errorf("%s, %d ranks of %d: %d bytes for %v", name, s.Len(), ctx.Size, len(b), f)
	}
	g, rest, err := Parse(b, &Context{Size: ctx.Size}, s)
	if err != nil || len(rest) > 0 || !bytes.Equal(g.AppendIn(nil, ctx), b) {
		t.Fatalf("%s: %v was read as %v, %d bytes left: %v", name, f, g, len(rest), err)
	}
	for i, v := range vals {
		if r := s.At(i); f.At(r) != v || g.At(r) != v {
			t.Fatalf("%s: rank %d has %d, read %d, want %d: %v", name, r, f.At(r), g.At(r), v, f)
		}
	}
}

// TestSteps checks that the shift to a neighbour takes one byte in grids of any size.
func TestSteps(t *testing.T) {
	for _, dims := range [][]int{{7}, {6, 6}, {21, 12}, {1024, 1024}, {8, 8, 8}, {128, 128, 64}} {
		ctx := &Context{Size: product(dims)}
		stride := 1
		for i := len(dims) - 1; i >= 0; i-- {
			for _, a := range []int64{int64(stride), -int64(stride)} {
				if len(dims) == 2 || slices.IsSortedFunc(dims, func(a, b int) int { return b - a }) {
					f := &Func{f: &Formula{Kind: FormulaShift, A: a}}
					b := f.AppendIn(nil, ctx)
					g, rest, err := Parse(b, ctx, Range(0, ctx.Size))
					if len(b) > 2 || err != nil || len(rest) > 0 || g.f.Kind != FormulaShift || g.f.A != a {
						t.Errorf("%v: %+d took the bytes %x and became %v: %v", dims, a, b, g, err)
					}
				}
			}
			stride *= dims[i]
		}
	}
	for k := range FormulaKind(tagExcept) {
		if a := (&Context{Size: 4096}).step(k); a != 0 && (&Context{Size: 4096}).stepFor(a) > k {
			t.Errorf("step %d adds %d, which a later one stands for", k, a)
		}
	}
}

// TestGridSets checks that sets of regions take the same few bytes in grids of any size, and those
// that lack a few intervals, too.
func TestGridSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, dims := range [][]int{{30}, {3, 3}, {2, 11}, {6, 6}, {21, 12}, {64, 64}, {300, 300}, {4, 4, 4},
		{20, 20, 20}} {
		ctx := &Context{Size: product(dims)}
		shape := make([]int64, len(dims))
		for i, d := range dims {
			shape[i] = int64(d)
		}
		for range 60 {
			mask := uint32(rng.IntN(1 << regionsOf[len(dims)]))
			if rng.IntN(2) == 0 {
				mask = countedRegions(shape, uint32(rng.IntN(2<<len(dims))))
			}
			var rs []int
			axes := make([]GridAxis, len(dims))
			for i := range axes {
				axes[i].Size = shape[i]
			}
			for r := range ctx.Size {
				if mask>>regionOf(axes, int64(r))&1 != 0 {
					rs = append(rs, r)
				}
			}
			want := NewSet(rs)
			if got := gridSet(shape, mask); !got.Equal(want) {
				t.Fatalf("%v: cells %b are %v, want %v", dims, mask, got, want)
			}
			checkSetIn(t, ctx, want, 1+1+5)
		}
	}
	for _, n := range []int{9, 4096, 1 << 20} {
		ctx := &Context{Size: n}
		checkSetIn(t, ctx, Range(0, n), 3)
		checkSetIn(t, ctx, Range(1, n), 4)
		checkSetIn(t, ctx, Range(0, 5).Union(Range(7, n)), 4)
		checkSetIn(t, ctx, Range(0, n-1), 8)
	}
}

func checkSetIn(t *testing.T, ctx *Context, s *Set, limit int) {
	t.Helper()
	b := s.AppendIn(nil, ctx)
	if len(b) > limit && len(b) >= len(s.Append(nil)) && len(s.list.of) <= maxGridRuns {
		t.Errorf("%v of %d takes %d bytes", s, ctx.Size, len(b))
	}
	got, rest, err := ParseSetIn(append(slices.Clone(b), 1, 2), &Context{Size: ctx.Size}, ctx.Size)
	if err != nil || len(rest) != 2 || !got.Equal(s) ||
		!slices.Equal(slices.Collect(got.All()), slices.Collect(s.All())) {
		t.Fatalf("%v of %d was read as %v, %v left: %v", s, ctx.Size, got, rest, err)
	}
	if again := got.AppendIn(nil, ctx); !bytes.Equal(again, b) {
		t.Errorf("%v of %d: %x was written again as %x", s, ctx.Size, b, again)
	}
}
