package plan

import (
	"encoding/binary"
	"slices"
	"sort"
)

// places says of every address of an image's code whether control comes there from elsewhere.
type places struct {
	jumped, conditional, called, pointed set
	// Of AArch64: functions that call others without a frame of their own, and what they call.
	frameless set
	starts    []uint64 // where a piece of code begins, ascending
	undecoded map[uint64]bool
	// control may come here from the code before, through filling
	flows   map[uint64]bool
	lookers map[uint64]string // it jumps to a function that looks at its return address
	// Where the piece that begins here jumps back to near its beginning, as bits from there on.
	loops map[uint64]uint32
}

// set is a set of addresses, in bits by section.
type set struct {
	code []section
	bits [][]uint64
}

func newSet(code []section) set {
	s := set{code: code, bits: make([][]uint64, len(code))}
	for i := range code {
		s.bits[i] = make([]uint64, len(code[i].data)/64+1)
	}
	return s
}

func (s *set) find(addr uint64) (word *uint64, bit uint64) {
	for i := range s.code {
		if c := &s.code[i]; c.holds(addr) {
			return &s.bits[i][(addr-c.addr)/64], 1 << ((addr - c.addr) % 64)
		}
	}
	return nil, 0
}

func (s *set) add(addr uint64) {
	if w, bit := s.find(addr); w != nil {
		*w |= bit
	}
}

func (s *set) has(addr uint64) bool {
	w, bit := s.find(addr)
	return w != nil && *w&bit != 0
}

// hasIn tells whether there is one in [from, to).
func (s *set) hasIn(from, to uint64) bool {
	for ; from < to; from++ {
		if s.has(from) {
			return true
		}
	}
	return false
}

// scan decodes all code of the image, from each start on to the next one.
func (im *image) scan() *places {
	p := im.scanOnce()
	if im.findRooms(p) {
		p = im.scanOnce()
	}
	return p
}

func (im *image) scanOnce() *places {
	p := &places{
		jumped: newSet(im.code), conditional: newSet(im.code), called: newSet(im.code), pointed: newSet(im.code),
		frameless: newSet(im.code),
		undecoded: map[uint64]bool{}, loops: map[uint64]uint32{}, flows: map[uint64]bool{}, lookers: map[uint64]string{},
	}
	for i := range im.symbols {
		p.starts = append(p.starts, im.symbols[i].addr)
	}
	for i := range im.frames {
		p.starts = append(p.starts, im.frames[i].addr)
	}
	for i := range im.code {
		p.starts = append(p.starts, im.code[i].addr)
	}
	slices.Sort(p.starts)
	p.starts = slices.Compact(p.starts)
	for _, start := range p.starts {
		p.scanPiece(im, start, p.end(im, start))
	}
	im.pointers(&p.pointed)
	return p
}

// end is where the piece of code that begins at start ends: at the next one, or with its section.
func (p *places) end(im *image, start uint64) uint64 {
	s := im.sectionAt(start)
	if s == nil {
		return start
	}
	end := s.addr + uint64(len(s.data))
	if i := sort.Search(len(p.starts), func(i int) bool { return p.starts[i] > start }); i < len(p.starts) {
		end = min(end, p.starts[i])
	}
	return end
}

func (p *places) scanPiece(im *image, start, end uint64) {
	if im.aarch64 {
		p.scanPieceA64(im, start, end)
		return
	}
	var tables []uint64 // addresses that the code takes
	computed, flows := false, true
	for at := start; at < end; {
		code := im.codeAt(at)
		in, ok := decode(code)
		if !ok {
			p.undecoded[start] = true
			return
		}
		if in.relSize > 0 && in.kind != call && in.target(code, at) <= at {
			p.loops[start] |= 1 << min(in.target(code, at)-start, 31)
		}
		if name := im.looker(&in, code, at); name != "" {
			p.lookers[start] = name
		}
		switch in.kind {
		case call:
			p.called.add(in.target(code, at))
		case jump:
			p.jumped.add(in.target(code, at))
		case branch, loopJump, begin:
			p.conditional.add(in.target(code, at))
		case jumpAway:
			computed = computed || in.disp == 0
			if base, ok := absoluteTable(code, &in); ok {
				im.absoluteEntries(&p.jumped, base, start, end)
			}
		case plain:
			if in.disp != 0 && in.opcode == 0x8d {
				tables = append(tables, in.target(code, at))
			}
		}
		if !isNop(code) {
			flows = in.kind != jump && in.kind != jumpAway && in.kind != leave
		}
		at += uint64(in.length)
	}
	p.flows[end] = flows
	for _, t := range tables {
		p.pointed.add(t)
		if computed {
			im.relativeEntries(&p.jumped, t, start, end)
		}
	}
}

// absoluteTable is the table of jmp *table(,%reg,8), which code that is not position-independent has.
func absoluteTable(code []byte, in *instruction) (uint64, bool) {
	if in.length < 7 || code[in.length-7] != 0xff || code[in.length-6]&0xc7 != 0x04 || code[in.length-5]&0xc7 != 0xc5 {
		return 0, false
	}
	return displacement(code[in.length-4:]), true
}

// dataAt is the data from addr on, nil if there is none.
func (im *image) dataAt(addr uint64) []byte {
	for i := range im.data {
		if s := &im.data[i]; s.holds(addr) {
			return s.data[addr-s.addr:]
		}
	}
	return nil
}

// relativeEntries adds the targets of a table of 32-bit distances from itself, as long as they lie in [start, end).
func (im *image) relativeEntries(to *set, table, start, end uint64) {
	for b := im.dataAt(table); len(b) >= 4; b = b[4:] {
		t := table + displacement(b)
		if t < start || t >= end {
			return
		}
		to.add(t)
	}
}

func (im *image) absoluteEntries(to *set, table, start, end uint64) {
	for b := im.dataAt(table); len(b) >= 8; b = b[8:] {
		t := binary.LittleEndian.Uint64(b)
		if t < start || t >= end {
			return
		}
		to.add(t)
	}
}

// pointers adds what data points to: by relocations, or as it stands. Some of it are no addresses at all, and do no
// harm.
func (im *image) pointers(to *set) {
	for i := range im.data {
		im.pointersOf(to, &im.data[i])
	}
}

func (im *image) pointersOf(to *set, s *section) {
	if im.patchable.holds(s.addr) {
		return // it tells of no jump
	}
	if s.name == ".rela.dyn" {
		for b := s.data; len(b) >= 24; b = b[24:] {
			if !im.patchable.holds(binary.LittleEndian.Uint64(b)) {
				to.add(binary.LittleEndian.Uint64(b[16:]))
			}
		}
		return
	}
	for b := s.data[min(-s.addr&7, uint64(len(s.data))):]; len(b) >= 8; b = b[8:] {
		if v := binary.LittleEndian.Uint64(b); v != 0 {
			to.add(v)
		}
	}
}
