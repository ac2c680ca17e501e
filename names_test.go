package tabard_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// apiName is a function or constant of MPI, or the beginning of such names.
var apiName = regexp.MustCompile(`\bMPIX?_`)

// named are the files that may name functions and constants of MPI in strings other than sentences, and why.
// Everywhere else the row of a function in package spec says what it means, and package spec/mpi has the names
// of constants. An entry that is not needed is refused.
var named = map[string]string{
	"internal/report/diffsentence.go":    "functions are shown without their prefix",
	"internal/record/launch/job.go":      "environment variables of launchers",
	"internal/record/launch/program.go":  "prefix of the symbols of a program that is linked with MPI",
	"internal/program/replay/library.go": "the symbol that makes a file an MPI library",
	"internal/functions/plan/callers.go": "the symbols of MPI libraries",
	"internal/archive/format.go":         "notation of the text form",
	"internal/archive/parse.go":          "notation of the text form",
	"internal/otf2/readevents.go":        "names of the records of OTF2",
}

// namedIn are folders likewise.
var namedIn = map[string]string{
	"spec":                  "the tables",
	"internal/gen":          "their generator",
	"internal/program/cgen": "C that calls MPI",
	"internal/testkit":      "programs of tests",
	"bench":                 "benchmarks name what they measure",
	"e2e":                   "tests",
}

// TestNames looks for names of MPI in the strings of the program's files. What has a blank is a sentence: help,
// messages, advice.
func TestNames(t *testing.T) {
	unused := map[string]bool{}
	for path := range named {
		unused[path] = true
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (namedIn[path] != "" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		for _, text := range namesIn(t, path) {
			delete(unused, path)
			if named[path] == "" {
				t.Errorf("%s: %q: ask the function's row in spec, or use a name of spec/mpi", path, text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range unused {
		t.Errorf("%s needs no leave to name anything: remove it from the list", path)
	}
}

// namesIn are the string literals of a file that name something of MPI, but for sentences.
func namesIn(t *testing.T, path string) []string {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil && apiName.MatchString(text) &&
				!strings.ContainsAny(text, " \n") {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}
