package loops

import (
	"iter"

	"github.com/tabard-hpc/tabard/internal/codec/nest"
	"github.com/tabard-hpc/tabard/spec"
)

// Kind is what a Node is.
type Kind uint8

const (
	// Call is a call, or several in a row, from one line of the source.
	Call Kind = iota
	// Loop repeats its Body.
	Loop
	// Block is a long part without loops that occurs at several places: its
	// calls are in Class.Blocks.
	Block
	// Mixed stands for a part that Condense took out, or that is too long to be shown: calls in no
	// order that repeats, counted by shape in Body.
	Mixed
)

// String is "call", "loop", "block" or "mixed".
func (k Kind) String() string { return [...]string{"call", "loop", "block", "mixed"}[k] }

// A Node is a part of a loop nest.
type Node struct {
	Kind Kind
	// Counts tells how often a call was made, or a loop was repeated, each time
	// that the program came to it: one sequence for each variant of the class.
	Counts []*nest.Counts
	// Shape is what is called, for a loop or block what is called first in it.
	Shape *Shape
	// Polls is set if runs of unsuccessful polls are among the calls of a Call
	// node. Each run counts as one in Counts, but as all its polls in Calls.
	Polls bool
	// Params are the parameters of a call that are known on entry, in the
	// order of the standard.
	Params []Param
	// Body is what a loop repeats. For a Mixed node it is one Call without
	// parameters for each shape, most calls first.
	Body []*Node
	// Block is the index in Class.Blocks.
	Block int
	// Calls is the number of calls in all executions on one rank of the first variant.
	// Unsuccessful polls count; where polls of one signature are made in
	// several loops, each gets its share by the number of runs of polls.
	Calls uint64
	// Share is the part of all calls of the rank that Calls is.
	Share float64
	// Time is the part of the rank's time, between its first call and its last (MPI_Init and
	// MPI_Finalize, mostly), that passed from the first call in the node to the end of the last
	// one. Set for what is executed once, if the time stamps were read (Options.Timing); else
	// negative.
	Time float64
	// Step marks the time-step loop of the class.
	Step bool
	// Or is another number of iterations that the loop may as well have, 0 if there is none: a call in
	// every tenth iteration of a loop of 100 looks like a loop of 10 times 10. It may be the same number, where the
	// iterations would be others.
	Or uint64
	// Recursion names the function whose recursion this repetition is, or is in;
	// only for the outermost such node. It takes whole call stacks to tell.
	Recursion string

	whole  bool  // its body is one loop whose iterations differ
	place  Frame // see Place
	last   int
	placed bool
	sets   []*nest.Set // terminals of a call, for each part of the class
}

// Repeats is how often the node is repeated in each execution, over all
// executions and variants.
func (n *Node) Repeats() (least, most uint64) {
	least, most = n.Counts[0].Min(), n.Counts[0].Max()
	for _, c := range n.Counts[1:] {
		least, most = min(least, c.Min()), max(most, c.Max())
	}
	return least, most
}

// Func is the function of a call; nil for other nodes.
func (n *Node) Func() *spec.Func {
	if n.Kind != Call {
		return nil
	}
	return n.Shape.Func
}

// nodes makes public nodes of a sequence that is executed once.
func (t *tree) nodes(seq []*item, shapes []Shape) []*Node {
	return t.nodesOf(liftedAll(seq), shapes)
}

func (t *tree) nodesOf(seq []*variedItem, shapes []Shape) []*Node {
	out := make([]*Node, len(seq))
	for i, v := range seq {
		n := &Node{Counts: []*nest.Counts{v.counts}, Time: -1}
		s := &t.sk.list[v.skel]
		n.Shape = &shapes[s.shape]
		switch {
		case s.block >= 0:
			n.Kind, n.Block = Block, int(s.block)
		case s.body != nil:
			n.Kind, n.Body = Loop, t.nodesOf(v.body, shapes)
			n.Or, n.whole = t.sk.or[v.skel], t.sk.whole[v.skel]
			if s.mixed {
				n.Kind = Mixed
			}
		default:
			n.sets = []*nest.Set{v.set}
		}
		out[i] = n
	}
	return out
}

// Expand yields the calls of a rank of a variant, an index in Variants, in
// order: the leaves of Body, each with how many times it was called in a row.
// The calls are those of the rank, one by one and without exception. Only those of a Mixed node
// have lost their order.
func (c *Class) Expand(variant int) iter.Seq2[*Node, uint64] {
	return func(yield func(*Node, uint64) bool) {
		e := &expander{class: c, variant: variant, yield: yield, at: map[*Node]*cursor{}}
		e.sequence(c.Body)
		e.close()
	}
}

// cursor reads the counts of a node.
type cursor struct {
	next  func() (uint64, uint64, bool)
	stop  func()
	value uint64
	left  uint64
}

type expander struct {
	class   *Class
	variant int
	yield   func(*Node, uint64) bool
	at      map[*Node]*cursor
}

func (e *expander) close() {
	for _, c := range e.at {
		c.stop()
	}
}

func (e *expander) count(n *Node) uint64 {
	c := e.at[n]
	if c == nil {
		c = &cursor{}
		c.next, c.stop = iter.Pull2(n.Counts[e.variant].All())
		e.at[n] = c
	}
	for c.left == 0 {
		var ok bool
		if c.value, c.left, ok = c.next(); !ok {
			panic("loops: internal error: more executions than counts")
		}
	}
	c.left--
	return c.value
}

func (e *expander) sequence(seq []*Node) bool {
	for _, n := range seq {
		times := e.count(n)
		switch n.Kind {
		case Call:
			if !e.yield(n, times) {
				return false
			}
		case Loop, Mixed:
			for range times {
				if !e.sequence(n.Body) {
					return false
				}
			}
		case Block:
			for range times {
				if !e.block(e.class.Blocks[n.Block]) {
					return false
				}
			}
		}
	}
	return true
}

// block expands a block, whose counts are those of one execution.
func (e *expander) block(seq []*Node) bool {
	inner := &expander{class: e.class, variant: e.variant, yield: e.yield, at: map[*Node]*cursor{}}
	defer inner.close()
	return inner.sequence(seq)
}
