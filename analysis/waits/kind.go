package waits

import "github.com/tabard-hpc/tabard/spec"

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

var kindNames = [NumKinds]string{"late sender", "wrong order", "late receiver", "early reduce", "late broadcast",
	"early scan", "wait at NxN", "wait at barrier", "wait for neighbours"}

// String is the field's name of the pattern.
func (k Kind) String() string {
	if k < NumKinds {
		return kindNames[k]
	}
	return "unknown"
}

// MarshalText is String, for JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// flowKinds says who waits for whom in collectives; those without a flow need not synchronise.
var flowKinds = map[spec.Flow]Kind{
	spec.FlowFromRoot: LateBroadcast, spec.FlowToRoot: EarlyReduce, spec.FlowPrefix: EarlyScan,
	spec.FlowToAll: WaitAtNxN, spec.FlowNeighbors: WaitForNeighbors,
}

// KindOf is the pattern of a collective, false if it need not synchronise.
func KindOf(f *spec.Func) (Kind, bool) {
	if f.IsBarrier() {
		return WaitAtBarrier, true
	}
	k, ok := flowKinds[f.Flow]
	return k, ok
}
