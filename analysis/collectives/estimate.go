package collectives

import (
	"math"
	"math/bits"
)

// A Model is LogGP (Alexandrov et al., 1997) for messages that are sent one by one: what a message of n bytes takes is
// Latency + 2 Overhead + n Byte, and a process sends or receives one at a time.
type Model struct {
	Latency, Overhead, Byte float64 // seconds, the last of a byte
}

// Paper is the model of estimates: a cluster of nodes with a fast network. It has nothing to do with the machine of the
// recording.
var Paper = Model{Latency: 1.5e-6, Overhead: 0.4e-6, Byte: 1e-10}

// Estimate is what an instance takes on paper, in seconds: as it is made, and by the best of the textbook algorithms
// that libraries have (Thakur, Rabenseifner and Gropp, 2005). ok is false for operations without a call of their own.
func (f *Finding) Estimate(m Model) (made, library float64, ok bool) {
	library = m.library(f.Operation, len(f.Sets[0]), float64(f.Block))
	return m.made(f.One), library, f.Grade != NearMiss && library > 0
}

// made goes through messages: each has to wait for its sender, and for its receiver.
func (m Model) made(ms []*Message) float64 {
	end := 0.0
	free, arrives := map[int32]float64{}, make([]float64, len(ms))
	inOrder(ms, func(i int, recv bool) {
		x := ms[i]
		bytes := m.Byte * float64(max(x.Bytes, 0))
		if !recv {
			free[x.From] += m.Overhead + bytes
			arrives[i] = free[x.From] + m.Latency
			return
		}
		free[x.To] = max(free[x.To], arrives[i]) + m.Overhead
		end = max(end, free[x.To])
	})
	return end
}

// library is the time of an operation among n processes, of blocks of so many bytes; 0 if it has none.
func (m Model) library(operation string, n int, block float64) float64 {
	steps, others := float64(bits.Len(uint(n-1))), float64(n-1)
	step := m.Latency + 2*m.Overhead
	share := others / float64(n) * block * m.Byte // of a vector that is cut in n pieces
	switch operation {
	case "broadcast":
		return math.Min(steps*(step+block*m.Byte), (steps+others)*step+2*share)
	case "scatter", "gather":
		return steps*step + others*block*m.Byte
	case "allgather":
		return steps*step + others*block*m.Byte
	case "all-to-all":
		return math.Min(others*(step+block*m.Byte), steps*(step+float64(n)/2*block*m.Byte))
	case "reduce":
		return math.Min(steps*(step+block*m.Byte), 2*steps*step+2*share)
	case "allreduce":
		return math.Min(steps*(step+block*m.Byte), 2*steps*step+2*share)
	case "reduce-scatter":
		return steps*step + share
	case "scan", "exscan":
		return steps * (step + block*m.Byte)
	case "barrier":
		return steps * step
	}
	return 0
}

// weight orders findings: what a replacement would gain on paper, in seconds over all instances.
func weight(f *Finding) float64 {
	made, library, ok := f.Estimate(Paper)
	if !ok {
		return 0
	}
	return float64(f.Instances) * (made - library)
}
