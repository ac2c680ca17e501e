package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
)

// module is the import path of the repository.
const module = "github.com/tabard-hpc/tabard/"

// comments holds the comments on types and on their fields.
type comments struct {
	root string
	// packages maps import paths to comments, by "Type" and "Type.Field".
	packages map[string]map[string]string
}

func newComments(root string) *comments { return &comments{root, map[string]map[string]string{}} }

// of is the comment on a type, or on one of its fields, in one line.
func (c *comments) of(t reflect.Type, field string) string {
	p := c.packages[t.PkgPath()]
	if p == nil {
		p = c.read(strings.TrimPrefix(t.PkgPath(), module))
		c.packages[t.PkgPath()] = p
	}
	if field == "" {
		return p[t.Name()]
	}
	return p[t.Name()+"."+field]
}

// read reads the comments of a package. A file that cannot be parsed has none, since the compiler
// reports what is wrong with it.
func (c *comments) read(dir string) map[string]string {
	found := map[string]string{}
	names, _ := filepath.Glob(filepath.Join(c.root, dir, "*.go"))
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			continue
		}
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok {
				typeComments(g, found)
			}
		}
	}
	return found
}

func typeComments(g *ast.GenDecl, found map[string]string) {
	for _, spec := range g.Specs {
		s, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		found[s.Name.Name] = oneLine(s.Doc, g.Doc)
		fields, ok := s.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range fields.Fields.List {
			for _, n := range f.Names {
				found[s.Name.Name+"."+n.Name] = oneLine(f.Doc, f.Comment)
			}
		}
	}
}

// oneLine is the first comment that there is, without line breaks.
func oneLine(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if g != nil {
			return strings.Join(strings.Fields(g.Text()), " ")
		}
	}
	return ""
}
