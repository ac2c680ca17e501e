package plan

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
)

// Compilers leave room in code to change it while the program runs, and list it: instructions without effect around the
// entries of functions (-fpatchable-function-entry), and what XRay overwrites (-fxray-instrument). Nobody jumps into
// it, and each list names functions, also where there are no symbols and no unwinding information.

// room is what a compiler has left at the entry of a function.
type room struct {
	before uint64 // bytes before the function
	at     uint64 // in the function, behind endbr64 if there is one
	after  uint64 // bytes from there on
	xray   bool   // it is XRay's, which may write there at any time
}

// sled is a place that XRay overwrites; function is where the function begins whose entry it is at, 0 elsewhere.
type sled struct{ addr, size, function uint64 }

const (
	xrayRecord   = 32 // of xray_instr_map
	xrayKind     = 16 // where in it the kind is, and
	xrayVersion  = 18 // the version: its address is relative to its own place from the second on
	xrayExit     = 1
	xrayArgument = 3 // an entry whose handler is given an argument
	xraySled     = 11
	// maxNops is more than any compiler leaves.
	maxNops = 1 << 12
)

// readSleds reads what the compiler says of the room it has left.
func (im *image) readSleds() {
	for i := range im.data {
		s := &im.data[i]
		switch s.name {
		case "__patchable_function_entries":
			im.patchable = *s
		case "xray_instr_map":
			im.readXRay(s)
			im.xray = im.runsXRay()
		}
	}
	sort.Slice(im.sleds, func(i, j int) bool { return im.sleds[i].addr < im.sleds[j].addr })
}

// runsXRay says that what changes sleds may be in the image.
func (im *image) runsXRay() bool {
	return !im.full || slices.ContainsFunc(im.symbols, func(s symbol) bool {
		return slices.ContainsFunc(s.names, func(name string) bool { return strings.HasPrefix(name, "__xray_") })
	})
}

func (im *image) readXRay(s *section) {
	words := im.relocated(s)
	for at := 0; at+xrayRecord <= len(s.data); at += xrayRecord {
		addr, function := words[at/8], words[at/8+1]
		if s.data[at+xrayVersion] >= 2 {
			addr += s.addr + uint64(at)
			function += s.addr + uint64(at) + 8
		}
		code, size := im.codeAt(addr), uint64(xraySled)
		kind := s.data[at+xrayKind]
		if len(code) > 1 && code[0] == 0xeb { // it jumps over itself
			size = 2 + uint64(code[1])
		} else if kind != xrayExit {
			continue
		}
		if kind != 0 && kind != xrayArgument || addr-function > maxEntry {
			function = 0
		}
		im.sleds = append(im.sleds, sled{addr, size, function})
	}
}

// relocated are the words of a section as they will be in memory, but for where the image lies there.
func (im *image) relocated(s *section) []uint64 {
	words := make([]uint64, len(s.data)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(s.data[8*i:])
	}
	for i := range im.data {
		if im.data[i].name != ".rela.dyn" {
			continue
		}
		for b := im.data[i].data; len(b) >= 24; b = b[24:] {
			at := binary.LittleEndian.Uint64(b) - s.addr
			if at/8 < uint64(len(words)) && elf.R_X86_64(b[8]) == elf.R_X86_64_RELATIVE {
				words[at/8] = binary.LittleEndian.Uint64(b[16:])
			}
		}
	}
	return words
}

// nops is how many bytes of instructions without effect code begins with.
func nops(code []byte) uint64 {
	n := 0
	for n < min(len(code), maxNops) {
		in, ok := decode(code[n:])
		if op := code[n:]; !ok || op[0] != 0x90 && in.opcode != 0x1f && !bytes.HasPrefix(op, []byte("\x66\x90")) {
			break
		}
		n += in.length
	}
	return uint64(n)
}

func startsEndbr(code []byte) bool { return bytes.HasPrefix(code, []byte("\xf3\x0f\x1e\xfa")) }

// findRooms finds whose entries the room is at, and names functions that nothing else tells of: it is true then.
func (im *image) findRooms(p *places) (more bool) {
	im.rooms = map[uint64]room{}
	least := ^uint64(0) // what is left is the same everywhere, and code of its own may follow that has no effect
	for _, addr := range im.relocated(&im.patchable) {
		if nops(im.codeAt(addr)) == 0 {
			continue
		}
		start := im.startAt(p, addr)
		r := room{before: max(start, addr) - addr}
		if startsEndbr(im.codeAt(start)) {
			r.at = endbrSize
		}
		r.after = nops(im.codeAt(start + r.at))
		least = min(least, r.before+r.after)
		im.rooms[start] = r
	}
	for start, r := range im.rooms {
		r.after = min(r.after, least-r.before)
		im.rooms[start] = r
	}
	for _, s := range im.sleds {
		if s.function != 0 {
			im.rooms[s.function] = room{at: s.addr - s.function, after: s.size, xray: im.xray}
		}
	}
	for start := range im.rooms {
		if !im.hasSymbol(start) {
			im.symbols = append(im.symbols, symbol{addr: start})
			more = true
		}
	}
	sort.Slice(im.symbols, func(i, j int) bool { return im.symbols[i].addr < im.symbols[j].addr })
	return more
}

// startAt is where the function begins that has room from addr on: there, or some instructions without effect later.
func (im *image) startAt(p *places, addr uint64) uint64 {
	if startsEndbr(im.codeAt(addr - endbrSize)) {
		return addr - endbrSize
	}
	for start := addr; start <= addr+nops(im.codeAt(addr)); start++ {
		if im.hasSymbol(start) || im.hasFrame(start) || p.called.has(start) {
			return start
		}
	}
	return addr
}

func (im *image) hasSymbol(addr uint64) bool {
	i := sort.Search(len(im.symbols), func(i int) bool { return im.symbols[i].addr >= addr })
	return i < len(im.symbols) && im.symbols[i].addr == addr
}

func (im *image) hasFrame(addr uint64) bool {
	i := sort.Search(len(im.frames), func(i int) bool { return im.frames[i].addr >= addr })
	return i < len(im.frames) && im.frames[i].addr == addr
}

// ofXRay says that XRay may write between two places.
func (im *image) ofXRay(from, to uint64) bool {
	i := sort.Search(len(im.sleds), func(i int) bool { return im.sleds[i].addr+im.sleds[i].size > from })
	return im.xray && i < len(im.sleds) && im.sleds[i].addr < to
}
