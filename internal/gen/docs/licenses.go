package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/gen/files"
	"github.com/tabard-hpc/tabard/internal/report"
)

// program is the package whose dependencies are listed.
const program = "./cmd/tabard"

// licensesFile lists what is linked into the program. It reads the source trees that the go command
// knows and fetches nothing. The list is that of Linux on x86-64; other architectures link the same
// modules.
func licensesFile(root string) (files.File, error) {
	parts, err := linked(root)
	if err != nil {
		return files.File{}, err
	}
	text, err := json.MarshalIndent(parts, "", "  ")
	return files.File{Path: "internal/report/licenses_gen.json", Text: append(text, '\n')}, err
}

// goPackage is what go list says of a package.
type goPackage struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// linked lists the program itself, Go, and the modules.
func linked(root string) ([]report.LinkedPart, error) {
	own, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	parts := []report.LinkedPart{part("tabard, with its runtime and its replay executor in C", "", string(own))}
	text, err := goCommand(root, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	golang, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(text)), "LICENSE"))
	if err != nil {
		return nil, err
	}
	parts = append(parts, part("Go: runtime and standard library", "", string(golang)))
	list, err := goCommand(root, "list", "-deps", "-json=Dir,Standard,Module", program)
	if err != nil {
		return nil, err
	}
	texts, versions := map[string][]string{}, map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		versions[p.Module.Path] = p.Module.Version
		found, err := licenseTexts(p.Module.Dir, p.Dir)
		if err != nil {
			return nil, err
		}
		for _, t := range found {
			if !slices.Contains(texts[p.Module.Path], t) {
				texts[p.Module.Path] = append(texts[p.Module.Path], t)
			}
		}
	}
	for path, version := range versions {
		if len(texts[path]) == 0 {
			return nil, fmt.Errorf("%s has no licence", path)
		}
		parts = append(parts, part(path, version, strings.Join(texts[path], "\n")))
	}
	slices.SortFunc(parts[2:], func(a, b report.LinkedPart) int { return strings.Compare(a.Name, b.Name) })
	return parts, check(parts)
}

// goCommand runs the go command for the platform that the list is of.
func goCommand(root string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1")
	return cmd.Output()
}

// licenseTexts are the licences in the folder of a package and in those above it, up to its module.
func licenseTexts(module, dir string) (texts []string, err error) {
	for {
		names, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			base := strings.ToUpper(strings.TrimSuffix(strings.TrimSuffix(n.Name(), ".txt"), ".md"))
			if slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE"}, base) {
				text, err := os.ReadFile(filepath.Join(dir, n.Name()))
				if err != nil {
					return nil, err
				}
				texts = append(texts, strings.ReplaceAll(string(text), "\r\n", "\n"))
			}
		}
		if dir == module {
			return texts, nil
		}
		dir = filepath.Dir(dir)
	}
}

// marks are phrases of licences, by their SPDX names.
var marks = []struct{ name, phrase string }{
	{"Apache-2.0", "Apache License"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"BSD-3-Clause", "used to endorse or promote products derived from"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce"},
}

func part(name, version, text string) report.LinkedPart {
	var found []string
	words := strings.Join(strings.Fields(text), " ")
	for _, m := range marks {
		three := m.name == "BSD-2-Clause" && slices.Contains(found, "BSD-3-Clause") // which has the words of both
		if strings.Contains(words, m.phrase) && !three {
			found = append(found, m.name)
		}
	}
	return report.LinkedPart{Name: name, Version: version, License: strings.Join(found, " AND "), Text: text}
}

// check fails for a licence that nobody has reviewed.
func check(parts []report.LinkedPart) error {
	for _, p := range parts {
		if p.License == "" {
			return fmt.Errorf("%s has a licence that is not known: look at it, and add a phrase of it to marks", p.Name)
		}
	}
	return nil
}
