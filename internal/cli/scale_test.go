package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// makeJob writes the recording of a synthetic program.
func makeJob(t *testing.T, name string, ranks int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".tabard")
	if err := os.WriteFile(path, jobBytes(t, name, synthetic.Params{Ranks: ranks, Steps: 12}), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestScale(t *testing.T) {
	small, large, none := makeJob(t, "hub", 8), makeJob(t, "hub", 40), makeJob(t, "amr", 4)
	out := filepath.Join(t.TempDir(), "out.tabard")
	for _, c := range []struct {
		args string
		code int
		out  []string
		err  string
	}{
		{"scale A --ranks 40 -o OUT", exitOK, []string{"40 ranks in "}, "assumed: "},
		{"diff OUT B", exitOK, []string{"the same in structure and parameters (40 ranks"}, ""},
		{"info OUT", exitOK, []string{"to 40 ranks, not recorded: inferred from a recording of 8 ranks"}, ""},
		{"scale A --with B --ranks 10 -o OUT --json", exitOK, []string{`"schema": "tabard.scale/1"`, `"ranks": 10`},
			""},
		{"scale A B --ranks 10 -o OUT --force", exitOK, []string{"10 ranks in "}, ""},
		{"scale A --program", exitOK, []string{"MPI_Comm_rank(3, r)", "(P - 1)"}, "assumed: "},
		{"scale C --ranks 10 -o OUT", exitFailure, nil,
			"MPI_Irecv at amr.c:18 [main], source (ranks 0-3): its values do not follow"},
		{"scale A --ranks 10", exitUsage, nil, "-o is missing"},
		{"scale A", exitUsage, nil, "--ranks is missing"},
		{"scale A --ranks 10 -o OUT --dims 2by5", exitUsage, nil, "sizes look like 8x4"},
		{"scale A --ranks 10 -o /nowhere/x.tabard", exitFailure, nil, "/nowhere/x.tabard"},
	} {
		args := strings.Fields(c.args)
		for i, x := range args {
			if path, ok := map[string]string{"A": small, "B": large, "C": none, "OUT": out}[x]; ok {
				args[i] = path
			}
		}
		code, stdout, stderr := run(args...)
		if code != c.code || !strings.Contains(stderr, c.err) || (c.err == "") != (stderr == "") {
			t.Errorf("%s: code %d, stderr %q\n%s", c.args, code, stderr, stdout)
		}
		for _, want := range c.out {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: no %q in\n%s", c.args, want, stdout)
			}
		}
		if strings.HasSuffix(c.args, "--json") && !json.Valid([]byte(stdout)) {
			t.Errorf("%s: no JSON: %s", c.args, stdout)
		}
	}
}
