package infer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"

	col "github.com/tabard-hpc/tabard/internal/codec/column"
)

// column is a column of a rank.
type column struct {
	raw []byte
	r   *col.Reader
}

// held is what the columns of a call hold: where its occurrences are.
type held struct{ rows []heldRow }

// stream is the occurrences of a terminal at a rank.
type stream struct {
	class *class
	rank  int64
	term  uint32
}

// heldRow is an occurrence of a call with columns.
type heldRow struct {
	row
	class *class
	term  uint32
	// at is the number of the occurrence among those of the terminal at this rank.
	at uint64
}

var errColumn = errors.New("a column of the recording cannot be read")

// column opens a column of a rank, by its number in the class.
func (k *class) column(rank, number int, elements bool, n uint64) (column, error) {
	key := [2]int{rank, number}
	if c, ok := k.columns[key]; ok {
		return c, nil
	}
	cases := &k.d.Columns[number]
	i := cases.Index(k.d.Ranks, rank)
	if i < 0 {
		return column{}, errColumn
	}
	v := &cases.Values[i]
	var c column
	switch {
	case v.Blob >= 0 && v.Clock:
		c.raw = k.recording.c.Timings[v.Blob]
	case v.Blob >= 0:
		c.raw = k.recording.c.Columns[v.Blob]
	default:
		b, ok := v.Encoded(rank, elements, n)
		if !ok {
			return column{}, errColumn
		}
		c.raw = b
	}
	r, err := col.Open(c.raw)
	if err != nil {
		return column{}, fmt.Errorf("%w: %v", errColumn, err)
	}
	c.r = r
	k.columns[key] = c
	return c, nil
}

// maxHeld is how many occurrences of calls with columns are looked at, in all. Each takes some 200 bytes.
const maxHeld = 1 << 20

// hold notes where the occurrences of all calls with columns are, unless there are too many.
func (m *inference) hold(b *block) error {
	holders := make([][]*holder, len(b.seqs))
	total := uint64(0)
	for i := range b.seqs {
		k := b.seqs[i].class
		if len(k.d.Columns) == 0 {
			continue
		}
		with := make([]bool, len(k.d.Terminals))
		for t, id := range k.d.Terminals {
			with[t] = len(k.recording.c.Templates[id].Columns()) > 0
		}
		for _, rank := range k.ranks {
			n, err := k.held(rank, with)
			if err != nil {
				return err
			}
			if total += min(n, maxHeld+1); total > maxHeld {
				return nil
			}
			holders[i] = append(holders[i], &holder{class: k, rank: rank, with: with, seen: make([]uint64, len(with))})
		}
	}
	for i, list := range holders {
		for _, w := range list {
			w.walk(b, i, nil)
		}
	}
	return nil
}

// held is how many calls with columns a rank makes. That its columns have a value for each of them keeps
// a damaged recording from claiming more calls than it has room for.
func (k *class) held(rank int, with []bool) (total uint64, err error) {
	for t, n := range k.occurrences(rank) {
		if !with[t] || n == 0 {
			continue
		}
		sig := &k.recording.c.Templates[k.d.Terminals[t]].Signature
		for i, spec := range sig.Columns() {
			elements := spec.Array && spec.Field >= 0
			c, err := k.column(rank, k.start[t]+i, elements, n)
			if err != nil {
				return 0, err
			}
			if !elements && c.r.Len() != n {
				return 0, fmt.Errorf("%w: it has %d values for %d calls (the file is damaged: copy it again, or "+
					"record again)",
					errColumn, c.r.Len(), n)
			}
		}
		total = min(total+min(n, maxHeld+1), maxHeld+1)
	}
	return total, nil
}

// holder walks through the calls of a rank.
type holder struct {
	class *class
	rank  int
	with  []bool
	seen  []uint64
}

func (w *holder) walk(b *block, seq int, idx []int64) {
	s := &b.seqs[seq]
	for pos, n := range s.nodes {
		it := b.of[s.at[pos]]
		if it.leaf {
			if w.with[n.term] {
				w.visit(it, n.term, idx)
			}
			continue
		}
		// Iterations without such calls are not walked through: there may be any number of them.
		times, last := n.times(w.rank), len(n.inst)-1
		for i := int64(0); i < times && (i < int64(last) || w.any(n.inst[last])); i++ {
			k := int(min(i, int64(last)))
			if w.any(n.inst[k]) {
				w.walk(it.sub, it.first[seq]+k, append(idx[:len(idx):len(idx)], i))
			}
		}
	}
}

// any tells whether there are calls with columns in the body of a loop.
func (w *holder) any(body []*node) bool {
	return slices.ContainsFunc(body, func(n *node) bool {
		if n.inst == nil {
			return w.with[n.term]
		}
		return slices.ContainsFunc(n.inst, w.any)
	})
}

