// Package program knows what it takes to make a recorded call again, with any MPI. FuncOf says what
// each parameter of a function is for, and Func.Room how much room results need. Translation turns
// values of the recording MPI into those of another one. OutcomesOf says which results may come out
// otherwise, and how to make them come out as recorded. Reason and Survey say what cannot be made
// again, and why.
//
// # One lowering
//
// A recorded call is lowered to three targets: C that makes it with the recorded number of ranks, C
// that makes it with any number, and words that tell an executor to make it. All three share one
// walk. Pass goes through the parameters. It says what each one is (a number, a handle that the
// call changes, room for a result), by its role and by what was recorded. A Passer says what that
// is in its language. There are three of them:
//
//   - internal/program/cgen has two, which share all but the values: functions of the rank, and columns
//     that are read one by one; or expressions of an inferred model. Both build trees of C
//     (internal/program/cc), and there is one printer of these.
//   - internal/program/replay has one: operations of the executor, and what feeds them with values.
//
// What stands around calls (loops, repetitions, other ranks) is the grammar of the recording, or
// the nodes of a model: these are programs already, and each Passer's package walks them in its
// way.
package program
