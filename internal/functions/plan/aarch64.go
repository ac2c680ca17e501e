package plan

import (
	"debug/elf"
	"encoding/binary"
)

// What there is to do on AArch64: one instruction of an entry is moved, and a branch to a template takes its place.
//
// Landing pads (bti) and what signs the return address (paciasp) stay where they are, and the instruction behind them
// moves. A template takes the signature back first, and signs the return address into itself before it goes on in the
// function, so that the function finds what it expects. All ways from a template into an image are direct branches:
// they need no landing pad, but have to reach, so that a template lies within 128 MiB of its image.

// a64Size is the size of every instruction.
const a64Size = 4

// isA64 says that an image is for AArch64, with 64-bit addresses and the lowest byte first.
func isA64(f *elf.File) bool {
	return f.Class == elf.ELFCLASS64 && f.Machine == elf.EM_AARCH64 && f.Data == elf.ELFDATA2LSB
}

// Instructions. A template may change x16 and x17: linkers do so between a call and the entry.
const (
	a64Nop        = 0xd503201f
	a64Bti        = 0xd503241f // and for which branches, in a64BtiBits
	a64BtiBits    = 0xc0
	a64SignA      = 0xd503233f // paciasp
	a64SignB      = 0xd503237f // pacibsp
	a64Check      = 0x80       // makes autiasp and autibsp of them
	a64B          = 0x14000000
	a64Bl         = 0x94000000
	a64Br16       = 0xd61f0200 // br x16
	a64Blr16      = 0xd63f0200 // blr x16
	a64Adrp       = 0x90000000
	a64Add        = 0x91000000 // add xd, xn, #imm
	a64LoadX      = 0xf9400000 // ldr xt, [xn, #imm]
	a64LoadNumber = 0x18000011 // ldr w17, literal
	a64LoadReturn = 0x5800005e // ldr x30, what lies 8 bytes on
	a64Push30     = 0xf81f0ffe // str x30, [sp, #-16]!
	a64Pop30      = 0xf84107fe // ldr x30, [sp], #16
	a64Skip17     = 0xb5000011 // cbnz x17
	a64FromLink   = 0xaa1e03e0 // mov xd, x30
)

// Fixups of AArch64.
const (
	fixBranch   fixupKind = iota + 3 // 26 bits: words from the instruction to the target
	fixPage                          // 21 bits, of adrp: pages of 4 KiB
	fixAbsolute                      // 64 bits
)

func (k fixupKind) isA64() bool { return k >= fixBranch }

// bytes is how large a field is, with what is around it in its instruction.
func (k fixupKind) bytes() int {
	if k == fixAbsolute {
		return 8
	}
	return 4
}

// a64 is what moving an AArch64 instruction takes to know. What has a target lies so far from it that it may not reach
// from elsewhere.
type a64 struct {
	kind   kind
	what   a64Address
	target uint64
}

// a64Address says what an instruction does with an address that it has relative to its own.
type a64Address uint8

const (
	a64None    a64Address = iota
	a64Branch             // goes there
	a64Take               // adr
	a64Page               // adrp
	a64Literal            // loads from there
	a64Unknown            // its meaning depends on its place in another way
)

// decodeA64 reads the instruction w at an address. Every word that is none of these does the same everywhere.
func decodeA64(w uint32, at uint64) a64 {
	relative := func(low, bits uint) uint64 {
		return at + uint64(int64(int32(w<<(32-low-bits))>>(32-bits))<<2)
	}
	switch {
	case w&0x7c000000 == a64B:
		k := jump
		if w>>31 == 1 {
			k = call
		}
		return a64{k, a64Branch, relative(0, 26)}
	case w&0xff000000 == 0x54000000, w&0x7e000000 == 0x34000000: // b.cond, cbz
		return a64{branch, a64Branch, relative(5, 19)}
	case w&0x7e000000 == 0x36000000: // tbz
		return a64{branch, a64Branch, relative(5, 14)}
	case w&0x1f000000 == 0x10000000:
		by := int64(int32(w<<8)>>13)<<2 | int64(w>>29&3)
		if w>>31 == 1 {
			return a64{plain, a64Page, at&^0xfff + uint64(by<<12)}
		}
		return a64{plain, a64Take, at + uint64(by)}
	case w&0x3b000000 == 0x18000000:
		return a64{plain, a64Literal, relative(5, 19)}
	case w&0xfe000000 == 0xd6000000:
		return decodeA64Register(w)
	case w>>16 == 0: // udf
		return a64{kind: leave}
	case w&0x7e000000 == 0x74000000, w&0xff000000 == 0x55000000, // branches and returns of later architectures
		w&^0x2400 == 0xdac183fe, w == 0xd50324ff: // paciasppc and others, pacm
		return a64{kind: plain, what: a64Unknown}
	}
	return a64{}
}

