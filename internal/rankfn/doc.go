// Package rankfn represents sets of ranks and integer-valued functions of the
// rank. They are what a parameter that differs from rank to rank becomes when the
// calls of many ranks are stored as one: most often a formula of a few bytes,
// whatever the number of ranks.
//
// # Sets
//
// A Set is a list of runs that nest: a run is an interval of ranks, or equidistant
// copies of a list of runs. The ranklists of ScalaTrace (Noeth, Ratn, Mueller, Schulz,
// de Supinski: ScalaTrace: Scalable compression and replay of communication traces
// for high-performance computing, JPDC 2009) do the same with a single run in
// each copy. Classes of ranks by their place in a k-dimensional grid (interior, face, edge,
// corner) take space that does not depend on the grid's size.
//
// # Functions
//
// A Func gives each rank of a set a value. Fit looks for a formula that reproduces
// every value, in a fixed order of preference, the same for all sets. So the
// best formula of two sets together is the best one of either as soon as it holds for
// both, and Merge of functions with the same formula need not look at a single value.
// Where no formula holds, Append writes one that holds for most ranks and the
// others with the set of their ranks, or a column of values (package column),
// whatever takes the least space.
//
// # Conventions of the encoding
//
// A uvarint is an unsigned LEB128 varint of at most 64 bits (encoding/binary), a
// varint is a signed number v stored as the uvarint of its zigzag form. "Bytes" is a
// uvarint length followed by that many bytes. Arithmetic on values is modulo 2^64.
// A div b rounds down and a mod b is not negative.
//
// # Encoding of a set
//
// A uvarint 2*n, n the number of runs, and the runs in ascending order. A run is
//
//	uvarint   distance of its first member from the end of the run before (at
//	          first from 0); absent for the first run of a body, which begins at 0
//	uvarint   count * 4 + kind
//	kind 0    an interval of count ranks
//	kind 1    count single ranks; uvarint distance less two
//	kind 2    count copies of one run; the run; uvarint distance less one
//	kind 3    count copies of a body; uvarint number of its runs less two; the runs; uvarint distance less one
//
// where the distance is from the first rank of a copy to that of the next in kind 1, and from the
// end of a copy to the begin of the next in kinds 2 and 3. Copies number two or more.
// A set that takes less space so is a uvarint 2*n+1, n the number of maximal intervals, and
// two columns as bytes, of n values each: the distances as above of intervals, and their lengths less one.
//
// # Encoding of a function
//
// A byte, then
//
//	below 64  a formula: its parameters
//	64        formula, set, function: the function's values for the ranks of the set, the formula's for the others
//	65        formula, column as bytes: the formula's value plus the column's, which has one for each rank in ascending order
//
// where a formula is a byte, its kind, and its parameters. These are varints in the
// order given, but for the moduli p and q, which are uvarints. P is the size of the communicator and r the rank.
//
//	0   a           a
//	1   a           r + a
//	2   a           (r + a) mod P
//	3   a, b        x = r + a if 0 <= x < P, else b
//	4   a           r xor a
//	5   a, b        a*r + b
//	6   a, b, c     b if r = c, else a
//	7   p           r div p
//	8   a, p        (r + a) mod p
//	9   p           r - r mod p
//	10  a, b, c, p  a*(r div p) + b*(r mod p) + c
//	11  grid        the rank with the coordinates of r, shifted; b beyond a border and for ranks outside the grid
//	12  a, c, p, q  a*((r div q) mod p) + c
//	13  b, p        (r-1) div p if r > 0, else b
//	14  a, b, c     x = a*r + c if 0 <= x < P, else b
//	15  b           r without its lowest bit that is set if r > 0, else b
//	16  b           r without its highest bit that is set if r > 0, else b
//	17  a, b        x = r + 2^a if r mod 2^(a+1) = 0 and x < P, else b
//	18  a, b        x = r + 2^a if r < 2^a and x < P, else b
//	19  a, b        x = r xor a if 0 <= x < P, else b
//	20  a, b        max(r + a, b)
//	21  a, b        min(r + a, b)
//	22  a, b, c     min(max(r + a, b), c)
//	23  a, c        (a*(r mod P) + c) mod P
//	24  order       r with the axes of a grid in another order
//
// A grid is a uvarint 2*n, n the number of its axes, or 2*n+1 if the size of the first axis is P div
// the product of the others and absent; for each axis, the last one varying fastest, the uvarint of its size and
// the varint of twice the shift, plus one if the axis wraps around; the varint b, absent if the sizes' product is P
// and each axis has no shift or wraps around. Kind 24 is the
// uvarint number of the order and the uvarint sizes of the second and third of three axes; the first is as above.
// Orders 0 to 4 are xzy, yxz, yzx, zxy and zyx for axes xyz.
//
// # Encoding of arrays
//
// A byte, the form, then
//
//	0  base       base[i]
//	1  base, g    base[i] + g(r)
//	2  base       (r + base[i]) mod P
//	3  base       r xor base[i]
//	4  base       base[(i + r) mod n]
//	5  base       base[(i - r) mod n]
//	6  base, g    g(r) if i = r, else base[i]
//	7  functions  the function of the arrays' lengths; uvarint number of functions; a function for each i
//	8  flat       the function of the arrays' lengths; a formula; a column as bytes: the elements of all arrays,
//	              in the order of ranks, less the formula's value for the rank
//
// where base is a column as bytes, of n values, and g is a function. In form 7 function i
// is for the ranks with arrays longer than i; a column in it (65, outside 64) occurs only
// if all arrays have one length.
package rankfn
