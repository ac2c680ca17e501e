// Package whatif computes what a run would take without a fault, from the dependencies in its recording.
//
// The recording is run again in thought: each process makes its calls in the recorded order. Between them it computes
// for as long as recorded, unless that is what is changed. A call ends a fixed time after it could go on: that time is
// its recorded end less the recorded moment from which nothing was missing any more, which is the latest of its own
// begin and the begins of the calls that it depends on (package waits has the same rules):
//
//   - a receive, or what completes it, on the call that sent the message
//   - a send that the library does not buffer on the call that posts the receive
//   - all members of a barrier and of collectives in which everybody gets from everybody on all of them, those of one
//     that sends from a root on the root, and the root of one that sends to it on all of them
//
// Without a change that gives the recorded times exactly (replay by critical dependencies, as in Dimemas and LogGOPSim,
// with recorded durations in place of a model of the network). What cannot be computed: how long calls take if memory,
// network or file systems are used at other times; processes that poll; one-sided synchronisation and MPI_Scan of more
// than 16 ranks, whose dependencies are left out.
//
// # Cost
//
// One pass over all calls, and one over their times for each change. About 100 bytes for each event are kept, so that
// it is meant for recordings of up to some million.
package whatif
