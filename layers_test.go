package tabard_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A room is a package in layers.txt.
type room struct {
	layer int
	test  bool // never part of the program
}

// rooms reads layers.txt.
func rooms(t *testing.T) map[string]room {
	text, err := os.ReadFile("layers.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, layer := map[string]room{}, 0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
			layer++
		case f[0] == "#":
		case len(f) == 1:
			t.Errorf("layers.txt does not say what %s is", f[0])
		default:
			if _, ok := all[f[0]]; ok {
				t.Errorf("layers.txt has %s twice", f[0])
			}
			all[f[0]] = room{layer, f[1] == "[test]"}
		}
	}
	return all
}

// TestLayers checks that packages import only packages of the layers above them in layers.txt, and
// that the program contains no test apparatus.
func TestLayers(t *testing.T) {
	all, module, seen := rooms(t), modulePath(t), map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" ||
			path == "packaging/tools") { // a module of its own
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg := filepath.Dir(path)
		own, ok := all[pkg]
		if !ok {
			t.Errorf("layers.txt lacks %s", pkg)
			return nil
		}
		seen[pkg] = true
		for _, name := range imports(t, path, module) {
			other := all[name]
			if other.layer >= own.layer {
				t.Errorf("%s imports %s, which is in no layer above its own", path, name)
			}
			if other.test && !own.test {
				t.Errorf("%s imports %s, which is for tests only", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for p := range all {
		if !seen[p] {
			t.Errorf("layers.txt has %s, which does not exist", p)
		}
	}
}

// modulePath reads the module path from go.mod, its only source.
func modulePath(t *testing.T) string {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := bytes.Cut(mod, []byte("\n"))
	return strings.TrimPrefix(string(line), "module ")
}

// imports lists the project's own packages that a file imports.
func imports(t *testing.T, path, module string) []string {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var own []string
	for _, s := range f.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(p, module+"/"); ok && !slices.Contains(own, rest) {
			own = append(own, rest)
		}
	}
	return own
}
