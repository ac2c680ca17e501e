// Package efficiency says what the processes of a program spent their time on: computation, that is
// everything outside of MPI, and MPI by kinds of calls; how well that is balanced; and how time
// steps differ.
//
// Every formula is for the main threads (thread 0) of the processes. With T_p the time from the end
// of MPI_Init of process p to the begin of MPI_Finalize (or else the begin of its first call to the
// end of its last one), M_p the time in calls (calls that callbacks make inside of others do not
// count), U_p = T_p - M_p ("useful"), and T the time from the first begin of such a time to the
// last end:
//
//	parallel efficiency       mean(U_p) / T     the product of the next two
//	load balance              mean(U_p) / max(U_p)
//	communication efficiency  max(U_p) / T
//
// These are the efficiencies of the POP project (Performance Optimisation and Productivity centre
// of excellence); its "useful" is likewise all time outside of the runtime. Splitting communication
// efficiency further takes the time that calls wait, see package waits.
//
// The imbalance of something that processes spend times t_p on is max(t_p) - mean(t_p): what the
// slowest one adds to the run time where all wait for it. A run of unsuccessful polls counts as a
// call from its begin to its end.
//
// # Time steps
//
// A step is an iteration of the time-step loop (package loops). It lasts from the end of the call
// before its first one to the end of its last one: computation at the border of two steps belongs
// to the later one. A step is slow if it exceeds the median of all steps both by six standard
// deviations and by a quarter. The standard deviation is estimated as 1.4826 times the median
// absolute deviation.
//
// # Cost
//
// One pass over the times and functions of all calls: with Of on all processors, with an Observer
// along with another analysis. Memory depends on processes times places, about 100 bytes each, on
// steps, of which at most MaxSteps are told apart, 88 bytes each, and on the structure of the
// archive.
package efficiency
