package rans

import "github.com/tabard-hpc/tabard/internal/codec/sizeclass"

const (
	precision = 9
	// classes is a power of two above all classes.
	classBits = 15
	classes   = 1 << classBits
)

// classOf returns the class of v and the number of its low bits.
func classOf(v uint64) (class uint32, low uint) {
	c, low := sizeclass.Of(v, precision)
	return uint32(c), low
}

// base returns the least number of a class and how many low bits its numbers have.
func base(class uint32) (v uint64, low uint) {
	low, v = sizeclass.Low(uint(class), precision)
	return v, low
}
