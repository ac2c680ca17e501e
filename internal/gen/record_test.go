package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/testkit/private"
	"github.com/tabard-hpc/tabard/spec"
)

// built is a directory with the runtime, and an MPI that is nothing but all functions
// of the table, and a program that calls each of them.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tabard-gen-")
	if err != nil {
		return "", err
	}
	builtDir = dir
	api, err := Load(filepath.Join(root, "spec"))
	if err != nil {
		return dir, err
	}
	// Other APIs are recorded if asked for, and have programs of their own (testdata).
	api.Funcs = slices.DeleteFunc(api.Funcs, func(f *Func) bool { return f.ID >= firstFunction && f.API != "mpi" })
	lib, prog := filepath.Join(dir, "lib.c"), filepath.Join(dir, "all.c")
	if err := os.WriteFile(lib, fakeLibrary(api), 0o644); err != nil {
		return dir, err
	}
	if err := os.WriteFile(prog, callAll(api), 0o644); err != nil {
		return dir, err
	}
	// make built the runtime; the tests of package capture fail if that is not of the sources as
	// they are.
	runtime, err := os.ReadFile(filepath.Join(root, "capture", "libtabard.so"))
	if err != nil {
		return dir, err
	}
	if err := os.WriteFile(filepath.Join(dir, "libtabard.so"), runtime, 0o755); err != nil {
		return dir, err
	}
	for _, c := range [][]string{
		{"gcc", "-w", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12", "-o", filepath.Join(dir, "libmpi.so.12"), lib},
		{"gcc", "-w", "-o", filepath.Join(dir, "all"), prog, filepath.Join(dir, "libmpi.so.12"), "-Wl,-rpath," + dir},
	} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			return dir, fmt.Errorf("%v: %w\n%s", c, err, out)
		}
	}
	return dir, nil
})

var builtDir string // to be removed; empty if no test has needed it

func TestMain(m *testing.M) {
	code := m.Run()
	if builtDir != "" {
		os.RemoveAll(builtDir)
	}
	os.Exit(code)
}

func build(t *testing.T) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// answers are the bodies of functions that the runtime itself calls; all sizes
// are 2, all topologies Cartesian.
var answers = map[string]string{
	"MPI_Comm_size":         "*size = 2; return 0;",
	"MPI_Comm_rank":         "*rank = 0; return 0;",
	"MPI_Comm_test_inter":   "*flag = 0; return 0;",
	"MPI_Topo_test":         "*status = 2; return 0;",
	"MPI_Cartdim_get":       "*ndims = 2; return 0;",
	"MPI_Error_class":       "*errorclass = errorcode; return 0;",
	"MPI_Type_get_envelope": "*num_integers = *num_addresses = *num_datatypes = 2; return 0;",
	"MPI_Type_get_envelope_c": "*num_integers = *num_addresses = *num_datatypes = *num_large_counts = 2; " +
		"return 0;",
	"MPI_Graphdims_get":         "*nnodes = *nedges = 2; return 0;",
	"MPI_Graph_neighbors_count": "*nneighbors = 2; return 0;",
	"MPI_Get_library_version": "if (version) strcpy(version, \"MPICH of the test\"); if (resultlen) " +
		"*resultlen = 17; return 0;",
	"MPI_T_category_get_info": "if (num_cvars) *num_cvars = 2; if (num_pvars) *num_pvars = 2; if " +
		"(num_categories) *num_categories = 2; return fake_ret;",
	"MPI_Get_version":               "if (version) *version = 4; if (subversion) *subversion = 0; return fake_ret;",
	"MPI_Abi_get_version":           "if (abi_major) *abi_major = -1; if (abi_minor) *abi_minor = -1; return fake_ret;",
	"MPI_T_category_get_num_events": "*num_events = 2; return 0;",
}

// alwaysSucceeds are functions whose answers do not depend on the wanted return code.
func alwaysSucceeds(name string) bool { return strings.Contains(answers[name], "return 0;") }

