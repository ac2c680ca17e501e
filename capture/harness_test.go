package capture_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/capture"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/testkit/private"
	"github.com/tabard-hpc/tabard/spec"
)

// built holds what TestMain prepares: the embedded runtime, and for each flavour of the
// fake MPI the scenarios program.
var built struct {
	dir     string
	runtime string
	// sanitizer is the library of a sanitizer and a blank: it wants to be the first.
	sanitizer string
}

var flavours = []string{"openmpi", "mpich"}

// sanitizer is what the runtime and the programs are built with: address, undefined or thread, or
// nothing (make sanitized).
var sanitizer = os.Getenv("TABARD_TEST_SANITIZE")

var (
	quiet = ring.Config{}
	small = ring.Config{SegmentBytes: 64 << 10} // segments
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tabard-capture-")
	if err == nil {
		err = build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "capture: building what the tests run:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func build(dir string) error {
	built.dir, built.runtime = dir, filepath.Join(dir, "libtabard.so")
	if sanitizer != "" {
		err := command("./build.sh", built.runtime, "-g", "-O1", "-fsanitize="+sanitizer, "-fno-sanitize-recover=all")
		if err != nil {
			return err
		}
		name := map[string]string{"address": "libasan.so", "thread": "libtsan.so",
			"undefined": "libubsan.so"}[sanitizer]
		path, err := exec.Command("gcc", "-print-file-name="+name).Output()
		if err != nil {
			return err
		}
		built.sanitizer = strings.TrimSpace(string(path)) + " "
		// What programs leave allocated is not the question, and SIGBUS is theirs and the runtime's.
		for _, of := range []string{"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"} {
			options := "handle_sigbus=0"
			if of == "ASAN_OPTIONS" {
				options += ":detect_leaks=0"
			}
			os.Setenv(of, options)
		}
	} else if err := os.WriteFile(built.runtime, capture.Runtime(), 0o755); err != nil {
		return err
	}
	failed := make([]error, len(flavours))
	var all sync.WaitGroup
	for i, f := range flavours {
		all.Go(func() { failed[i] = buildFlavour(filepath.Join(dir, f), f) })
	}
	all.Wait()
	return errors.Join(failed...)
}

// buildFlavour compiles the fake MPI of a flavour into home, and the programs against it.
func buildFlavour(home, flavour string) error {
	if err := os.Mkdir(home, 0o755); err != nil {
		return err
	}
	lib := filepath.Join(home, "libmpi.so.40")
	flags := []string{"-O1", "-Wall", "-Wextra", "-Werror", "-Itestdata/fakempi", "-fexceptions", "-pthread"}
	if flavour == "mpich" {
		flags = append(flags, "-DFAKEMPI_MPICH")
	}
	if sanitizer != "" {
		flags = append(flags, "-g", "-fsanitize="+sanitizer, "-fno-sanitize-recover=all")
	}
	compile := func(compiler, source string, args ...string) error {
		return command(compiler, slices.Concat(flags, []string{"testdata/" + source}, args)...)
	}
	if err := compile("gcc", "fakempi/fakempi.c", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40",
		"-o", lib); err != nil {
		return err
	}
	link := []string{lib, "-Wl,-rpath," + home, "-o"}
	return errors.Join(
		compile("gcc", "programs/scenarios.c", append(link, filepath.Join(home, "scenarios"))...),
		compile("g++", "programs/exception.cc", append(link, filepath.Join(home, "exception"))...),
	)
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// payloads are the events that are not recorded unless asked for, and that stand between calls.
var payloads = func() (off uint32) {
	for _, name := range []string{"payload", "samples"} {
		k, _ := spec.EventsNamed(name)
		off |= 1 << k
	}
	return off
}()

// run is one traced execution of a program.
type run struct {
	t       *testing.T
	flavour string
	program string      // "scenarios" by default
	runtime string      // built.runtime by default
	config  ring.Config // call sites are off unless set
	spill   string      // second place for segments
	env     []string
	limitFS int // RLIMIT_FSIZE in KiB, 0 none
	dead    bool
	summary string                            // there is one already
	said    bool                              // somebody printed it
	arrived time.Duration                     // another rank came to MPI_Finalize, after now; 0: none
	during  func(dir string, c *ring.Control) // runs beside the program

	dir            string // state directory, a new one by default
	code           int    // exit code, -1 if killed by a signal
	stdout, stderr string
	threads        [][]ring.Record // by thread number
	pending        map[int]ring.Record
	segments       map[int]int // files by thread
}

// start runs a scenario to its end and reads what it recorded.
func (r *run) start(args ...string) *run {
	r.t.Helper()
	c := r.prepare()
	defer c.Close()
	r.execute(c, args)
	r.read(r.dir, r.spill)
	files := 0
	for _, n := range r.segments {
		files += n
	}
	// Without it the collector would find a segment only when its process is dead.
	if _, err := os.Stat(r.dir); err == nil && int(c.Files()) != files {
		r.t.Errorf("%d segments, %d announced", files, c.Files())
	}
	return r
}

// prepare makes the control page.
func (r *run) prepare() *ring.Control {
	r.t.Helper()
	if r.dir == "" {
		r.dir = r.t.TempDir()
	}
	if r.config.SummaryWait == 0 && r.during == nil { // there is no collector to wait for
		r.config.SummaryWait = time.Millisecond
	}
	r.config.EventsOff |= payloads
	state := private.Open(r.t, r.dir)
	if err := ring.CreateControl(state, r.config); err != nil {
		r.t.Fatal(err)
	}
	c, err := ring.OpenControl(state)
	if err != nil {
		r.t.Fatal(err)
	}
	if r.dead {
		c.SetCollector(ring.CollectorDone)
	}
	if r.arrived != 0 {
		c.SetArrived(ring.MonotonicNS() + uint64(r.arrived))
	}
	if r.summary != "" {
		c.SetSummary(r.summary)
		if r.said {
			c.Say()
		}
	}
	return c
}

func (r *run) execute(c *ring.Control, args []string) {
	r.t.Helper()
	if r.program == "" {
		r.program = "scenarios"
	}
	if r.runtime == "" {
		r.runtime = built.runtime
	}
	path := filepath.Join(built.dir, r.flavour, r.program)
	limit := "unlimited"
	if r.limitFS > 0 {
		limit = strconv.Itoa(r.limitFS)
	}
	// The shell sets the limit and becomes the program, which alone is preloaded.
	script := `ulimit -f ` + limit + `; LD_PRELOAD="$SANITIZER$RUNTIME"; export LD_PRELOAD; exec "$@"`
	cmd := exec.Command("bash", append([]string{"-c", script, "bash", path}, args...)...)
	cmd.Env = append(os.Environ(), "TABARD_DIR="+r.dir, "TABARD_SPILL="+r.spill, "RUNTIME="+r.runtime,
		"SANITIZER="+built.sanitizer)
	cmd.Env = append(cmd.Env, r.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if r.during != nil {
			r.during(r.dir, c)
		}
	}()
	watchdog := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if !watchdog.Stop() {
		r.t.Fatalf("%v hung; stderr %q", args, stderr.String())
	}
	<-done
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	r.code = cmd.ProcessState.ExitCode() // -1 if killed by a signal
	r.stdout, r.stderr = stdout.String(), stderr.String()
}

// read takes the segments of the run apart.
func (r *run) read(dirs ...string) {
	r.t.Helper()
	chains := map[int][]*ring.Segment{}
	r.pending, r.segments = map[int]ring.Record{}, map[int]int{}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, "s.*"))
		if err != nil {
			r.t.Fatal(err)
		}
		for _, f := range files {
			named, thread, _, ok := ring.ParseSegmentName(filepath.Base(f))
			s, err := ring.OpenSegment(private.Open(r.t, dir), filepath.Base(f))
			if !ok || err != nil {
				r.t.Fatalf("%s: %v", f, err)
			}
			r.t.Cleanup(func() { s.Close() })
			if s.Thread() != thread {
				r.t.Errorf("%s states thread %d", f, s.Thread())
			}
			id := s.Process()
			if id != named {
				r.t.Errorf("%s states process %v", f, id)
			}
			if own := startTime(r.t); id.Start < own || id.Start > own+100*24*3600 {
				r.t.Errorf("%s states a process started at %d, the test at %d", f, id.Start, own)
			}
			r.segments[thread]++
			if s.State() != ring.SegFree {
				chains[thread] = append(chains[thread], s)
			}
		}
	}
	r.threads = make([][]ring.Record, len(chains))
	for thread, chain := range chains {
		if thread >= len(chains) {
			r.t.Fatalf("thread %d of %d", thread, len(chains))
		}
		slices.SortFunc(chain, func(a, b *ring.Segment) int { return cmp.Compare(a.Seq(), b.Seq()) })
		for i, s := range chain {
			if i > 0 && s.Seq() != chain[i-1].Seq()+1 {
				r.t.Errorf("thread %d: segment %d follows %d", thread, s.Seq(), chain[i-1].Seq())
			}
			r.threads[thread] = append(r.threads[thread], records(r.t, s)...)
		}
		if p := chain[len(chain)-1].Pending(); p != nil {
			defs, _ := expand(r.t, r.threads[thread])
			full, err := defs.Expand(p)
			if err != nil {
				r.t.Fatal(err)
			}
			r.pending[thread] = full
		}
	}
}

