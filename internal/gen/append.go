package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/gen/files"
)

var (
	generatedID         = regexp.MustCompile(`(?m)^\t\{ID: (\d+), Name: "([^"]+)"`)
	generatedPredefined = regexp.MustCompile(`(?m)^\t\{"([^"]+)", [A-Z]\w*, (?:true|false)`)
)

// generateAll makes all generated files and refuses those that change what recordings refer to.
func generateAll(root string, api *API) ([]files.File, error) {
	all, err := Generate(api)
	if err != nil {
		return nil, err
	}
	vocabulary, err := goVocabulary(api.Vocabulary)
	if err != nil {
		return nil, err
	}
	names, err := goNames(api)
	if err != nil {
		return nil, err
	}
	apis, err := cAPIs(root, api)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		old, err := os.ReadFile(filepath.Join(root, f.Path))
		if err != nil || f.Path != "spec/tables_gen.go" {
			continue
		}
		if err := onlyAppended(old, f.Text); err != nil {
			return nil, err
		}
	}
	return append(all, apis, files.File{Path: "spec/vocabulary_gen.go", Text: vocabulary},
		files.File{Path: "spec/mpi/names_gen.go", Text: names}), nil
}

// onlyAppended compares spec/tables_gen.go as it is with what is to replace it: numbers that
// recordings hold stay what they are, for ever. It makes what is appended to ids.txt and
// predefined.txt final as soon as it has been generated once.
func onlyAppended(old, tables []byte) error {
	now := map[string]string{}
	for _, m := range generatedID.FindAllSubmatch(tables, -1) {
		now[string(m[1])] = string(m[2])
	}
	for _, m := range generatedID.FindAllSubmatch(old, -1) {
		if id, name := string(m[1]), string(m[2]); now[id] != name {
			return fmt.Errorf("ids.txt: %s was %s and is %q now: ids may only be appended", id, name, now[id])
		}
	}
	names := func(b []byte) (list []string) {
		_, text, _ := strings.Cut(string(b), "var Predefineds = ")
		text, _, _ = strings.Cut(text, "\n}\n")
		for _, m := range generatedPredefined.FindAllStringSubmatch(text, -1) {
			list = append(list, m[1])
		}
		return list
	}
	was, is := names(old), names(tables)
	if len(is) < len(was) || !slices.Equal(is[:len(was)], was) {
		return fmt.Errorf("predefined.txt: one of the first %d objects has changed: they may only be appended",
			len(was))
	}
	return nil
}
