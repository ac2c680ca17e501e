// Package timeline says what each rank does over time: for a window, a grid of
// rows (a thread of a rank, or several of them where there are many) and columns of equal
// length, and in each cell the share of time that goes to point-to-point
// communication, waiting, collectives and so on, and to computation, which is
// everything outside of MPI.
//
// With w the length of a column, r the threads of a row and C the calls of a category,
//
//	share(C) = sum over r of the time in C within the column / (w * r)
//
// Calls that callbacks make inside of other calls do not count. A call that did
// not return lasts until the end of the window. Before its first and after its last call
// nothing is known of a thread: the shares of a cell add up to less than 1 there. A thread that makes no call in the
// window, but some before and some after it, computes all the time: it has a row like the others.
//
// Where a window holds few calls these are listed, too, so that single calls can be drawn.
//
// # Cost
//
// One pass over the times of the calls in the window, on all processors; what is
// outside of it is not decoded. Where the window has more calls than Options.Exact, most
// of them are not decoded either: the format has summaries of ranges of calls, and those
// of ranges that are shorter than a column tell all that is to be shown (but for where in
// the range it was, see Result.Blur). Memory is that of the grid (8 bytes a category and
// cell, and as much again with Options.Waiting), of the structure of the archive, and of Options.MaxSpans calls.
//
// # Timelines and tiles
//
// Of answers one question and ends: any columns, times on clocks that the messages correct, which waits are in a cell,
// single calls. A Tiler answers many, each in a time that depends on its pixels, and keeps what they have in common:
// summaries in bins of powers of two. These cannot tell what Of is asked for. Where a column begins inside of a bin,
// what is in the bin would have to be decoded after all; corrected clocks move each call by itself, so that no bin
// would stay what it is; and which calls wait is known after messages have been matched. So there are two, which read
// calls by the same code (walker) and agree where both can answer: TestTilesAndTimeline.
//
// # The overview of a file
//
// What a Tiler finds out first, the picture of the whole run, may be a section of the file (MakeOverview). It is made on
// demand, of a complete recording, and not while the program runs, for two reasons. Bins are of the time that all ranks
// share. That is known at the end only, when clocks were read for the last time, and with several hosts when their
// clocks have been related: calls that were counted before, in ticks, could not be split where bins begin. And to read
// the times back at the end takes 33 ns a call, of streams of a thousand calls 190 ns, where the collector takes 58 to
// 74 ns for all that it does with a call. So recording costs what it did, and files grow where that was asked for.
package timeline
