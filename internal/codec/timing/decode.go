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
	// The tables by set and bucket, of gaps and then of durations: where their slots begin, then
	// the mask of a remainder, and the scale in the lowest 8 bits.
	tables []uint64
	words  []uint16 // and two beyond the end, which a call may ask for
	low    []byte   // with room for reading beyond the end
}

// A nextTable tells which tables the next call of a context has, as in decoder, and where those of
// its set begin.
type nextTable struct {
	gap, duration     uint64
	gapAt, durationAt uint32
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

// setWords takes over what the coder wrote after its states.
func (d *decoder) setWords(in []byte) {
	n := len(in) / 2
	d.words = slices.Grow(d.words[:0], n+2)[:n+2]
	for i := range n {
		d.words[i] = binary.LittleEndian.Uint16(in[2*i:])
	}
	d.words[n], d.words[n+1] = 0, 0
}

// values decodes all numbers; words is what the coder wrote, and the low bits follow in p.
func (b *block) values(p *byteio.Reader, words []byte, gaps, durations []uint64) {
	x, y := rans.Begin(words)
	if (x|y)>>31 != 0 {
		p.Fail("state out of range")
		return
	}
	d := &b.decoder
	d.setWords(words[8:])
	low := p.In[p.Pos:]
	d.low = append(append(slices.Grow(d.low[:0], len(low)+padding), low...), make([]byte, padding)...)
	first := uint32(len(d.slots))
	second := first + uint32(len(d.tables)/2)
	d.slots = append(d.slots, d.tables...)
	for c := range d.states {
		at := b.setAt[c]
		d.states[c] = nextTable{gapAt: first + at, durationAt: second + at, gap: d.slots[first+at],
			duration: d.slots[second+at]}
	}
	at, x, y := d.symbols(b.ctx[:len(gaps)], gaps, durations, x, y)
	if end := uint(len(words)-8) / 2; at > end {
		p.Fail("cut off")
	} else if at != end || x != rans.Low || y != rans.Low {
		p.Fail("the numbers do not end where they should")
	}
	p.Bytes(uint64(d.addLow(gaps, durations)+7) / 8)
}

// symbols sets gaps and durations to the slots of their symbols, for calls of the given contexts. It begins with two
// states, and returns how many of d.words it took, more than there are if these are cut off, and the states at the end.
// It is this short so that what it keeps from call to call fits the registers of a processor.
func (d *decoder) symbols(ctx []uint16, gaps, durations []uint64, x, y uint32) (at uint, xEnd, yEnd uint32) {
	in, states, slots := d.words, d.states, d.slots
	gaps, durations = gaps[:len(ctx)], durations[:len(ctx)]
	for i, c := range ctx {
		if at+1 >= uint(len(in)) {
			break
		}
		st := &states[c]
		t := st.gap
		s := slots[uint32(t>>32)+x&uint32(t>>8&0xffff)]
		gaps[i] = s
		x = uint32(s>>slotFreq&0x1fff)*(x>>(t&31)) + uint32(s&0xfff)
		st.gap = slots[st.gapAt+uint32(s>>slotBits&63)]
		taken := uint(0)
		x, taken = rans.Refill(x, in[at])
		at += taken
		t = st.duration
		s = slots[uint32(t>>32)+y&uint32(t>>8&0xffff)]
		durations[i] = s
		y = uint32(s>>slotFreq&0x1fff)*(y>>(t&31)) + uint32(s&0xfff)
		st.duration = slots[st.durationAt+uint32(s>>slotBits&63)]
		y, taken = rans.Refill(y, in[at])
		at += taken
	}
	return at, x, y
}

// addLow makes numbers of slots, with the low bits that d has, and returns how many bits that took.
func (d *decoder) addLow(gaps, durations []uint64) (pos uint) {
	low := d.low
	end := 8 * uint(len(low)-padding)
	durations = durations[:len(gaps)]
	for i, g := range gaps {
		h := durations[i]
		if (g|h)>>slotLow&63 == 0 { // as it is nearly always, but where times are kept exactly
			gaps[i], durations[i] = g>>slotHigh, h>>slotHigh
			continue
		}
		if pos > end {
			break
		}
		gl, hl := g>>slotLow&63, h>>slotLow&63
		g, h = g>>slotHigh<<gl, h>>slotHigh<<hl
		if gl+hl <= 57 {
			bits := binary.LittleEndian.Uint64(low[pos>>3:]) >> (pos & 7)
			g |= bits & (1<<gl - 1)
			h |= bits >> gl & (1<<hl - 1)
			pos += uint(gl + hl)
		} else {
			r := byteio.BitReader{In: low, Pos: pos}
			g |= r.Read(uint(gl))
			h |= r.Read(uint(hl))
			pos = r.Pos
		}
		gaps[i], durations[i] = g, h
	}
	return pos
}
