package column

import "bytes"

// SameEncoding tells whether r and o read equal encodings: if so, their values are equal.
func (r *Reader) SameEncoding(o *Reader) bool { return bytes.Equal(r.in, o.in) }

// Constant is the value that r has and no other, as far as its encoding tells; false if it may have several, or none.
func (r *Reader) Constant() (v int64, ok bool) {
	if len(r.segments) != 1 || r.segments[0].kind != segmentConstant {
		return 0, false
	}
	return r.segments[0].base, true
}
