// Package comms works out which processes are in which communicator and group,
// from the recorded calls alone: no message was added to the program for it.
//
// Each process is read for itself first. Its calls say how each of its communicator objects was
// made: from which other object, by which creation on it (the first, the second, ...), with which
// colour, key, group or tag. These objects are instances.
//
// Then instances become communicators, beginning with MPI_COMM_WORLD, whose members are known. A
// collective creation is called by all members of a communicator in the same order, so the k-th
// creation on one instance belongs to the k-th on the instances of all other members; their
// arguments together give the members of what it makes. Calls that not all members make, or that
// come from two sides, are paired by what both sides know: group and tag (MPI_Comm_create_group),
// leaders and tag (MPI_Intercomm_create), port (MPI_Comm_accept), string tag (Sessions), world
// (MPI_Comm_spawn).
//
// The time this takes is proportional to the calls that make, name or free
// communicators and groups, and not to all calls: the grammar tells where they are.
//
// What the program itself asked (MPI_Comm_rank, MPI_Comm_size,
// MPI_Group_translate_ranks, ...) settles what the standard leaves open, and checks the rest.
// Contradictions, assumptions and what cannot be known are in Result.Notes.
package comms
