// Package proxy writes a C program that makes the calls of a recording again without Tabard: a proxy
// application, as Pilgrim's generator does (papers: pilgrim.txt section 3), for every function that is recorded.
//
// The program has the size of the compressed recording. Each rule of a grammar becomes a function, or a
// block where it is used once or is short; exponents become loops; calls are made once for all ranks of a class, with
// what differs between ranks computed from the rank by the formulas of internal/rankfn. Values without a rule
// are read from tables in a compressed form.
//
// # Objects
//
// Handles are kept in arrays by their numbers in the recording. Where the library completes another request than it did in
// the recording, the two swap places, so that the numbers mean pending operations as recorded from then on. Memory
// is a block for each segment of the recording, as large as what the calls use (see extents), so that buffers
// overlap as recorded.
//
// # Any number of ranks
//
// GenerateAny writes the program of a scale.Model instead: its loops, with expressions of rank, size and loop index that are evaluated
// when the program runs. Objects whose numbers are expressions are in arrays that grow, and memory of a size
// that is not known is reserved: only what is used of it exists.
package proxy
