package comms

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// build makes a list of values, some of them added as runs.
func build(values []int, runs bool) *Members {
	var l listBuilder
	for i := 0; i < len(values); {
		n := 1
		if runs && i+1 < len(values) {
			step := values[i+1] - values[i]
			for i+n < len(values) && values[i+n]-values[i+n-1] == step {
				n++
			}
			l.addRun(int64(values[i]), int64(step), int64(n))
		} else {
			l.add(int64(values[i]))
		}
		i += n
	}
	return l.members()
}

func checkMembers(t *testing.T, values []int) {
	t.Helper()
	m := build(values, false)
	if !m.equal(build(values, true)) {
		t.Fatalf("%v: runs give another list than single members", values)
	}
	if got := slices.Collect(m.All()); !slices.Equal(got, values) || m.Len() != len(values) {
		t.Fatalf("%v came back as %v, length %d", values, got, m.Len())
	}
	for i, v := range values {
		if m.At(i) != v || m.Index(v) != i || m.Contains(v+1) != slices.Contains(values, v+1) ||
			m.Index(v-1) != slices.Index(values, v-1) {
			t.Fatalf("%v: At(%d) = %d, Index(%d) = %d", values, i, m.At(i), v, m.Index(v))
		}
	}
}

// regular makes distinct values with much structure.
func regular(rng *rand.Rand) []int {
	var out []int
	seen := map[int]bool{}
	for range rng.IntN(6) {
		start, step, count := rng.IntN(200), rng.IntN(9)-4, 1+rng.IntN(8)
		gap, times := rng.IntN(41)-20, 1+rng.IntN(5)
		for r := range times {
			for i := range count {
				if v := start + r*gap + i*step; !seen[v] {
					seen[v] = true
					out = append(out, v)
				}
			}
		}
	}
	return out
}

func TestMembers(t *testing.T) {
	checkMembers(t, nil)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		checkMembers(t, regular(rng))
		checkMembers(t, rng.Perm(rng.IntN(30)))
	}
}

func FuzzMembers(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 9, 7, 5})
	f.Fuzz(func(t *testing.T, in []byte) {
		var values []int
		for _, b := range in {
			if !slices.Contains(values, int(b)) {
				values = append(values, int(b))
			}
		}
		checkMembers(t, values)
	})
}

// Regular groups stay small whatever their size.
func TestMembersAreCompact(t *testing.T) {
	const n = 1 << 20
	l := newLists()
	world := l.span(0, n)
	plane := l.pick(groupRangeIncl, world, []int64{5, n - 1, 1024})
	rest := l.pick(groupRangeIncl, world, []int64{n - 1, 0, -1})
	tiles := gridOffsets([]int64{1024, 32, 32}, []int64{1, 0, 1})
	for name, m := range map[string]*Members{"plane": plane, "reversed": rest, "tiles": tiles} {
		if m.Len() < 1024 || len(m.blocks) != 1 {
			t.Errorf("%s: %d members in %d blocks", name, m.Len(), len(m.blocks))
		}
	}
	if plane.At(3) != 5+3*1024 || rest.At(0) != n-1 || tiles.At(33) != 1025 || tiles.Index(1025) != 33 ||
		tiles.Index(32) != -1 {
		t.Error("wrong members")
	}
	if l.pick(groupRangeIncl, world, []int64{5, n - 1, 1024}) != plane {
		t.Error("the same group is another list")
	}
}

// The operations on groups against plain slices.
func TestGroupOperations(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		l := newLists()
		a, b := regular(rng), regular(rng)
		ma, mb := l.of(a), l.of(b)
		has := func(s []int) func(int) bool { return func(v int) bool { return slices.Contains(s, v) } }
		keep := func(s []int, f func(int) bool) (out []int) {
			for _, v := range s {
				if f(v) {
					out = append(out, v)
				}
			}
			return out
		}
		not := func(f func(int) bool) func(int) bool { return func(v int) bool { return !f(v) } }
		compare := func(what string, got *Members, want []int) {
			t.Helper()
			if !slices.Equal(slices.Collect(got.All()), want) || got != l.of(want) {
				t.Fatalf("%s of %v and %v: %v, want %v", what, a, b, slices.Collect(got.All()), want)
			}
		}
		compare("union", l.combine(groupUnion, ma, mb), append(slices.Clone(a), keep(b, not(has(a)))...))
		compare("intersection", l.combine(groupIntersection, ma, mb), keep(a, has(b)))
		compare("difference", l.combine(groupDifference, ma, mb), keep(a, not(has(b))))
		if len(a) == 0 {
			continue
		}
		ranks := rng.Perm(len(a))[:rng.IntN(len(a)+1)]
		var wide []int64
		var chosen []int
		for _, r := range ranks {
			wide, chosen = append(wide, int64(r)), append(chosen, a[r])
		}
		compare("incl", l.pick(groupIncl, ma, wide), chosen)
		compare("excl", l.pick(groupExcl, ma, wide), keep(a, not(has(chosen))))
		first, last, stride := rng.IntN(len(a)), rng.IntN(len(a)), 1+rng.IntN(3)
		if last < first {
			stride = -stride
		}
		chosen = nil
		for r := first; stride > 0 && r <= last || stride < 0 && r >= last; r += stride {
			chosen = append(chosen, a[r])
		}
		triple := []int64{int64(first), int64(last), int64(stride)}
		compare("range_incl", l.pick(groupRangeIncl, ma, triple), chosen)
		compare("range_excl", l.pick(groupRangeExcl, ma, triple), keep(a, not(has(chosen))))
		if l.pick(groupIncl, ma, []int64{int64(len(a))}) != nil || l.pick(groupRangeIncl, ma, []int64{0, 1, 0}) != nil {
			t.Fatal("ranks that do not exist were taken")
		}
	}
}
