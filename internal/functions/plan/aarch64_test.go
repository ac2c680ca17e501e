package plan

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func words(w ...uint32) []byte {
	var b []byte
	for _, v := range w {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// What is relative to its place is told by kind and target; the words are what as makes of the text.
func TestDecodeA64(t *testing.T) {
	const at = 0x401000
	for _, c := range []struct {
		text string
		word uint32
		want a64
	}{
		{"b .+8", 0x14000002, a64{jump, a64Branch, at + 8}},
		{"b .-4", 0x17ffffff, a64{jump, a64Branch, at - 4}},
		{"bl .+4096", 0x94000400, a64{call, a64Branch, at + 4096}},
		{"b.ne .-8", 0x54ffffc1, a64{branch, a64Branch, at - 8}},
		{"cbz x0, .+16", 0xb4000080, a64{branch, a64Branch, at + 16}},
		{"cbnz w3, .-16", 0x35ffff83, a64{branch, a64Branch, at - 16}},
		{"tbz x0, #33, .+12", 0xb6080060, a64{branch, a64Branch, at + 12}},
		{"tbnz w1, #2, .-4", 0x3717ffe1, a64{branch, a64Branch, at - 4}},
		{"adr x0, .+5", 0x30000020, a64{plain, a64Take, at + 5}},
		{"adr x0, .-1", 0x70ffffe0, a64{plain, a64Take, at - 1}},
		{"adrp x0, .-0x1000", 0xf0ffffe0, a64{plain, a64Page, at - 0x1000}},
		{"ldr x0, .+8", 0x58000040, a64{plain, a64Literal, at + 8}},
		{"ldr q1, .-16", 0x9cffff81, a64{plain, a64Literal, at - 16}},
		{"prfm pldl1keep, .+8", 0xd8000040, a64{plain, a64Literal, at + 8}},
		{"br x16", 0xd61f0200, a64{kind: jumpAway}},
		{"blr x16", 0xd63f0200, a64{kind: call, what: a64Unknown}},
		{"ret", 0xd65f03c0, a64{kind: leave}},
		{"retaa", 0xd65f0bff, a64{kind: leave}},
		{"udf #0", 0, a64{kind: leave}},
		{"paciasppc", 0xdac1a3fe, a64{what: a64Unknown}},
		{"stp x29, x30, [sp, #-16]!", 0xa9bf7bfd, a64{}},
		{"ldr x0, [x1, #8]", 0xf9400420, a64{}},
		{"add x0, x1, x2", 0x8b020020, a64{}},
		{"ldp d0, d1, [x0]", 0x6d400400, a64{}},
		{"nop", a64Nop, a64{}},
	} {
		if got := decodeA64(c.word, at); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.text, got, c.want)
		}
	}
}

// Landing pads and signatures stay, and a signature is made again in the moved code.
func TestEntryA64(t *testing.T) {
	const bti, save, back = 0xd503245f, 0xa9bf7bfd, a64B
	for _, c := range []struct {
		code, moved []byte
		entry       uint8
		refused     string
	}{
		{words(save, a64Nop), words(save, back), 0, ""},
		{words(bti, save), words(save, back), 4, ""},
		{words(a64SignA, save), words(a64SignA, save, back), 4, ""},
		{words(bti, a64SignB, save), words(a64SignB, save, back), 8, ""},
		{words(a64SignA), nil, 0, "too short"},
		{words(0xb4000080), words(0xb4000040, a64B, a64B), 0, ""},                                  // cbz
		{words(0xb6080060), words(0xb6080040, a64B, a64B), 0, ""},                                  // tbz
		{words(0x9cffff81), words(a64Adrp|17, a64Add|0xff0<<10|17<<5|17, 0x3dc00221, back), 0, ""}, // ldr q1
		{words(0xd65f03c0), words(0xd65f03c0), 0, ""},                                              // ret
		{words(0xd63f0200), nil, 0, notMovable},
		{words(0xdac1a3fe), nil, 0, notMovable},
	} {
		f := Function{Addr: 0x401000}
		if why := displaceA64(&f, c.code); why != c.refused {
			t.Errorf("%x: %q, want %q", c.code, why, c.refused)
		} else if why == "" && (f.Entry != c.entry || string(f.Displaced) != string(c.moved)) {
			t.Errorf("%x: moved %x at %d, want %x at %d", c.code, f.Displaced, f.Entry, c.moved, c.entry)
		}
	}
}

