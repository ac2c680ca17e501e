package plan

import "encoding/binary"

// elfVariant marks symbols of functions that are called in a way of their own (STO_AARCH64_VARIANT_PCS): they take
// vectors of any length, which the kernel does not keep when it is called.
const elfVariant = 0x80

// a64Walker reads code, and follows addresses that are put together by adrp and what follows it.
type a64Walker struct {
	a64
	at, start, end uint64
	page           [32]uint64
	code           []byte
	taken, loaded  uint64 // the address that the instruction makes, or loads a word from; 0: none
	framed, kept   bool   // so far: it has made a frame, or has put its return address into another register before
}

func (im *image) walkA64(start, end uint64) *a64Walker {
	return &a64Walker{at: start - a64Size, start: start, end: end, code: im.codeAt(start)}
}

// next goes to the next instruction; false: there is none.
func (w *a64Walker) next() bool {
	w.at += a64Size
	if w.at+a64Size > w.end || len(w.code) < a64Size {
		return false
	}
	v := binary.LittleEndian.Uint32(w.code)
	w.code = w.code[a64Size:]
	w.a64, w.taken, w.loaded = decodeA64(v, w.at), 0, 0
	d, from := v&31, w.page[v>>5&31]
	switch {
	case w.what == a64Page:
		w.page[d] = w.target
		return true
	case w.what == a64Take:
		w.taken = w.target
	case w.what == a64Literal:
		w.loaded = w.target
	case v&0xff800000 == a64Add && from != 0: // add xd, xn, #imm, shifted or not
		by := uint64(v >> 10 & 0xfff)
		if v>>22&1 == 1 {
			by <<= 12
		}
		w.taken = from + by
	case v&0xffc00000 == a64LoadX && from != 0:
		w.loaded = from + uint64(v>>10&0xfff)*8
	}
	if w.kind == call {
		w.page = [32]uint64{}
	}
	w.framed = w.framed || lowersStack(v)
	w.kept = w.kept || !w.framed && v&^31 == a64FromLink
	return true
}

// lowersStack says that an instruction makes room on the stack: sub sp, sp, ..., or a store before sp that changes it.
func lowersStack(w uint32) bool {
	return w&0xff0003ff == 0xd10003ff || w&0xffe003ff == 0xcb2003ff ||
		w>>5&31 == 31 && (w&0x3bc00000 == 0x29800000 || w&0x3be00c00 == 0x38000c00)
}

// callsBare says that an instruction calls another function while the return address is in a register, as no compiler
// has it but some code written by hand. The stack pointer, by which the return address of a call is kept, is the same
// in both functions then.
func (w *a64Walker) callsBare() bool { return w.kind == call && w.kept && !w.framed }

// scanPieceA64 is scanPiece for AArch64. Every word is an instruction there, or does no harm.
func (p *places) scanPieceA64(im *image, start, end uint64) {
	loaded, flows := uint64(0), true
	for w := im.walkA64(start, end); w.next(); {
		if w.what == a64Branch && w.kind != call && w.target <= w.at {
			p.loops[start] |= 1 << min(w.target-start, 31)
		}
		if w.callsBare() {
			p.frameless.add(start)
			p.frameless.add(w.target)
		}
		name := ""
		switch {
		case w.kind == call && w.what == a64Branch:
			p.called.add(w.target)
		case w.kind == jump:
			p.jumped.add(w.target)
			name = im.imported(w.target)
		case w.kind == branch:
			p.conditional.add(w.target)
		case w.kind == jumpAway:
			name = im.words[loaded]
		}
		if name != "" && excluded(name) == caller {
			p.lookers[start] = name
		}
		if w.taken != 0 {
			p.pointed.add(w.taken)
		}
		if w.loaded != 0 {
			loaded = w.loaded
		}
		flows = w.kind != jump && w.kind != jumpAway && w.kind != leave
	}
	p.flows[end] = flows
}

// pieceA64 is pieceX86 for AArch64.
func (g *graph) pieceA64(im *image, i int32, end uint64) {
	for w := im.walkA64(g.starts[i], end); w.next(); {
		name := im.words[w.loaded]
		if w.what == a64Branch {
			name = im.imported(w.target)
		}
		switch {
		case name != "":
			g.calledByName(i, name)
		case w.what == a64Branch:
			g.called(i, w.target)
		case w.taken != 0:
			g.taken(i, w.taken)
		case w.kind == call: // jumps to registers are mostly those of switches
			g.indirect[i] = true
		}
	}
}

// importedA64 is imported for an entry of the table of AArch64: bti, if any, adrp, ldr.
func (im *image) importedA64(place uint64) string {
	for w := im.walkA64(place, place+3*a64Size); w.next(); {
		if w.loaded != 0 {
			return im.words[w.loaded]
		}
	}
	return ""
}

// a64UsualStart says that the initial instructions are: CFA = sp.
func a64UsualStart(program []byte) bool {
	for len(program) > 0 && program[len(program)-1] == 0 {
		program = program[:len(program)-1]
	}
	return string(program) == "\x0c\x1f" // and 0
}

// changedA64 plans to change a function. A jump to its entry is no call if it comes from the function itself.
func (pl *planner) changedA64(f *Function) {
	end := pl.places.end(pl.im, f.Addr)
	code := pl.im.codeAt(f.Addr)
	code = code[:min(uint64(len(code)), end-f.Addr)]
	planned := *f
	if f.Refused = displaceA64(&planned, code); f.Refused != "" {
		return
	}
	if w := binary.LittleEndian.Uint32(planned.Original); w == a64XRay {
		f.Refused = "too short beside what XRay changes"
		return
	}
	planned.Loops = pl.places.loops[f.Addr]&(2<<planned.Entry-1) != 0
	*f = planned
}

// a64XRay is what XRay's room begins with (b .+32): its runtime may write there at any time.
const a64XRay = a64B | 8
