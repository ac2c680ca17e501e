package column

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

const (
	blockValues = 4096 // values of a full block of a column
	maxBlock    = 8192 // values or calls of any block
	smallBlock  = 64   // up to here an entropy coder is not tried
)

// Methods of a block of values.
const (
	methodVarints = iota
	methodDeltas
	methodRuns
	methodPacked
	methodDictionary
	methodClasses
	methodDeltaClasses
	methodZigzagClasses
)

// blockStats is what the choice of a method needs to know of a block.
type blockStats struct {
	min, max           int64
	minDelta, maxDelta int64
	varints, deltas    int // encoded sizes
	steady             int // how many differences equal the one before
}

func measure(vals []int64) blockStats {
	s := blockStats{min: vals[0], max: vals[0], minDelta: math.MaxInt64, maxDelta: math.MinInt64}
	prev := vals[0]
	s.varints = uvarintLen(byteio.Zigzag(prev))
	s.deltas = s.varints
	last := int64(math.MinInt64)
	for _, v := range vals[1:] {
		s.min, s.max = min(s.min, v), max(s.max, v)
		d := v - prev
		prev = v
		if d == last {
			s.steady++
		}
		last = d
		s.minDelta, s.maxDelta = min(s.minDelta, d), max(s.maxDelta, d)
		s.varints += uvarintLen(byteio.Zigzag(v))
		s.deltas += uvarintLen(byteio.Zigzag(d))
	}
	return s
}

// appendBlock encodes 1 to maxBlock values with the method that takes the least space. For large
// blocks the choice rests on estimates.
func (sc *scratch) appendBlock(dst []byte, vals []int64) []byte {
	s := measure(vals)
	best, method := s.varints, byte(methodVarints)
	consider := func(size int, m byte) {
		if size < best {
			best, method = size, m
		}
	}
	consider(s.deltas, methodDeltas)
	width := widthOf(uint64(s.max - s.min))
	consider(uvarintLen(byteio.Zigzag(s.min))+1+int(bytesOf(uint64(width)*uint64(len(vals)))), methodPacked)
	if 4*s.steady >= len(vals)-2 {
		consider(runsSize(vals, best), methodRuns)
	}
	start := len(dst)
	if len(vals) > smallBlock {
		if sc.table.fill(vals, min(maxDistinct, len(vals)/4)) {
			dst = sc.appendDictionary(append(dst, methodDictionary), vals)
			if len(dst)-start-1 <= best {
				return dst
			}
			dst = dst[:start]
		} else {
			m, base, c := sc.classMethod(vals, s)
			if c.size < best {
				return c.append(byteio.AppendVarint(append(dst, m), base), sc)
			}
		}
	}
	dst = append(dst, method)
	switch method {
	case methodVarints:
		for _, v := range vals {
			dst = byteio.AppendVarint(dst, v)
		}
	case methodDeltas:
		prev := int64(0)
		for _, v := range vals {
			dst = byteio.AppendVarint(dst, v-prev)
			prev = v
		}
	case methodPacked:
		w := byteio.NewBitWriter(append(byteio.AppendVarint(dst, s.min), byte(width)), uint64(width)*uint64(len(vals)))
		for _, v := range vals {
			w.Write(uint64(v-s.min), width)
		}
		dst = w.Flush()
	case methodRuns:
		dst = appendRuns(dst, vals)
	}
	return dst
}

// classMethod chooses one of the methods with classes. It returns the number
// that precedes the classes, and these.
func (sc *scratch) classMethod(vals []int64, s blockStats) (m byte, base int64, c *classes) {
	m = methodZigzagClasses
	if s.minDelta >= 0 {
		m = methodDeltaClasses
	}
	sc.a.vals = appendDifferences(sc.a.vals[:0], vals, m, s.min)
	sc.a.classify()
	sc.b.vals = appendDifferences(sc.b.vals[:0], vals, methodClasses, s.min)
	sc.b.classify()
	if sc.b.size <= sc.a.size {
		return methodClasses, s.min, &sc.b
	}
	return m, vals[0], &sc.a
}

// appendDifferences appends the numbers that the method classes.
func appendDifferences(dst []uint64, vals []int64, method byte, least int64) []uint64 {
	prev := vals[0]
	switch method {
	case methodClasses:
		for _, v := range vals {
			dst = append(dst, uint64(v-least))
		}
	case methodDeltaClasses:
		for _, v := range vals[1:] {
			dst = append(dst, uint64(v-prev))
			prev = v
		}
	case methodZigzagClasses:
		for _, v := range vals[1:] {
			dst = append(dst, byteio.Zigzag(v-prev))
			prev = v
		}
	}
	return dst
}

// affineRun returns how many values from the front of vals have equal differences.
func affineRun(vals []int64) int {
	if len(vals) < 3 {
		return len(vals)
	}
	step := vals[1] - vals[0]
	n := 2
	for n < len(vals) && vals[n]-vals[n-1] == step {
		n++
	}
	if n == 2 {
		return 1 // a pair has no step worth telling
	}
	return n
}

// eachRun cuts vals into runs; a run of one value has step 0.
func eachRun(vals []int64, f func(n int, first, step int64) bool) {
	for len(vals) > 0 {
		n := affineRun(vals)
		step := int64(0)
		if n > 1 {
			step = vals[1] - vals[0]
		}
		if !f(n, vals[0], step) {
			return
		}
		vals = vals[n:]
	}
}