// startTime is field 22 of this process's stat.
func startTime(t *testing.T) uint64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	start, err := strconv.ParseUint(fields[22-3], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return start
}

func records(t *testing.T, s *ring.Segment) []ring.Record {
	t.Helper()
	var all []ring.Record
	for words := s.Words(0, s.Published()); len(words) > 0; {
		rec, rest, err := ring.Next(words)
		if err != nil {
			t.Fatalf("%s: %v", s.Path, err)
		}
		all, words = append(all, rec), rest
	}
	return all
}

// expand writes the records of a thread that refer to definitions out in full.
func expand(t *testing.T, recs []ring.Record) (*ring.Defs, []ring.Record) {
	t.Helper()
	defs, full := &ring.Defs{}, []ring.Record{}
	for i, rec := range recs {
		if rec.ID() == ring.RDef {
			if _, err := defs.Define(rec.Payload()); err != nil {
				t.Fatalf("record %d: %v", i, err)
			}
		}
		rec, err := defs.Expand(rec)
		if err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
		full = append(full, slices.Clone(rec))
	}
	return defs, full
}

// calls are a thread's records of API functions in a short form:
// "MPI_Send", with a trailing "<" for ENTER, ">" for EXIT, "~" for nested and
// "-" for hidden records.
func (r *run) calls(thread int) []string {
	var names []string
	for _, rec := range r.of(thread) {
		name := strings.TrimPrefix(spec.ByID(rec.ID()).Name, "MPI_")
		for _, m := range []struct {
			flag uint16
			mark string
		}{{ring.FEnter, "<"}, {ring.FExit, ">"}, {ring.FNested, "~"}, {ring.FHidden, "-"}} {
			if rec.Flags()&m.flag != 0 {
				name += m.mark
			}
		}
		names = append(names, name)
	}
	return names
}

