package timing

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/entropy/rans"
	"github.com/tabard-hpc/tabard/internal/codec/sizeclass"
)

// A decoder is the tables of a block in a form that makes a number take one load.
type decoder struct {
	table  table
	slots  []uint64    // of all tables, see packSlots
	states []nextTable // of each context
	// The tables by set and bucket: where their slots begin, then the mask of a remainder, and
	// the scale in the lowest 8 bits.
	gaps, durations []uint64
	words, low      []byte // with room for reading beyond the end
}

// A nextTable tells which tables the next call of a context has, as in decoder, and where those of
// its set begin.
type nextTable struct {
	gap, duration uint64
	at            uint32
}

// A slot, one of 2^scale remainders of a state, is packed into 64 bits. From the lowest on these
// are the remainder within its class, the frequency of the class, the number of low bits and of all
// bits of the class's numbers, and the least of them without its low bits.
const (
	slotFreq = 12
	slotLow  = slotFreq + 13
	slotBits = slotLow + 6
	slotHigh = slotBits + 6

	padding = 8
)

// reset makes room for a block whose contexts are known.
func (d *decoder) reset(b *block) {
	d.slots = d.slots[:0]
	d.states = slices.Grow(d.states[:0], len(b.keys))[:len(b.keys)]
}

// read reads a table, adds its slots, and returns what stands for it.
func (d *decoder) read(t *table, r *byteio.BitReader, p *byteio.Reader) uint64 {
	t.read(r, p)
	if p.Err != nil {
		return 0
	}
	from, n := len(d.slots), 1<<t.scale
	d.slots = slices.Grow(d.slots, n)[:from+n]
	at := from
	for i, f := range t.freqs {
		if f == 0 {
			continue
		}
		low, base := sizeclass.Low(t.lo+uint(i), t.k)
		if low > 0 && low+t.k >= buckets-1 {
			p.Fail("class out of range")
			return 0
		}
		s := uint64(f)<<slotFreq | uint64(low)<<slotLow | uint64(bits.Len64(base))<<slotBits | base>>low<<slotHigh
		of := d.slots[at : at+int(f)]
		for j := range of {
			of[j] = s + uint64(j)
		}
		at += int(f)
	}
	return uint64(from)<<32 | uint64(n-1)<<8 | uint64(t.scale)
}

// pad copies bytes, and adds such that 64 bits can be read at their end.
func pad(dst, in []byte) []byte {
	dst = append(slices.Grow(dst[:0], len(in)+padding), in...)
	return append(dst, make([]byte, padding)...)
}

// values decodes all numbers; words is what the coder wrote, and the low bits follow in p.
func (b *block) values(p *byteio.Reader, words []byte, gaps, durations []uint64) {
	x, y := rans.Begin(words)
	if (x|y)>>31 != 0 {
		p.Fail("state out of range")
		return
	}
	d := &b.decoder
	d.words, d.low = pad(d.words, words), pad(d.low, p.In[p.Pos:])
	in, low := d.words, d.low
	end, lowEnd := uint(len(words)), 8*uint(len(low)-padding)
	states, slots, gt, dt := d.states, d.slots, d.gaps, d.durations
	for c := range states {
		at := b.setAt[c]
		states[c] = nextTable{at: at, gap: gt[at], duration: dt[at]}
	}
	at, pos, taken := uint(8), uint(0), uint32(0)
	ctx := b.ctx[:len(gaps)]
	durations = durations[:len(gaps)]
	for i, c := range ctx {
		if at > end || pos > lowEnd {
			break
		}
		next := binary.LittleEndian.Uint32(in[at:])
		st := &states[c]
		g := slots[uint32(st.gap>>32)+x&uint32(st.gap>>8&0xffff)]
		x = uint32(g>>slotFreq&0x1fff)*(x>>(st.gap&31)) + uint32(g&0xfff)
		x, taken = rans.Refill(x, next)
		at += uint(taken >> 3)
		next >>= taken
		h := slots[uint32(st.duration>>32)+y&uint32(st.duration>>8&0xffff)]
		y = uint32(h>>slotFreq&0x1fff)*(y>>(st.duration&31)) + uint32(h&0xfff)
		y, taken = rans.Refill(y, next)
		at += uint(taken >> 3)

		st.gap = gt[st.at+uint32(g>>slotBits&63)]
		st.duration = dt[st.at+uint32(h>>slotBits&63)]
		gl, hl := g>>slotLow&63, h>>slotLow&63
		if gl+hl <= 57 {
			bits := binary.LittleEndian.Uint64(low[pos>>3:]) >> (pos & 7)
			gaps[i] = g>>slotHigh<<gl | bits&(1<<gl-1)
			durations[i] = h>>slotHigh<<hl | bits>>gl&(1<<hl-1)
			pos += uint(gl + hl)
		} else {
			r := byteio.BitReader{In: low, Pos: pos}
			gaps[i] = g>>slotHigh<<gl | r.Read(uint(gl))
			durations[i] = h>>slotHigh<<hl | r.Read(uint(hl))
			pos = r.Pos
		}
	}
	if at > end {
		p.Fail("cut off")
	} else if at != end || x != rans.Low || y != rans.Low {
		p.Fail("the numbers do not end where they should")
	}
	p.Bytes(uint64(pos+7) / 8)
}
