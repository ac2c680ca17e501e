package archive

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// table is the content of a table part: rows of integers, one slice for each
// field of the schema.
type table struct {
	rows int
	cols [][]int64
}

func newTable(id uint32, section uint32) *table {
	return &table{cols: make([][]int64, len(schemaOf(section, id).fields))}
}

func (t *table) add(row ...int64) {
	for i, v := range row {
		t.cols[i] = append(t.cols[i], v)
	}
	t.rows++
}

// part codes a table: number of rows, number of fields, then field by field.
func (t *table) part(s *partSchema) []byte {
	var e encoder
	e.Uvarint(uint64(t.rows))
	e.Uvarint(uint64(len(t.cols)))
	for i, col := range t.cols {
		prev := int64(0)
		for _, v := range col {
			e.Varint(v - prev - s.fields[i].step)
			prev = v
		}
	}
	return e.Out
}

// parseTable decodes a table part. Differences wrap around, so that every
// number has a code.
func parseTable(d *decoder, s *partSchema) (*table, error) {
	rows, n := d.Uvarint(), d.Uvarint()
	if n == 0 && rows != 0 || n != 0 && rows > uint64(d.Left())/n {
		d.fail("a table of %d rows and %d fields does not fit into %d bytes", rows, n, d.Left())
	}
	if d.Err != nil {
		return nil, d.Err
	}
	t := &table{rows: int(rows), cols: make([][]int64, len(s.fields))}
	for i := range t.cols {
		t.cols[i] = make([]int64, rows)
	}
	if rows == 0 {
		n = 0 // an empty table may claim any number of fields
	}
	for i := range n {
		prev := int64(0)
		for r := range rows {
			v := d.Varint()
			if i < uint64(len(s.fields)) {
				v += prev + s.fields[i].step
				t.cols[i][r] = v
				prev = v
			}
		}
	}
	return t, d.end()
}

// items is the content of a pool part.
type items struct {
	data []byte // the part
	ends []int  // item i is data[starts..ends[i]), see at
	offs []int
	base int64 // offset of the part in its section
}

func parseItems(d *decoder) (*items, error) {
	n := d.count("items")
	p := &items{data: d.In, ends: make([]int, 0, n), offs: make([]int, 0, n), base: d.Base}
	for i := 0; i < n && d.Err == nil; i++ {
		b := d.bytes("an item")
		p.offs = append(p.offs, d.Pos-len(b))
		p.ends = append(p.ends, d.Pos)
	}
	return p, d.end()
}

func (p *items) len() int { return len(p.offs) }

// at is item i, which shares memory with the section.
func (p *items) at(i int) []byte { return p.data[p.offs[i]:p.ends[i]:p.ends[i]] }

// offset is where item i is in its section.
func (p *items) offset(i int) int64 { return p.base + int64(p.offs[i]) }

// parts holds the decoded parts of a section.
type parts struct {
	section string
	pools   map[uint32]*items
	tables  map[uint32]*table
	skipped []extra // optional parts that this version does not know
	n       int     // parts so far
	sizes   map[string]int64
}

// appendPart appends a part: uvarint type*2 + optional, uvarint version,
// uvarint length, content.
func appendPart(dst []byte, s *partSchema, content []byte) []byte {
	e := encoder{byteio.Writer{Out: dst}}
	e.Uvarint(partType(s.id, false))
	e.Uvarint(partVersion)
	e.Sized(content)
	return e.Out
}

func partType(id uint32, optional bool) uint64 {
	if optional {
		return uint64(id)<<1 | 1
	}
	return uint64(id) << 1
}

// parseParts decodes the content of a section that is made of parts. Every
// part that the schema lists is present afterwards, empty if it was missing.
func parseParts(section uint32, b []byte) (*parts, error) {
	name := sectionNames[section]
	p := &parts{section: name, pools: map[uint32]*items{}, tables: map[uint32]*table{}, sizes: map[string]int64{}}
	d := decode(b, name, 0)
	for d.Err == nil && d.Left() > 0 {
		start := d.Pos
		t, version := d.limited(1<<32, "part type"), d.Uvarint()
		content := d.bytes("a part")
		if d.Err != nil {
			break
		}
		if err := p.add(section, t, version, content, int64(d.Pos-len(content)), int64(start)); err != nil {
			return nil, err
		}
	}
	for i := range schema {
		if s := &schema[i]; s.section == section {
			p.fill(s)
		}
	}
	return p, d.Err
}

func (p *parts) add(section uint32, t, version uint64, content []byte, base, start int64) error {
	s := schemaOf(section, uint32(t>>1))
	p.n++
	if s == nil || version == 0 || version > partVersion {
		if t&1 != 0 {
			p.skipped = append(
				p.skipped,
				extra{section: section, part: uint32(t >> 1), version: version, at: p.n - 1, raw: content},
			)
			return nil
		}
		return &FormatError{Section: p.section, Offset: start, Hint: hintNewer,
			Msg: fmt.Sprintf("part %d version %d is required, but this reader does not know it", t>>1, version)}
	}
	d := decode(content, p.section+"/"+s.name, base)
	if p.pools[s.id] != nil || p.tables[s.id] != nil {
		d.fail("the part occurs twice")
		return d.Err
	}
	p.sizes[s.name] += int64(len(content))
	var err error
	if s.kind == poolPart {
		p.pools[s.id], err = parseItems(d)
	} else {
		p.tables[s.id], err = parseTable(d, s)
	}
	return err
}

func (p *parts) fill(s *partSchema) {
	if s.kind == poolPart && p.pools[s.id] == nil {
		p.pools[s.id] = &items{}
	}
	if s.kind == tablePart && p.tables[s.id] == nil {
		p.tables[s.id] = newTable(s.id, s.section)
	}
}
