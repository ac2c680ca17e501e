// Command docs writes what follows from the program itself: the reference of the commands, a JSON
// Schema for each document that a command prints, a page of them all, and the licences of everything that is linked
// into the program.
//
//	go run ./internal/gen/docs            write the generated files
//	go run ./internal/gen/docs -diff      fail if they are not up to date
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tabard-hpc/tabard/internal/cli"
	"github.com/tabard-hpc/tabard/internal/gen/files"
	"github.com/tabard-hpc/tabard/internal/report"
)

func main() {
	root := flag.String("C", ".", "root of the repository")
	diff := flag.Bool("diff", false, "compare instead of writing")
	flag.Parse()
	all, err := generate(*root)
	if err == nil {
		err = write(*root, all, *diff)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen/docs:", err)
		os.Exit(1)
	}
}

// generate makes all files.
func generate(root string) ([]files.File, error) {
	licenses, err := licensesFile(root)
	if err != nil {
		return nil, err
	}
	all := []files.File{{Path: "docs/commands.md", Text: []byte(cli.Reference())}, licenses}
	comments := newComments(root)
	for _, d := range report.Documents() {
		text, err := schema(&d, comments)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Schema, err)
		}
		all = append(all, files.File{Path: schemaPath(&d), Text: text})
	}
	page, err := jsonPage(report.Documents(), comments)
	return append(all, files.File{Path: "docs/json.md", Text: []byte(page)}), err
}

// write writes all files, and removes schemas of documents that no longer exist.
func write(root string, all []files.File, diff bool) error {
	if err := files.Write(root, all, diff); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, f := range all {
		known[filepath.Join(root, f.Path)] = true
	}
	there, err := filepath.Glob(filepath.Join(root, "docs", "schema", "*.json"))
	if err != nil {
		return err
	}
	for _, path := range there {
		switch {
		case known[path]:
		case diff:
			return fmt.Errorf("%s describes nothing: run make gen", path)
		default:
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}
