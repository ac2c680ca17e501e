// Command house measures how the source is laid out: lines per package, sizes of files and
// functions, repeated blocks, names that others depend on. Two trees give a table of both, so
// that a rebuilding of the house shows what it changed.
//
//	house [-packages] TREE [TREE]
//
// Tests and generated files (*_gen.go) are counted apart and left out of everything else.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
)

func main() {
	packages := flag.Bool("packages", false, "list the packages with their lines of code and of tests")
	flag.Parse()
	if err := run(flag.Args(), *packages); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

func run(roots []string, packages bool) error {
	if len(roots) < 1 || len(roots) > 2 {
		return errors.New("usage: house [-packages] TREE [TREE]")
	}
	var trees []*tree
	for _, root := range roots {
		t, err := measure(root)
		if err != nil {
			return err
		}
		trees = append(trees, t)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer w.Flush()
	for _, row := range rows {
		fmt.Fprintf(w, "%s", row.what)
		for _, t := range trees {
			fmt.Fprintf(w, "\t%s", row.figure(t))
		}
		fmt.Fprintln(w)
	}
	if packages {
		for _, t := range trees {
			fmt.Fprintf(w, "\n%s\tcode\ttests\ttests per line\n", t.root)
			for _, name := range slices.Sorted(maps.Keys(t.packages)) {
				p := t.packages[name]
				fmt.Fprintf(w, "%s\t%d\t%d\t%.2f\n", name, p.code, p.tests, float64(p.tests)/float64(max(p.code, 1)))
			}
		}
	}
	return nil
}

// rows are the figures of the table.
var rows = []struct {
	what   string
	figure func(*tree) string
}{
	{"lines of Go, without tests and generated files",
		func(t *tree) string { return fmt.Sprint(t.sum(func(p *pkg) int { return p.code })) }},
	{"lines of tests", func(t *tree) string { return fmt.Sprint(t.sum(func(p *pkg) int { return p.tests })) }},
	{"generated lines", func(t *tree) string { return fmt.Sprint(t.sum(func(p *pkg) int { return p.generated })) }},
	{"packages", func(t *tree) string { return fmt.Sprint(len(t.packages)) }},
	{"largest package", func(t *tree) string { return t.largest() }},
	{"files over 500 lines", func(t *tree) string { return fmt.Sprint(t.longFiles) }},
	{"functions", func(t *tree) string { return fmt.Sprint(t.functions) }},
	{"functions over 60 lines", func(t *tree) string { return fmt.Sprint(t.longFunctions) }},
	{"lines over 120 columns, tests too", func(t *tree) string { return fmt.Sprint(t.wide) }},
	{"exported names of trace, with methods", func(t *tree) string { return fmt.Sprint(t.exported["trace"]) }},
	{"strings with MPI_ in Go outside of spec and its generator", func(t *tree) string { return fmt.Sprint(t.names) }},
	{"repeated blocks of 6 lines", func(t *tree) string { return fmt.Sprint(t.repeated()) }},
	{"bytes of bin/tabard", func(t *tree) string { return t.binary() }},
}
