//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// commsReport is what the tests use of `tabard info --comms --json`.
type commsReport struct {
	Comms []struct {
		Name          string   `json:"name"`
		Members       string   `json:"members"`
		RemoteMembers *string  `json:"remote_members"`
		Labels        []string `json:"labels"`
		Partial       string   `json:"partial"`
	} `json:"communicators"`
	Notes []struct {
		Kind, Text string
	} `json:"notes"`
}

// comms runs a traced program and gives its output and its communicators.
func comms(t *testing.T, m *mpirun.MPI, ranks int, name string, args ...string) (string, *commsReport) {
	t.Helper()
	p, err := program(m, name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "app.tabard")
	j := &mpirun.Job{MPI: m, Ranks: ranks, Dir: dir,
		Args: append(append([]string{tabardBin, "record", "-o", file}, p...), args...)}
	r, err := j.Start()
	if err != nil {
		t.Fatal(err)
	}
	if r.TimedOut || r.Code != 0 {
		t.Fatalf("exit code %d, timeout %v\n%s%s", r.Code, r.TimedOut, r.Stdout, r.Stderr)
	}
	return r.Stdout, commsOf(t, file)
}

// commsOf gives the communicators of a recording.
func commsOf(t *testing.T, file string) *commsReport {
	t.Helper()
	out, err := tabard("info", "--comms", "--json", file)
	if err != nil {
		t.Fatal(err)
	}
	report := new(commsReport)
	if err := json.Unmarshal(out, report); err != nil {
		t.Fatal(err)
	}
	return report
}

// expand writes a list of ranks as the test program prints it.
func expand(t *testing.T, list string) string {
	var out []string
	world := ""
	for _, part := range strings.Split(list, ",") {
		if w, rest, ok := strings.Cut(part, ":"); ok && strings.HasPrefix(w, "w") {
			if part, world = rest, w+":"; w == "w0" {
				world = ""
			}
		}
		var first, last, step int
		if n, _ := fmt.Sscanf(part, "%d-%d:%d", &first, &last, &step); n < 2 {
			if n, _ = fmt.Sscanf(part, "%d", &first); n != 1 {
				t.Fatalf("%q is no list of ranks", list)
			}
			last, step = first, 1
		} else if n == 2 {
			if step = 1; last < first {
				step = -1
			}
		}
		for v := first; step > 0 && v <= last || step < 0 && v >= last; v += step {
			out = append(out, fmt.Sprint(world, v))
		}
	}
	return strings.Join(out, " ")
}

// compareMembers compares the lines "member LABEL: RANKS" that a program
// printed with the communicators that have these names.
func compareMembers(t *testing.T, stdout string, report *commsReport) int {
	t.Helper()
	computed := map[string]string{}
	for _, c := range report.Comms {
		text := expand(t, c.Members)
		if c.RemoteMembers != nil {
			text += " | " + expand(t, *c.RemoteMembers)
		}
		for _, l := range c.Labels {
			if computed[l] != "" {
				t.Errorf("%s is the name of two communicators", l)
			}
			computed[l] = text
		}
		if c.Partial != "" {
			t.Errorf("%s: %s", c.Name, c.Partial)
		}
	}
	for _, n := range report.Notes {
		t.Errorf("%s: %s", n.Kind, n.Text)
	}
	compared := 0
	for _, line := range strings.Split(stdout, "\n") {
		label, truth, ok := strings.Cut(strings.TrimPrefix(line, "member "), ": ")
		if !ok || !strings.HasPrefix(line, "member ") {
			continue
		}
		compared++
		got := computed[label]
		if a, b, inter := strings.Cut(got, " | "); inter && b+" | "+a == truth {
			got = truth // which group is the first one is nobody's to say
		}
		if got != truth {
			t.Errorf("%s has members %s, computed were %q", label, truth, got)
		}
		delete(computed, label)
	}
	for label := range computed {
		t.Errorf("%s was computed, but the program did not print it", label)
	}
	return compared
}

// What is worked out from the calls is what the library says.
func TestMembership(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		for _, ranks := range []int{4, 6, 7} {
			t.Run(fmt.Sprintf("%s/%d", m.Name, ranks), func(t *testing.T) {
				t.Parallel()
				stdout, report := comms(t, m, ranks, "membership")
				if n := compareMembers(t, stdout, report); n < 50 {
					t.Errorf("only %d communicators were compared", n)
				}
			})
		}
	}
}

// Two worlds in one archive. Debian's MPICH cannot spawn.
func TestMembershipSpawn(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		if m.Name != "openmpi" {
			continue
		}
		stdout, report := comms(t, m, 3, "membership", "spawn")
		if n := compareMembers(t, stdout, report); n != 2 {
			t.Errorf("%d communicators were compared, want 2", n)
		}
	}
}

// Programs whose communicators are made in other ways: nothing contradicts.
func TestMembershipOfPrograms(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		for _, name := range []string{"comms", "groups", "topo", "intercomm", "sessions", "neighbor", "rma"} {
			if name == "sessions" && m.Name == "openmpi" {
				continue // Open MPI 4 has no sessions
			}
			t.Run(m.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				for _, n := range commsOf(t, record(t, m, 4, nil, name).File()).Notes {
					t.Errorf("%s: %s", n.Kind, n.Text)
				}
			})
		}
	}
}
