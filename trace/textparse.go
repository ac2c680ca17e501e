package trace

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tabard/internal/column"
	"tabard/internal/grammar"
	"tabard/spec"
	"tabard/trace/internal/container"
)

// ParseText reads the text twin of an archive (see WriteText) and writes the
// archive. It checks the text, not what the text says: text may well describe
// an archive that is broken.
func ParseText(w io.Writer, r io.Reader) error {
	p := &textParser{}
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			if perr := p.line(n, line); perr != nil {
				return fmt.Errorf("text of an archive: line %d: %w", n, perr)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if !p.begun {
		return errors.New("text of an archive: it is empty")
	}
	return p.write(w)
}

// textPart is a part, or a section that is not made of parts.
type textPart struct {
	id       uint32
	schema   *partSchema // nil: only raw
	optional bool
	version  uint64
	pool     []string
	table    *table
	raw      []byte
	isRaw    bool
}

type textSection struct {
	typ      uint32
	version  uint32
	optional bool
	parts    []*textPart
	raw      []byte
	blobs    []string
}

type textParser struct {
	begun    bool
	sections []*textSection
}

func (p *textParser) line(n int, line string) error {
	if !p.begun {
		if line != textHeader {
			return fmt.Errorf("expected %q", textHeader)
		}
		p.begun = true
		return nil
	}
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case strings.HasPrefix(line, "#"):
		return nil
	case word == "section":
		return p.section(rest)
	case len(p.sections) == 0:
		return errors.New("expected a section")
	case word == "part":
		return p.part(rest)
	case word == "hex":
		return p.hex(rest)
	}
	return p.item(line)
}

// attributes takes "name version=1 optional".
func attributes(text string) (name string, version uint64, optional bool, err error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return "", 0, false, errors.New("a name is missing")
	}
	version = 1
	for _, f := range fields[1:] {
		if f == "optional" {
			optional = true
		} else if v, ok := strings.CutPrefix(f, "version="); ok {
			if version, err = strconv.ParseUint(v, 10, 32); err != nil {
				return "", 0, false, err
			}
		} else {
			return "", 0, false, fmt.Errorf("unknown attribute %q", f)
		}
	}
	return fields[0], version, optional, nil
}

func (p *textParser) section(text string) error {
	name, version, optional, err := attributes(text)
	if err != nil {
		return err
	}
	s := &textSection{version: uint32(version), optional: optional}
	for typ, n := range sectionNames {
		if n == name {
			s.typ = typ
		}
	}
	if s.typ == 0 {
		typ, err := strconv.ParseUint(name, 10, 31)
		if err != nil {
			return fmt.Errorf("unknown section %q", name)
		}
		s.typ = uint32(typ)
	}
	p.sections = append(p.sections, s)
	return nil
}

func (p *textParser) current() *textSection { return p.sections[len(p.sections)-1] }

func (p *textParser) part(text string) error {
	head, _, _ := strings.Cut(text, ":")
	name, version, optional, err := attributes(head)
	if err != nil {
		return err
	}
	s := p.current()
	part := &textPart{version: version, optional: optional}
	for i := range schema {
		if schema[i].section == s.typ && schema[i].name == name {
			part.schema = &schema[i]
			part.id, part.optional = schema[i].id, schema[i].optional
		}
	}
	if part.schema == nil {
		id, err := strconv.ParseUint(name, 10, 31)
		if err != nil {
			return fmt.Errorf("unknown part %q", name)
		}
		part.id = uint32(id)
	} else if part.schema.kind == tablePart {
		part.table = newTable(part.id, s.typ)
	}
	s.parts = append(s.parts, part)
	return nil
}

func (p *textParser) hex(text string) error {
	b, err := hex.DecodeString(text)
	if err != nil {
		return err
	}
	s := p.current()
	if len(s.parts) == 0 {
		s.raw = b
		return nil
	}
	part := s.parts[len(s.parts)-1]
	part.raw, part.isRaw = b, true
	return nil
}

// item takes a row of a table or an item of a pool or section.
func (p *textParser) item(line string) error {
	s := p.current()
	if len(s.parts) > 0 && s.parts[len(s.parts)-1].table != nil {
		return s.parts[len(s.parts)-1].row(line)
	}
	number, text, ok := strings.Cut(line, ":")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return errors.New("expected the number of an item and a colon")
	}
	text = strings.TrimPrefix(text, " ")
	to := &s.blobs
	var b []byte
	switch {
	case s.typ == secColumns:
		b, err = parseColumnText(text)
	case s.typ == secTiming:
		b, err = parseTimingText(text)
	case len(s.parts) == 0 || s.parts[len(s.parts)-1].schema == nil:
		return errors.New("no items are expected here")
	default:
		part := s.parts[len(s.parts)-1]
		to = &part.pool
		b, err = parseItem(part.schema.item, text)
	}
	if err != nil {
		return err
	}
	if n != len(*to) {
		return fmt.Errorf("item %d follows item %d", n, len(*to)-1)
	}
	*to = append(*to, string(b))
	return nil
}

