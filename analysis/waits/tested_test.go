package waits_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/waits"
)

// TestManyTests: many tests in vain for several messages, of which the last one decides, in
// whatever order they come.
func TestManyTests(t *testing.T) {
	const tests, first, apart, length = 5000, 1000, 100, 20
	for _, sent := range [][]int{{120_005, 280_010, 480_030}, {480_030, 120_005, 280_010}, {280_010, 1_005, 120_005},
		{900, 950, 1_000}, {26_610, 26_600, 26_599}} {
		var recv strings.Builder
		requests, statuses := []string{}, []string{}
		ranks := []string{""}
		for i, at := range sent {
			fmt.Fprintf(&recv, "%d+1 MPI_Irecv(count=1, datatype=MPI_INT, source=%d, tag=7, comm=MPI_COMM_WORLD) @ "+
				"a.c:6 [f] ; "+
				"request=request#%d\n", 10+2*i, i+1, i)
			requests, statuses = append(requests, fmt.Sprintf("request#%d", i)),
				append(statuses, fmt.Sprintf("{source=%d tag=7 bytes=4}", i+1))
			ranks = append(ranks, send(at, 1, 0, 7, 5))
		}
		test := fmt.Sprintf("MPI_Testall(count=%d, array_of_requests=[%s]) @ a.c:7 [f] ; flag=", len(sent),
			strings.Join(requests, ", "))
		fmt.Fprintf(&recv, "%d+%d poll %d %s0\n", first, length, tests, test)
		fmt.Fprintf(&recv, "%d+50 %s1 ; array_of_statuses=[%s]\n", first+tests*apart, test,
			strings.Join(statuses, ", "))
		ranks[0] = recv.String()
		want, last := 0, slices.Max(sent)
		for i := range tests {
			begin := first + i*apart
			want += max(0, min(begin+length, last)-begin)
		}
		count := uint64(min(want, 1))
		if r := of(t, job(ranks...), waits.Options{}); r.Total.Time != time.Duration(want) || r.Total.Count != count {
			t.Errorf("sent at %v: waits %+v, want %d ns", sent, r.Total, want)
		}
	}
}
