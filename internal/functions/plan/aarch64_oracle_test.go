package plan

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Programs for AArch64 run in an emulator, whose log of each instruction is the oracle.
const (
	emulator = "qemu-aarch64"
	a64Root  = "/usr/aarch64-linux-gnu"
	a64Gcc   = "aarch64-linux-gnu-gcc"
	a64Gxx   = "aarch64-linux-gnu-g++"
)

var builtA64 = map[string]*bench{}

// newBenchA64 is newBench for AArch64, with the runtime compiled with some flags.
func newBenchA64(t *testing.T, flags ...string) *bench {
	t.Helper()
	for _, tool := range []string{a64Gcc, emulator} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no ", tool)
		}
	}
	key := strings.Join(flags, " ")
	if b := builtA64[key]; b != nil {
		return b
	}
	dir, err := os.MkdirTemp("", "functions")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{dir: dir, runtime: filepath.Join(dir, "raw.so")}
	builtA64[key] = b
	compile(t, a64Gcc, append(flags, runtimeArgs(b.runtime)...)...)
	return b
}

// emulate runs a program with variables in its environment. What the linker of this machine says of the runtime, where
// the program begins another one, is left out.
func emulate(t *testing.T, env, options []string, exe ...string) (output string, code int) {
	t.Helper()
	args := append([]string{emulator, "-L", a64Root}, options...)
	for _, e := range env {
		args = append(args, "-E", e)
	}
	output, code = execute(t, nil, append(args, exe...)...)
	return regexp.MustCompile("(?m)^ERROR: ld.so: .*\n").ReplaceAllString(output, ""), code
}

// seenA64 is seen for AArch64, with the logs in dir.
func (b *bench) seenA64(t *testing.T, plans []*Plan, options []string, exe ...string) (out string, code int,
	dir string) {
	t.Helper()
	dir = t.TempDir()
	b.writePlan(t, dir, plans)
	env := []string{"LD_PRELOAD=" + b.runtime, "TABARD_DIR=" + dir, "TABARD_PLAN=plan", "TABARD_TEST_SPOIL=1"}
	out, code = emulate(t, env, options, exe...)
	return out, code, dir
}

