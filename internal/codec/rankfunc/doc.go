// Package rankfunc represents sets of ranks and integer-valued functions of the rank. They are what
// a parameter that differs from rank to rank becomes when the calls of many ranks are stored as
// one: most often a formula of a few bytes, whatever the number of ranks.
//
// # Sets
//
// A Set is a list of runs that nest: a run is an interval of ranks, or equidistant copies of a list
// of runs. The ranklists of ScalaTrace (Noeth, Ratn, Mueller, Schulz, de Supinski: ScalaTrace:
// Scalable compression and replay of communication traces for high-performance computing, JPDC
// 2009) do the same with a single run in each copy. Classes of ranks by their place in a
// k-dimensional grid (interior, face, edge, corner) take space that does not depend on the grid's
// size.
//
// # Functions
//
// A Func gives each rank of a set a value. Fit looks for a formula that reproduces every value, in
// a fixed order of preference, the same for all sets. So the best formula of two sets together is
// the best one of either as soon as it holds for both, and Merge of functions with the same formula
// need not look at a single value. Where no formula holds, Append writes one that holds for most
// ranks and the others with the set of their ranks, or a column of values (package column),
// whatever takes the least space.
//
// # Conventions of the encoding
//
// A uvarint is an unsigned LEB128 varint of at most 64 bits (encoding/binary), a varint is a signed
// number v stored as the uvarint of its zigzag form. "Bytes" is a uvarint length followed by that
// many bytes. Arithmetic on values is modulo 2^64. A div b rounds down and a mod b is not negative.
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
//	kind 3    count copies of a body; uvarint number of its runs less two; the runs;
//	          uvarint distance less one
//
// where the distance is from the first rank of a copy to that of the next in kind 1, and from the
// end of a copy to the begin of the next in kinds 2 and 3. Copies number two or more. A set that
// takes less space so is a uvarint 2*n+1, n the number of maximal intervals, and two columns as
// bytes, of n values each: the distances as above of intervals, and their lengths less one.
//
// In a communicator of P ranks a set may also be
//
//	1, uvarint grid, uvarint cells   the ranks of these cells of a numbered grid
//	3, uvarint n, n runs             all ranks but those of the runs, at most 4, which are intervals
//
// A grid has 3^k cells, k the number of its axes: along each axis a coordinate is the first (digit
// 0), the last (2) or another one (1), and the digits to the base 3, that of the last axis last,
// are the number of the cell. Cells are twice a number plus one in which bit i is set if cell i
// belongs to the set, or twice a number in which bit i is set if all cells with i digits that are
// not 1 do.
//
// # Numbered grids
//
// Grids of P ranks with one, two and three axes, all of size 2 and more, have numbers: number n is,
// of those with 1 + n mod 3 axes, the one with index n div 3 in the order of the sums of the sizes
// and then of the sizes. The index is less than 16, and grids of three axes have no number if P has
// more than 256 divisors.
//
// # Encoding of a function
//
// A byte, then
//
//	below 64  a formula: its parameters
//	64        formula, set, function: the function's values for the ranks of the set,
//	          the formula's for the others
//	65        formula, column as bytes: the formula's value plus the column's, which has
//	          one for each rank in ascending order
//
// where a formula is a byte, its kind, and its parameters. These are varints in the order given,
// but for the moduli p and q, which are uvarints. P is the size of the communicator and r the rank.
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
//	11  grid        the rank with the coordinates of r, shifted; b beyond a border and for ranks
//	                outside the grid
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
//	25  grid, course, k        the k-th neighbour of r, from 0
//	26  grid, course, k, b, c  b*x + c, where x stands for the direction of that neighbour
//	32 to 47        r + s, s being -d and d where d is the size of the second axis, of the
//	                numbered grids of two axes with index 0 to 7
//	48 to 59        likewise -d*e, -e, e, d*e of the sizes d and e of the last two axes, of those
//	                of three axes with index 0 to 2
//	60, 61          r - 1, r + 1
//
// A grid of kind 11 is a uvarint 34 + n, n its number, or 2*n, n the number of its axes, or 2*n+1
// if the size of the first axis is P div the product of the others and absent; for each axis, the
// last one varying fastest, the uvarint of its size, absent with a number, and the varint of twice
// the shift, plus one if the axis wraps around; the varint b, absent if the sizes' product is P and
// each axis has no shift or wraps around. Kind 24 is the uvarint number of the order and the
// uvarint sizes of the second and third of three axes; the first is as above. Orders 0 to 4 are
// xzy, yxz, yzx, zxy and zyx for axes xyz.
//
// In kinds 25 and 26 grid, course and k are uvarints, the grid a number; in kind 26 the third
// uvarint is 3*k + w, and b and c are varints. A course is an order of directions. A direction is
// numbered like a cell of the grid: digit 0 is one coordinate less, 2 one more. The neighbours of a
// rank are what its coordinates lead to in the directions of the course, in that order, without
// those beyond a border. x is the place of the direction in the course, from 0, if w is 0; that
// place xor 1 if w is 1; the direction's number if w is 2. With one axis courses 0 and 1 are the
// directions 0, 2 and 2, 0. With two axes courses 0 to 23 are the orders of the directions 1, 3, 5,
// 7 as words in ascending order, and 24 + 4*o + f those of two nested loops. With three axes 6*o +
// 3*s + i are orders of the six directions along one axis: with o counting the orders of the axes
// as words in ascending order, abc being one, with - first for s = 0 and + first for s = 1, they
// are (here for s = 0) -a -b -c +c +b +a for i = 0, -a +a -b +b -c +c for i = 1, and -a -b -c +a +b
// +c for i = 2; and 36 + 8*o + f those of three nested loops. Nested loops take every direction but
// that of the rank itself; the outermost goes along the first axis in order o, and loop i, from 0
// outside, goes from - to +, or if bit i of f is set from + to -.
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
//	7  functions  the function of the arrays' lengths; uvarint number of functions; a function
//	              for each i
//	8  flat       the function of the arrays' lengths; a formula; a column as bytes: the elements
//	              of all arrays, in the order of ranks, less the formula's value for the rank
//
// where base is a column as bytes, of n values, and g is a function. In form 7 function i is for
// the ranks with arrays longer than i; a column in it (65, outside 64) occurs only if all arrays
// have one length.
package rankfunc
