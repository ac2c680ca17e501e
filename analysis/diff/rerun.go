package diff

import (
	"path/filepath"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// keySite is the call site that a call is told apart by.
func (c *comparison) keySite(f *spec.Func, side int, site string) string {
	if c.o.IgnoreSites || c.o.Rerun {
		return ""
	}
	if side == 1 {
		if moved, ok := c.moved[movedKey{f.ID, site}]; ok {
			return moved
		}
	}
	return site
}

// process tells whether a parameter means something in one process only, so that a program that
// makes the same calls again cannot have it: see Options.Rerun.
func process(f *spec.Func, s *spec.Slot) bool {
	if s.Param < 0 {
		return false
	}
	switch name := f.Params[s.Param].Name; name {
	case "extra_state", "attribute_val", "argv", "argc", "array_of_argv":
		return true
	default:
		return callback(name)
	}
}

// fileName tells whether a parameter is the name of a file.
func fileName(f *spec.Func, s *spec.Slot) bool {
	if s.Param < 0 {
		return false
	}
	name := f.Params[s.Param].Name
	return name == "filename" || name == "command" || name == "array_of_commands"
}

// base is the name of a file without its directory, and without the prefix that ROMIO takes as the
// kind of file system.
func base(v *archive.Value) *archive.Value {
	switch v.Kind {
	case archive.Str:
		name := v.Str
		if kind, rest, ok := strings.Cut(name, ":"); ok && !strings.Contains(kind, "/") {
			name = rest
		}
		return &archive.Value{Kind: archive.Str, Str: filepath.Base(name)}
	case archive.List:
		out := *v
		out.List = make([]archive.Value, len(v.List))
		for i := range v.List {
			out.List[i] = *base(&v.List[i])
		}
		return &out
	}
	return v
}
