package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestParseLine(t *testing.T) {
	for _, c := range []struct {
		text string
		want line
		ok   bool
	}{
		{"# comment 2", line{}, false},
		{"@largetest@big 3 mem=9.8", line{dir: "d", program: "big", ranks: 3, memory: 9.8}, true},
		{"@spawndir@", line{}, false},
		{"send 2 arg=-n arg=4 timeLimit=60 xfail=ticket1 resultTest=TestStatus",
			line{dir: "d", program: "send", ranks: 2, args: []string{"-n", "4"}, limit: 60, xfail: true,
				result: "TestStatus"}, true},
		{"a 2 env=X=1", line{dir: "d", program: "a", ranks: 2, env: true}, true},
	} {
		got, ok := parseLine("d", c.text)
		if ok != c.ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v %v, want %+v %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestReadRecipes(t *testing.T) {
	root := t.TempDir()
	makefile := "x_SOURCES = a.c \\\n  b.c\nx_CPPFLAGS= -DNB $(AM_CPPFLAGS)\nnoinst_PROGRAMS = x y\n"
	if err := os.WriteFile(filepath.Join(root, "Makefile.am"), []byte(makefile), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := readRecipes(root, ".")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]recipe{"x": {sources: []string{"a.c", "b.c"}, flags: []string{"-DNB"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
