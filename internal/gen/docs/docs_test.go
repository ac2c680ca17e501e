package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/gen/files"
	"github.com/tabard-hpc/tabard/internal/report"
)

const root = "../../.."

// TestUpToDate makes the committed files again and compares.
func TestUpToDate(t *testing.T) {
	all, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(root, all, true); err != nil {
		t.Error(err)
	}
}

// A schema that describes no document is found and removed.
func TestLeftover(t *testing.T) {
	dir := t.TempDir()
	old := []files.File{{Path: "docs/schema/old.json"}, {Path: "docs/schema/new.json"}}
	if err := write(dir, old, false); err != nil {
		t.Fatal(err)
	}
	if err := write(dir, old[1:], true); err == nil || !strings.Contains(err.Error(), "old.json describes nothing") {
		t.Errorf("a schema of nothing: %v", err)
	}
	if err := write(dir, old[1:], false); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(dir + "/docs/schema/*"); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// The following types are like those of documents.
type inner struct {
	Deep []inner `json:"deep,omitempty"`
}

type outer struct {
	Schema string `json:"schema"`
	inner
	Pointer *inner         `json:"pointer"`
	Number  *int           `json:"number"`
	List    []uint         `json:"list"`
	Left    []string       `json:"left,omitempty"`
	Map     map[string]any `json:"map"`
	Hidden  func()         `json:"-"`
}

func TestSchema(t *testing.T) {
	text, err := schema(&report.Document{Schema: "tabard.outer/1", Command: "outer --json",
		Type: reflect.TypeFor[outer]()},
		newComments(root))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Properties map[string]any
		Required   []string
		Defs       map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"schema":  "map[const:tabard.outer/1 description:The name and version of this form.]",
		"deep":    "map[items:map[$ref:#/$defs/inner] type:array]",
		"pointer": "map[anyOf:[map[$ref:#/$defs/inner] map[type:null]]]",
		"number":  "map[type:[integer null]]",
		"list":    "map[items:map[minimum:0 type:integer] type:[array null]]",
		"left":    "map[items:map[type:string] type:array]",
		"map":     "map[additionalProperties:true type:[object null]]",
	} {
		if s := fmt.Sprint(got.Properties[name]); s != want {
			t.Errorf("%s: %s, want %s", name, s, want)
		}
	}
	if len(got.Properties) != 7 || fmt.Sprint(got.Required) != "[schema pointer number list map]" ||
		got.Defs["inner"] == nil {
		t.Errorf("%s", text)
	}
}

type ownJSON struct{}

func (ownJSON) MarshalJSON() ([]byte, error) { return nil, nil }

// Types whose JSON cannot be known are refused.
func TestSchemaRefuses(t *testing.T) {
	type Spread struct{} // of the name of one in package report
	for want, typ := range map[string]reflect.Type{
		"writes its JSON itself": reflect.TypeFor[struct {
			A ownJSON `json:"a"`
		}](),
		"has no name in JSON": reflect.TypeFor[struct{ A int }](),
		"has no JSON": reflect.TypeFor[struct {
			A chan int `json:"a"`
		}](),
		"two types are called Spre": reflect.TypeFor[struct {
			A Spread        `json:"a"`
			B report.Spread `json:"b"`
		}](),
	} {
		if _, err := schema(&report.Document{Type: typ}, newComments(root)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Members have their names of JSON, also where the comment on a field mentions other fields.
func TestDescriptions(t *testing.T) {
	c := newComments(root)
	class := reflect.TypeFor[report.LoopClass]()
	if s := asInJSON(c.of(class, "Calls"), class); s != "calls is of all members, min_calls and max_calls of one." {
		t.Errorf("%q", s)
	}
}

func TestLicenseNames(t *testing.T) {
	bsd2 := "Redistributions in binary form must\n  reproduce the above copyright notice"
	for text, want := range map[string]string{
		"Apache License\nVersion 2.0": "Apache-2.0",
		"Permission is hereby granted, free of charge, to any\nperson obtaining a copy of this software": "MIT",
		bsd2: "BSD-2-Clause",
		bsd2 + " Neither the name may be used to endorse or promote products derived from": "BSD-3-Clause",
		"do what you want": "",
	} {
		p := part("x", "v1", text)
		if p.License != want {
			t.Errorf("%q: %q, want %q", text, p.License, want)
		}
		if err := check([]report.LinkedPart{p}); (err != nil) != (want == "") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}
