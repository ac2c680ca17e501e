// Package synthetic makes the streams of ranks of programs that nobody has to run:
// it writes the records that the runtime would write in each rank of a job of
// any size and feeds them to the compression that a recording goes through.
//
// A Program says what a rank does, as MPI calls with their parameters. Ranks
// are made one by one and independently of each other: what a rank receives, whom it
// hears from first and how often it polls follows from the rank, the step and a
// seed, the same at both ends of a message. Every send therefore has its
// receive, though no two ranks are ever in memory together; a Log of all ranks of
// a small job proves it (Check).
//
// What surrounds the calls is that of a real recording: the records about process, library and
// clocks, handles in the style of the library (numbers for MPICH, addresses for Open MPI,
// used again last-in first-out, one handle for all completed eager sends), buffers as segments
// that are announced at their first use, call sites in a module.
package synthetic
