package plan

import "encoding/binary"

// The pieces of a template, in bytes. It is what the entry of a function leads to (capture/functions/x86_64.c):
//
//	0   push  number of the function
//	5   call  *enter          tells of the call; carry: the return is not to be seen
//	11  jc    29
//	13  lea   16(%rsp), %rsp  drops number and return address
//	18  call  34              in place of the call that was made
//	23  jmp   *leave          tells of the return, and returns to where the return address said
//	29  lea   8(%rsp), %rsp   drops the number
//	34        what stood at the entry, and a jump to what follows there
//
// The processor predicts returns by the calls it has seen, and may insist on them (shadow stacks): each return here has
// its call. What a return address inside of a template stands for is kept at the address of the stack place with bit 46
// turned over: jumps out of functions, exceptions and other stacks need no care.
const (
	atNumber  = 1
	atEnter   = 7
	atLeave   = 25
	atReturn  = 23
	atDrop    = 29
	atBody    = 34
	jumpSize  = 5
	shortSize = 2
	endbrSize = 4
	maxEntry  = endbrSize + 1 // XRay aligns what it changes
	// maxDisplaced is more than the moved code of any entry.
	maxDisplaced = 128
	// exitAlign is the alignment of atReturn, by which an entry that was come to by a jump is known.
	exitAlign = 64
)

var prologue = []byte{
	0x68, 0, 0, 0, 0,
	0xff, 0x15, 0, 0, 0, 0,
	0x72, atDrop - 13,
	0x48, 0x8d, 0x64, 0x24, 0x10,
	0xe8, atBody - atReturn, 0, 0, 0,
	0xff, 0x25, 0, 0, 0, 0,
	0x48, 0x8d, 0x64, 0x24, 0x08,
}

// fixupKind says what a field of code becomes where it is put.
type fixupKind uint8

const (
	fixRelative fixupKind = iota // 32 bits: from the end of the instruction to the target
	fixLow                       // the low half of the target's address
	fixHigh                      // the high half
)

// Fixup is a field of relocated code that depends on where code and image are.
type Fixup struct {
	At, End uint8 // of the field and of its instruction, in the relocated code
	Kind    fixupKind
	Target  uint64
}

// Function is a function and what there is to do to see its calls.
type Function struct {
	Addr  uint64
	Names []string
	// Refused says why nothing is done; the rest is empty then.
	Refused string
	// Entry is where the bytes are that change, from Addr. Short: there is room for a jump of two bytes only, which
	// leads to one in the filling before the function.
	Entry uint8
	Short bool
	// Loops: the function jumps to its own entry, which is no call.
	Loops bool
	// Original are the bytes that change, to know the image by.
	Original []byte
	// Displaced is the code that stood there, moved, and a jump to what follows it.
	Displaced []byte
	Fixups    []Fixup
	// Frames are call frame instructions of the moved code.
	Frames []byte
	moved  [32]int // see mover.offsets
}

// from is where the bytes begin that change.
func (f *Function) from() uint64 {
	if f.Short {
		return f.Addr - jumpSize
	}
	return f.Addr + uint64(f.Entry)
}

// bytes is how many change, and lie between such; aarch64: of an image for AArch64.
func (f *Function) bytes(aarch64 bool) int {
	if aarch64 {
		return a64Size
	}
	if f.Short {
		return jumpSize + int(f.Entry) + shortSize
	}
	return jumpSize
}

const notMovable = "an instruction at its entry cannot be moved"

// mover moves instructions from an image to a template.
type mover struct {
	f       *Function
	offsets [32]int // in the moved code, of what lay at each byte; -1 between instructions
}

func (m *mover) emit(b ...byte) { m.f.Displaced = append(m.f.Displaced, b...) }

// relative appends a field for the distance to target, at the end of an instruction.
func (m *mover) relative(target uint64) {
	at := len(m.f.Displaced)
	m.emit(0, 0, 0, 0)
	m.f.Fixups = append(m.f.Fixups, Fixup{uint8(at), uint8(at + 4), fixRelative, target})
}

// move appends an instruction; it says why if it cannot.
func (m *mover) move(in *instruction, code []byte, at uint64) string {
	switch in.kind {
	case plain, leave, jumpAway:
		m.copy(in, code, at)
	case jump:
		m.emit(0xe9)
		m.relative(in.target(code, at))
	case branch:
		m.emit(0x0f, 0x80|in.opcode&0x0f)
		m.relative(in.target(code, at))
	case call:
		// The return address must be that of the function itself, for who looks for it there.
		m.push(at + uint64(in.length))
		m.emit(0xe9)
		m.relative(in.target(code, at))
	default:
		return notMovable
	}
	return ""
}

func (m *mover) copy(in *instruction, code []byte, at uint64) {
	from := len(m.f.Displaced)
	m.emit(code[:in.length]...)
	if in.disp != 0 {
		m.f.Fixups = append(m.f.Fixups,
			Fixup{uint8(from + in.disp), uint8(from + in.length), fixRelative, in.target(code, at)})
	}
}

// push appends what pushes an address and changes no register.
func (m *mover) push(address uint64) {
	at := len(m.f.Displaced)
	m.emit(0x68, 0, 0, 0, 0, 0xc7, 0x44, 0x24, 0x04, 0, 0, 0, 0)
	m.f.Fixups = append(m.f.Fixups, Fixup{uint8(at + 1), 0, fixLow, address}, Fixup{uint8(at + 9), 0, fixHigh, address})
}

func put32(b []byte, v uint32) { binary.LittleEndian.PutUint32(b, v) }
