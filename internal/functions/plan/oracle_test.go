package plan

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

const capture = "../../../capture"

// bench holds what the tests of real programs run: the runtime with a log in place of its events, and the oracle.
type bench struct{ dir, runtime, tracer string }

var built *bench

func TestMain(m *testing.M) {
	code := m.Run()
	if built != nil {
		os.RemoveAll(built.dir)
	}
	for _, b := range builtA64 {
		os.RemoveAll(b.dir)
	}
	os.Exit(code)
}

func newBench(t *testing.T) *bench {
	t.Helper()
	if built != nil {
		return built
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Fatal("no gcc")
	}
	dir, err := os.MkdirTemp("", "functions")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{dir, filepath.Join(dir, "raw.so"), filepath.Join(dir, "tracer")}
	built = b
	compile(t, "gcc", runtimeArgs(b.runtime)...)
	compile(t, "gcc", "-O2", "-o", b.tracer, capture+"/testdata/functions/tracer.c")
	return b
}

// runtimeArgs makes the compiler build the runtime.
func runtimeArgs(to string) []string {
	args := []string{
		"-shared", "-O2", "-fPIC", "-fexceptions", "-fvisibility=hidden", "-I" + capture, "-o", to,
		capture + "/testdata/functions/rawlog.c",
	}
	for _, s := range []string{"stubs", "stacks", "patch", "frames", "own", "x86_64", "aarch64"} {
		args = append(args, capture+"/functions/"+s+".c")
	}
	return append(args, "-ldl", "-Wl,-z,now")
}

func compile(t *testing.T, compiler string, args ...string) {
	t.Helper()
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", compiler, args, err, out)
	}
}

// execute runs a command within a minute; output holds both streams.
func execute(t *testing.T, env []string, args ...string) (output string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", args, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// event is a call as a log has it: its function and how many calls of the same stack it is in.
type event struct{ function, depth int }

// seen runs a program with its functions seen, and returns what each of its threads called.
func (b *bench) seen(t *testing.T, plans []*Plan, args ...string) (output string, code int, threads [][]event) {
	t.Helper()
	dir := t.TempDir()
	output, code = b.logged(t, dir, plans, args...)
	return output, code, readLogs(t, dir, false)
}

// logged runs a program with its functions seen, with a log for each thread in dir.
func (b *bench) logged(t *testing.T, dir string, plans []*Plan, args ...string) (output string, code int) {
	t.Helper()
	b.writePlan(t, dir, plans)
	return execute(t, []string{"LD_PRELOAD=" + b.runtime, "TABARD_DIR=" + dir, "TABARD_PLAN=plan"}, args...)
}

func (b *bench) writePlan(t *testing.T, dir string, plans []*Plan) {
	t.Helper()
	var images [][]byte
	for _, p := range plans {
		images = append(images, p.Encode())
	}
	if err := os.WriteFile(filepath.Join(dir, "plan"), File(images, false), 0o600); err != nil {
		t.Fatal(err)
	}
}

// told runs a program under the oracle.
func (b *bench) told(t *testing.T, p *Plan, args ...string) (output string, code int, threads [][]event) {
	t.Helper()
	dir := t.TempDir()
	var list strings.Builder
	im, err := open(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	pie := 0
	if im.elf.Type.String() == "ET_DYN" {
		pie = 1
	}
	places := im.scan()
	low, high := p.own(im, places)
	fmt.Fprintf(&list, "%d %x %x\n", pie, low, high)
	for _, f := range p.traced() {
		fmt.Fprintf(&list, "%x %x %x\n", f.Addr+uint64(f.Entry), f.Addr, places.end(im, f.Addr))
	}
	entries := filepath.Join(dir, "entries")
	if err := os.WriteFile(entries, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	output, code = execute(t, []string{"LD_BIND_NOW=1"}, append([]string{b.tracer, dir, entries}, args...)...)
	return output, code, readLogs(t, dir, true)
}

// own is where the code of a program lies, without the runtime of XRay, which takes minutes step by step.
func (p *Plan) own(im *image, places *places) (low, high uint64) {
	last := &im.code[len(im.code)-1]
	low, high = im.code[0].addr, last.addr+uint64(len(last.data))
	if !im.xray {
		return low, high
	}
	low, high = high, low
	for _, f := range p.traced() {
		low, high = min(low, f.Addr), max(high, places.end(im, f.Addr))
	}
	return low, high
}

// readLogs reads the logs of all threads. In those of the oracle there are returns to places, too, where nothing was
// called.
func readLogs(t *testing.T, dir string, oracle bool) [][]event {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "log.*"))
	number := func(name string) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(filepath.Ext(name), "."))
		return n
	}
	sort.Slice(files, func(i, j int) bool { return number(files[i]) < number(files[j]) })
	var threads [][]event
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if calls := readLog(t, data, oracle); len(calls) > 0 {
			threads = append(threads, calls)
		}
	}
	return threads
}

