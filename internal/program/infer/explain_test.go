package infer

import (
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// seenIn is an inference that has recordings of some sizes, and nothing of them.
func seenIn(sizes ...int64) *inference {
	m := &inference{open: map[int64]bool{}, notes: map[assumption]bool{}, explicit: map[*Grid]bool{}, where: "it",
		budget: &budget{left: maxSearch}}
	for _, n := range sizes {
		m.recordings = append(m.recordings,
			&recording{c: &archive.Content{}, size: n, env: Env{Size: n, Index: make([]int64, 1)}})
	}
	m.makeGrids()
	return m
}

// values is what a program computes: a number at a rank of a job, in an iteration of a loop.
type values func(rank, size, i int64) int64

// table has the values of all ranks of all recordings, in some iterations each.
func (m *inference) table(f values, iterations int64) *table {
	t := &table{m: m, path: []int{0}}
	for _, s := range m.recordings {
		for r := range s.size {
			for i := range iterations {
				t.add(row{recording: s, rank: r, idx: []int64{i}}, f(r, s.size, i))
			}
		}
	}
	return t
}

// A program's numbers, and the formula that is found for them: what they mean and how many sizes
// were recorded decides.
var explained = []struct {
	about      string
	role       role
	sizes      []int64
	iterations int64
	value      values
	want       string
}{
	// One size. What is the same everywhere may be the number of ranks, or happen to be equal to
	// it.
	{"a size of messages that is equal to the number of ranks", roleOther, []int64{8}, 1,
		func(_, n, _ int64) int64 { return 8 }, "8 | it: 8 does not depend on the number of ranks, which is 8"},
	{"the number of ranks", roleSize, []int64{8}, 1, func(_, n, _ int64) int64 { return n }, "P"},
	{"half of the ranks", roleSize, []int64{8}, 1, func(_, n, _ int64) int64 { return n / 2 },
		"max((P div 2), 1) | it: 4 ranks are (P div 2)"},
	{"the last rank", roleRank, []int64{8}, 1, func(_, n, _ int64) int64 { return n - 1 },
		"(P - 1) | it: rank 7 is the last one"},
	{"a rank in the midst", roleRank, []int64{8}, 1, func(_, n, _ int64) int64 { return 4 },
		"4 | it: rank 4 is the same one in jobs of other sizes"},
	{"all others", roleTrips, []int64{8}, 1, func(_, n, _ int64) int64 { return n - 1 },
		"(P - 1) | it: 7 partners are (P - 1)"},
	{"as many steps as the number of ranks has bits", roleSteps, []int64{8}, 1,
		func(_, n, _ int64) int64 { return 3 }, "bits((P - 1)) | it: 3 partners are bits((P - 1))"},
	{"steps of a loop", roleLoop, []int64{8}, 1, func(_, n, _ int64) int64 { return 7 },
		"7 | it: 7 times in jobs of any size, although there are 8 ranks"},
	{"a tag", roleFixed, []int64{8}, 1, func(_, n, _ int64) int64 { return 8 }, "8"},

	// Two sizes tell what follows from the number of ranks.
	{"the number of ranks, of two jobs", roleOther, []int64{6, 8}, 1, func(_, n, _ int64) int64 { return n }, "P"},
	{"the same in two jobs", roleOther, []int64{6, 8}, 1, func(_, n, _ int64) int64 { return 8 }, "8"},
	{"a share of what there is", roleOther, []int64{6, 8}, 1, func(_, n, _ int64) int64 { return 4800 / n },
		"(4800 div P)"},
	{"a multiple of the number of ranks", roleOther, []int64{6, 8}, 1, func(_, n, _ int64) int64 { return 3 * n },
		"(P * 3)"},
	{"a sum with a multiple", roleOther, []int64{4, 6, 10}, 1, func(_, n, _ int64) int64 { return 3*n + 1 },
		"((P * 3) + 1)"},
	{"a sum with a multiple, of two sizes", roleOther, []int64{4, 6}, 1,
		func(_, n, _ int64) int64 { return 3*n + 1 },
		"((P * 3) + 1) | it: ((P * 3) + 1), from few sizes only"},
	{"a share", roleOther, []int64{4, 8}, 1, func(_, n, _ int64) int64 { return 4096 / n }, "(4096 div P)"},
	{"a share of a share, as in transposes", roleOther, []int64{4, 8}, 1,
		func(_, n, _ int64) int64 { return 65536 / n / n }, "(65536 div (P * P))"},
	{"a share with a header", roleOther, []int64{2, 4, 8}, 1, func(_, n, _ int64) int64 { return 4096/n + 48 },
		"((4096 div P) + 48) | it: that it is ((4096 div P) + 48) rests on few values"},
	{"the rank does not matter, so it is in no formula", roleOther, []int64{4, 8}, 1,
		func(_, n, _ int64) int64 { return 20000 - n*n*n }, ""},
	{"steps along a row", roleSteps, []int64{4, 8, 16, 32}, 1,
		func(_, n, _ int64) int64 { return map[int64]int64{4: 1, 8: 2, 16: 2, 32: 3}[n] },
		"bits((d0 - 1))"},
	{"what follows no rule", roleOther, []int64{4, 6, 10}, 1, func(_, n, _ int64) int64 { return n * n * n % 17 }, ""},

	// Ranks that calls go to.
	{"oneself", roleRank, []int64{8}, 1, func(r, _, _ int64) int64 { return r }, "r"},
	{"the next one, none at the end", roleRank, []int64{8}, 1,
		func(r, n, _ int64) int64 {
			if r == n-1 {
				return -2
			}
			return r + 1
		}, "((r + 1) if (not(((r + 1) < 0)) and ((r + 1) < P)) else -2)"},
	{"the next one, around", roleRank, []int64{8}, 1, func(r, n, _ int64) int64 { return (r + 1) % n },
		"((r + 1) mod P)"},
	{"the one before, around", roleRank, []int64{8}, 1, func(r, n, _ int64) int64 { return (r + n - 1) % n },
		"((r - 1) mod P)"},
	{"the one before or the next one, of three", roleRank, []int64{3}, 1,
		func(r, n, _ int64) int64 { return (r + 2) % n }, "((r - 1) mod P)"},
	{"a pair", roleRank, []int64{8}, 1, func(r, _, _ int64) int64 { return r ^ 1 },
		"(r xor 1) | it: the partner has another bit in its rank; " +
			"it could as well be a neighbour on a process grid with two ranks along an axis"},
	{"the other bit in each step", roleRank, []int64{8}, 3, func(r, _, i int64) int64 { return r ^ 1<<i },
		"(r xor 2^(i0))"},
	{"further away in each step", roleRank, []int64{7}, 6, func(r, n, i int64) int64 { return (r + i + 1) % n },
		"((r + (i0 + 1)) mod P)"},
	{"the parent in a binary tree", roleRank, []int64{15}, 1, func(r, _, _ int64) int64 {
		if r == 0 {
			return -2
		}
		return (r - 1) / 2
	}, "(((r - 1) div 2) if (not((((r - 1) div 2) < 0)) and (((r - 1) div 2) < P)) else -2)"},
	{"the parent in a binomial tree", roleRank, []int64{13}, 1, func(r, _, _ int64) int64 {
		if r == 0 {
			return -2
		}
		return r & (r - 1)
	}, "((r + (-1 * lowest bit of(r))) if not((r = 0)) else -2)"},
	{"the next row of a grid, around", roleRank, []int64{12}, 1, func(r, n, _ int64) int64 { return (r + 3) % n },
		"shift[1 0]wrap[true false]"},
	{"the next column of a grid", roleRank, []int64{12}, 1, func(r, n, _ int64) int64 {
		if r%3 == 2 {
			return -1
		}
		return r + 1
	}, "(shift[0 1] if not((shift[0 1] < 0)) else -1)"},
	{"the place with row and column exchanged", roleRank, []int64{9}, 1,
		func(r, n, _ int64) int64 { return r%3*3 + r/3 },
		"((c1 * d0) + c0)"},
	{"halves, then quarters", roleRank, []int64{4, 8, 16, 32}, 2,
		func(r, n, i int64) int64 { return r ^ n>>(i+1) }, "(r xor (P div 2^((i0 + 1))))"},
	{"the place in a square, or in two that alternate, with row and column exchanged", roleRank,
		[]int64{4, 8, 16, 32}, 1, func(r, n, _ int64) int64 {
			side, each := int64(1), int64(1)
			for 4*side*side <= n {
				side *= 2
			}
			if side*side != n {
				each = 2
			}
			return (r/each%side*side+r/each/side)*each + r%each
		}, "(((c1 * d0) + c0) if (d0 = d1) else ((((c1 * d0) + c0) * d2) + c2))"},
	{"a partner of two", roleRank, []int64{2}, 1, func(r, _, _ int64) int64 { return 1 - r },
		" | with two ranks there is one partner only, whoever it is"},
	{"somebody", roleRank, []int64{16}, 1, func(r, n, _ int64) int64 { return r * 2654435761 >> 7 % n }, ""},

	// Numbers that differ between ranks or iterations.
	{"grows with the rank", roleOther, []int64{8}, 1, func(r, _, _ int64) int64 { return 16*r + 5 }, "((16 * r) + 5)"},
	{"grows with the step", roleOther, []int64{8}, 5, func(_, _, i int64) int64 { return 4*i + 2 }, "((4 * i0) + 2)"},
	{"grows with both", roleOther, []int64{8}, 5, func(r, _, i int64) int64 { return 3*r + 4*i },
		"((3 * r) + (4 * i0))"},
	{"one for each step", roleOther, []int64{8}, 4, func(_, _, i int64) int64 { return []int64{5, 9, 2, 6}[i] },
		"[5, 9, 2, 6][i0]"},
	{"the first rank differs", roleOther, []int64{8}, 1, func(r, _, _ int64) int64 {
		if r == 0 {
			return 100
		}
		return 7
	}, "(100 if (r = 0) else 7) | it: 7 does not depend on the number of ranks, which is 8"},
	{"the last rank differs", roleOther, []int64{6, 9}, 1, func(r, n, _ int64) int64 {
		if r == n-1 {
			return 100
		}
		return 7
	}, "(100 if (r = (P - 1)) else 7)"},
	{"every third rank", roleOther, []int64{12}, 1, func(r, _, _ int64) int64 { return b2i(r%3 == 0) },
		"((r mod 3) = 0) | it: the condition is that ((r mod 3) = 0), and not a place in a process grid"},
	{"both ends", roleOther, []int64{16}, 1, func(r, n, _ int64) int64 { return b2i(r == 0 || r == n-1) },
		"((r = (P - 1)) or (r = 0))"},
	{"at squares only, less with more ranks", roleFixed, []int64{4, 8, 16, 32}, 1, func(r, n, _ int64) int64 {
		if n == 4 || n == 16 {
			return 0
		}
		return 640/n - 640/n*(r%2)
	}, "(0 if (d0 = d1) else ((640 div P) + ((-1 * (640 div P)) * c2)))"},
	{"the row of a grid", roleOther, []int64{16}, 1, func(r, _, _ int64) int64 { return r / 4 }, "c0"},
	{"two ranks of many", roleOther, []int64{4, 9, 16}, 1,
		func(r, n, _ int64) int64 { return b2i(n == 16 && (r == 7 || r == 14)) }, ""},
	{"no rule", roleOther, []int64{16}, 1, func(r, _, _ int64) int64 { return (r*r*r + 7*r) % 101 }, ""},
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func TestExplained(t *testing.T) {
	for _, c := range explained {
		m := seenIn(c.sizes...)
		tab := m.table(c.value, c.iterations)
		e := tab.explain(c.role)
		parts := []string{""}
		if e != nil {
			parts[0] = m.settle(e).String()
			for _, a := range assumed(m.notes) {
				parts = append(parts, a.String())
			}
		} else if m.blocked != "" {
			parts = append(parts, m.blocked)
		}
		if got := strings.Join(parts, " | "); got != c.want {
			t.Errorf("%s: %q, not %q", c.about, got, c.want)
		}
		// Whatever is found has the values.
		for i := range tab.rows {
			if e != nil && tab.eval(e, i) != tab.vals[i] {
				t.Fatalf("%s: %v is wrong at rank %d of %d", c.about, e, tab.rows[i].rank, tab.rows[i].recording.size)
			}
		}
	}
}
