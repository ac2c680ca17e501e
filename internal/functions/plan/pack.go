package plan

import "encoding/binary"

// A plan as it is kept: numbers as DWARF has them, lists and texts behind their lengths. The parts of a plan that is
// read lie in the file as it was read: starting a program takes no longer for plans of all its libraries.

const (
	packShort = 1 << iota
	packLoops
)

// pack is the plan as a file of the cache, without its path.
func (p *Plan) pack() []byte {
	names, fixups := 0, 0
	for i := range p.Functions {
		names += len(p.Functions[i].Names)
		fixups += len(p.Functions[i].Fixups)
	}
	b := append(packText(nil, p.BuildID), 0)
	if p.AArch64 {
		b[len(b)-1] = 1
	}
	for _, n := range []int{len(p.Functions), names, fixups} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for i := range p.Functions {
		b = p.Functions[i].pack(b)
	}
	return b
}

func packText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func (f *Function) pack(b []byte) []byte {
	b = binary.AppendUvarint(b, f.Addr)
	b = binary.AppendUvarint(b, uint64(len(f.Names)))
	for _, name := range f.Names {
		b = packText(b, name)
	}
	if b = packText(b, f.Refused); f.Refused != "" {
		return b
	}
	flags := byte(0)
	if f.Short {
		flags |= packShort
	}
	if f.Loops {
		flags |= packLoops
	}
	b = append(b, flags, f.Entry)
	b = packText(packText(packText(b, f.Original), f.Displaced), f.Frames)
	b = binary.AppendUvarint(b, uint64(len(f.Fixups)))
	for _, x := range f.Fixups {
		b = binary.AppendUvarint(append(b, x.At, x.End, byte(x.Kind)), x.Target)
	}
	return b
}

// unpacker reads what pack has written. Of what cannot be, it makes an empty plan.
type unpacker struct {
	reader
	all    string // the file, for texts in it
	names  []string
	fixups []Fixup
}

// unpack reads a plan; nil if it is none.
func unpack(b []byte) *Plan {
	u := &unpacker{reader: reader{b: b}, all: string(b)}
	p := &Plan{BuildID: u.text()}
	machine := u.byte()
	p.AArch64 = machine == 1
	p.Functions = make([]Function, u.count())
	u.names, u.fixups = make([]string, 0, u.count()), make([]Fixup, 0, u.count())
	for i := range p.Functions {
		u.function(&p.Functions[i])
	}
	if u.failed || len(u.b) > 0 || machine > 1 {
		return nil
	}
	return p
}

// count reads how many there are of what takes a byte or more.
func (u *unpacker) count() int {
	n := u.unsigned()
	if n > uint64(len(u.b)) {
		u.skip(n)
		return 0
	}
	return int(n)
}

func (u *unpacker) bytes() []byte {
	n := u.count()
	if n == 0 {
		return nil
	}
	b := u.b[:n:n]
	u.b = u.b[n:]
	return b
}

func (u *unpacker) text() string {
	n := u.count()
	at := len(u.all) - len(u.b)
	u.skip(uint64(n))
	if u.failed {
		return ""
	}
	return u.all[at : at+n]
}

func (u *unpacker) function(f *Function) {
	f.Addr = u.unsigned()
	from := len(u.names)
	for range u.count() {
		u.names = append(u.names, u.text())
	}
	if len(u.names) > from {
		f.Names = u.names[from:len(u.names):len(u.names)]
	}
	if f.Refused = u.text(); f.Refused != "" {
		return
	}
	flags := u.byte()
	f.Short, f.Loops = flags&packShort != 0, flags&packLoops != 0
	f.Entry = u.byte()
	f.Original, f.Displaced, f.Frames = u.bytes(), u.bytes(), u.bytes()
	from = len(u.fixups)
	for range u.count() {
		u.fixups = append(u.fixups, Fixup{u.byte(), u.byte(), fixupKind(u.byte()), u.unsigned()})
	}
	if len(u.fixups) > from {
		f.Fixups = u.fixups[from:len(u.fixups):len(u.fixups)]
	}
}
