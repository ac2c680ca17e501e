package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
)

// hostileCommands are the commands that read archives and take more than FILE and --json, each with options of which
// one line is chosen for each file. FILE is the damaged archive, GOOD a sound one, RAW raw logs, OUT a file to write,
// DIR a directory, LIBRARY what passes for an MPI library.
var hostileCommands = [][]string{
	{"info FILE", "info FILE --json", "info FILE --top 2"},
	{"info FILE --comms", "info FILE --comms --json"},
	{"info FILE --cost", "info FILE --cost --json --top 1000"},
	{"report FILE", "report FILE --json", "report FILE --limit 0 --function coll", "report FILE --steps 2-5",
		"report FILE --rank 0-1 --time 10%..60%", "report FILE --in step", "report FILE --step-loop all/step"},
	{"profile FILE", "profile FILE --by function,comm,rank --quantiles", "profile FILE --json --top 0",
		"profile FILE --by site --no-times --rank 1", "profile FILE --time 20%..30% --json",
		"profile FILE --by region", "profile FILE --in all/step --by comm"},
	{"io FILE", "io FILE --json", "io FILE --rank 1 --in step", "io FILE --svg -", "io FILE --path d* --png -"},
	{"matrix FILE", "matrix FILE --kind all --csv", "matrix FILE --kind collective --value messages --json",
		"matrix FILE --value time --json", "matrix FILE --svg -", "matrix FILE --png - --bins 3",
		"matrix FILE --kind rma --steps 1-3", "matrix FILE --in step"},
	{"histogram FILE", "histogram FILE --by site --json", "histogram FILE --durations --by function",
		"histogram FILE --durations --json", "histogram FILE --svg -", "histogram FILE --kind io --png -"},
	{"waits FILE", "waits FILE --json --limit 0", "waits FILE --cause 1", "waits FILE --kind late-sender --steps 3"},
	{"openmp FILE", "openmp FILE --json --limit 0"},
	{"messages FILE", "messages FILE --json --limit 0", "messages FILE --rank 1 --comm MPI_COMM_WORLD"},
	{"timeline FILE --width 80", "timeline FILE --json", "timeline FILE --svg -", "timeline FILE --png - --rows 4",
		"timeline FILE --time 30%..40% --rank 0", "timeline FILE --in step"},
	{"dump FILE --limit 30", "dump FILE --json --limit 10", "dump FILE --last 2",
		"dump FILE --from 3 --limit 5 --rank 0-2 --thread 1", "dump FILE --raw",
		"dump FILE --steps 1-3 --function p2p --last 3"},
	{"loops FILE", "loops FILE --json", "loops FILE --all", "loops FILE --with-functions",
		"loops FILE --depth 1 --function pt2pt"},
	{"diff FILE GOOD", "diff GOOD FILE --json", "diff FILE GOOD --what structure", "diff GOOD FILE --rerun --strict",
		"diff FILE FILE", "diff FILE GOOD --what time", "diff FILE GOOD --ignore-sites --limit 0",
		"diff FILE FILE --in step"},
	{"check FILE --against GOOD", "check GOOD --against FILE,GOOD --json",
		"check FILE --against FILE --junit - --markdown -"},
	{"trend FILE GOOD", "trend GOOD FILE --json --scaling weak"},
	{"proxy FILE --force -o OUT.c", "proxy FILE --force --compute=2 -o -", "proxy FILE --force --ranks 3 -o OUT.c",
		"proxy FILE --any-size --force -o OUT.c", "proxy GOOD --with FILE --any-size --force -o -"},
	{"scale FILE --ranks 5 -o OUT", "scale FILE --program", "scale FILE --program --json",
		"scale GOOD --with FILE --ranks 9 -o OUT --json"},
	{"verify FILE RAW", "verify FILE RAW --json"},
	{"recover FILE", "recover FILE --json"},
	{"view FILE --no-browser", "view FILE GOOD --no-browser --socket OUT", "view FILE --html OUT"},
	{"replay FILE --library LIBRARY", "replay FILE --library LIBRARY --timing=recorded --order=free --scratch DIR",
		"replay FILE --library LIBRARY --ranks 3 -q"},
	{"export pprof FILE -o OUT", "export pprof FILE --by rank,comm --value functions -o OUT", "export folded FILE -o -",
		"export folded FILE --value calls --by rank -o OUT", "export folded FILE --value functions -o -"},
	{"export perfetto FILE -o OUT", "export perfetto FILE --classes --steps 1-3 -o OUT", "export chrome FILE -o -",
		"export chrome FILE --time 20%..60% --force -o OUT"},
	{"export parquet FILE -o OUT", "export parquet FILE --table messages -o OUT",
		"export arrow FILE --table sites -o -",
		"export arrow FILE --table steps -o OUT", "export parquet FILE --table ranks -o -",
		"export arrow FILE --table communicators -o OUT", "export parquet FILE --table marks -o OUT",
		"export arrow FILE --table messages --partition 2 -o OUT.arrow"},
	{"export otf2 FILE -o OUT", "export prv FILE -o OUT", "export otf2 FILE --classes --time 10%..50% -o OUT",
		"export prv FILE --rank 0-1 --steps 1-2 --force -o OUT"},
	{"functions FILE", "functions FILE --json --limit 0", "functions FILE --tree --depth 3", "functions FILE --graph",
		"functions FILE --sequence --rank 0", "functions FILE --at 0:3"},
	{"outliers FILE", "outliers FILE --json --limit 0 --rank 1"},
	{"merge OUT FILE GOOD", "merge FILE", "merge OUT FILE --timing=lossy:1%", "merge OUT FILE FILE --json",
		"merge OUT FILE --timing=aggregate", "merge OUT FILE --overview"},
}

