package collect

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// lonely is a job of one process that plays to be alive, and its collector, which has looked once.
func lonely(t *testing.T) (out, dir string, p *program, c *collector) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "a.tabard")
	dir = state(t, out, nil)
	p = newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	c = testCollector(t, dir)
	c.scan()
	revive(c)
	return out, dir, p, c
}

// write plays a program from beginning to end; it returns how many calls that is.
func (p *program) whole() int {
	recs := append(p.prologue(0, 1), p.work(rng(1), 30)...)
	for _, r := range append(recs, p.epilogue()...) {
		p.threads[0].try(r)
	}
	return 30
}

// wantCalls ends the job and says how many calls its archive must have.
func wantCalls(t *testing.T, c *collector, out string, want int) {
	t.Helper()
	for _, p := range c.order {
		p.watch.dead = true
	}
	c.round()
	c.began = time.Now().Add(-time.Hour)
	if ended, err := c.end(); !ended || err != nil {
		t.Fatal(ended, err)
	}
	if got := len(text(t, out)); got != want {
		t.Errorf("%d calls, want %d", got, want)
	}
}

// The times of a directory come from a clock of the kernel that may stand still for hundreds of
// milliseconds: a segment may appear without a change of them, and be the last one.
func TestDirectoryTimeStandsStill(t *testing.T) {
	out, dir, p, c := lonely(t)
	past := time.Now().Add(-time.Second)
	stop := func() {
		if err := os.Chtimes(dir, past, past); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	c.round()
	n := p.whole()
	stop()
	c.round()
	stop()
	if len(c.order[0].live()) == 0 {
		t.Error("a segment is not seen while its process lives")
	}
	wantCalls(t, c, out, n)
}

// A program that is killed between making a segment and saying so has not lost it.
func TestSegmentThatNobodyAnnounced(t *testing.T) {
	out, dir, p, c := lonely(t)
	c.round()
	n := p.whole()
	c.seen = c.control.Files()
	st, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(dir, st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	wantCalls(t, c, out, n)
}

// On a machine with much to do a process may take seconds between making its first segment and
// setting it up.
func TestSegmentSetUpLate(t *testing.T) {
	out, dir, p, c := lonely(t)
	aside := t.TempDir()
	p.dir = aside
	n := p.whole()
	name := ring.SegmentName(p.id, 0, 0)
	for _, size := range []int64{0, ring.HeaderBytes} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		hour := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, hour, hour); err != nil {
			t.Fatal(err)
		}
		c.round()
		c.round()
	}
	if err := os.Rename(filepath.Join(aside, name), filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	wantCalls(t, c, out, n)
}

// A collector that has run out of descriptors takes nobody for dead.
func TestWatchWithoutDescriptors(t *testing.T) {
	st, err := ReadProcStat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	var fds []int
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	for {
		fd, err := unix.Dup(0)
		if err != nil {
			break
		}
		fds = append(fds, fd)
	}
	w := newWatch(ring.ProcessID{PID: os.Getpid(), Start: st.Start})
	alive := w.alive()
	for _, fd := range fds {
		unix.Close(fd)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: old.Cur, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	if !alive {
		t.Error("a live process is taken for dead")
	}
	if !w.alive() {
		t.Error("and then, too")
	}
	w.id.Start++
	w.next = time.Time{}
	if w.alive() {
		t.Error("with descriptors, another process is taken for this one")
	}
}

// Of a rank without calls the archive says why, and so does the summary.
func TestUnrecordedRanks(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 4)
	register(t, dir, ring.ProcessID{PID: deadPID + 2}, 1, 4) // its segments could not be made
	if err := Register(dir, &Registration{ProcessID: ring.ProcessID{PID: deadPID + 3}, Rank: 2, Size: 4,
		Reason: "is statically linked"}); err != nil {
		t.Fatal(err)
	}
	for _, r := range append(p.prologue(0, 4), p.work(rng(1), 30)...) {
		p.threads[0].try(r)
	}
	c := testCollector(t, dir)
	c.control.SetInitialized(2)
	finishAll(t, c)
	for _, want := range []string{"\ntabard: INCOMPLETE: ",
		"rank 1 was not recorded (it was in MPI_Init, but its records could not be stored",
		"rank 2 was not recorded (the program is statically linked)", "rank 3 was not recorded (no process"} {
		if !strings.Contains(c.lines(), want) {
			t.Errorf("%q is not in %s", want, c.lines())
		}
	}
	a, err := archive.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got := len(a.Gaps()); got != 3 || archive.Incomplete(a.Gaps()) != c.report.Incomplete {
		t.Errorf("%d gaps, %s; said %s", got, archive.Incomplete(a.Gaps()), c.report.Incomplete)
	}
}

// As long as the launcher lives, ranks that are late are waited for.
func TestLateRanks(t *testing.T) {
	self, err := ReadProcStat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, launcher := range []ring.ProcessID{{PID: os.Getpid(), Start: self.Start},
		{PID: os.Getpid(), Start: self.Start + 1}, {}} {
		dir := state(t, filepath.Join(t.TempDir(), "a.tabard"), func(j *Job) { j.LocalRanks, j.Launcher = 2, launcher })
		register(t, dir, ring.ProcessID{PID: deadPID + 1}, 0, 2)
		c := testCollector(t, dir)
		c.began = time.Now().Add(-time.Hour)
		c.look()
		c.round()
		if waits := launcher.Start == self.Start; c.over() == waits {
			t.Errorf("launcher %+v: over %v", launcher, !waits)
		}
		register(t, dir, ring.ProcessID{PID: deadPID + 2}, 1, 2)
		c.look()
		c.round()
		if !c.over() {
			t.Errorf("launcher %+v: goes on though all ranks have ended", launcher)
		}
	}
}

// There was no room for any record of any rank: that is not a program without MPI calls.
func TestNothingRecorded(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	register(t, dir, ring.ProcessID{PID: deadPID + 1}, 0, 2)
	register(t, dir, ring.ProcessID{PID: deadPID + 2}, 1, 2)
	c := testCollector(t, dir)
	c.control.SetInitialized(2)
	finishAll(t, c)
	if strings.Contains(c.lines(), "made no MPI call") {
		t.Error(c.lines())
	}
	if want := "INCOMPLETE: ranks 0-1 were not recorded (it was in MPI_Init, but "; !strings.Contains(c.lines(), want) {
		t.Errorf("%q is not in %s", want, c.lines())
	}
}

// A chain that is before another segment each time somebody looks is not stuck: nobody has looked for that one yet. One
// that has been before the same segment for long is looked for once more before it is given up.
func TestGrowingChainIsNotStuck(t *testing.T) {
	want := reference(t, 3, 300)
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	p.ring, p.capacity = 1<<20, 2048
	register(t, dir, p.id, 0, 1)
	recs := append(p.prologue(0, 1), p.work(rng(3), 300)...)
	for _, r := range append(recs, p.epilogue()...) {
		p.threads[0].try(r)
	}
	c := testCollector(t, dir)
	c.scan()
	chain := c.order[0].chain(0)
	for _, age := range []gap{{seq: 7, since: time.Now().Add(-time.Hour)}, {since: time.Now().Add(-time.Hour)}} {
		delete(chain.files, p.threads[0].segs[0].Path) // nobody has looked for it yet
		c.stuck[chain] = age
		c.checkStuck()
		if n := c.order[0].missing; n != 0 || chain.seq != 0 {
			t.Fatalf("%v: %d segments were given up", age, n)
		}
	}
	if !chain.find() {
		t.Error("the segment was not looked for")
	}
	finishAll(t, c)
	equal(t, text(t, out), want)
}
