//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ranksScript starts ranks as torchrun does: ranks.sh N PROGRAM...
const ranksScript = `#!/bin/sh
n=$1; shift
for i in $(seq 0 $((n - 1))); do
	RANK=$i WORLD_SIZE=$n LOCAL_RANK=$i LOCAL_WORLD_SIZE=$n MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 "$@" &
	pids="$pids $!"
done
code=0
for p in $pids; do wait $p || code=$?; done
exit $code
`

// Ranks that never initialise MPI have the ranks that their launcher gave them, and one recording.
func TestWorldsWithoutMPI(t *testing.T) {
	t.Parallel()
	m := mpis[0]
	app, err := program(m, "noworld")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		command string
		want    string // as sizes lists them
		code    int
		says    []string
	}{
		"alone":           {"$tabard record $app", "noworld 1", 0, []string{"1 rank, 10 calls"}},
		"launcher inside": {"$tabard record -o x.tabard ./ranks.sh 4 $app", "x 4", 0, []string{"4 ranks, 40 calls"}},
		"launcher around": {"./ranks.sh 4 $tabard record $app", "noworld 4", 0, []string{"4 ranks, 40 calls"}},
		"shells between": {`$tabard record -o x.tabard ./ranks.sh 3 sh -c "$app; exit 0"`, "x 3", 0,
			[]string{"3 ranks, 30 calls"}},
		"one after the other": {`$tabard record -o x.tabard sh -c "./ranks.sh 2 $app; ./ranks.sh 3 $app"`,
			"x 2, x-2 3", 0,
			[]string{"2 ranks, 20 calls", "3 ranks, 30 calls"}},
		"a rank without calls": {"./ranks.sh 3 $tabard record $app 1=none", "noworld 3", 0,
			[]string{"3 ranks, 20 calls"}},
		"a rank that fails": {"./ranks.sh 3 $tabard record $app 1=exit3", "noworld 3", 3,
			[]string{"3 ranks, 30 calls"}},
		"a child": {"./ranks.sh 3 $tabard record $app 1=child", "noworld 4", 0, []string{" 40 calls"}},
		"torchrun in Slurm": {"SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 ./ranks.sh 3 " +
			"$tabard record $app", "noworld 3", 0, []string{"3 ranks, 30 calls"}},
		"a rank that is killed": {"./ranks.sh 3 $tabard record $app 2=kill", "", 137,
			[]string{"3 ranks, 30 calls", "1 rank did not terminate normally"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "ranks.sh"), ranksScript)
			if err := os.Chmod(filepath.Join(dir, "ranks.sh"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", "-c", c.command)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "app="+app[0], "tabard="+tabardBin)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if c.want != "" {
				if got := strings.Join(sizes(t, dir), ", "); got != c.want {
					t.Errorf("recorded %s, want %s", got, c.want)
				}
			}
			for _, want := range c.says {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("%q is missing in: %s", want, &stderr)
				}
			}
			if strings.Contains(stderr.String(), "INCOMPLETE") {
				t.Error(&stderr)
			}
		})
	}
}
