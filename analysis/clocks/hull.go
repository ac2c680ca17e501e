package clocks

import (
	"cmp"
	"slices"
)

// point bounds the correction of a clock: at its time x it is at most (or at least) v.
type point struct{ x, v float64 }

// hull keeps the points that no line between other points makes superfluous. It lies below all
// upper bounds if sign is 1, and above all lower bounds if sign is -1.
type hull struct {
	sign    float64
	points  []point // in order of x, convex
	pending []point
}

// pendingMax is how many points wait until the hull is made anew.
const pendingMax = 16

func (h *hull) add(p point) {
	if h.covers(p) {
		return
	}
	if h.pending = append(h.pending, p); len(h.pending) == pendingMax {
		h.settle()
	}
}

// covers tells whether the hull makes p superfluous.
func (h *hull) covers(p point) bool {
	n := len(h.points)
	if n == 0 || p.x < h.points[0].x || p.x > h.points[n-1].x {
		return false
	}
	i, found := slices.BinarySearchFunc(h.points, p.x, func(q point, x float64) int { return cmp.Compare(q.x, x) })
	if found {
		return h.sign*(p.v-h.points[i].v) >= 0
	}
	a, b := h.points[i-1], h.points[i]
	return h.sign*(p.v-a.v-(p.x-a.x)*(b.v-a.v)/(b.x-a.x)) >= 0
}

// settle makes the hull of all points (Andrew's monotone chain).
func (h *hull) settle() {
	if len(h.pending) == 0 {
		return
	}
	all := append(h.points, h.pending...)
	slices.SortFunc(all, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(h.sign*a.v, h.sign*b.v))
	})
	out := all[:0]
	for _, p := range all {
		if n := len(out); n > 0 && out[n-1].x == p.x {
			continue
		}
		for n := len(out); n > 1 && h.sign*turn(out[n-2], out[n-1], p) <= 0; n = len(out) {
			out = out[:n-1]
		}
		out = append(out, p)
	}
	h.points, h.pending = out, h.pending[:0]
}

func (h *hull) each(f func(point)) {
	h.settle()
	for _, p := range h.points {
		f(p)
	}
}

// turn is positive if c is to the left of the line from a to b.
func turn(a, b, c point) float64 {
	return (b.x-a.x)*(c.v-a.v) - (b.v-a.v)*(c.x-a.x)
}

// windows are hulls of stretches of time: as many as are needed where a clock changes its speed.
type windows struct {
	width float64
	list  []*window
}

// window is the bounds in one stretch.
type window struct{ upper, lower hull }

func newWindow() *window { return &window{upper: hull{sign: 1}, lower: hull{sign: -1}} }

const (
	maxWindows  = 32
	firstWindow = 1e6 // ns
)

// at is the window of a time; there are no more than most.
func (w *windows) at(x float64, most int) *window {
	if w.width == 0 {
		w.width = firstWindow
	}
	for x >= w.width*float64(most) {
		w.double()
	}
	i := int(max(0, x) / w.width)
	for len(w.list) <= i {
		w.list = append(w.list, newWindow())
	}
	return w.list[i]
}

// double joins windows two by two.
func (w *windows) double() {
	w.width *= 2
	for i := range w.list {
		if i%2 == 0 {
			w.list[i/2] = w.list[i]
			continue
		}
		for _, h := range []struct{ to, from *hull }{{&w.list[i/2].upper, &w.list[i].upper},
			{&w.list[i/2].lower, &w.list[i].lower}} {
			h.to.pending = append(append(h.to.pending, h.from.points...), h.from.pending...)
			h.to.settle()
		}
	}
	w.list = w.list[:(len(w.list)+1)/2]
}

// all yields the points of all windows.
func (w *windows) all(upper, lower func(point)) {
	for _, win := range w.list {
		win.upper.each(upper)
		win.lower.each(lower)
	}
}
