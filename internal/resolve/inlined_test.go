package resolve

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const inlinedC = `
__attribute__((noinline)) int callee(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
static inline __attribute__((always_inline)) int inner(int x) {
    return callee(x) + 1; }
static inline __attribute__((always_inline)) int halo(int x) {
    return inner(x) * 2; }
__attribute__((noinline)) int step(int x)
{
    int a = halo(x);
    a += inner(a);
    return a + callee(a);
}
int main(int n, char **v) { return step(n); }
`

const inlinedCC = `
extern "C" { __attribute__((noinline)) int callee(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; } }
namespace ns {
template <class T> struct comm {
    __attribute__((always_inline)) T send(T x) {
        return callee(x) + 1; } };
}
extern "C" __attribute__((noinline)) int step(int x)
{
    ns::comm<int> c;
    auto f = [&](int y) __attribute__((always_inline)) {
        return c.send(y) + 1; };
    return f(x) + 1;
}
int main(int n, char **v) { return step(n); }
`

// frames are the frames of all calls in step, in order of their addresses.
func frames(t *testing.T, bin string) []string {
	t.Helper()
	var q []Query
	for _, a := range calls(t, bin, "step") {
		q = append(q, Query{a, Return})
	}
	locs, err := File(bin, "", q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range locs {
		out = append(out, text(l))
	}
	return out
}

func TestInlined(t *testing.T) {
	want := []string{
		"inner program.c:4 < halo program.c:6 < step program.c:9",
		"inner program.c:4 < step program.c:10",
		"step program.c:11",
	}
	for name, flags := range map[string][]string{
		"dwarf4":      {"-gdwarf-4"},
		"dwarf5":      {"-gdwarf-5"},
		"compressed":  {"-gz"},
		"lto":         {"-flto"},
		"no siblings": {"-gdwarf-5", "-ffunction-sections", "-Wl,--gc-sections"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := frames(t, build(t, inlinedC, "c", "gcc", flags...)); !slices.Equal(got, want) {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestInlinedCpp(t *testing.T) {
	got := frames(t, build(t, inlinedCC, "cc", "g++"))
	want := "ns::comm<int>::send(int) program.cc:6 < operator() program.cc:12 < " +
		"step program.cc:13"
	if len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
}

// TestSplit: with split DWARF the debug information that remains in the program has the lines only.
func TestSplit(t *testing.T) {
	want := []string{"step program.c:4", "step program.c:4", "step program.c:11"}
	if got := frames(t, build(t, inlinedC, "c", "gcc", "-gsplit-dwarf")); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestContained: procedures inside of a Fortran procedure are described inside of it.
func TestContained(t *testing.T) {
	bin := build(t, `module solver
contains
subroutine exchange(x)
  integer, intent(inout) :: x
  call deep(x)
contains
  subroutine deep(y)
    integer, intent(inout) :: y
    call callee(y)
  end subroutine
end subroutine
end module
program p
  use solver
  integer i
  i = 1
  call exchange(i)
  print *, i
end program
subroutine callee(x) bind(c, name="callee")
  integer, intent(inout) :: x
  x = x + 1
end subroutine
`, "f90", "gfortran", "-fno-inline")
	q := []Query{{symbol(t, bin, "deep.0").Value, Code}, {symbol(t, bin, "__solver_MOD_exchange").Value, Code}}
	locs, err := File(bin, "", q)
	if err != nil || text(locs[0]) != "deep program.f90:9" || text(locs[1]) != "solver::exchange program.f90:5" {
		t.Errorf("%+v %v", locs, err)
	}
}

func TestReadable(t *testing.T) {
	for name, want := range map[string]string{
		"__solver_MOD_exchange":       "solver::exchange",
		"__a_b_MOD_c_d.constprop.0":   "a_b::c_d",
		"solver_mp_exchange_":         "solver::exchange",
		"_QMsolverPexchange":          "solver::exchange",
		"_QPwork":                     "work",
		"halo.constprop.0.isra.0":     "halo",
		"halo.part.0.cold":            "halo",
		"halo.cold":                   "halo",
		"deep.0":                      "deep",
		"main":                        "main",
		"work_":                       "work_",
		"a.out":                       "a.out",
		"_ZN2ns1A1fEi.part.0":         "ns::A::f(int)",
		"_ZN2ns1A1fEi.isra.0.cold":    "ns::A::f(int)",
		"__lto_MOD":                   "__lto_MOD",
		"MPI_COMP_mp_":                "MPI_COMP_mp_",
		"_ZSt4moveIRiEONSt16remove_r": "_ZSt4moveIRiEONSt16remove_r",
	} {
		if got := readable(name, false); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := readable("buffer.0", true); got != "buffer.0" {
		t.Error(got)
	}
}

// shared is the debug information of a program as dwz leaves it: what describes the functions is in
// another file, in the forms DW_FORM_GNU_ref_alt and DW_FORM_GNU_strp_alt.
const shared = `
	.globl _start, callee, step
	.type step, @function
	.type callee, @function
	.text
callee:	ret
step:
.Lstep:
.Linner:
	call callee
.Linner_end:
	ret
.Lstep_end:
	.size step, . - step
_start:	call step
	.section .debug_abbrev
	.uleb128 1, 0x11 # compile unit
	.byte 1
	.uleb128 0x3, 0x1f21, 0x11, 0x1, 0x12, 0x6, 0x10, 0x17, 0, 0
	.uleb128 2, 0x2e # subprogram
	.byte 1
	.uleb128 0x31, 0x1f20, 0x11, 0x1, 0x12, 0x6, 0, 0
	.uleb128 3, 0x1d # inlined
	.byte 0
	.uleb128 0x31, 0x1f20, 0x11, 0x1, 0x12, 0x6, 0x58, 0xb, 0x59, 0xb, 0, 0
	.byte 0
	.section .debug_info
	.long .Lend - .Lversion
.Lversion:
	.value 4
	.long 0
	.byte 8
	.uleb128 1
	.long 0
	.quad .Lstep
	.long .Lstep_end - .Lstep
	.long 0
	.uleb128 2
	.long STEP
	.quad .Lstep
	.long .Lstep_end - .Lstep
	.uleb128 3
	.long INNER
	.quad .Linner
	.long .Linner_end - .Linner
	.byte 1, 77
	.byte 0, 0
.Lend:
	.section .debug_line
	.long .Lline_end - .Lline
.Lline:	.value 4
	.long .Lprogram - .Lheader
.Lheader:
	.byte 1, 1, 1, -5, 14, 10
	.byte 0, 1, 1, 1, 1, 0, 0, 0, 1
	.byte 0
	.string "shared.c"
	.byte 0, 0, 0, 0
.Lprogram:
	.byte 0, 9, 2
	.quad .Lstep
	.byte 3, 40, 1
	.byte 2
	.uleb128 .Lstep_end - .Lstep
	.byte 0, 1, 1
.Lline_end:
	.section .gnu_debugaltlink
	.string "common.debug"
	.byte 1, 2, 3, 4
`

const common = `
	.section .debug_str
	.string "shared.c"
.Lname:	.string "step"
	.section .debug_abbrev
	.uleb128 1, 0x3c # partial unit
	.byte 1
	.uleb128 0, 0
	.uleb128 2, 0x2e # subprogram
	.byte 0
	.uleb128 0x3, 0x8, 0, 0
	.uleb128 3, 0x2e
	.byte 0
	.uleb128 0x3, 0xe, 0, 0
	.byte 0
	.section .debug_info
	.long .Lend - .Lversion
.Lversion:
	.value 4
	.long 0
	.byte 8
	.uleb128 1
.Linner: .uleb128 2
	.string "inner"
.Lstep:	.uleb128 3
	.long 9
	.byte 0
.Lend:
	.globl _start
	.text
_start:	ret
`

func TestSharedDebugFile(t *testing.T) {
	dir := t.TempDir()
	assemble := func(name, id, source string) string {
		src, bin := filepath.Join(dir, name+".s"), filepath.Join(dir, name)
		if err := os.WriteFile(src, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, "gcc", "-nostdlib", "-no-pie", "-Wl,--build-id="+id, "-o", bin, src)
		return bin
	}
	assemble("common.debug", "0x01020304", common)
	// The offsets of the two functions: 11 bytes of header, 1 of the unit.
	source := strings.NewReplacer("INNER", "12", "STEP", "19").Replace(shared)
	bin := assemble("shared", "none", source)
	want := []string{"inner shared.c:41 < step shared.c:77"}
	if got := frames(t, bin); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	// A file of another build is not believed.
	assemble("common.debug", "0x01020305", common)
	want = []string{" shared.c:41 < step shared.c:77"}
	if got := frames(t, bin); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestManyUnits bounds the time for a large program: 1,000 functions with inlined code in each
// beside the one that is asked for.
func TestManyUnits(t *testing.T) {
	var b strings.Builder
	b.WriteString(inlinedC)
	for i := range 1000 {
		fmt.Fprintf(&b, "int f%d(int x) { for (int i = 0; i < x; i++) x += halo(i) + inner(x); return x; }\n", i)
	}
	bin := build(t, b.String(), "c", "gcc", "-O0")
	begin := time.Now()
	frames(t, bin)
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("it took %v", d)
	}
}
