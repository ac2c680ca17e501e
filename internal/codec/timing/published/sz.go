package published

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// The body of an sz buffer is, for each run of values with one bound, a packed block (see
// appendPacked) of
//
//	form  byte  0: the values follow as varints; 1: one varint, which all values are; 2: coded
//
// and, if coded,
//
//	step       double  half of a quantisation step: the bound of the logarithm (base 2)
//	centre     double  is added to exact values
//	threshold  double  lower logarithms are those of 0
//	intervals  varint  number of quantisation codes
//	required   byte    bits of an exact value
//	exact      varint  number of exact values
//	code               of the quantisation codes; see huffman.go
//	lead       2 bits for each exact value: how many bytes it has in common with the one before
//	residue    required%8 bits of each; both padded to bytes
//	middle     bytes: those of required/8 that are not in common
//	codes              one for each value: 0 is an exact value; intervals/2+q is the logarithm
//	                   decoded before plus q steps
//
// This is what SZ 2.1 (github.com/disheng222/SZ) does with one-dimensional doubles, sz_double_pwr.c
// and CompressElement.c, but for the layout: SZ stores the Huffman tree, not the lengths of codes.

const (
	szLeast      = 20    // runs that are not longer are not worth it
	szRadius     = 32768 // of the greatest quantisation range
	szSample     = 100   // every such value is looked at to choose the range
	szThreshold  = 0.99  // share of values that the range is to cover
	szSignAndExp = 12    // bits of a double that are always stored
)

const (
	szRaw = iota
	szConstant
	szCoded
)

func encodeSZ(dst []byte, b *buffer) []byte {
	from := 0
	for _, to := range b.cuts {
		if from < to {
			plain := szEncode(b.values[from:to], b.bounds.of(b.classes[from]))
			dst = appendPacked(dst, plain, usual())
		}
		from = to
	}
	return dst
}

func szEncode(values []uint64, bound float64) []byte {
	least, most := slices.Min(values), slices.Max(values)
	switch {
	case least == most:
		return binary.AppendUvarint([]byte{szConstant}, least)
	case len(values) <= szLeast:
		plain := []byte{szRaw}
		for _, v := range values {
			plain = binary.AppendUvarint(plain, v)
		}
		return plain
	}
	s := newSZ(values, bound)
	codes := s.quantise()
	return s.append([]byte{szCoded}, codes)
}

// sz is the state of coding one run.
type sz struct {
	logs                    []float64
	step, centre, threshold float64
	intervals               int
	required                uint
	exact                   []uint64 // the required bits of exact values, shifted to the right
}

func newSZ(values []uint64, bound float64) *sz {
	s := &sz{logs: make([]float64, len(values))}
	least, most := math.Inf(1), math.Inf(-1)
	low, high := math.Inf(1), math.Inf(-1) // with 0 for the logarithm of 0, as SZ has it
	for i, v := range values {
		if v > 0 {
			s.logs[i] = math.Log2(float64(v))
			least, most = min(least, s.logs[i]), max(most, s.logs[i])
		}
		low, high = min(low, s.logs[i]), max(high, s.logs[i])
	}
	s.step = math.Log2(1+bound) - most*2.23e-16
	s.threshold = least - 1.0001*s.step
	for i, v := range values {
		if v == 0 {
			s.logs[i] = least - 2.0001*s.step
		}
	}
	s.centre = low + (high-low)/2
	s.required = uint(max(szSignAndExp, szSignAndExp+exponent((high-low)/2)-exponent(s.step)))
	if s.required > 64 {
		s.required, s.centre = 64, 0
	}
	s.chooseIntervals()
	return s
}

// exponent returns the exponent of v as a double has it.
func exponent(v float64) int { return int(math.Float64bits(v)>>52&0x7ff) - 1023 }

// chooseIntervals samples how far predictions are off.
func (s *sz) chooseIntervals() {
	var radii [szRadius]int
	samples := 0
	for i := 2; i < len(s.logs); i += szSample {
		off := math.Abs(s.logs[i-1] - s.logs[i])
		radii[min(szRadius-1, int((off/s.step+1)/2))]++
		samples++
	}
	target, sum, r := int(float64(samples)*szThreshold), 0, 0
	for ; r < szRadius; r++ {
		if sum += radii[r]; sum > target {
			break
		}
	}
	r = min(r, szRadius-1)
	s.intervals = max(32, 1<<bits.Len(uint(2*(r+1)-1)))
}

// quantise returns the code of each value and collects the exact ones.
func (s *sz) quantise() []uint32 {
	codes := make([]uint32, len(s.logs))
	pred := 0.0
	radius := float64(s.intervals-1) * s.step
	for i, v := range s.logs {
		off := math.Abs(v - pred)
		if i < 2 || !(off < radius) {
			x := math.Float64bits(v-s.centre) >> (64 - s.required)
			s.exact = append(s.exact, x)
			pred = s.exactValue(x)
			continue
		}
		q := int((off/s.step + 1) / 2)
		if v < pred {
			q = -q
		}
		codes[i] = uint32(s.intervals/2 + q)
		pred = s.quantised(pred, q)
	}
	return codes
}

func (s *sz) exactValue(x uint64) float64 {
	return math.Float64frombits(x<<(64-s.required)) + s.centre
}

// quantised is the logarithm q steps from pred. The conversion keeps the product from being fused
// with the sum.
func (s *sz) quantised(pred float64, q int) float64 {
	return pred + float64(float64(q)*(2*s.step))
}

