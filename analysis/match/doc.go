// Package match finds the send of every receive, and the partners of every
// collective call, in a compressed trace.
//
// Receives are matched by the standard's rule that messages do not overtake each other (MPI 4.0, 3.5):
// of the messages with one communicator, source, destination and tag, the k-th that is sent is the
// k-th that is received, in the order in which receives are posted: by MPI_Recv,
// MPI_Irecv, MPI_Start or MPI_Mprobe. Wildcards take the source and tag of their status, which is recorded also if the program ignores it. The k-th
// collective call of a communicator's members belongs together. A wildcard that has no status (in archives of jobs that were only computed, say) takes what is
// left when all others have theirs, and is marked as guessed; a named receive that was posted after it may then have the message that it got.
//
// All streams are read side by side, each until it would need a message that has not been
// sent yet, so that no more is in memory than is under way.
//
// # Loops
//
// What repeats itself is matched once. Processes with one thread pause where an iteration of a loop of theirs begins whose calls always do the same.
// When all of them have paused, what is under way is compared with what was one iteration before: if it is the same but for the numbers of calls, all iterations that are left
// match like the one between, since nothing else decides what matches. They are handed out with calls and times moved on, or with Options.Fold once with their
// number. Times, if wanted, are read in windows of 16 bytes a call; these are 256 to 2048 calls of each process, an iteration, and the iterations before that messages come from.
// One iteration of all processes may have maxTogether events. Programs whose calls vary, through wildcards, runs of polls, irregular sizes, are matched call by call.
package match
