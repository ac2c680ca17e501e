package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"tabard/trace/internal/container"
)

// blockBytes is how much a section of columns or timing holds before the next
// one begins: what a reader loads to see one column.
const blockBytes = 256 << 10

// Builder makes an archive. Equal content of different ranks (signatures,
// tables of them, grammars, columns, strings, call sites) is stored once. It keeps
// everything in memory until Write. Make one with NewBuilder.
type Builder struct {
	err error

	meta                    Meta
	metaStrings, metaLists  pool
	modules, frames         *table
	moduleIDs               map[[3]int64]uint32
	siteIDs                 pool
	ranks, clocks, bases    *table
	strings, signatures     pool
	grammars, lists         pool
	columns, timings        pool
	columnTable, timingList *table
	streams                 *table
}

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder {
	return &Builder{
		modules: newTable(partModules, secMeta), frames: newTable(partFrames, secMeta),
		ranks: newTable(partRanks, secMeta), clocks: newTable(partClocks, secMeta), bases: newTable(partBases, secMeta),
		columnTable: newTable(partColumns, secStructure), timingList: newTable(partTimings, secStructure),
		streams:   newTable(partStreams, secStructure),
		moduleIDs: make(map[[3]int64]uint32),
	}
}

// SetMeta sets what is known of the run; the last call counts.
func (b *Builder) SetMeta(m Meta) { b.meta = m }

func (b *Builder) str(s string) int64 { return int64(b.metaStrings.add(s)) }

// AddRank adds a process and returns its number, for StreamData.Process.
// Processes are numbered from 0 in the order of the calls.
func (b *Builder) AddRank(r RankData) int {
	process := int64(b.ranks.rows)
	complete := int64(0)
	if r.Complete {
		complete = 1
	}
	b.ranks.add(int64(r.World), int64(r.Rank), int64(r.Size), b.str(r.Host), int64(r.PID), complete,
		int64(r.LostCalls), b.str(r.End), b.addInfo(r.Info), b.addModules(process, r.Modules), b.addSites(r.Sites))
	byTicks := func(x, y Clock) int { return cmp.Compare(x.Ticks, y.Ticks) }
	for _, c := range slices.SortedStableFunc(slices.Values(r.Clocks), byTicks) {
		b.clocks.add(process, int64(c.Ticks), c.RealNS, c.MonoNS)
	}
	return int(process)
}

func (b *Builder) addInfo(info map[string]string) int64 {
	ids := make([]uint32, 0, 2*len(info))
	for _, k := range slices.Sorted(maps.Keys(info)) {
		ids = append(ids, b.metaStrings.add(k), b.metaStrings.add(info[k]))
	}
	return int64(b.metaLists.addIDs(ids))
}

func (b *Builder) addModules(process int64, modules []Module) int64 {
	ids := make([]uint32, len(modules))
	based := slices.ContainsFunc(modules, func(m Module) bool { return m.Base != 0 })
	for i, m := range modules {
		row := [3]int64{b.str(m.Path), b.str(m.BuildID), int64(m.Size)}
		id, ok := b.moduleIDs[row]
		if !ok {
			id = uint32(b.modules.rows)
			b.moduleIDs[row] = id
			b.modules.add(row[:]...)
		}
		ids[i] = id
		if based {
			b.bases.add(process, int64(i), int64(m.Base))
		}
	}
	return int64(b.metaLists.addIDs(ids))
}

func (b *Builder) addSites(sites []Site) int64 {
	ids := make([]uint32, len(sites))
	for i, s := range sites {
		rows := make([][5]int64, len(s.Frames))
		for k, f := range s.Frames {
			rows[k] = [5]int64{int64(f.Module), int64(f.Offset), b.str(f.Func), b.str(f.File), int64(f.Line)}
		}
		n := len(b.siteIDs.items)
		ids[i] = b.siteIDs.add(fmt.Sprint(rows))
		if len(b.siteIDs.items) == n {
			continue
		}
		for _, r := range rows {
			b.frames.add(int64(n), r[0], r[1], r[2], r[3], r[4])
		}
		if len(rows) == 0 { // keeps the numbers of sites without gaps
			b.frames.add(int64(n), -1, 0, b.str(""), b.str(""), 0)
		}
	}
	return int64(b.metaLists.addIDs(ids))
}

