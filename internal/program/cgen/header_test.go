package cgen

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/spec"
)

// fakeHeader is an mpi.h for the compiler only: the functions and objects of spec, as every MPI has
// them.
func fakeHeader() string {
	var b strings.Builder
	b.WriteString("#ifndef MPI_INCLUDED\n#define MPI_INCLUDED\n#define MPI_VERSION 5\n" +
		"typedef long MPI_Aint, MPI_Count, MPI_Offset;\n")
	b.WriteString("typedef struct { int MPI_SOURCE, MPI_TAG, MPI_ERROR; } MPI_Status;\n")
	types := map[string]bool{}
	for class := spec.Comm; class < spec.NumClasses; class++ {
		if t := handleClasses[class].ctype; t != "" && t != "int" {
			types[t] = true
		}
	}
	opaque := regexp.MustCompile(`\bMPIX?_[A-Za-z_]*\b`)
	for _, f := range spec.Functions() {
		if f.API != "mpi" {
			continue
		}
		for _, p := range f.Params {
			for _, t := range opaque.FindAllString(p.CType, -1) {
				if !strings.Contains(t, "function") && t != "MPI_Aint" && t != "MPI_Count" && t != "MPI_Offset" &&
					t != "MPI_Status" {
					types[t] = true
				}
			}
		}
	}
	for _, t := range sortedKeys(types) {
		fmt.Fprintf(&b, "typedef struct fake_%s *%s;\n", t, t)
	}
	for name, params := range map[string]string{
		"MPI_User_function":               "void F(void *, void *, int *, MPI_Datatype *)",
		"MPI_User_function_c":             "void F(void *, void *, MPI_Count *, MPI_Datatype *)",
		"MPI_Comm_copy_attr_function":     "int F(MPI_Comm, int, void *, void *, void *, int *)",
		"MPI_Type_copy_attr_function":     "int F(MPI_Datatype, int, void *, void *, void *, int *)",
		"MPI_Win_copy_attr_function":      "int F(MPI_Win, int, void *, void *, void *, int *)",
		"MPI_Copy_function":               "int F(MPI_Comm, int, void *, void *, void *, int *)",
		"MPI_Comm_delete_attr_function":   "int F(MPI_Comm, int, void *, void *)",
		"MPI_Type_delete_attr_function":   "int F(MPI_Datatype, int, void *, void *)",
		"MPI_Win_delete_attr_function":    "int F(MPI_Win, int, void *, void *)",
		"MPI_Delete_function":             "int F(MPI_Comm, int, void *, void *)",
		"MPI_Comm_errhandler_function":    "void F(MPI_Comm *, int *, ...)",
		"MPI_File_errhandler_function":    "void F(MPI_File *, int *, ...)",
		"MPI_Win_errhandler_function":     "void F(MPI_Win *, int *, ...)",
		"MPI_Session_errhandler_function": "void F(MPI_Session *, int *, ...)",
		"MPI_Grequest_query_function":     "int F(void *, MPI_Status *)", "MPI_Grequest_free_function": "int F(void *)",
		"MPI_Grequest_cancel_function":    "int F(void *, int)",
		"MPI_Datarep_extent_function":     "int F(MPI_Datatype, MPI_Aint *, void *)",
		"MPI_Datarep_conversion_function": "int F(void *, MPI_Datatype, int, void *, MPI_Offset, void *)",
	} {
		fmt.Fprintf(&b, "typedef %s;\n", strings.Replace(params, "F(", name+"(", 1))
	}
	for _, p := range spec.Predefineds {
		if strings.HasPrefix(p.Name, "torch.") { // No object of MPI.
			continue
		}
		if t := handleClasses[p.Class].ctype; t == "int" {
			fmt.Fprintf(&b, "#define %s 1\n", p.Name)
		} else if t != "" {
			fmt.Fprintf(&b, "#define %s ((%s)0)\n", p.Name, t)
		}
	}
	b.WriteString("#define MPI_BOTTOM ((void *)0)\n#define MPI_IN_PLACE ((void *)1)\n" +
		"#define MPI_STATUS_IGNORE ((MPI_Status *)0)\n#define MPI_STATUSES_IGNORE ((MPI_Status *)0)\n" +
		"#define MPI_UNWEIGHTED ((int *)0)\n#define MPI_WEIGHTS_EMPTY ((int *)0)\n#define MPI_SUCCESS 0\n" +
		"#define MPI_UNDEFINED (-32766)\n#define MPI_PROC_NULL (-1)\n#define MPI_ANY_SOURCE (-2)\n" +
		"#define MPI_ANY_TAG (-1)\n")
	for _, f := range spec.Functions() {
		if f.API != "mpi" || strings.HasPrefix(f.Name, "MPIX_") || strings.HasPrefix(f.Name, "MPI_T_") {
			continue
		}
		var params []string
		for i, p := range f.Params {
			params = append(params, declared(&p, i))
		}
		if len(params) == 0 {
			params = []string{"void"}
		}
		result := "int"
		if f.Has(spec.ReturnsValue) {
			result = "double"
		}
		fmt.Fprintf(&b, "%s %s(%s);\n", result, f.Name, strings.Join(params, ", "))
	}
	b.WriteString("#endif\n")
	return b.String()
}

