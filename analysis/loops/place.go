package loops

// Place is where a node is in the source: of a call its call site, of a loop the
// function that has the loop and the lines of the first and the last call
// in it. With whole call stacks that function is found through the functions
// that it calls. ok is false if the calls are in several functions, or unknown.
func (n *Node) Place() (f Frame, last int, ok bool) {
	if n.Kind == Call && len(n.Shape.Frames) > 0 {
		return n.Shape.Frames[0], n.Shape.Frames[0].Line, true
	}
	return n.place, n.last, n.placed
}

// findPlaces notes the places of the loops, before anything is taken out of them.
func (c *Class) findPlaces() {
	c.All(func(n *Node) {
		if n.Kind == Loop {
			n.place, n.last, n.placed = placeOf(n.Body)
		}
	})
}

func placeOf(body []*Node) (f Frame, last int, ok bool) {
	var sites [][]Frame
	walk(body, func(m *Node) {
		if m.Kind == Call || m.Kind == Block {
			sites = append(sites, m.Shape.Frames)
		}
	})
	common := commonOuter(sites)
	for i, frames := range sites {
		if len(frames) == 0 {
			return Frame{}, 0, false
		}
		g := frames[max(len(frames)-1-common, 0)]
		switch {
		case i == 0:
			f, last = g, g.Line
		case g.Func != f.Func || g.File != f.File:
			return Frame{}, 0, false
		default:
			f.Line, last = min(f.Line, g.Line), max(last, g.Line)
		}
	}
	return f, last, len(sites) > 0
}

// walk visits nodes, outer before inner ones.
func walk(seq []*Node, visit func(*Node)) {
	for _, n := range seq {
		visit(n)
		walk(n.Body, visit)
	}
}
