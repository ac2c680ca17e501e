// Command gen turns the API data in spec/ into Go tables, C wrappers and the
// function reference, and refuses data that it does not understand completely.
// It also bundles the viewer's page.
//
//	go run ./internal/gen                    write the generated files
//	go run ./internal/gen -diff              fail if they are not up to date
//	go run ./internal/gen -check             compare with the installed MPIs (needs them)
//	go run ./internal/gen -abi mpich         print what the installed MPI's mpi.h says, for spec/mpi/abi
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tabard-hpc/tabard/internal/gen/files"
)

func main() {
	root := flag.String("C", ".", "root of the repository")
	diff := flag.Bool("diff", false, "compare instead of writing")
	check := flag.Bool("check", false, "check prototypes and exported functions of the installed MPIs")
	abi := flag.String("abi", "", "probe this MPI (openmpi, mpich, mpi5) and print its ABI data")
	cc := flag.String("cc", "", "compiler command for -abi (default mpicc.<abi>)")
	flag.Parse()
	if err := run(*root, *diff, *check, *abi, *cc); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(root string, diff, check bool, abi, cc string) error {
	if abi != "" {
		return printProbe(root, abi, cc)
	}
	if !diff && !check {
		if err := giveIDs(filepath.Join(root, "spec")); err != nil {
			return err
		}
	}
	api, err := Load(filepath.Join(root, "spec"))
	if err != nil {
		return err
	}
	if check {
		return Check(api)
	}
	all, err := generateAll(root, api)
	if err != nil {
		return err
	}
	layers, err := architecture(root)
	if err != nil {
		return err
	}
	viewer, err := page(root)
	if err != nil {
		return err
	}
	return files.Write(root, append(append(all, layers), viewer...), diff)
}

// Generate makes all generated files.
func Generate(api *API) ([]files.File, error) {
	tables, err := goTables(api)
	if err != nil {
		return nil, err
	}
	header, err := cHeader(api)
	if err != nil {
		return nil, err
	}
	wrappers, err := cWrappers(api)
	if err != nil {
		return nil, err
	}
	libc, err := libcWrappers(api)
	if err != nil {
		return nil, err
	}
	ids, err := fill("ids.h.tmpl", api.Funcs)
	if err != nil {
		return nil, err
	}
	objects, err := executorObjects(api)
	if err != nil {
		return nil, err
	}
	return []files.File{
		{Path: "spec/tables_gen.go", Text: tables},
		{Path: "capture/mpi/gen/wrap.h", Text: header},
		{Path: "capture/mpi/gen/wrap.c", Text: wrappers},
		{Path: "capture/posixio/gen/wrap.c", Text: libc},
		{Path: "capture/core/ids.h", Text: ids},
		{Path: "internal/program/replay/executor/objects.h", Text: objects},
		{Path: "docs/functions.md", Text: reference(api)},
	}, nil
}
