//go:build mpi

package main

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestInstalled: the table covers what the installed MPIs declare and export.
func TestInstalled(t *testing.T) {
	api := load(t)
	wrappers := wrapperSymbols(t)
	for _, m := range Installed {
		if err := m.CheckPrototypes(api); err != nil {
			t.Error(err)
		}
		if err := m.CheckExports(api); err != nil {
			t.Error(err)
		}
		names, err := m.Exports()
		if err != nil {
			t.Fatal(err)
		}
		covered := 0
		for _, n := range names {
			if _, ok := wrappers[n]; ok {
				covered++
			} else if !api.excludes(n) {
				t.Errorf("%s: %s has no wrapper", m.CC, n)
			}
		}
		t.Logf("%s: %d of %d exported functions have wrappers, the others are excluded", m.CC, covered, len(names))
	}
}

// TestInstalledNotices: the checks fail on a table that is wrong.
func TestInstalledNotices(t *testing.T) {
	for _, m := range Installed {
		api := load(t)
		send := api.byName["MPI_Send"]
		delete(api.byName, "MPI_Send")
		if err := m.CheckExports(api); err == nil || !strings.Contains(err.Error(), "[MPI_Send]") {
			t.Errorf("%s: MPI_Send is missing in the table: %v", m.CC, err)
		}
		if err := m.CheckPrototypes(api); err == nil || !strings.Contains(err.Error(), "[MPI_Send]") {
			t.Errorf("%s: MPI_Send is missing in the table: %v", m.CC, err)
		}
		api.byName["MPI_Send"] = send
		send.Params[0].Type = "void*"
		if err := m.CheckPrototypes(api); err == nil || !strings.Contains(err.Error(), `"MPI_Send"`) {
			t.Errorf("%s: prototype of MPI_Send is wrong: %v", m.CC, err)
		}
	}
}

// TestABI: the data in spec/mpi/abi are what the installed headers say.
func TestABI(t *testing.T) {
	api := load(t)
	for i, name := range []string{"openmpi", "mpich"} {
		got, err := Probe(filepath.Join(root, "spec"), name, "")
		if err != nil {
			t.Fatal(err)
		}
		want := api.ABIs[i]
		for _, c := range []struct {
			what      string
			got, want any
		}{
			{"sizes", got.Sizes, want.Sizes}, {"offsets", got.Offsets, want.Offsets},
			{"constants", got.Constants, want.Constants},
			{"handles", got.Handles, want.Handles},
		} {
			if !reflect.DeepEqual(c.got, c.want) {
				t.Errorf("%s: %s differ from spec/mpi/abi/%s.json: go run ./internal/gen -abi %s", name, c.what, name,
					name)
			}
		}
		if len(got.Symbols)+len(want.Symbols) > 0 && !reflect.DeepEqual(got.Symbols, want.Symbols) {
			t.Errorf("%s: symbols differ from spec/mpi/abi/%s.json", name, name)
		}
		if len(got.Variables)+len(want.Variables) > 0 && !reflect.DeepEqual(got.Variables, want.Variables) {
			t.Errorf("%s: variables differ from spec/mpi/abi/%s.json", name, name)
		}
	}
}
