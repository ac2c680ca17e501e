// Package selection says which calls an analysis is about: some ranks, functions
// and communicators, a window of time, some time steps. Parse understands what
// the flags --rank, --function, --comm, --time and --steps give; Resolve finds
// the calls in an archive.
//
// Whole classes of streams are selected without a look at each rank where neither
// time nor steps are given: see Resolved.Classes. Else, for each stream, the selection is ranges
// of calls: see Part. Times are found by the index of the time stamps, and steps by the
// loop nest (package loops), without expanding anything.
package selection
