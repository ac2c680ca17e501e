package column

import "bytes"

// SameEncoding tells whether r and o read equal encodings: if so, their values are equal.
func (r *Reader) SameEncoding(o *Reader) bool { return bytes.Equal(r.in, o.in) }
