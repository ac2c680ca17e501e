package plan

// A template of AArch64, in bytes:
//
//	0   autiasp               if the return address is signed, else nothing
//	4   str  x30, [sp, #-16]! where the stub finds the return address, and unwinders
//	8   ldr  w17, number of the function
//	12  adrp x16, pointers
//	16  ldr  x16, [x16, enter]
//	20  blr  x16              tells of the call; x17 is not 0: the return is not to be seen
//	24  ldr  x30, [sp], #16
//	28  cbnz x17, 52
//	32  bl   52               in place of the call that was made
//	36  adrp x16, pointers
//	40  ldr  x16, [x16, leave]
//	44  br   x16              tells of the return, and returns to where the return address said
//	48  number of the function (capture/functions/aarch64.h)
//	52        what stood at the entry, behind paciasp if that was there, and a branch to what follows
//
// What a return address inside of a template stands for is kept as on x86-64, for the place below the stack pointer of
// the caller. A function has that place to itself as long as its callees have frames of their own: whoever calls has
// put its return address on the stack.
const (
	a64Number = 48
	a64Return = 36
	a64Body   = 52
)

var a64Prologue = []uint32{
	a64Nop,
	a64Push30,
	a64LoadNumber | (a64Number-8)/4<<5,
	a64Adrp | 16,
	a64LoadX | 16<<5 | 16,
	a64Blr16,
	a64Pop30,
	a64Skip17 | (a64Body-28)/4<<5,
	a64Bl | (a64Body-32)/4,
	a64Adrp | 16,
	a64LoadX | leaveAt/8<<10 | 16<<5 | 16,
	a64Br16,
	0,
}

// buildA64 is build for AArch64. Its code begins at a page.
func buildA64(functions []*Function) *arena {
	a := &arena{code: make([]byte, pointersBytes)}
	for _, f := range functions {
		a.templateA64(f)
	}
	a.pad(8)
	a.describe(functions, a64Common, a64First, a64Rows, a64Body)
	a.pad(8)
	return a
}

func (a *arena) templateA64(f *Function) {
	for len(a.code)%exitAlign != exitAlign-a64Return {
		a.code = append(a.code, 0)
	}
	start := len(a.code)
	a.at = append(a.at, uint32(start))
	for i, w := range a64Prologue {
		switch {
		case i == 0 && f.signs() != 0:
			w = f.signs() | a64Check
		case w == a64Adrp|16:
			w |= a64Pages(-int64((start + 4*i) >> 12))
		case w == a64LoadX|16<<5|16 && f.Loops:
			w |= loopAt / 8 << 10
		}
		a.code = append(a.code, 0, 0, 0, 0)
		put32(a.code[start+4*i:], w)
	}
	a.entry(f, start, a64Body)
}

// a64Pages is the field of adrp for so many pages.
func a64Pages(n int64) uint32 { return uint32(n&3)<<29 | uint32(n>>2&0x7ffff)<<5 }

// a64Common is the CIE of templates: version 1, steps of 4 bytes, return address in x30, CFA = sp.
var a64Common = []byte{
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 4, 0x78, 30, 1, 0x1b, cfaDefCFA, 31, 0, 0, 0, 0, 0,
}

// a64Rows describe the fixed part of a template from its second instruction on, up to the moved code. As on x86-64 the
// CFA is odd while the return address is kept, but not if that is where signal handlers return to, which begins with
// mov x8, #139: unwinders take the CFA for the place of the signal's frame then.
var a64Rows = []byte{
	cfaAdvance1, 1, cfaDefCFAOffset, 16, cfaOffset | 30, 2,
	cfaAdvance1, (28 - 8) / 4, cfaDefCFAOffset, 0, cfaRestore | 30,
	cfaAdvance1, 1, cfaDefCFAExpression, 25, 0x8f, 0x78, 0x31, 0x08, 46, 0x24, 0x27,
	0x12, 0x06, 0x12, 0x28, 1, 0, 0x13, 0x94, 4, 0x0c, 0x68, 0x11, 0x80, 0xd2, 0x2e, 0x8f, 0, 0x22,
	cfaExpression, 30, 7, 0x8f, 0x78, 0x31, 0x08, 46, 0x24, 0x27,
	cfaValue, 31, 2, 0x8f, 0,
	cfaAdvance1, (a64Number - 32) / 4, cfaDefCFA, 31, 0, cfaRestore | 30, cfaRestore | 31,
	cfaAdvance1, (a64Body - a64Number) / 4,
}

// a64First describe the first instruction, which takes the signature back if there is one.
func a64First(f *Function) []byte {
	if f.signs() == a64SignA {
		return []byte{cfaSigned, cfaAdvance1, 1, cfaSigned}
	}
	return []byte{cfaAdvance1, 1}
}
