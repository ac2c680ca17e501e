package infer_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// expressions are all of a model, with the loops that they may depend on.
func expressions(nodes []*infer.Node) (list []*formula.Expr) {
	for _, n := range nodes {
		if n.Count != nil {
			list = append(list, n.Count)
		}
		list = append(list, expressions(n.Body)...)
		if n.Call == nil {
			continue
		}
		for i := range n.Call.Slots {
			if n.Call.Slots[i].Len != nil {
				list = append(list, n.Call.Slots[i].Len)
			}
			list = append(list, n.Call.Slots[i].Parts...)
		}
	}
	return list
}

// The C text of expressions has the values that Eval has.
func TestC(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Fatal("no C compiler: ", err)
	}
	for _, p := range []struct {
		name        string
		ranks, size int
	}{
		{"stencil-2d", 9, 30}, {"stencil-3d-periodic", 27, 36}, {"stencil-1d", 4, 7}, {"tree-binomial", 8, 20},
		{"tree-binary", 7, 25}, {"hub", 8, 12}, {"transpose", 6, 12}, {"ring", 5, 9}, {"alltoallv", 6, 11},
		{"rows-columns", 9, 16},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			m, err := infer.Infer(content(t, recorded(t, synthetic.ByName(p.name),
				synthetic.Params{Ranks: p.ranks, Steps: 20})), infer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var prints, want, functions strings.Builder
			made := 0
			printer := &formula.Printer{Function: func(hint string, params []*cc.Expr, body []*cc.Stmt) string {
				made++
				name := fmt.Sprintf("%s%d", hint, made)
				list := ""
				for i, x := range params {
					list += strings.Repeat(", ", min(i, 1)) + "long " + x.Text
				}
				fmt.Fprintf(&functions, "static long %s(%s)\n{\n%s}\n", name, list, cc.Flat(body))
				return name
			}}
			list := expressions(m.Threads[0].Body)
			for _, e := range list {
				fmt.Fprintf(&prints, "        printf(\"%%ld\\n\", (long)(%s));\n", printer.Expr(e))
			}
			v, err := m.Env(p.size)
			if err != nil {
				t.Fatal(err)
			}
			for r := range p.size {
				v.Rank, v.Elem = int64(r), int64(r%3)
				for i := range v.Index {
					v.Index[i] = int64((r + i) % 3)
				}
				for _, e := range list {
					fmt.Fprintln(&want, e.Eval(v))
				}
			}
			dir := t.TempDir()
			source := fmt.Sprintf("#include <stdio.h>\nstatic long rank, size = %d;\n", p.size) + formula.Functions +
				formula.Grids(m.Grids) + functions.String() +
				"int main(void)\n{\n    if (!set_grids()) return 1;\n" +
				"    for (rank = 0; rank < size; rank++) {\n        long e = rank % 3;\n"
			for i := range m.Loops {
				source += fmt.Sprintf("        long i%d = (rank + %[1]d) %% 3;\n", i)
			}
			source += prints.String() + "        (void)e;\n    }\n    return 0;\n}\n"
			if err := os.WriteFile(filepath.Join(dir, "e.c"), []byte(source), 0o666); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(compiler, "-std=c99", "-O0", "-Wall", "-Wextra", "-Wno-unused-function",
				"-Wno-unused-variable",
				"-Werror", "-o", filepath.Join(dir, "e"), filepath.Join(dir, "e.c")).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got, err := exec.Command(filepath.Join(dir, "e")).Output()
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != want.String() {
				a, b := strings.Split(string(got), "\n"), strings.Split(want.String(), "\n")
				for i := range min(len(a), len(b)) {
					if a[i] != b[i] {
						t.Fatalf("rank %d: %v is %s in C, not %s", i/len(list), list[i%len(list)], a[i], b[i])
					}
				}
				t.Fatalf("%d values, not %d", len(a), len(b))
			}
		})
	}
}
