package scale

import (
	"fmt"
	"hash/fnv"
	"path/filepath"

	"tabard/spec"
	"tabard/trace"
)

// side is a recording.
type side struct {
	c    *trace.Content
	size int64
	env  Env // of this size; rank and indices change
}

// class is the streams of a recording that do the same.
type class struct {
	side  *side
	d     *trace.ClassData
	ranks []int
	// start[t] is the first column of terminal t.
	start []int
	// columns are those of the ranks so far, opened, by rank and number.
	columns map[[2]int]column
	// occ is how often terminals occur, by rank.
	occ map[int][]uint64
}

// siteKey tells call sites apart, also those of another build or machine as long as lines did not move.
func siteKey(c *trace.Content, s *trace.Site) string {
	text := ""
	for i := range s.Frames {
		f := &s.Frames[i]
		if f.File != "" || f.Func != "" {
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

// form is the kind of a slot as far as it belongs to the structure of a program: arrays of any length are alike, and
// it does not matter whether values are in the signature or in a column.
type form struct {
	kind trace.Kind // Hole stands for what only columns hold
	mem  trace.Mem
	// item is the kind of the elements of a list, and mem then their class; Hole if it has elements of
	// several kinds or such that are no numbers, which are compared as a whole.
	item trace.Kind
}

func formOf(s *spec.Slot, v *trace.Value) form {
	switch v.Kind {
	case trace.Hole:
		switch {
		case s.Codec == spec.Int && s.Array:
			return form{kind: trace.Ints}
		case s.Codec == spec.Int:
			return form{kind: trace.Int}
		case s.Codec == spec.Handle && s.Array:
			return form{kind: trace.List, item: trace.Ref}
		case s.Codec == spec.Handle:
			return form{kind: trace.Ref}
		case s.Codec == spec.Status && s.Array:
			return form{kind: trace.List, item: trace.Stat}
		case s.Codec == spec.Status:
			return form{kind: trace.Stat}
		}
		return form{kind: trace.Hole}
	case trace.Addr:
		return form{kind: v.Kind, mem: v.Mem}
	case trace.List:
		f := form{kind: v.Kind, item: trace.Hole}
		if s.Codec == spec.Handle || s.Codec == spec.Status {
			f.item = trace.Ref
			if s.Codec == spec.Status {
				f.item = trace.Stat
			}
		}
		for i := range v.List {
			x := &v.List[i]
			number := x.Kind == trace.Int || x.Kind == trace.Ref || x.Kind == trace.Addr || x.Kind == trace.Stat
			if !number || i > 0 && (x.Kind != f.item || x.Mem != f.mem) {
				return form{kind: v.Kind, item: trace.Hole}
			}
			f.item, f.mem = x.Kind, x.Mem
		}
		return f
	}
	return form{kind: v.Kind}
}

// leafKey tells calls of one line apart from others, with and without what is absent. line is the same for both.
func leafKey(c *trace.Content, t *trace.Template) (key, line uint64) {
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
func (c *class) signature(t uint32, rank int) (*trace.Signature, error) {
	tm := c.side.c.Templates[c.d.Terminals[t]]
	ps := c.d.Params[t]
	if len(ps) == 0 {
		return &tm.Signature, nil
	}
	s := tm.Signature
	s.Slots = cloneValues(s.Slots)
	f := spec.ByID(tm.Func)
	k := 0
	for i, l := range trace.Leaves(make([]trace.Leaf, 0, len(tm.Open)), &s) {
		if !tm.Open[i] {
			continue
		}
		p := &ps[k]
		k++
		var err error
		switch l.Kind() {
		case trace.VecLeaf:
			err = l.SetVec(p.Vec.At(rank), f.Slots[l.Slot()].Class)
		case trace.StrLeaf:
			if i := p.Str.Index(c.d.Ranks, rank); i >= 0 {
				l.SetStr(p.Str.Values[i])
			}
		default:
			err = l.SetInt(p.At(rank))
		}
		if err != nil {
			return nil, err
		}
	}
	return &s, nil
}

// constant tells whether the signature of a terminal is the same at all ranks of the class.
func (c *class) constant(t uint32) bool { return len(c.d.Params[t]) == 0 }

func cloneValues(vs []trace.Value) []trace.Value {
	out := append([]trace.Value(nil), vs...)
	for i := range out {
		if out[i].Kind == trace.List && !trace.IsRefs(&out[i]) {
			out[i].List = cloneValues(out[i].List)
		}
	}
	return out
}

// parts are the numbers of a value of a kind.
func parts(kind trace.Kind, mem trace.Mem) int {
	switch kind {
	case trace.Int, trace.Float, trace.Ref, trace.Sentinel:
		return 1
	case trace.Addr:
		if mem == trace.Literal {
			return 1
		}
		return 2
	case trace.Stat:
		return 4
	}
	return 0
}

// part is number k of a value.
func part(v *trace.Value, k int) int64 {
	switch v.Kind {
	case trace.Addr:
		if v.Mem != trace.Literal && k == 0 {
			return int64(v.Seg)
		}
	case trace.Stat:
		switch k {
		case 0:
			return int64(v.Stat.Source)
		case 1:
			return int64(v.Stat.Tag)
		case 2:
			return v.Stat.Bytes
		}
		return int64(uint32(v.Stat.Error)) | truth(v.Stat.Cancelled)<<32
	}
	return v.N
}

// setPart is the reverse of part.
func setPart(v *trace.Value, k int, n int64) error {
	bad := false
	switch v.Kind {
	case trace.Addr:
		if v.Mem != trace.Literal && k == 0 {
			bad = n < 0 || n > 1<<32-1
			v.Seg = uint32(n)
		} else {
			v.N = n
		}
	case trace.Stat:
		switch k {
		case 0:
			v.Stat.Source, bad = int32(n), n != int64(int32(n))
		case 1:
			v.Stat.Tag, bad = int32(n), n != int64(int32(n))
		case 2:
			v.Stat.Bytes = n
		default:
			v.Stat.Error, v.Stat.Cancelled = int32(n), n>>32 != 0
		}
	case trace.Ref:
		bad = n < 0
		v.N = n
	default:
		v.N = n
	}
	if bad {
		return fmt.Errorf("value %d is out of range", n)
	}
	return nil
}
