package infer

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// A tree is the calls of the ranks of a class as loops: sequences of nodes, in which what repeats
// is one node. It generates the word of the class's grammar exactly.

// node is a call or a repetition.
type node struct {
	// key tells what may be the same line of a program: leaves by template, repetitions by their
	// bodies. line is the same for calls of one line that differ in what is absent, as at the root
	// of a collective and elsewhere.
	key, line uint64
	// term is the terminal of a leaf, whose inst is nil.
	term uint32
	// inst are the bodies, one for each iteration; one for all if they are equal. Then count, or if
	// it is not nil trip, says how many there are.
	inst  [][]*node
	count uint64
	trip  *archive.RankFunc
	// own is set for events of Tabard itself, such as that a block of memory is used for the first time.
	// before are those that come before the node, while repetitions are looked for.
	own    bool
	before []*node
}

// times is how often the node's body is repeated at a rank.
func (n *node) times(rank int) int64 {
	switch {
	case len(n.inst) > 1:
		return int64(len(n.inst))
	case n.trip != nil:
		return n.trip.At(rank)
	}
	return int64(n.count)
}

// maxNodes bounds the nodes of the trees of a class: a program without loops is not one that can be
// scaled.
const maxNodes = 1 << 17

// treeMaker makes the tree of a class.
type treeMaker struct {
	c     *archive.ClassData
	leaf  func(t uint32) node   // of a terminal
	trips [][]*archive.RankFunc // by rule and symbol
	rules [][]*node
	nodes int
	err   error
}

// treeOf is the tree of a class, not folded.
func treeOf(c *archive.ClassData, leaf func(t uint32) node) ([]*node, error) {
	m := &treeMaker{c: c, leaf: leaf, rules: make([][]*node, len(c.Grammar.Rules))}
	k := 0
	for _, body := range c.Grammar.Rules {
		list := make([]*archive.RankFunc, len(body))
		for i, s := range body {
			if s.Count == 0 {
				list[i] = c.Trips[k]
				k++
			}
		}
		m.trips = append(m.trips, list)
	}
	seq := m.rule(0)
	return seq, m.err
}

// rule is the sequence of a rule. Sequences are shared where rules are used more than once.
func (m *treeMaker) rule(r int) []*node {
	if m.rules[r] != nil || m.err != nil {
		return m.rules[r]
	}
	var seq []*node
	for i, s := range m.c.Grammar.Rules[r] {
		trip := m.trips[r][i]
		var body []*node
		if s.IsRule() {
			body = m.rule(s.Rule())
		} else {
			n := m.leaf(s.ID)
			n.term = s.ID
			body = []*node{&n}
		}
		if s.Count == 1 && trip == nil {
			seq = append(seq, body...)
		} else {
			seq = append(seq, &node{inst: [][]*node{body}, count: s.Count, trip: trip})
		}
		if m.nodes += len(body); m.nodes > maxNodes {
			m.err = fmt.Errorf("its calls repeat too little: more than %d different ones in a row", maxNodes)
			return nil
		}
	}
	m.rules[r] = tidy(seq)
	return m.rules[r]
}

// same tells whether two nodes generate the same calls.
func same(a, b *node) bool {
	if a == b {
		return true
	}
	if (a.inst == nil) != (b.inst == nil) {
		return false
	}
	if a.inst == nil {
		return a.term == b.term
	}
	return len(a.inst) == 1 && len(b.inst) == 1 && a.count == b.count && a.trip == b.trip &&
		sameAll(a.inst[0], b.inst[0])
}

