package capture_test

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/capture"
)

// The embedded library is built from the sources as they are; the hash is that of build.sh.
func TestEmbeddedRuntimeIsCurrent(t *testing.T) {
	var sources, headers []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err == nil && path == "testdata":
			return fs.SkipDir
		case filepath.Ext(path) == ".c":
			sources = append(sources, path)
		case filepath.Ext(path) == ".h":
			headers = append(headers, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(sources)
	slices.Sort(headers)
	h := sha256.New()
	for _, f := range slices.Concat(sources, headers, []string{"libtabard.map", "build.sh"}) {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(b)
	}
	got, err := capture.Version()
	if err != nil {
		t.Fatal(err)
	}
	if want := hex.EncodeToString(h.Sum(nil))[:16]; got != want {
		t.Errorf("capture/libtabard.so was built from %s, the sources are %s: run make", got, want)
	}
}

// The runtime must load into every program: it needs the C library and nothing
// else, no MPI in particular, and exports both names of every function.
func TestRuntimeLibrary(t *testing.T) {
	f, err := elf.NewFile(bytes.NewReader(capture.Runtime()))
	if err != nil {
		t.Fatal(err)
	}
	needed, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, lib := range needed {
		ofC := []string{"libc.so", "libdl.so", "libpthread.so", "ld-linux"}
		if !slices.ContainsFunc(ofC, func(p string) bool { return strings.HasPrefix(lib, p) }) {
			t.Errorf("needs %s", lib)
		}
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF {
			if strings.HasPrefix(s.Name, "MPI_") || strings.HasPrefix(s.Name, "PMPI_") {
				t.Errorf("needs %s of the MPI library", s.Name)
			}
			continue
		}
		exported[s.Name] = true
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_TLS && p.Memsz > 448 {
			t.Errorf("needs %d bytes of each thread: see TB_TLS", p.Memsz)
		}
	}
	pairs := 0
	for name := range exported {
		if strings.HasPrefix(name, "MPI_") {
			if pairs++; !exported["P"+name] {
				t.Errorf("exports %s without its P twin", name)
			}
		}
		if strings.HasPrefix(name, "tb_") && name != "tb_version" {
			t.Errorf("exports %s", name)
		}
	}
	if pairs < 600 {
		t.Errorf("exports %d MPI functions", pairs)
	}
}

// TestRooms: core, memory and sites know no MPI but what core/api.h says, and no room includes what
// is private to another.
func TestRooms(t *testing.T) {
	shared := []string{"core/ring.h", "core/call.h", "core/core.h", "core/api.h", "core/lock.h", "core/files.h",
		"core/ids.h", "core/point.h", "core/readable.h", "functions/functions.h", "memory/memory.h", "sites/sites.h",
		"sites/modules.h"}
	// Calls of functions come in the middle of all else, and their return addresses stand in for those on the stack.
	also := map[string][]string{"functions": {"sites/frames.h", "core/guard.h", "core/internal.h"}}
	include := regexp.MustCompile(`(?m)^#include "(\w+/[\w/]+\.h)"`)
	for _, room := range []string{"core", "memory", "sites", "mpi", "posixio", "regions", "nccl", "openmp", "python",
		"functions", "threads", "torch"} {
		known := append(also[room], shared...)
		files, err := filepath.Glob(room + "/*.[ch]")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", room, files, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range include.FindAllSubmatch(text, -1) {
				if header := string(m[1]); !strings.HasPrefix(header, room+"/") && !slices.Contains(known, header) {
					t.Errorf("%s includes %s", f, header)
				}
			}
			if room != "mpi" && bytes.Contains(text, []byte(`"MPI_`)) {
				t.Errorf("%s names a function of MPI", f)
			}
		}
	}
}
