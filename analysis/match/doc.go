// Package match finds the send of every receive, and the partners of every
// collective call, in a compressed trace.
//
// Receives are matched by the standard's rule that messages do not overtake each other (MPI 4.0,
// 3.5): of the messages with one communicator, source, destination and tag, the k-th that is sent
// is the k-th that is received, in the order in which receives are posted: by MPI_Recv, MPI_Irecv,
// MPI_Start or MPI_Mprobe. Wildcards take the source and tag of their status, which is recorded
// also if the program ignores it. The k-th collective call of a communicator's members belongs
// together. A wildcard that has no status (in archives of jobs that were only computed, say) takes
// what is left when all others have theirs, and is marked as guessed; a named receive that was
// posted after it may then have the message that it got.
//
// All streams are read side by side, each until it would need a message that has not been
// sent yet, so that no more is in memory than is under way.
//
// # Loops
//
// What repeats itself is matched once. Processes with one thread pause where an iteration of a
// regular loop begins, that is, one whose calls always do the same. When all of them have paused,
// the messages under way are compared with those one iteration before. If only the numbers of calls
// differ, all remaining iterations match like the one between, since nothing else decides what
// matches. They are reported with calls and times moved on, or with Options.Fold once, with their
// number. Times, if wanted, are read in windows of 16 bytes a call; these are 32 to 2048 calls of
// each process, an iteration, and the iterations before that messages come from. One iteration of
// all processes may have maxTogether events. Programs whose calls vary, through wildcards, runs of
// polls, irregular sizes, are matched call by call.
//
// # Order
//
// Messages are matched by order, not by time. Until a receive with wildcards has told its source
// and tag, the receives posted behind it that could have taken the same message wait with it. A
// process whose receive has completed stops until the send has been seen, and so does one that is
// far ahead of others; if all have stopped, the first goes on. So memory holds what was under way
// in the run, with and without times.
package match
