// Package archive reads and writes Tabard's archives: every MPI call of a
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
// Package merge makes a Content of the streams of processes, and Content.Write writes it.
// Content.Archive reads a content that is in no file. The format is described in docs/format.md.
// Package archivetest makes small archives for tests.
//
// # Rooms
//
// Package container is the file as sections with checksums and compression, and package bundle the
// prediction of columns across streams. Package trace, which programs import, shows a small part of
// this package in types of its own.
//
// The text twin (WriteText, ParseText) is in this package, since one description of groups and
// classes (walk.go) writes and reads both the file and the text. So the four cannot disagree. A
// package of its own for the text would need exports: the walker with its methods, what the walk
// refers to, and what this version does not know. That is some 25 names for 1,000 lines. WriteText
// is "tabard dump --raw". No command reads text: ParseText is for tests, and for tools that make or
// mend recordings.
//
// # Other APIs
//
// MPI does not use up the room that a file has for functions, sites and values. Ids of functions
// are numbers (to 65,535 in this version). Classes of objects follow from the function's table. A
// reader passes over facts of the run that it does not know. Meta.ABI names the constants of MPI
// among the values. A further API whose constants differ between implementations needs a fact of
// its own.
//
// # Why the format is as it is
//
// One description of the items serves all. The walk over the fields of groups and classes stands
// once, in walk.go. The writer, the reader, the text twin, the count of bytes for info --cost and
// the examples of docs/format.md implement its primitives, so they cannot disagree.
//
// A few bytes may stand for a million ranks. So the reader makes nothing for each rank: processes
// and streams are made when they are asked for, and what belongs to a class is decoded at its
// first use. A file that lies about its number of ranks costs nothing until somebody iterates.
//
// Values are those of the MPI that recorded (MPI_ANY_SOURCE is -1 or -2). Names are attached when
// reading, by the tables of its ABI. That is lossless, and a comparison of recordings of two MPIs
// compares names.
package archive
