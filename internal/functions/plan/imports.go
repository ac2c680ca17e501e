package plan

import (
	"debug/elf"
	"encoding/binary"
)

// readImports finds the words that the linker fills with the addresses of imported functions which look at their return
// address: a function that ends in a jump to one of them must keep its own.
func (im *image) readImports() {
	im.lookers = map[uint64]string{}
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
			kind, n := elf.R_X86_64(info&0xffffffff), int(info>>32)
			if kind != elf.R_X86_64_JMP_SLOT && kind != elf.R_X86_64_GLOB_DAT || n == 0 || n > len(symbols) {
				continue
			}
			if name := symbols[n-1].Name; excluded(name) == caller {
				im.lookers[binary.LittleEndian.Uint64(b)] = name
			}
		}
	}
}

// looker is the function that looks at its return address to which a jump at an address leads, empty if there is none.
func (im *image) looker(in *instruction, code []byte, at uint64) string {
	switch {
	case in.kind == jumpAway && in.disp != 0:
		return im.lookers[in.target(code, at)]
	case in.kind != jump:
		return ""
	}
	// An entry of the procedure linkage table: endbr64, if any, and a jump by a word.
	place := in.target(code, at)
	if s := im.sectionAt(place); s == nil || len(s.name) < 4 || s.name[:4] != ".plt" {
		return ""
	}
	for range 2 {
		entry := im.codeAt(place)
		next, ok := decode(entry)
		if !ok {
			break
		}
		if next.kind == jumpAway && next.disp != 0 {
			return im.lookers[next.target(entry, place)]
		}
		place += uint64(next.length)
	}
	return ""
}
