// Package rans codes numbers of like distributions, such as the durations of the calls of one call
// site. It is for a few hundred numbers, where a description of their distribution would cost more
// than it saves.
//
// Each number has a context. The table that codes it comes from the numbers of the same context so
// far. The decoder knows these as well, so nothing is described. A table stays as it is while its
// context's count grows by half. It is by a quarter if there are few numbers in all, and by as much
// again once there are many in the context. So most numbers cost one look into a table. Numbers of
// a context that is still new are coded by what is known of its group.
//
// # Tables
//
// A number is split into a class and low bits: with 9 bits of precision, the numbers below 2^10 are
// classes of their own, and each octave above has 2^9. A table cuts the classes into leaves, which
// are aligned intervals of 2^k classes. Where counts are many, leaves are narrow. A leaf's weight
// is its count in the context, plus its count in the group, scaled such that the whole group weighs
// groupWeight counts, plus a share of evenWeight counts by its width. An interval is cut in halves
// if its weight is splitWeight counts and 1/64 of all, or if it is wider than 64 classes and has
// any weight.
//
// Weights become frequencies that add up to a power of two, at least 1 each, and leaves are coded
// by two interleaved range asymmetric numeral systems (J. Duda, arXiv:1311.2540, 2013). Where in
// its leaf a number is takes plain bits. All of this is integer arithmetic: tables are the same on
// every machine.
//
// A context or group with fewer than ownTable numbers in a call of Append has no table of its own.
// It uses that of its group, or that of all numbers.
//
// # Encoding
//
//	words   varint  number of 16-bit words
//	word            little-endian: the states' first two each, then in the order of decoding
//	bytes   varint  number of bytes with plain bits
//	bits            of each number: its place in its leaf, then its low bits; lowest first
package rans