// AddStream adds the calls of one thread. It keeps nothing that s refers to.
// A stream that contradicts itself is reported by Write.
func (b *Builder) AddStream(s StreamData) {
	if b.err == nil {
		b.err = b.checkStream(&s)
	}
	if b.err != nil {
		return
	}
	sigs := make([]uint32, len(s.Signatures))
	for i, sig := range s.Signatures {
		sigs[i] = b.signatures.add(string(sig))
	}
	var cols []uint32
	for _, ofTerminal := range s.Columns {
		for _, c := range ofTerminal {
			cols = append(cols, b.addBlob(&b.columns, b.columnTable, c))
		}
	}
	strs := make([]uint32, len(s.Strings))
	for i, str := range s.Strings {
		strs[i] = b.strings.add(str)
	}
	timing := int64(-1)
	if s.Timing != nil {
		timing = int64(b.addBlob(&b.timings, b.timingList, s.Timing))
	}
	b.streams.add(int64(s.Process), int64(s.Thread), int64(s.Calls), int64(b.lists.addIDs(sigs)),
		int64(b.grammars.add(string(s.Grammar.Append(nil)))), int64(b.lists.addIDs(cols)), int64(b.lists.addIDs(strs)), timing)
}

func (b *Builder) addBlob(p *pool, t *table, blob []byte) uint32 {
	id := p.add(string(blob))
	if int(id) == t.rows {
		t.add(int64(len(blob)))
	}
	return id
}

func (b *Builder) checkStream(s *StreamData) error {
	switch {
	case s.Process < 0 || s.Process >= b.ranks.rows:
		return fmt.Errorf("trace: stream of process %d, but only %d were added", s.Process, b.ranks.rows)
	case s.Thread < 0:
		return fmt.Errorf("trace: negative thread %d", s.Thread)
	case s.Grammar == nil:
		return errors.New("trace: stream without a grammar")
	case len(s.Columns) > len(s.Signatures):
		return fmt.Errorf("trace: columns of %d terminals, but only %d signatures", len(s.Columns), len(s.Signatures))
	}
	return nil
}

// Write writes the archive to w. Equal calls to a Builder write equal bytes.
func (b *Builder) Write(w io.Writer) error {
	if b.err != nil {
		return b.err
	}
	return writeSections(w, b.metaSection(), b.structureSection(), b.columns.items, b.timings.items)
}

// writeSections writes an archive from the content of its sections.
func writeSections(w io.Writer, meta, structure []byte, columns, timings []string) error {
	cw, err := container.NewWriter(w)
	if err != nil {
		return err
	}
	err = errors.Join(
		cw.Add(secMeta, false, sectionVersion, meta),
		cw.Add(secStructure, false, sectionVersion, structure),
		addBlocks(cw, secColumns, columns),
		addBlocks(cw, secTiming, timings))
	if err != nil {
		return err
	}
	return cw.Close()
}

// addBlocks packs blobs into sections: a section ends with the blob that
// makes it reach blockBytes.
func addBlocks(cw *container.Writer, typ uint32, blobs []string) error {
	var block []byte
	for i, blob := range blobs {
		block = append(block, blob...)
		if len(block) >= blockBytes || i == len(blobs)-1 && len(block) > 0 {
			if err := cw.Add(typ, false, sectionVersion, block); err != nil {
				return err
			}
			block = block[:0]
		}
	}
	return nil
}

// metaSection codes the meta section.
func (b *Builder) metaSection() []byte {
	run := b.runTable() // before the strings are written: it adds some
	return buildSection(secMeta,
		map[uint32]*pool{partMetaStrings: &b.metaStrings, partMetaLists: &b.metaLists},
		map[uint32]*table{partMeta: run, partModules: b.modules, partFrames: b.frames,
			partRanks: b.ranks, partClocks: b.clocks, partBases: b.bases})
}

func (b *Builder) structureSection() []byte {
	return buildSection(secStructure,
		map[uint32]*pool{partStrings: &b.strings, partSignatures: &b.signatures, partGrammars: &b.grammars, partLists: &b.lists},
		map[uint32]*table{partColumns: b.columnTable, partTimings: b.timingList, partStreams: b.streams})
}

// buildSection codes the parts of a section in the order of the schema and
// leaves out empty ones.
func buildSection(section uint32, pools map[uint32]*pool, tables map[uint32]*table) (out []byte) {
	for i := range schema {
		s := &schema[i]
		if s.section != section {
			continue
		}
		if p := pools[s.id]; p != nil && len(p.items) > 0 {
			out = appendPart(out, s, p.part())
		}
		if t := tables[s.id]; t != nil && t.rows > 0 {
			out = appendPart(out, s, t.part(s))
		}
	}
	return out
}

func (b *Builder) runTable() *table {
	t, m := newTable(partMeta, secMeta), &b.meta
	for _, arg := range m.Command {
		t.add(keyCommand, b.str(arg))
	}
	t.add(keyMPI, b.str(m.MPI))
	t.add(keyABI, int64(m.ABI))
	if !m.Created.IsZero() {
		t.add(keyCreated, m.Created.UnixNano())
	}
	t.add(keyTool, b.str(m.Tool))
	if m.Partial {
		t.add(keyPartial, 1)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Options)) {
		t.add(keyOptionName, b.str(name))
		t.add(keyOptionValue, b.str(m.Options[name]))
	}
	return t
}
