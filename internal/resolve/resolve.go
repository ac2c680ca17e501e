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
	// Symbol is the function or variable, as people would write it: see readable.
	Symbol string
	// Delta is the distance from the start of Symbol in bytes; for a return
	// address that of the byte before it.
	Delta uint64
	// Frames are the functions that code belongs to, innermost first: those that the compiler put in
	// line, and at last the one that they were put into. Empty for data and if nothing is known.
	Frames []Frame
}

// A Frame is a function and the line in it.
type Frame struct {
	Func string
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
	// in is the functions that the code is in, outermost first: the first is no inlined one.
	in []function
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
		var l Location
		if p.name != "" {
			l.Symbol = readable(p.name, p.data)
			l.Delta = p.addr - p.start
		}
		if !p.data {
			l.Frames = p.frames(l.Symbol)
		}
		for _, q := range p.want {
			locs[q] = l
		}
	}
}

// frames are the functions of a place from the inside out. The outermost has the name of the symbol,
// if there is one.
func (p *place) frames(symbol string) []Frame {
	if p.line == 0 && symbol == "" && len(p.in) == 0 {
		return nil
	}
	var out []Frame
	file, line := p.file, p.line
	for i := len(p.in) - 1; i > 0; i-- {
		f := &p.in[i]
		out = append(out, Frame{Func: f.name, File: file, Line: line})
		file, line = f.callFile, f.callLine
	}
	if symbol == "" && len(p.in) > 0 {
		symbol = p.in[0].name
	}
	return append(out, Frame{Func: symbol, File: file, Line: line})
}

// findDebug opens the separate debug file of bin, nil if there is none that
// fits.
func findDebug(path string, bin *image) *image {
	id := bin.buildID()
	candidates := byBuildID(id)
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

// byBuildID is where a debug file with a build id would be.
func byBuildID(id string) []string {
	if len(id) <= 2 {
		return nil
	}
	return []string{filepath.Join("/usr/lib/debug/.build-id", id[:2], id[2:]+".debug")}
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
