package archive

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive/bundle"
	"github.com/tabard-hpc/tabard/internal/archive/container"
	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// blockBytes is how much a section of columns or timing holds before the next
// one begins: what a reader loads to see one column.
const blockBytes = 256 << 10

// Write writes the archive to w. Equal contents give equal bytes. It fails if
// the content contradicts itself, as far as that cannot be written.
func (c *Content) Write(w io.Writer) error { return c.WriteWith(w, nil) }

// write writes the archive with the columns that bundles gives, and grammars as sequences if compact
// is set.
func (c *Content) write(w io.Writer, compact bool, bundles func() *bundled) error {
	raw, err := c.encode(compact, bundles)
	if err != nil {
		return err
	}
	cw, err := container.NewWriter(w)
	if err != nil {
		return err
	}
	n := 0
	add := func(typ uint32, optional bool, version uint32, b []byte) {
		err = errors.Join(err, cw.Add(typ, optional, version, b))
		n++
	}
	others := func() {
		for _, x := range c.extra {
			if x.part == 0 && x.at == n {
				add(x.section, true, uint32(x.version), x.raw)
			}
		}
	}
	others()
	add(secMeta, false, sectionVersion, raw.meta)
	others()
	add(secStructure, false, sectionVersion, raw.structure)
	others()
	for _, typ := range []uint32{secColumns, secTiming} {
		blobs := raw.columns
		if typ == secTiming {
			blobs = c.Timings
		}
		addBlocks(blobs, typ == secTiming, func(block []byte) {
			add(typ, false, sectionVersion, block)
			others()
		})
	}
	if err != nil {
		return err
	}
	return cw.Close()
}

// addBlocks packs blobs into sections: a section ends with the blob that
// makes it reach blockBytes. With cut set, blobs go on in the next section.
func addBlocks(blobs [][]byte, cut bool, add func([]byte)) {
	var block []byte
	for i, blob := range blobs {
		for cut && len(block)+len(blob) > blockBytes {
			n := blockBytes - len(block)
			add(append(block, blob[:n]...))
			block, blob = block[:0], blob[n:]
		}
		block = append(block, blob...)
		if len(block) >= blockBytes || i == len(blobs)-1 && len(block) > 0 {
			add(block)
			block = block[:0]
		}
	}
}

// encoded is the sections of a content that are made of parts.
type encoded struct {
	meta, structure []byte
	columns         [][]byte
}

// encode codes the content; bundles gives the columns as they are stored.
func (c *Content) encode(compact bool, bundles func() *bundled) (*encoded, error) {
	strs := &pool{}
	run, modules, frames := c.runTable(strs), c.moduleTable(strs), c.frameTable(strs)
	pools := map[uint32]*pool{partStrings: strs}
	// The order decides how strings are numbered.
	groups, err := c.encodeGroups(strs)
	if err != nil {
		return nil, err
	}
	heads, shapes, templates := c.encodeTemplates(strs)
	classes, bodies, sequences, err := c.encodeClasses(strs, compact)
	if err != nil {
		return nil, err
	}
	pools[partGroups], pools[partTemplates], pools[partShapes] = &pool{items: groups}, &pool{items: templates}, shapes
	pools[partClasses], pools[partBodies] = &pool{items: classes}, &pool{items: bodies}
	pools[partSequences] = &pool{items: sequences}
	b := bundles()
	pools[partBundles] = &pool{items: b.items}
	models := newTable(partModels, secStructure)
	if slices.Max(append(b.models, bundle.Messages)) > bundle.Messages {
		for _, m := range b.models {
			models.add(int64(m))
		}
	}
	tables := map[uint32]*table{partMeta: run, partModules: modules, partFrames: frames, partTrees: c.treeTable(),
		partHeads: heads,
		partColumns: lengthTable(
			partColumns,
			secStructure,
			b.columns,
		), partModels: models, partTimings: lengthTable(partTimings, secMeta, c.Timings)}
	return &encoded{c.section(secMeta, pools, tables), c.section(secStructure, pools, tables), b.columns}, nil
}

// section codes the parts of a section in the order of the schema and leaves
// out empty ones.
func (c *Content) section(section uint32, pools map[uint32]*pool, tables map[uint32]*table) (out []byte) {
	n := 0
	others := func() {
		for _, x := range c.extra {
			if x.section == section && x.part != 0 && x.at == n {
				e := encoder{byteio.Writer{Out: out}}
				e.Uvarint(partType(x.part, true))
				e.Uvarint(x.version)
				e.Sized(x.raw)
				out = e.Out
				n++
			}
		}
	}
	others()
	for i := range schema {
		s := &schema[i]
		var content []byte
		if p := pools[s.id]; p != nil && len(p.items) > 0 {
			content = p.part()
		} else if t := tables[s.id]; t != nil && t.rows > 0 {
			content = t.part(s)
		}
		if s.section == section && content != nil {
			out = appendPart(out, s, content)
			n++
			others()
		}
	}
	return out
}