func (part *textPart) row(line string) error {
	fields := strings.Fields(line)
	if len(fields) != len(part.table.cols) {
		return fmt.Errorf("%d values in a table of %d fields", len(fields), len(part.table.cols))
	}
	row := make([]int64, len(fields))
	for i, f := range fields {
		v, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return err
		}
		row[i] = v
	}
	part.table.add(row...)
	return nil
}

// parseItem is the reverse of itemText.
func parseItem(kind poolItem, text string) ([]byte, error) {
	if h, ok := strings.CutPrefix(text, "hex"); ok && (h == "" || h[0] == ' ') {
		return hex.DecodeString(strings.TrimSpace(h))
	}
	switch kind {
	case stringItem:
		s, err := strconv.Unquote(text)
		return []byte(s), err
	case listItem:
		return parseList(text)
	case signatureItem:
		s, err := ParseSignatureText(text)
		if err != nil {
			return nil, err
		}
		return s.Append(nil), nil
	}
	g, err := ParseGrammarText(text)
	if err != nil {
		return nil, err
	}
	return g.Append(nil), nil
}

func parseList(text string) ([]byte, error) {
	var ids []uint32
	for _, f := range strings.Fields(text) {
		from, to, isRange := strings.Cut(f, "-")
		if !isRange {
			to = from
		}
		a, err1 := strconv.ParseUint(from, 10, 32)
		b, err2 := strconv.ParseUint(to, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		if b < a || b-a > 1<<24 {
			return nil, fmt.Errorf("bad range %s", f)
		}
		for id := a; id <= b; id++ {
			ids = append(ids, uint32(id))
		}
	}
	var e encoder
	e.ids(ids)
	return e.b, nil
}

// ParseSignatureText is the reverse of Signature.String.
func ParseSignatureText(text string) (*Signature, error) {
	name, rest, ok := strings.Cut(text, "(")
	f := spec.ByName(name)
	if !ok || f == nil {
		return nil, fmt.Errorf("unknown function %q", name)
	}
	s := &Signature{Func: f.ID, Slots: make([]Value, len(f.Slots))}
	for i := range f.Slots {
		rest = strings.TrimLeft(rest, " ,;")
		if rest, ok = strings.CutPrefix(rest, SlotName(f, &f.Slots[i])+"="); !ok {
			return nil, fmt.Errorf("%s: expected %s at %q", f.Name, SlotName(f, &f.Slots[i]), ellipsis(rest))
		}
		var err error
		if s.Slots[i], rest, err = ParseValue(spec.UnknownABI, f, &f.Slots[i], rest); err != nil {
			return nil, err
		}
		setClass(&s.Slots[i], f.Slots[i].Class)
	}
	if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " ;"), ")"); !ok {
		return nil, fmt.Errorf("%s: expected a closing parenthesis at %q", f.Name, ellipsis(rest))
	}
	return s, s.parseTail(rest)
}

// parseTail takes "site=1 flags=nested ret=0".
func (s *Signature) parseTail(text string) error {
	for _, field := range strings.Fields(text) {
		key, val, _ := strings.Cut(field, "=")
		switch key {
		case "site":
			n, err := strconv.ParseUint(val, 10, 32)
			if err != nil {
				return err
			}
			s.Site = uint32(n)
		case "ret":
			n, err := strconv.ParseInt(val, 10, 32)
			if err != nil {
				return err
			}
			s.Ret = int32(n)
		case "flags":
			f, err := parseFlags(val)
			if err != nil {
				return err
			}
			s.Flags = f
		default:
			return fmt.Errorf("unknown attribute %q", field)
		}
	}
	return nil
}

func parseFlags(text string) (f Flags, err error) {
	if text == "-" {
		return 0, nil
	}
	for _, w := range strings.Split(text, "|") {
		if i := slices.Index(flagNames, w); i >= 0 {
			f |= 1 << i
		} else if n, err := strconv.ParseUint(w, 10, 8); err == nil {
			f |= Flags(n)
		} else {
			return 0, fmt.Errorf("unknown flag %q", w)
		}
	}
	return f, nil
}

