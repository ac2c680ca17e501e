// Package scale infers from the recording of a job of some size what a job of another size would do.
//
// The classes of ranks of a recording are put together to one program (Model): calls in loops, as all ranks would
// make them, whose trip counts, conditions (trip counts of 0 and 1) and parameters are functions of rank, size and
// loop index (Expr). Calls in a row from one place that differ in values are a loop, too. Which functions these are is a matter
// of hypotheses: a family of functions is taken if it holds for every rank, call and element of the recording; the
// simplest one first. Numbers in them that are equal to the size, or to sizes of a process grid, may stand for these: what
// the parameter means decides, and a second recording of another size does so without doubt. Whatever was
// decided without evidence is listed (Model.Assumptions), and what could not be decided is an error that names
// the calls (Obstacles).
//
// Times are not part of it.
package scale
