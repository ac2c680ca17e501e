package loops

import "github.com/tabard-hpc/tabard/internal/archive"

// recursions tells the repetitions that are a recursion from the loops that have one in them. It
// takes whole call stacks.
type recursions struct {
	s      *archive.Stream
	sigs   []*archive.Signature
	events []uint64 // of each terminal
}

func (c *Class) findRecursions() error {
	r := recursions{s: c.parts[0].streams[0]}
	var err error
	if r.sigs, err = r.s.Signatures(); err != nil {
		return err
	}
	if r.events, err = r.s.Occurrences(); err != nil {
		return err
	}
	r.mark(c.Body, "")
	for _, b := range c.Blocks {
		r.mark(b, "")
	}
	return nil
}

// mark sets Recursion where all calls of a repetition are in one.
func (r *recursions) mark(seq []*Node, outer string) {
	for _, n := range seq {
		name, same := "", true
		walk([]*Node{n}, func(m *Node) {
			if m.Kind != Call {
				return
			}
			if name == "" {
				name = m.Shape.Recursive
			}
			same = same && m.Shape.Recursive == name
		})
		inner := outer
		if _, most := n.Repeats(); same && name != "" && name != outer && most > 1 && r.descends(n) {
			n.Recursion, inner = name, name
		}
		r.mark(n.Body, inner)
	}
}

// descends tells whether the repetitions of n are levels of a recursion: calls are made at several
// levels, and fewer at the outermost than there are repetitions. A loop that calls the recursive
// function has one of those in every iteration, or always the same levels.
func (r *recursions) descends(n *Node) bool {
	levels, entries := false, uint64(0)
	walk([]*Node{n}, func(m *Node) {
		if m.Kind != Call {
			return
		}
		sites, outermost := map[uint32]bool{}, uint64(0)
		for _, t := range m.terminals(0) {
			sig := r.sigs[t]
			if shape := shapeOf(sig, r.s.Site(sig)); shape.Recursive == "" {
				outermost += r.events[t]
			}
			sites[sig.Site] = true
		}
		levels = levels || len(sites) > 1
		entries = max(entries, outermost)
	})
	return levels && entries < n.Counts[0].Sum()
}
