// Package sizeclass groups numbers of like size. With k bits of precision the numbers below 2^(k+1) are classes of
// their own, and each octave above has 2^k classes; the bits of a number that its class leaves open are its low bits.
// Classes go to an entropy coder, low bits are stored as they are.
//
// The scheme is that of Exp-Golomb codes and HdrHistogram's buckets.
package sizeclass

import "math/bits"

// Of returns the class of v and the number of its low bits, with k bits of precision, at most 63.
func Of(v uint64, k uint) (class, low uint) {
	// The masks only save the compiler's checks for shifts beyond 63.
	low = uint(bits.Len64(v|1<<(k&63))) - 1 - k
	return low<<(k&63) + uint(v>>(low&63)), low
}

// Low returns the number of low bits of a class, and the class's least number.
func Low(class, k uint) (low uint, base uint64) {
	if class < 2<<k {
		return 0, uint64(class)
	}
	low = class>>k - 1
	return low, uint64(class-low<<k) << low
}