// of returns a thread's records of API functions, all functions if no names are given.
func (r *run) of(thread int, names ...string) []ring.Record {
	r.t.Helper()
	if thread >= len(r.threads) {
		r.t.Fatalf("thread %d of %d left no records; stderr %q", thread, len(r.threads), r.stderr)
	}
	var recs []ring.Record
	_, full := expand(r.t, r.threads[thread])
	for _, rec := range full {
		if rec.ID() < spec.FirstFunction {
			continue
		}
		f := spec.ByID(rec.ID())
		if f == nil {
			r.t.Fatalf("record of unknown function %d", rec.ID())
		}
		if len(names) == 0 || slices.Contains(names, f.Name) {
			recs = append(recs, rec)
		}
	}
	return recs
}

// own returns the runtime's own records of a kind.
func (r *run) own(thread int, id spec.ID) []ring.Record {
	var recs []ring.Record
	for _, rec := range r.threads[thread] {
		if rec.ID() == id {
			recs = append(recs, rec)
		}
	}
	return recs
}

// values decodes a complete record into a map from parameter names, with "="
// before those known on return.
func values(t *testing.T, rec ring.Record) map[string]ring.Raw {
	t.Helper()
	f := spec.ByID(rec.ID())
	absent := rec.Absent()
	in, rest, err := ring.DecodeEntry(nil, f, absent, rec.Payload())
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if rec.Flags()&ring.FExit != 0 {
		in, rest = make([]ring.Raw, f.NumIn), rec.Payload()
	}
	if rec.Flags()&ring.FIgnored != 0 {
		absent &^= ring.StatusMask(f)
	}
	all, err := ring.DecodeReturn(in, f, absent, rec.Ret(), rest)
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	m := map[string]ring.Raw{}
	for i, s := range f.Slots {
		name := "return"
		if s.Param >= 0 {
			name = f.Params[s.Param].Name
		}
		if s.Out {
			name = "=" + name
		}
		if s.OnError {
			name += "!"
		}
		if all[i].Present {
			m[name] = all[i]
		}
	}
	return m
}