// What calls without a frame, its return address in a register, is left alone, and so is what it calls.
func TestFramelessA64(t *testing.T) {
	const save, keep, at = 0xa9bf7bfd, a64FromLink | 15, 0x1000
	for _, c := range []struct {
		code   []byte
		caller bool
	}{
		{words(keep, a64Bl|3, a64Nop, a64Nop, 0xd65f03c0), true},
		{words(keep, save, a64Bl|2, a64Nop, 0xd65f03c0), false},
		{words(save, keep, a64Bl|2, a64Nop, 0xd65f03c0), false},
		{words(a64Nop, a64Bl|3, a64Nop, a64Nop, 0xd65f03c0), false}, // it does not return
		{words(keep, 0xd10043ff, a64Bl|2, a64Nop, 0xd65f03c0), false},
		{words(keep, 0xf81f0ffe, a64Bl|2, a64Nop, 0xd65f03c0), false},
	} {
		im := &image{aarch64: true, code: []section{{".text", at, c.code}}}
		p := im.scan()
		if p.frameless.has(at) != c.caller || p.frameless.has(at+16) != c.caller || p.frameless.has(at+8) {
			t.Errorf("%x: it calls without a frame: %v, its callee: %v, want %v", c.code, p.frameless.has(at),
				p.frameless.has(at+16), c.caller)
		}
	}
}

// rewriter changes an executable file where the runtime would change memory.
type rewriter struct {
	t       *testing.T
	b       []byte
	elf     *elf.File
	symbols map[string]elf.Symbol
}

func (r *rewriter) at(addr uint64) []byte {
	for _, p := range r.elf.Progs {
		if p.Type == elf.PT_LOAD && addr-p.Vaddr < p.Filesz {
			return r.b[p.Off+addr-p.Vaddr:]
		}
	}
	r.t.Fatalf("%#x is not in the file", addr)
	return nil
}

func (r *rewriter) word(name string, v uint64) {
	binary.LittleEndian.PutUint64(r.at(r.symbols[name].Value), v)
}

// fix sets the field of an instruction at a place to what it is there.
func fixA64(b []byte, at uint64, k fixupKind, target uint64) {
	w := binary.LittleEndian.Uint32(b)
	switch k {
	case fixBranch:
		put32(b, w|uint32(int64(target-at)>>2)&0x3ffffff)
	case fixPage:
		put32(b, w|a64Pages(int64(target>>12)-int64(at>>12)))
	case fixAbsolute:
		binary.LittleEndian.PutUint64(b, target)
	}
}

// rewrite gives all functions named traced_ templates; their names come back in the order of their numbers.
func (r *rewriter) rewrite(path string) (names []string) {
	p, err := Make(path)
	if err != nil {
		r.t.Fatal(err)
	}
	var functions []*Function
	for i := range p.Functions {
		f := &p.Functions[i]
		if !strings.HasPrefix(f.String(), "traced_") {
			continue
		}
		if f.Refused != "" || f.Loops != (f.String() == "traced_loops") {
			r.t.Fatalf("%v: refused: %q, loops: %v", f, f.Refused, f.Loops)
		}
		functions = append(functions, f)
	}
	a, arena := buildA64(functions), r.symbols["arena"].Value
	for x := a.fixups; len(x) > 0; x = x[fixupBytes:] {
		at := binary.LittleEndian.Uint32(x)
		fixA64(a.code[at:], arena+uint64(at), fixupKind(x[6]), binary.LittleEndian.Uint64(x[8:]))
	}
	for i, name := range []string{"stub_enter", "stub_leave", "stub_loop"} {
		binary.LittleEndian.PutUint64(a.code[8*i:], r.symbols[name].Value)
	}
	for i, f := range functions {
		put32(a.code[a.at[i]+a64Number:], uint32(i))
		entry := f.Addr + uint64(f.Entry)
		put32(r.at(entry), a64B)
		fixA64(r.at(entry), entry, fixBranch, arena+uint64(a.at[i]))
		names = append(names, strings.TrimPrefix(f.Names[0], "traced_"))
	}
	copy(r.at(arena), a.code)
	r.word("frames_at", arena+uint64(a.frames)+12+8*uint64(len(functions)))
	return names
}

// Programs whose entries are changed do the same as before, and their templates tell of every call and return.
func TestTemplatesA64(t *testing.T) {
	for _, tool := range []string{"aarch64-linux-gnu-gcc", "qemu-aarch64"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no ", tool)
		}
	}
	for _, flags := range []string{
		"-O0", "-O2", "-O2 -mbranch-protection=standard", "-O1 -mbranch-protection=pac-ret+leaf+b-key",
		"-O2 -fpatchable-function-entry=2",
	} {
		t.Run(flags, func(t *testing.T) { templatesA64(t, strings.Fields(flags)) })
	}
}

