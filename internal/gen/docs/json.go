package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/tabard-hpc/tabard/internal/report"
)

const jsonHead = `# JSON

<!-- Generated from the types of package report: make gen -->

Every answer can be had as JSON: with --json, a command prints one object, and dump one for each call. Its member "schema" names its
form and version. Members are added without a new version; one that changes its meaning, or goes, has
a new one. Times are nanoseconds and sizes bytes.

Members with a question mark are left out where there is nothing to say. "of" is what a list holds; types
with a capital letter are the tables below. The [JSON Schemas](schema) say the same to programs.

`

// jsonPage is the page of all documents.
func jsonPage(documents []report.Document, c *comments) (string, error) {
	var b strings.Builder
	b.WriteString(jsonHead)
	for _, d := range documents {
		fmt.Fprintf(&b, "- [tabard %s](#%s)\n", d.Command, d.Name())
	}
	for _, d := range documents {
		s, err := document(&d, c)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## %s\n\n`tabard %s` prints %s ([schema](schema/%s.json)).\n", d.Name(), d.Command, d.Schema,
			d.Name())
		if s.Description != "" {
			fmt.Fprintf(&b, "\n%s\n", s.Description)
		}
		members(&b, s)
		for _, name := range slices.Sorted(maps.Keys(s.Defs)) {
			fmt.Fprintf(&b, "\n**%s**", name)
			if text := s.Defs[name].Description; text != "" {
				fmt.Fprintf(&b, ": %s", text)
			}
			b.WriteString("\n")
			members(&b, s.Defs[name])
		}
	}
	return b.String(), nil
}

// members writes the table of an object's members.
func members(b *strings.Builder, s *jsonschema.Schema) {
	if len(s.PropertyOrder) == 0 {
		return
	}
	b.WriteString("\n| member | type | meaning |\n|---|---|---|\n")
	for _, name := range s.PropertyOrder {
		m := s.Properties[name]
		mark := "?"
		if slices.Contains(s.Required, name) || m.Const != nil {
			mark = ""
		}
		meaning := strings.ReplaceAll(m.Description, "|", `\|`)
		fmt.Fprintf(b, "| `%s`%s | %s | %s |\n", name, mark, typeName(m), meaning)
	}
}

// typeName says in words what a schema allows.
func typeName(s *jsonschema.Schema) string {
	switch {
	case s.Const != nil:
		return fmt.Sprintf("%q", *s.Const)
	case s.Ref != "":
		return strings.TrimPrefix(s.Ref, "#/$defs/")
	case len(s.AnyOf) > 0:
		return typeName(s.AnyOf[0]) + " or null"
	}
	kind, null := s.Type, ""
	if len(s.Types) > 0 {
		kind = s.Types[0]
		if kind != "array" && kind != "object" { // which may always be null instead of empty
			null = " or null"
		}
	}
	switch {
	case kind == "array":
		return "list of " + typeName(s.Items)
	case kind == "object" && s.AdditionalProperties != nil:
		return "object of " + typeName(s.AdditionalProperties)
	case kind == "":
		return "any"
	}
	return kind + null
}
