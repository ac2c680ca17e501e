// Package calls says what each call of a program does to messages: who sends
// what to whom, which requests a call starts and which it completes, in which
// collective a process takes part.
//
// Open looks at the structure of an archive: who is in which communicator, how large datatypes are,
// on which communicator windows and files are. A Reader then goes through the events of one stream
// and gives an Op for each. It skips parameters that do not matter to communication and allocates
// nothing for each call, so that it is many times as fast as archive.Stream.Iter.
//
// Some analyses need no single call, only the grammar and functions of the rank. They find the
// parameters that matter with SlotsOf, and the meaning of objects with Program.Scope and
// Program.TypeSize.
//
// # Processes
//
// Processes are numbered through all worlds: a process of the launched world has its
// rank in MPI_COMM_WORLD as number, those of spawned worlds follow (comms.World.First + rank).
// Peers and roots are such numbers, whatever the communicator.
package calls
