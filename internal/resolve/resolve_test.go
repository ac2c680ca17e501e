package resolve

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const program = `
int counter[10];
static int hidden;
int callee(int);
int caller(int x)
{
    int a = callee(x);
    int b = callee(a);
    return a + b + counter[x] + hidden++;
}
__attribute__((noinline)) int callee(int x) { return x + 1; }
int main(void) { return caller(1); }
`

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

func build(t *testing.T, source, ext, compiler string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	src, bin := filepath.Join(dir, "program."+ext), filepath.Join(dir, "program")
	if err := os.WriteFile(src, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, compiler, append([]string{"-o", bin, src, "-g", "-O1", "-Wl,--build-id"}, flags...)...)
	return bin
}

func symbol(t *testing.T, path, name string) elf.Symbol {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range syms {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no symbol %s", name)
	return elf.Symbol{}
}

// returns finds the two places in a function where it calls the function callee.
func returns(t *testing.T, path, name string) []uint64 {
	t.Helper()
	r := calls(t, path, name)
	if len(r) != 2 {
		t.Fatalf("%d direct calls found, want 2", len(r))
	}
	return r
}

// calls finds return addresses in a function: one after each instruction (E8) that calls callee.
func calls(t *testing.T, path, name string) []uint64 {
	t.Helper()
	s := symbol(t, path, name)
	callee := symbol(t, path, "callee").Value
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := f.Section(".text")
	b, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	var r []uint64
	for a := s.Value; a+5 <= s.Value+s.Size; a++ {
		at := a - text.Addr
		if b[at] == 0xe8 {
			rel := int32(uint32(b[at+1]) | uint32(b[at+2])<<8 | uint32(b[at+3])<<16 | uint32(b[at+4])<<24)
			if a+5+uint64(int64(rel)) == callee {
				r = append(r, a+5)
			}
		}
	}
	return r
}

func check(t *testing.T, bin, id string, ret []uint64, counter uint64, lines bool) {
	t.Helper()
	q := []Query{{ret[1], Return}, {counter + 12, Data}, {ret[0], Return}, {1 << 39, Return}}
	locs, err := File(bin, id, q)
	if err != nil {
		t.Fatal(err)
	}
	if locs[0].Symbol != "caller" || locs[2].Symbol != "caller" {
		t.Errorf("functions %+v", locs)
	}
	if locs[1].Symbol != "counter" || locs[1].Delta != 12 {
		t.Errorf("data %+v", locs[1])
	}
	if !unknown(locs[3]) {
		t.Errorf("nowhere is %+v", locs[3])
	}
	if lines && (text(locs[0]) != "caller program.c:8" || text(locs[2]) != "caller program.c:7") {
		t.Errorf("lines %+v", locs)
	}
}

func unknown(l Location) bool { return reflect.DeepEqual(l, Location{}) }

// text is the frames of a place, innermost first.
func text(l Location) string {
	var parts []string
	for _, f := range l.Frames {
		parts = append(parts, fmt.Sprintf("%s %s:%d", f.Func, filepath.Base(f.File), f.Line))
	}
	return strings.Join(parts, " < ")
}

func TestLayouts(t *testing.T) {
	for name, flags := range map[string][]string{
		"pie":        {"-fPIE", "-pie"},
		"fixed":      {"-fno-pie", "-no-pie"},
		"dwarf4":     {"-gdwarf-4"},
		"dwarf5":     {"-gdwarf-5"},
		"compressed": {"-gz"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := build(t, program, "c", "gcc", flags...)
			id, err := BuildID(bin)
			if err != nil || id == "" {
				t.Fatal(id, err)
			}
			check(t, bin, id, returns(t, bin, "caller"), symbol(t, bin, "counter").Value, true)
		})
	}
}

func TestSeparateDebugFile(t *testing.T) {
	bin := build(t, program, "c", "gcc")
	ret, counter := returns(t, bin, "caller"), symbol(t, bin, "counter").Value
	dbg := filepath.Join(filepath.Dir(bin), "program.dbg")
	run(t, "objcopy", "--only-keep-debug", bin, dbg)
	run(t, "strip", "-s", bin)
	run(t, "objcopy", "--add-gnu-debuglink="+dbg, bin)
	id, _ := BuildID(bin)
	check(t, bin, id, ret, counter, true)

	// A debug file of another build must not be believed.
	other := build(t, strings.Replace(program, "x + 1", "x * 3", 1), "c", "gcc")
	run(t, "objcopy", "--only-keep-debug", other, dbg)
	locs, err := File(bin, id, []Query{{ret[0], Return}})
	if err != nil || !unknown(locs[0]) {
		t.Errorf("%+v %v", locs, err)
	}
}

func TestRebuilt(t *testing.T) {
	bin := build(t, program, "c", "gcc")
	_, err := File(bin, "0123456789abcdef", []Query{{0x1000, Return}})
	if !errors.Is(err, ErrRebuilt) {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	cc := build(t, "namespace ns { struct A { int f(int); }; int A::f(int x) { return x; } }\n"+
		"int main() { ns::A a; return a.f(1); }\n", "cc", "g++")
	s := symbol(t, cc, "_ZN2ns1A1fEi")
	locs, err := File(cc, "", []Query{{s.Value, Code}})
	if err != nil || text(locs[0]) != "ns::A::f(int) program.cc:1" {
		t.Errorf("%+v %v", locs, err)
	}
	ff := build(t, "subroutine work(x)\ninteger x\nx = x + 1\nend subroutine\n"+
		"program p\ninteger i\ni = 1\ncall work(i)\nprint *, i\nend program\n", "f90", "gfortran")
	s = symbol(t, ff, "work_")
	locs, err = File(ff, "", []Query{{s.Value, Code}})
	if err != nil || text(locs[0]) != "work_ program.f90:3" {
		t.Errorf("%+v %v", locs, err)
	}
}

// TestDamaged resolves addresses in broken copies of a binary. Any answer is fine, but no panic and
// no hang.
func TestDamaged(t *testing.T) {
	bin := build(t, program, "c", "gcc")
	good, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	q := []Query{{0x1130, Return}, {0x4040, Data}}
	for i := 0; i < 300; i++ {
		b := append([]byte(nil), good...)
		for k := 0; k < 8; k++ {
			b[(i*7919+k*104729)%len(b)] ^= byte(1 << (i % 8))
		}
		if i%10 == 0 {
			b = b[:len(b)*i/300]
		}
		if err := os.WriteFile(bad, b, 0o600); err != nil {
			t.Fatal(err)
		}
		locs, err := File(bad, "", q)
		if err == nil && len(locs) != len(q) {
			t.Fatal("missing locations")
		}
	}
	if _, err := File(filepath.Join(t.TempDir(), "none"), "", q); !os.IsNotExist(err) {
		t.Error(err)
	}
}