func (w *holder) visit(it *item, term uint32, idx []int64) {
	if it.held == nil {
		it.held = &held{}
	}
	at := row{recording: w.class.recording, rank: int64(w.rank), idx: idx}
	it.held.rows = append(it.held.rows, heldRow{at, w.class, term, w.seen[term]})
	w.seen[term]++
}

// Copied are columns that are the same at all ranks, as they were recorded: for values that follow
// no rule.
type Copied struct {
	// Columns are encoded, in the order of archive.Signature.Columns for the slot: of arrays first
	// the lengths.
	Columns [][]byte
	// Values is the number of occurrences of the call that they are for.
	Values uint64
}

// copies are the columns of a slot of a call, if they are the same at all ranks and no other call
// has a part of them.
func (h *held) copies(slot int) (*Copied, error) {
	var out *Copied
	counts := map[stream]uint64{}
	for i := range h.rows {
		r := &h.rows[i]
		counts[stream{r.class, r.rank, r.term}]++
	}
	one := map[[2]any]uint32{}
	for s, n := range counts {
		if t, ok := one[[2]any{s.class, s.rank}]; ok && t != s.term {
			return nil, nil
		}
		one[[2]any{s.class, s.rank}] = s.term
		sig := &s.class.recording.c.Templates[s.class.d.Terminals[s.term]].Signature
		x := &Copied{Values: n}
		for i, spec := range sig.Columns() {
			if spec.Slot != slot {
				continue
			}
			c, err := s.class.column(int(s.rank), s.class.start[s.term]+i, spec.Array && spec.Field >= 0, n)
			if err != nil {
				return nil, err
			}
			if !spec.Array && c.r.Len() != n {
				return nil, nil
			}
			x.Columns = append(x.Columns, c.raw)
		}
		if out == nil {
			out = x
			continue
		}
		if out.Values != x.Values || len(out.Columns) != len(x.Columns) {
			return nil, nil
		}
		for i := range out.Columns {
			if !bytes.Equal(out.Columns[i], x.Columns[i]) {
				return nil, nil
			}
		}
	}
	return out, nil
}

// number is the number of the column of a slot's field in a terminal's columns.
func number(sig *archive.Signature, slot, field int) int {
	for i, s := range sig.Columns() {
		if s.Slot == slot && s.Field == field {
			return i
		}
	}
	return -1
}

// column opens the column with a field of a slot of an occurrence.
func (r *heldRow) column(slot, field int, elements bool) (column, bool) {
	sig := &r.class.recording.c.Templates[r.class.d.Terminals[r.term]].Signature
	n := number(sig, slot, field)
	if n < 0 {
		return column{}, false
	}
	c, err := r.class.column(int(r.rank), r.class.start[r.term]+n, elements, r.class.occurrences(int(r.rank))[r.term])
	return c, err == nil
}

// inColumns tells whether a slot of an occurrence is in columns.
func (r *heldRow) inColumns(slot int) bool {
	return r.class.recording.c.Templates[r.class.d.Terminals[r.term]].Slots[slot].Kind == archive.Hole
}

// arrays are those of a slot of all occurrences. ok is false if one is not in columns, or these do
// not have all of it.
func (h *held) arrays(slot int) (out []elements, ok bool) {
	before := map[stream]uint64{} // elements of the arrays so far
	for k := range h.rows {
		r := &h.rows[k]
		if !r.inColumns(slot) {
			return nil, false
		}
		lengths, ok := r.column(slot, -1, false)
		if !ok || r.at >= lengths.r.Len() {
			return nil, false
		}
		n, w := lengths.r.At(r.at), stream{r.class, r.rank, r.term}
		first := before[w]
		before[w] += uint64(n)
		if n < 0 || r.at == 0 && first != 0 {
			return nil, false
		}
		sig := &r.class.recording.c.Templates[r.class.d.Terminals[r.term]].Signature
		for _, c := range sig.Columns() {
			if n > 0 && c.Slot == slot && c.Field >= 0 {
				if _, ok := r.column(slot, c.Field, true); !ok {
					return nil, false
				}
			}
		}
		out = append(out, elements{r.row, n, func(e int64, part int) int64 {
			c, _ := r.column(slot, part, true)
			return c.r.At(first + uint64(e))
		}})
	}
	return out, true
}

// occurrences is how often each terminal occurs at a rank.
func (k *class) occurrences(rank int) []uint64 {
	if len(k.d.Trips) == 0 {
		rank = k.ranks[0]
	}
	if k.occ == nil {
		k.occ = map[int][]uint64{}
	}
	n, ok := k.occ[rank]
	if !ok {
		n = k.d.Occurrences(rank)
		k.occ[rank] = n
	}
	return n
}
