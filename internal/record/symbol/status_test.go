package symbol

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/ring/ringtest"
	"github.com/tabard-hpc/tabard/spec"
)

// Which functions start sends agrees with their parameters: a destination, a request, nothing
// received.
func TestSends(t *testing.T) {
	for _, f := range spec.Functions() {
		has := func(name string) bool {
			return slices.ContainsFunc(f.Params, func(p spec.Param) bool { return p.Name == name })
		}
		want := has("dest") && has("request") && !has("source") || f.Name == "torch_send"
		if sends()[f.ID] != want {
			t.Errorf("%s: %v, want %v", f.Name, sends()[f.ID], want)
		}
	}
}

// Statuses of every function that completes requests go to columns: those of sends are emptied
// there.
func TestStatusesAreColumns(t *testing.T) {
	for _, f := range spec.Functions() {
		status, request := false, false
		for i := range f.Slots {
			s := &f.Slots[i]
			request = request || s.Codec == spec.Handle && s.Class == spec.Request && !s.Out
			status = status || s.Codec == spec.Status && s.Out && !s.Column
		}
		if status && request {
			t.Errorf("%s has a status in its signature", f.Name)
		}
	}
}

func irecv(peer int, req uint64) rc {
	return rc{Func: "MPI_Irecv", Site: 6 | ring.WModule<<60, In: []any{heap(1, 0), 8, mpiInt, peer, 7, world},
		Out: []any{req}}
}

// Of the statuses of sends only the error and whether they were cancelled are
// kept; the next call is one that the cache knows.
func TestStatusesOfSends(t *testing.T) {
	persistent := rc{Func: "MPI_Send_init", In: []any{heap(1, 0), 8, mpiInt, 1, 7, world}, Out: []any{uint64(40)}}
	got := ring.Status{Source: 3, Tag: 7, Bytes: 32}
	for name, c := range map[string]struct {
		before []rc
		call   func(junk ring.Status) rc
		want   string
	}{
		"Wait for a send": {[]rc{isend(1, 20)}, func(j ring.Status) rc {
			return rc{Func: "MPI_Wait", In: []any{20}, Out: []any{j}}
		}, "[-2 -1 0 4294967296]"},
		"Wait for a receive": {[]rc{irecv(3, 20)}, func(ring.Status) rc {
			return rc{Func: "MPI_Wait", In: []any{20}, Out: []any{got}}
		}, "[3 7 32 0]"},
		"Waitall": {[]rc{isend(1, 20), irecv(3, 21), isend(2, 22)}, func(j ring.Status) rc {
			return rc{Func: "MPI_Waitall", In: []any{3, []uint64{20, 21, 22}}, Out: []any{[]ring.Status{j, got, j}}}
		}, "[3 -2 -1 0 4294967296 3 7 32 0 -2 -1 0 4294967296]"},
		"Waitany, the send": {[]rc{irecv(3, 21), isend(1, 20)}, func(j ring.Status) rc {
			return rc{Func: "MPI_Waitany", In: []any{2, []uint64{21, 20}}, Out: []any{1, j}}
		}, "[1 -2 -1 0 4294967296]"},
		"Waitany, the receive": {[]rc{isend(1, 20), irecv(3, 21)}, func(ring.Status) rc {
			return rc{Func: "MPI_Waitany", In: []any{2, []uint64{20, 21}}, Out: []any{1, got}}
		}, "[1 3 7 32 0]"},
		"Waitany, none": {nil, func(ring.Status) rc {
			return rc{Func: "MPI_Waitany", In: []any{1, []uint64{nullReq}},
				Out: []any{-32766, ring.Status{Source: -2, Tag: -1}}}
		}, "[-32766 -2 -1 0 0]"},
		"Waitsome": {[]rc{isend(1, 20), irecv(3, 21), isend(2, 22)}, func(j ring.Status) rc {
			return rc{Func: "MPI_Waitsome", In: []any{3, []uint64{20, 21, 22}},
				Out: []any{2, []int64{2, 1}, []ring.Status{j, got}}}
		}, "-2 -1 0 4294967296 3 7 32 0]"},
		"Request_get_status": {[]rc{isend(1, 20)}, func(j ring.Status) rc {
			return rc{Func: "MPI_Request_get_status", In: []any{20}, Out: []any{1, j}}
		}, "-2 -1 0 4294967296]"},
		"persistent": {[]rc{persistent}, func(j ring.Status) rc {
			return rc{Func: "MPI_Wait", In: []any{40}, Out: []any{j}}
		}, "[-2 -1 0 4294967296]"},
		"foreign": {nil, func(ring.Status) rc {
			return rc{Func: "MPI_Wait", In: []any{77}, Out: []any{got}}
		}, "[3 7 32 0]"},
	} {
		p, r := mpich(t)
		for round := range int32(3) {
			feed(t, p, r, c.before...)
			call := c.call(ring.Status{Source: 100 + round, Tag: -round, Bytes: int64(round) << 40, Cancelled: true})
			if err := p.Record(0, ringtest.Record(call), r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if last := r.lines[len(r.lines)-1]; !strings.HasSuffix(last, c.want) {
				t.Errorf("%s, round %d: %s, want %s", name, round, last, c.want)
			}
		}
	}
}