// ParseGrammarText is the reverse of FormatGrammar.
func ParseGrammarText(text string) (*Grammar, error) {
	g := &Grammar{}
	if body, tail, ok := strings.Cut(text, "tail="); ok {
		n, err := strconv.Atoi(strings.TrimSpace(tail))
		if err != nil {
			return nil, err
		}
		g.Tail, text = n, body
	}
	for _, rule := range strings.Split(text, "|") {
		var body []Symbol
		for _, f := range strings.Fields(rule) {
			s, err := parseSymbol(f)
			if err != nil {
				return nil, err
			}
			body = append(body, s)
		}
		g.Rules = append(g.Rules, body)
	}
	return g, g.Validate(-1)
}

func parseSymbol(f string) (Symbol, error) {
	id, count, hasCount := strings.Cut(f, "*")
	s := Symbol{Count: 1}
	id, isRule := strings.CutPrefix(id, "R")
	n, err := strconv.ParseUint(id, 10, 31)
	if err != nil {
		return s, err
	}
	if s.ID = uint32(n); isRule {
		s.ID |= grammar.RuleBit
	}
	if hasCount {
		s.Count, err = strconv.ParseUint(count, 10, 64)
	}
	return s, err
}

// maxTextRun bounds what one run in the text of a column stands for.
const maxTextRun = 1 << 32

func parseColumnText(text string) ([]byte, error) {
	if h, ok := strings.CutPrefix(text, "hex"); ok {
		return hex.DecodeString(strings.TrimSpace(h))
	}
	b := column.NewBuilder()
	for _, f := range strings.Fields(text) {
		v, step, n, err := parseRun(f)
		if err != nil {
			return nil, err
		}
		for range n {
			b.Append(v)
			v += step
		}
	}
	return b.Encode(nil), nil
}

func parseRun(f string) (v, step, n int64, err error) {
	n = 1
	value, count, repeated := strings.Cut(f, "*")
	var first, by string
	var stepped bool
	if !repeated {
		first, by, stepped = strings.Cut(value, ":")
		if stepped {
			by, count, stepped = strings.Cut(by, ":")
			if !stepped {
				return 0, 0, 0, fmt.Errorf("bad run %q", f)
			}
			if step, err = strconv.ParseInt(by, 10, 64); err != nil {
				return 0, 0, 0, err
			}
			value = first
		}
	}
	if repeated || stepped {
		if n, err = strconv.ParseInt(count, 10, 64); err != nil {
			return 0, 0, 0, err
		}
		if n < 0 || n > maxTextRun {
			return 0, 0, 0, fmt.Errorf("run of %d values", n)
		}
	}
	v, err = strconv.ParseInt(value, 10, 64)
	return v, step, n, err
}

func parseTimingText(text string) ([]byte, error) {
	if h, ok := strings.CutPrefix(text, "hex"); ok {
		return hex.DecodeString(strings.TrimSpace(h))
	}
	b := column.NewTimingBuilder()
	for _, f := range strings.Fields(text) {
		start, dur, _ := strings.Cut(f, "+")
		s, err1 := strconv.ParseUint(start, 10, 64)
		d, err2 := strconv.ParseUint(dur, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		b.Append(s, s+d) // wraps around for ends before the start, which are broken but have a text
	}
	return b.Encode(nil), nil
}

// write writes the archive. The lengths of columns and timings are those of
// the blobs that were made of the text.
func (p *textParser) write(w io.Writer) error {
	blobs := map[uint32][]string{}
	for _, s := range p.sections {
		if s.typ == secColumns || s.typ == secTiming {
			blobs[s.typ] = append(blobs[s.typ], s.blobs...)
		}
	}
	cw, err := container.NewWriter(w)
	if err != nil {
		return err
	}
	for _, s := range p.sections {
		switch {
		case s.raw != nil || s.typ > secTiming:
			err = cw.Add(s.typ, s.optional, s.version, s.raw)
		case s.typ == secColumns || s.typ == secTiming:
			err = addBlocks(cw, s.typ, s.blobs)
		default:
			err = cw.Add(s.typ, s.optional, s.version, s.content(blobs))
		}
		if err != nil {
			return err
		}
	}
	return cw.Close()
}

func (s *textSection) content(blobs map[uint32][]string) (out []byte) {
	for _, part := range s.parts {
		e := encoder{out}
		e.uint(partType(part.id, part.optional))
		e.uint(part.version)
		e.bytes(string(part.content(s.typ, blobs)))
		out = e.b
	}
	return out
}

func (part *textPart) content(section uint32, blobs map[uint32][]string) []byte {
	if part.isRaw || part.schema == nil {
		return part.raw
	}
	if part.table == nil {
		return (&pool{items: part.pool}).part()
	}
	if section == secStructure && (part.id == partColumns || part.id == partTimings) {
		lengths := blobs[secColumns]
		if part.id == partTimings {
			lengths = blobs[secTiming]
		}
		part.table = newTable(part.id, section)
		for _, b := range lengths {
			part.table.add(int64(len(b)))
		}
	}
	return part.table.part(part.schema)
}
