package main

import "math"

// valueErrors are how far decoded values are from the originals. The zero value is that of no values.
type valueErrors struct {
	Values      uint64
	MaxAbs      uint64  // greatest distance, in the unit of the values
	MaxRel      float64 // greatest distance relative to the original; distances from 0 are left out
	sumAbs, sq  float64 // of distances, and of their squares
	least, most uint64  // of the originals
}

// Add takes in a value and what it was decoded to.
func (e *valueErrors) Add(value, decoded uint64) {
	if e.Values == 0 {
		e.least, e.most = value, value
	}
	e.Values++
	e.least, e.most = min(e.least, value), max(e.most, value)
	d := max(value, decoded) - min(value, decoded)
	if d == 0 {
		return
	}
	e.MaxAbs = max(e.MaxAbs, d)
	if value > 0 {
		e.MaxRel = max(e.MaxRel, float64(d)/float64(value))
	}
	e.sumAbs += float64(d)
	e.sq += float64(d) * float64(d)
}

// Merge takes in what other has seen.
func (e *valueErrors) Merge(other *valueErrors) {
	if other.Values == 0 {
		return
	}
	if e.Values == 0 {
		*e = *other
		return
	}
	e.Values += other.Values
	e.least, e.most = min(e.least, other.least), max(e.most, other.most)
	e.MaxAbs, e.MaxRel = max(e.MaxAbs, other.MaxAbs), max(e.MaxRel, other.MaxRel)
	e.sumAbs += other.sumAbs
	e.sq += other.sq
}

// Mean is the mean distance, in the unit of the values; 0 without values.
func (e *valueErrors) Mean() float64 { return e.sumAbs / float64(max(1, e.Values)) }

// RMSE is the square root of the mean of the squares of the distances.
func (e *valueErrors) RMSE() float64 { return math.Sqrt(e.sq / float64(max(1, e.Values))) }

// PSNR is the peak signal-to-noise ratio in decibels: 20 log10((most-least)/RMSE), the range
// being that of the originals. It is +Inf if all values are exact.
func (e *valueErrors) PSNR() float64 {
	if e.sq == 0 {
		return math.Inf(1)
	}
	return 20 * math.Log10(float64(e.most-e.least)/e.RMSE())
}
