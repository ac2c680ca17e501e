package collect

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

func cpus(list ...int) (s unix.CPUSet) {
	for _, c := range list {
		s.Set(c)
	}
	return s
}

// The collector goes where no rank is bound, unless ranks may run anywhere, or too few processors are left.
func TestRetreat(t *testing.T) {
	r := &retreat{all: cpus(0, 1, 2, 3)}
	for _, c := range []struct {
		name  string
		taken []unix.CPUSet
		ranks int
		want  unix.CPUSet
	}{
		{"nobody", nil, 0, r.all},
		{"two ranks on a core each", []unix.CPUSet{cpus(0), cpus(1)}, 2, cpus(2, 3)},
		{"one that is not bound", []unix.CPUSet{cpus(0), cpus(0, 1, 2, 3)}, 2, r.all},
		{"a full node", []unix.CPUSet{cpus(0, 1), cpus(2, 3)}, 4, r.all},
		{"a processor for 33 ranks", []unix.CPUSet{cpus(0, 1, 2)}, 33, r.all},
		{"a processor for 32 ranks", []unix.CPUSet{cpus(0, 1, 2)}, 32, cpus(3)},
	} {
		if got := r.choose(c.taken, c.ranks); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A process that is bound to the first processor has the collector leave it.
func TestKeepAway(t *testing.T) {
	r := newRetreat()
	if r == nil || r.all.Count() < 2 {
		t.Skip("this needs two processors")
	}
	all, first := r.all, unix.CPUSet{}
	for c := 0; first.Count() == 0; c++ {
		if all.IsSet(c) {
			first.Set(c)
		}
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if err := unix.SchedSetaffinity(cmd.Process.Pid, &first); err != nil {
		t.Fatal(err)
	}
	p := &process{}
	p.id.PID = cmd.Process.Pid
	defer moveThreads(&all)
	r.keepAway([]*process{p})
	var at unix.CPUSet
	if err := unix.SchedGetaffinity(0, &at); err != nil {
		t.Fatal(err)
	}
	if want := r.choose([]unix.CPUSet{first}, 1); at != want || at == all {
		t.Errorf("bound to %v, want %v of %v", at, want, all)
	}
	p.finished, r.looked = true, r.looked.Add(-lookAtCPUs)
	r.keepAway([]*process{p})
	if err := unix.SchedGetaffinity(0, &at); err != nil || at != all {
		t.Errorf("the process has ended, and the collector is bound to %v of %v (%v)", at, all, err)
	}
}
