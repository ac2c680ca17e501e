package collect

import (
	"os/exec"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/ring"
)

func TestWatch(t *testing.T) {
	for script, want := range map[string]string{
		"exit 3":        "exited with status 3",
		"exit 0":        "exited with status 0",
		"kill -SEGV $$": "killed by signal 11 SIGSEGV",
		"sleep 0.05":    "exited with status 0",
		"kill -KILL $$": "killed by signal 9 SIGKILL",
	} {
		cmd := exec.Command("/bin/sh", "-c", "read x; "+script)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		st, err := ReadProcStat(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		w := newWatch(ring.ProcessID{PID: cmd.Process.Pid, Start: st.Start})
		if !w.alive() {
			t.Fatal("dead too early")
		}
		other := newWatch(ring.ProcessID{PID: cmd.Process.Pid, Start: st.Start + 1})
		if other.alive() {
			t.Error("a process with another start time is taken for this one")
		}
		in.Close()
		done := make(chan struct{})
		go func() { cmd.Wait(); close(done) }()
		for w.alive() {
			time.Sleep(time.Millisecond)
		}
		<-done
		// Kernels before 6.15 tell nothing of a process that was waited for.
		if got := w.exitStatus(); got != want && got != "" {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}
