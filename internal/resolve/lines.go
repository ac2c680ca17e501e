package resolve

import (
	"debug/dwarf"
	"io"
	"path/filepath"
	"runtime/debug"
	"sort"
)

// lines gives the code places of b their source lines, and the functions that were put in line there,
// from the DWARF information in im. Damaged debug information leaves them unknown. Of split DWARF
// (-gsplit-dwarf) the lines are known and the functions are not: those are in .dwo files.
func (b *batch) lines(im *image) {
	// debug/dwarf trusts some offsets, and reading faults if a file is rebuilt while it is mapped.
	// Neither may take the recording down.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	d := im.dwarf()
	if d == nil {
		return
	}
	defer d.close()
	t := tree{info: d, entries: maxEntries, names: map[dwarf.Offset]string{}}
	r := d.Reader()
	for {
		cu, err := r.Next()
		if cu == nil || err != nil {
			return
		}
		r.SkipChildren()
		if cu.Tag != dwarf.TagCompileUnit && cu.Tag != dwarf.TagSkeletonUnit {
			continue
		}
		b.unit(&t, cu)
	}
}

// unit looks up the places inside one compilation unit.
func (b *batch) unit(t *tree, cu *dwarf.Entry) {
	ranges, err := t.info.Ranges(cu)
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
	lr, err := t.info.LineReader(cu)
	if lr == nil || err != nil {
		return
	}
	sort.Slice(ps, func(i, j int) bool { return ps[i].addr < ps[j].addr })
	comp, _ := cu.Val(dwarf.AttrCompDir).(string)
	scanLines(lr, ps, comp)
	t.files, t.comp = lr.Files(), comp
	t.unit(cu, ps)
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
