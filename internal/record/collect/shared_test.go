package collect

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// node is one of two collectors of a job of two ranks, up to MPI_Finalize.
type node struct {
	c    *collector
	p    *program
	rest []ring.Record // what the process does after MPI_Finalize
}

func newNode(t *testing.T, out string, rank int, name string) *node {
	t.Helper()
	dir := state(t, out, func(j *Job) { j.Shared, j.Node, j.Run, j.LocalRanks = true, name, "run", 1 })
	n := &node{p: newProgram(t, dir, deadPID+1+rank, 1)}
	register(t, dir, n.p.id, rank, 2)
	recs := append(n.p.prologue(rank, 2), n.p.work(rng(9), 500)...)
	end := n.p.epilogue()
	i := slices.IndexFunc(end, func(r ring.Record) bool { return r.ID() == ring.REnd })
	if i < 0 {
		t.Fatal("the program has no end")
	}
	n.rest = end[i:]
	n.c = testCollector(t, dir)
	drive(t, &n.c, n.p.threads[0], append(recs, end[:i]...), nil)
	return n
}

func (n *node) ask(t *testing.T, request uint32, received int, want uint32) {
	t.Helper()
	n.c.retry = true
	n.c.scan()
	revive(n.c)
	n.c.control.RequestMerge(request, received)
	n.c.answerLeader()
	if got := n.c.control.MergeAnswer(); got != want {
		t.Fatalf("request %d: answer %d, want %d", request, got, want)
	}
}

func (n *node) end(t *testing.T, orderly bool) {
	t.Helper()
	if orderly {
		drive(t, &n.c, n.p.threads[0], n.rest, nil)
	}
	finishAll(t, n.c)
}

func ends(t *testing.T, a *archive.Archive) (ends []string) {
	t.Helper()
	for _, r := range a.Ranks() {
		ends = append(ends, r.End)
	}
	return ends
}

// TestLeaderRequests plays the leaders of two nodes: one collector's archive goes to the other,
// which writes the whole. If the first knows better in the end, it says so in a part.
func TestLeaderRequests(t *testing.T) {
	for _, orderly := range []bool{true, false} {
		dir := t.TempDir()
		out := filepath.Join(dir, "a.tabard")
		root, leaf := newNode(t, out, 0, "n0"), newNode(t, out, 1, "n1")
		leaf.ask(t, ring.MergeUnite, 0, ring.MergeUnite)
		b, err := os.ReadFile(filepath.Join(leaf.c.dir.Path(), unitedFile))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root.c.dir.Path(), "node.0.tabard"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		root.ask(t, ring.MergeKeep, 1, ring.MergeKeep)
		a, err := archive.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		if got := ends(t, a); !slices.Equal(got, []string{merge.Provisional, merge.Provisional}) ||
			!a.Rank(1).Complete {
			t.Errorf("ends %q, rank 1 %+v", got, a.Rank(1))
		}
		a.Close()
		leaf.ask(t, ring.MergeTaken, 0, ring.MergeTaken)
		leaf.end(t, orderly)
		root.end(t, true)
		if part := exists(partPath(out, "n1")); part == orderly {
			t.Errorf("orderly end %v: part is there: %v", orderly, part)
		}
		if a, err = OpenOutput(out, "", nil); err != nil {
			t.Fatal(err)
		}
		want := []string{"exited", merge.Provisional}
		if !orderly {
			want[1] = "ended abruptly"
		}
		if got := ends(t, a); !slices.Equal(got, want) || a.Rank(1).Complete != orderly {
			t.Errorf("orderly end %v: ends %q, want %q", orderly, got, want)
		}
		if a.Stream(0).Calls() != a.Stream(1).Calls() {
			t.Errorf("%d and %d calls", a.Stream(0).Calls(), a.Stream(1).Calls())
		}
		a.Close()
		if exists(partPath(out, "n1")) || exists(root.c.dir.Path()) || exists(leaf.c.dir.Path()) {
			t.Error("something was left over")
		}
	}
}

// TestLeaderFails: a received file that is broken fails the request; both archives stay where they
// are.
func TestLeaderFails(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	root := newNode(t, out, 0, "n0")
	if err := os.WriteFile(filepath.Join(root.c.dir.Path(), "node.0.tabard"), []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	root.ask(t, ring.MergeKeep, 1, ring.MergeFailed)
	root.end(t, true)
	a, err := archive.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got := ends(t, a); !slices.Equal(got, []string{"exited"}) {
		t.Errorf("ends %q", got)
	}
}
