package arith

import (
	"math"
	"math/bits"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// Prob is the probability that a bit is 1, as learned so far. The zero Prob has seen nothing.
type Prob struct {
	p uint16 // less 2^15
	n uint8
}

const (
	half     = 1 << 15
	least    = 32
	slowest  = 127
	treeBits = 5 // bits of a number whose probabilities depend on those before
)

// rates are the shares of the distance by which a probability moves.
var rates = func() (r [slowest + 1]uint32) {
	for n := range r {
		r[n] = uint32(65536 / (n + 2))
	}
	return r
}()

// P is the probability of 1, times 65536.
func (p *Prob) P() uint32 { return uint32(p.p ^ half) }

func (p *Prob) update(bit int) {
	v, rate := p.P(), rates[p.n]
	if bit != 0 {
		v = min(v+(65535-v)*rate>>16, 65535-least)
	} else {
		v = max(v-v*rate>>16, least)
	}
	p.p = uint16(v) ^ half
	if p.n < slowest {
		p.n++
	}
}

// A Coder encodes, or decodes if NewDecoder made it. It is not safe for concurrent use.
type Coder struct {
	low, high uint64
	b         []byte // written, or to be read
	decoding  bool
	x         uint64 // what is read, in the place of low and high

	// Cost, unless it is nil, is increased by the information in each bit that is coded, in bits.
	Cost *float64
}

// NewEncoder returns a coder that writes.
func NewEncoder() *Coder { return &Coder{high: 1<<64 - 1} }

// NewDecoder returns a coder that reads what Bytes returned. Behind the end it reads zeros. So
// broken input gives wrong bits, and nothing tells where it ends.
func NewDecoder(in []byte) *Coder {
	c := &Coder{high: 1<<64 - 1, b: in, decoding: true}
	for range 8 {
		c.shift()
	}
	return c
}

// Decoding tells whether the coder reads.
func (c *Coder) Decoding() bool { return c.decoding }

func (c *Coder) shift() {
	c.x <<= 8
	if len(c.b) > 0 {
		c.x |= uint64(c.b[0])
		c.b = c.b[1:]
	}
}

// Bit codes a bit, 0 or 1, and learns from it. A decoder ignores the argument and returns the bit
// that was written.
func (c *Coder) Bit(p *Prob, bit int) int {
	bit = c.BitAt(p.P(), bit)
	p.update(bit)
	return bit
}

// BitAt is Bit without learning; p is the probability of 1, times 65536, from 1 to 65535.
func (c *Coder) BitAt(p uint32, bit int) int {
	hi, _ := bits.Mul64(c.high-c.low, uint64(p)<<48)
	mid := c.low + hi
	if c.decoding {
		bit = 0
		if c.x <= mid {
			bit = 1
		}
	}
	if bit != 0 {
		bit, c.high = 1, mid
	} else {
		c.low = mid + 1
	}
	if c.Cost != nil {
		q := float64(p) / 65536
		if bit == 0 {
			q = 1 - q
		}
		*c.Cost -= math.Log2(q)
	}
	for (c.low^c.high)>>56 == 0 {
		if c.decoding {
			c.shift()
		} else {
			c.b = append(c.b, byte(c.high>>56))
		}
		c.low <<= 8
		c.high = c.high<<8 | 255
	}
	return bit
}

// Bytes ends the encoding and returns it.
func (c *Coder) Bytes() []byte {
	out := c.b
	for drop := 56; drop >= 0; drop -= 8 {
		mask := uint64(1)<<drop - 1
		v := (c.low + mask) &^ mask
		if v < c.low || v > c.high {
			continue // too short
		}
		for ; v != 0; v <<= 8 {
			out = append(out, byte(v>>56))
		}
		break
	}
	for len(out) > 0 && out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	return out
}

// Number is a model of numbers. The zero Number has seen nothing.
type Number struct {
	length [128]Prob
	top    [65]*[1 << treeBits]Prob // by the number of bits
	low    [64]Prob
}

// Number codes v with what m has learned, and returns it.
func (c *Coder) Number(m *Number, v int64) int64 {
	u := byteio.Zigzag(v)
	n := 0
	node := 1
	for i := 6; i >= 0; i-- {
		b := c.Bit(&m.length[node], bits.Len64(u)>>i&1)
		node = node<<1 | b
		n = n<<1 | b
	}
	if n = min(n, 64); n == 0 { // above 64 only if the input is broken
		return 0
	}
	out := uint64(1)
	tree := m.top[n]
	if tree == nil && n > 1 {
		tree = new([1 << treeBits]Prob)
		m.top[n] = tree
	}
	for i := n - 2; i >= 0; i-- {
		p := &m.low[i]
		if n-2-i < treeBits {
			p = &tree[out&(1<<(n-2-i)-1)|1<<(n-2-i)]
		}
		out = out<<1 | uint64(c.Bit(p, int(u>>i&1)))
	}
	return byteio.Unzigzag(out)
}

// P is the probability of a value, times 2^46, rounded down at each bit.
func (m *Number) P(v int64) uint64 {
	u := byteio.Zigzag(v)
	n, q, node := bits.Len64(u), uint64(1)<<46, 1
	at := func(p *Prob, bit int) {
		x := uint64(p.P())
		if bit == 0 {
			x = 65536 - x
		}
		q = q * x >> 16
	}
	for i := 6; i >= 0; i-- {
		b := n >> i & 1
		at(&m.length[node], b)
		node = node<<1 | b
	}
	tree := m.top[n]
	for i := n - 2; i >= 0; i-- {
		p := &m.low[i]
		if d := n - 2 - i; d < treeBits {
			if tree == nil {
				q >>= 1
				continue
			}
			p = &tree[u>>(i+1)&(1<<d-1)|1<<d]
		}
		at(p, int(u>>i&1))
	}
	return q
}

// Learn makes p learn a bit that is not coded.
func (p *Prob) Learn(bit int) { p.update(bit) }