// toldA64 is told for AArch64.
func toldA64(t *testing.T, p *Plan, exe string) (output string, code int, threads [][]event) {
	t.Helper()
	dir := t.TempDir()
	im, err := open(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	base := uint64(0)
	if im.elf.Type.String() == "ET_DYN" {
		base = 0x5500000000 // where the emulator puts such programs
	}
	low, high := p.own(im, im.scan())
	o := &oracleA64{im: im, base: base, entries: map[uint64]int{}, places: im.scan()}
	for i, f := range p.traced() {
		o.entries[f.Addr+uint64(f.Entry)] = i
	}
	output, code = emulate(t, []string{"LD_BIND_NOW=1"}, []string{"-singlestep", "-d", "exec,cpu,nochain,tid",
		"-dfilter", fmt.Sprintf("%#x+%#x", base+low, high-low), "-D", filepath.Join(dir, "step.%d")}, exe)
	files, _ := filepath.Glob(filepath.Join(dir, "step.*"))
	for _, name := range files {
		o.read(t, name, filepath.Join(dir, "log"+filepath.Ext(name)))
	}
	return output, code, readLogs(t, dir, true)
}

// oracleA64 makes a log of calls of one of instructions.
type oracleA64 struct {
	im      *image
	base    uint64
	entries map[uint64]int // function by where what changes lies
	places  *places
}

var stepA64 = regexp.MustCompile(`\b(PC|SP)=([0-9a-f]+)`)

func (o *oracleA64) read(t *testing.T, name, to string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var log []byte
	note := func(sp uint64, what uint64) {
		log = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(log, sp-8), what)
	}
	var pc, before, spBefore uint64
	for s := bufio.NewScanner(f); s.Scan(); {
		for _, m := range stepA64.FindAllStringSubmatch(s.Text(), -1) {
			v, _ := strconv.ParseUint(m[2], 16, 64)
			if m[1] == "PC" {
				pc = v - o.base
				continue
			}
			if i, ok := o.entries[pc]; ok && !o.loops(before, pc, spBefore == v) {
				note(v, uint64(i)+1)
			}
			if o.word(pc)&^0xfff == 0xd65f0000 { // ret, retaa, retab
				note(v, 0)
			}
			before, spBefore = pc, v
		}
	}
	if err := os.WriteFile(to, log, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (o *oracleA64) word(at uint64) uint32 {
	if b := o.im.codeAt(at); len(b) >= a64Size {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// loops says that a function jumps to its own entry, where the stack pointer is the same.
func (o *oracleA64) loops(before, entry uint64, same bool) bool {
	k := decodeA64(o.word(before), before).kind
	return same && before >= entry && before < o.places.end(o.im, entry) && (k == jump || k == branch || k == jumpAway)
}

var programsA64 = []program{
	{source: "basics.c", compiler: a64Gcc, flags: "-O0"},
	{source: "basics.c", compiler: a64Gcc, flags: "-O2"},
	{source: "basics.c", compiler: a64Gcc, flags: "-O2 -mbranch-protection=standard"},
	{source: "basics.c", compiler: a64Gcc, flags: "-O1 -mbranch-protection=pac-ret+leaf+b-key"},
	{source: "basics.c", compiler: a64Gcc, flags: "-O3 -no-pie -flto"},
	{source: "basics.c", compiler: a64Gcc, flags: "-Os -fno-asynchronous-unwind-tables -fomit-frame-pointer"},
	{source: "basics.c", compiler: a64Gcc, flags: "-O2 -fpatchable-function-entry=2 -mbranch-protection=bti"},
	{source: "exceptions.cc", compiler: a64Gxx, flags: "-O0"},
	{source: "exceptions.cc", compiler: a64Gxx, flags: "-O2"},
	{source: "exceptions.cc", compiler: a64Gxx, flags: "-O2 -mbranch-protection=standard"},
	{source: "exceptions.cc", compiler: a64Gxx, flags: "-O3 -static-libgcc -static-libstdc++", uncertain: true},
	{source: "threads.c", compiler: a64Gcc, flags: "-O0"},
	{source: "threads.c", compiler: a64Gcc, flags: "-O2 -mbranch-protection=standard"},
	{source: "coroutines.c", compiler: a64Gcc, flags: "-O0"},
	{source: "coroutines.c", compiler: a64Gcc, flags: "-O2 -no-pie -mbranch-protection=standard"},
	{source: "openmp.c", compiler: a64Gcc, flags: "-O2 -fopenmp", uncertain: true},
	{source: "traces.c", compiler: a64Gcc, flags: "-O0 -rdynamic", uncertain: true},
	{source: "traces.c", compiler: a64Gcc, flags: "-O2 -rdynamic", uncertain: true},
	{source: "traces.c", compiler: a64Gcc, flags: "-O2 -rdynamic -mbranch-protection=standard", uncertain: true},
}

// TestCallsAreThoseThatHappen for AArch64.
func TestCallsAreThoseThatHappenA64(t *testing.T) {
	for i, p := range programsA64 {
		if testing.Short() && i%5 != 2 {
			continue
		}
		t.Run(p.source+" "+p.compiler+" "+p.flags, func(t *testing.T) {
			b := newBenchA64(t)
			exe := p.build(t, b)
			pl, err := Make(exe)
			if err != nil {
				t.Fatal(err)
			}
			refusesKnown(t, pl)
			output, code := emulate(t, nil, nil, exe)
			out, c, dir := b.seenA64(t, []*Plan{pl}, nil, exe)
			if out != output || c != code {
				t.Fatalf("code %d, output:\n%s\ninstead of %d:\n%s", c, out, code, output)
			}
			calls := readLogs(t, dir, false)
			if len(calls) == 0 {
				t.Fatal("no calls were seen")
			}
			if p.uncertain {
				return
			}
			out, c, want := toldA64(t, pl, exe)
			if out != output || c != code {
				t.Fatalf("oracle: code %d, output:\n%s", c, out)
			}
			if p.source == "threads.c" { // the log of the first thread has what the process does that is forked last
				calls, want = calls[1:len(calls)-1], want[1:]
			}
			compare(t, pl, calls, want)
		})
	}
}

// Vector registers are as they were, those of processors that have more of them, too.
func TestRegistersA64(t *testing.T) {
	b := newBenchA64(t)
	exe := program{source: "registers.c", compiler: a64Gcc, flags: "-O1"}.build(t, b)
	pl, err := Make(exe)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ which, cpu string }{
		{"neon", "cortex-a57"}, {"neon", "max,sme=off"}, {"sve", "max,sme=off"}, {"sve", "max,sve256=on,sve512=off"},
		{"sme", "max"}, {"neon", "max"},
	} {
		options := []string{"-cpu", c.cpu}
		output, code := emulate(t, nil, options, exe, c.which)
		if out, got, _ := b.seenA64(t, []*Plan{pl}, options, exe, c.which); out != output || got != code {
			t.Errorf("%v: code %d, %s, instead of %d, %s", c, got, out, code, output)
		} else if out == "0 bytes\n" {
			t.Errorf("%v: nothing is kept", c)
		}
	}
}

// TestProgramsWithLibraries for AArch64. Code that the emulator has seen before it changes is not seen as changed.
func TestProgramsWithLibrariesA64(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	b := newBenchA64(t)
	all, err := ParseList("all")
	if err != nil {
		t.Fatal(err)
	}
	var libraries []*Plan
	for _, name := range []string{"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgomp.so.1"} {
		p, err := Make(filepath.Join(a64Root, "lib", name))
		if err != nil {
			t.Skip(err)
		}
		libraries = append(libraries, p)
	}
	for _, p := range programsA64 {
		if !strings.HasPrefix(p.flags, "-O2") {
			continue
		}
		t.Run(p.source+" "+p.flags, func(t *testing.T) {
			exe := p.build(t, b)
			pl, err := Make(exe)
			if err != nil {
				t.Fatal(err)
			}
			plans := append([]*Plan{pl}, libraries...)
			if err := all.Select(plans...); err != nil {
				t.Fatal(err)
			}
			output, code := emulate(t, nil, nil, exe)
			out, c, dir := b.seenA64(t, plans, nil, exe)
			if out != output || c != code {
				t.Fatalf("code %d, output:\n%s\ninstead of %d:\n%s", c, out, code, output)
			}
			if !hasCalls(t, dir, uint64(len(pl.traced()))) {
				t.Error("no calls of libraries were seen")
			}
		})
	}
}
