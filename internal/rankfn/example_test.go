package rankfn_test

import (
	"fmt"

	"tabard/internal/rankfn"
)

// Two nodes see the right neighbours of their halves of a ring of eight ranks.
func ExampleMerge() {
	ctx := &rankfn.Context{Size: 8}
	low, high := rankfn.Range(0, 4), rankfn.Range(4, 8)
	a := rankfn.Fit(ctx, low, []int64{1, 2, 3, 4})
	b := rankfn.Fit(ctx, high, []int64{5, 6, 7, 0})
	fmt.Println(a)
	fmt.Println(b)
	fmt.Println(rankfn.Merge(ctx, a, low, b, high))
	// Output:
	// rank+1
	// (rank+1) mod 8
	// (rank+1) mod 8
}

// The ranks of a 6 x 6 grid that are not at its border.
func ExampleSet() {
	var ranks []int
	for y := 1; y < 5; y++ {
		for x := 1; x < 5; x++ {
			ranks = append(ranks, 6*y+x)
		}
	}
	s := rankfn.NewSet(ranks)
	fmt.Println(s, s.Len(), s.Contains(12))
	fmt.Println(len(s.Append(nil)), "bytes")
	// Output:
	// (0-3)+7-25:6 16 false
	// 5 bytes
}