// tags are the tags of the sends in a thread's records.
func (r *run) tags(thread int) []int {
	var tags []int
	for _, rec := range r.of(thread, "MPI_Send") {
		tags = append(tags, int(int64(values(r.t, rec)["tag"].Word())))
	}
	return tags
}

func (r *run) wantCode(code int) {
	r.t.Helper()
	if r.code != code {
		r.t.Fatalf("exit code %d, want %d; stderr %q", r.code, code, r.stderr)
	}
}

func (r *run) wantCalls(thread int, want ...string) {
	r.t.Helper()
	if got := r.calls(thread); !slices.Equal(got, want) {
		r.t.Errorf("thread %d recorded\n%v, want\n%v", thread, got, want)
	}
}

func (r *run) wantTags(thread int, want []int) {
	r.t.Helper()
	if got := r.tags(thread); !slices.Equal(got, want) {
		r.t.Errorf("thread %d: %d sends, want %d; first difference at %d", thread, len(got), len(want),
			firstDifference(got, want))
	}
}

func firstDifference(a, b []int) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// upTo returns 0 .. n-1.
func upTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// drain plays the collector: it frees full segments and keeps their records,
// until the program has finalized.
type drain struct {
	t       *testing.T
	records map[int][]ring.Record
	reused  int
}

func (d *drain) run(dir string, c *ring.Control) {
	open := map[string]*ring.Segment{}
	next := map[int]uint64{}
	deadline := time.Now().Add(30 * time.Second)
	for c.Finalized() == 0 && time.Now().Before(deadline) {
		time.Sleep(200 * time.Microsecond)
		c.Beat()
		files, _ := filepath.Glob(filepath.Join(dir, "s.*"))
		for _, f := range files {
			if open[f] == nil {
				if s, err := ring.OpenSegment(private.Open(d.t, dir), filepath.Base(f)); err == nil {
					open[f] = s
				}
			}
		}
		for _, s := range open {
			if s.State() == ring.SegFull && s.Seq() == next[s.Thread()] {
				for _, rec := range records(d.t, s) {
					d.records[s.Thread()] = append(d.records[s.Thread()], slices.Clone(rec))
				}
				if s.Seq() >= uint64(len(files)) {
					d.reused++
				}
				next[s.Thread()]++
				s.SetFree()
			}
		}
	}
}