func sameAll(a, b []*node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// tidy lets each loop begin as late as it can, so that iterations end where the loop is left. It
// also takes whole iterations before the loop into it. Both are needed because rules of a grammar
// begin anywhere in an iteration.
func tidy(seq []*node) []*node {
	for changed := true; changed; {
		changed = false
		for i := 0; i < len(seq); i++ {
			n := seq[i]
			if n.inst == nil || n.trip != nil {
				continue
			}
			body := n.inst[0]
			k := 0 // how many nodes that follow continue the loop
			for i+1+k < len(seq) && same(seq[i+1+k], body[k%len(body)]) {
				k++
			}
			more, part := k/len(body), k%len(body)
			if part > 0 || more > 0 {
				turned := append(append([]*node{}, body[part:]...), body[:part]...)
				loop := &node{inst: [][]*node{turned}, count: n.count + uint64(more)}
				out := append([]*node{}, seq[:i]...)
				out = append(append(out, body[:part]...), loop)
				seq = append(out, seq[i+1+k:]...)
				i += part
				changed = true
				n, body = loop, turned
			}
			before := 0
			for (before+1)*len(body) <= i && sameAll(seq[i-(before+1)*len(body):i-before*len(body)], body) {
				before++
			}
			if before > 0 {
				at := i - before*len(body)
				loop := &node{inst: [][]*node{body}, count: n.count + uint64(before)}
				seq = append(append(append([]*node{}, seq[:at]...), loop), seq[i+1:]...)
				i = at
				changed = true
			}
		}
	}
	return seq
}

// shapes are the bodies of repetitions that were found in any class, by their keys.
type shapes map[uint64]int // key of the body: how many nodes it has

func keyOf(seq []*node) (key, line uint64) {
	h, l := fnv.New64a(), fnv.New64a()
	var b, d [8]byte
	for _, n := range seq {
		for i := range b {
			b[i], d[i] = byte(n.key>>(8*i)), byte(n.line>>(8*i))
		}
		h.Write(b[:])
		l.Write(d[:])
	}
	return h.Sum64(), l.Sum64()
}

// loopOf makes a node of bodies.
func loopOf(n *node) *node {
	key, line := keyOf(n.inst[0])
	n.key, n.line = mixKey(key), mixKey(line)
	return n
}

// shape is what bodies that may be iterations of one loop have in common.
func (f *folder) shape(body []*node) uint64 {
	key, line := keyOf(body)
	if f.rounds {
		return line
	}
	return key
}

// alikeBefore tells whether all iterations have the same events of our own attached, and some.
func alikeBefore(inst [][]*node) bool {
	some := false
	for _, body := range inst {
		for i, n := range body {
			first := inst[0][i].before
			if !slices.EqualFunc(n.before, first, func(a, b *node) bool { return a.key == b.key }) {
				return false
			}
			some = some || len(first) > 0
		}
	}
	return some
}

// begun puts what is attached to the first call of a loop before the loop.
func (n *node) begun() {
	first := *n.inst[0][0]
	if first.before == nil {
		return
	}
	n.before, first.before = first.before, nil
	n.inst[0] = append([]*node{&first}, n.inst[0][1:]...)
}

// folder finds repetitions of bodies that differ in values only: loops over partners. Loops that
// the grammar knows are nodes already.
type folder struct {
	known   shapes
	longest int
	// announced are the bodies whose iterations all come with the same events of our own.
	announced map[uint64]bool
	rounds    bool // see policy
}

func newFolder(rounds bool) *folder {
	return &folder{known: shapes{}, announced: map[uint64]bool{}, rounds: rounds}
}

// tree is a sequence with repetitions, in which events of our own are attached.
func (f *folder) tree(seq []*node) []*node { return f.runs(f.unrolled(f.attached(f.inner(seq)))) }

// attached lets events of our own go with what comes after them: they are not what a program repeats.
// What goes round the ranks is told by the iterations without such an event.
func (f *folder) attached(seq []*node) []*node {
	if f.rounds || !slices.ContainsFunc(seq, func(n *node) bool { return n.own }) {
		return seq
	}
	var out, own []*node
	for _, n := range seq {
		if n.own {
			own = append(own, n)
			continue
		}
		if own != nil {
			x := *n
			x.before, own = own, nil
			n = &x
		}
		out = append(out, n)
	}
	return append(out, own...)
}

// expanded is the reverse of attached, also in loops that were made since.
func expanded(seq []*node) []*node {
	var out []*node
	for _, n := range seq {
		out = append(out, n.before...)
		x := *n
		if x.before = nil; n.inst != nil {
			x.inst = make([][]*node, len(n.inst))
			for k, body := range n.inst {
				x.inst[k] = expanded(body)
			}
		}
		out = append(out, &x)
	}
	return out
}

// inner folds what is inside of the nodes of a sequence.
func (f *folder) inner(seq []*node) []*node {
	out := make([]*node, 0, len(seq))
	for _, n := range seq {
		if n.inst == nil {
			out = append(out, n)
			continue
		}
		if f.rounds && n.trip == nil && len(n.inst) == 1 {
			// Rounds that follow each other are one run.
			list := f.inner(n.inst[0])
			if whole := f.runs(list); len(whole) == 1 && whole[0].inst != nil &&
				n.count*uint64(len(list)) <= maxRounds {
				for range n.count {
					out = append(out, list...)
				}
				continue
			}
		}
		m := &node{count: n.count, trip: n.trip}
		for _, body := range n.inst {
			m.inst = append(m.inst, f.tree(body))
		}
		out = append(out, loopOf(m))
	}
	return out
}

// maxUnrolled is how many nodes a loop may have that is taken apart.
const maxUnrolled = 128

// unrolled takes loops apart that the nodes around them continue, for a whole iteration together, with
// other values. Where the values of a rank happen to be equal, the grammar finds some iterations of a
// loop, from anywhere to anywhere in them; at other ranks it finds none.
func (f *folder) unrolled(seq []*node) []*node {
	var out []*node
	for i, n := range seq {
		times := max(uint64(len(n.inst)), n.count)
		if f.rounds || !simpleLoop(n) || times > maxUnrolled || int(times)*len(n.inst[0]) > maxUnrolled {
			out = append(out, n)
			continue
		}
		first, last := n.inst[0], n.inst[len(n.inst)-1]
		before, after := 0, 0
		for before < len(last) && before < i && f.alike(seq[i-1-before:i-before],
			last[len(last)-1-before:len(last)-before]) {
			before++
		}
		for after < len(first) && i+1+after < len(seq) && f.alike(seq[i+1+after:i+2+after], first[after:after+1]) {
			after++
		}
		if before+after < len(first) {
			out = append(out, n)
			continue
		}
		at := len(out)
		for k := range times {
			out = append(out, n.inst[min(int(k), len(n.inst)-1)]...)
		}
		if n.before != nil && at < len(out) { // what is attached to the loop goes with its first call
			x := *out[at]
			x.before = append(slices.Clip(n.before), x.before...)
			out[at] = &x
		}
	}
	return out
}

// simpleLoop tells whether a node is a loop over several different calls that is as long at all ranks.
func simpleLoop(n *node) bool {
	if n.inst == nil || n.trip != nil || len(n.inst[0]) < 2 {
		return false
	}
	seen := map[uint64]bool{}
	for _, x := range n.inst[0] {
		if x.inst != nil || seen[x.key] {
			return false
		}
		seen[x.key] = true
	}
	return true
}

// maxRounds is how many nodes there may be in loops that go round the ranks again and again.
const maxRounds = 1 << 12

func mixKey(k uint64) uint64 { return k*0x9e3779b97f4a7c15 + 1 }

// maxFold is how many nodes the body of a loop over partners may have, maxRound that of one over
// roots.
const (
	maxFold  = 24
	maxRound = 160
)

// runs makes nodes of what repeats in a sequence.
func (f *folder) runs(seq []*node) []*node {
	most := maxFold
	if f.rounds {
		most = maxRound
	}
	for length := 1; length <= most && 2*length <= len(seq); length++ {
		var out []*node
		for i := 0; i < len(seq); {
			k := 1
			for i+(k+1)*length <= len(seq) && f.alike(seq[i:i+length], seq[i+k*length:i+(k+1)*length]) {
				k++
			}
			if k == 1 {
				out = append(out, seq[i])
				i++
				continue
			}
			m := &node{}
			for j := range k {
				m.inst = append(m.inst, seq[i+j*length:i+(j+1)*length])
			}
			shape := f.shape(m.inst[0])
			f.known[shape] = length
			f.longest = max(f.longest, length)
			if f.announced[shape] = f.announced[shape] || alikeBefore(m.inst); !f.announced[shape] {
				m.begun()
			}
			out = append(out, loopOf(m))
			i += k * length
		}
		seq = out
	}
	return seq
}

// alike tells whether two sequences may be iterations of one loop.
func (f *folder) alike(a, b []*node) bool {
	for i := range a {
		if f.rounds && a[i].line == b[i].line && a[i].inst == nil && b[i].inst == nil {
			continue
		}
		x, y := a[i], b[i]
		if x.key != y.key || x.inst != nil && (x.trip != nil || y.trip != nil) {
			return false
		}
		// Loops of other lengths are no iterations of one, unless they are short.
		if x.inst != nil && long(x) && long(y) && x.count != y.count {
			return false
		}
	}
	return true
}

// long tells whether a loop has several calls in its body that are the same in each of several
// iterations. Such a loop is seldom one over partners.
func long(n *node) bool { return len(n.inst) == 1 && len(n.inst[0]) > 1 && n.count > 1 }

// wrap makes a repetition of each single iteration whose body is repeated elsewhere.
func (f *folder) wrap(seq []*node, longest int) []*node {
	var out []*node
	for i := 0; i < len(seq); {
		n := seq[i]
		if n.inst != nil {
			m := &node{key: n.key, line: n.line, count: n.count, trip: n.trip, before: n.before}
			for _, body := range n.inst {
				if len(body) == 1 && body[0].inst == nil {
					m.inst = append(m.inst, body)
					continue
				}
				m.inst = append(m.inst, f.wrapBody(body, longest))
			}
			out = append(out, m)
			i++
			continue
		}
		length := 0
		for l := min(longest, len(seq)-i); l > 0; l-- {
			if f.known[f.shape(seq[i:i+l])] == l {
				length = l
				break
			}
		}
		if length == 0 {
			out = append(out, n)
			i++
			continue
		}
		body := seq[i : i+length]
		m := loopOf(&node{count: 1, inst: [][]*node{body}})
		if !f.announced[f.shape(body)] {
			m.begun()
		}
		if length > 1 {
			m.inst[0] = f.wrapBody(m.inst[0], longest)
		}
		out = append(out, m)
		i += length
	}
	return out
}

// wrapBody is wrap for the body of a repetition, which is itself not to be wrapped as a whole.
func (f *folder) wrapBody(body []*node, longest int) []*node {
	return f.wrap(body, min(longest, len(body)-1))
}
