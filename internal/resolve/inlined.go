package resolve

import (
	"debug/dwarf"
	"slices"
	"sort"
)

// maxEntries bounds how many entries of debug information are looked at for one file: some seconds.
// Only those of compilation units with a place that was asked for count. Beyond it functions that
// were put in line are unknown.
const maxEntries = 1 << 24

// maxDepth bounds how deep entries lie in each other, and how long a way from entry to entry to a
// name is.
const maxDepth, maxHops = 512, 8

// A function that code belongs to. If it was put in line, the other two say where it was called.
type function struct {
	name     string
	callFile string
	callLine int
}

// A tree walks the entries of compilation units (DWARF 5, 3.3) for the functions of places.
type tree struct {
	info    *debugInfo
	entries int // how many may still be looked at
	names   map[dwarf.Offset]string

	// of the unit
	r     *dwarf.Reader
	files []*dwarf.LineFile
	comp  string
	// nested: functions may lie in functions that they are no code of, so that none is passed over.
	nested bool
}

// cFamily is the numbers of C and C++ (DWARF 5, 7.12, and what came later). The functions that their
// compilers describe inside of others are instances of those that lie outside.
var cFamily = []int64{0x1, 0x2, 0x4, 0xc, 0x19, 0x1a, 0x1d, 0x21, 0x2a, 0x2b, 0x2c, 0x3a, 0x3e}

// unit finds the functions of places, in ascending order, that lie in a unit.
func (t *tree) unit(cu *dwarf.Entry, ps []*place) {
	if !cu.Children || t.entries <= 0 {
		return
	}
	lang, _ := cu.Val(dwarf.AttrLanguage).(int64)
	t.nested = !slices.Contains(cFamily, lang)
	t.r = t.info.Reader()
	t.r.Seek(cu.Offset)
	if _, err := t.r.Next(); err == nil {
		t.children(ps, 0)
	}
}

// children walks what lies in the entry that was read last; false if the walk cannot go on. ps are
// the places in that entry.
func (t *tree) children(ps []*place, depth int) bool {
	for {
		e, err := t.r.Next()
		t.entries--
		if err != nil || e == nil || t.entries <= 0 || depth > maxDepth {
			return false
		}
		if e.Tag == 0 {
			return true
		}
		if !e.Children && e.Tag != dwarf.TagSubprogram && e.Tag != dwarf.TagInlinedSubroutine {
			continue
		}
		in, walk := ps, true
		switch e.Tag {
		case dwarf.TagSubprogram:
			walk = len(t.enter(e, ps, false)) > 0 || t.nested
		case dwarf.TagInlinedSubroutine:
			in = t.enter(e, ps, true)
			walk = len(in) > 0
		case dwarf.TagLexDwarfBlock, dwarf.TagTryDwarfBlock, dwarf.TagCatchDwarfBlock, dwarf.TagNamespace,
			dwarf.TagModule:
		default:
			walk = t.nested && e.Tag == dwarf.TagStructType
		}
		switch {
		case !walk:
			t.r.SkipChildren()
		case e.Children && !t.children(in, depth+1):
			return false
		}
	}
}

// enter notes the function of an entry at the places that it covers, which it returns.
func (t *tree) enter(e *dwarf.Entry, ps []*place, inlined bool) (in []*place) {
	if len(ps) == 0 || e.AttrField(dwarf.AttrLowpc) == nil && e.AttrField(dwarf.AttrRanges) == nil {
		return nil
	}
	ranges, err := t.info.Ranges(e)
	if err != nil {
		return nil
	}
	for _, r := range ranges {
		i := sort.Search(len(ps), func(i int) bool { return ps[i].addr >= r[0] })
		for ; i < len(ps) && ps[i].addr < r[1]; i++ {
			in = append(in, ps[i])
		}
	}
	if len(in) == 0 {
		return nil
	}
	f := function{name: t.name(t.info, e, 0)}
	if inlined {
		f.callFile, f.callLine = t.callSite(e)
	}
	for _, p := range in {
		if !inlined {
			p.in = p.in[:0]
		}
		if !inlined || len(p.in) > 0 && len(p.in) < maxDepth {
			p.in = append(p.in, f)
		}
	}
	if len(ranges) > 1 {
		sort.Slice(in, func(i, j int) bool { return in[i].addr < in[j].addr })
	}
	return in
}

func (t *tree) callSite(e *dwarf.Entry) (file string, line int) {
	l, _ := e.Val(dwarf.AttrCallLine).(int64)
	n, _ := e.Val(dwarf.AttrCallFile).(int64)
	if l <= 0 || l > 1<<31-1 || n < 0 || n >= int64(len(t.files)) || t.files[n] == nil {
		return "", 0
	}
	return sourcePath(t.files[n].Name, t.comp), int(l)
}

// name is that of the function that an entry of d describes, if need be by way of the entry that it
// is an instance of.
func (t *tree) name(d *debugInfo, e *dwarf.Entry, hops int) string {
	for _, a := range []dwarf.Attr{dwarf.AttrLinkageName, attrMIPSLinkageName, dwarf.AttrName} {
		if f := e.AttrField(a); f != nil {
			if s := d.text(f); s != "" {
				return readable(s, false)
			}
		}
	}
	if hops == maxHops {
		return ""
	}
	for _, a := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		f := e.AttrField(a)
		if f == nil {
			continue
		}
		switch v := f.Val.(type) {
		case dwarf.Offset:
			return t.nameAt(d, v, hops+1)
		case int64:
			if alt := d.alternate(); f.Class == dwarf.ClassReferenceAlt && alt != nil {
				return t.nameAt(alt, dwarf.Offset(v), hops+1)
			}
		}
	}
	return ""
}

const attrMIPSLinkageName = dwarf.Attr(0x2007) // before DWARF 4 had one of its own

func (t *tree) nameAt(d *debugInfo, at dwarf.Offset, hops int) string {
	key := at
	if d != t.info {
		key = ^at // the other file's
	}
	if s, ok := t.names[key]; ok {
		return s
	}
	r := d.Reader()
	r.Seek(at)
	s := ""
	if e, err := r.Next(); err == nil && e != nil {

		s = t.name(d, e, hops)
	}
	t.names[key] = s
	return s
}

// text is the value of an attribute that is a string.
func (d *debugInfo) text(f *dwarf.Field) string {
	switch v := f.Val.(type) {
	case string:
		return v
	case int64:
		alt := d.alternate()
		if f.Class != dwarf.ClassStringAlt || alt == nil || v < 0 || v >= int64(len(alt.str)) {
			return ""
		}
		return cString(alt.str[v:])
	}
	return ""
}