func templatesA64(t *testing.T, flags []string) {
	exe := filepath.Join(t.TempDir(), "program")
	args := append(flags, "-static", "-no-pie", "-fexceptions", "-fno-optimize-sibling-calls", "-o", exe,
		"testdata/aarch64.c")
	if out, err := exec.Command("aarch64-linux-gnu-gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	before, err := exec.Command("qemu-aarch64", exe).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, before)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := &rewriter{t: t, elf: f, symbols: map[string]elf.Symbol{}}
	r.b, _ = os.ReadFile(exe)
	all, _ := f.Symbols()
	for _, s := range all {
		r.symbols[s.Name] = s
	}
	names := r.rewrite(exe)
	os.Remove(exe)
	if err := os.WriteFile(exe, r.b, 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("qemu-aarch64", exe).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	same, told, _ := strings.Cut(string(out), "told ")
	if same != string(before) {
		t.Errorf("it writes\n%s, and as it is\n%s", same, before)
	}
	if got := calls(strings.TrimSpace(told), names); got != wantCalls {
		t.Errorf("told\n%s, want\n%s", got, wantCalls)
	}
}

// calls names what was told: a letter is a function's number, a point a return.
func calls(told string, names []string) string {
	var b strings.Builder
	for _, c := range told {
		if c == '.' {
			b.WriteString(" .")
		} else {
			b.WriteString(" " + names[c-'A'])
		}
	}
	return b.String()
}

// fib is what is told of a call of fib(n).
func fib(n int) string {
	if n < 2 {
		return " fib ."
	}
	return " fib" + fib(n-1) + fib(n-2) + " ."
}

// The arguments of a call of printf are evaluated from the first to the last on AArch64. What a tail call calls is told
// without a return of its own, as is what a jump leaves.
var wantCalls = fib(6) + " sum . big ." +
	" adr . literal . signed . double ." +
	" cbz . cbz . tbz . tbz ." +
	" tail cbz . loops . landing cbz . cbz . page ." +
	" jumps jumps jumps jumps walks walks walks walks . . . ."

// Of the C library for AArch64 nearly all can be planned, each that cannot has a reason, and all of it is found in the
// runtime's file.
func TestCoverageA64(t *testing.T) {
	found, _ := filepath.Glob("/usr/aarch64-linux-gnu/lib/lib[cm].so.6")
	if len(found) == 0 {
		t.Skip("no C library for AArch64")
	}
	for _, path := range found {
		p, err := Make(path)
		if err != nil {
			t.Fatal(err)
		}
		why := map[string]int{}
		for i := range p.Functions {
			why[p.Functions[i].Refused]++
		}
		traced, refused := p.Count()
		t.Logf("%s: %d traced, %d not: %v", path, traced, refused, why)
		if traced < 6*refused {
			t.Errorf("%s: %d functions traced, %d refused", path, traced, refused)
		}
		again := unpack(p.pack())
		if again == nil || !again.valid() {
			t.Fatalf("%s: the plan cannot be read again", path)
		}
		if again.Path = path; string(again.Encode()) != string(p.Encode()) {
			t.Errorf("%s: the plan is another one when it is read again", path)
		}
		if b := p.Encode(); int(binary.LittleEndian.Uint32(b[8:])) != traced {
			t.Errorf("%s: %d in the file, %d traced", path, binary.LittleEndian.Uint32(b[8:]), traced)
		}
	}
}

// Where the code of the C library for AArch64 goes and what it refers to is as objdump tells.
func TestDecodeA64AsObjdump(t *testing.T) {
	const path = "/usr/aarch64-linux-gnu/lib/libc.so.6"
	im, err := open(path)
	if err != nil {
		t.Skip("no C library for AArch64")
	}
	out, err := exec.Command("aarch64-linux-gnu-objdump", "-d", "-w", "-j", ".text", path).Output()
	if err != nil {
		t.Skip("no aarch64-linux-gnu-objdump")
	}
	compared := map[a64Address]int{}
	for _, line := range strings.Split(string(out), "\n") {
		parts := strings.Split(line, "\t")
		at, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(parts[0], ":")), 16, 64)
		if len(parts) < 3 || err != nil || strings.HasPrefix(parts[2], ".") || parts[2] == "udf" {
			continue
		}
		in := decodeA64(binary.LittleEndian.Uint32(im.codeAt(at)), at)
		text, _, _ := strings.Cut(strings.Join(parts[3:], ", "), " <")
		target := text[strings.LastIndexAny(text, " \t")+1:]
		want, err := strconv.ParseUint(target, 16, 64)
		if relative := err == nil && strings.Contains(line, " <"); !relative {
			want = 0
		}
		if compared[in.what]++; in.target != want {
			t.Errorf("%s: target %#x, want %#x", line, in.target, want)
		}
	}
	for _, what := range []a64Address{a64None, a64Branch, a64Take, a64Page} { // it has no literals
		if compared[what] == 0 {
			t.Errorf("nothing compared of %d: %v", what, compared)
		}
	}
	t.Log(compared)
}
