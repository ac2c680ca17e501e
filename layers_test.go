package tabard_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers are the packages of the project in the order of ARCHITECTURE.md: a
// package may import only packages that stand above it here, and of those in
// its own group none.
var layers = [][]string{
	{"internal/wire"},
	{"spec", "internal/grammar", "internal/column", "internal/timing/adaptive", "internal/adapt", "internal/resolve", "internal/render", "internal/suggest", "capture", "internal/replay/executor"},
	{"internal/gen", "internal/ring", "internal/rankfn", "internal/timing/published", "trace/internal/container"},
	{"internal/timing"},
	{"trace"},
	{"internal/merge"},
	{"internal/ring/ringtest", "internal/symbol", "trace/tracetest"},
	{"internal/comms", "analysis/loops"},
	{"analysis/selection"},
	{"analysis/ops", "analysis/timeline"},
	{"internal/rerun"},
	{"analysis/match", "analysis/traffic"},
	{"analysis/profile", "analysis/traffic/traffictest"},
	{"analysis/profile/profiletest"},
	{"analysis/match/matchtest", "analysis/compare", "analysis/consistency"},
	{"analysis/clocks", "internal/scale"},
	{"analysis/usage"},
	{"analysis/waits"},
	{"analysis/findings"},
	{"internal/collect", "internal/verify"},
	{"internal/launch", "internal/synth"},
	{"internal/doctor", "internal/replay", "internal/proxy"},
	{"internal/cli"},
	{"cmd/tabard"},
}

// TestLayers keeps the imports pointing one way.
func TestLayers(t *testing.T) {
	level := map[string]int{}
	for i, group := range layers {
		for _, p := range group {
			level[p] = i
		}
	}
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || d.Name() == "bench" || d.Name() == "e2e") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg := filepath.Dir(path)
		mine, ok := level[pkg]
		if !ok {
			t.Errorf("package %s has no place in the layers", pkg)
			return nil
		}
		seen[pkg] = true
		for _, imp := range imports(t, path) {
			l, ok := level[imp]
			if ok && l >= mine {
				t.Errorf("%s imports %s, which does not stand above it", path, imp)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for p := range level {
		if !seen[p] {
			t.Errorf("no package %s: take it out of the layers", p)
		}
	}
}

// imports lists the project's own packages that a file imports.
func imports(t *testing.T, path string) []string {
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
		if rest, ok := strings.CutPrefix(p, "tabard/"); ok && !slices.Contains(own, rest) {
			own = append(own, rest)
		}
	}
	return own
}
