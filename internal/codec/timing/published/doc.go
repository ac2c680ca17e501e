// Package published implements the lossy methods for times that the literature on MPI traces
// compares, so that they can be compared on one's own program: CFG, HIST, SZ and ZFP and the
// clustered forms of the last two, as in C. Wang, P. Balaji, M. Snir, "Pilgrim: Scalable and (near)
// Lossless MPI Tracing", IEEE TPDS 2022, sections 2.3.2 and 4.5. Each has an encoder and a decoder.
// The package knows neither calls nor clocks: a series is unsigned numbers in any unit (durations
// or gaps in ticks or nanoseconds), with a class for each (the signature of its call), which the
// decoder must be given again.
//
// All methods cut a series into buffers of 131,072 values (1 MB of doubles, as published)
// and compress each on its own.
//
//   - cfg: exponential bins of base 1+e, and a Sequitur grammar of the numbers of the bins.
//   - hist: the same bins. For each class, its 2^K most frequent bins among its
//     first M values take K+1 bits each, all other values 1 bit and the number of the
//     bin, unchanged. The values of a class stand together.
//   - sz: S. Di, F. Cappello, IPDPS 2016; D. Tao et al., IPDPS 2017; with a bound relative to each
//     value by the logarithm (X. Liang et al., CLUSTER 2018). A logarithm is
//     predicted by the one before as decoded; the difference is quantised in
//     steps of two bounds, Huffman coded, and shrunk by zstd.
//   - zfp: P. Lindstrom, IEEE TVCG 2014, one-dimensional, with fixed accuracy: blocks of four
//     values, a common exponent, a lifted transform, negabinary digits, bit planes.
//   - sz-clustered, zfp-clustered: the values of a class stand together first.
//
// # Where the paper and the program of its authors differ
//
// The paper says "2^K bins, k was set to 8", but a ratio of 15 to doubles leaves 4.2 bits for a
// value. Pilgrim's source (commit a2b828b) has 8 bins, thus K = 3, rounds to the nearest bin,
// passes the result through zstd at its fastest, and stores no table, so that it cannot be decoded.
// Here K is 3 unless told otherwise, tables are stored, and zstd is applied where it helps, to cfg
// as well: the stronger form of each method. Rounding to the nearest bin leaves half of the error
// that was asked for; Params.Widest uses bins as wide as the bound allows instead, which nobody
// published.
//
// The paper's intervals are those between the starts of calls of one signature. They cannot be
// turned into an order of calls once they are inexact; gaps can.
//
// # What is guaranteed
//
// Every decoded value is within the bound of the original (see Codec.Within), with exceptions
// stored apart where the method as published would miss it: encoding includes decoding, to find
// them. Numbers of a series never decode to less than zero, so that starts rebuilt from gaps and
// durations never run backwards. Encoding depends on the arguments only, and decoding does not
// depend on the machine. The SZ and ZFP coders work on doubles as the originals do; the ZFP bits of
// a buffer are exactly those of LLNL's library (commit da9a834), padding aside.
//
// # Encoding
//
// A series is a header and buffers. Varints are unsigned LEB128, doubles little-endian.
//
//	method   byte    1 cfg, 2 hist, 3 sz, 4 sz-clustered, 5 zfp, 6 zfp-clustered
//	flags    byte    1: widest bins
//	n        varint  number of values
//	buffer   varint  values in a buffer; the last one may have less
//	bound    double  relative (a ratio) or absolute (in the values' unit)
//	own      varint  number of classes with bounds of their own, then for each
//	    class    varint  difference from the class before
//	    bound    double
//	for each buffer
//	    size     varint  of the body
//	    body     see cfg.go, hist.go, sz.go, zfp.go
//	    exceptions varint, then for each
//	        position varint  in the buffer, difference from the one before
//	        value    varint
package published
