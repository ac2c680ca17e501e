package loops

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/codec/nest"
)

// Limits that bound the work to a multiple of the grammar's symbols whatever
// the grammar is: the body of a rule takes the place of the rule only up to
// these sizes (calls and loops); a larger one that occurs several times is a
// block. The first holds until budget is spent.
const (
	maxInline    = 4096
	maxInlineTop = 16
	budget       = 1 << 20
)

// A tree is the loop nest of one grammar.
type tree struct {
	sk     *skeletons
	body   []*item
	blocks [][]*item
	part   bool // of what the calls are: see fold
}

// builder turns rules into sequences of items, each rule once.
type builder struct {
	sk     *skeletons
	shape  []int32 // of terminals
	uses   []uint64
	seqs   [][]*item // of rules; nil once they are blocks
	blocks []int32   // skeleton of the block that a rule is, 0 if none
	tree   *tree
	left   int // of the budget
}

// fold makes the loop nest of g, whose terminal t is a call of shape shape[t].
// It is exact: see Node.Expand. Once there are more than most items, however, it ends with what it has.
func fold(g *grammar.Grammar, shape []int32, shapes []Shape, most int) (*tree, error) {
	x, err := grammar.NewIndex(g)
	if err != nil {
		return nil, err
	}
	if x.Terminals() > len(shape) {
		return nil, fmt.Errorf("broken grammar: terminal %d of %d", x.Terminals()-1, len(shape))
	}
	sk := newSkeletons(len(shapes), &order{shapes, firstOccurrences(g, shape, len(shapes))})
	b := &builder{sk: sk, shape: shape, uses: make([]uint64, len(g.Rules)), seqs: make([][]*item, len(g.Rules)),
		blocks: make([]int32, len(g.Rules)), tree: &tree{sk: sk}, left: budget}
	for _, r := range x.BottomUp() {
		for _, s := range g.Rules[r] {
			if s.IsRule() {
				b.uses[s.Rule()]++
			}
		}
	}
	for _, r := range x.BottomUp() {
		f := newFolder(sk)
		for _, s := range g.Rules[r] {
			b.symbol(f, s)
			b.tree.part = b.tree.part || len(f.out) > most
			if b.tree.part {
				break
			}
		}
		b.seqs[r] = f.items()
		if b.tree.part {
			b.seqs[0] = b.seqs[r]
			break
		}
	}
	b.tree.body = sk.final(b.seqs[0])
	for i, seq := range b.tree.blocks {
		b.tree.blocks[i] = sk.final(seq)
	}
	return b.tree, nil
}

// symbol appends what s stands for to f.
func (b *builder) symbol(f *folder, s archive.Symbol) {
	if !s.IsRule() {
		f.add(&item{skel: b.shape[s.ID], n: s.Count, set: nest.One(s.ID)})
		return
	}
	r := s.Rule()
	if b.blocks[r] == 0 && b.tooLarge(r, s.Count) {
		b.blocks[r] = b.sk.block(len(b.tree.blocks), b.seqs[r])
		b.tree.blocks = append(b.tree.blocks, b.seqs[r])
	}
	if id := b.blocks[r]; id != 0 {
		f.add(&item{skel: id, n: s.Count})
		return
	}
	f.addLoop(s.Count, b.seqs[r])
}

// tooLarge decides whether rule r, count times in a row, becomes a block. The
// body of a loop that is used once may have any size.
func (b *builder) tooLarge(r int, count uint64) bool {
	size := b.sk.sizeOf(b.seqs[r])
	limit := maxInline
	if b.left <= 0 {
		limit = maxInlineTop
	}
	if size > limit && (b.uses[r] > 1 || count == 1) {
		return true
	}
	b.left -= min(size, budget)
	return false
}

// firstOccurrences ranks shapes by where they first occur.
func firstOccurrences(g *grammar.Grammar, shape []int32, shapes int) []int32 {
	first := make([]int32, shapes)
	for i := range first {
		first[i] = int32(shapes)
	}
	rank := int32(0)
	for t := range g.FirstUses() {
		if p := &first[shape[t]]; *p == int32(shapes) {
			*p = rank
			rank++
		}
	}
	return first
}
