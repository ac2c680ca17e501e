package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Plan is what there is to do to see the calls of an image's functions.
type Plan struct {
	Path, BuildID string
	// Functions are in the order of their addresses.
	Functions []Function
	// AArch64: the image is for that, else for x86-64.
	AArch64 bool
}

// Make reads the image at path and plans all of its functions.
func Make(path string) (*Plan, error) {
	im, err := open(path)
	if err != nil {
		return nil, err
	}
	p := &Plan{Path: path, BuildID: im.buildID, AArch64: im.aarch64}
	pl := &planner{im: im, places: im.scan()}
	changed := uint64(0)
	for _, c := range pl.candidates() {
		f := pl.function(c)
		if f.Refused == "" && f.from() < changed { // both need the filling between them
			f = Function{Addr: f.Addr, Names: f.Names, Refused: "too short"}
		}
		if f.Refused == "" {
			changed = f.from() + uint64(len(f.Original))
		}
		p.Functions = append(p.Functions, f)
	}
	return p, nil
}

type planner struct {
	im     *image
	places *places
}

// candidate is what may be a function.
type candidate struct {
	symbol
	frame *frame
}

// candidates are the functions that have names, and of images that only name what they export also what else their
// unwinding information tells of.
func (pl *planner) candidates() []candidate {
	im := pl.im
	var out []candidate
	s := 0
	for i := range im.frames {
		f := &im.frames[i]
		for s < len(im.symbols) && im.symbols[s].addr < f.addr {
			out = append(out, candidate{im.symbols[s], nil})
			s++
		}
		if s < len(im.symbols) && im.symbols[s].addr == f.addr {
			out = append(out, candidate{im.symbols[s], f})
			s++
		} else if !im.full && pl.isFunction(f) {
			out = append(out, candidate{symbol{addr: f.addr, size: f.size}, f})
		}
	}
	for ; s < len(im.symbols); s++ {
		out = append(out, candidate{im.symbols[s], nil})
	}
	return out
}

// isFunction tells functions without a name from parts of others that lie elsewhere: nobody calls these, and they are
// jumped to under a condition.
func (pl *planner) isFunction(f *frame) bool {
	p := pl.places
	if !f.usual || f.signal || len(f.program) > 0 && f.program[0]&0xc0 == 0 && f.program[0] >= 0x0a {
		return false // it begins with a frame that is already there
	}
	return p.called.has(f.addr) || p.pointed.has(f.addr) && !p.conditional.has(f.addr)
}

// function plans one function.
func (pl *planner) function(c candidate) Function {
	f := Function{Addr: c.addr, Names: c.names}
	if f.Refused = pl.objection(&c); f.Refused != "" {
		return f
	}
	if pl.im.aarch64 {
		pl.changedA64(&f)
		if f.Refused == "" {
			pl.describe(&f, c.frame)
		}
		return f
	}
	entry, behind := uint64(0), uint64(0)
	if startsEndbr(pl.im.codeAt(c.addr)) {
		entry = endbrSize
	}
	if r, ok := pl.im.rooms[c.addr]; ok {
		entry = r.at
		if r.xray {
			behind = r.after
		}
	}
	f = pl.changed(&c, entry+behind, false)
	if f.Refused != "" || callsEarly(&f) {
		if short := pl.changed(&c, entry, true); short.Refused == "" && !callsEarly(&short) {
			f = short
		}
	}
	if f.Refused == "" {
		pl.describe(&f, c.frame)
	}
	return f
}

// changed plans to change a function so many bytes from its beginning.
func (pl *planner) changed(c *candidate, entry uint64, short bool) Function {
	f := Function{Addr: c.addr, Names: c.names, Entry: uint8(entry), Short: short}
	f.Loops = pl.places.loops[c.addr]&(2<<entry-1) != 0 || pl.places.undecoded[c.addr]
	size, known := uint64(jumpSize), pl.im.rooms[c.addr].after
	if short {
		size = shortSize
	}
	if entry != pl.im.rooms[c.addr].at {
		known = 0 // it is behind that
	}
	why := ""
	switch {
	case pl.places.undecoded[c.addr] && known < size:
		why = "holds what is no instruction"
	case short && !pl.filled(c.addr):
		why = "too short"
	default:
		why = pl.displace(&f, size)
	}
	if why != "" {
		return Function{Addr: c.addr, Names: c.names, Refused: why}
	}
	return f
}

// callsEarly says that a call had to be moved. It works, but the processor mispredicts its return, and shadow stacks
// do not allow it.
func callsEarly(f *Function) bool {
	for i := range f.Fixups {
		if f.Fixups[i].Kind == fixLow {
			return true
		}
	}
	return false
}

