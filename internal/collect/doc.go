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
//	control             the page shared with the runtime (internal/ring)
//	register.lock       shared by a process that registers, exclusive at the end
//	collector.lock      held by the live collector
//	rank.<pid>          a registered process
//	s.<pid>.<thread>.<k>  raw records
//	<pid>.ckpt          durable compressed state of a process
//	collector.log       what the collector had to say
//	archive.tabard      the archive, if the output could not be written
//
// Raw records are handed back to the program only after the checkpoint that
// covers them was renamed into place. What is on disk is therefore always
// complete: checkpoint, then the segments from its position on.
package collect
