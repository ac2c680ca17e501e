package timeline

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// cacheMagic begins what Save makes; the last byte is the version.
const cacheMagic = "tabard tiles\x00\x01"

// MaxSaved is how long it is at most, in bytes.
const MaxSaved = mipMemory + 64<<20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Save writes what was found out of the whole archive, for Load: of each stream the facts, and the mips of its blocks.
//
// After the magic come the uvarint of the number of streams and, for each that is known: uvarint number plus 1; byte: 1
// none, 2 single, plus 4 times the category of the call that did not return; varint from, uvarint to less from, in
// nanoseconds; uvarint rate, the bits of an IEEE 754 number. After a uvarint 0 follow mips: uvarints stream plus 1,
// first call, level, varint number of the first bin, and the packed bins with their length. After another 0 comes the
// CRC-32C of all before.
func (t *Tiler) Save(w io.Writer) error {
	sum := crc32.New(castagnoli)
	out := bufio.NewWriter(io.MultiWriter(w, sum))
	out.WriteString(cacheMagic)
	b := binary.AppendUvarint(nil, uint64(len(t.facts)))
	for i := range t.facts {
		f := t.facts[i].Load()
		if f == nil {
			continue
		}
		kind := byte(f.open) << 2
		if f.none {
			kind |= 1
		}
		if f.single {
			kind |= 2
		}
		b = append(binary.AppendUvarint(b, uint64(i)+1), kind)
		b = binary.AppendUvarint(byteio.AppendVarint(b, int64(f.from)), uint64(f.to-f.from))
		b = binary.AppendUvarint(b, math.Float64bits(f.rate))
		out.Write(b)
		b = b[:0]
	}
	b = append(b, 0)
	for _, x := range t.memory.mips.all() {
		if x.key.tiler != t.number {
			continue
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.key.stream)+1), x.key.from)
		b = byteio.AppendVarint(binary.AppendUvarint(b, uint64(x.value.level)), x.value.x)
		out.Write(append(binary.AppendUvarint(b, uint64(len(x.value.packed))), x.value.packed...))
		b = b[:0]
	}
	out.Write(append(b, 0))
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil)) // big-endian
	return err
}

// Load takes what Save made of the same archive, and keeps the bytes. It is not ok if they are damaged; then nothing of
// them is used.
func (t *Tiler) Load(b []byte) (ok bool) {
	if len(b) < len(cacheMagic)+4 || string(b[:len(cacheMagic)]) != cacheMagic {
		return false
	}
	end := len(b) - 4
	if crc32.Checksum(b[:end], castagnoli) != binary.BigEndian.Uint32(b[end:]) {
		return false
	}
	p := &byteio.Reader{In: b[:end:end], Pos: len(cacheMagic)}
	if p.Uvarint() != uint64(len(t.facts)) {
		return false
	}
	known := map[int]*facts{}
	for i := p.Uvarint(); i > 0; i = p.Uvarint() {
		kind := p.Byte()
		f := &facts{open: Category(kind >> 2), none: kind&1 != 0, single: kind&2 != 0, from: time.Duration(p.Varint())}
		f.to = f.from + time.Duration(p.Uvarint())
		f.rate = math.Float64frombits(p.Uvarint())
		if p.Err != nil || i > uint64(len(t.facts)) || f.open >= NumCategories || f.to < f.from ||
			!(f.rate >= 0 && f.rate < 1e9) {
			return false
		}
		known[int(i-1)] = f
	}
	made := map[blockKey]*mip{}
	for i := p.Uvarint(); i > 0; i = p.Uvarint() {
		key := t.block(int(i-1), p.Uvarint())
		m := &mip{level: int(p.Uvarint()), x: p.Varint(), packed: p.Sized()}
		if p.Err != nil || i > uint64(len(t.facts)) || uint(m.level) > MaxTileLevel {
			return false
		}
		made[key] = m
	}
	if p.Err != nil || p.Left() > 0 {
		return false
	}
	for i, f := range known {
		t.facts[i].Store(f)
	}
	for key, m := range made {
		t.memory.mips.put(key, m)
	}
	return true
}
