package plan

import "encoding/binary"

// instruction is what moving an x86-64 instruction to another place takes to know.
type instruction struct {
	length int
	kind   kind
	// disp is where the 32-bit displacement from the end of the instruction lies, 0 if it has none.
	disp int
	// rel is where the displacement of a branch lies, and relSize its bytes; 0 for other instructions.
	rel, relSize int
	opcode       byte // its last byte
}

type kind uint8

const (
	plain    kind = iota
	call          // to a fixed place
	jump          // to a fixed place
	branch        // conditional, to a fixed place
	loopJump      // loop, jrcxz: 8 bits only
	jumpAway      // to a place that is computed
	leave         // ret, ud2, hlt: what follows is reached by other ways only
	begin         // xbegin: aborts to another place
)

// What follows an opcode.
const (
	none    = iota
	modrm   // ModRM
	modrm8  // and an immediate byte
	modrmZ  // and an immediate of the operand size, at most 32 bits
	imm8    // an immediate byte
	imm16   // two
	immZ    // of the operand size, at most 32 bits
	invalid // no instruction of this mode
	other   // prefixes and what decode knows by itself
)

// oneByte and twoByte are the opcode maps, in runs of equal entries.
var oneByte, twoByte = expand([]run{
	{0x04, modrm}, {0x05, imm8}, {0x06, immZ}, {0x08, invalid}, {0x0c, modrm}, {0x0d, imm8}, {0x0e, immZ},
	{0x0f, invalid}, {0x10, other}, {0x14, modrm}, {0x15, imm8}, {0x16, immZ}, {0x18, invalid}, {0x1c, modrm},
	{0x1d, imm8}, {0x1e, immZ}, {0x20, invalid}, {0x24, modrm}, {0x25, imm8}, {0x26, immZ}, {0x27, other},
	{0x28, invalid}, {0x2c, modrm}, {0x2d, imm8}, {0x2e, immZ}, {0x2f, other}, {0x30, invalid}, {0x34, modrm},
	{0x35, imm8}, {0x36, immZ}, {0x37, other}, {0x38, invalid}, {0x3c, modrm}, {0x3d, imm8}, {0x3e, immZ},
	{0x3f, other}, {0x40, invalid}, {0x50, other}, {0x60, none}, {0x62, invalid}, {0x63, other}, {0x64, modrm},
	{0x68, other}, {0x69, immZ}, {0x6a, modrmZ}, {0x6b, imm8}, {0x6c, modrm8}, {0x70, none}, {0x80, other},
	{0x81, modrm8}, {0x82, modrmZ}, {0x83, invalid}, {0x84, modrm8}, {0x90, modrm}, {0x9a, none}, {0x9b, invalid},
	{0xa0, none}, {0xa4, other}, {0xa8, none}, {0xa9, imm8}, {0xaa, immZ}, {0xb0, none}, {0xb8, imm8}, {0xc0, other},
	{0xc2, modrm8}, {0xc3, imm16}, {0xc4, none}, {0xc6, other}, {0xc7, modrm8}, {0xc8, modrmZ}, {0xc9, other},
	{0xca, none}, {0xcb, imm16}, {0xcd, none}, {0xce, imm8}, {0xcf, invalid}, {0xd0, none}, {0xd4, modrm},
	{0xd7, invalid}, {0xd8, none}, {0xe0, modrm}, {0xe4, other}, {0xe8, imm8}, {0xea, other}, {0xeb, invalid},
	{0xec, other}, {0xf0, none}, {0xf1, other}, {0xf2, none}, {0xf4, other}, {0xf6, none}, {0xf8, other},
	{0xfe, none}, {0x100, modrm},
}), expand([]run{
	{0x04, modrm}, {0x05, invalid}, {0x0a, none}, {0x0b, invalid}, {0x0c, none}, {0x0d, invalid}, {0x0e, modrm},
	{0x0f, none}, {0x10, modrm8}, {0x24, modrm}, {0x28, invalid}, {0x30, modrm}, {0x38, none}, {0x39, other},
	{0x3a, invalid}, {0x3b, other}, {0x40, invalid}, {0x70, modrm}, {0x74, modrm8}, {0x77, modrm}, {0x78, none},
	{0x80, modrm}, {0x90, other}, {0xa0, modrm}, {0xa3, none}, {0xa4, modrm}, {0xa5, modrm8}, {0xa6, modrm},
	{0xa8, invalid}, {0xab, none}, {0xac, modrm}, {0xad, modrm8}, {0xba, modrm}, {0xbb, modrm8}, {0xc2, modrm},
	{0xc3, modrm8}, {0xc4, modrm}, {0xc7, modrm8}, {0xc8, modrm}, {0xd0, none}, {0x100, modrm},
})