func (s *sz) append(dst []byte, codes []uint32) []byte {
	dst = appendDouble(dst, s.step)
	dst = appendDouble(dst, s.centre)
	dst = appendDouble(dst, s.threshold)
	dst = binary.AppendUvarint(dst, uint64(s.intervals))
	dst = append(dst, byte(s.required))
	dst = binary.AppendUvarint(dst, uint64(len(s.exact)))
	counts := make([]uint32, s.intervals)
	for _, c := range codes {
		counts[c]++
	}
	symbols := huffmanLengths(counts)
	assign(symbols)
	dst = appendSymbols(dst, symbols)
	dst = s.appendExact(dst)

	bySymbol := make([]*symbol, s.intervals)
	for i := range symbols {
		bySymbol[symbols[i].value] = &symbols[i]
	}
	w := byteio.NewBitWriter(dst, 0)
	for _, c := range codes {
		w.Write(bySymbol[c].code, uint(bySymbol[c].length))
	}
	return w.Flush()
}

// appendExact appends the exact values: leading bytes, residues, bytes.
func (s *sz) appendExact(dst []byte) []byte {
	whole, rest := s.required/8, s.required%8
	lead, residue := byteio.NewBitWriter(dst, 0), byteio.BitWriter{}
	var middle []byte
	before := uint64(0)
	for _, x := range s.exact {
		top := x >> rest // whole bytes
		common := uint(0)
		for common < min(3, whole) && (top^before)>>(8*(whole-1-common)) == 0 {
			common++
		}
		lead.Write(uint64(common), 2)
		residue.Write(x&(1<<rest-1), rest)
		for i := common; i < whole; i++ {
			middle = append(middle, byte(top>>(8*(whole-1-i))))
		}
		before = top
	}
	dst = append(lead.Flush(), residue.Flush()...)
	return append(dst, middle...)
}

func decodeSZ(p *input, b *buffer) {
	from := 0
	for _, to := range b.cuts {
		if from < to && p.Err == nil {
			// 10 bytes for an exact value, 5 for a code, and as much for a symbol.
			plain := p.unpack(128 + 32*(to-from))
			szDecode(plain, b.values[from:to])
			if plain.Err == nil && plain.Left() > 0 {
				plain.Fail("bytes after the last value of a run")
			}
			p.Stop(plain.Err)
		}
		from = to
	}
}

func szDecode(p *input, values []uint64) {
	switch p.Byte() {
	case szRaw:
		for i := range values {
			values[i] = p.Uvarint()
		}
	case szConstant:
		v := p.Uvarint()
		for i := range values {
			values[i] = v
		}
	case szCoded:
		szDecodeCoded(p, values)
	default:
		p.Fail("unknown form of values")
	}
}

func szDecodeCoded(p *input, values []uint64) {
	s := &sz{step: p.double(), centre: p.double(), threshold: p.double()}
	s.intervals = int(p.below(2*szRadius + 1))
	s.required = uint(p.Byte())
	exact := p.below(uint64(len(values)) + 1)
	if p.Err == nil && (s.required < szSignAndExp || s.required > 64) {
		p.Fail("number of bits out of range")
	}
	code := p.readSymbols(uint64(s.intervals))
	s.readExact(p, exact)
	if p.Err != nil {
		return
	}
	r := bitReader{BitReader: byteio.BitReader{In: p.Bytes(uint64(p.Left()))}}
	pred := 0.0
	for i := range values {
		c := code.next(&r)
		if c != 0 {
			pred = s.quantised(pred, int(c)-s.intervals/2)
		} else if len(s.exact) > 0 {
			pred = s.exactValue(s.exact[0])
			s.exact = s.exact[1:]
		} else {
			r.broken = true
		}
		if r.over() {
			p.Fail("wrong number of codes or of exact values")
			return
		}
		values[i] = 0
		if pred >= s.threshold {
			values[i] = toUint(exp2(pred))
		}
	}
	if r.rest() || len(s.exact) > 0 {
		p.Fail("more codes or exact values than values")
	}
}

func (s *sz) readExact(p *input, n uint64) {
	whole, rest := s.required/8, s.required%8
	lead := bitReader{BitReader: byteio.BitReader{In: p.Bytes((2*n + 7) / 8)}}
	residue := bitReader{BitReader: byteio.BitReader{In: p.Bytes((uint64(rest)*n + 7) / 8)}}
	if p.Err != nil {
		return
	}
	s.exact = make([]uint64, n)
	before := uint64(0)
	for i := range s.exact {
		common := uint(lead.Read(2))
		if common > whole {
			p.Fail("more bytes in common than there are")
		}
		top := before >> (8 * (whole - min(common, whole)))
		for j := common; j < whole; j++ {
			top = top<<8 | uint64(p.Byte())
		}
		if p.Err != nil {
			return
		}
		s.exact[i] = top<<rest | residue.Read(rest)
		before = top
	}
}

// exp2 is 2^x, the same on every machine; the library's is not. It is exact to some 10^-15.
func exp2(x float64) float64 {
	if !(x > -2) {
		return 0
	}
	if x >= 65 {
		return math.Inf(1)
	}
	whole := math.Round(x)
	f := float64((x - whole) * math.Ln2)
	sum := 1.0
	for n := 14.0; n > 0; n-- {
		sum = 1 + float64(f*sum)/n
	}
	return math.Ldexp(sum, int(whole))
}