// filled says that the jumpSize bytes before a function are filling between functions, or room that is left there.
func (pl *planner) filled(function uint64) bool {
	addr, from := function-pl.im.rooms[function].before, function-jumpSize
	if addr <= from {
		return true
	}
	s := pl.im.sectionAt(from)
	if s == nil || !s.holds(addr) || pl.places.flows[function] || pl.im.ofXRay(from, addr) ||
		pl.places.jumped.hasIn(from, addr) || pl.places.conditional.hasIn(from, addr) ||
		pl.places.called.hasIn(from, addr) {
		return false
	}
	starts := pl.places.starts
	if i, _ := slices.BinarySearch(starts, from+1); i < len(starts) && starts[i] < addr {
		return false
	}
	return isFilling(s.data[:addr-s.addr], int(addr-from))
}

// isFilling says that code ends in at least so many bytes of what compilers put between functions.
func isFilling(code []byte, n int) bool {
	for _, f := range []string{"\x90", "\xcc"} {
		if bytes.HasSuffix(code, []byte(strings.Repeat(f, n))) {
			return true
		}
	}
	return slices.ContainsFunc(longNops, func(f string) bool { return len(f) >= n && bytes.HasSuffix(code, []byte(f)) })
}

// longNops are the instructions without effect that assemblers fill with.
var longNops = []string{
	"\x66\x90", "\x0f\x1f\x00", "\x0f\x1f\x40\x00", "\x0f\x1f\x44\x00\x00", "\x66\x0f\x1f\x44\x00\x00",
	"\x0f\x1f\x80\x00\x00\x00\x00", "\x0f\x1f\x84\x00\x00\x00\x00\x00",
}

// displace moves at least size bytes at the entry; it says why if it cannot.
func (pl *planner) displace(f *Function, size uint64) string {
	from := f.Addr + uint64(f.Entry)
	end := pl.places.end(pl.im, f.Addr)
	if pl.im.rooms[end].before >= jumpSize {
		end -= jumpSize // for the next one
	}
	m := mover{f: f}
	for i := range m.offsets {
		m.offsets[i] = -1
	}
	at := from
	ended := false
	for at < from+size {
		code := pl.im.codeAt(at)
		if ended {
			if !isNop(code) || at >= end {
				return "too short"
			}
		}
		in, ok := decode(code)
		if !ok || at+uint64(in.length) > end {
			return "too short"
		}
		m.offsets[at-from] = len(f.Displaced)
		if !ended {
			if why := m.move(&in, code, at); why != "" {
				return why
			}
		}
		ended = ended || in.kind == leave || in.kind == jump || in.kind == jumpAway
		at += uint64(in.length)
	}
	p := pl.places
	if p.jumped.hasIn(from+1, at) || p.conditional.hasIn(from+1, at) || p.called.hasIn(from+1, at) ||
		p.pointed.hasIn(from+1, at) {
		return "a jump leads into its first bytes"
	}
	if pl.im.ofXRay(from, at) && !(f.Short && pl.im.rooms[f.Addr].xray) {
		return "too short beside what XRay changes"
	}
	if !ended {
		m.offsets[at-from] = len(f.Displaced)
		m.emit(0xe9)
		m.relative(at)
	}
	f.moved = m.offsets
	f.Original = append(f.Original, pl.im.codeAt(f.from())[:f.bytes(false)]...)
	return ""
}

func isNop(code []byte) bool {
	in, ok := decode(code)
	return ok && (code[0] == 0x90 || code[0] == 0xcc || in.opcode == 0x1f || in.length > 1 && in.opcode == 0x90)
}

// objection says why a function is not even looked at.
func (pl *planner) objection(c *candidate) string {
	for _, name := range c.names {
		if why := excluded(name); why != "" {
			return why
		}
	}
	s := pl.im.sectionAt(c.addr)
	switch {
	case c.resolver:
		return "chooses another function before the program begins"
	case c.variant:
		return "is called in a way of its own"
	case s == nil:
		return "not in a section of code"
	case c.addr == pl.im.elf.Entry:
		return "where the program begins"
	case strings.HasPrefix(s.name, ".plt") || s.name == ".init" || s.name == ".fini":
		return "made by the linker"
	case c.frame != nil && c.frame.signal:
		return "where signal handlers return to"
	case c.size == 0 && c.frame == nil && pl.im.rooms[c.addr] == room{}:
		return "its size is not known"
	case pl.places.frameless.has(c.addr):
		return "calls others, or is called, without a frame"
	case pl.places.lookers[c.addr] != "":
		return "ends in a jump to " + pl.places.lookers[c.addr] + ", which looks at its return address"
	}
	return ""
}

// Count is how many functions a plan can trace, and how many it refuses.
func (p *Plan) Count() (traced, refused int) {
	for i := range p.Functions {
		if p.Functions[i].Refused != "" {
			refused++
		}
	}
	return len(p.Functions) - refused, refused
}

// String names a function.
func (f *Function) String() string {
	if len(f.Names) > 0 {
		return f.Names[0]
	}
	return fmt.Sprintf("%#x", f.Addr)
}