func fakeLibrary(api *API) []byte {
	var b bytes.Buffer
	b.WriteString("#include <stdint.h>\n#include <string.h>\nint fake_ret;\n")
	for _, f := range api.Funcs {
		if !f.wrapped() || f.API != "mpi" {
			continue
		}
		params := newWrapper(f).Params
		body := answers[f.Name]
		switch {
		case body != "":
			for _, p := range f.Params { // called with null pointers too
				if p.Pointer && alwaysSucceeds(f.Name) {
					body = fmt.Sprintf("if (!%s) return 0; ", p.Name) + body
				}
			}
		case f.RetKind != "":
			body = "return 7;"
		default:
			body = "return fake_ret;"
		}
		fmt.Fprintf(&b, "%s P%s(%s) { %s }\n%s %s(%s) __attribute__((weak, alias(\"P%s\")));\n",
			f.retType(), f.Name, params, body, f.retType(), f.Name, params, f.Name)
	}
	return b.Bytes()
}

// repeats is how often the program calls a function: from the third time on
// its record refers to a definition.
const repeats = 4

// callAll emits a program that calls every function: initialisation first and
// finalisation last, once; the others repeats times each. Its arguments are the return code of the
// functions, that of the last of the repeated calls, and "null" for null pointers everywhere.
func callAll(api *API) []byte {
	var decl, first, middle, last bytes.Buffer
	for _, f := range api.Funcs {
		if !f.wrapped() || f.API != "mpi" {
			continue
		}
		params := newWrapper(f).Params
		fmt.Fprintf(&decl, "%s %s(%s);\n", f.retType(), f.Name, params)
		var args []string
		for _, p := range f.Params {
			if p.Codec != "None" {
				args = append(args, sample(p))
			}
		}
		to := &middle
		switch f.Name {
		case "MPI_Init":
			to = &first
		case "MPI_Finalize":
			to = &last
		}
		times := repeats
		if to != &middle {
			times = 1
		}
		fmt.Fprintf(to, "    for (int k = 0; k < %d; k++) {\n        fill(k);\n        %s(%s);\n    }\n", times, f.Name,
			strings.Join(args, ", "))
	}
	return []byte("#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\nextern int fake_ret;\n" + decl.String() + `
static int ints[4096];
static long longs[4096];
static char bytes[16384], text[64], *strings[] = {text, text, NULL}, **lists[] = {strings, strings, NULL};
static int code, last_code;
static void fill(int k)
{
    fake_ret = k == 3 ? last_code : code;
    for (int i = 0; i < 4096; i++) ints[i] = longs[i] = 1;
    memset(bytes, 0, sizeof bytes);
    strcpy(text, "some text");
}
int main(int argc, char **argv)
{
    int null = argc > 3;
    code = atoi(argv[1]);
    last_code = atoi(argv[2]);
` + first.String() + middle.String() + last.String() + "    return 0;\n}\n")
}

// sampleHandle is a handle: 2, but MPICH's MPI_COMM_WORLD for communicators,
// since the runtime asks the library about no others than those it knows.
func sampleHandle(c spec.Class, comm bool) uint64 {
	if comm || c == spec.Comm {
		return 0x44000000
	}
	return 2
}

// sample is an argument of the right type: 1, or a handle, or memory that holds it; the root is
// this process.
func sample(p *Param) string {
	t := strings.TrimSpace(p.cType())
	switch {
	case p.Name == "root":
		return "0"
	case t == "int" || t == "long":
		return "1"
	case t == "uintptr_t":
		return fmt.Sprint(sampleHandle(spec.NoClass, p.Class == "Comm"))
	}
	place := map[string]string{"int *": "ints", "long *": "longs", "void *": "bytes", "char *": "text",
		"char **": "strings", "char ***": "lists"}[strings.TrimPrefix(t, "const ")]
	if place == "" {
		panic("no sample of " + t)
	}
	return fmt.Sprintf("null ? NULL : (%s)%s", t, place)
}

