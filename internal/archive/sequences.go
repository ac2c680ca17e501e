package archive

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/tabard-hpc/tabard/internal/archive/container"
	"github.com/tabard-hpc/tabard/internal/codec/entropy/sequence"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// The grammars of streams without much order take more room than their calls would with a good
// model of what follows what, which streams share. Such classes have the sequence of their terminals
// in the file, and a reader makes the grammar of it again. This is for few calls only: it takes time
// for each.

// Limits of sequences.
const (
	maxSequences  = 1 << 20 // calls of all classes together
	minSequence   = 32      // bytes of a grammar that is worth it
	callsPerByte  = 64      // of a grammar at most
	sequenceShare = 4       // sequences take at most (n-1)/n of what the grammars take, less
	sequenceGain  = 32      // bytes
)

// sequenceMark stands for the grammar of a class whose sequence is in the part: a tail longer than
// the start rule.
var sequenceMark = []byte{1, 0}

// sequenceSet is the classes of an archive that are stored as sequences.
type sequenceSet struct {
	items *items

	once     sync.Once
	grammars map[int]*Grammar
	err      error
}

// alphabet gives the terminals of classes numbers that are the same for what is the same in several
// classes: the k-th terminal of a template is that in each.
type alphabet map[[2]int]uint32

// of are the numbers of terminals with these templates.
func (a alphabet) of(templates []int) []uint32 {
	out := make([]uint32, len(templates))
	seen := map[int]int{}
	for i, t := range templates {
		k := [2]int{t, seen[t]}
		seen[t]++
		n, ok := a[k]
		if !ok {
			n = uint32(len(a))
			a[k] = n
		}
		out[i] = n
	}
	return out
}

// width is the number of bits of a symbol.
func (a alphabet) width() int { return bits.Len(uint(max(len(a), 1) - 1)) }

// sequences replaces the grammars of classes by marks where that takes less room, and returns the
// items of the part.
func (c *Content) sequences(grammars []codedGrammar) []string {
	var ids []uint32
	var lengths []int
	var raw []byte
	total := 0
	for i, cl := range c.Classes {
		n, err := cl.Grammar.Len()
		b := grammars[i].b
		if err != nil || len(cl.Trips) > 0 || len(b) < minSequence || n > uint64(callsPerByte*len(b)) ||
			n > uint64(maxSequences-total) || !c.rebuilt(i, b) {
			continue
		}
		ids, lengths, raw = append(ids, uint32(i)), append(lengths, int(n)), append(raw, b...)
		total += int(n)
	}
	if len(ids) == 0 {
		return nil
	}
	code := c.sequenceCode(ids, total)
	var e encoder
	e.ids(ids)
	for _, n := range lengths {
		e.Uvarint(uint64(n))
	}
	limit := container.PackedLen(raw)
	if len(code)+len(e.Out)+len(sequenceMark)*len(ids) > limit-limit/sequenceShare-sequenceGain {
		return nil
	}
	for _, i := range ids {
		grammars[i] = codedGrammar{b: sequenceMark}
	}
	return []string{string(e.Out), string(code)}
}

// rebuilt tells whether the grammar of class i, which is coded as b, is what a reader makes of the
// sequence.
func (c *Content) rebuilt(i int, b []byte) bool {
	g := grammar.NewBuilder()
	for t := range c.Classes[i].Grammar.All() {
		g.Append(t)
	}
	again, _ := CanonicalGrammar(g.Grammar())
	coded, _, err := appendGrammar(nil, again, c.Groups[c.Classes[i].Group].Size)
	return err == nil && slices.Equal(coded, b)
}

func (c *Content) sequenceCode(ids []uint32, total int) []byte {
	a := alphabet{}
	symbols := make([][]uint32, len(ids))
	for k, i := range ids {
		symbols[k] = a.of(c.Classes[i].Terminals)
	}
	coder := sequence.NewEncoder(a.width(), total)
	for k, i := range ids {
		coder.Restart()
		for t := range c.Classes[i].Grammar.All() {
			coder.Code(symbols[k][t])
		}
	}
	return coder.Bytes()
}

// sequence is the grammar of class i, which is in the part.
func (a *Archive) sequence(i int) (*Grammar, error) {
	s := &a.sequences
	s.once.Do(func() { s.grammars, s.err = a.readSequences() })
	if s.err != nil {
		return nil, s.err
	}
	g := s.grammars[i]
	if g == nil {
		return nil, broken("structure/sequences", -1, "class %d has no sequence", i)
	}
	return g, nil
}

// sequenceClass is a class while its sequence is read.
type sequenceClass struct {
	index, calls int
	symbols      []uint32
}

// readSequences decodes the part.
func (a *Archive) readSequences() (map[int]*Grammar, error) {
	p := a.sequences.items
	if p == nil || p.len() != 2 {
		return nil, broken("structure/sequences", -1, "there are no sequences")
	}
	d := decode(p.at(0), "structure/sequences", p.offset(0))
	ids := d.ids(len(a.classes), "class")
	list := make([]sequenceClass, len(ids))
	letters, total := alphabet{}, 0
	for k, id := range ids {
		if k > 0 && id <= ids[k-1] {
			d.fail("classes are not in order")
		}
		list[k].index, list[k].calls = int(id), int(d.limited(uint64(maxSequences-total), "calls"))
		total += list[k].calls
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	for k := range list {
		var head ClassData
		w := a.classWalker(list[k].index)
		walkClassHead(w, &head, a.context)
		w.ids("terminals", &head.Terminals, a.context.templates)
		if w.Err != nil {
			return nil, w.Err
		}
		list[k].symbols = letters.of(head.Terminals)
	}
	out := make(map[int]*Grammar, len(list))
	coder := sequence.NewDecoder(p.at(1), letters.width(), total)
	for _, c := range list {
		g, err := c.read(coder)
		if err == nil && g.Symbols() > a.context.maxSymbols {
			err = errors.New("the grammar has more symbols than allowed")
		}
		if err != nil {
			return nil, broken("structure/sequences", p.offset(1), "class %d: %v", c.index, err)
		}
		out[c.index] = g
	}
	return out, nil
}

// read decodes the calls of a class.
func (c *sequenceClass) read(coder *sequence.Coder) (*Grammar, error) {
	terminals := make(map[uint32]uint32, len(c.symbols))
	for t, s := range c.symbols {
		terminals[s] = uint32(t)
	}
	coder.Restart()
	b := grammar.NewBuilder()
	next := uint32(0)
	for range c.calls {
		t, ok := terminals[coder.Code(0)]
		if !ok || t > next {
			return nil, fmt.Errorf("a call that is no terminal, or not in the order of first use")
		}
		next = max(next, t+1)
		b.Append(t)
	}
	g, _ := CanonicalGrammar(b.Grammar())
	return g, nil
}
