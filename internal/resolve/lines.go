package resolve

import (
	"debug/dwarf"
	"debug/elf"
	"io"
	"path/filepath"
	"runtime/debug"
	"sort"
	"strings"
)

// lines gives the code places of b their source lines from the DWARF
// information in im. Damaged debug information leaves lines unknown.
func (b *batch) lines(im *image) {
	// debug/dwarf trusts some offsets, and reading faults if a file is rebuilt while it is mapped.
	// Neither may take the recording down.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	d := im.dwarf()
	if d == nil {
		return
	}
	r := d.Reader()
	for {
		cu, err := r.Next()
		if cu == nil || err != nil {
			return
		}
		r.SkipChildren()
		if cu.Tag != dwarf.TagCompileUnit {
			continue
		}
		b.unit(d, cu)
	}
}

// unit looks up the places inside one compilation unit.
func (b *batch) unit(d *dwarf.Data, cu *dwarf.Entry) {
	ranges, err := d.Ranges(cu)
	if err != nil {
		return
	}
	var ps []*place
	for _, r := range ranges {
		in := b.within(r[0], r[1])
		for i := range in {
			if !in[i].data && in[i].line == 0 {
				ps = append(ps, &in[i])
			}
		}
	}
	if len(ps) == 0 {
		return
	}
	lr, err := d.LineReader(cu)
	if lr == nil || err != nil {
		return
	}
	sort.Slice(ps, func(i, j int) bool { return ps[i].addr < ps[j].addr })
	comp, _ := cu.Val(dwarf.AttrCompDir).(string)
	scanLines(lr, ps, comp)
}

// scanLines runs through a line table once. Each row covers the addresses up
// to the next row of its sequence.
func scanLines(lr *dwarf.LineReader, ps []*place, comp string) {
	var row, next dwarf.LineEntry
	if lr.Next(&row) != nil {
		return
	}
	for {
		err := lr.Next(&next)
		if err != nil && err != io.EOF {
			return
		}
		if err == io.EOF {
			return
		}
		if !row.EndSequence && next.Address > row.Address && row.Line > 0 && row.File != nil {
			i := sort.Search(len(ps), func(i int) bool { return ps[i].addr >= row.Address })
			for ; i < len(ps) && ps[i].addr < next.Address; i++ {
				ps[i].line = row.Line
				ps[i].file = sourcePath(row.File.Name, comp)
			}
		}
		row = next
	}
}

func sourcePath(name, comp string) string {
	if comp != "" && !filepath.IsAbs(name) {
		name = filepath.Join(comp, name)
	}
	return filepath.Clean(name)
}

// dwarf opens the debug information of im, nil if there is none or if it
// cannot be had in bounded memory.
func (im *image) dwarf() *dwarf.Data {
	if im.f.Type == elf.ET_REL {
		return nil
	}
	sections := map[string][]byte{}
	left := uint64(maxDecompressed)
	for _, s := range im.f.Sections {
		name, ok := strings.CutPrefix(s.Name, ".debug_")
		if !ok {
			name, ok = strings.CutPrefix(s.Name, ".zdebug_")
		}
		if !ok {
			continue
		}
		switch name {
		case "abbrev", "info", "line", "ranges", "str", "addr", "line_str", "rnglists", "str_offsets":
		default:
			continue
		}
		data := im.section(s, left)
		if data == nil {
			return nil
		}
		if s.Flags&elf.SHF_COMPRESSED != 0 || isZdebug(s.Name) {
			left -= uint64(len(data))
		}
		sections[name] = data
	}
	if sections["info"] == nil || sections["line"] == nil {
		return nil
	}
	d, err := dwarf.New(sections["abbrev"], nil, nil, sections["info"], sections["line"], nil, sections["ranges"],
		sections["str"])
	if err != nil {
		return nil
	}
	for _, name := range []string{"addr", "line_str", "rnglists", "str_offsets"} {
		if data := sections[name]; data != nil && d.AddSection(".debug_"+name, data) != nil {
			return nil
		}
	}
	return d
}
