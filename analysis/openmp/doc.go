// Package openmp says what the threads of OpenMP programs spend their time on: for each parallel region its work, its
// imbalance, and the waits of its threads; and how well the processes of a hybrid program use their threads.
//
// # Regions
//
// A region is told by its call site. A thread's part of it is its body: from the begin of the body to its end, where
// it has come to the end of the region. In its body a thread is, at each moment, in one of these states: it waits at
// a barrier, for a lock (critical sections and ordered iterations are locks, too), or for tasks; it is in a call of
// MPI; or it works. A task that is run while the thread waits is work. With b_i and e_i the begin and the end of the
// body of thread i of n, B and E the begin and the end of the region on the thread that began it, and w_i the work of
// the thread (tasks run between e_i and E included), in one execution of the region:
//
//	start      sum of b_i - B     until the threads have begun
//	implicit   sum of E - e_i     waiting at the end of the region, tasks run meanwhile excluded
//	imbalance  max(w_i) / mean(w_i), of all executions: the sums of both are divided
//
// Loops with a static schedule are work like any other code.
//
// # Efficiencies
//
// For process p, T_p is the time from the end of MPI_Init to the begin of MPI_Finalize, on the thread that calls them
// (or else from the first event to the last one), M_p the time of this thread in calls of MPI, N_p the most threads
// that work at once in a region that is not nested, and W_p the useful time of all of its threads: the work in
// bodies, and the time of the first thread outside of regions and of MPI (S_p, the serial part). T is the time from
// the first begin to the last end. Then
//
//	parallel efficiency   sum(W_p) / (T sum(N_p))        the product of the next two
//	MPI efficiency        mean(T_p - M_p) / T
//	OpenMP efficiency     sum(W_p) / (sum(N_p) mean(T_p - M_p))
//	serial fraction       sum(S_p) / sum(T_p - M_p)
//
// This is the multiplicative model for hybrid programs of the POP project: threads that idle while the first one is
// in a call of MPI are lost to MPI, those that idle while it computes are lost to OpenMP. Work of nested regions
// counts, too.
//
// # Cost
//
// One pass over all events with the threads of a process side by side in the order of time. Memory depends on regions
// in progress and call sites. Times that are stored with an error are in error here: events of two threads that lie
// closer together than the error may come in either order.
package openmp
