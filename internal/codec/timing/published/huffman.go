package published

import (
	"container/heap"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A Huffman code is canonical: codes of one length are consecutive numbers in the order of their
// symbols, and follow the shorter ones. It is stored as
//
//	symbols  varint  number of them
//	symbol   varint  ascending; difference from the one before
//	length   byte    of its code, in bits
//
// One symbol alone has length 0. A code's most significant bit comes first.

// maxCode bounds the length of codes. Lengths above 29 need more than maxBuffer values.
const maxCode = 40

type symbol struct {
	value  uint32
	length uint8
	code   uint64 // least significant bit first
}

// huffmanLengths returns the symbols in use, ascending, with the lengths of their codes. counts is
// indexed by symbol.
func huffmanLengths(counts []uint32) []symbol {
	var h codeHeap
	var symbols []symbol
	for v, n := range counts {
		if n > 0 {
			h = append(h, &codeNode{count: uint64(n), order: len(symbols), leaf: len(symbols)})
			symbols = append(symbols, symbol{value: uint32(v)})
		}
	}
	if len(symbols) == 0 {
		return nil
	}
	heap.Init(&h)
	for order := len(symbols); len(h) > 1; order++ {
		a, b := heap.Pop(&h).(*codeNode), heap.Pop(&h).(*codeNode)
		heap.Push(&h, &codeNode{count: a.count + b.count, order: order, leaf: -1, kids: [2]*codeNode{a, b}})
	}
	h[0].lengths(symbols, 0)
	return symbols
}

type codeNode struct {
	count uint64
	order int // ties are decided by age
	leaf  int // index of the symbol, -1 if the node is none
	kids  [2]*codeNode
}

func (n *codeNode) lengths(symbols []symbol, depth uint8) {
	if n.leaf >= 0 {
		symbols[n.leaf].length = depth
		return
	}
	n.kids[0].lengths(symbols, depth+1)
	n.kids[1].lengths(symbols, depth+1)
}

type codeHeap []*codeNode

func (h codeHeap) Len() int { return len(h) }
func (h codeHeap) Less(i, j int) bool {
	return h[i].count < h[j].count || h[i].count == h[j].count && h[i].order < h[j].order
}
func (h codeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *codeHeap) Push(n any)   { *h = append(*h, n.(*codeNode)) }
func (h *codeHeap) Pop() any {
	last := len(*h) - 1
	n := (*h)[last]
	*h = (*h)[:last]
	return n
}

// assign gives the symbols, which are ascending, their codes. It returns them by length, and false
// if the lengths are not those of a complete code.
func assign(symbols []symbol) (byLength []*symbol, ok bool) {
	for i := range symbols {
		byLength = append(byLength, &symbols[i])
	}
	slices.SortStableFunc(byLength, func(a, b *symbol) int { return int(a.length) - int(b.length) })
	if len(symbols) == 1 {
		return byLength, symbols[0].length == 0
	}
	code, length := uint64(0), uint8(0)
	for _, s := range byLength {
		if s.length == 0 || s.length > maxCode {
			return nil, false
		}
		code <<= s.length - length
		length = s.length
		if code >= 1<<length {
			return nil, false
		}
		s.code = bits.Reverse64(code) >> (64 - length)
		code++
	}
	return byLength, code == 1<<length
}

func appendSymbols(dst []byte, symbols []symbol) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(symbols)))
	before := uint32(0)
	for _, s := range symbols {
		dst = binary.AppendUvarint(dst, uint64(s.value-before))
		dst = append(dst, s.length)
		before = s.value
	}
	return dst
}

// huffmanDecoder decodes one symbol at a time: short codes by a table, others by their rank among
// the codes of a length.
type huffmanDecoder struct {
	byLength []*symbol
	// quick maps the next quickBits bits to 1 + the index of a symbol in byLength.
	quick []int32
	// first code of each length, and its index in byLength
	first [maxCode + 1]uint64
	index [maxCode + 1]int
	count [maxCode + 1]uint64
}

const quickBits = 11

// readSymbols reads a code. Symbols must be below limit.
func (p *input) readSymbols(limit uint64) *huffmanDecoder {
	symbols := make([]symbol, p.count(2))
	value := uint64(0)
	for i := range symbols {
		d := p.Uvarint()
		if i > 0 && d == 0 {
			p.Fail("a symbol twice")
		}
		if value += d; value >= limit {
			p.Fail("symbol out of range")
		}
		symbols[i] = symbol{value: uint32(value), length: p.Byte()}
		if p.Err != nil {
			return nil
		}
	}
	d := &huffmanDecoder{quick: make([]int32, 1<<quickBits)}
	var ok bool
	if d.byLength, ok = assign(symbols); !ok || len(symbols) == 0 {
		p.Fail("not a complete Huffman code")
		return nil
	}
	for i, s := range d.byLength {
		if d.count[s.length] == 0 {
			d.first[s.length], d.index[s.length] = bits.Reverse64(s.code)>>(64-s.length), i
		}
		d.count[s.length]++
		for c := s.code; s.length <= quickBits && c < 1<<quickBits; c += 1 << s.length {
			d.quick[c] = int32(i + 1)
		}
	}
	return d
}

// next decodes a symbol.
func (d *huffmanDecoder) next(r *bitReader) uint32 {
	if i := d.quick[r.peek(quickBits)]; i > 0 {
		s := d.byLength[i-1]
		r.Pos += uint(s.length)
		return s.value
	}
	code := uint64(0)
	for length := 1; length <= maxCode; length++ {
		code = code<<1 | r.Read(1)
		if at := code - d.first[length]; at < d.count[length] {
			return d.byLength[d.index[length]+int(at)].value
		}
	}
	r.broken = true
	return 0
}
