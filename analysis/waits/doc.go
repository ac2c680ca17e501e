// Package waits finds where processes waited for one another, and who made them wait.
//
// Messages and collective calls are matched (package match). Of the time that a call took, that
// part is waiting in which it could not have gone on whatever the library did, because another
// process had not made its call yet. With b and e the begin and end of the call that waits and o
// the begin of the other process's call, that is min(o, e) - b, if o > b:
//
//	late sender      a receive, or the call that completes it, began before the send
//	wrong order      a late sender, while another message was there that was received later; not in calls that
//	                 complete several operations, as these have no order
//	late receiver    a send that waits for its receive (it ended after the receive was posted) began before it
//	early reduce     the root of MPI_Reduce or MPI_Gather came before the last sender
//	late broadcast   a receiver of MPI_Bcast or MPI_Scatter came before the root
//	early scan       in MPI_Scan or MPI_Exscan a rank came before one that is below it
//	wait at NxN      a member of MPI_Allreduce, MPI_Alltoall, ... came before the last one
//	wait at barrier  likewise for MPI_Barrier
//	wait for neighbours  in MPI_Neighbor_allgather, ... a member came before one of those that it receives from
//
// The names are those of the field (Wolf and Mohr, Automatic performance analysis of hybrid
// MPI/OpenMP applications, 2003; Scalasca). A standard send of a message is no late receiver if
// there is one of at least that size, between processes of as near hosts, that ended before its
// receive was posted: the library buffers such messages. But its room has an end: a blocking send
// that takes long, and ends only after the receiver has posted the receive of an earlier message of
// the same sender that lay there, waits for that receive. There, early reduce counts up to the first
// sender only; but a root cannot go on before the last one has come. Of an operation that began
// with a nonblocking call, what waits is the call that completes it; if that completes several, the
// longest of their waits counts. In collectives of intercommunicators what a process gets comes
// from the other group: there it waits for the last one of that group, or for the root in it. Calls
// that test and return at once do not wait. But a process that tests in vain, and then calls
// nothing else before it tests the same requests with success, waits in these calls: what it is
// inside of them before o counts, and what it does between them does not. With t_i and u_i the
// begins and ends of the tests, the last one with success, that is the sum of max(0, min(u_i, o) -
// t_i).
//
// Not looked at are neighbourhood collectives of graphs that were made by MPI_Dist_graph_create,
// where a process need not name its own neighbours; of one-sided synchronisation all but
// MPI_Win_fence: who is in the groups of MPI_Win_post and MPI_Win_start is not known here, and who
// holds a lock is not recorded by anybody.
//
// # Causes
//
// The process that came late may have waited itself. So each wait is followed back: the time of the
// wait in which the late process was waiting for a third one is that one's, and so on; what is left
// is the late one's own delay, by computation or in calls that did not wait. Roots are these
// delays, at the call that came late. (Compare Böhme et al., Identifying the root causes of wait
// states in large-scale parallel applications, 2010.)
//
// # Cost
//
// One pass over the times of all calls; messages of loops that repeat themselves are matched once
// (package match). Of the waits found at most Options.Keep are kept for the search for causes, 64
// bytes each and up to about 200 with what the search needs; beyond that the shortest are counted
// in Kinds, Groups, Processes and Result.Short, not in Roots and Steps. Tests in vain take a second
// look at their times.
package waits
