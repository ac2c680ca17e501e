package rankfunc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// grid23 are the axes of a grid of two rows and three columns, with shifts.
func grid23(down, right int64, periodic bool) []GridAxis {
	return []GridAxis{{Size: 2, Shift: down, Periodic: periodic}, {Size: 3, Shift: right, Periodic: periodic}}
}

// Every family of formulas: how it reads, its encoding, and its values at the six ranks of a
// communicator.
func TestFamilies(t *testing.T) {
	ctx := &Context{Size: 6}
	all := Range(0, 6)
	for _, c := range []struct {
		f      Formula
		text   string
		code   string
		values string
	}{
		{Formula{Kind: FormulaConstant, A: -2}, "-2", "0003", "[-2 -2 -2 -2 -2 -2]"},
		{Formula{Kind: FormulaShift, A: 3}, "rank+3", "0106", "[3 4 5 6 7 8]"},
		{Formula{Kind: FormulaRing, A: -1}, "(rank-1) mod 6", "0201", "[5 0 1 2 3 4]"},
		{Formula{Kind: FormulaLine, A: 1, B: -2}, "rank+1, -2 if no rank", "030203", "[1 2 3 4 5 -2]"},
		{Formula{Kind: FormulaXor, A: 1}, "rank xor 1", "0402", "[1 0 3 2 5 4]"},
		{Formula{Kind: FormulaAffine, A: -1, B: 5}, "-rank+5", "05010a", "[5 4 3 2 1 0]"},
		{Formula{Kind: FormulaOne, A: 7, B: 9, C: 2}, "9 for 2, else 7", "060e1204", "[7 7 9 7 7 7]"},
		{Formula{Kind: FormulaDiv, P: 2}, "rank div 2", "0702", "[0 0 1 1 2 2]"},
		{Formula{Kind: FormulaMod, A: 1, P: 4}, "(rank+1) mod 4", "080204", "[1 2 3 0 1 2]"},
		{Formula{Kind: FormulaLeader, P: 4}, "rank - rank mod 4", "0904", "[0 0 0 0 4 4]"},
		{Formula{Kind: FormulaCoords, A: 1, B: 2, P: 3}, "transpose 2x3", "0a02040003", "[0 2 4 1 3 5]"},
		{Formula{Kind: FormulaCoords, A: -1, B: 10, C: 5, P: 3}, "-(rank div 3)+10*(rank mod 3)+5", "0a01140a03",
			"[5 15 25 4 14 24]"},
		{Formula{Kind: FormulaGrid, B: -2, Axes: grid23(0, 1, false)}, "grid 2x3 (0,+1), -2 beyond the border",
			"0b0500030403",
			"[1 2 -2 4 5 -2]"},
		{Formula{Kind: FormulaGrid, B: -1, Axes: grid23(1, -1, true)}, "grid 2x3 (+1,-1) periodic", "0b05060301",
			"[5 3 4 2 0 1]"},
		{Formula{Kind: FormulaDigit, A: 5, C: 1, P: 2, Q: 2}, "5*rank div 2 mod 2+1", "0c0a020202", "[1 1 6 6 1 1]"},
		{Formula{Kind: FormulaParent, B: -1, P: 2}, "(rank-1) div 2, -1 for rank 0", "0d0102", "[-1 0 0 1 1 2]"},
		{Formula{Kind: FormulaChild, A: 2, B: -2, C: 1}, "2*rank+1, -2 if no rank", "0e040302", "[1 3 5 -2 -2 -2]"},
		{Formula{Kind: FormulaClearLow, B: -1}, "rank less its lowest bit, -1 for rank 0", "0f01", "[-1 0 0 2 0 4]"},
		{Formula{Kind: FormulaClearHigh, B: -1}, "rank less its highest bit, -1 for rank 0", "1001", "[-1 0 0 1 0 1]"},
		{Formula{Kind: FormulaAddBelow, A: 0, B: -2}, "rank+1 below its lowest bit, -2 if no rank", "110003",
			"[1 -2 3 -2 5 -2]"},
		{Formula{Kind: FormulaAddAbove, A: 1, B: -2}, "rank+2 above its highest bit, -2 if no rank", "120203",
			"[2 3 -2 -2 -2 -2]"},
		{Formula{Kind: FormulaXorLine, A: 2, B: -2}, "rank xor 2, -2 if no rank", "130403", "[2 3 0 1 -2 -2]"},
		{Formula{Kind: FormulaAtLeast, A: -2, B: 1}, "max(rank-2, 1)", "140302", "[1 1 1 1 2 3]"},
		{Formula{Kind: FormulaAtMost, A: 1, B: 4}, "min(rank+1, 4)", "150208", "[1 2 3 4 4 4]"},
		{Formula{Kind: FormulaBetween, A: 0, B: 1, C: 3}, "min(max(rank, 1), 3)", "16000206", "[1 1 2 3 3 3]"},
		{Formula{Kind: FormulaMultiple, A: 5, C: 2}, "(5*rank+2) mod 6", "170a04", "[2 1 0 5 4 3]"},
		// Of the grids of six ranks number 1 has 2 x 3. Neighbours come in order 0: up, left,
		// right, down.
		{Formula{Kind: FormulaNear, A: 0, number: 2, Axes: grid23(0, 0, false)},
			"neighbour 1 in grid 2x3 (-0 0- 0+ +0)", "19010000", "[1 0 1 0 1 2]"},
		{Formula{Kind: FormulaNearNumber, A: 0, B: 10, C: 1, Q: byCell, number: 2, Axes: grid23(0, 0, false)},
			"10*its direction to the base 3+1, neighbour 1 in grid 2x3 (-0 0- 0+ +0)", "1a0100021402",
			"[51 31 31 11 11 11]"},
	} {
		switch c.f.Kind {
		case FormulaRing, FormulaLine, FormulaGrid, FormulaChild, FormulaAddBelow, FormulaAddAbove, FormulaXorLine,
			FormulaMultiple, FormulaNear, FormulaNearNumber:
			c.f.Size = 6
		}
		var values []int64
		for r := range int64(6) {
			values = append(values, c.f.at(r))
		}
		code := c.f.append(nil)
		if got := c.f.String(); got != c.text {
			t.Errorf("%q: it reads %q", c.text, got)
		}
		if got := fmt.Sprint(values); got != c.values {
			t.Errorf("%s: values %s, not %s", c.text, got, c.values)
		}
		if got := fmt.Sprintf("%x", code); got != c.code {
			t.Errorf("%s: encoded as %s, not %s", c.text, got, c.code)
		}
		f, rest, err := Parse(code, ctx, all)
		if err != nil || len(rest) > 0 {
			t.Fatalf("%s: %v, %d bytes left", c.text, err, len(rest))
		}
		for r, v := range f.Values(all) {
			if v != values[r] {
				t.Errorf("%s: %d at rank %d once it is read, not %d", c.text, v, r, values[r])
			}
		}
		if !f.f.equal(&c.f) && c.f.Kind != FormulaGrid { // whose number is not written if it has one
			t.Errorf("%s: read as %v", c.text, f)
		}
	}
}