// Bounds for one command on one small file. Times are those of the processor. Of memory a command may take what its
// help states (Bounds), these are for those that state nothing.
const (
	hostileTime   = 30 * time.Second
	hostileWall   = 10 * time.Minute // for what waits
	hostileMemory = 500 << 20
)

// hostileBound is how much memory the command of a line may take.
func (h *hostile) hostileBound(line string) uint64 {
	name, _, _ := strings.Cut(line, " ")
	if b, ok := h.bounds[name]; ok {
		return b.Memory
	}
	return hostileMemory
}

// hostileLines are hostileCommands, and all other commands that read archives.
func hostileLines(bounds map[string]Bound) [][]string {
	all := slices.Clone(hostileCommands)
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		tried := func(l []string) bool { return strings.HasPrefix(l[0], name+" ") }
		if !slices.ContainsFunc(all, tried) {
			all = append(all, []string{name + " FILE", name + " FILE --json"})
		}
	}
	return all
}

// watch ends the test if a command needs too long or too much memory.
type watch struct {
	mu    sync.Mutex
	what  string
	most  uint64 // bytes
	cpu   time.Duration
	start time.Time
	peak  uint64
	worst time.Duration
	slow  string
}

func (w *watch) begin(what string, most uint64) {
	debug.SetMemoryLimit(int64(most) * 6 / 10) // for those that set none
	if inUse() > most/2 {
		debug.FreeOSMemory() // what commands before it left lying about is not its own
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.what, w.most, w.cpu, w.start = what, most, cputime.Used(), time.Now()
}

// inUse is the memory of the process in bytes, as far as Go knows.
func inUse() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

// end returns the time of the processor.
func (w *watch) end() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	took := cputime.Since(w.cpu)
	if took > w.worst {
		w.worst, w.slow = took, w.what
	}
	w.what = ""
	return took
}

// run looks at what is being done until stop is closed.
func (w *watch) run(stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
		used := inUse()
		w.mu.Lock()
		w.peak = max(w.peak, used)
		if w.what != "" && (cputime.Since(w.cpu) > hostileTime || time.Since(w.start) > hostileWall ||
			used > w.most) {
			debug.SetTraceback("all")
			panic(fmt.Sprintf("%s: %v of the processor, %v, %d MiB", w.what, cputime.Since(w.cpu), time.Since(w.start),
				used>>20))
		}
		w.mu.Unlock()
	}
}

// hostile runs commands on damaged files.
type hostile struct {
	t        *testing.T
	rng      *rand.Rand // the chances of a file
	dir      string     // of the file that is damaged, made anew for every file
	calls    claim      // of the file
	good     string     // a sound archive
	raw      string     // raw logs
	library  string     // what passes for an MPI library
	artifact string     // keeps what failed
	watch    watch
	bounds   map[string]Bound
	lines    [][]string // of commands, for which one of each is chosen
	codes    map[string][3]int
	spent    map[string]time.Duration // of the processor
	failed   int
}

