// Package timing encodes the starts and ends of a stream's calls. It does so exactly, within a
// stated error, as aggregates, or by the published methods that these are compared with (package
// published). A Builder encodes on line, with bounded memory. A Reader opens at any call or time,
// and has summaries of any resolution. Transcode makes every other mode from a lossless encoding.
//
// How long calls take depends on where in a loop they are. So a call's numbers are coded with the
// frequencies of its context: its class (function, call site, and whether it is an unsuccessful
// poll), the class of the call before, and how large the latest number with the same two classes
// was. Both sides know the classes, as the terminals of the stream's grammar have them.
//
// # Timing
//
// Numbers are uvarints and varints as in columns; bit fields fill bytes from the low bit upwards,
// and a series of fields is padded to whole bytes. An Exp-Golomb number v of order 0 is e zero
// bits, a one bit, and the low e bits of v+1, where 2^e <= v+1 < 2^(e+1). All arithmetic on times
// is modulo 2^64.
//
// Timing is the uvarint of the number of calls and, unless that is 0:
//
//	mode       uvarint length and that many bytes: the text of the mode as record --timing takes
//	           it, empty for lossless. Unless it is lossless or aggregate, uvarint ns and uvarint
//	           ticks follow, both above 0: so many ticks of the clock are so many nanoseconds;
//	           bounds of ns were converted with this.
//	terminals  uvarint n: how many terminals have a class, in the order of terminals; 0 if all
//	           calls have class 0. Then until there are n: uvarint r, r terminals of new classes,
//	           each one more than the greatest so far (from 0 on); and, unless that was all,
//	           uvarint class of one more.
//	rules      only if the mode has bounds of functions: uvarint n, and a byte for each class
//	           below n: 0 or the number of the bound in the text from 1 on. Classes from n on
//	           have 0.
//	errors     only in modes with errors: those that the times have in fact, in ticks. uvarint
//	           number of calls; for durations, gaps and starts each: uvarint greatest error,
//	           uvarint sum of absolute errors, uvarint greatest number, 8 bytes: sum of squares,
//	           an IEEE 754 number of 64 bits, little-endian.
//
// What follows is aggregates, the calls by a published method, or a byte 14 (the binary logarithm
// of the number of calls of a block), summaries, and blocks. All blocks but the last have 16384
// calls.
//
// # Summaries
//
// Up to 16384 calls are one block, and there is the uvarint of how many bytes a varint takes, and
// that varint: the start of the first call.
//
// Otherwise level 0 of the summaries has an entry for each block. 16 entries are a node, and each
// level above has an entry for each node of the level below, up to a level of one node. First come
// the sizes of the levels in bytes, one uvarint for each, the top level first; then the levels in
// the same order. A node begins with the uvarint of an offset, from the beginning of the level
// below, or of the blocks: where the thing lies that its first entry stands for. What the other
// entries stand for follows without gaps.
//
// An entry is the varint of the start of its first call less the latest end of the entry before in
// the node (at first less 0), the uvarint of the latest end less that start, the uvarint of the
// size of the block or node in bytes, and the classes: uvarint n, and n times: uvarint class less
// the one before, less one (at first the class), uvarint number of its calls, uvarint sum of their
// durations as decoded, modulo 2^64, and uvarint class of precision 3 (see below) of the least such
// number that is no less than any of them, as far as there is one.
//
// # Blocks of calls
//
// A gap is the start of a call less the end of the one before, a duration the end less the start.
// The start of the first call of a block is in the summaries. A block begins, in lossy modes only,
// with the uvarint of the threshold plus one, modulo 2^64: see Errors. Then there are the
// exceptional calls, whose gap or duration as a number of 64 bits is 2^62 or more: uvarint n and n
// times uvarint number of calls since the last one, varint gap, varint duration; their numbers
// below are 0. (The gap of the first call of a block is of no use but to make it exceptional.) Next
// a byte, the method:
//
//	0 varints  for each call uvarint gap, not for the first one, and uvarint duration
//	1 tables   byte s, tables of gaps, tables of durations, uvarint n, n words of 16 bits, low bits
//	2 adaptive byte s, gaps, durations: see Adaptive tables
//
// With methods 1 and 2 all numbers have been shifted right by s bits. Contexts are the pairs of the
// class of a call and that of the call before it (the first call of a block counts as its own),
// numbered as they come. A context of 96 calls or more in the block is a set of its own. Sets are
// numbered from 1 on like these contexts, and set 0 is all other contexts.
//
// For each series, in the order of sets, there is the Exp-Golomb number m of the set's tables,
// which is 0 only for set 0 if it has no calls; and m times, unless it is the last table, an
// Exp-Golomb number b, and the table. A table is for the calls whose context had, in the same
// series, a latest number of at most l bits, where none counts as 0 bits. For the first table l is
// b. For others it is b plus one plus the l of the table before. The last table has no limit. (Each
// context has a latest number of its own, in set 0, too.)
//
// # Tables
//
// A table gives frequencies of classes of numbers. With a precision k a number v < 2^(k+1) is its
// own class and has no low bits; others with 2^e <= v < 2^(e+1) are of class (e-k) * 2^k + v div
// 2^(e-k), and their low e-k bits are stored as they are.
//
// A table is a field of 4 bits, k, at most 11; the Exp-Golomb numbers of the least class and of how
// many classes there are from there on, less one, at most 1023; and levels for the classes in
// order: as an Exp-Golomb number the zigzag form of the level less the one before (at first less
// 0), and after a level 0 the Exp-Golomb number of how many more classes of level 0 follow. A level
// other than 0 is a weight: the least number of that class at precision 1.
//
// The u classes that have weights share 2^t: t is 0 if u is 1, else the smaller of 12 and 5 plus
// the number of bits of u-1. A class of weight w gets 1 + floor(w * (2^t - u) / W), W being the sum
// of weights, and what is left goes to the first one of those that got most.
//
// The words hold the classes as a range asymmetric numeral system (J. Duda, arXiv:1311.2540) with
// two states of 32 bits, x for gaps and y for durations. They begin as the first two words, high
// half first, and the next two. Call by call, the gap and then the duration is decoded with its
// table: r is the state's low t bits, the class is the one whose range has r if the frequencies lie
// one after the other from 0 on, and the state becomes f * (state div 2^t) + r - (beginning of the
// range), f being the frequency; if that is below 2^15, it is multiplied by 2^16 and the next word
// added. At the end both states are 2^15 and there are no more words. The low bits of the numbers,
// gap and duration of each call in turn, are the rest of the block.
//
// # Adaptive tables
//
// With method 2, which is for short streams, no table is described (package rans). The contexts of
// the same class of call are a group. Gaps, and then durations, are a uvarint n, n words of 16
// bits, a uvarint m, and m bytes of low bits. Numbers have classes of precision 9. There are counts
// of classes for all numbers. Below them there are counts for each group of 16 calls or more in the
// block. Below those of a group there are counts for each of its contexts of 16 calls or more that
// is not all of the group. A number has the lowest counts that there are for it. It is decoded with
// their table, counted there, and then in those above, one after the other, up to the first that
// hold 2048 numbers.
//
// The table of counts that hold n numbers is made when it is needed first and, after that, as soon
// as they hold n + min(g, 4096). Here g is n from n = 1000 on. Below that it is max(2, n div 2), or
// max(1, n div 4) if the block has at most 4096 calls.
//
// Classes 64i to 64i+63 are page i. Before a class of a page there is the weight 1024 * c + floor(a
// * q / 2^16), of c numbers counted in the classes of the page before it, and a in the counts
// above, which hold N, with q = floor(4096 * 2^16 / N), 0 if N is 0 or nothing is above. That gives
// a page and parts of it their weight; pages together have the sum.
//
// The 2^15 classes are cut: an interval of weight w becomes a leaf if w is 0, if it is one class,
// or if w < L and it has at most 64 classes; other intervals are cut in halves, and so are these. L
// is max(10240, 16n), doubled until there are at most 2^(t-1) leaves; t is 10, and 12 from n = 512
// on. A leaf of k classes gets the weight floor(k / 32) in addition, W is the sum over all leaves,
// and with e = floor((2^t - leaves) * 2^32 / W) a leaf of weight w has the frequency 1 + floor(w *
// e / 2^32); what is left of 2^t goes to the first of the heaviest leaves.
//
// Leaves are coded like the classes of method 1, but x is for the first, third and so on number of
// the series, and y for the others. The low bits of a number are which class of its leaf it has, in
// as many bits as it takes, and those of the class.
//
// # Errors
//
// In lossy modes the numbers of calls that are not exceptional are those of bins. A bound has a
// part e of 32 bits, of p millionths floor(2^32 * p / 10^6) and at most 2^32-1, and c ticks, of n
// nanoseconds max(1, floor(n * ticks / ns)). Without the one or the other there is no such limit,
// and c is 2^62.
//
// Bins cut the numbers below 2^62 into ranges, each of which stands for its middle:
//
//	v(0) = 0,  v(i+1) = v(i) + w(v(i)),  middle v(i) + (w(v(i)) - 1) div 2
//	coarse  w(v) = 2 * min(c, floor(v * e / 2^32)) + 1
//	fine    w(v) = min(c, max(1, floor(v * e' / 2^32))),  e' = floor(2^32 * p / (10^6 + 2p))
//
// Where there is no part, w(v) is 2c+1 or c, but v(1) is c+1 or (c+1) div 2, and bin 0 stands for
// 0. Let the threshold be in coarse bin j, which begins at v, and v in fine bin k: then bins 0 to
// j-1 are coarse bins, and bin i from j on is fine bin k+i-j. With a threshold of 2^63 (stored as
// 0) all bins are coarse.
//
// Coarse bins are as wide as the bound allows. Fine ones leave a choice between neighbours, by
// which an encoder keeps sums of errors small. It chooses a threshold such that no start or end is
// off by more than the greatest bound of any number in the block, or than before the block.
//
// # Aggregates
//
// Aggregates are the uvarint of the number of classes, and for each the class as in summaries and
// the distribution of its durations; and the uvarint of the number of pairs of classes of
// successive calls, and for each the two classes, the earlier first, as uvarints, and the
// distribution of the gaps. A distribution is uvarint count, varint sum, varint least, uvarint
// greatest less that, uvarint number of bins, and for each uvarint bin less the one before, less
// one (at first the bin), and uvarint how many numbers are in it: fine bins of 40,000 millionths.
// Negative numbers are in bin 0.
//
// # Published methods
//
// The calls are the varint of the start of the first one, exceptional calls as in a block, the
// uvarint of the size of the durations in bytes, these, and the gaps. Both are encoded by the
// method with the classes of calls as contexts, all calls of the stream at once.
package timing
