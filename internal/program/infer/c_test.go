package infer_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
	cc, err := exec.LookPath("cc")
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
			printer := &formula.CPrinter{Rank: "rank", Size: "size", Elem: "elem",
				Index: func(n int) string { return fmt.Sprintf("index[%d]", n) }}
			var prints, want strings.Builder
			list := expressions(m.Threads[0].Body)
			for _, e := range list {
				fmt.Fprintf(&prints, "        printf(\"%%ld\\n\", %s);\n", printer.Expr(e))
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
			source := "#include <stdio.h>\n" + formula.CPrelude + formula.CGrids(m.Grids) +
				strings.Join(printer.Funcs, "") +
				fmt.Sprintf("int main(void)\n{\n    int rank, size = %d, i, elem;\n    long index[%d];\n"+
					"    if (!sc_grids(size)) return 1;\n", p.size, m.Loops+1) +
				fmt.Sprintf("    for (rank = 0; rank < size; rank++) {\n        elem = rank %% 3;\n"+
					"        for (i = 0; i < %d; i++) index[i] = (rank + i) %% 3;\n", m.Loops) +
				prints.String() + "        (void)index, (void)elem;\n    }\n    return 0;\n}\n"
			if err := os.WriteFile(filepath.Join(dir, "e.c"), []byte(source), 0o666); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(cc, "-O0", "-Wall", "-Wextra", "-Wno-unused-function", "-Wno-unused-variable",
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
