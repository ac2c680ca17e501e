package report

import (
	_ "embed"
	"encoding/json"
	"runtime"
)

// LicensesSchema names the form of Licenses.
const LicensesSchema = "tabard.licenses/1"

var _ = register[Licenses](LicensesSchema, "version --licenses --json")

// Licenses is what is linked into the program, and under which licences.
type Licenses struct {
	Schema string       `json:"schema"`
	Parts  []LinkedPart `json:"parts"`
}

// LinkedPart is a module that is linked into the program, or the program itself.
type LinkedPart struct {
	Name string `json:"name"`
	// Version is that of the module, or of Go.
	Version string `json:"version"`
	// License is the SPDX name, or several names if parts of the module differ.
	License string `json:"license"`
	// Text is the whole licence, or all of them.
	Text string `json:"text"`
}

// `make gen` writes it from the source trees of the modules.
//
//go:embed licenses_gen.json
var linkedParts []byte

// NewLicenses lists what is linked: the program itself, Go, and the modules by name.
func NewLicenses() (*Licenses, error) {
	l := &Licenses{Schema: LicensesSchema}
	if err := json.Unmarshal(linkedParts, &l.Parts); err != nil {
		return nil, err
	}
	l.Parts[0].Version, l.Parts[1].Version = NewVersion().Version, runtime.Version()
	return l, nil
}
