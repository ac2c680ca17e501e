// Package resolve gives names to addresses in ELF files: function, source
// file and line of a call site, symbol of static data.
//
// It works file by file on batches of offsets, so that memory is bounded by
// the questions and not by the size of the binary: symbol tables are read as
// streams and uncompressed debug sections are mapped, never copied.
package resolve

import (
	"debug/elf"
	"errors"
	"fmt"
	"path/filepath"
	"sort"

	"github.com/ianlancetaylor/demangle"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Kind says what an offset is.
type Kind uint8

const (
	// Return is a return address. It resolves to the call before it.
	Return Kind = iota
	// Code is the address of an instruction, for example a function's entry.
	Code
	// Data is the address of a variable.
	Data
)

// A Query asks about one place in a module.
type Query struct {
	// Offset is the address in the file's own terms: what is left of a run-time
	// address when the load address (the loader's bias) is taken off.
	Offset uint64
	Kind   Kind
}

// A Location is what is known about a place. Empty strings and a zero line
// are unknown.
type Location struct {
	// Symbol is the function or variable, demangled if it is C++ or Rust.
	Symbol string
	// Delta is the distance from the start of Symbol in bytes; for a return
	// address that of the byte before it.
	Delta uint64
	// File is the source file with its directory as the compiler saw it.
	File string
	Line int
}

// ErrRebuilt is returned for a file whose build id is not the recorded one. It was rebuilt after
// the recording, so that its addresses mean something else now.
var ErrRebuilt = errors.New("the file was rebuilt since it was recorded (build id differs)")

// maxDecompressed bounds what compressed debug sections may occupy in memory.
// Beyond it functions keep their names but lines are not resolved.
const maxDecompressed = 256 << 20

// File resolves queries in the ELF file at path, which must have build id
// buildID (lower-case hex; empty skips the check). The result has one
// location for each query. An error means that nothing could be resolved; a
// missing symbol table or missing debug information is no error.
func File(path, buildID string, queries []Query) ([]Location, error) {
	locs := make([]Location, len(queries))
	if len(queries) == 0 {
		return locs, nil
	}
	bin, err := openImage(path)
	if err != nil {
		return nil, err
	}
	defer bin.close()
	if buildID != "" {
		if have := bin.buildID(); have != buildID {
			return nil, fmt.Errorf("%s: %w", path, ErrRebuilt)
		}
	}
	b := newBatch(queries)
	debug := findDebug(path, bin)
	if debug != nil {
		defer debug.close()
	}
	// If the binary is stripped, the separate file has the full symbol table. A later table only
	// improves on an earlier one.
	b.symbols(bin)
	if debug != nil {
		b.symbols(debug)
		b.lines(debug)
	}
	if !b.haveLines() {
		b.lines(bin)
	}
	b.locations(locs)
	return locs, nil
}

// demangled returns the readable form of a linker name. Fortran and C names
// are returned as they are.
func demangled(name string) string {
	return demangle.Filter(name, demangle.NoClones)
}

// place is one distinct link-time address that somebody asked for.
type place struct {
	addr uint64
	data bool
	want []int // queries

	name  string
	start uint64
	rank  int // quality of name
	file  string
	line  int
}

// batch is a set of queries, by ascending address.
type batch struct {
	places []place
}

func newBatch(queries []Query) *batch {
	type key struct {
		addr uint64
		data bool
	}
	index := map[key]int{}
	b := &batch{}
	for i, q := range queries {
		k := key{addr: q.Offset, data: q.Kind == Data}
		if q.Kind == Return && k.addr > 0 {
			k.addr--
		}
		n, ok := index[k]
		if !ok {
			n = len(b.places)
			index[k] = n
			b.places = append(b.places, place{addr: k.addr, data: k.data})
		}
		b.places[n].want = append(b.places[n].want, i)
	}
	sort.Slice(b.places, func(i, j int) bool { return b.places[i].addr < b.places[j].addr })
	return b
}

// within returns the places with lo <= addr < hi.
func (b *batch) within(lo, hi uint64) []place {
	i := sort.Search(len(b.places), func(i int) bool { return b.places[i].addr >= lo })
	j := i + sort.Search(len(b.places)-i, func(j int) bool { return b.places[i+j].addr >= hi })
	return b.places[i:j]
}

func (b *batch) haveLines() bool {
	for i := range b.places {
		if b.places[i].line != 0 {
			return true
		}
	}
	return false
}

func (b *batch) locations(locs []Location) {
	for i := range b.places {
		p := &b.places[i]
		l := Location{File: p.file, Line: p.line}
		if p.name != "" {
			l.Symbol = demangled(p.name)
			l.Delta = p.addr - p.start
		}
		for _, q := range p.want {
			locs[q] = l
		}
	}
}

// findDebug opens the separate debug file of bin, nil if there is none that
// fits.
func findDebug(path string, bin *image) *image {
	id := bin.buildID()
	var candidates []string
	if len(id) > 2 {
		candidates = append(candidates, filepath.Join("/usr/lib/debug/.build-id", id[:2], id[2:]+".debug"))
	}
	if link := bin.debugLink(); link != "" && link == filepath.Base(link) {
		dir := filepath.Dir(path)
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dir = filepath.Dir(real)
		}
		candidates = append(candidates, filepath.Join(dir, link), filepath.Join(dir, ".debug", link),
			filepath.Join("/usr/lib/debug", dir, link))
	}
	for _, c := range candidates {
		if c == path {
			continue
		}
		d, err := openImage(c)
		if err != nil {
			continue
		}
		if id != "" && d.buildID() != id || d.f.Machine != bin.f.Machine {
			d.close()
			continue
		}
		return d
	}
	return nil
}

// BuildID returns the build id of the ELF file at path as lower-case hex,
// empty if it has none.
func BuildID(path string) (string, error) {
	bin, err := openImage(path)
	if err != nil {
		return "", err
	}
	defer bin.close()
	return bin.buildID(), nil
}

func openImage(path string) (*image, error) {
	file, err := safefile.OpenInput(path)
	if err != nil {
		return nil, err
	}
	fi, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	f, err := elf.NewFile(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &image{f: f, file: file, size: fi.Size()}, nil
}
