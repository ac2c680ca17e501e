package infer

import (
	"fmt"
	"hash/fnv"
	"path/filepath"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// recording is what is known of a recorded job.
type recording struct {
	c    *archive.Content
	size int64
	env  Env // of this size; rank and indices change
}

// class is the streams of a recording that do the same.
type class struct {
	recording *recording
	d         *archive.ClassData
	ranks     []int
	// start[t] is the first column of terminal t.
	start []int
	// columns are those of the ranks so far, opened, by rank and number.
	columns map[[2]int]column
	// occ is how often terminals occur, by rank.
	occ map[int][]uint64
}

// siteKey tells call sites apart, also those of another build or machine as long as lines did not
// move. Where no lines are known, the same build has them at the same offsets; the function alone
// would take all its calls for one.
func siteKey(c *archive.Content, s *archive.Site) string {
	text := ""
	for i := range s.Frames {
		f := &s.Frames[i]
		if f.File != "" {
			text += fmt.Sprintf("%s:%d %s;", filepath.Base(f.File), f.Line, f.Func)
		} else {
			name := ""
			if f.Module >= 0 && f.Module < len(c.Modules) {
				name = filepath.Base(c.Modules[f.Module].Path)
			}
			text += fmt.Sprintf("%s+%x;", name, f.Offset)
		}
	}
	return text
}

// form is the kind of a slot as far as it belongs to the structure of a program: arrays of any
// length are alike, and it does not matter whether values are in the signature or in a column.
type form struct {
	kind archive.Kind // Hole stands for what only columns hold
	mem  archive.Mem
	// item is the kind of the elements of a list, and mem then their class; Hole if it has elements
	// of several kinds or such that are no numbers, which are compared as a whole.
	item archive.Kind
}

func formOf(s *spec.Slot, v *archive.Value) form {
	switch v.Kind {
	case archive.Hole:
		switch {
		case s.Codec == spec.Int && s.Array:
			return form{kind: archive.Ints}
		case s.Codec == spec.Int:
			return form{kind: archive.Int}
		case s.Codec == spec.Handle && s.Array:
			return form{kind: archive.List, item: archive.Ref}
		case s.Codec == spec.Handle:
			return form{kind: archive.Ref}
		case s.Codec == spec.Status && s.Array:
			return form{kind: archive.List, item: archive.Stat}
		case s.Codec == spec.Status:
			return form{kind: archive.Stat}
		}
		return form{kind: archive.Hole}
	case archive.Addr:
		return form{kind: v.Kind, mem: v.Mem}
	case archive.List:
		f := form{kind: v.Kind, item: archive.Hole}
		if s.Codec == spec.Handle || s.Codec == spec.Status {
			f.item = archive.Ref
			if s.Codec == spec.Status {
				f.item = archive.Stat
			}
		}
		for i := range v.List {
			x := &v.List[i]
			number := x.Kind == archive.Int || x.Kind == archive.Ref || x.Kind == archive.Addr || x.Kind == archive.Stat
			if !number || i > 0 && (x.Kind != f.item || x.Mem != f.mem) {
				return form{kind: v.Kind, item: archive.Hole}
			}
			f.item, f.mem = x.Kind, x.Mem
		}
		return f
	}
	return form{kind: v.Kind}
}

// leafKey tells calls of one line apart from others, with and without what is absent. line is the
// same for both.
func leafKey(c *archive.Content, t *archive.Template) (key, line uint64) {
	h := fnv.New64a()
	site := ""
	if t.Site > 0 {
		site = siteKey(c, &c.Sites[t.Site-1])
	}
	fmt.Fprint(h, t.Func, site, t.Flags, t.Ret)
	line = h.Sum64()
	f := spec.ByID(t.Func)
	for i := range t.Slots {
		fmt.Fprint(h, formOf(&f.Slots[i], &t.Slots[i]))
	}
	return h.Sum64(), line
}

// signature is that of a terminal at a rank.
func (c *class) signature(t uint32, rank int) (*archive.Signature, error) {
	return c.recording.c.Templates[c.d.Terminals[t]].At(c.d.Params[t], c.d.Ranks, rank)
}

// constant tells whether the signature of a terminal is the same at all ranks of the class.
func (c *class) constant(t uint32) bool { return len(c.d.Params[t]) == 0 }