// record runs the program and gives the records of functions, and how many of them referred to a
// definition.
func record(t *testing.T, args ...string) (recs []ring.Record, refs int) {
	t.Helper()
	dir, state := build(t), private.Temp(t)
	payload, _ := spec.EventsNamed("payload") // which stands between calls
	samples, _ := spec.EventsNamed("samples")
	if err := ring.CreateControl(state, ring.Config{EventsOff: 1<<payload | 1<<samples}); err != nil {
		t.Fatal(err)
	}
	c, err := ring.OpenControl(state)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Beat()
	cmd := exec.Command(filepath.Join(dir, "all"), args...)
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+filepath.Join(dir, "libtabard.so"), "TABARD_DIR="+state.Path())
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(state.Join("s.*")) // of one thread, in their order as long as a digit numbers them
	if err != nil || len(files) == 0 || len(files) > 9 {
		t.Fatalf("segments %v, %v", files, err)
	}
	var defs ring.Defs
	for _, f := range files {
		s, err := ring.OpenSegment(state, filepath.Base(f))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		for words := s.Words(0, s.Published()); len(words) > 0; {
			rec, rest, err := ring.Next(words)
			if err != nil {
				t.Fatal(err)
			}
			words = rest
			if rec.ID() == ring.RDef {
				if _, err := defs.Define(rec.Payload()); err != nil {
					t.Fatal(err)
				}
			}
			if rec.ID() < spec.FirstFunction {
				continue
			}
			if rec.Flags()&ring.FRef != 0 {
				refs++
			}
			full, err := defs.Expand(rec)
			if err != nil {
				t.Fatal(err)
			}
			recs = append(recs, slices.Clone(full))
		}
	}
	return recs, refs
}

// TestEveryFunction calls every wrapper and decodes its record with the tables: what the
// wrappers write is what the tables say, value by value.
func TestEveryFunction(t *testing.T) {
	for _, tt := range []struct {
		name string
		ret  int32
		last int32 // of repeated calls
		null bool
	}{
		{"success", 0, 0, false}, {"null pointers", 0, 0, true}, {"error", 5, 5, false},
		{"error in status", 17, 17, false},
		{"error, null pointers", 5, 5, true}, {"error in the end", 0, 5, false},
		{"error in status in the end", 0, 17, false},
		{"success in the end", 5, 0, false}, {"another error in the end", 17, 5, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := []string{fmt.Sprint(tt.ret), fmt.Sprint(tt.last)}
			if tt.null {
				args = append(args, "null")
			}
			recs, refs := record(t, args...)
			calls := -2 * (repeats - 1) // MPI_Init, MPI_Finalize
			for _, f := range load(t).Funcs {
				if f.wrapped() && f.API == "mpi" {
					calls += repeats
				}
			}
			if len(recs) != calls {
				t.Errorf("%d records, want %d", len(recs), calls)
			}
			if refs < calls/2*9/10 {
				t.Errorf("%d of %d records refer to definitions, expected half of them", refs, calls)
			}
			seen := map[spec.ID]int{}
			for _, rec := range recs {
				f := spec.ByID(rec.ID())
				ret := tt.ret
				if seen[f.ID]++; seen[f.ID] == repeats {
					ret = tt.last
				}
				if f.Has(spec.ReturnsValue) || alwaysSucceeds(f.Name) {
					ret = 0
				}
				if rec.Ret() != ret {
					t.Errorf("%s: returned %d, want %d", f.Name, rec.Ret(), ret)
				}
				checkRecord(t, f, rec, ret, tt.null)
			}
		})
	}
}

func checkRecord(t *testing.T, f *spec.Func, rec ring.Record, ret int32, null bool) {
	t.Helper()
	raws, rest, err := ring.DecodeEntry(nil, f, rec.Absent(), rec.Payload())
	if err == nil {
		raws, err = ring.DecodeReturn(raws, f, rec.Absent(), ret, rest)
	}
	if err != nil {
		t.Error(err)
		return
	}
	for i := range raws {
		s, r := &f.Slots[i], &raws[i]
		name := "result"
		if s.Param >= 0 {
			name = f.Params[s.Param].Name
		}
		if want := wantPresent(f, s, ret, null); r.Present != want {
			t.Errorf("%s: %s (slot %d) is present: %t, want %t", f.Name, name, i, r.Present, want)
		} else if want {
			checkValue(t, f, s, r, name, null)
		}
	}
}

// wantPresent: with null pointers only what is passed by value is there; after an
// error the results are missing.
func wantPresent(f *spec.Func, s *spec.Slot, ret int32, null bool) bool {
	if s.Param < 0 {
		return true
	}
	p := &f.Params[s.Param]
	long := p.Array || p.Codec == spec.String || p.Codec == spec.StringArray || p.Codec == spec.StringArray2
	if null && (p.Pointer || long) {
		return false
	}
	if s.Out && ret != 0 {
		return s.OnError || f.Has(spec.OutOnError) && ret == 17
	}
	return !s.OnError
}

