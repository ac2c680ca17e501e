//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// replayed are the programs whose replay is recorded and compared with the original. Those of
// TestDiffSame do the same in every run; what the others do depends on time.
var replayed = []struct {
	ranks   int
	program string
	// only is the one MPI that can run the program; same that a recording of one MPI cannot be
	// wholly replayed by the other: it lacks functions, or has other addresses.
	only string
	same bool
	// differs says why the replay is not equal, by what the first difference contains. All
	// differences must contain it. by is the only MPI whose replay is not.
	differs, by string
}{
	{ranks: 4, program: "attrs"}, {ranks: 4, program: "buffers"}, {ranks: 4, program: "callsites"},
	{ranks: 4, program: "collectives"}, {ranks: 4, program: "comms"}, {ranks: 2, program: "distances"},
	{ranks: 4, program: "env"},
	{ranks: 4, program: "groups"}, {ranks: 4, program: "halo1d"}, {ranks: 4, program: "halo2d"},
	{ranks: 4, program: "halo3d"}, {ranks: 2, program: "handles"}, {ranks: 4, program: "icollectives"},
	{ranks: 4, program: "info", same: true}, {ranks: 4, program: "intercomm"}, {ranks: 4, program: "io"},
	{ranks: 4, program: "loops"}, {ranks: 4, program: "membership"}, {ranks: 2, program: "modes"},
	{ranks: 4, program: "neighbor", same: true}, {ranks: 4, program: "ops"}, {ranks: 2, program: "persistent"},
	{ranks: 2, program: "pingpong"}, {ranks: 2, program: "polling"}, {ranks: 4, program: "rma"},
	// Open MPI finds no memory at addresses of other processes but what the program attached.
	{ranks: 4, program: "rmashared", differs: "MPI_Get", by: "openmpi"},
	{ranks: 4, program: "topo"}, {ranks: 4, program: "typeloop", same: true}, {ranks: 4, program: "types"},
	{ranks: 4, program: "masterworker"}, {ranks: 4, program: "ignored"}, {ranks: 4, program: "probe"},
	{ranks: 2, program: "threads"}, {ranks: 3, program: "shortthreads"}, {ranks: 2, program: "grequest"},
	{ranks: 4, program: "python", only: "openmpi"},
	{ranks: 4, program: "fortran77"}, {ranks: 4, program: "fortran90"}, {ranks: 4, program: "fortran08"},
	{ranks: 2, program: "errors", same: true}, {ranks: 2, program: "large", only: "mpich"},
	{ranks: 4, program: "cxx"}, {ranks: 4, program: "mpit", same: true}, {ranks: 3, program: "files"},
	{ranks: 2, program: "keyvals"}, {ranks: 2, program: "partitioned", only: "mpich"},
	{ranks: 4, program: "pcollectives", only: "mpich"}, {ranks: 4, program: "sessions", only: "mpich"},
}

// A replay that is recorded is the recording, whichever MPI replays it.
func TestReplaySame(t *testing.T) {
	t.Parallel()
	for _, p := range replayed {
		for _, m := range mpis {
			if p.only != "" && p.only != m.Name {
				continue
			}
			t.Run(m.Name+"/"+p.program, func(t *testing.T) {
				t.Parallel()
				a := record(t, m, p.ranks, nil, p.program)
				for _, by := range mpis {
					if by != m && (p.same || p.only != "") {
						continue
					}
					b, _ := recordReplay(t, by, p.ranks, a)
					differs := p.differs
					if by.Name != p.by {
						differs = ""
					}
					sameReplay(t, "by "+by.Name, a, b, differs)
				}
			})
		}
	}
}

// recordReplay records the replay of an archive.
func recordReplay(t *testing.T, m *mpirun.MPI, ranks int, a *archive.Archive,
	flags ...string) (*archive.Archive, string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "again.tabard")
	args := append([]string{tabardBin, "record", "--quiet", "-o", file, tabardBin, "replay", a.File(),
		"--patience=60s"}, flags...)
	r, err := (&mpirun.Job{MPI: m, Ranks: ranks, Dir: dir, Args: args}).Start()
	if err != nil {
		t.Fatal(err)
	}
	if r.TimedOut || r.Code != 0 {
		t.Fatalf("%s: exit code %d, timeout %v\n%s%s", m.Name, r.Code, r.TimedOut, r.Stdout, r.Stderr)
	}
	if _, err := readInfo(file); err != nil { // it waits until the archive is complete
		t.Fatal(err)
	}
	b, err := archive.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b, string(r.Stderr)
}

