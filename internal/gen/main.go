// Command gen turns the API data in spec/ into Go tables, C wrappers and the
// function reference, and refuses data that it does not understand completely.
//
//	go run ./internal/gen                    write the generated files
//	go run ./internal/gen -diff              fail if they are not up to date
//	go run ./internal/gen -check             compare with the installed MPIs (needs them)
//	go run ./internal/gen -abi mpich         print what the installed MPI's mpi.h says, for spec/abi
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	api, err := Load(filepath.Join(root, "spec"))
	if err != nil {
		return err
	}
	if check {
		return Check(api)
	}
	files, err := Generate(api)
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(root, f.Path)
		if diff {
			if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, f.Text) {
				return fmt.Errorf("%s is not what the data in spec/ give: run make gen", f.Path)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A File is one generated file; Path is relative to the root of the repository.
type File struct {
	Path string
	Text []byte
}

// Generate makes all generated files.
func Generate(api *API) ([]File, error) {
	tables, err := goTables(api)
	if err != nil {
		return nil, err
	}
	return []File{
		{"spec/tables_gen.go", tables},
		{"capture/gen/wrap.h", cHeader(api)},
		{"capture/gen/wrap.c", cWrappers(api)},
		{"internal/replay/executor/objects.h", executorObjects(api)},
		{"docs/functions.md", reference(api)},
	}, nil
}