// A set is what its intervals are, in whatever pieces they come.
func TestSetsOfPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 2000 {
		var ranks []int
		for r := range 1 + rng.IntN(80) {
			if rng.IntN(3) > 0 {
				ranks = append(ranks, r)
			}
		}
		want := NewSet(ranks)
		if got := slices.Collect(want.All()); !slices.Equal(got, ranks) {
			t.Fatalf("%v has %v, not %v", want, got, ranks)
		}
		// The same in pieces that touch, overlap and come in any order.
		union := &Set{}
		for union.Len() < want.Len() {
			i := rng.IntN(len(ranks))
			union = union.Union(NewSet(ranks[i:min(len(ranks), i+1+rng.IntN(6))]))
		}
		if !union.Equal(want) || union.String() != want.String() {
			t.Fatalf("the union of pieces is %v, not %v", union, want)
		}
	}
}

// Sets for people: intervals, steps, and copies of lists.
func TestSetText(t *testing.T) {
	for _, c := range []struct {
		ranks []int
		want  string
	}{
		{nil, "none"},
		{[]int{3}, "3"},
		{[]int{5, 3, 4, 4}, "3-5"},
		{[]int{0, 1, 2, 8, 9}, "0-2,8-9"},
		{[]int{0, 7, 14, 21}, "0-21:7"},
		{[]int{0, 1, 4, 5, 8, 9}, "(0-1)+0-8:4"},
		{[]int{0, 1, 2, 5, 10, 11, 12, 15, 20, 21, 22, 25}, "(0-2,5)+0-20:10"},
	} {
		s := NewSet(c.ranks)
		if got := s.String(); got != c.want {
			t.Errorf("%v: %s, not %s", c.ranks, got, c.want)
		}
		if b, rest, err := ParseSet(s.Append(nil), 100); err != nil || len(rest) > 0 || !b.Equal(s) {
			t.Errorf("%v is read as %v: %v", s, b, err)
		}
	}
}

// Functions that no formula gives are pieces: the first one that has a rank counts.
func TestPiecesText(t *testing.T) {
	for _, c := range []struct {
		about string
		size  int
		value func(r int64) int64
		want  string
	}{
		{"one formula", 64, func(r int64) int64 { return r + 1 }, "rank+1"},
		{"every sixth rank differs", 64, func(r int64) int64 {
			if r%6 == 0 {
				return 5
			}
			return r - 1
		}, "5 for 0-60:6, else rank-1"},
		{"the upper half goes down", 64, func(r int64) int64 {
			if r >= 32 {
				return 100 - r
			}
			return 2 * r
		}, "2*rank for 0-31, else -rank+100"},
		{"no rule", 64, func(r int64) int64 { return r * r * 7919 % 1009 }, "list"},
	} {
		vals := make([]int64, c.size)
		for r := range vals {
			vals[r] = c.value(int64(r))
		}
		all := Range(0, c.size)
		f := Fit(&Context{Size: c.size}, all, vals)
		if got := f.String(); got != c.want {
			t.Errorf("%s: %q, not %q", c.about, got, c.want)
		}
		if n := len(f.Pieces(all)); n != 1+strings.Count(c.want, "else") {
			t.Errorf("%s: %d pieces", c.about, n)
		}
	}
}
