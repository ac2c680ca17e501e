// Package cgen writes a C program that makes the calls of a recording again without Tabard: a proxy
// application, as Pilgrim's generator does (papers: pilgrim.txt section 3), for every function that
// is recorded.
//
// The program has the size of the compressed recording. Each rule of a grammar becomes a function,
// or a block where it is used once or is short; exponents become loops; calls are made once for all
// ranks of a class, with what differs between ranks computed from the rank by the formulas of
// internal/codec/rankfunc. Values without a rule are read from tables in a compressed form.
//
// A program is built of trees (internal/program/cc): expressions and statements, which are printed
// once. What is known of a program in the end, such as which helpers it needs, which variables it
// uses and which calls differ in numbers only (rowtables.go), comes from the trees. C that is the
// same in all programs is in the folder parts, and is never looked into.
//
// # Calls
//
// What is done with the parameters of each role is decided by program.Pass. Programs for one number
// of ranks and for any share how they are passed (arguments.go); they differ in what values are:
// functions of the rank and columns (oneCall), or expressions of a model (anyCall).
//
// # Objects
//
// Handles are kept in arrays by their numbers in the recording. Where the library completes another
// request than it did in the recording, the two swap places. From then on the numbers again mean
// pending operations as recorded. Memory is a block for each segment of the recording, as large as
// what the calls use (see extents), so that buffers overlap as recorded.
//
// # Any number of ranks
//
// GenerateAny writes the program of an infer.Model instead: its loops, with expressions of rank,
// size and loop index that are evaluated when the program runs. Objects whose numbers are
// expressions are in arrays that grow, and memory of a size that is not known is reserved: only
// what is used of it exists.
//
// # Decisions
//
// Compilers take a third of a millisecond for each statement. So what has no pattern is written
// as lists of numbers, and a switch makes calls from them.
//
// Where datatypes lead from one block of memory into another by a distance, that distance is the
// recorded one, and there is memory at it. A recording does not say where blocks lie: each run
// has other addresses, which no compression could take. To know which blocks that concerns, the
// generator follows the calls that make datatypes, allocate, and use both.
//
// The program takes its rank from the launcher's environment. A question to MPI would be a call
// that the recording does not have.
package cgen
