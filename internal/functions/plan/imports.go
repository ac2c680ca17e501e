package plan

import (
	"debug/elf"
	"encoding/binary"
	"strings"
)

// readImports finds the words that the linker fills with the addresses of imported functions.
func (im *image) readImports() {
	im.words = map[uint64]string{}
	symbols, err := im.elf.DynamicSymbols()
	if err != nil {
		return
	}
	for i := range im.data {
		s := &im.data[i]
		if s.name != ".rela.plt" && s.name != ".rela.dyn" {
			continue
		}
		for b := s.data; len(b) >= 24; b = b[24:] {
			info := binary.LittleEndian.Uint64(b[8:])
			kind, n := uint32(info), int(info>>32)
			if im.fillsWord(kind) && n > 0 && n <= len(symbols) {
				im.words[binary.LittleEndian.Uint64(b)] = symbols[n-1].Name
			}
		}
	}
}

// fillsWord tells whether a relocation fills a word with the address of a function.
func (im *image) fillsWord(kind uint32) bool {
	if im.aarch64 {
		return kind == uint32(elf.R_AARCH64_JUMP_SLOT) || kind == uint32(elf.R_AARCH64_GLOB_DAT)
	}
	return kind == uint32(elf.R_X86_64_JMP_SLOT) || kind == uint32(elf.R_X86_64_GLOB_DAT)
}

// looker is the function that looks at its return address to which a jump at an address leads, empty if there is none:
// a function that ends in such a jump must keep its own return address.
func (im *image) looker(in *instruction, code []byte, at uint64) (name string) {
	switch {
	case in.kind == jumpAway && in.disp != 0:
		name = im.words[in.target(code, at)]
	case in.kind == jump:
		name = im.imported(in.target(code, at))
	}
	if excluded(name) != caller {
		return ""
	}
	return name
}

// imported is the function of another image that the entry of the procedure linkage table at an address leads to.
func (im *image) imported(place uint64) string {
	if s := im.sectionAt(place); s == nil || !strings.HasPrefix(s.name, ".plt") {
		return ""
	}
	if im.aarch64 {
		return im.importedA64(place)
	}
	for range 2 { // endbr64, if any, and a jump by a word
		entry := im.codeAt(place)
		next, ok := decode(entry)
		if !ok {
			break
		}
		if next.kind == jumpAway && next.disp != 0 {
			return im.words[next.target(entry, place)]
		}
		place += uint64(next.length)
	}
	return ""
}
