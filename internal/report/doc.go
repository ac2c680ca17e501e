// Package report has the data types of everything that `tabard COMMAND --json` prints, and fills
// them from the analyses. Command line, viewer and Python package share them, so that they cannot
// disagree.
//
// A document is a struct with a member "schema" that names its form and version, such as
// "tabard.matrix/1". Members may be added to a document; none changes its meaning or type without a
// new version. The comments on types and members become the descriptions in docs/schema/NAME.json,
// which `make gen` writes for each registered document.
//
// Times are in nanoseconds, in members whose names end in _ns. Processes are numbered through all
// worlds: in the launched one the number is the rank. Lists of ranks are texts as the flag --rank
// takes them, such as "0-3,8-64:8".
//
// A new document is one file here: its type, the function that fills it, and a call of register.
package report

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Document is a form of output, described by a type.
type Document struct {
	// Schema names the form, with its version: "tabard.matrix/1".
	Schema string
	// Command prints it, with its flags: "matrix --json".
	Command string
	// Type is the struct.
	Type reflect.Type
}

// Name is the part of the schema that names the file in docs/schema: "matrix".
func (d *Document) Name() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(d.Schema, "tabard."), "/")
	return name
}

var documents []Document

// register makes a document known. It is called while variables are initialised: var _ =
// register(...).
func register[T any](schema, command string) struct{} {
	documents = append(documents, Document{schema, command, reflect.TypeFor[T]()})
	return struct{}{}
}

// Documents lists all documents by name.
func Documents() []Document {
	list := slices.Clone(documents)
	slices.SortFunc(list, func(a, b Document) int { return cmp.Compare(a.Schema, b.Schema) })
	return list
}