// decodeA64Register reads branches to what a register says.
func decodeA64Register(w uint32) a64 {
	switch w >> 21 & 7 {
	case 0:
		return a64{kind: jumpAway}
	case 1: // a call: it would return into the template
		return a64{kind: call, what: a64Unknown}
	}
	return a64{kind: leave}
}

// a64Entry is where the instruction lies that moves, from the beginning of a function, and the one before it that signs
// the return address, 0 if none does.
func a64Entry(code []byte) (entry int, sign uint32) {
	word := func() uint32 {
		if len(code) < entry+a64Size {
			return 0
		}
		return binary.LittleEndian.Uint32(code[entry:])
	}
	if word()&^a64BtiBits == a64Bti {
		entry += a64Size
	}
	if w := word(); w == a64SignA || w == a64SignB {
		entry, sign = entry+a64Size, w
	}
	return entry, sign
}

// displaceA64 plans to change the function with this code; it says why if it cannot. The moved code begins with what
// signs the return address, if that is signed.
func displaceA64(f *Function, code []byte) string {
	entry, sign := a64Entry(code)
	if len(code) < entry+a64Size {
		return "too short"
	}
	f.Entry = uint8(entry)
	f.Original = append([]byte(nil), code[entry:entry+a64Size]...)
	m := mover{f: f}
	for i := range m.offsets {
		m.offsets[i] = -1
	}
	if sign != 0 {
		m.word(sign)
	}
	m.offsets[0] = len(f.Displaced)
	at := f.Addr + uint64(entry)
	why := m.moveA64(binary.LittleEndian.Uint32(f.Original), at)
	f.moved = m.offsets
	return why
}

// signs is the instruction that signs the return address before what moves, 0 if there is none.
func (f *Function) signs() uint32 {
	if len(f.Displaced) >= a64Size {
		if w := binary.LittleEndian.Uint32(f.Displaced); w == a64SignA || w == a64SignB {
			return w
		}
	}
	return 0
}

func (m *mover) word(w uint32) { m.f.Displaced = binary.LittleEndian.AppendUint32(m.f.Displaced, w) }

// place appends an instruction with a field for a target.
func (m *mover) place(w uint32, k fixupKind, target uint64) {
	at := len(m.f.Displaced)
	m.word(w)
	m.f.Fixups = append(m.f.Fixups, Fixup{At: uint8(at), Kind: k, Target: target})
}

// moveA64 appends an instruction and a branch to what follows it; it says why if it cannot.
func (m *mover) moveA64(w uint32, at uint64) string {
	in, next := decodeA64(w, at), at+a64Size
	d := w & 31
	switch {
	case in.what == a64Unknown:
		return notMovable
	case in.kind == jump:
		m.place(a64B, fixBranch, in.target)
		return ""
	case in.kind == call: // returns to the function itself, for who looks for it there
		m.word(a64LoadReturn)
		m.place(a64B, fixBranch, in.target)
		m.f.Fixups = append(m.f.Fixups, Fixup{At: uint8(len(m.f.Displaced)), Kind: fixAbsolute, Target: next})
		m.word(0)
		m.word(0)
		return ""
	case in.kind == branch: // over the branch to what follows
		m.word(a64Shorten(w))
		m.place(a64B, fixBranch, next)
		m.place(a64B, fixBranch, in.target)
		return ""
	case in.what == a64Page:
		m.place(a64Adrp|d, fixPage, in.target)
	case in.what == a64Take:
		m.address(d, in.target)
	case in.what == a64Literal:
		m.literal(w, in.target)
	default:
		m.word(w)
	}
	if in.kind == plain {
		m.offsets[a64Size] = len(m.f.Displaced)
		m.place(a64B, fixBranch, next)
	}
	return ""
}

// a64Shorten makes a conditional branch one to the second instruction behind it.
func a64Shorten(w uint32) uint32 {
	field := uint32(0x7ffff << 5)
	if w&0x7e000000 == 0x36000000 {
		field = 0x3fff << 5
	}
	return w&^field | 2<<5
}

// address appends what puts an address into register d. Images are moved by whole pages.
func (m *mover) address(d uint32, target uint64) {
	m.place(a64Adrp|d, fixPage, target)
	m.word(a64Add | uint32(target&0xfff)<<10 | d<<5 | d)
}

// literal appends a load from target, which may lie where no offset of a load reaches.
func (m *mover) literal(w uint32, target uint64) {
	loads := [8]uint32{ // by V and opc, from [x17]
		0xb9400000, 0xf9400000, 0xb9800000, a64Nop, // w, x, sw, and prfm, which is but a hint
		0xbd400000, 0xfd400000, 0x3dc00000, 0, // s, d, q
	}
	load := loads[w>>26&1<<2|w>>30]
	if load == a64Nop {
		m.word(a64Nop)
		return
	}
	m.address(17, target)
	m.word(load | 17<<5 | w&31)
}
