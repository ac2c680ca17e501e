package plan

import (
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/tabard-hpc/tabard/internal/resolve"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// maxText bounds the code of an image, maxBuildID the digits of its build id.
const (
	maxText    = 1 << 30
	maxBuildID = 80
)

// section is a part of an image with its content.
type section struct {
	name string
	addr uint64
	data []byte
}

func (s *section) holds(addr uint64) bool { return addr-s.addr < uint64(len(s.data)) }

// symbol is a function that an image names.
type symbol struct {
	addr, size uint64
	names      []string
	resolver   bool // what it returns is the function
	variant    bool // it is called in a way of its own, see elfVariant
}

// image is what is read of an executable or a shared library.
type image struct {
	path    string
	elf     *elf.File
	aarch64 bool // its code is for AArch64, else for x86-64
	buildID string
	code    []section         // executable
	data    []section         // what may hold addresses and tables
	symbols []symbol          // ascending, one for an address
	full    bool              // they are all there are, not just what is exported
	frames  []frame           // ascending
	words   map[uint64]string // see readImports
	// What compilers have left to be changed, see sleds.go: the list of patchable entries, what XRay changes (ascending),
	// and by function, once code has been looked at.
	patchable section
	sleds     []sled
	xray      bool // what changes sleds may be there
	rooms     map[uint64]room
}

// open reads the image at path. Names of functions may come from a file of debugging information beside it.
func open(path string) (*image, error) {
	f, err := safefile.OpenELF(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := foreign(path, f.File); err != nil {
		return nil, err
	}
	if f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return nil, fmt.Errorf("%s is no executable and no library (%v)", path, f.Type)
	}
	im := &image{path: path, elf: f.File, aarch64: isA64(f.File)}
	if err := im.readSections(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	im.buildID = buildID(f.File)
	im.readSymbols()
	im.readFrames()
	im.readImports()
	if !im.aarch64 {
		im.readSleds()
	}
	return im, nil
}

func (im *image) readSections() error {
	total := uint64(0)
	for _, s := range im.elf.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_TLS != 0 {
			continue
		}
		if total += s.Size; s.Size > maxText || total > 2*maxText {
			return errors.New("its sections are larger than 2 GiB")
		}
		data, err := s.Data()
		if err != nil {
			return fmt.Errorf("section %s: %w", s.Name, err)
		}
		sec := section{s.Name, s.Addr, data}
		if s.Flags&elf.SHF_EXECINSTR != 0 {
			im.code = append(im.code, sec)
		} else {
			im.data = append(im.data, sec)
		}
	}
	if len(im.code) == 0 {
		return errors.New("it has no section headers, or no code: what is a function cannot be told")
	}
	sort.Slice(im.code, func(i, j int) bool { return im.code[i].addr < im.code[j].addr })
	return nil
}

// buildID is the build id of an image, empty if it has none or one that is too long.
func buildID(f *elf.File) string {
	id := resolve.BuildIDOf(f)
	if len(id) > maxBuildID {
		return ""
	}
	return id
}

// readSymbols reads the functions that have names.
func (im *image) readSymbols() {
	all, err := im.elf.Symbols()
	im.full = err == nil && len(all) > 0
	dynamic, _ := im.elf.DynamicSymbols()
	at := map[uint64]*symbol{}
	for _, s := range append(all, dynamic...) {
		kind := elf.ST_TYPE(s.Info)
		if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || s.Section == elf.SHN_UNDEF ||
			s.Section >= elf.SHN_LORESERVE {
			continue
		}
		known := at[s.Value]
		if known == nil {
			known = &symbol{addr: s.Value}
			at[s.Value] = known
		}
		known.size = max(known.size, s.Size)
		known.variant = known.variant || im.aarch64 && s.Other&elfVariant != 0
		known.resolver = known.resolver || kind == elf.STT_GNU_IFUNC
		if !slices.Contains(known.names, s.Name) {
			known.names = append(known.names, s.Name)
		}
	}
	for _, s := range at {
		im.symbols = append(im.symbols, *s)
	}
	sort.Slice(im.symbols, func(i, j int) bool { return im.symbols[i].addr < im.symbols[j].addr })
}

// codeAt is the code from addr to the end of its section, nil if there is none.
func (im *image) codeAt(addr uint64) []byte {
	if s := im.sectionAt(addr); s != nil {
		return s.data[addr-s.addr:]
	}
	return nil
}

func (im *image) sectionAt(addr uint64) *section {
	i := sort.Search(len(im.code), func(i int) bool { return im.code[i].addr+uint64(len(im.code[i].data)) > addr })
	if i < len(im.code) && im.code[i].holds(addr) {
		return &im.code[i]
	}
	return nil
}
