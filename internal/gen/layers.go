package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabard-hpc/tabard/internal/gen/files"
)

const (
	packagesBegin = "<!-- begin packages -->\n"
	packagesEnd   = "<!-- end packages -->\n"
)

// architecture is ARCHITECTURE.md with the table of layers.txt in it.
func architecture(root string) (files.File, error) {
	const path = "ARCHITECTURE.md"
	page, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return files.File{}, err
	}
	layers, err := os.ReadFile(filepath.Join(root, "layers.txt"))
	if err != nil {
		return files.File{}, err
	}
	before, rest, ok := bytes.Cut(page, []byte(packagesBegin))
	_, after, ok2 := bytes.Cut(rest, []byte(packagesEnd))
	if !ok || !ok2 {
		return files.File{}, fmt.Errorf("%s has no %s and %s", path, strings.TrimSpace(packagesBegin),
			strings.TrimSpace(packagesEnd))
	}
	var b bytes.Buffer
	b.Write(before)
	b.WriteString(packagesBegin)
	b.WriteString(packageTable(string(layers)))
	b.WriteString(packagesEnd)
	b.Write(after)
	return files.File{Path: path, Text: b.Bytes()}, nil
}

// packageTable is the text of layers.txt as a table.
func packageTable(layers string) string {
	var b strings.Builder
	b.WriteString("| layer | package | what it is |\n|---|---|---|\n")
	layer, rows := 0, 0
	for line := range strings.Lines(layers) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == "":
			if rows > 0 {
				layer++
			}
		case name == "#":
		default:
			rows++
			fmt.Fprintf(&b, "| %d | `%s` | %s |\n", layer+1, name,
				strings.Replace(strings.TrimSpace(what), "[test] ", "*tests only:* ", 1))
		}
	}
	return b.String()
}
