package rankfunc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestParseList: what people write, and which ranks below 20 that is.
func TestParseList(t *testing.T) {
	for text, want := range map[string]string{
		"3":             "[3]",
		"0,4-6":         "[0 4 5 6]",
		"4-6,0":         "[0 4 5 6]",
		" 1, 2":         "[1 2]",
		"8-17:4":        "[8 12 16]",
		"8-8:3":         "[8]",
		"17-":           "[17 18 19]",
		"10-:5":         "[10 15]",
		"2-4,3-5":       "[2 3 4 5]",
		"100-":          "[]",
		"0-0000000005":  "[0 1 2 3 4 5]",
		"5-30,0-40:100": "[0 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19]",
	} {
		l, err := ParseList(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := []int{}
		for r := range 20 {
			if l.Contains(r) {
				got = append(got, r)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q has %v, want %s", text, got, want)
		}
	}
}

// TestListErrors: the part that is wrong is named.
func TestListErrors(t *testing.T) {
	for text, part := range map[string]string{
		"": "is empty", "x": `"x"`, "1,,2": `""`, "1,5-3": `"5-3"`, "-3": `"-3"`, "0-7:0": `"0-7:0"`,
		"0-7:-1": `"0-7:-1"`,
		"0-7:":   `"0-7:"`, "1 2": `"1 2"`, "0,3-x,9": `"3-x"`, "99999999999999999999": `"99999999999999999999"`,
	} {
		if l, err := ParseList(text); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v, error %v, want one about %s", text, l, err, part)
		}
	}
}

// TestListOf: of a set in intervals, each way to work out the members that a list has gives those that are in both.
func TestListOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for range 500 {
		var ranks, want []int
		density := 1 + rng.IntN(5)
		for r := range 100 {
			if rng.IntN(density) == 0 {
				ranks = append(ranks, r)
			}
		}
		var parts []string
		for range 1 + rng.IntN(4) {
			low := rng.IntN(90)
			part := fmt.Sprintf("%d-%d", low, low+rng.IntN(60))
			switch rng.IntN(6) {
			case 0:
				part += fmt.Sprintf(":%d", 1+rng.IntN(9))
			case 1:
				part = fmt.Sprintf("%d-", low)
			case 2:
				part = fmt.Sprint(low)
			}
			parts = append(parts, part)
		}
		text := strings.Join(parts, ",")
		l, err := ParseList(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range ranks {
			if l.Contains(r) {
				want = append(want, r)
			}
		}
		if got := slices.Collect(l.Of(NewSet(ranks)).All()); !slices.Equal(got, want) {
			t.Fatalf("%s of %v is %v, want %v", text, ranks, got, want)
		}
	}
	if got := (List{{0, 5, 1}}).Of(nil); got.Len() != 0 {
		t.Errorf("of no ranks: %v", got)
	}
}

// TestShapes: grids have numbers by how square they are, so that a number means the like at any size.
func TestShapes(t *testing.T) {
	for size, want := range map[int]string{
		1:  "",
		7:  "0:[7]",
		12: "0:[12] 1:[3 4] 2:[2 2 3] 4:[4 3] 5:[2 3 2] 7:[2 6] 8:[3 2 2] 10:[6 2]",
		16: "0:[16] 1:[4 4] 2:[2 2 4] 4:[2 8] 5:[2 4 2] 7:[8 2] 8:[4 2 2]",
	} {
		c := &Context{Size: size}
		var got []string
		for n := range uint64(shapeAxes * maxShapes) {
			s := c.shape(n)
			if s == nil {
				continue
			}
			got = append(got, fmt.Sprintf("%d:%v", n, s))
			if k, ok := c.shapeNumber(s); !ok || uint64(k) != n {
				t.Errorf("size %d: grid %d, %v, has the number %d, %t", size, n, s, k, ok)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("size %d: %s, want %s", size, strings.Join(got, " "), want)
		}
	}
	c := &Context{Size: 12}
	for _, s := range [][]int64{{5, 2}, {12, 1}, {2, 2, 3, 1}, {}} {
		if n, ok := c.shapeNumber(s); ok {
			t.Errorf("%v, which is no grid of 12 ranks, has the number %d", s, n)
		}
	}
	if c.shape(shapeAxes*maxShapes) != nil || (*Context)(nil).shape(0) != nil {
		t.Error("a number that is too large, or no size, names a grid")
	}
	if _, ok := (*Context)(nil).shapeNumber([]int64{12}); ok {
		t.Error("a grid without a size has a number")
	}
}

// TestStepTable: the steps to the neighbours in the most square grids, in ascending order, have a byte each.
func TestStepTable(t *testing.T) {
	c := &Context{Size: 12}
	for k, want := range map[FormulaKind]int64{
		kStep: -4, kStep + 1: 4, // along the first axis of 3x4
		kStep + 2: -3, kStep + 3: 3, // of 4x3
		kStep + 4: -6, kStep + 5: 6, // of 2x6
		kStep3: -6, kStep3 + 1: -3, kStep3 + 2: 3, kStep3 + 3: 6, // along the first two of 2x2x3
		kStep1: -1, kStep1 + 1: 1,
		kStep - 1: 0, stepsEnd: 0, kStep + 10: 0,
	} {
		if got := c.step(k); got != want {
			t.Errorf("step %d adds %d, want %d", k, got, want)
		}
	}
	for size := 1; size < 200; size++ {
		c := &Context{Size: size}
		for k := kStep; k < stepsEnd; k++ {
			if a := c.step(k); a != 0 && c.step(c.stepFor(a)) != a {
				t.Errorf("size %d: the step that adds %d adds %d", size, a, c.step(c.stepFor(a)))
			}
		}
		if c.stepFor(0) != 0 {
			t.Errorf("size %d: there is a step that adds nothing", size)
		}
	}
}

// TestRanges: an empty set is nil or has no runs; both are the same set.
func TestRanges(t *testing.T) {
	var none *Set
	empty := Range(5, 5)
	if none.Len() != 0 || empty.Len() != 0 || !empty.Equal(NewSet(nil)) || none.Union(empty).Len() != 0 {
		t.Errorf("%v and %v are not empty", none, empty)
	}
	if got := none.Union(Range(2, 4)); !got.Equal(NewSet([]int{2, 3})) {
		t.Errorf("nothing and 2-3 is %v", got)
	}
	for _, bad := range [][2]int{{-1, 3}, {0, MaxRank + 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a set has ranks from %d up to %d", bad[0], bad[1])
				}
			}()
			Range(bad[0], bad[1])
		}()
	}
	// A set of as many ranks as there may be is one run.
	whole := Range(0, MaxRank+1)
	if whole.Len() != MaxRank+1 || whole.Max() != MaxRank || len(whole.Append(nil)) > 8 {
		t.Errorf("%v: %d ranks in %d bytes", whole, whole.Len(), len(whole.Append(nil)))
	}
}
