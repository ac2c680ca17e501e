package trace_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/trace"
)

// source reads the package's own source, without tests.
func source(t *testing.T) (*token.FileSet, []*ast.File) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return fset, files
}

// TestNames keeps the package small: types, functions, constants, variables and methods.
func TestNames(t *testing.T) {
	fset, files := source(t)
	p, err := doc.NewFromFiles(fset, files, "trace")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	functions := func(owner string, list []*doc.Func) {
		for _, f := range list {
			names = append(names, owner+f.Name)
			if f.Doc == "" {
				t.Errorf("%s%s has no comment", owner, f.Name)
			}
		}
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			names = append(names, v.Names...)
		}
	}
	functions("", p.Funcs)
	values(p.Consts)
	values(p.Vars)
	for _, typ := range p.Types {
		names = append(names, typ.Name)
		functions("", typ.Funcs)
		functions(typ.Name+".", typ.Methods)
		values(typ.Consts)
		values(typ.Vars)
		if typ.Doc == "" {
			t.Errorf("%s has no comment", typ.Name)
		}
	}
	if most := 40; len(names) > most {
		t.Errorf("%d exported names, more than %d: %v", len(names), most, names)
	}
}

// TestOwnTypes keeps types of other packages of the module out of what users see.
func TestOwnTypes(t *testing.T) {
	fset, files := source(t)
	for _, f := range files {
		own := map[string]bool{} // names of imported packages of the module
		for _, s := range f.Imports {
			if path := strings.Trim(s.Path.Value, `"`); strings.Contains(path, ".") {
				own[path[strings.LastIndex(path, "/")+1:]] = true
			}
		}
		ast.FileExports(f) // leaves the exported declarations, without unexported fields
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				fn.Body = nil
			}
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := sel.X.(*ast.Ident); ok && own[x.Name] {
						t.Errorf("%s shows %s.%s", fset.Position(sel.Pos()), x.Name, sel.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

// every is an archive with a value of each kind.
const every = `abi openmpi
rank 0 of 1 on n
MPI_Init()
poll 3 MPI_Test(request=request#0) ; flag=0
MPI_Waitall(count=2, array_of_requests=[request#0, request#1]) ; array_of_requests=[MPI_REQUEST_NULL, MPI_REQUEST_NULL] ; array_of_statuses=?[{source=0 tag=1 bytes=2}, {source=0 tag=2 bytes=3}]
MPI_Dims_create(nnodes=6, ndims=2, dims=[0, 0]) ; dims=[3, 2]
MPI_Comm_set_name(comm=comm#1, comm_name="solver")
MPI_Send(buf=MPI_BOTTOM, count=?4, datatype=MPI_INT, dest=0, tag=0, comm=comm#1)
MPI_Send(buf=module#1+0x10, count=?5, datatype=type#0, dest=0, tag=0, comm=comm#1)
MPI_Wtime() ; return=2.5
`

func openText(t *testing.T, text string) *trace.Archive {
	t.Helper()
	b := archivetest.Bytes(t, text)
	a, err := trace.OpenReader(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestKinds reads a value of each kind.
func TestKinds(t *testing.T) {
	type want struct {
		call uint64
		name string
		out  bool
		data any
	}
	for s := range openText(t, every).Streams() {
		for _, w := range []want{
			{1, "flag", true, int64(0)},
			{6, "comm_name", false, "solver"},
			{6, "comm", false, trace.Object{Class: "comm", Name: "comm#1"}},
			{7, "buf", false, trace.Address{Name: "MPI_BOTTOM"}},
			{7, "count", false, int64(4)},
			{8, "buf", false, trace.Address{Name: "module#1", Offset: 16}},
			{8, "datatype", false, trace.Object{Class: "type", Name: "type#0"}},
			{9, "return", true, 2.5},
		} {
			c, err := s.Call(w.call)
			if err != nil {
				t.Fatal(err)
			}
			find := c.In
			if w.out {
				find = c.Out
			}
			if v, ok := find(w.name); !ok || v.Data() != w.data {
				t.Errorf("%s: %s is %v, want %v", c, w.name, v, w.data)
			}
		}
		c, err := s.Call(4)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := c.Out("array_of_statuses")
		list := v.Data().([]trace.Value)
		got, text := list[1].Data().(trace.Status), list[1].String()
		if got != (trace.Status{Tag: 2, Bytes: 3}) || text != "{source=0 tag=2 bytes=3}" {
			t.Errorf("status %v, %s", got, text)
		}
		c, err = s.Call(5)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := c.Out("dims"); len(v.Data().([]int64)) != 2 {
			t.Errorf("dims is %v", v)
		}
		if _, ok := c.In("dims"); !ok {
			t.Error("dims is not known on entry")
		}
		if _, ok := c.In("comm"); ok {
			t.Error("there is no such parameter")
		}
	}
}

// TestKept compares calls that an iteration gave before it went on, each poll included, with single
// ones.
func TestKept(t *testing.T) {
	for s := range openText(t, every).Streams() {
		var calls []*trace.Call
		for c, err := range s.Calls(0) {
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, c)
		}
		if n, err := s.NumCalls(); err != nil || n != uint64(len(calls)) || n != 10 {
			t.Fatalf("%d calls, %d, %v", n, len(calls), err)
		}
		for i, c := range calls {
			other, err := s.Call(uint64(i))
			if err != nil || other.String() != c.String() || c.Index != uint64(i) {
				t.Errorf("call %d: %s, %s, %v", i, c, other, err)
			}
		}
		if steps, err := s.Structure(); err != nil || !steps[1].Polls || steps[1].Times != 1 {
			t.Errorf("structure %v, %v", steps, err)
		}
		if steps, err := s.Counts(); err != nil || steps[1].Times != 3 {
			t.Errorf("counts %v, %v", steps, err)
		}
		if _, err := s.Call(10); err == nil {
			t.Error("a call behind the last one")
		}
	}
}

// TestErrors checks that errors are the package's own.
func TestErrors(t *testing.T) {
	if _, err := trace.Open(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	b := archivetest.Bytes(t, every)
	_, err := trace.OpenReader(bytes.NewReader(b), int64(len(b)), &trace.Options{Name: "x", MaxSection: 10})
	var own *trace.Error
	var inner *archive.FormatError
	if !errors.As(err, &own) || errors.As(err, &inner) || own.File != "x" || own.Hint == "" {
		t.Errorf("a section over the limit: %v", err)
	}
}
