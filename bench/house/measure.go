package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A pkg is what one folder holds, in lines.
type pkg struct{ code, tests, generated int }

// A tree is a checkout, measured.
type tree struct {
	root                     string
	packages                 map[string]*pkg
	exported                 map[string]int // names and methods that others can use, by package
	longFiles                int
	functions, longFunctions int
	wide                     int
	names                    int                   // string literals with MPI_
	blocks                   map[[block]string]int // how often lines follow each other so
}

// block is the number of lines of a repeated block.
const block = 6

func measure(root string) (*tree, error) {
	t := &tree{root: root, packages: map[string]*pkg{}, exported: map[string]int{}, blocks: map[[block]string]int{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		return t.file(path)
	})
	return t, err
}

// file counts one file.
func (t *tree) file(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(t.root, path)
	if err != nil {
		return err
	}
	dir := filepath.ToSlash(filepath.Dir(rel))
	p := t.packages[dir]
	if p == nil {
		p = &pkg{}
		t.packages[dir] = p
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if strings.HasSuffix(path, "_gen.go") {
		p.generated += len(lines)
		return nil
	}
	for _, line := range lines {
		if len([]rune(strings.ReplaceAll(line, "\t", "    "))) > 120 {
			t.wide++
		}
	}
	if strings.HasSuffix(path, "_test.go") {
		p.tests += len(lines)
		return nil
	}
	p.code += len(lines)
	if len(lines) > 500 {
		t.longFiles++
	}
	t.shingles(lines)
	return t.syntax(path, dir, text)
}

// syntax counts what needs a parser: functions, exported names, literals.
func (t *tree) syntax(path, dir string, text []byte) error {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range f.Decls {
		t.exported[dir] += exportedNames(d)
		if fn, ok := d.(*ast.FuncDecl); ok {
			t.functions++
			if set.Position(fn.End()).Line-set.Position(fn.Pos()).Line >= 60 {
				t.longFunctions++
			}
		}
	}
	if dir == "spec" || strings.HasPrefix(dir, "spec/") || strings.HasPrefix(dir, "internal/gen") {
		return nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && strings.Contains(l.Value, "MPI_") {
			t.names++
		}
		return true
	})
	return nil
}

// exportedNames counts the names of a declaration that other packages can use.
func exportedNames(d ast.Decl) int {
	n := 0
	count := func(id *ast.Ident) {
		if id.IsExported() {
			n++
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type)) {
			count(d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				count(s.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					count(id)
				}
			}
		}
	}
	return n
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// shingles remembers each block of lines that are not trivial.
func (t *tree) shingles(lines []string) {
	var last []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if len(line) < 4 || strings.HasPrefix(line, "//") || strings.HasPrefix(line, `"`) {
			continue
		}
		if last = append(last, line); len(last) >= block {
			t.blocks[[block]string(last[len(last)-block:])]++
		}
	}
}

// repeated counts the blocks that stand somewhere else, too.
func (t *tree) repeated() int {
	n := 0
	for _, times := range t.blocks {
		n += times - 1
	}
	return n
}

func (t *tree) sum(part func(*pkg) int) int {
	n := 0
	for _, p := range t.packages {
		n += part(p)
	}
	return n
}

// largest names the package with most code.
func (t *tree) largest() string {
	best, name := 0, ""
	for n, p := range t.packages {
		if p.code > best || p.code == best && n < name {
			best, name = p.code, n
		}
	}
	return fmt.Sprintf("%d (%s)", best, name)
}

// binary is the size of the program, if it has been built.
func (t *tree) binary() string {
	info, err := os.Stat(filepath.Join(t.root, "bin", "tabard"))
	if err != nil {
		return "not built"
	}
	return fmt.Sprint(info.Size())
}
