// Package traffic says how much data moves between which processes: the communication
// matrix and the distribution of message sizes.
//
// # What counts
//
// Point-to-point messages are counted where they are sent: each call of a sending function
// (MPI_Send, MPI_Isend, MPI_Sendrecv and so on), and each start of a persistent or partitioned
// send, is one message of count times the size of the datatype. The partner is the destination as
// a process, through the communicator's group. Messages to MPI_PROC_NULL do not count, messages to
// oneself do. What probes and receives say is not needed for that; what processes sent that
// were not recorded (Matrix.Missing) is known from its receipt only: Matrix.AddReceived.
//
// One-sided operations count as one message each: from the origin to the target for
// puts and accumulates, from the target to the origin for gets, and both for operations that fetch.
//
// Collectives are counted apart, by the data that one process needs from another according to
// the definition of the operation, whatever algorithm the library uses. A process never counts as
// its own partner. With b the bytes of the named buffer:
//
//	MPI_Bcast, MPI_Scatter(v)          from the root to each other process: count, sendcount(s)
//	MPI_Gather(v), MPI_Reduce          from each other process to the root: sendcount, count
//	MPI_Allgather(v)                   from each to each other process: the sender's sendcount
//	MPI_Alltoall(v,w)                  from each to each other process: sendcount(s)
//	MPI_Allreduce                      from each to each other process: count
//	MPI_Reduce_scatter(_block)         from each to each other process: the receiver's recvcount
//	MPI_Scan, MPI_Exscan               from each process to those with a greater rank: count
//	MPI_Neighbor_*                     from each process to its out-neighbours in the topology: sendcount(s)
//	MPI_Barrier                        nothing, as it moves no data
//
// In intercommunicators the other processes are those of the remote group. These numbers show
// which processes depend on which; a library that reduces along a tree moves less between fewer.
// An empty part of a collective is no message; an empty message point to point is one. Calls
// that failed or had not returned do not count.
//
// # How it is found
//
// Walk goes class by class: the number of calls comes from the grammar, partner and size from the
// functions of the rank that the class has for them. Only parameters that are in columns are read
// value by value. So the time does not depend on the number of calls of a regular program.
package traffic
