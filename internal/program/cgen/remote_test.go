package cgen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// Addresses in other processes are replaced by places in a block: a constant one, one that differs
// by rank, and some in a column beside a displacement.
func TestRemote(t *testing.T) {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	for rank := range 2 {
		fmt.Fprintf(&b, "rank %d of 2 on node\nMPI_Init()\nMPI_Win_create_dynamic(info=MPI_INFO_NULL, "+
			"comm=MPI_COMM_WORLD) ; win=win#0\n", rank)
		access := func(disp string, line int) {
			fmt.Fprintf(&b, "MPI_Fetch_and_op(origin_addr=stack#0, result_addr=stack#0+8, datatype=MPI_LONG, "+
				"target_rank=0, target_disp=%s, op=MPI_SUM, win=win#0) @ a.c:%d [main]\n", disp, line)
		}
		access(fmt.Sprint(0x7ffc12345678), 1)
		access(fmt.Sprint(0x7ffc12345678+8*rank), 2)
		for _, n := range []int{0x7ffc12345678, 24, 0x7ffc12345680} {
			access(fmt.Sprintf("?%d", n), 3)
		}
		access("16", 4)
		b.WriteString("MPI_Win_free(win=win#0)\nMPI_Finalize()\n")
	}
	text, r := generate(t, archivetest.Archive(t, b.String()), Options{})
	checkSyntax(t, "remote", text)
	const at = remoteBlock + remoteFirst + 0x45678
	for _, want := range []string{
		fmt.Sprintf("ACCESS(MPI_Fetch_and_op(stack0, stack0 + 8, MPI_LONG, 0, REMOTE + %d, MPI_SUM, win[0]));",
			remoteFirst+0x45678),
		fmt.Sprintf("MPI_LONG, 0, 8 * rank + %dL, MPI_SUM", at), "MPI_LONG, 0, next(&target_disp), MPI_SUM",
		fmt.Sprintf("-3, %dL, 24, %dL, 0", at, at+8),
		"    MPI_Fetch_and_op(stack0, stack0 + 8, MPI_LONG, 0, 16, MPI_SUM, win[0]);", "    make_remote();",
		"#ifdef OPEN_MPI", "#include <sys/mman.h>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if len(r.Notes) != 1 || len(r.Skipped) != 0 {
		t.Errorf("%q %v", r.Notes, r.Skipped)
	}
}
