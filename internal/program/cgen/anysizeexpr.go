package cgen

import "github.com/tabard-hpc/tabard/internal/program/infer"

// mostElements is how many elements of an array are written one by one.
const mostElements = 64

// elements are the values of a slot if they are the same everywhere.
func elements(s *infer.Slot) ([]int64, bool) {
	n := int64(1)
	if s.Len != nil {
		v, ok := s.Len.Known()
		if !ok || v > mostElements {
			return nil, false
		}
		n = v
	}
	var out []int64
	for i := range n {
		v, ok := s.Parts[0].Element(i).Known()
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}
