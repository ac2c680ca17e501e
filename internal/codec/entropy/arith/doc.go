// Package arith codes bits and numbers with probabilities that are learned on
// the way, by the arithmetic coder and the counters of M. Mahoney's lpaq
// ("Data Compression Explained", 2013). Writing and reading run the
// same code: a Coder that decodes returns what one that encodes was given.
//
// # Encoding
//
// The coder narrows an interval of 64-bit numbers, at first all of them: low = 0, high = 2^64-1. A
// bit that is 1 with the probability p, a number of 16 bits, leaves low..mid, one that is 0 leaves
// mid+1..high, with mid = low + (high-low) * p div 2^16. While low and high agree in their highest
// byte, this byte is written and both are shifted left by a byte, high with ones. At the end, the
// shortest string is written that lies in the interval when zeros follow it.
//
// A probability begins as 2^15 with n = 0. After a bit it moves to 65535 if that was 1, else to 0,
// by the distance * (65536 div (n+2)) div 2^16, is kept within 32..65503, and n grows by one up to
// 127.
//
// A number v is coded in the form u = v<<1 ^ v>>63 by a model of its own. First comes the number of
// bits of u, in 7 bits. The bits of u follow without the highest one, which is always set. Which
// probability a bit has depends on what precedes it. In the number of bits, it depends on the bits
// of that number so far. For the next five bits of u, it depends on the number of bits and the bits
// of u so far. For all others, it depends on the place of the bit only.
package arith
