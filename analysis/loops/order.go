package loops

import "slices"

// An order knows in which order the calls of a program stand in its source.
type order struct {
	shapes []Shape
	// first ranks the shapes by their first occurrence in the sequence.
	first []int32
}

// start finds the item of the cycle body with which the loop begins in the
// source. In each function lines ascend from call to call within an iteration,
// and descend at the way back: the best start is the one with most descents
// right before it. Among equals, the loop begins with what occurred first.
func (o *order) start(s *skeletons, body []int32) int {
	cut := o.descents(s, body)
	best := 0
	for i := 1; i < len(body); i++ {
		if cut[i] > cut[best] || cut[i] == cut[best] && o.earlier(s, body, i, best) {
			best = i
		}
	}
	return best
}

// earlier compares the rotations of body that begin at i and at k.
func (o *order) earlier(s *skeletons, body []int32, i, k int) bool {
	for range body {
		a, b := body[i], body[k]
		if a != b {
			if fa, fb := o.first[s.list[a].shape], o.first[s.list[b].shape]; fa != fb {
				return fa < fb
			}
			return a < b
		}
		i, k = (i+1)%len(body), (k+1)%len(body)
	}
	return false
}

// descents counts for each item of the cycle how many functions go back to an
// earlier line between their call before it and their call at or after it.
func (o *order) descents(s *skeletons, body []int32) []int {
	n := len(body)
	places := o.places(s, body)
	diff := make([]int, n+1)
	type call struct{ at, line int }
	firsts, lasts := map[string]call{}, map[string]call{}
	note := func(from, to call) { // at is the place in the cycle; the cut is in (from.at, to.at]
		if to.line >= from.line {
			return
		}
		if from.at < to.at {
			diff[from.at+1]++
			diff[to.at+1]--
			return
		}
		diff[0]++
		diff[to.at+1]--
		if from.at+1 < n {
			diff[from.at+1]++
			diff[n]--
		}
	}
	var names []string
	for i, f := range places {
		if f == nil || f.Line == 0 {
			continue
		}
		name := f.File + "\x00" + f.Func
		c := call{i, f.Line}
		if prev, ok := lasts[name]; ok {
			note(prev, c)
		} else {
			firsts[name] = c
			names = append(names, name)
		}
		lasts[name] = c
	}
	for _, name := range names {
		if firsts[name] != lasts[name] {
			note(lasts[name], firsts[name])
		}
	}
	cut := make([]int, n)
	sum := 0
	for i := range cut {
		sum += diff[i]
		cut[i] = sum
	}
	return cut
}

// places gives for each item of body the frame that tells where it stands in
// the function that has the loop: with whole stacks the frame just inside of
// what all have in common.
func (o *order) places(s *skeletons, body []int32) []*Frame {
	sites := make([][]Frame, len(body))
	for i, b := range body {
		sites[i] = o.shapes[s.list[b].shape].Frames
	}
	common := commonOuter(sites)
	out := make([]*Frame, len(body))
	for i, frames := range sites {
		if k := len(frames) - 1 - common; k >= 0 {
			out[i] = &frames[k]
		} else if len(frames) > 0 {
			out[i] = &frames[0]
		}
	}
	return out
}

// commonOuter is how many frames from the outside all sites have in common.
func commonOuter(sites [][]Frame) int {
	for n := 0; ; n++ {
		for _, frames := range sites {
			k := len(frames) - 1 - n
			first := len(sites[0]) - 1 - n
			if k < 0 || first < 0 || frames[k] != sites[0][first] {
				return n
			}
		}
		if len(sites) == 0 {
			return 0
		}
	}
}

// rotated is seq from item at on, and then what is before it.
func rotated[T any](seq []T, at int) []T {
	return slices.Concat(seq[at:], seq[:at])
}
