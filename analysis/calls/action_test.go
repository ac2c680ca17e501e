package calls

import (
	"testing"

	"github.com/tabard-hpc/tabard/spec"
)

// TestEveryFunctionIsUnderstood goes through the standard: functions that communicate have
// what their kind needs, so that a new one cannot be overlooked.
func TestEveryFunctionIsUnderstood(t *testing.T) {
	for _, f := range spec.Functions() {
		a := actions()[f.ID]
		need := func(what string, slots ...int) {
			for _, s := range slots {
				if s < 0 {
					t.Errorf("%s (%v): no %s", f.Name, a.kind, what)
				}
			}
		}
		switch f.Category {
		case "pt2pt", "completion", "completion_query", "start", "partitioned", "rma_op", "io_data":
			if a == nil || a.kind == Other {
				t.Errorf("%s is not understood", f.Name)
				continue
			}
		case "collective", "neighbor_collective":
			if a == nil || a.kind != Collective && a.kind != CollectiveInit || a.on < 0 || a.class != spec.Comm {
				t.Errorf("%s is not understood", f.Name)
				continue
			}
			if a.shape == noData && f.Op == spec.OpCollective &&
				(a.sendCount >= 0 || a.sendType >= 0 || a.sendBuf >= 0 || a.recvBuf >= 0) {
				t.Errorf("%s moves data of no shape", f.Name)
			}
		}
		if a == nil {
			continue
		}
		switch a.kind {
		case Send, SendInit:
			need("parameter", a.sendPeer, a.sendCount, a.sendType, a.on)
			if f.API == "mpi" { // messages of others have no tags
				need("tag", a.sendTag)
			}
		case Recv, RecvInit:
			need("parameter", a.recvPeer, a.recvCount, a.recvType, a.on)
			if f.API == "mpi" {
				need("tag", a.recvTag)
			}
		case SendRecv:
			need("parameter", a.sendPeer, a.sendTag, a.sendCount, a.sendType, a.recvPeer, a.recvTag, a.recvCount,
				a.recvType, a.on)
			if a.sendTag == a.recvTag || a.sendPeer == a.recvPeer {
				t.Errorf("%s: both sides have one tag or peer", f.Name)
			}
		case Probe, Mprobe:
			need("parameter", a.recvPeer, a.recvTag, a.on, a.status)
		case Mrecv:
			need("parameter", a.message, a.recvCount, a.recvType)
		case Complete: // what torch.distributed waits for has no status
			need("parameter", a.requests)
		case Query:
			need("parameter", a.requests, a.status)
		case Start, FreeRequest, Cancel, Pready, Parrived:
			need("request", a.requests)
		case Put, Get, Accumulate:
			need("parameter", a.on, a.sendPeer)
		}
		if f.Has(spec.PersistentInit) != a.persistent {
			t.Errorf("%s: persistent is %v", f.Name, a.persistent)
		}
		if f.Has(spec.Nonblocking) && a.request < 0 && f.Category != "io_data" {
			t.Errorf("%s makes no request", f.Name)
		}
	}
}