func lengthTable(id, section uint32, blobs [][]byte) *table {
	t := newTable(id, section)
	for _, b := range blobs {
		t.add(int64(len(b)))
	}
	return t
}

func (c *Content) runTable(strs *pool) *table {
	t, m := newTable(partMeta, secMeta), &c.Meta
	str := func(s string) int64 { return int64(strs.add(s)) }
	for _, arg := range m.Command {
		t.add(keyCommand, str(arg))
	}
	t.add(keyMPI, str(m.MPI))
	t.add(keyABI, int64(m.ABI))
	if !m.Created.IsZero() {
		t.add(keyCreated, m.Created.UnixNano())
	}
	t.add(keyTool, str(m.Tool))
	if m.Partial {
		t.add(keyPartial, 1)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Options)) {
		t.add(keyOptionName, str(name))
		t.add(keyOptionValue, str(m.Options[name]))
	}
	return t
}

func (c *Content) moduleTable(strs *pool) *table {
	t := newTable(partModules, secMeta)
	for _, m := range c.Modules {
		t.add(int64(strs.add(m.Path)), int64(strs.add(m.BuildID)), int64(m.Size))
	}
	return t
}

func (c *Content) frameTable(strs *pool) *table {
	t := newTable(partFrames, secMeta)
	for i, s := range c.Sites {
		frames := s.Frames
		if len(frames) == 0 || s.Tree != nil { // keeps the numbers of sites without gaps
			frames = []Frame{{Module: -1}}
		}
		for _, f := range frames {
			t.add(
				int64(i),
				int64(f.Module),
				int64(f.Offset),
				int64(strs.add(f.Func)),
				int64(strs.add(f.File)),
				int64(f.Line),
			)
		}
	}
	return t
}

func (c *Content) treeTable() *table {
	t := newTable(partTrees, secMeta)
	for i, s := range c.Sites {
		if s.Tree == nil {
			continue
		}
		t.add(int64(i), int64(s.Tree.Func), 0)
		for _, called := range s.Tree.Calls {
			t.add(int64(i), int64(called.Site), int64(called.Count))
		}
	}
	return t
}

func (c *Content) encodeGroups(strs *pool) ([]string, error) {
	var items []string
	ctx := newContexts()
	for i, g := range c.Groups {
		w := newEncWalker(strs)
		walkGroup(w, g, len(c.Modules), ctx)
		if w.err != nil {
			return nil, fmt.Errorf("group %d: %w", i, w.err)
		}
		items = append(items, string(w.Out))
	}
	return items, nil
}

func (c *Content) encodeTemplates(strs *pool) (heads *table, shapes *pool, values []string) {
	heads, shapes = newTable(partHeads, secStructure), &pool{}
	for _, t := range c.Templates {
		shape := shapes.add(string(t.appendShape(nil)))
		heads.add(int64(t.Func), int64(t.Site), int64(t.Flags), int64(t.Ret), int64(shape))
		values = append(values, string(t.appendValues(nil, strs)))
	}
	return heads, shapes, values
}

// context is what classes refer to.
func (c *Content) context() *classContext {
	return &classContext{
		contexts:   newContexts(),
		groups:     c.Groups,
		templates:  len(c.Templates),
		columns:    len(c.Columns),
		timings:    len(c.Timings),
		maxParams:  1 << 40,
		maxNumbers: 1 << 40,
		maxSymbols: 1 << 40,
		template:   func(i int) (*Template, error) { return c.Templates[i], nil },
	}
}

func (c *Content) encodeClasses(strs *pool, compact bool) (classes, bodies, sequences []string, err error) {
	grammars := make([]codedGrammar, len(c.Classes))
	for i, cl := range c.Classes {
		g := &grammars[i]
		if cl.Group < 0 || cl.Group >= len(c.Groups) {
			return nil, nil, nil, fmt.Errorf("trace: class %d: group %d, but there are %d", i, cl.Group, len(c.Groups))
		}
		if g.b, g.spans, err = appendGrammar(nil, cl.Grammar, c.Groups[cl.Group].Size); err != nil {
			return nil, nil, nil, fmt.Errorf("trace: class %d: %w", i, err)
		}
	}
	if compact {
		sequences = c.sequences(grammars)
	}
	bodies = shareBodies(grammars)
	x := c.context()
	for i, cl := range c.Classes {
		w := newEncWalker(strs)
		w.coded = grammars[i].b
		walkClass(w, cl, x)
		if w.err != nil {
			return nil, nil, nil, fmt.Errorf("class %d: %w", i, w.err)
		}
		classes = append(classes, string(w.Out))
	}
	return classes, bodies, sequences, nil
}