func newHostile(t *testing.T) *hostile {
	h := &hostile{t: t, bounds: Bounds(), codes: map[string][3]int{}, spent: map[string]time.Duration{}}
	h.lines = hostileLines(h.bounds)
	root := t.TempDir()
	for _, name := range []string{"state", "tmp", "raw", "x"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TABARD_STATE", filepath.Join(root, "state"))
	t.Setenv("TMPDIR", filepath.Join(root, "tmp"))
	h.dir, h.raw, h.good = filepath.Join(root, "x"), filepath.Join(root, "raw"), filepath.Join(root, "good.tabard")
	h.artifact = t.ArtifactDir()
	stop := make(chan struct{})
	// Commands set limits of their own, which bound garbage. Below these it may lie about: collecting it is much of
	// what small commands need.
	t.Setenv("GOGC", "1000")
	limit, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(1000)
	go h.watch.run(stop)
	t.Cleanup(func() { close(stop); debug.SetMemoryLimit(limit); debug.SetGCPercent(percent) })
	h.library = filepath.Join(root, "libmpich.so.12")
	fakeMPI(t, h.library)
	return h
}

func (h *hostile) write(path string, b []byte) {
	if err := os.WriteFile(path, b, 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// command runs a command line on the damaged file, and tells whether it does nothing wrong.
func (h *hostile) command(line, what string) (ok bool) {
	names := strings.NewReplacer("FILE", filepath.Join(h.dir, "x.tabard"), "GOOD", h.good, "RAW", h.raw,
		"OUT", filepath.Join(h.dir, "out"), "DIR", filepath.Join(h.dir, "files"), "LIBRARY", h.library)
	args := strings.Fields(line)
	for i := range args {
		args[i] = names.Replace(args[i])
	}
	h.watch.begin(fmt.Sprintf("tabard %s with %s, see %s", line, what, h.dir), h.hostileBound(line))
	name, _, _ := strings.Cut(line, " ")
	var a reply
	if long(line, h.calls) {
		a = apart(args, h.hostileBound(line))
	} else {
		a = here(args)
	}
	h.spent[name] += h.watch.end()
	if a.problem != "" {
		h.t.Errorf("tabard %s with %s: %s", line, what, a.problem)
		return false
	}
	if a.interrupted {
		return true
	}
	code := a.code
	if name == "replay" && code == exitFailure && strings.Contains(a.errs, notStarted) {
		code = exitOK
	}
	count := h.codes[name]
	if code < 0 || code > 2 {
		h.t.Errorf("tabard %s with %s: exit code %d", line, what, code)
		return false
	}
	count[code]++
	h.codes[name] = count
	if problem := wrongAnswer(args, code, a.out, a.errs); problem != "" {
		h.t.Errorf("tabard %s with %s: code %d: %s\nstderr: %.2000s", line, what, code, problem, a.errs)
		return false
	}
	return true
}

// wrongAnswer says what is wrong with the answer of a command, "" if nothing is.
func wrongAnswer(args []string, code int, out []byte, errs string) string {
	for _, s := range []string{"panic", "runtime error", "%!", "internal/", "goroutine "} {
		if strings.Contains(errs, s) {
			return "the message has " + s
		}
	}
	switch {
	case code != exitOK && errs == "" && len(out) == 0:
		return "no word of what is wrong"
	case code == exitUsage &&
		!slices.Contains([]string{"diff", "scale", "check", "waits", "replay", "functions"}, args[0]):
		return "the command line was right"
	case code == exitOK && len(out) == 0 &&
		!slices.Contains([]string{"dump", "proxy", "view", "export", "replay"}, args[0]):
		return "no answer"
	case code != exitOK:
		return ""
	case slices.Contains(args, "--json"):
		d := json.NewDecoder(bytes.NewReader(out))
		for {
			var v any
			if err := d.Decode(&v); errors.Is(err, io.EOF) {
				return ""
			} else if err != nil {
				return "not JSON: " + err.Error()
			}
		}
	case slices.Contains(args, "--svg"):
		d := xml.NewDecoder(bytes.NewReader(out))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return ""
			} else if err != nil {
				return "not XML: " + err.Error()
			}
		}
	case slices.Contains(args, "--png") && !bytes.HasPrefix(out, []byte("\x89PNG")):
		return "not PNG"
	}
	return ""
}

// file runs all commands on a damaged file. beside puts further files next to it.
func (h *hostile) file(b []byte, what string, beside func()) {
	h.calls = claimed(b)
	for _, lines := range h.lines {
		os.RemoveAll(h.dir) // some commands change it, or what is beside it
		if err := os.Mkdir(h.dir, 0o700); err != nil {
			h.t.Fatal(err)
		}
		h.write(filepath.Join(h.dir, "x.tabard"), b)
		if beside != nil {
			beside()
		}
		if h.command(lines[h.rng.IntN(len(lines))], what) {
			continue
		}
		h.failed++
		path := filepath.Join(h.artifact, fmt.Sprintf("damaged%d.tabard", h.failed))
		h.write(path, b)
		if h.t.Logf("the file is %s (keep it with -artifacts)", path); h.failed == 20 {
			h.t.Fatal("and so on")
		}
	}
}

// neighbours are what may lie beside an archive under a name like those of its parts, and beside raw logs.
func (h *hostile) neighbours(d *archivetest.Damager) func() {
	kinds := make([]int, 1+h.rng.IntN(3))
	for i := range kinds {
		kinds[i] = h.rng.IntN(12)
	}
	part := archivetest.Bytes(h.t, node("1", "x", 2, 3))
	bad, _ := d.Next()
	pipe := h.rng.IntN(4) == 0
	return func() {
		if pipe { // commands that read raw logs say what it is
			if err := unix.Mkfifo(filepath.Join(h.raw, "7-7.0.raw"), 0o600); err != nil &&
				!errors.Is(err, fs.ErrExist) {
				h.t.Fatal(err)
			}
		}
		for i, k := range kinds {
			path := filepath.Join(h.dir, fmt.Sprintf("x.node%d.tabard", i))
			var err error
			switch k {
			case 0:
				err = os.Mkdir(path, 0o700)
			case 1:
				err = os.Symlink(path, path)
			case 2:
				err = os.WriteFile(path, part, 0)
			case 3:
				err = os.WriteFile(path, part, 0o600)
			case 4:
				err = os.WriteFile(path, part[:len(part)/2], 0o600)
			case 5:
				err = os.WriteFile(path, bad, 0o600)
			case 6:
				if err = os.WriteFile(path, part, 0o600); err == nil {
					err = os.Truncate(path, 1<<40)
				}
			case 7:
				err = unix.Mkfifo(path, 0o600)
			case 8:
				err = unix.Mknod(path, unix.S_IFSOCK|0o600, 0)
			case 9:
				err = os.Symlink("/dev/zero", path)
			case 10:
				err = os.Symlink(h.dir, path)
			default:
				err = os.Symlink("nowhere", path)
			}
			if err != nil {
				h.t.Fatal(err)
			}
		}
	}
}

// draw makes a damaged archive. Most of them can be opened: what cannot ends soon in every command.
func (h *hostile) draw(d *archivetest.Damager) (b []byte, what string) {
	switch h.rng.IntN(4) {
	case 0:
		return d.Lie()
	case 1, 2:
		return d.Forge()
	}
	b, what = d.Next()
	for range h.rng.IntN(4) * 10 {
		if _, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(1<<24)); err == nil {
			break
		}
		b, what = d.Next()
	}
	return b, what
}

