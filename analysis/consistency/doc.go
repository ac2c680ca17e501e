// Package consistency tells whether the calls of a job fit together: whether the job could have
// run.
//
// A recording certainly fits together. For an archive that was computed, such as what a job of
// another size would do, this is the question that matters. These are checked:
//
//   - messages: each send has its receive (package match), whose buffer is large enough
//   - collectives: all members call the same functions in the same order, with the same root and the same
//     operation, and as many bytes arrive as are sent
//   - waits: no calls wait for each other in a circle; only jobs of up to MaxOrdered calls are looked at for that
//   - communicators: what the program was told of their ranks and sizes follows from the calls that made them
//
// Loops that repeat what they did are looked at once (match.Options.Fold), so that the cost is that
// of an iteration of regular programs. Some sizes are not compared: those of messages that a
// wildcard or a partitioned request brings, and what is sent between neighbours, in
// intercommunicators and in windows.
package consistency