// run is a part of an opcode map that ends before end.
type run struct {
	end  int
	what byte
}

func expand(runs []run) (m [256]byte) {
	at := 0
	for _, r := range runs {
		for ; at < r.end; at++ {
			m[at] = r.what
		}
	}
	return m
}

// decoder is the state of decoding one instruction.
type decoder struct {
	code                       []byte
	at                         int
	opcode                     int // where its last byte is
	operand16, address32, wide bool
	repeat                     byte // the last of f2 and f3
	in                         instruction
	bad                        bool
}

func (d *decoder) next() byte {
	if d.at >= len(d.code) {
		d.bad = true
		return 0
	}
	d.at++
	return d.code[d.at-1]
}

func (d *decoder) skip(n int) { d.at += n }

// decode reads the first instruction of code. It fails where there is none, or one that nobody should see in a program.
func decode(code []byte) (instruction, bool) {
	if len(code) > 15 {
		code = code[:15]
	}
	d := decoder{code: code}
	d.instruction()
	if d.bad || d.at > len(code) {
		return instruction{}, false
	}
	d.in.length = d.at
	return d.in, true
}

func (d *decoder) instruction() {
	op := d.next()
	for ; isPrefix(op) && !d.bad; op = d.next() {
		switch op {
		case 0x66:
			d.operand16 = true
		case 0x67:
			d.address32 = true
		case 0xf2, 0xf3:
			d.repeat = op
		}
	}
	if op&0xf0 == 0x40 {
		d.wide = op&8 != 0
		op = d.next()
	}
	d.in.opcode, d.opcode = op, d.at-1
	switch op {
	case 0x0f:
		d.twoBytes()
	case 0xc4, 0xc5, 0x62:
		d.vector(op)
	default:
		d.oneByte(op)
	}
}

func isPrefix(b byte) bool {
	switch b {
	case 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3:
		return true
	}
	return false
}

func (d *decoder) oneByte(op byte) {
	what := oneByte[op]
	if what != other {
		d.operands(what)
		d.byOneByte(op)
		return
	}
	switch {
	case op >= 0x70 && op < 0x80:
		d.branch(branch, 1)
	case op >= 0xa0 && op < 0xa4:
		d.skip(8)
		if d.address32 {
			d.skip(-4)
		}
	case op >= 0xb8 && op < 0xc0:
		if d.wide {
			d.skip(4)
		}
		d.operands(immZ)
	case op == 0xc8:
		d.skip(3)
	case op >= 0xe0 && op < 0xe4:
		d.branch(loopJump, 1)
	case op == 0xe8:
		d.branch(call, 4)
	case op == 0xe9:
		d.branch(jump, 4)
	case op == 0xeb:
		d.branch(jump, 1)
	case op == 0xf6 || op == 0xf7:
		d.test(op)
	default:
		d.bad = true
	}
}

// test decodes f6 and f7, which have an immediate in one of their forms.
func (d *decoder) test(op byte) {
	switch {
	case d.modrmByte()>>3&7 > 1:
		d.operands(modrm)
	case op == 0xf6:
		d.operands(modrm8)
	default:
		d.operands(modrmZ)
	}
}

