package archive

import (
	"encoding/binary"
	"math/bits"
)

// codedGrammar is the encoding of a grammar and where the bodies of its rules are.
type codedGrammar struct {
	b     []byte
	spans []span
}

// minShared is the size in bytes from which on a body that occurs twice is shared.
const minShared = 8

// shareBodies replaces the bodies of rules that are equal in several grammars, or at several places
// of one, by items of a pool, which it returns. The encoding of a body names terminals and rules
// relative to those before it, so that bodies with equal bytes mean the same structure wherever
// they stand. Of nested bodies the outermost is shared.
func shareBodies(grammars []codedGrammar) (items []string) {
	type key struct {
		hash uint64
		size int
	}
	count := make(map[key]int)
	keyOf := func(s span) key { return key{s.hash, s.to - s.from} }
	var h prefixHash
	for i := range grammars {
		if len(grammars[i].spans) == 0 {
			continue
		}
		h.set(grammars[i].b)
		for j := range grammars[i].spans {
			s := &grammars[i].spans[j]
			if s.to-s.from >= minShared {
				s.hash = h.of(s.from, s.to)
				count[keyOf(*s)]++
			}
		}
	}
	ids := make(map[key]int)
	for i := range grammars {
		g := &grammars[i]
		var out []byte
		done := 0
		for _, s := range g.spans {
			if s.code < done || s.to-s.from < minShared {
				continue
			}
			k := keyOf(s)
			if count[k] < 2 {
				continue
			}
			body := string(g.b[s.from:s.to])
			id, ok := ids[k]
			if !ok {
				id = len(items)
				ids[k] = id
				items = append(items, body)
			}
			if items[id] != body {
				continue // equal hashes of different bodies
			}
			out = append(out, g.b[done:s.code]...)
			out = append(out, g.b[s.code]+(codeSharedRule-codeNewRule)<<1) // the flag for the exponent stays
			out = append(out, g.b[s.code+1:s.from]...)
			out = binary.AppendUvarint(out, uint64(id))
			done = s.to
		}
		if done > 0 {
			g.b = append(out, g.b[done:]...)
		}
	}
	return items
}

// prefixHash gives hashes of substrings in constant time: a polynomial modulo 2^61-1.
type prefixHash struct {
	sums, powers []uint64
}

const (
	hashPrime = 1<<61 - 1
	hashBase  = 0x0f1e2d3c4b5a6977
)

// set makes h the hashes of substrings of b.
func (h *prefixHash) set(b []byte) {
	if len(h.powers) == 0 {
		h.sums, h.powers = []uint64{0}, []uint64{1}
	}
	h.sums = h.sums[:1]
	for _, c := range b {
		h.sums = append(h.sums, reduce(mulMod(h.sums[len(h.sums)-1], hashBase)+uint64(c)+1))
	}
	for len(h.powers) < len(h.sums) {
		h.powers = append(h.powers, mulMod(h.powers[len(h.powers)-1], hashBase))
	}
}

func (h *prefixHash) of(from, to int) uint64 {
	return reduce(h.sums[to] + hashPrime - mulMod(h.sums[from], h.powers[to-from]))
}

func reduce(x uint64) uint64 {
	x = x>>61 + x&hashPrime
	if x >= hashPrime {
		x -= hashPrime
	}
	return x
}

func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return reduce(lo&hashPrime + (lo>>61 | hi<<3))
}
