package byteio

import "encoding/binary"

// A Writer builds an encoding that a Reader reads. Code that appends to a slice of its own does so
// with the functions below and those of encoding/binary.
type Writer struct{ Out []byte }

// Uvarint writes an unsigned LEB128 number.
func (w *Writer) Uvarint(v uint64) { w.Out = binary.AppendUvarint(w.Out, v) }

// Varint writes a number in zigzag form.
func (w *Writer) Varint(v int64) { w.Out = AppendVarint(w.Out, v) }

// Byte writes a byte.
func (w *Writer) Byte(b byte) { w.Out = append(w.Out, b) }

// Sized writes the length of b, and b.
func (w *Writer) Sized(b []byte) { w.Out = AppendSized(w.Out, b) }

// Text writes the length of s, and s.
func (w *Writer) Text(s string) { w.Out = AppendSized(w.Out, s) }

// Bool writes 1 for true and 0 for false.
func (w *Writer) Bool(v bool) {
	if v {
		w.Byte(1)
	} else {
		w.Byte(0)
	}
}

// AppendVarint appends the uvarint of v in zigzag form.
func AppendVarint(dst []byte, v int64) []byte { return binary.AppendUvarint(dst, Zigzag(v)) }

// AppendSized appends the length of b, and b.
func AppendSized[B []byte | string](dst []byte, b B) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
