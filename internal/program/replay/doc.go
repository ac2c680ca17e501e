// Package replay makes the calls of a recording again. Each rank's process finds out which MPI it
// was started under, lowers the streams of its rank to programs (Lower), and becomes the executor
// (package executor), a C program that loads the MPI library and makes the calls. Loops run in the
// executor, from the grammar: what is handed to it beyond that is numbers that are in columns of
// the archive, outcomes, and times of computation, if they are wanted; a helper process (Feed)
// streams them through a pipe for each thread. Nothing is expanded.
//
// # The executor
//
// It stands where an application stands: one C program for all MPIs, which looks functions up as
// the dynamic linker would, so that a tracer in front of it records a replay like any program.
// Outcomes are forced below the tracer. The executor's own library lies between tracer and MPI,
// gets the call with its recorded parameters, and asks MPI for what happened (an MPI_Waitany that
// gave 6 becomes MPI_Wait on request 6). Calls of a recorded call site are made from an address
// of their own. Buffers lie in one reserved range of addresses, a part for each segment: offsets
// and overlaps are as recorded, and only touched pages cost memory. Calls on what was never
// created are left out and counted; nothing hangs in silence.
//
// Displacements in dynamic windows are addresses in other processes, which a recording does not
// have. It does not matter which memory such an access gets, as long as there is some: all
// processes have a block at the same address.
package replay