// sameReplay compares a recording with that of its replay. Differences that contain differs are
// expected, if it is not empty.
func sameReplay(t *testing.T, what string, a, b *archive.Archive, differs string) {
	t.Helper()
	r, err := diff.Of(a, b, diff.Options{Structure: true, Parameters: true, Rerun: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Calls == 0 || len(r.Notes) > 0 {
		t.Errorf("%s: %d calls, %q", what, r.Calls, r.Notes)
	}
	expected := 0
	for _, d := range r.Differences {
		about := d.Call.Func
		for _, c := range d.Calls {
			about += " " + c.Func
		}
		if differs != "" && strings.Contains(about, differs) {
			expected++
			continue
		}
		t.Errorf("%s: %v at ranks %v: %+v %v: %s: %q, %q, %d of %d", what, d.Kind, d.Ranks, d.Calls, d.Call, d.Param,
			d.A, d.B, d.Count, d.Of)
	}
	if differs != "" && expected == 0 {
		t.Errorf("%s: nothing differs about %s any more: say so in the list", what, differs)
	}
}

// A replay with another number of ranks makes the calls of a job of that size.
func TestReplayRanks(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		small, large := record(t, m, 4, nil, "halo1d"), record(t, m, 6, nil, "halo1d")
		b, _ := recordReplay(t, m, 6, small, "--ranks=6")
		sameReplay(t, m.Name, large, b, "")
	}
}

// Order is left free, and computation takes its time.
func TestReplayModes(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		for _, program := range []string{"masterworker", "ignored", "polling", "probe", "persistent"} {
			t.Run(m.Name+"/free/"+program, func(t *testing.T) {
				t.Parallel()
				a := record(t, m, 2, nil, program)
				replay(t, m, 2, 0, a.File(), "--order=free")
			})
		}
		t.Run(m.Name+"/times", func(t *testing.T) {
			a := record(t, m, 2, nil, "pingpong") // 200 times 5 ms of sleep
			// On a busy machine computation takes as long as that lets it: once out of five times
			// is enough.
			for n := 1; ; n++ {
				wrong := replayedTimes(t, m, a)
				if wrong == "" {
					return
				}
				if t.Log(wrong); n == 5 {
					t.Fail()
					return
				}
			}
		})
	}
}

// replayedTimes says how the time between the calls is not what each mode promises.
func replayedTimes(t *testing.T, m *mpirun.MPI, a *archive.Archive) (wrong string) {
	t.Helper()
	was, before := computing(t, a), time.Duration(math.MaxInt64)
	for _, x := range []struct {
		mode     string
		from, to float64 // of the original time
	}{{"recorded", 0.9, 3}, {"scale:0.5", 0.4, 2}, {"asap", 0, 0.4}} {
		b, _ := recordReplay(t, m, 2, a, "--timing="+x.mode)
		now := computing(t, b)
		if float64(now) < x.from*float64(was) || float64(now) > x.to*float64(was) || now > before {
			wrong += fmt.Sprintf("%s: %v instead of %v\n", x.mode, now, was)
		}
		before = now
	}
	return wrong
}

// computing is the time between the calls of rank 0. That in calls depends on what else the machine
// does.
func computing(t *testing.T, a *archive.Archive) (sum time.Duration) {
	t.Helper()
	var last time.Duration
	for c, err := range a.Stream(0).Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		if last > 0 {
			sum += c.Start - last
		}
		last = c.End
	}
	return sum
}

// replay replays an archive without recording and returns what was printed to standard error.
func replay(t *testing.T, m *mpirun.MPI, ranks, code int, file string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	r, err := (&mpirun.Job{MPI: m, Ranks: ranks, Dir: dir,
		Args: append([]string{tabardBin, "replay", file, "--patience=60s"}, flags...)}).Start()
	if err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("files of the replay: %v (%v)", files, err)
	}
	if r.TimedOut || (r.Code == 0) != (code == 0) {
		t.Errorf("%s %v: exit code %d, timeout %v\n%s%s", m.Name, flags, r.Code, r.TimedOut, r.Stdout, r.Stderr)
	}
	if code == 0 && len(r.Stdout) > 0 {
		t.Errorf("%s %v printed %s", m.Name, flags, r.Stdout)
	}
	return string(r.Stderr)
}

// What is wrong with the command line is said once, with what to do.
func TestReplayErrors(t *testing.T) {
	t.Parallel()
	m := mpis[0]
	a := record(t, m, 2, []string{"--timing=off"}, "pingpong")
	partial := record(t, m, 2, []string{"--ranks=0"}, "pingpong")
	for _, c := range []struct {
		ranks int
		file  string
		flags []string
		want  string
	}{
		{3, a.File(), nil, "is of 2 ranks, but 3 were started: mpirun -n 2 tabard replay"},
		{2, a.File(), []string{"--timing=recorded"}, "replay with --timing=asap"},
		{2, partial.File(), nil, "holds 1 of 2 ranks"},
		{2, a.File(), []string{"--library=/bin/sh"}, "/bin/sh is no MPI library"},
	} {
		if got := replay(t, m, c.ranks, 2, c.file, c.flags...); strings.Count(got, c.want) != 1 {
			t.Errorf("%v: not once %q in\n%s", c.flags, c.want, got)
		}
	}
	var out bytes.Buffer
	j := &mpirun.Job{MPI: m, Ranks: 1, Dir: t.TempDir()}
	cmd := j.Command()
	t.Cleanup(j.Close)
	cmd.Path, cmd.Args = tabardBin, []string{tabardBin, "replay", a.File()}
	cmd.Stderr = &out
	if err := cmd.Run(); err == nil || !strings.Contains(out.String(), "mpirun -n 2 tabard replay "+a.File()) {
		t.Errorf("without mpirun: %v\n%s", err, out.String())
	}
}

// Files go to the scratch directory, which disappears unless it was named.
func TestReplayFiles(t *testing.T) {
	m := mpis[0]
	a := record(t, m, 2, nil, "io")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	replay(t, m, 2, 0, a.File())
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		left, _ := filepath.Glob(filepath.Join(tmp, "tabard-replay-*"))
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("left: %v", left)
		}
	}
	scratch := filepath.Join(tmp, "mine")
	replay(t, m, 2, 0, a.File(), "--scratch="+scratch)
	if _, err := os.Stat(scratch); err != nil { // the program deletes its files
		t.Error(err)
	}
}
