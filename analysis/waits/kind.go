package waits

import "tabard/spec"

// Kind is the pattern of a wait.
type Kind uint8

// Patterns, see the package's documentation.
const (
	LateSender Kind = iota
	WrongOrder
	LateReceiver
	EarlyReduce
	LateBroadcast
	EarlyScan
	WaitAtNxN
	WaitAtBarrier
	WaitForNeighbors
	NumKinds
)

var kindNames = [NumKinds]string{"late sender", "wrong order", "late receiver", "early reduce", "late broadcast", "early scan", "wait at NxN", "wait at barrier", "wait for neighbours"}

// String is the field's name of the pattern.
func (k Kind) String() string {
	if k < NumKinds {
		return kindNames[k]
	}
	return "unknown"
}

// MarshalText is String, for JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// collectiveKinds says who waits for whom in which collective; also for the nonblocking,
// persistent and large forms (see base). Others need not synchronise.
var collectiveKinds = map[string]Kind{
	"Barrier":              WaitAtBarrier,
	"Bcast":                LateBroadcast,
	"Scatter":              LateBroadcast,
	"Scatterv":             LateBroadcast,
	"Reduce":               EarlyReduce,
	"Gather":               EarlyReduce,
	"Gatherv":              EarlyReduce,
	"Scan":                 EarlyScan,
	"Exscan":               EarlyScan,
	"Allreduce":            WaitAtNxN,
	"Allgather":            WaitAtNxN,
	"Allgatherv":           WaitAtNxN,
	"Alltoall":             WaitAtNxN,
	"Alltoallv":            WaitAtNxN,
	"Alltoallw":            WaitAtNxN,
	"Reduce_scatter":       WaitAtNxN,
	"Reduce_scatter_block": WaitAtNxN,
	"Comm_dup":             WaitAtNxN,
	"Comm_split":           WaitAtNxN,
	"Win_fence":            WaitAtNxN,
	"Neighbor_allgather":   WaitForNeighbors,
	"Neighbor_allgatherv":  WaitForNeighbors,
	"Neighbor_alltoall":    WaitForNeighbors,
	"Neighbor_alltoallv":   WaitForNeighbors,
	"Neighbor_alltoallw":   WaitForNeighbors,
}

// kindsByFunc is collectiveKinds by function.
var kindsByFunc = func() map[spec.ID]Kind {
	m := map[spec.ID]Kind{}
	for _, f := range spec.Functions() {
		for name, k := range collectiveKinds {
			for _, form := range forms(name) {
				if f.Name == form || f.Name == form+"_c" {
					m[f.ID] = k
				}
			}
		}
	}
	return m
}()

// forms are the names of the blocking, nonblocking and persistent functions.
func forms(name string) []string {
	lower := string(name[0]|0x20) + name[1:]
	return []string{"MPI_" + name, "MPI_I" + lower, "MPI_" + name + "_init"}
}