// runsSize returns the size of vals coded as runs, or a number above limit.
func runsSize(vals []int64, limit int) int {
	size, prev := 0, int64(0)
	eachRun(vals, func(n int, first, step int64) bool {
		size += uvarintLen(uint64(n-1)) + uvarintLen(byteio.Zigzag(first-prev))
		if n > 1 {
			size += uvarintLen(byteio.Zigzag(step))
		}
		prev = first + step*int64(n-1)
		return size <= limit
	})
	return size
}

func appendRuns(dst []byte, vals []int64) []byte {
	prev := int64(0)
	eachRun(vals, func(n int, first, step int64) bool {
		dst = binary.AppendUvarint(dst, uint64(n-1))
		dst = byteio.AppendVarint(dst, first-prev)
		if n > 1 {
			dst = byteio.AppendVarint(dst, step)
		}
		prev = first + step*int64(n-1)
		return true
	})
	return dst
}

// appendDictionary encodes vals, whose different values are in sc.table.
func (sc *scratch) appendDictionary(dst []byte, vals []int64) []byte {
	t := &sc.table
	sorted := t.sort()
	dst = binary.AppendUvarint(dst, uint64(len(sorted)-1))
	dst = byteio.AppendVarint(dst, sorted[0])
	for i, v := range sorted[1:] {
		dst = binary.AppendUvarint(dst, uint64(v-sorted[i])-1)
	}
	if len(sorted) == 1 {
		return dst
	}
	dst = sc.appendPlane(dst, 0)
	if len(sorted) > 256 {
		dst = sc.appendPlane(dst, 8)
	}
	return dst
}

// appendPlane encodes eight bits of the ranks of all values.
func (sc *scratch) appendPlane(dst []byte, shift uint) []byte {
	t := &sc.table
	sc.syms = slices.Grow(sc.syms[:0], len(t.numbers))[:len(t.numbers)]
	for i, k := range t.numbers {
		sc.syms[i] = byte(t.rank[k] >> shift)
	}
	return sc.appendSymbols(dst, sc.syms, true)
}

// decodeBlock decodes the whole of in to len(vals) values, 1 to maxBlock.
func (sc *scratch) decodeBlock(p *byteio.Reader, vals []int64) {
	switch p.Byte() {
	case methodVarints:
		for i := range vals {
			vals[i] = p.Varint()
		}
	case methodDeltas:
		prev := int64(0)
		for i := range vals {
			prev += p.Varint()
			vals[i] = prev
		}
	case methodRuns:
		decodeRuns(p, vals)
	case methodPacked:
		base := p.Varint()
		width := uint(p.Byte())
		if width > 64 {
			p.Fail("values of more than 64 bits")
			return
		}
		r := byteio.BitReader{In: p.Bytes(bytesOf(uint64(width) * uint64(len(vals))))}
		for i := range vals {
			vals[i] = base + int64(r.Read(width))
		}
	case methodDictionary:
		sc.decodeDictionary(p, vals)
	case methodClasses:
		base := p.Varint()
		u := sc.numbers(p, len(vals))
		for i := range vals {
			vals[i] = base + int64(u[i])
		}
	case methodDeltaClasses:
		vals[0] = p.Varint()
		for i, d := range sc.numbers(p, len(vals)-1) {
			vals[i+1] = vals[i] + int64(d)
		}
	case methodZigzagClasses:
		vals[0] = p.Varint()
		for i, d := range sc.numbers(p, len(vals)-1) {
			vals[i+1] = vals[i] + byteio.Unzigzag(d)
		}
	default:
		p.Fail("unknown method of a block")
	}
}

func (sc *scratch) numbers(p *byteio.Reader, n int) []uint64 {
	if cap(sc.u) < n {
		sc.u = make([]uint64, n)
	}
	sc.classed(p, sc.u[:n])
	return sc.u[:n]
}

func decodeRuns(p *byteio.Reader, vals []int64) {
	prev := int64(0)
	for len(vals) > 0 && p.Err == nil {
		n := p.Uvarint()
		v := prev + p.Varint()
		step := int64(0)
		if n > 0 {
			step = p.Varint()
		}
		if n >= uint64(len(vals)) {
			p.Fail("run is longer than its block")
			return
		}
		for i := range vals[:n+1] {
			vals[i] = v
			prev = v
			v += step
		}
		vals = vals[n+1:]
	}
}

func (sc *scratch) decodeDictionary(p *byteio.Reader, vals []int64) {
	k := p.Uvarint()
	if k >= maxDistinct || k >= uint64(len(vals)) {
		p.Fail("dictionary is larger than its block")
		return
	}
	dict := make([]int64, k+1)
	dict[0] = p.Varint()
	for i := range dict[1:] {
		dict[i+1] = dict[i] + int64(p.Uvarint()) + 1
	}
	if k == 0 {
		for i := range vals {
			vals[i] = dict[0]
		}
		return
	}
	for i, s := range sc.symbols(p, len(vals)) {
		vals[i] = int64(s)
	}
	if k > 255 {
		for i, s := range sc.symbols(p, len(vals)) {
			vals[i] |= int64(s) << 8
		}
	}
	for i, n := range vals {
		if n > int64(k) {
			p.Fail("number beyond the dictionary")
			return
		}
		vals[i] = dict[n]
	}
}
