package loops

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/nest"
	"github.com/tabard-hpc/tabard/spec"
)

// minKept is the share of the calls from which Condense keeps any node, and
// maxEnds how many it keeps at the begin and at the end.
const (
	minKept = 0.01
	maxEnds = 3
)

// Condense shortens seq, in itself and in the bodies of its loops: a sequence of more
// than limit nodes keeps the limit/2 loops with most calls, whatever else
// has a hundredth of the calls, and its ends; each stretch of other nodes becomes
// a Mixed node. The nodes of seq do not change.
func Condense(seq []*Node, limit int) []*Node {
	limit = max(limit, 2)
	out := slices.Clone(seq)
	if len(seq) > limit {
		out = stretches(seq, important(seq, limit/2))
	}
	for i, n := range out {
		if n.Kind == Loop {
			c := *n
			c.Body = Condense(n.Body, limit)
			out[i] = &c
		}
	}
	return out
}

// important chooses the nodes to keep, of loops at most n.
func important(seq []*Node, n int) map[*Node]bool {
	keep := map[*Node]bool{}
	var loops []*Node
	for i, x := range seq {
		switch {
		case x.Kind == Loop:
			loops = append(loops, x)
		case x.Share >= minKept, i < maxEnds, i >= len(seq)-maxEnds:
			keep[x] = true
		}
	}
	slices.SortStableFunc(loops, func(a, b *Node) int { return cmp.Compare(b.Calls, a.Calls) })
	for _, x := range loops[:min(n, len(loops))] {
		keep[x] = true
	}
	return keep
}

// stretches replaces what is not kept. A single node stays as it is.
func stretches(seq []*Node, keep map[*Node]bool) []*Node {
	var out []*Node
	for i := 0; i < len(seq); {
		k := i
		for k < len(seq) && !keep[seq[k]] {
			k++
		}
		switch {
		case k == i || k == i+1:
			out = append(out, seq[i])
			k = i + 1
		default:
			out = append(out, mixed(seq[i:k]))
		}
		i = k
	}
	return out
}

// mixed sums up nodes by shape.
func mixed(seq []*Node) *Node {
	variants := len(seq[0].Counts)
	sum := func(kind Kind) *Node { return &Node{Kind: kind, Time: -1, Counts: make([]*nest.Counts, variants)} }
	m := sum(Mixed)
	for v := range m.Counts {
		m.Counts[v] = nest.Constant(1, seq[0].Counts[v].Len())
	}
	type what struct {
		shape *Shape
		kind  Kind
		block int
	}
	known := map[what]*Node{}
	walk(seq, func(n *Node) {
		if n.Kind == Loop || n.Kind == Mixed { // their bodies are visited, too
			return
		}
		k := what{n.Shape, n.Kind, n.Block}
		s := known[k]
		if s == nil {
			s = sum(n.Kind)
			s.Shape, s.Block = n.Shape, n.Block
			known[k] = s
			m.Body = append(m.Body, s)
		}
		s.Calls += n.Calls
		s.Share += n.Share
		for v, c := range n.Counts {
			if s.Counts[v] == nil {
				s.Counts[v] = nest.Constant(0, 1)
			}
			s.Counts[v] = nest.Constant(s.Counts[v].Sum()+c.Sum(), 1)
		}
	})
	for _, n := range m.Body {
		m.Calls += n.Calls
		m.Share += n.Share
	}
	slices.SortStableFunc(m.Body, func(a, b *Node) int { return cmp.Compare(b.Calls, a.Calls) })
	return m
}

// Flatten sums up, as Condense does, the bodies of the loops below the given
// number of levels; the loops themselves remain.
func Flatten(seq []*Node, levels int) []*Node {
	out := slices.Clone(seq)
	for i, n := range out {
		if n.Kind != Loop {
			continue
		}
		c := *n
		if levels > 1 {
			c.Body = Flatten(n.Body, levels-1)
		} else {
			c.Body = []*Node{mixed(n.Body)}
		}
		out[i] = &c
	}
	return out
}

// Only gives the calls of seq whose function is wanted, and the loops and
// blocks that contain such calls.
func Only(c *Class, seq []*Node, wanted func(*spec.Func) bool) []*Node {
	contains := make([]bool, len(c.Blocks))
	var trim func([]*Node) []*Node
	trim = func(seq []*Node) []*Node {
		var out []*Node
		for _, n := range seq {
			switch {
			case n.Kind == Call && wanted(n.Shape.Func), n.Kind == Block && contains[n.Block]:
				out = append(out, n)
			case n.Kind == Loop || n.Kind == Mixed:
				m := *n
				if m.Body = trim(n.Body); len(m.Body) > 0 {
					out = append(out, &m)
				}
			}
		}
		return out
	}
	for i, b := range c.Blocks {
		contains[i] = len(trim(b)) > 0
	}
	return trim(seq)
}
