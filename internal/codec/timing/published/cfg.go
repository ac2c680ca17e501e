package published

import (
	"encoding/binary"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// The body of a cfg buffer is a packed block (see appendPacked) of
//
//	distinct  varint  number of distinct bins
//	bin       varint  each, in the order of first use; difference from the one before, zigzag
//	grammar           as package grammar encodes it; terminal t is the t-th distinct bin

func encodeCFG(dst []byte, b *buffer) []byte {
	terminals := map[uint64]uint32{}
	var distinct []uint64
	g := grammar.NewBuilder()
	for i, v := range b.values {
		n := b.bounds.binsOf(b.classes[i]).bin(v)
		t, ok := terminals[n]
		if !ok {
			t = uint32(len(distinct))
			terminals[n] = t
			distinct = append(distinct, n)
		}
		g.Append(t)
	}
	plain := binary.AppendUvarint(nil, uint64(len(distinct)))
	before := uint64(0)
	for _, n := range distinct {
		plain = binary.AppendUvarint(plain, byteio.Zigzag(int64(n-before)))
		before = n
	}
	return appendPacked(dst, g.Grammar().Append(plain), fastest())
}

func decodeCFG(p *input, b *buffer) {
	// A symbol of the grammar and a distinct bin have at most 10 bytes per value each, and the
	// exponents and ends of rules, of which there are fewer than values, as much again.
	plain := p.unpack(64 + 40*len(b.values))
	distinct := make([]uint64, plain.below(uint64(len(b.values))+1))
	before := uint64(0)
	for i := range distinct {
		before += uint64(byteio.Unzigzag(plain.Uvarint()))
		distinct[i] = before
		if plain.Err != nil {
			break
		}
	}
	if plain.Err != nil {
		p.Stop(plain.Err)
		return
	}
	g, rest, err := grammar.Parse(plain.In[plain.Pos:])
	if err == nil {
		err = g.Validate(len(distinct))
	}
	if err != nil {
		p.Fail(err.Error())
		return
	}
	if n, err := g.Len(); err != nil || n != uint64(len(b.values)) || len(rest) > 0 {
		p.Fail("the grammar has not one terminal for each value")
		return
	}
	i := 0
	for t := range g.All() {
		v, ok := b.bounds.binsOf(b.classes[i]).rep(distinct[t])
		if !ok {
			p.Fail("no such bin")
			return
		}
		b.values[i] = v
		i++
	}
}
