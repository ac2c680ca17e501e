package resolve

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"syscall"
)

// image is an open ELF file.
type image struct {
	f    *elf.File
	file *os.File
	size int64
	mem  []byte // the whole file, mapped on demand
	id   *string
}

func (im *image) close() {
	if im.mem != nil {
		syscall.Munmap(im.mem)
	}
	im.file.Close()
}

// section returns the bytes of s without copying them where the file allows,
// nil if they cannot be had within limit bytes of memory.
func (im *image) section(s *elf.Section, limit uint64) []byte {
	if s.Type == elf.SHT_NOBITS || s.Size == 0 {
		return nil
	}
	if s.Flags&elf.SHF_COMPRESSED == 0 && !isZdebug(s.Name) {
		if im.mem == nil {
			im.mem, _ = syscall.Mmap(int(im.file.Fd()), 0, int(im.size), syscall.PROT_READ, syscall.MAP_PRIVATE)
		}
		if end := s.Offset + s.FileSize; im.mem != nil && end >= s.Offset && end <= uint64(len(im.mem)) {
			return im.mem[s.Offset:end:end]
		}
	}
	if s.Size > limit {
		return nil
	}
	b, err := s.Data()
	if err != nil {
		return nil
	}
	return b
}

func isZdebug(name string) bool { return len(name) > 7 && name[:7] == ".zdebug" }

// buildID returns the GNU build id as hex, empty if there is none.
func (im *image) buildID() string {
	if im.id == nil {
		id := BuildIDOf(im.f)
		im.id = &id
	}
	return *im.id
}

// BuildIDOf returns the build id of an ELF file as lower-case hex, empty if it has none.
func BuildIDOf(f *elf.File) string {
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOTE && s.Size < 1<<16 {
			if b, err := s.Data(); err == nil {
				if id := noteBuildID(f.ByteOrder, b); id != "" {
					return id
				}
			}
		}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE && p.Filesz < 1<<16 {
			b := make([]byte, p.Filesz)
			if _, err := p.ReadAt(b, 0); err == nil {
				if id := noteBuildID(f.ByteOrder, b); id != "" {
					return id
				}
			}
		}
	}
	return ""
}

func noteBuildID(order binary.ByteOrder, b []byte) string {
	for len(b) >= 12 {
		name, desc, typ := uint64(order.Uint32(b)), uint64(order.Uint32(b[4:])), order.Uint32(b[8:])
		descAt := 12 + (name+3)&^3
		end := descAt + (desc+3)&^3
		if descAt+desc > uint64(len(b)) {
			return ""
		}
		if typ == 3 && name == 4 && string(b[12:15]) == "GNU" {
			return hex.EncodeToString(b[descAt : descAt+desc])
		}
		b = b[min(end, uint64(len(b))):]
	}
	return ""
}

// debugLink returns the file name in .gnu_debuglink.
func (im *image) debugLink() string { return cString(im.small(".gnu_debuglink")) }

// small is the content of a small section, nil if there is none.
func (im *image) small(name string) []byte {
	s := im.f.Section(name)
	if s == nil || s.Size > 4096 {
		return nil
	}
	b, err := s.Data()
	if err != nil {
		return nil
	}
	return b
}

// symbols names the places of b from the symbol tables of im. Tables are read as streams, so that
// one of millions of symbols takes no memory.
func (b *batch) symbols(im *image) {
	if im.f.Class != elf.ELFCLASS64 {
		return
	}
	// The names are mapped: see lines.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	for _, s := range im.f.Sections {
		if (s.Type == elf.SHT_SYMTAB || s.Type == elf.SHT_DYNSYM) && int(s.Link) < len(im.f.Sections) {
			b.symbolTable(im, s, im.f.Sections[s.Link])
		}
	}
}

func (b *batch) symbolTable(im *image, s, str *elf.Section) {
	names := im.section(str, maxDecompressed)
	r := bufio.NewReaderSize(s.Open(), 1<<16)
	var e [elf.Sym64Size]byte
	for {
		if _, err := io.ReadFull(r, e[:]); err != nil {
			return
		}
		order := im.f.ByteOrder
		typ, bind := elf.SymType(e[4]&15), elf.SymBind(e[4]>>4)
		value, size := order.Uint64(e[8:]), order.Uint64(e[16:])
		if order.Uint16(e[6:]) == uint16(elf.SHN_UNDEF) {
			continue
		}
		var data bool
		switch typ {
		case elf.STT_FUNC, elf.STT_GNU_IFUNC:
		case elf.STT_OBJECT, elf.STT_COMMON:
			data = true
		default:
			continue
		}
		end := value + max(size, 1)
		if end < value {
			continue
		}
		for i, ps := 0, b.within(value, end); i < len(ps); i++ {
			if p := &ps[i]; p.data == data {
				p.improve(names, order.Uint32(e[:]), value, size, bind)
			}
		}
	}
}

// improve gives p the name of a symbol that covers it, unless it has a better one. The innermost
// symbol wins; of equal ones a global symbol before a weak before a local one.
func (p *place) improve(names []byte, at uint32, value, size uint64, bind elf.SymBind) {
	rank := 0
	switch bind {
	case elf.STB_GLOBAL:
		rank = 2
	case elf.STB_WEAK:
		rank = 1
	}
	if p.name != "" && (value < p.start || value == p.start && rank <= p.rank) {
		return
	}
	if uint64(at) >= uint64(len(names)) {
		return
	}
	if name := cString(names[at:]); name != "" {
		p.name, p.start, p.rank = name, value, rank
	}
}
