package findings

import (
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/files"
)

// TestFileFindings: what makes accesses slow is named, with the files that it is about, and good accesses are not.
func TestFileFindings(t *testing.T) {
	usage := &efficiency.Result{End: 10 * time.Second, Processes: make([]efficiency.Process, 4)}
	for i := range usage.Processes {
		usage.Processes[i] = efficiency.Process{Process: int32(i), End: 10 * time.Second}
	}
	r := &files.Result{Files: []*files.File{
		{Path: "/d/out.1", Ranks: []int{1}, Writes: files.Access{Calls: 500, Bytes: 5000, Time: time.Second,
			SmallCalls: 500, Consecutive: 499}},
		{Path: "/d/out.2", Ranks: []int{2}, Writes: files.Access{Calls: 500, Bytes: 5000, Time: time.Second,
			SmallCalls: 500, Consecutive: 499}},
		{Path: "/d/all", Ranks: []int{0, 1, 2, 3}, Opens: 1000, Meta: 3000, MetaTime: 5 * time.Second,
			Writes: files.Access{Calls: 1000, Bytes: 1 << 23, Time: time.Second, Forward: 990, Strided: 985,
				Unaligned: 900}},
		{Path: "/d/good", Ranks: []int{0}, Reads: files.Access{Calls: 100, Bytes: 1 << 30, Time: time.Second,
			Consecutive: 99}},
		{Path: "/d/any", Ranks: []int{0}, Reads: files.Access{Calls: 100, Bytes: 1 << 30, Time: time.Second,
			Forward: 50, Backward: 49}},
	}}
	r.Contention[0] = files.Contention{Calls: 200, Others: 2.5, Time: 2 * time.Second, Alone: time.Second}
	var all []string
	for _, f := range Of(Input{Usage: usage, Files: r}) {
		all = append(all, string(f.Kind)+": "+f.Text)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		"metadata: Metadata takes 50% of the time of all I/O (5s, 12.5% of all ranks' time): 3000 calls, 1000 of " +
			"them open one of 5 files",
		"small accesses: 1000 writes of out.* (2 files) are in small pieces (10 bytes in the mean) (2s, 5.0% of all " +
			"ranks' time): a buffer would join them",
		"strided accesses: 1000 writes of all are in pieces with equal gaps (strided), in blocks of 4096 bytes that " +
			"up to 4 ranks share (1s,",
		"contention: Contention: ranks that read files slow each other down: reads take 2.0 times as long as alone, " +
			"with 2.5 other accesses",
		"random accesses: 100 reads of any are in random order (1s",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if len(all) != 5 {
		t.Errorf("findings:\n%s", text)
	}
}