// TestDamage runs every command on many damaged files, as many as TABARD_DAMAGE says, some with
// strange files beside them. None may panic, hang, need much memory, or say nothing.
func TestDamage(t *testing.T) {
	soak := archivetest.SoakOf(t, 6)
	h := newHostile(t)
	samples := damageSamples(t)
	logs := rawLogs(t, "amr", damageJob)
	few, err := archivetest.NewDamager(soak.Seed, largeSamples(t)...)
	if err != nil {
		t.Fatal(err)
	}
	most, err := archivetest.NewDamager(soak.Seed, samples...)
	if err != nil {
		t.Fatal(err)
	}
	for i := soak.First; i < soak.First+soak.N; i++ {
		h.rng = soak.Rand(i)
		d := most.With(h.rng)
		if h.rng.IntN(16) == 0 {
			d = few.With(h.rng)
		}
		b, what := h.draw(d)
		h.write(h.good, samples[h.rng.IntN(len(samples))])
		h.logs(logs)
		var beside func()
		if h.rng.IntN(4) == 0 {
			beside = h.neighbours(d)
		}
		h.file(b, soak.File(i)+": "+what, beside)
	}
	for _, lines := range h.lines {
		name, _, _ := strings.Cut(lines[0], " ")
		if soak.N >= 1000 && h.codes[name][0] == 0 {
			t.Errorf("tabard %s never succeeded: nothing of it was tested", name)
		}
	}
	t.Logf("%d files from %d on of seed %d; at most %v (%s), %d MiB; exit codes 0, 1, 2 by command: %v; time: %v",
		soak.N, soak.First, soak.Seed, h.watch.worst, h.watch.slow, h.watch.peak>>20, h.codes, h.spent)
}
