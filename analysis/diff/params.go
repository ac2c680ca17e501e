package diff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// letters are the fingerprints of the terminals of a class, with their parameters at some ranks:
// with all parameters, or without the soft ones. encoded is set if functions of the rank may be
// compared by their encodings. That holds for the same ranks, since equal functions then have equal
// encodings.
func (c *comparison) letters(k *class, ranks *archive.RankSet, soft, encoded bool) ([]print, error) {
	out := make([]print, len(k.terms))
	for t := range k.terms {
		x := &k.terms[t]
		if !x.kept {
			continue
		}
		text, err := c.describe(k, uint32(t), ranks, soft, encoded)
		if err != nil {
			return nil, err
		}
		id := uint64(c.values.id(text))
		out[t] = print{id, id}
	}
	return out, nil
}

func (c *comparison) describe(k *class, t uint32, ranks *archive.RankSet, soft, encoded bool) (string, error) {
	x := &k.terms[t]
	open := make([]bool, len(x.sig.Slots))
	leaves := archive.Leaves(nil, &x.sig)
	for _, o := range x.open {
		open[leaves[o.leaf].Slot()] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %s", x.key, x.sig.Flags, k.side.outcome(&x.sig))
	for i := range x.sig.Slots {
		switch {
		case x.soft[i] && !soft:
			b.WriteString("\x00")
		case open[i]: // of which the constant leaves count, too
			fmt.Fprintf(&b, "\x02%q", archive.AppendValue(nil, &x.sig.Slots[i]))
		case soft:
			fmt.Fprintf(&b, "\x01%q", archive.FormatValue(k.side.abi, x.f, &x.f.Slots[i], &x.sig.Slots[i]))
		default:
			fmt.Fprintf(&b, "\x01%q", k.side.text(x.f, i, &x.sig.Slots[i]))
		}
	}
	if len(x.open) == 0 {
		fmt.Fprintf(&b, "\x05%s", pattern(x.f, x.sig.Slots))
		return b.String(), nil
	}
	if encoded {
		inHeap(x.f, x.sig.Slots, func(_ int, v *archive.Value) { fmt.Fprintf(&b, "\x05%d", v.Seg) })
		for _, o := range x.open {
			if l := &leaves[o.leaf]; soft || !x.soft[l.Slot()] {
				fmt.Fprintf(&b, "\x03%d %q", o.leaf, encodeParam(o.p))
			}
		}
		return b.String(), nil
	}
	b.WriteString("\x04")
	for rank := range ranks.All() {
		sig, err := k.at(t, rank)
		if err != nil {
			return "", err
		}
		if err := c.step(); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s;", pattern(x.f, sig.Slots))
		for i := range sig.Slots {
			if open[i] && (soft || !x.soft[i]) {
				fmt.Fprintf(&b, "%q ", k.side.text(x.f, i, &sig.Slots[i]))
			}
		}
	}
	return b.String(), nil
}

// outcome names what a call returned: error classes mean the same under every MPI only by name, and
// MPICH makes codes up that have the class in their lowest seven bits.
func (s *side) outcome(sig *archive.Signature) string {
	if sig.Flags&archive.Failed == 0 {
		return mpi.Success
	}
	for _, code := range []int64{int64(sig.Ret), int64(sig.Ret) & 0x7f} {
		if name := s.abi.Name("ERROR_CODE", code); name != "" && name != mpi.Success {
			return name
		}
	}
	return "an error"
}

func encodeParam(p *archive.Param) []byte {
	var b []byte
	switch {
	case p.Base != nil:
		b = append(p.Base.Rank.Append(b), p.Base.Size.Append(nil)...)
		if p.Fn == nil {
			b = binary.AppendVarint(b, p.N)
		} else {
			b = p.Fn.Append(b)
		}
	case p.Fn != nil:
		b = p.Fn.Append(b)
	case p.Vec != nil:
		b = p.Vec.Append(b)
	case p.Str != nil:
		for _, s := range p.Str.Sets {
			b = s.Append(b)
		}
		b = fmt.Appendf(b, "%q", p.Str.Values)
	default:
		b = binary.AppendVarint(b, p.N)
	}
	return b
}

// slotDifference is a parameter that differs in two terminals.
type slotDifference struct {
	slot    int // -1 for the return code
	soft    bool
	a, b    string
	ranks   []int
	columns bool // the values have to be read
}

// comparePair finds the parameters in which two terminals differ.
func (g *group) comparePair(p pair, m *met) (list []slotDifference, err error) {
	c, ka, kb, ranks := g.c, g.ka, g.kb, g.ranks
	xa, xb := &ka.terms[p.a], &kb.terms[p.b]
	at := map[string]int{}
	add := func(slot int, soft bool, a, b string, columns bool, rank int) {
		key := fmt.Sprintf("%d %t %t %q %q", slot, soft, columns, a, b)
		i, ok := at[key]
		if !ok {
			i = len(list)
			at[key] = i
			list = append(list, slotDifference{slot: slot, soft: soft, a: a, b: b, columns: columns})
		}
		list[i].ranks = append(list[i].ranks, rank)
	}
	for rank := range ranks.All() {
		if err := c.step(); err != nil {
			return nil, err
		}
		sa, err := ka.at(p.a, rank)
		if err != nil {
			return nil, err
		}
		sb, err := kb.at(p.b, rank)
		if err != nil {
			return nil, err
		}
		if oa, ob := ka.side.outcome(sa), kb.side.outcome(sb); oa != ob {
			add(-1, false, oa, ob, false, rank)
		}
		for i := range sa.Slots {
			out := i >= xa.f.NumIn
			if out && (sa.Flags|sb.Flags)&(archive.Unfinished|archive.Failed) != 0 {
				continue
			}
			va, vb := &sa.Slots[i], &sb.Slots[i]
			soft := xa.soft[i] || xb.soft[i] || addresses(va, vb)
			if hasHole(va) || hasHole(vb) {
				if !soft {
					add(i, false, "", "", true, rank)
				}
				continue
			}
			a, b := ka.side.text(xa.f, i, va), kb.side.text(xb.f, i, vb)
			if a == b || c.o.Rerun && addresses(va, vb) { // in memory of another kind
				continue
			}
			if !soft {
				if soft, err = g.renumbered(rank, m, va, vb); err != nil {
					return nil, err
				}
			}
			add(i, soft, a, b, false, rank)
		}
		if i, a, b, ok := aliased(xa.f, sa.Slots, sb.Slots); ok && !xa.soft[i] {
			add(i, false, a, b, false, rank)
		}
	}
	return list, nil
}

// errTooMuch ends a comparison that takes too long.
var errTooMuch = errors.New("too many ranks with values of their own")

// maxEvaluations is how many signatures are evaluated at single ranks.
const maxEvaluations = 50_000_000

func (c *comparison) step() error {
	if c.evaluations++; c.evaluations > maxEvaluations {
		return errTooMuch
	}
	return nil
}
