package timing

import (
	"encoding/binary"
	"math"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// SeriesError is how far decoded numbers are from the recorded ones, in ticks.
type SeriesError struct {
	Max  uint64
	Sum  uint64 // of absolute errors
	Sum2 float64
	Peak uint64 // greatest recorded number
}

// Errors are the actual errors of a stream, or of several together.
type Errors struct {
	Calls                   uint64
	Durations, Gaps, Starts SeriesError
}

func (e *SeriesError) add(recorded, decoded uint64) {
	e.Peak = max(e.Peak, recorded)
	if d := magnitude(int64(decoded - recorded)); d != 0 {
		e.Max = max(e.Max, d)
		e.Sum += d
		e.Sum2 += float64(d) * float64(d)
	}
}

// addAll adds many numbers, at most 512.
func (e *SeriesError) addAll(recorded, decoded []uint64) {
	decoded = decoded[:len(recorded)]
	sum, squares, most, peak := uint64(0), uint64(0), uint64(0), uint64(0)
	for i, v := range recorded {
		d := magnitude(int64(decoded[i] - v))
		sum += d
		squares += d * d
		most = max(most, d)
		peak = max(peak, v)
	}
	e.Peak = max(e.Peak, peak)
	e.addSums(sum, squares, most)
	if most >= exactSquares {
		for i, v := range recorded {
			d := float64(int64(decoded[i] - v))
			e.Sum2 += d * d
		}
	}
}

// addErrors adds numbers, at most 512, that are off by so much.
func (e *SeriesError) addErrors(errs []uint64) {
	sum, squares, most := uint64(0), uint64(0), uint64(0)
	for _, v := range errs {
		d := magnitude(int64(v))
		sum += d
		squares += d * d
		most = max(most, d)
	}
	e.addSums(sum, squares, most)
	if most >= exactSquares {
		for _, v := range errs {
			d := float64(int64(v))
			e.Sum2 += d * d
		}
	}
}

// exactSquares is up to where the sum of 512 squares is below 2^64.
const exactSquares = 1 << 27

func (e *SeriesError) addSums(sum, squares, most uint64) {
	e.Sum += sum
	e.Max = max(e.Max, most)
	if most < exactSquares {
		e.Sum2 += float64(squares)
	}
}

// join adds those of other numbers in.
func (e *SeriesError) join(o *SeriesError) {
	e.Max, e.Peak = max(e.Max, o.Max), max(e.Peak, o.Peak)
	e.Sum += o.Sum
	e.Sum2 += o.Sum2
}

// Add adds those of another stream in.
func (e *Errors) Add(o *Errors) {
	e.Calls += o.Calls
	for i, s := range o.series() {
		e.series()[i].join(s)
	}
}

func (e *Errors) series() [3]*SeriesError {
	return [3]*SeriesError{&e.Durations, &e.Gaps, &e.Starts}
}

// Mean is the mean absolute error of n numbers.
func (e *SeriesError) Mean(n uint64) float64 { return float64(e.Sum) / float64(max(n, 1)) }

// PSNR is the peak signal-to-noise ratio of n numbers in dB: 20 log10 of the greatest number over
// the root mean square error; infinite if there is no error.
func (e *SeriesError) PSNR(n uint64) float64 {
	if e.Sum2 == 0 {
		return math.Inf(1)
	}
	return 20 * math.Log10(float64(e.Peak)/math.Sqrt(e.Sum2/float64(max(n, 1))))
}

func (e *Errors) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, e.Calls)
	for _, s := range e.series() {
		for _, v := range []uint64{s.Max, s.Sum, s.Peak} {
			dst = binary.AppendUvarint(dst, v)
		}
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(s.Sum2))
	}
	return dst
}

func (e *Errors) read(p *byteio.Reader) {
	e.Calls = p.Uvarint()
	for _, s := range e.series() {
		s.Max, s.Sum, s.Peak = p.Uvarint(), p.Uvarint(), p.Uvarint()
		if b := p.Bytes(8); b != nil {
			s.Sum2 = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
		if math.IsNaN(s.Sum2) || s.Sum2 < 0 {
			p.Fail("errors out of range")
		}
	}
}
