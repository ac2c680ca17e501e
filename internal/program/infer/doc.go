// Package infer infers from the recording of a job of some size what a job of another size would
// do.
//
// The classes of ranks of a recording are put together to one program (Model): calls in loops, as
// all ranks would make them. Trip counts, conditions (trip counts of 0 and 1) and parameters are
// functions of rank, size and loop index (Expr). Calls in a row from one place that differ in
// values are a loop, too. The functions are found by hypotheses, the simplest first: a family of
// functions is taken if it holds for every rank, call and element of the recording. A number in
// them that is equal to the size, or to a size of a process grid, may stand for it. The meaning of
// the parameter decides that; a second recording of another size leaves no doubt. What was decided
// without evidence is listed (Model.Assumptions). What could not be decided is an error that names
// the calls (Obstacles).
//
// Times are not part of it.
package infer
