// Package collect is the node collector: it drains the segments of all traced
// processes of a node into compressed streams, keeps durable checkpoints, and
// writes the archive; recovery is the same pipeline started later.
//
// # State directory
//
// One directory per job and node holds all that is needed to go on after a
// crash of anything:
//
//	job.json            what is recorded, for whom, where to; how it ended
//	control             the page shared with the runtime (internal/record/ring)
//	register.lock       shared by a process that registers, exclusive at the end
//	collector.lock      held by the live collector
//	rank.<id>           a registered process: its number and, as numbers are used again, its start
//	s.<id>.<thread>.<k>  raw records
//	<id>.ckpt           durable compressed state of a process
//	collector.log       what the collector had to say
//	archive.tabard      the archive, if the output could not be written
//
// Raw records are handed back to the program only after the checkpoint that
// covers them was renamed into place. What is on disk is therefore always
// complete: checkpoint, then the segments from its position on.
//
// # Checkpoints
//
// Signatures, strings and definitions only grow. They go to a journal beside the checkpoint,
// blocks of timing go to a spool, and a checkpoint says how much of each counts. So a checkpoint
// costs what is new.
//
// # Threads
//
// What a handle means depends on what other threads made and freed before. So the calls of
// several threads are put in order by their entry and return times. A thread sets in_call before
// it reads the entry time; by that the collector knows up to which time it has heard of all
// threads. With --timing=off the clock starts with the second thread, and the collector drops the
// times again; a time of 0 is earlier than all others.
//
// # Where the collector runs
//
// Launchers bind a rank to a core, and what a rank starts inherits that. A collector that stayed
// there would run only while its rank does not, so it unbinds itself first. Where processors are left that no rank is
// bound to, it stays on these. With --collector-cpus it sleeps off what it computed beyond its share, and programs
// write beside their rings what it cannot take in meanwhile, until a rank comes to its end. It hands segments
// back in the middle of a drain, as soon as a checkpoint covers them; otherwise the two sides
// would take turns.
//
// # Several collectors, one file
//
// With several nodes (or record --collectors) the lowest rank of each collector is its leader.
// Leaders hand archives up a binomial tree inside MPI_Finalize, before the real one; capture says
// why nothing there can hold up the program. Collectors merge, the root's collector writes the
// whole, and only then do the others drop theirs. For that MPI_Finalize is recorded as complete
// before it is called: its time is not that of the library, and how the processes of other nodes
// ended is "reached MPI_Finalize", unless their collector learns otherwise and writes a part,
// which the reader prefers.
//
// Where anything fails, parts stay beside the output as NAME.<node>.tabard, and whoever reads
// NAME.tabard merges them. A file belongs to a run by the name of the job, its time and its
// processes, never by the name of the file alone. A process is in the whole once, however often
// parts are merged: that makes merging repeatable and a killed merge harmless. Memory that is
// freed after MPI_Finalize is not recorded.
package collect
