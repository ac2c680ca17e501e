// Package replay makes the calls of a recording again. Each rank's process finds out which MPI it was started
// under, lowers the streams of its rank to programs (Lower), and becomes the executor (package executor), a
// C program that loads the MPI library and makes the calls. Loops run in the executor, from the grammar: what is
// handed to it beyond that is numbers that are in columns of the archive, outcomes, and times of computation, if they are
// wanted; a helper process (Feed) streams them through a pipe for each thread. Nothing is expanded.
package replay