// stack is one that a thread uses, with the places of calls in progress.
type stack struct {
	last  uint64
	calls []uint64
}

// apart is how far two stacks are from each other at least.
const apart = 128 << 10

func readLog(t *testing.T, data []byte, oracle bool) []event {
	t.Helper()
	var calls []event
	var stacks []*stack
	for ; len(data) >= 16; data = data[16:] {
		sp, what := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
		if sp == 0 || what>>63 != 0 {
			continue
		}
		i := slices.IndexFunc(stacks, func(s *stack) bool { return sp-s.last+apart < 2*apart })
		if i < 0 {
			i = len(stacks)
			stacks = append(stacks, &stack{})
		}
		s := stacks[i]
		s.last = sp
		for len(s.calls) > 0 && s.calls[len(s.calls)-1] < sp {
			s.calls = s.calls[:len(s.calls)-1]
		}
		same := len(s.calls) > 0 && s.calls[len(s.calls)-1] == sp
		if same {
			s.calls = s.calls[:len(s.calls)-1]
		}
		if what == 0 {
			if !same && !oracle {
				t.Errorf("a return at %#x from no call", sp)
			}
			continue
		}
		calls = append(calls, event{int(what - 1), len(s.calls)})
		s.calls = append(s.calls, sp)
	}
	return calls
}

// program is one of capture/testdata/functions, and a way to compile it.
type program struct {
	source, compiler, flags string
	env                     string
	uncertain               bool // what it calls is not the same in all runs
	small                   bool // some functions are too short
}

// hasXRay says that the runtime of XRay is installed.
func hasXRay(compiler string) bool {
	dir, err := exec.Command(compiler, "-print-runtime-dir").Output()
	found, _ := filepath.Glob(strings.TrimSpace(string(dir)) + "/libclang_rt.xray*")
	return err == nil && len(found) > 0
}

func (p program) build(t *testing.T, b *bench) string {
	t.Helper()
	if _, err := exec.LookPath(p.compiler); err != nil {
		t.Skip("no " + p.compiler)
	}
	if strings.HasSuffix(p.flags, xray) && !hasXRay(p.compiler) {
		t.Skip("no XRay to link with")
	}
	exe := filepath.Join(t.TempDir(), strings.TrimSuffix(p.source, filepath.Ext(p.source)))
	flags := strings.Fields(p.flags)
	if p.compiler == "gfortran" {
		flags = append(flags, "-J"+filepath.Dir(exe))
	}
	args := append(flags, "-w", "-o", exe, capture+"/testdata/functions/"+p.source, "-ldl", "-pthread")
	compile(t, p.compiler, args...)
	return exe
}

// Functions of any size have sleds of XRay, which changes them before the program begins if it is told to.
const (
	xray      = "-fxray-instrument -fxray-instruction-threshold=1"
	patchXRay = "XRAY_OPTIONS=patch_premain=true"
)