// byOneByte notes what goes elsewhere. The ModRM byte is the one after the opcode.
func (d *decoder) byOneByte(op byte) {
	if d.bad {
		return
	}
	switch op {
	case 0xc2, 0xc3, 0xca, 0xcb, 0xcf, 0xf4:
		d.in.kind = leave
	case 0xff:
		if reg := d.modrmByte() >> 3 & 7; reg == 4 || reg == 5 {
			d.in.kind = jumpAway
		} else if reg == 7 {
			d.bad = true
		}
	case 0x8f:
		d.bad = d.modrmByte()>>3&7 != 0 // an instruction of AMD's XOP
	case 0xc7:
		if d.modrmByte() == 0xf8 {
			d.in.kind = begin
		}
	}
}

// modrmByte is the byte after the opcode.
func (d *decoder) modrmByte() byte {
	if d.opcode+1 < len(d.code) {
		return d.code[d.opcode+1]
	}
	return 0
}

func (d *decoder) twoBytes() {
	op := d.next()
	d.in.opcode = op
	switch {
	case op == 0x38:
		d.next()
		d.operands(modrm)
	case op == 0x3a:
		d.next()
		d.operands(modrm8)
	case op >= 0x80 && op < 0x90:
		d.branch(branch, 4)
	default:
		d.operands(twoByte[op])
		if op == 0x0b || op == 0xff || op == 0xb9 {
			d.in.kind = leave
		}
	}
}

// vector decodes what begins with a VEX or EVEX prefix.
func (d *decoder) vector(prefix byte) {
	opcodes := byte(1)
	switch prefix {
	case 0xc5:
		d.next()
	case 0xc4:
		opcodes = d.next() & 0x1f
		d.next()
	default:
		opcodes = d.next() & 7
		d.skip(2)
	}
	op := d.next()
	d.in.opcode = op
	switch {
	case opcodes == 0 || opcodes == 4 || opcodes > 6:
		d.bad = true
	case opcodes == 1 && op == 0x77 && prefix != 0x62:
	case opcodes == 3, opcodes == 1 && (op >= 0x70 && op <= 0x73 || op == 0xc2 || op >= 0xc4 && op <= 0xc6):
		d.operands(modrm8)
	default:
		d.operands(modrm)
	}
}

func (d *decoder) branch(k kind, size int) {
	d.in.kind, d.in.rel, d.in.relSize = k, d.at, size
	d.bad = d.bad || d.operand16 && !d.wide && k != call
	d.skip(size)
}

func (d *decoder) operands(what byte) {
	switch what {
	case none:
	case modrm, modrm8, modrmZ:
		d.modrm()
		if what == modrm8 {
			d.skip(1)
		} else if what == modrmZ {
			d.operands(immZ)
		}
	case imm8:
		d.skip(1)
	case imm16:
		d.skip(2)
	case immZ:
		d.skip(4)
		if d.operand16 && !d.wide {
			d.skip(-2)
		}
	default:
		d.bad = true
	}
}

func (d *decoder) modrm() {
	m := d.next()
	mod, rm := m>>6, m&7
	if mod == 3 {
		return
	}
	base := rm
	if rm == 4 {
		base = d.next() & 7
	}
	switch {
	case mod == 1:
		d.skip(1)
	case mod == 2:
		d.skip(4)
	case rm == 5:
		d.in.disp = d.at
		d.skip(4)
	case base == 5:
		d.skip(4)
	}
}

// target is the place that the displacement at offset field leads to, counted as the instruction's place is.
func (in *instruction) target(code []byte, at uint64) uint64 {
	switch {
	case in.relSize == 1:
		return at + uint64(in.length) + uint64(int64(int8(code[in.rel])))
	case in.relSize == 4:
		return at + uint64(in.length) + displacement(code[in.rel:])
	}
	return at + uint64(in.length) + displacement(code[in.disp:])
}

func displacement(b []byte) uint64 { return uint64(int64(int32(binary.LittleEndian.Uint32(b)))) }
