package published

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// The body of a hist buffer is a packed block (see appendPacked) of
//
//	k      byte    2^k bins have short codes
//	wide   byte    bits of the number of any bin
//	for each class, ascending
//	    bins  varint  number of bins with short codes, 0 if it has fewer than 2^k values
//	    bin   varint  each of them, the first one less the most frequent bin of the
//	                  class before, zigzag, the others less the first, zigzag
//	codes: least significant bit first; 0 and k bits for the place in the table of the class, or 1
//	and wide bits for the number of the bin
//
// The values of a class stand together, classes ascending.

// encodeHist works in two passes, as Pilgrim does: the table of a class serves its first M values
// as well.
func encodeHist(dst []byte, b *buffer) []byte {
	numbers := make([]uint64, len(b.values))
	greatest := uint64(0)
	for i, v := range b.values {
		numbers[i] = b.bounds.binsOf(b.classes[i]).bin(v)
		greatest = max(greatest, numbers[i])
	}
	k, wide := uint(b.params.K), uint(bits.Len64(greatest))
	plain := []byte{byte(k), byte(wide)}
	var codes byteio.BitWriter
	before := uint64(0)
	for from, to := range b.runs() {
		mine := numbers[from:to]
		table := frequent(mine[:min(len(mine), b.params.M)], 1<<k)
		if len(mine) < 1<<k {
			table = nil
		}
		plain = appendTable(plain, table, &before)
		for _, n := range mine {
			if i := slices.Index(table, n); i >= 0 {
				codes.Write(uint64(i)<<1, k+1)
			} else {
				codes.Write(n<<1|1, wide+1)
			}
		}
	}
	return appendPacked(dst, append(plain, codes.Flush()...), fastest())
}

// runs yields the beginning and end of each run of one class.
func (b *buffer) runs() func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		for from := 0; from < len(b.classes); {
			to := from + 1
			for to < len(b.classes) && b.classes[to] == b.classes[from] {
				to++
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// frequent returns the most frequent numbers, at most limit, the most frequent one first.
func frequent(numbers []uint64, limit int) []uint64 {
	count := map[uint64]int{}
	var distinct []uint64
	for _, n := range numbers {
		if count[n]++; count[n] == 1 {
			distinct = append(distinct, n)
		}
	}
	slices.SortFunc(distinct, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	return distinct[:min(limit, len(distinct))]
}

func appendTable(dst []byte, table []uint64, before *uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(table)))
	for i, n := range table {
		dst = binary.AppendUvarint(dst, byteio.Zigzag(int64(n-*before)))
		if i == 0 {
			*before = n
		}
	}
	return dst
}

func decodeHist(p *input, b *buffer) {
	// At most 1+64 bits for a value, and 2^8 numbers of up to 10 bytes for 2^8 values of a class.
	plain := p.unpack(32 + 32*len(b.values))
	k, wide := uint(plain.Byte()), uint(plain.Byte())
	if plain.Err == nil && (k < 1 || k > 8 || wide > 32) {
		plain.Fail("widths of codes out of range")
	}
	var tables [][]uint64
	var before uint64
	for from, to := range b.runs() {
		table := plain.table(b.bounds.binsOf(b.classes[from]), min(to-from, 1<<k), &before)
		tables = append(tables, table)
		if plain.Err != nil {
			p.Stop(plain.Err)
			return
		}
	}
	codes := bitReader{BitReader: byteio.BitReader{In: plain.In[plain.Pos:]}}
	t := 0
	for from, to := range b.runs() {
		if !b.decodeClass(&codes, from, to, k, wide, tables[t]) {
			p.Fail("no such bin, or no such place in a table")
			return
		}
		t++
	}
	if codes.over() || codes.rest() {
		p.Fail("wrong number of bits")
	}
}

// table reads the table of a class and returns what its bins stand for.
func (p *input) table(t *bins, limit int, before *uint64) []uint64 {
	table := make([]uint64, p.below(uint64(limit)+1))
	for i := range table {
		n := *before + uint64(byteio.Unzigzag(p.Uvarint()))
		if i == 0 {
			*before = n
		}
		v, ok := t.rep(n)
		if !ok {
			p.Fail("no such bin")
		}
		if p.Err != nil {
			return nil
		}
		table[i] = v
	}
	return table
}

func (b *buffer) decodeClass(codes *bitReader, from, to int, k, wide uint, table []uint64) bool {
	t := b.bounds.binsOf(b.classes[from])
	for i := from; i < to; i++ {
		if codes.Read(1) == 0 {
			place := codes.Read(k)
			if place >= uint64(len(table)) {
				return false
			}
			b.values[i] = table[place]
			continue
		}
		v, ok := t.rep(codes.Read(wide))
		if !ok {
			return false
		}
		b.values[i] = v
	}
	return true
}
