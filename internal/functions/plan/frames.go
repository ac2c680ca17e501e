package plan

import (
	"encoding/binary"
	"sort"
)

// frame is what the unwinding information of an image (.eh_frame) says of one piece of code.
type frame struct {
	addr, size uint64
	program    []byte // its call frame instructions, without those of the common part
	usual      bool   // the common part is that of every compiler: a return address at CFA - 8, CFA = rsp + 8
	signal     bool   // a signal's frame: nobody calls this
}

// Pointer encodings.
const (
	encodingOmit     = 0xff
	encodingRelative = 0x10 // to its own place
)

// readFrames reads .eh_frame. What cannot be read ends it: functions that have names need none of it.
func (im *image) readFrames() {
	for i := range im.data {
		if im.data[i].name == ".eh_frame" {
			im.frames = framesIn(&im.data[i])
		}
	}
	sort.Slice(im.frames, func(i, j int) bool { return im.frames[i].addr < im.frames[j].addr })
}

// common is a common information entry.
type common struct {
	encoding      byte
	usual, signal bool
	augmented     bool
}

func framesIn(s *section) []frame {
	var frames []frame
	known := map[int]*common{}
	for at := 0; at+8 <= len(s.data); {
		length := int(binary.LittleEndian.Uint32(s.data[at:]))
		if length == 0 || length > len(s.data)-at-4 || length < 4 {
			break
		}
		body := s.data[at+4 : at+4+length]
		id := int(binary.LittleEndian.Uint32(body))
		if id == 0 {
			known[at] = commonIn(body[4:])
		} else if c := known[at+4-id]; c != nil {
			if f, ok := c.frame(body[4:], s.addr+uint64(at)+8); ok {
				frames = append(frames, f)
			}
		}
		at += 4 + length
	}
	return frames
}

// commonIn reads a CIE; nil if it is of a kind that nobody makes.
func commonIn(b []byte) *common {
	r := reader{b: b}
	version := r.byte()
	augmentation := r.text()
	code, data := r.unsigned(), r.signed()
	column := uint64(r.byte())
	c, second := &common{}, false
	if r.failed || version != 1 && version != 3 {
		return nil
	}
	for _, a := range augmentation {
		switch a {
		case 'z':
			c.augmented = true
			r.unsigned()
		case 'R':
			c.encoding = r.byte()
		case 'P':
			encoding := r.byte()
			if r.pointer(encoding, 0); encoding == encodingOmit {
				return nil
			}
		case 'L':
			r.byte()
		case 'B': // AArch64: return addresses are signed with the second key, as those of templates are not
			second = true
		case 'S':
			c.signal = true
		default:
			return nil
		}
	}
	c.usual = code == 1 && data == -8 && column == 16 && usualStart(r.b) ||
		code == a64Size && data == -8 && column == 30 && !second && a64UsualStart(r.b)
	if r.failed {
		return nil
	}
	return c
}

// usualStart says that the initial instructions are: CFA = rsp + 8, return address at CFA - 8.
func usualStart(program []byte) bool {
	for len(program) > 0 && program[len(program)-1] == 0 {
		program = program[:len(program)-1]
	}
	return string(program) == "\x0c\x07\x08\x90\x01"
}

func (c *common) frame(b []byte, at uint64) (frame, bool) {
	r := reader{b: b}
	f := frame{usual: c.usual, signal: c.signal}
	f.addr = r.pointer(c.encoding, at)
	f.size = r.pointer(c.encoding&0x0f, 0)
	if c.augmented {
		r.skip(r.unsigned())
	}
	f.program = r.b
	return f, !r.failed && f.size > 0
}

// reader reads DWARF's numbers; after a mistake it reads zeros.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) skip(n uint64) {
	if n > uint64(len(r.b)) {
		r.failed, r.b = true, nil
		return
	}
	r.b = r.b[n:]
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.failed = true
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) text() string {
	for i, c := range r.b {
		if c == 0 {
			s := string(r.b[:i])
			r.b = r.b[i+1:]
			return s
		}
	}
	r.failed = true
	return ""
}

func (r *reader) unsigned() uint64 {
	v := uint64(0)
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.failed = true
	return 0
}

func (r *reader) signed() int64 {
	v := int64(0)
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.failed = true
	return 0
}

// pointer reads an encoded address; those relative to other places than their own or nothing are not read.
func (r *reader) pointer(encoding byte, at uint64) uint64 {
	v := uint64(0)
	switch encoding & 0x0f {
	case 0x00, 0x04, 0x0c:
		if len(r.b) >= 8 {
			v = binary.LittleEndian.Uint64(r.b)
		}
		r.skip(8)
	case 0x03:
		if len(r.b) >= 4 {
			v = uint64(binary.LittleEndian.Uint32(r.b))
		}
		r.skip(4)
	case 0x0b:
		if len(r.b) >= 4 {
			v = displacement(r.b)
		}
		r.skip(4)
	default:
		r.failed = true
	}
	switch encoding & 0x70 {
	case 0:
	case encodingRelative:
		v += at
	default:
		r.failed = true
	}
	return v
}