// declared is the declaration of a parameter.
func declared(p *spec.Param, i int) string {
	t := p.CType
	name := fmt.Sprintf("p%d", i)
	switch {
	case t == "...":
		return t
	case p.Out && p.CType == "void*", strings.Contains(t, "function_c") && strings.HasPrefix(t, "MPI_Datarep"):
		return "void *" + name
	case strings.Contains(t, "["):
		k := strings.Index(t, "[")
		return t[:k] + " " + name + t[k:]
	}
	return t + " " + name
}

func sortedKeys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// compiler finds the C compiler, which building this project takes anyway.
func compiler(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"cc", "gcc", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no C compiler")
	return ""
}

// checkSyntax compiles a program without a library.
func checkSyntax(t testing.TB, name, text string) {
	t.Helper()
	dir := t.TempDir()
	header := fakeHeader()
	for _, constant := range regexp.MustCompile(`\bMPI_[A-Z_0-9]+\b`).FindAllString(text, -1) {
		if v, ok := spec.MPICH.Const(constant); ok && !strings.Contains(header, "#define "+constant+" ") {
			header += fmt.Sprintf("#define %s %d\n", constant, v)
		}
	}
	for file, s := range map[string]string{"mpi.h": header, "proxy.c": text} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(s), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(compiler(t), "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-I", dir, "-c",
		"-o", filepath.Join(dir, "proxy.o"), filepath.Join(dir, "proxy.c"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}

// Texts of a recording are texts in the program, and nothing else, whatever they hold.
func TestHostileTexts(t *testing.T) {
	for i, s := range []string{
		`*/ int x; /*`, `%s%n%d`, `back\`, `tri??/`, `"; system("id"); //`, "line\nnext\r", "\x80\xff\x017",
		"scratch_file(", "next(&", "*\n/", "*\\\n/", "a\x00b", "/*/", "",
	} {
		q := strings.ReplaceAll(strconv.QuoteToASCII(s), `\u`, `\x`)
		a := archivetest.Archive(t, "abi mpich\ncommand ./app\nrank 0 of 1 on "+
			"node\nMPI_Init(argc=0)\nMPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name="+strconv.Quote(s)+
			")\nMPI_File_delete(filename="+strconv.Quote("/data/"+s)+") @ a.c:2 [f]\nMPI_Finalize()\n")
		text, _ := generate(t, a, Options{File: s + ".tabard", Name: s + ".c"})
		checkSyntax(t, q, text)
		if strings.Contains(text, "int x; /*\"") != (i == 0) ||
			strings.Count(text, "MPI_Comm_set_name(MPI_COMM_WORLD, "+quoted(s)+");") != 1 {
			t.Errorf("%q in\n%s", s, text)
		}
	}
}

// Names stay in the folder for files, whatever the MPI library makes of them.
func TestScratchName(t *testing.T) {
	for name, want := range map[string]string{
		"/a/b": "b", "ufs:/a/out": "out", "ufs:out": "out", "/a:b/c": "c", "x:y:z": "y_z", "..": "file", "a/..": "file",
		"a/": "a", "": "file",
	} {
		if got := bare(1).scratchName(name); got != want {
			t.Errorf("%q: %q instead of %q", name, got, want)
		}
	}
	// Files of several folders are several files.
	g := bare(1)
	for _, x := range [][2]string{{"/a/x", "x"}, {"/b/x", "x.2"}, {"x", "x.3"}, {"/c/x.2", "x.2.2"},
		{"ufs:/a/../a/x", "x"}, {"/d/x", "x.4"}, {"./x", "x.3"}} {
		if got := g.scratchName(x[0]); got != x[1] {
			t.Errorf("%q: %q instead of %q", x[0], got, x[1])
		}
	}
}

// Constants that stand for arrays are no arrays to compilers, whether they are read or written.
func TestPragmas(t *testing.T) {
	for word, want := range map[string]string{
		"MPI_COMM_WORLD": "", "MPI_STATUSES_IGNORE": "overflow", "MPI_UNWEIGHTED": "overflow overread",
		"MPI_WEIGHTS_EMPTY": "overflow overread",
	} {
		g := bare(1)
		g.mentioned[word] = true
		var b strings.Builder
		g.pragmas(&b)
		var got []string
		for _, m := range regexp.MustCompile(`-Wstringop-(\w+)`).FindAllStringSubmatch(b.String(), -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q instead of %q", word, got, want)
		}
	}
}
