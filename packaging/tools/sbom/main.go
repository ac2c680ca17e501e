// Command sbom writes a software bill of materials of a Go program in CycloneDX's JSON: what the
// linker wrote into the program (modules with versions and checksums), and their licences as
// `tabard version --licenses --json` has them. The same program gives the same bytes.
//
//	sbom -version VERSION -licenses FILE PROGRAM > FILE
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	version := flag.String("version", "", "version of the program")
	licenses := flag.String("licenses", "", "what tabard version --licenses --json printed")
	flag.Parse()
	bom, err := materials(flag.Arg(0), *version, *licenses)
	if err == nil {
		e := cdx.NewBOMEncoder(os.Stdout, cdx.BOMFileFormatJSON)
		e.SetPretty(true)
		err = e.EncodeVersion(bom, cdx.SpecVersion1_6)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// materials lists what a program is made of.
func materials(program, version, licenses string) (*cdx.BOM, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	expressions, err := readLicenses(licenses)
	if err != nil {
		return nil, err
	}
	main := component(cdx.ComponentTypeApplication, info.Main.Path, version)
	main.Licenses = expression("Apache-2.0")
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &main}
	golang := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: "go", BOMRef: "go",
		Version: strings.TrimPrefix(info.GoVersion, "go"), Description: "runtime and standard library of Go",
		Licenses: expression("BSD-3-Clause")}
	parts, refs := []cdx.Component{golang}, []string{"go"}
	for _, m := range info.Deps {
		m = inPlace(m)
		c := component(cdx.ComponentTypeLibrary, m.Path, m.Version)
		if expressions[m.Path] == "" {
			return nil, fmt.Errorf("%s has no licence in %s", m.Path, licenses)
		}
		c.Licenses = expression(expressions[m.Path])
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
		parts, refs = append(parts, c), append(refs, c.BOMRef)
	}
	if len(info.Deps) == 0 {
		return nil, errors.New(program + " names no modules")
	}
	slices.SortFunc(parts[1:], func(a, b cdx.Component) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(refs)
	bom.Components = &parts
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	return bom, nil
}

// inPlace is the module that was linked, where another one replaced it.
func inPlace(m *debug.Module) *debug.Module {
	if m.Replace != nil {
		return m.Replace
	}
	return m
}

func component(kind cdx.ComponentType, path, version string) cdx.Component {
	purl := "pkg:golang/" + path + "@" + version
	return cdx.Component{Type: kind, Name: path, Version: version, BOMRef: purl, PackageURL: purl}
}

func expression(e string) *cdx.Licenses { return &cdx.Licenses{{Expression: e}} }

// readLicenses reads the licence of each part.
func readLicenses(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var l struct {
		Parts []struct{ Name, License string }
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	all := map[string]string{}
	for _, p := range l.Parts {
		all[p.Name] = p.License
	}
	return all, nil
}
