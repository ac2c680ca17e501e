// Package selection says which calls an analysis is about: some ranks, functions
// and communicators, a window of time, some time steps, a region of the program. Parse understands
// what the flags --rank, --function, --comm, --time, --in and --steps give; Resolve finds
// the calls in an archive.
//
// Whole classes of streams are selected without a look at each rank where neither
// time, steps nor a region are given: see Resolved.Classes. Else, for each stream, the selection is ranges
// of calls: see Part. Times are found by the index of the time stamps, steps by the
// loop nest (package loops), and regions by an automaton on the grammar (within.go), without expanding
// anything. Regions are found in the whole recording, even if the archive is a projection
// without their begins and ends.
package selection
