package plan

import (
	"encoding/binary"
	"slices"
)

// The file for the runtime, all of it little-endian; capture/functions/planfile.h reads it.
//
//	8 bytes  magic
//	4        images
//	4        1 if plans of libraries that are loaded later are to be asked for, else 0
//	images
//
// An image is a header, the functions' addresses (8 bytes each, ascending), an entry for each function, fixups, code,
// path and build id, each without a zero byte; filled up to a multiple of 8 bytes.
const (
	fileMagic   = "TBFUNCT1"
	imageHeader = 56
	entryBytes  = 24
	fixupBytes  = 16
	// The code begins with the addresses of the runtime's enter, leave, and enter for functions that loop.
	pointersBytes = 24
	leaveAt       = 8
	loopAt        = 16
	// frameBytes are more than what is said of the frames of one template, without those of the moved code.
	frameBytes = 96
)

// arena is the code of an image as it is put near it, with what unwinders ask for.
type arena struct {
	code    []byte
	at      []uint32 // of the functions' templates
	fixups  []byte
	entries []byte
	frames  uint32 // where .eh_frame_hdr begins
}

// File is the runtime's file for images, as Encode has them. Plans of libraries that are loaded later are asked for, if
// so.
func File(images [][]byte, libraries bool) []byte {
	head := append([]byte(fileMagic), 0, 0, 0, 0, 0, 0, 0, 0)
	put32(head[8:], uint32(len(images)))
	if libraries {
		head[12] = 1
	}
	return slices.Concat(append([][]byte{head}, images...)...)
}

func (p *Plan) traced() []*Function {
	var out []*Function
	for i := range p.Functions {
		if p.Functions[i].Refused == "" {
			out = append(out, &p.Functions[i])
		}
	}
	return out
}

// Encode is an image for the runtime's file: all functions of a plan that are not refused.
func (p *Plan) Encode() []byte {
	functions := p.traced()
	put := build
	if p.AArch64 {
		put = buildA64
	}
	a := put(functions)
	size := imageHeader + 8*len(functions) + len(a.entries) + len(a.fixups) + len(a.code) + len(p.Path) +
		len(p.BuildID)
	b := make([]byte, imageHeader, size+8)
	for _, f := range functions {
		b = binary.LittleEndian.AppendUint64(b, f.Addr)
	}
	for _, part := range [][]byte{a.entries, a.fixups, a.code, []byte(p.Path), []byte(p.BuildID)} {
		b = append(b, part...)
	}
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	binary.LittleEndian.PutUint64(b, uint64(len(b)))
	for i, v := range []int{
		len(functions), len(a.fixups) / fixupBytes, len(a.code), int(a.frames), len(p.Path), len(p.BuildID),
	} {
		put32(b[8+4*i:], uint32(v))
	}
	if len(functions) > 0 {
		binary.LittleEndian.PutUint64(b[32:], functions[0].Addr)
		binary.LittleEndian.PutUint64(b[40:], functions[len(functions)-1].Addr)
	}
	return b
}

// build puts the templates one after the other, and the description of their frames behind them.
func build(functions []*Function) *arena {
	size, fixups := 0, 0
	for _, f := range functions {
		size += exitAlign + atBody + len(f.Displaced) + len(f.Frames) + frameBytes
		fixups += len(f.Fixups) * fixupBytes
	}
	a := &arena{
		code: make([]byte, pointersBytes, size+frameBytes), at: make([]uint32, 0, len(functions)),
		fixups: make([]byte, 0, fixups), entries: make([]byte, 0, entryBytes*len(functions)),
	}
	for _, f := range functions {
		a.template(f)
	}
	a.pad(8)
	a.describe(functions, commonEntry, noFirst, rows, atBody)
	a.pad(8)
	return a
}

func (a *arena) pad(n int) {
	for len(a.code)%n != 0 {
		a.code = append(a.code, 0xcc)
	}
}

