// Package column encodes streams of numbers: columns of int64 values, such as
// one parameter of all calls of a kind.
//
// Builders encode on line, with bounded memory. Readers have random access and
// decode only the blocks that they are asked for.
//
// # Conventions of the encoding
//
// A uvarint is an unsigned LEB128 varint of at most 64 bits (encoding/binary), a varint is
// a signed number v stored as the uvarint of its zigzag form, v<<1 ^ v>>63. All
// arithmetic is modulo 2^64. Bit fields fill bytes from the low bit upwards, the
// first field first; the last byte is padded with zeros.
//
// # Columns
//
// A column is the uvarint of the number of its values and segments that hold the
// values in order. A segment begins with a byte: its kind in bits 0, 1 and 3, the low bit first,
// and bit 2 set if it holds all values that are left. Else the uvarint of the
// number of its values, less one, follows. The rest depends on the kind:
//
//	0 constant  varint value
//	1 affine    varint first value, varint step
//	2 periodic  uvarint p, varint step, uvarint size, block of p values:
//	            value i is value i mod p of the block plus step * (i div p)
//	3 block     uvarint size, block; without the size if bit 2 is set,
//	            as the block then ends with the column
//	4 ramps     uvarint p > 0, varint first value, varint step, varint move:
//	            value i is first + step * (i mod p) + move * (i div p)
//
// Sizes are in bytes. A block has 1 to 8192 values.
//
// # Blocks of a column
//
// A block of n values begins with a byte, the method:
//
//	0 varints         n times: varint value
//	1 deltas          n times: varint difference from the value before, at first from 0
//	2 runs            until n values: uvarint length less one, varint difference of
//	                  the first value from the last one of the run before, at first
//	                  from 0; varint step, absent if the length is one
//	3 packed          varint base, byte w, n fields of w bits: value - base
//	4 dictionary      uvarint m-1, varint least value, m-1 times: uvarint difference
//	                  to the next greater value, less one; then, if m > 1, n symbols:
//	                  the low 8 bits of the value's rank; then, if m > 256, n symbols:
//	                  the higher bits of the rank. m is at most 1024.
//	5 classes         varint base, n classed numbers: value - base
//	6 rising deltas   varint first value, n-1 classed numbers: the difference from
//	                  the value before
//	7 signed deltas   varint first value, n-1 classed numbers: that difference in zigzag form
//
// # Symbols
//
// A string of symbols, each 0 to 255, begins with a byte, the mode. Its length is
// known beforehand.
//
//	0 raw        each symbol as a byte
//	1 same       one byte, the symbol that all are
//	2 packed     byte w, fields of w bits
//	3 huffman    uvarint size; a Huffman tree description and one stream
//	4 huffman4   uvarint size; a Huffman tree description, a jump table and four streams
//	5 zstd       uvarint size; a Zstandard frame (RFC 8878)
//	6 fse        uvarint size; an FSE table description and a stream
//
// Modes 3 and 4 are the literals of a compressed literals section of RFC 8878,
// section 4.2, without the section's header. In mode 6 the table description is that of section
// 4.1.1 with an accuracy of at most 12 bits, and the stream is coded like Huffman
// weights (section 4.2.1.2), by two states in turn.
//
// # Classed numbers
//
// A string of classed numbers is a byte k, the precision, then the classes of
// all numbers as symbols, then the low bits of all numbers as fields. A number
// v < 2^(k+1) is its own class and has no low bits. For others with 2^e <= v < 2^(e+1),
// the low e-k bits are stored, and the class is (e-k) * 2^k + v div 2^(e-k). The
// encoder chooses k, at most 7, such that no class exceeds 255.
package column