// checkValue compares scalars with what the program passed, and arrays with their possible lengths.
func checkValue(t *testing.T, f *spec.Func, s *spec.Slot, r *ring.Raw, name string, null bool) {
	t.Helper()
	if long := s.Array || s.Codec == spec.String || s.Codec == spec.StringArray || s.Codec == spec.StringArray2; long {
		checkLong(t, f, s, r, name)
		return
	}
	switch s.Codec {
	case spec.Int:
		want := int64(1)
		if name == "root" {
			want = 0
		}
		if s.Param < 0 {
			want = 7
		}
		if !s.Out && int64(r.Word()) != want || s.Param < 0 && int64(r.Word()) != want {
			t.Errorf("%s: %s is %d, want %d", f.Name, name, int64(r.Word()), want)
		}
	case spec.Handle:
		if byValue := s.Param >= 0 && !f.Params[s.Param].Pointer; byValue && s.Class != spec.Keyval &&
			r.Word() != sampleHandle(s.Class, false) {
			t.Errorf("%s: %s is %#x, want %#x", f.Name, name, r.Word(), sampleHandle(s.Class, false))
		}
	case spec.Address, spec.Displacement:
		a := ring.ParseAddress(r.Word())
		if s.Codec == spec.Address && !s.Out && (a.Class == ring.WLiteral) != null {
			t.Errorf("%s: %s is address %+v", f.Name, name, a)
		}
	}
}

func checkLong(t *testing.T, f *spec.Func, s *spec.Slot, r *ring.Raw, name string) {
	t.Helper()
	elem := map[spec.Codec]uint8{spec.Int: s.Bits / 8, spec.Handle: 8, spec.Displacement: 8, spec.String: 1}[s.Codec]
	if elem != 0 && r.Elem != elem {
		t.Errorf("%s: %s has elements of %d bytes, want %d", f.Name, name, r.Elem, elem)
	}
	p := &f.Params[s.Param]
	lengths := map[spec.LenRule][]int{spec.LenParam: {1}, spec.LenParam3: {3}, spec.LenOut: {1}, spec.LenSum: {1},
		spec.LenLast: {1}, spec.LenLocalSize: {2}, spec.LenPeerSize: {2}, spec.LenIndegree: {4}, spec.LenOutdegree: {4},
		spec.LenCartDims: {2}, spec.LenNullTerm: {2}}
	if p.Len == spec.LenString {
		switch text := r.Text(); {
		case !s.Out && text != "some text", s.Out && text != "" && !strings.HasPrefix("some text", text) &&
			text != "MPICH of the test":
			t.Errorf("%s: %s is %q", f.Name, name, text)
		}
		return
	}
	if !slices.Contains(lengths[p.Len], r.N) {
		t.Errorf("%s: %s has %d elements, want %v", f.Name, name, r.N, lengths[p.Len])
	}
}

// TestWrappersExport: the runtime exports each function and its profiling twin (PMPI_X of MPI_X) as
// one, and no other names of MPI.
func TestWrappersExport(t *testing.T) {
	syms := wrapperSymbols(t)
	n := 0
	for _, f := range load(t).Funcs {
		if !f.wrapped() {
			continue
		}
		n++
		a, ok := syms[f.Name]
		if !ok {
			t.Errorf("%s is not exported", f.Name)
		}
		if f.Twin == "" {
			continue
		}
		n++
		if b, ok := syms[f.Twin]; !ok || a != b {
			t.Errorf("%s: profiling form exported %t, at %#x and %#x", f.Name, ok, a, b)
		}
	}
	if n != len(syms) {
		t.Errorf("%d functions are exported, want %d", len(syms), n)
	}
}

// wrapperSymbols gives the addresses of the functions of the table that the runtime exports, and of all others that
// are called like those of MPI.
func wrapperSymbols(t *testing.T) map[string]uint64 {
	t.Helper()
	f, err := elf.Open(filepath.Join(build(t), "libtabard.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	m, listed := map[string]uint64{}, map[string]bool{}
	for _, f := range load(t).Funcs {
		if f.API == libcAPI || f.Shape != "" {
			continue // not made here
		}
		listed[f.Name], listed[f.Twin] = true, true
	}
	for _, s := range all {
		if s.Section != elf.SHN_UNDEF && (listed[s.Name] || strings.HasPrefix(strings.TrimPrefix(s.Name, "P"), "MPI")) {
			m[s.Name] = s.Value
		}
	}
	return m
}
