// Package rerun knows what it takes to make a recorded call again, with whatever MPI: what each parameter of
// a function is for (FuncOf), how much room results need (Param.Room), what a value of the recording
// MPI is in another one (Translation), which results may come out otherwise and how they can be made to come out
// as recorded (OutcomeOf), and what cannot be made again, and why (Reason, Survey).
//
// It is shared by the replay (internal/replay), which hands values to an executor, and the generator of proxy
// applications (internal/proxy), which writes them into C.
package rerun
