package infer

import (
	bin "encoding/binary"
	"errors"
	"slices"
)

// block is the sequence of items of all classes together. Each class has its own items in the same
// order.
type block struct {
	// path are the loops around it, from the outermost on.
	path []int
	seqs []sequence
	of   []*item
}

// sequence is the nodes of a block in a class, in an iteration of each loop around it.
type sequence struct {
	class *class
	// idx are the numbers of the iterations of the loops on the block's path. If all iterations of
	// a loop are equal, its number is 0, and real is the node that says how many there are.
	idx   []int64
	real  []*node
	nodes []*node
	// at is which item of the block each node is.
	at []int
}

// item is a call or a loop of the program.
type item struct {
	key  uint64
	leaf bool
	// nodes are what it is in each sequence of the block, nil where it is absent.
	nodes []*node
	// loop is the number of the loop, -1 for a call; sub is its body.
	loop int
	sub  *block
	// first is, for each sequence of the block, the first of its iterations among the sequences of
	// sub.
	first []int

	// What was inferred: whom the call's ranks stand for, by slot and part; and what its columns
	// hold.
	partners map[[2]int]*Expr
	unknown  int           // how many of them follow no rule
	lost     []lostPartner // those that were looked at for that
	held     *held
}

// lostPartner is a slot whose partners follow no rule, and why that is.
type lostPartner struct {
	slot int
	why  string
}

var errTooDifferent = errors.New("its ranks do too many different things")

const (
	maxOrders  = 512     // different sequences of a block
	maxAlign   = 1 << 26 // steps of an alignment
	maxSamples = 1 << 20 // sequences, of some 400 bytes and 20 µs each
)

// aligner puts the trees of classes together.
type aligner struct {
	loops int
	seqs  int
}

// align makes the items of a block.
func (a *aligner) align(b *block) error {
	if a.seqs += len(b.seqs); a.seqs > maxSamples {
		return errTooDifferent
	}
	// Most sequences have the same keys.
	orders := map[string]int{}
	var distinct [][]*node
	which := make([]int, len(b.seqs))
	for i := range b.seqs {
		k := string(appendKeys(nil, b.seqs[i].nodes))
		n, ok := orders[k]
		if !ok {
			n = len(distinct)
			orders[k] = n
			distinct = append(distinct, b.seqs[i].nodes)
		}
		which[i] = n
	}
	if len(distinct) > maxOrders {
		return errTooDifferent
	}
	// Those with the most different calls come first, as they have something in common with each of
	// the others.
	calls := make([]int, len(distinct))
	byCalls := make([]int, len(distinct))
	for n, seq := range distinct {
		keys := map[uint64]bool{}
		for _, x := range seq {
			gather(x, keys)
		}
		calls[n], byCalls[n] = len(keys), n
	}
	slices.SortStableFunc(byCalls, func(x, y int) int { return calls[y] - calls[x] })
	var merged []entry
	place := make([][]int, len(distinct))
	for _, n := range byCalls {
		var err error
		if merged, err = supersequence(merged, distinct[n], place, &place[n]); err != nil {
			return err
		}
	}
	for _, m := range merged {
		b.of = append(b.of, &item{key: m.node.key, leaf: m.node.inst == nil, nodes: make([]*node, len(b.seqs)),
			loop: -1})
	}
	for i := range b.seqs {
		for k, at := range place[which[i]] {
			b.of[at].nodes[i] = b.seqs[i].nodes[k]
		}
		b.seqs[i].at = place[which[i]]
	}
	for _, it := range b.of {
		if it.leaf {
			continue
		}
		it.loop = a.loops
		a.loops++
		it.sub = &block{path: append(append([]int{}, b.path...), it.loop)}
		it.first = make([]int, len(it.nodes))
		for i, n := range it.nodes {
			if n == nil {
				continue
			}
			it.first[i] = len(it.sub.seqs)
			s := &b.seqs[i]
			for k, body := range n.inst {
				var real *node
				if len(n.inst) == 1 {
					real = n
				}
				it.sub.seqs = append(it.sub.seqs, sequence{class: s.class, nodes: body,
					idx: append(slices.Clone(s.idx), int64(k)), real: append(slices.Clone(s.real), real)})
			}
		}
		if err := a.align(it.sub); err != nil {
			return err
		}
	}
	return nil
}

func appendKeys(dst []byte, seq []*node) []byte {
	for _, n := range seq {
		dst = bin.LittleEndian.AppendUint64(dst, n.key)
		if n.inst == nil {
			dst = append(dst, 0)
		} else {
			dst = append(dst, 1)
		}
	}
	return dst
}

// entry is an item in the making: a node that stands for it, and the keys of all calls of all its
// nodes.
type entry struct {
	node  *node
	calls map[uint64]bool
}

func newEntry(n *node) entry {
	e := entry{n, map[uint64]bool{}}
	gather(n, e.calls)
	return e
}

// likeness tells how well two entries fit: 0 not at all.
func likeness(a, b *entry) int {
	switch {
	case (a.node.inst == nil) != (b.node.inst == nil):
		return 0
	case a.node.key == b.node.key:
		return 4
	case a.node.inst == nil:
		return 0
	}
	for k := range b.calls {
		if a.calls[k] {
			return 1
		}
	}
	return 0
}

// gather notes the keys of the leaves below a node.
func gather(n *node, keys map[uint64]bool) {
	if n.inst == nil {
		keys[n.key] = true
		return
	}
	for _, body := range n.inst {
		for _, x := range body {
			gather(x, keys)
		}
	}
}

// supersequence makes a sequence in which both a and b occur in order, by their longest common
// subsequence. It updates the places that sequences merged before have in a, and sets those of b.
func supersequence(a []entry, with []*node, before [][]int, place *[]int) ([]entry, error) {
	b := make([]entry, len(with))
	for j := range with {
		b[j] = newEntry(with[j])
	}
	n, m := len(a), len(b)
	if n*m > maxAlign {
		return nil, errTooDifferent
	}
	like := map[[2]int]int{}
	fit := func(i, j int) int {
		if a[i].node.inst == nil || b[j].node.inst == nil {
			return likeness(&a[i], &b[j])
		}
		v, ok := like[[2]int{i, j}]
		if !ok {
			v = likeness(&a[i], &b[j])
			like[[2]int{i, j}] = v
		}
		return v
	}
	best := make([][]int32, n+1)
	for i := range best {
		best[i] = make([]int32, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if f := fit(i, j); f > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+int32(f))
			}
		}
	}
	var out []entry
	to := make([]int, n)
	own := make([]int, m)
	i, j := 0, 0
	for i < n || j < m {
		if i < n && j < m {
			if f := fit(i, j); f > 0 && best[i][j] == best[i+1][j+1]+int32(f) {
				to[i], own[j] = len(out), len(out)
				for k := range b[j].calls {
					a[i].calls[k] = true
				}
				out = append(out, a[i])
				i, j = i+1, j+1
				continue
			}
		}
		if j == m || i < n && best[i][j] == best[i+1][j] {
			to[i] = len(out)
			out = append(out, a[i])
			i++
		} else {
			own[j] = len(out)
			out = append(out, b[j])
			j++
		}
	}
	for _, p := range before {
		for k := range p {
			p[k] = to[p[k]]
		}
	}
	*place = own
	return out, nil
}
