// Package trace reads and writes Tabard's archives: every MPI call of a
// parallel program, with its parameters, in one small file.
//
// # Reading
//
// Open reads the structure of an archive and none of its calls. An Archive has
// Streams, one for each thread that made calls. A stream can be read in three
// ways, from cheap to complete:
//
//   - its grammar (Stream.Grammar, Stream.Counts): the loops of the program and how
//     often each call occurs, at a cost that does not depend on the number of calls;
//   - single columns and the time stamps (Stream.Column, Stream.Timing): the values
//     of one parameter over all its calls;
//   - calls (Stream.Iter, Stream.CallAt), with all parameters and times, in order from
//     anywhere, without expanding the file.
//
// A call of a traced function is a Call. Its parameters are Values: numbers,
// strings, statuses, and symbols that stand for what was an address or a handle
// in the program (comm#1, heap#3+64).
//
// Broken archives give errors of type *FormatError, at Open or when the part
// that is broken is read, and never a panic. Memory is bounded: see MaxSection,
// Cache and MaxWork. Validate checks all of an archive.
//
// # Terms
//
// A signature is what equal calls have in common: function, call site, and all
// parameters that are regular. Signatures are the terminals of a grammar whose
// word is the stream's events. An event is a call, or a run of equal
// unsuccessful polls (MPI_Test and others), which counts as that many calls. What
// varies irregularly is in columns.
//
// # Writing
//
// A Builder takes streams in their encoded form and writes an archive. The
// format is described in docs/format.md. WriteText and ParseText convert
// archives to a lossless text form and back. Package tracetest makes small
// archives for tests.
package trace
