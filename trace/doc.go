// Package trace reads Tabard's archives: every MPI call of a parallel program, with all its
// parameters, from one small compressed file.
//
// # Reading
//
// [Open] reads the structure of an archive and none of its calls. An [Archive] has a [Rank] for each
// process and a [Stream] for each thread that made calls. A stream can be read in two ways:
//
//   - its structure ([Stream.Structure], [Stream.Counts]): the loops of the program and how often each
//     call was made, at a cost that does not depend on the number of calls;
//   - its calls ([Stream.Calls], [Stream.Call]), with parameters and times, in order from anywhere.
//     Nothing is expanded: memory does not grow with the number of calls.
//
// A parameter or result of a call is a [Value]. What was an address or a handle in the program is a
// symbol (heap#3+64, comm#1), so that runs can be compared.
//
// Archives are not trusted. A broken one gives an [*Error] that says where it is broken, when it is
// opened or when the broken part is read, and never a panic. [Options] bound memory and work.
//
// # Terms
//
// A rank is a process by its number in MPI_COMM_WORLD. A stream is the calls of one thread, in the
// order in which they returned. A call site is the place in the program that made a call: one
// frame, or several from the inside out. A poll is a call such as MPI_Test that found nothing; each
// counts as a call, but a run of equal polls is one step of the structure.
//
// # Stability
//
// This package only grows. Programs that use it go on to compile and to mean the same with each
// later version, with these limits: struct types may get further fields, so their literals need
// field names and they should not be compared; [Value.Data] may give further types for functions
// and parameters that no version had recorded before; and the text for people (the String methods,
// [Error.Msg] and [Error.Hint]) may become clearer. The JSON form of a call may get further
// members, and none changes its meaning. Archives that an earlier version wrote stay readable. An
// archive that a later version wrote may need that version: Open says so.
//
// Not promised are how archives are compressed, what reading costs to the byte, and everything in
// packages below internal. Analyses are commands of tabard, which give their results as JSON.
package trace
