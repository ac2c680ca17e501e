package report

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// RankLabel names a process: its rank, and its world if that is not the first: "3", "w1:3".
func RankLabel(world, rank int) string {
	s := fmt.Sprint(rank)
	if rank < 0 {
		s = "none"
	}
	if world > 0 {
		return fmt.Sprintf("w%d:%s", world, s)
	}
	return s
}

// PlaceText names a call of the program: the function, and the call site if it is known.
func PlaceText(fn, site string) string {
	if site == "" {
		return fn
	}
	return fmt.Sprintf("%s @ %s", fn, site)
}

// Frame is a frame of a call site, innermost first.
type Frame struct {
	Func string `json:"func,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Offset is the place in the module, only where the line is not known.
	Offset uint64 `json:"offset,omitempty"`
}

// frames are the frames of a call site, nil if it is not known.
func frames(s *archive.Site) (frames []Frame) {
	if s == nil {
		return nil
	}
	for i := range s.Frames {
		f := Frame{Func: s.Frames[i].Func, File: s.Frames[i].File, Line: s.Frames[i].Line}
		if f.Line == 0 {
			f.Offset = s.Frames[i].Offset
		}
		frames = append(frames, f)
	}
	return frames
}
