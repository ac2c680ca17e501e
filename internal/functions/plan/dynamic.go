package plan

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// What is read of a file for the dynamic linker: so many bytes of entries, of a name (more cannot be opened), and of a
// list of directories.
const (
	maxDynamic  = 1 << 20
	maxFileName = 1 << 12
	maxPathList = 1 << 18
)

// dynamic is what an ELF file tells the dynamic linker. It is read by its segments, as the linker does: sections may
// have been stripped, or say something else.
type dynamic struct {
	abi            abi
	linker         string // PT_INTERP
	soname         string
	needed         []string
	rpath, runpath string
}

// abi is what files must have in common to be linked with each other.
type abi struct {
	class   elf.Class
	data    elf.Data
	machine elf.Machine
}

// readDynamic reads a file; spend is told how many bytes of text were read and says whether there may be more.
func readDynamic(path string, spend func(bytes int) bool) (*dynamic, error) {
	f, err := safefile.OpenELF(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := &dynamic{abi: abi{f.Class, f.Data, f.Machine}, linker: linkerOf(f.File)}
	entries := dynamicEntries(f.File)
	var texts *io.SectionReader
	for _, e := range entries {
		if e.tag == elf.DT_STRTAB {
			texts = segmentAt(f.File, e.value)
		}
	}
	for _, e := range entries {
		switch e.tag {
		case elf.DT_NEEDED:
			name := textAt(texts, e.value, maxFileName)
			if len(d.needed) == maxLibraries || !spend(len(name)) {
				return nil, fmt.Errorf("%s needs more libraries than are looked for", path)
			}
			d.needed = append(d.needed, name)
		case elf.DT_SONAME:
			d.soname = textAt(texts, e.value, maxFileName)
		case elf.DT_RPATH:
			d.rpath = textAt(texts, e.value, maxPathList)
		case elf.DT_RUNPATH:
			d.runpath = textAt(texts, e.value, maxPathList)
		}
	}
	if d.runpath != "" {
		d.rpath = "" // as in the linker
	}
	return d, nil
}

// linkerOf is the dynamic linker that a program names, "" if it names none.
func linkerOf(f *elf.File) string {
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return textAt(io.NewSectionReader(p, 0, int64(p.Filesz)), 0, maxFileName)
		}
	}
	return ""
}

// dynamicEntry is an entry of PT_DYNAMIC.
type dynamicEntry struct {
	tag   elf.DynTag
	value uint64
}

func dynamicEntries(f *elf.File) (entries []dynamicEntry) {
	for _, p := range f.Progs {
		if p.Type != elf.PT_DYNAMIC {
			continue
		}
		b, _ := io.ReadAll(io.NewSectionReader(p, 0, int64(min(p.Filesz, maxDynamic)))) // what is there
		word, size := func(b []byte) uint64 { return f.ByteOrder.Uint64(b) }, 8
		if f.Class == elf.ELFCLASS32 {
			word, size = func(b []byte) uint64 { return uint64(f.ByteOrder.Uint32(b)) }, 4
		}
		for ; len(b) >= 2*size; b = b[2*size:] {
			e := dynamicEntry{elf.DynTag(word(b)), word(b[size:])}
			if e.tag == elf.DT_NULL {
				break
			}
			entries = append(entries, e)
		}
		break
	}
	return entries
}

// segmentAt is what a file has from an address on, nil if that is nothing.
func segmentAt(f *elf.File, addr uint64) *io.SectionReader {
	for _, p := range f.Progs {
		if at := addr - p.Vaddr; p.Type == elf.PT_LOAD && at < p.Filesz {
			return io.NewSectionReader(p, int64(at), int64(p.Filesz-at))
		}
	}
	return nil
}

// textAt is the text at a place, "" if there is none or one that is too long.
func textAt(texts *io.SectionReader, at uint64, limit int64) string {
	if texts == nil || at >= uint64(texts.Size()) {
		return ""
	}
	for size := min(int64(128), limit); ; size = limit { // most are short
		b := make([]byte, min(size, texts.Size()-int64(at)))
		n, _ := texts.ReadAt(b, int64(at)) // what is there
		if end := bytes.IndexByte(b[:n], 0); end >= 0 {
			return string(b[:end])
		}
		if size == limit || n < len(b) {
			return ""
		}
	}
}
