package rans

import "math/bits"

const (
	precision = 9
	// classes is a power of two above all classes.
	classBits = 15
	classes   = 1 << classBits
)

// classOf returns the class of v and the number of its low bits.
func classOf(v uint64) (class uint32, low uint) {
	low = uint(bits.Len64(v|1<<precision)) - 1 - precision
	return uint32(low)<<precision + uint32(v>>(low&63)), low
}

// base returns the least number of a class and how many low bits its numbers have.
func base(class uint32) (v uint64, low uint) {
	if class < 2<<precision {
		return uint64(class), 0
	}
	low = uint(class>>precision) - 1
	return uint64(class-uint32(low)<<precision) << low, low
}