func (a *arena) template(f *Function) {
	for len(a.code)%exitAlign != exitAlign-atReturn {
		a.code = append(a.code, 0xcc)
	}
	start := len(a.code)
	a.at = append(a.at, uint32(start))
	a.code = append(a.code, prologue...)
	enter := 0
	if f.Loops {
		enter = loopAt
	}
	put32(a.code[start+atEnter:], uint32(enter-(start+atEnter+4)))
	put32(a.code[start+atLeave:], uint32(leaveAt-(start+atLeave+4)))
	a.entry(f, start, atBody)
}

// entry appends the moved code of a template, and what the runtime has to know of it.
func (a *arena) entry(f *Function, start, body int) {
	a.code = append(a.code, f.Displaced...)
	for _, x := range f.Fixups {
		at := start + body + int(x.At)
		a.fixups = binary.LittleEndian.AppendUint32(a.fixups, uint32(at))
		a.fixups = binary.LittleEndian.AppendUint16(a.fixups, uint16(x.End-min(x.At, x.End)))
		a.fixups = binary.LittleEndian.AppendUint16(a.fixups, uint16(x.Kind))
		a.fixups = binary.LittleEndian.AppendUint64(a.fixups, x.Target)
	}
	e := make([]byte, entryBytes)
	put32(e, uint32(start))
	e[4] = f.Entry
	if f.Short {
		e[5] = 1
	}
	e[6] = byte(copy(e[8:], f.Original))
	a.entries = append(a.entries, e...)
}

// commonEntry is the CIE of all templates: version 1, addresses relative to their place, CFA = rsp + 8, return address
// at CFA - 8.
var commonEntry = []byte{
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, cfaDefCFA, 7, 8, cfaOffset | 16, 1, 0, 0,
}

// rows describe the fixed part of a template. Between the call of the moved code and the jump to leave the return
// address is where it is kept, at (rsp - 8) ^ 1 << 46. The CFA is odd there, as unwinders tell frames by it: that of
// the function itself would be the same.
var rows = []byte{
	cfaAdvance1, 5, cfaDefCFAOffset, 16,
	cfaAdvance1, 18 - 5, cfaDefCFA, 7, 1,
	cfaExpression, 16, 7, 0x77, 0x78, 0x31, 0x08, 46, 0x24, 0x27,
	cfaValue, 7, 2, 0x77, 0,
	cfaAdvance1, atDrop - 18, cfaDefCFA, 7, 16, cfaOffset | 16, 1, cfaRestore | 7,
	cfaAdvance1, atBody - atDrop, cfaDefCFAOffset, 8,
}

func noFirst(*Function) []byte { return nil }

// describe appends .eh_frame_hdr and .eh_frame, of templates whose moved code begins at body: what first says of a
// function is before the rows.
func (a *arena) describe(functions []*Function, commonEntry []byte, first func(*Function) []byte, rows []byte,
	body int) {
	header := len(a.code)
	a.frames = uint32(header)
	a.code = append(a.code, 1, 0x1b, 0x03, 0x3b)
	a.code = append(a.code, make([]byte, 8+8*len(functions))...)
	common := len(a.code)
	put32(a.code[header+4:], uint32(common-(header+4)))
	put32(a.code[header+8:], uint32(len(functions)))
	a.code = append(a.code, commonEntry...)
	for i, f := range functions {
		start, size := int(a.at[i]), body+len(f.Displaced)
		at := len(a.code)
		put32(a.code[header+12+8*i:], uint32(start-header))
		put32(a.code[header+16+8*i:], uint32(at-header))
		a.code = append(a.code, make([]byte, 17)...)
		a.code = append(append(append(a.code, first(f)...), rows...), f.Frames...)
		for (len(a.code)-at)%8 != 4 {
			a.code = append(a.code, 0)
		}
		put32(a.code[at:], uint32(len(a.code)-at-4))
		put32(a.code[at+4:], uint32(at+4-common))
		put32(a.code[at+8:], uint32(start-(at+8)))
		put32(a.code[at+12:], uint32(size))
	}
	a.code = append(a.code, 0, 0, 0, 0)
}
