package loops

import (
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// A Frame is a place in the source, or in the code where that is not known.
type Frame struct {
	Func string
	File string // with its directory as the compiler saw it
	Line int    // 0 unknown
	// Code is the place in the module, only if the line is unknown.
	Code string
}

// String is "halo.c:41 [exchange]", as far as known.
func (f *Frame) String() string {
	if f.Code != "" && f.File == "" {
		return strings.TrimSuffix(f.Code+" ["+f.Func+"]", " []")
	}
	t := archive.Frame{Module: -1, Func: f.Func, File: f.File, Line: f.Line}
	return t.String()
}

// A Shape is what calls of one line of the source have in common: function
// and call site, or kernel. Other parameters do not matter, nor does success: an unsuccessful
// poll has the shape of a successful one. So a loop stays a loop whose peers
// and requests change.
type Shape struct {
	Func *spec.Func
	// Frames is the call site, innermost first; empty if unknown. In a
	// recursion the frames between the innermost and the outermost call of a
	// function are left out, so that depth does not matter.
	Frames []Frame
	// Recursive names the function whose recursion was left out, "" if none.
	Recursive string
	// Nested calls were made by a callback inside another call.
	Nested bool
	// Kernel is the name of a kernel of a GPU, as its compiler has it: it is what a call site is elsewhere. "" if there
	// is none, or if too many are told by values in columns.
	Kernel string
}

// key tells shapes apart.
func (s *Shape) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %t %s", s.Func.ID, s.Nested, s.Kernel)
	for i := range s.Frames {
		f := &s.Frames[i]
		fmt.Fprintf(&b, "\x00%s\x01%s\x01%d\x01%s", f.Func, f.File, f.Line, f.Code)
	}
	return b.String()
}

// shapeOf is the shape of the calls of a signature.
func shapeOf(sig *archive.Signature, site *archive.Site) Shape {
	s := Shape{Func: spec.ByID(sig.Func), Nested: sig.Flags&archive.Nested != 0}
	if k := s.Func.Kernel(); k >= 0 && sig.Slots[k].Kind == archive.Str {
		s.Kernel = sig.Slots[k].Str
	}
	if site == nil {
		return s
	}
	for i := range site.Frames {
		s.Frames = append(s.Frames, frameOf(&site.Frames[i]))
	}
	s.Frames, s.Recursive = unrolled(s.Frames)
	return s
}

func frameOf(f *archive.Frame) Frame {
	g := Frame{Func: f.Func, File: f.File, Line: f.Line}
	if f.Line == 0 || f.File == "" {
		g.Code = f.Code()
	}
	return g
}

// unrolled leaves out what lies between the innermost and the outermost frame
// of a function that occurs more than once.
func unrolled(frames []Frame) (out []Frame, recursive string) {
	for i := 0; i < len(frames); i++ {
		f := frames[i]
		out = append(out, f)
		if f.Func == "" {
			continue
		}
		for k := len(frames) - 1; k > i; k-- {
			if frames[k].Func == f.Func && frames[k].File == f.File {
				if recursive == "" {
					recursive = f.Func
				}
				i = k
				break
			}
		}
	}
	return out, recursive
}