var programs = []program{
	{source: "basics.c", compiler: "gcc", flags: "-O0"},
	{source: "basics.c", compiler: "gcc", flags: "-O2 -fcf-protection"},
	{source: "basics.c", compiler: "gcc", flags: "-O3 -no-pie -flto"},
	{source: "basics.c", compiler: "gcc", flags: "-Os -fno-asynchronous-unwind-tables", small: true},
	{source: "basics.c", compiler: "gcc", flags: "-Os -fno-asynchronous-unwind-tables -fpatchable-function-entry=5"},
	{source: "basics.c", compiler: "clang", flags: "-Oz -fpatchable-function-entry=7,5 -fcf-protection"},
	{source: "basics.c", compiler: "clang", flags: "-Oz " + xray + " -fnoxray-link-deps"},
	{source: "basics.c", compiler: "clang", flags: "-O2 " + xray},
	{source: "basics.c", compiler: "clang", flags: "-Oz -fcf-protection " + xray, env: patchXRay, small: true},
	{source: "basics.c", compiler: "clang", flags: "-O1"},
	{source: "basics.c", compiler: "clang", flags: "-O2 -fno-pie -no-pie"},
	{source: "exceptions.cc", compiler: "g++", flags: "-O0"},
	{source: "exceptions.cc", compiler: "g++", flags: "-O2"},
	{source: "exceptions.cc", compiler: "g++", flags: "-O3 -static-libgcc -static-libstdc++", uncertain: true},
	{source: "exceptions.cc", compiler: "g++", flags: "-O2 -fpatchable-function-entry=16,3"},
	{source: "exceptions.cc", compiler: "clang++", flags: "-O2"},
	{source: "exceptions.cc", compiler: "clang++", flags: "-O1 " + xray, env: patchXRay, small: true},
	{source: "fortran.f90", compiler: "gfortran", flags: "-O0"},
	{source: "fortran.f90", compiler: "gfortran", flags: "-O2"},
	{source: "threads.c", compiler: "gcc", flags: "-O0"},
	{source: "threads.c", compiler: "gcc", flags: "-O2"},
	{source: "threads.c", compiler: "clang", flags: "-O2"},
	{source: "threads.c", compiler: "clang", flags: "-O2 " + xray, env: patchXRay, small: true},
	{source: "coroutines.c", compiler: "gcc", flags: "-O0"},
	{source: "coroutines.c", compiler: "gcc", flags: "-O2 -no-pie"},
	{source: "sleds.c", compiler: "gcc", flags: "-Os -fpatchable-function-entry=5"},
	{source: "sleds.c", compiler: "gcc", flags: "-Os -no-pie -fcf-protection -fpatchable-function-entry=7,5"},
	{source: "sleds.c", compiler: "gcc", flags: "-O2 -s -fno-asynchronous-unwind-tables -fpatchable-function-entry=7,5"},
	{source: "sleds.c", compiler: "clang", flags: "-O0 -fpatchable-function-entry=8,1"},
	{source: "sleds.c", compiler: "clang", flags: "-Oz -no-pie -fpatchable-function-entry=2", small: true},
	{source: "sleds.c", compiler: "clang", flags: "-Oz " + xray + " -fnoxray-link-deps"},
	{source: "sleds.c", compiler: "clang", flags: "-Oz " + xray, env: patchXRay, small: true},
	{source: "openmp.c", compiler: "gcc", flags: "-O2 -fopenmp", uncertain: true},
	{source: "traces.c", compiler: "gcc", flags: "-O0 -rdynamic", uncertain: true},
	{source: "traces.c", compiler: "gcc", flags: "-O2 -rdynamic", uncertain: true},
	{source: "traces.c", compiler: "clang", flags: "-O2 -rdynamic", uncertain: true},
}

