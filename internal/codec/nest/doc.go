// Package nest finds the loop nest of a program in the sequence of its calls.
//
// A program's calls stand at fixed places, its labels. Which label can follow which is a graph, and
// the loops of the program are the cycles of that graph, however often they go round: none, one or
// many times. A Flow is that graph. A Tree puts the labels in order and puts nested loops over
// them; any sequence of labels whose transitions are in the Flow is a run through the Tree (see
// Parse). In every iteration of a loop each part of its body comes at most once, in order; a part
// that is left out was executed 0 times. So branches and inner loops are the same: counts. A Tree
// together with the Counts of its parts is the sequence, without loss.
//
// The tree starts as the weak topological ordering of the graph (F. Bourdoncle, "Efficient chaotic
// iteration strategies with widenings", FMPA 1993). Some programs differ and have one graph: a call
// in every tenth iteration of a loop, and a loop of ten iterations within another one. Of such trees
// the one is taken whose counts take the fewest bits (see Refine).
package nest
