// Package diff says in what two recordings differ: in structure (which calls in which
// order), in parameters, and in time.
//
// Nothing is expanded. The calls of a stream are a word that its grammar generates. Fingerprints of
// any part of a word follow from the grammar in a time that depends on its depth, so that it is
// found at once how far two words agree from two places on. What follows an agreement is aligned by
// Myers' algorithm ("An O(ND) difference algorithm and its variations", Algorithmica 1, 1986) on
// that operation. Repetitions are looked for first: iterations that one word has more than the
// other are one difference, and so is what differs in each iteration of a loop.
//
// Calls are told apart by function and call site; a site is file, line and function, never an
// address. In a program that was edited, sites correspond that are the longest common sequence of
// the calls in each function of its source: they moved. Parameters are compared in aligned calls:
// constants by name, predefined objects by what they are, and for all ranks of a class together, as
// functions of the rank.
//
// What has no meaning outside of a process is compared up to renaming. Objects (communicators,
// datatypes) are what made them, whatever their number. A segment of memory may have any number, as
// long as the same buffers of a call are in one segment; how far into it a buffer begins must be
// equal. Addresses of code, static data and the stack are equal to one another.
//
// What the standard leaves open or depends on the machine (which request completes first, who sent
// to a wildcard, how often a poll fails, addresses, times) is counted apart, as order. So are
// differences that messages and collective calls carry on from such an outcome, if all ranks of a
// world together made the same calls: see Arrival.
//
// The time does not depend on the number of calls, but for parameters in columns that differ, nor,
// where classes of ranks are the same in both, on the number of ranks.
//
// # What counts as equal
//
// Recordings are equal up to what means nothing outside of a process: objects and segments of
// memory are renamed, call sites of an edited source are matched by the sequence of calls in each
// function, and what the standard leaves open is kept apart.
package diff
