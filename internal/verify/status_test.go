package verify

import (
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// statuses is a process that completes sends and receives in every way, given the status that the
// archive has for sends.
func statuses(s *scenario, sent archive.Value) {
	irecv := func(raw uint64, o archive.Value) {
		s.call(0, "MPI_Irecv", in(heapWord(1, 0), 4, mpiInt, 3, 9, world), out(raw), heap(1, 0), 4, pre("MPI_INT"), 3,
			9, pre("MPI_COMM_WORLD"), o)
	}
	junk, got := rawStat(77, 1<<20, 1<<40), rawStat(3, 9, 16)
	received := stat(3, 9, 16)
	s.isend(9, obj(0))
	s.call(0, "MPI_Wait", in(9), out(junk), obj(0), nil, sent)
	irecv(10, obj(1))
	s.call(0, "MPI_Wait", in(10), out(got), obj(1), nil, received)
	s.isend(9, obj(0))
	irecv(10, obj(1))
	s.call(0, "MPI_Waitall", in(2, []uint64{10, 9}), out([]ring.Status{got, junk}), 2, list(obj(1), obj(0)), nil,
		list(received, sent))
	s.isend(9, obj(0))
	irecv(10, obj(1))
	s.call(0, "MPI_Waitany", in(2, []uint64{10, 9}), out(1, junk), 2, list(obj(1), obj(0)), nil, 1, sent)
	s.isend(9, obj(0))
	s.call(0, "MPI_Waitsome", in(2, []uint64{9, 10}), out(2, []int32{1, 0}, []ring.Status{got, junk}),
		2, list(obj(0), obj(1)), nil, 2, []int64{1, 0}, list(received, sent))
	s.isend(9, obj(0))
	s.call(0, "MPI_Request_get_status", in(9), out(1, junk), obj(0), 1, sent)
}

// Of the status of a completed send, only what the standard defines is in the archive. Anything
// else that the library left there is a difference, and so is an emptied status of a receive.
func TestStatusesOfSends(t *testing.T) {
	s := &scenario{now: 100, meta: full().meta}
	statuses(s, sent)
	if r := compare(t, pack(t, rankData(), s.archive()), s.logs()); !r.Equal() {
		t.Errorf("differences: %v", r.First)
	}
	raw := &scenario{now: 100, meta: full().meta}
	statuses(raw, stat(77, 1<<20, 1<<40))
	v := &variants{}
	v.add(raw.archive(), "what lay in the status of a send")
	for i, calls := 0, s.archive()[0]; i < len(calls); i++ {
		threads := s.archive()
		slots := slices.Clone(threads[0][i].sig.Slots)
		for k := range slots {
			if st := &slots[k]; st.Kind == archive.Stat && st.Stat.Source == 3 {
				st.Stat = sent.Stat
				threads[0][i].sig.Slots = slots
				v.add(threads, "call %d: an emptied status of a receive", i)
			}
		}
	}
	v.check(t, s.logs())
	if len(v.names) < 2 {
		t.Errorf("only %q", v.names)
	}
	for _, f := range spec.Functions() {
		if startsSend(f) && f.NumIn == len(f.Slots) {
			t.Errorf("%s returns no request", f.Name)
		}
	}
}