// refusesKnown: what the programs have that cannot be seen is of these kinds.
func refusesKnown(t *testing.T, pl *Plan) {
	t.Helper()
	for i := range pl.Functions {
		f := &pl.Functions[i]
		if !slices.Contains([]string{"", start, "made by the linker", part, unwinds, instruments}, f.Refused) {
			t.Errorf("%v: %s", f, f.Refused)
		}
	}
}

// Every call of every function is seen, in its order and in its place, and programs do what they did.
func TestCallsAreThoseThatHappen(t *testing.T) {
	b := newBench(t)
	for i, p := range programs {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(p.source+" "+p.compiler+" "+p.flags, func(t *testing.T) {
			exe := p.build(t, b)
			pl, err := Make(exe)
			if err != nil {
				t.Fatal(err)
			}
			if !p.small {
				refusesKnown(t, pl)
			}
			if p.env != "" {
				name, value, _ := strings.Cut(p.env, "=")
				t.Setenv(name, value)
				pl.withoutSleds()
			}
			output, code := execute(t, nil, exe)
			out, c, calls := b.seen(t, []*Plan{pl}, exe)
			if out != output || c != code {
				t.Fatalf("code %d, output:\n%s\ninstead of %d:\n%s", c, out, code, output)
			}
			if len(calls) == 0 {
				t.Fatal("no calls were seen")
			}
			if p.uncertain {
				return
			}
			out, c, want := b.told(t, pl, exe)
			if out != output || c != code {
				t.Fatalf("oracle: code %d, output:\n%s", c, out)
			}
			compare(t, pl, calls, want)
		})
	}
}

// withoutSleds refuses functions whose entries XRay has changed when the runtime comes to them.
func (p *Plan) withoutSleds() {
	for i := range p.Functions {
		if f := &p.Functions[i]; f.Short {
			f.Refused = instruments
		}
	}
}

func compare(t *testing.T, p *Plan, calls, want [][]event) {
	t.Helper()
	if len(calls) != len(want) {
		t.Fatalf("%d threads made calls, not %d", len(calls), len(want))
	}
	functions := p.traced()
	for i := range calls {
		for k := range min(len(calls[i]), len(want[i])) {
			if got, w := calls[i][k], want[i][k]; got != w {
				t.Fatalf("thread %d, call %d: %v at depth %d, instead of %v at %d", i, k, functions[got.function],
					got.depth,
					functions[w.function], w.depth)
			}
		}
		if len(calls[i]) != len(want[i]) {
			t.Fatalf("thread %d: %d calls, not %d", i, len(calls[i]), len(want[i]))
		}
	}
}

// Programs do what they did when the functions of all their libraries are seen, too, the C library's among them.
func TestProgramsWithLibraries(t *testing.T) {
	b := newBench(t)
	all, err := ParseList("all")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if !strings.HasPrefix(p.flags, "-O2") || strings.HasPrefix(p.compiler, "clang") {
			continue // one of each
		}
		t.Run(p.source+" "+p.compiler+" "+p.flags, func(t *testing.T) {
			exe := p.build(t, b)
			plans, problems := Program(exe, os.Environ(), all)
			if len(plans) < 2 || len(problems) > 0 {
				t.Fatal(len(plans), problems)
			}
			output, code := execute(t, nil, exe)
			dir := t.TempDir()
			out, c := b.logged(t, dir, plans, exe)
			if out != output || c != code {
				t.Fatalf("code %d, output:\n%s\ninstead of %d:\n%s", c, out, code, output)
			}
			if !hasCalls(t, dir, uint64(len(plans[0].traced()))) {
				t.Error("no calls of libraries were seen")
			}
		})
	}
}

// hasCalls tells whether there are calls of functions from a number on among the first of a thread.
func hasCalls(t *testing.T, dir string, from uint64) bool {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "log.*"))
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		data := make([]byte, 1<<16)
		n, _ := f.Read(data)
		for data = data[:n]; len(data) >= 16; data = data[16:] {
			if what := binary.LittleEndian.Uint64(data[8:]); what>>63 == 0 && what > from {
				return true
			}
		}
	}
	return false
}
