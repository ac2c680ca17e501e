package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/tabard-hpc/tabard/internal/report"
)

func schemaPath(d *report.Document) string { return "docs/schema/" + d.Name() + ".json" }

// schema makes the JSON Schema of a document from its Go type and the comments on it. Members that
// are left out when they are empty are not required. Lists and objects that are always there may be
// null instead of empty. Unknown members are allowed, as members may be added.
func schema(d *report.Document, c *comments) ([]byte, error) {
	root, err := document(d, c)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(root, "", "  ")
	return append(text, '\n'), err
}

// document makes the schema of a document.
func document(d *report.Document, c *comments) (*jsonschema.Schema, error) {
	b := &schemas{c, map[string]*jsonschema.Schema{}, map[string]reflect.Type{}}
	root, err := b.object(d.Type)
	if err != nil {
		return nil, err
	}
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.Title = "tabard " + d.Command
	root.Defs = b.defs
	name := any(d.Schema)
	root.Properties["schema"] = &jsonschema.Schema{Const: &name, Description: "The name and version of this form."}
	return root, nil
}

// schemas makes schemas of types. Structs become definitions, as they may contain themselves.
type schemas struct {
	comments *comments
	defs     map[string]*jsonschema.Schema
	types    map[string]reflect.Type // of defs
}

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

// of returns the schema of a type.
func (b *schemas) of(t reflect.Type) (*jsonschema.Schema, error) {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return &jsonschema.Schema{Type: "integer"}, nil
	case t.Implements(textMarshaler):
		return &jsonschema.Schema{Type: "string"}, nil
	case t.Implements(reflect.TypeFor[json.Marshaler]()) ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()):
		return nil, fmt.Errorf("%v writes its JSON itself: nothing says what that looks like", t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &jsonschema.Schema{Type: "integer", Minimum: new(float64)}, nil
	case reflect.Float32, reflect.Float64:
		return &jsonschema.Schema{Type: "number"}, nil
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}, nil
	case reflect.Interface:
		return &jsonschema.Schema{}, nil
	case reflect.Pointer:
		return b.of(t.Elem())
	case reflect.Slice, reflect.Array:
		items, err := b.of(t.Elem())
		return &jsonschema.Schema{Type: "array", Items: items}, err
	case reflect.Map:
		values, err := b.of(t.Elem())
		return &jsonschema.Schema{Type: "object", AdditionalProperties: values}, err
	case reflect.Struct:
		return b.reference(t)
	}
	return nil, fmt.Errorf("%v has no JSON", t)
}

// reference refers to the definition of a struct.
func (b *schemas) reference(t reflect.Type) (*jsonschema.Schema, error) {
	ref := &jsonschema.Schema{Ref: "#/$defs/" + t.Name()}
	switch b.types[t.Name()] {
	case t:
		return ref, nil
	case nil:
	default:
		return nil, fmt.Errorf("two types are called %s", t.Name())
	}
	b.types[t.Name()] = t
	def, err := b.object(t)
	b.defs[t.Name()] = def
	return ref, err
}

// object returns the schema of a struct.
func (b *schemas) object(t reflect.Type) (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{Type: "object", Description: b.comments.of(t, ""),
		Properties: map[string]*jsonschema.Schema{}}
	return s, b.members(s, t)
}

// members adds the fields of a struct.
func (b *schemas) members(s *jsonschema.Schema, t reflect.Type) error {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _ := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			if err := b.members(s, inner); err != nil {
				return err
			}
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			return fmt.Errorf("%v.%s has no name in JSON", t, f.Name)
		}
		m, err := b.of(f.Type)
		if err != nil {
			return err
		}
		if !strings.Contains(options, "omitempty") {
			s.Required = append(s.Required, name)
			m = orNull(m, f.Type)
		}
		m.Description = asInJSON(b.comments.of(t, f.Name), t)
		s.Properties[name] = m
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	return nil
}

// orNull allows null where a Go value can be nil.
func orNull(s *jsonschema.Schema, t reflect.Type) *jsonschema.Schema {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
	default:
		return s
	}
	if s.Type == "" {
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
	}
	s.Types, s.Type = []string{s.Type, "null"}, ""
	return s
}

var word = regexp.MustCompile(`\w+`)

// asInJSON replaces the names of fields in a text by the names that they have in JSON.
func asInJSON(text string, t reflect.Type) string {
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if f, ok := t.FieldByName(w); ok {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				return name
			}
		}
		return w
	})
}
