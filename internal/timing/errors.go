package timing

import (
	"encoding/binary"
	"math"
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

// Add adds those of another stream in.
func (e *Errors) Add(o *Errors) {
	e.Calls += o.Calls
	for i, s := range o.series() {
		t := e.series()[i]
		t.Max, t.Peak = max(t.Max, s.Max), max(t.Peak, s.Peak)
		t.Sum += s.Sum
		t.Sum2 += s.Sum2
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

func (e *Errors) read(p *input) {
	e.Calls = p.uvarint()
	for _, s := range e.series() {
		s.Max, s.Sum, s.Peak = p.uvarint(), p.uvarint(), p.uvarint()
		if b := p.bytes(8); b != nil {
			s.Sum2 = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
		if math.IsNaN(s.Sum2) || s.Sum2 < 0 {
			p.fail("errors out of range")
		}
	}
}
