package plan

// describe says how to unwind from the moved code, by what the image says of the original. Where that is of a kind
// that compilers do not make, the moved code is described as one without a frame.
func (pl *planner) describe(f *Function, fr *frame) {
	if fr == nil || !fr.usual {
		return
	}
	unit := 1
	if pl.im.aarch64 {
		unit = a64Size
	}
	if rows, ok := movedRows(f, fr, unit); ok {
		f.Frames = rows
	}
}

// Call frame instructions.
const (
	cfaAdvance          = 0x40
	cfaOffset           = 0x80
	cfaRestore          = 0xc0
	cfaAdvance1         = 0x02
	cfaAdvance2         = 0x03
	cfaAdvance4         = 0x04
	cfaDefCFA           = 0x0c
	cfaDefCFAOffset     = 0x0e
	cfaDefCFAExpression = 0x0f
	cfaExpression       = 0x10
	cfaValue            = 0x16
	cfaSigned           = 0x2d // AArch64: return addresses are signed from here on, or no more
)

// operands are how many numbers follow an instruction without bits of its own; blocks are those that end in a block.
var (
	operands = map[byte]int{
		0x00: 0, 0x05: 2, 0x06: 1, 0x07: 1, 0x08: 1, 0x09: 2, 0x0a: 0, 0x0b: 0, 0x0c: 2, 0x0d: 1, 0x0e: 1,
		cfaDefCFAExpression: 0, 0x10: 1, 0x11: 2, 0x12: 2, 0x13: 1, 0x14: 2, 0x15: 2, 0x16: 1, cfaSigned: 0, 0x2e: 1,
	}
	blocks = map[byte]bool{cfaDefCFAExpression: true, 0x10: true, 0x16: true}
)

// movedRows copies the instructions for the moved bytes, at the places where these are now. Steps are of so many bytes.
func movedRows(f *Function, fr *frame, unit int) ([]byte, bool) {
	r := reader{b: fr.program}
	var rows []byte
	from, at := 0, -int(f.Entry) // in the moved code; in the original, from the first byte that moves
	if f.moved[0] > 0 {          // behind what signs the return address
		rows = append(rows, cfaAdvance1, byte(f.moved[0]/unit))
		from = f.moved[0]
	}
	for len(r.b) > 0 && !r.failed {
		before := r.b
		op := r.byte()
		steps, advances := 0, true
		switch {
		case op&0xc0 == cfaAdvance:
			steps = int(op & 0x3f)
		case op == cfaAdvance1:
			steps = int(r.byte())
		case op == cfaAdvance2:
			steps = int(r.byte()) | int(r.byte())<<8
		case op == cfaAdvance4:
			return rows, true
		default:
			advances = false
		}
		if !advances {
			if !r.operands(op) {
				return nil, false
			}
			rows = append(rows, before[:len(before)-len(r.b)]...)
			continue
		}
		at += steps * unit
		if at <= 0 {
			continue
		}
		if at >= len(f.moved) {
			return rows, true
		}
		to := f.moved[at]
		if to < 0 { // behind what moves, as no row begins inside of an instruction
			return rows, true
		}
		rows = append(rows, cfaAdvance1, byte((to-from)/unit))
		from = to
	}
	return rows, !r.failed
}

func (r *reader) operands(op byte) bool {
	switch {
	case op&0xc0 == cfaOffset:
		r.unsigned()
	case op&0xc0 == cfaRestore:
	default:
		n, known := operands[op]
		if !known {
			return false
		}
		for range n {
			r.unsigned()
		}
		if blocks[op] {
			r.skip(r.unsigned())
		}
	}
	return !r.failed
}
