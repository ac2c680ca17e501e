package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// TestHopeless: a few bytes can claim more calls than anyone waits for. Commands that need them one by one
// say so, and all others answer.
func TestHopeless(t *testing.T) {
	const n = 1 << 45
	path := filepath.Join(t.TempDir(), "long.tabard")
	b := archivetest.OfGrammar(t, 2, fmt.Sprintf("0 R1*%d 3 | 1 2", uint64(n)), 2*n+2,
		"MPI_Init(argc=-, argv=-; argc=-, argv=-)", "MPI_Barrier(comm=MPI_COMM_WORLD)",
		"MPI_Allreduce(sendbuf=-, recvbuf=-, count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)",
		"MPI_Finalize()")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for line, hours := range map[string]bool{"info": false, "profile": false, "loops": false, "dump --limit 3": false,
		"dump --last 3": false, "info --comms": false, "matrix": false,
		"export parquet --table marks --force -o -": false, "messages --rank 1": true,
		"dump --function MPI_Init --from 1 --limit 3": true} {
		code, _, errs := run(append(strings.Fields(line), path)...)
		if said := strings.Contains(errs, "more would take hours"); said != hours || code == exitOK == hours {
			t.Errorf("%s: %d %s", line, code, errs)
		}
	}
}
