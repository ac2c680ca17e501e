package rankfunc_test

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// Two nodes see the right neighbours of their halves of a ring of eight ranks.
func ExampleMerge() {
	ctx := &rankfunc.Context{Size: 8}
	low, high := rankfunc.Range(0, 4), rankfunc.Range(4, 8)
	a := rankfunc.Fit(ctx, low, []int64{1, 2, 3, 4})
	b := rankfunc.Fit(ctx, high, []int64{5, 6, 7, 0})
	fmt.Println(a)
	fmt.Println(b)
	fmt.Println(rankfunc.Merge(ctx, a, low, b, high))
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
	s := rankfunc.NewSet(ranks)
	fmt.Println(s, s.Len(), s.Contains(12))
	fmt.Println(len(s.Append(nil)), "bytes")
	// Output:
	// (0-3)+7-25:6 16 false
	// 5 bytes
}
