package capture_test

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// Statuses that the program ignores are recorded where a receive took any source or tag, and of
// calls that were given the request of such a receive. The program sees nothing of it. Calls that
// fail, unsuccessful polls and, inside of callbacks, calls with arrays go without; so do those that
// come when all such requests are complete.
func TestIgnored(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		r := (&run{t: t, flavour: flavour, config: quiet}).start("ignored")
		r.wantCode(0)
		if r.stderr != "" {
			t.Errorf("stderr %q", r.stderr)
		}
		type want struct {
			name     string
			statuses int // -1: none recorded
			first    ring.Status
		}
		none := func(names ...string) (list []want) {
			for _, n := range names {
				list = append(list, want{n, -1, ring.Status{}})
			}
			return list
		}
		// The fake MPI gives source 2 and tag 17 for wildcards, and as size what requests are for.
		plain := none("MPI_Recv", "MPI_Wait", "MPI_Waitall", "MPI_Waitall", "MPI_Waitall", "MPI_Test")
		round := func(source, tag int32, array bool) []want {
			list := []want{{"MPI_Recv", 1, ring.Status{Source: source, Tag: tag, Bytes: 4}},
				{"MPI_Wait", 1, ring.Status{Source: source, Tag: tag, Bytes: 1}},
				{"MPI_Waitall", 500, ring.Status{Source: source, Tag: tag, Bytes: 2}},
				{"MPI_Waitall", -1, ring.Status{}}, {"MPI_Waitall", 1, ring.Status{Source: source, Tag: tag, Bytes: 4}},
				{"MPI_Test", -1, ring.Status{}}}
			if !array {
				list[2], list[4] = want{"MPI_Waitall", -1, ring.Status{}}, want{"MPI_Waitall", -1, ring.Status{}}
			}
			return list
		}
		wants := append(plain, want{"MPI_Recv", 1, ring.Status{Source: 1, Tag: 17, Bytes: 4}})
		wants = append(wants, round(2, 8, true)...)
		wants = append(wants, round(2, 9, false)...) // inside the callback
		wants = append(wants, plain...)
		wants = append(wants, none("MPI_Wait")...) // of another receive, while one with wildcards is under way
		wants = append(wants, want{"MPI_Wait", 1, ring.Status{Source: 2, Tag: 10, Bytes: 6}})
		wants = append(wants, none("MPI_Wait")...) // after MPI_Request_free
		recs := r.of(0, "MPI_Recv", "MPI_Wait", "MPI_Waitall", "MPI_Test")
		if len(recs) != len(wants) {
			t.Fatalf("%d calls, want %d: %q", len(recs), len(wants), r.calls(0))
		}
		for i, rec := range recs {
			w, f := wants[i], spec.ByID(rec.ID())
			v := values(t, rec)
			status, ok := v["=status"]
			if a, array := v["=array_of_statuses"]; array {
				status, ok = a, true
			}
			if f.Name != w.name || ok != (w.statuses >= 0) || ok != (rec.Flags()&ring.FIgnored != 0) {
				t.Errorf("call %d: %s, flags %d, status %v, want %+v", i, f.Name, rec.Flags(), status, w)
				continue
			}
			if rec.Absent()&ring.StatusMask(f) == 0 {
				t.Errorf("call %d, %s: absent %#x says that the program wanted the status", i, f.Name, rec.Absent())
			}
			if ok && (max(status.N, 1) != w.statuses || status.Status(0) != w.first) {
				t.Errorf("call %d, %s: %d statuses, the first %+v, want %+v", i, f.Name, status.N, status.Status(0), w)
			}
		}
	})
}
