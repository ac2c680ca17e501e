package proxy

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"tabard/spec"
)

// Calls of lists that differ in their numbers only, or in the tables that they read, are made by one function, with a row of a table for each.

// Bounds of what calls become.
const (
	leastAlike = 4   // calls that are worth a table
	mostCases  = 250 // of a switch
	caseLines  = 12  // of a call within it
)

// A holeKind is what differs between statements.
type holeKind byte

const (
	wholeNumber holeKind = 'n'
	realNumber  holeKind = 'f'
	columnHole  holeKind = 'c' // the address of a variable of type struct column
	tableHole   holeKind = 't' // a table of numbers
)

// A fragment is text of a statement, or a hole.
type fragment struct {
	text  string // of a hole: what is in it
	kind  holeKind
	field string // what a hole may be called
}

// A kind is statements that are alike.
type kind struct {
	calls  []int
	pieces [][]fragment // of each call; nil if there is one statement only
	hint   string
}

// writeCalls writes the function that makes the calls. It returns the number of each call.
func (l *lists) writeCalls() (number []int) {
	kinds := l.group()
	number = make([]int, len(l.calls))
	var of []int64
	for i, k := range kinds {
		for _, c := range k.calls {
			number[c] = len(of)
			of = append(of, int64(i))
		}
	}
	cases := make([]string, len(kinds))
	for i, k := range kinds {
		if k.pieces == nil {
			cases[i] = l.caseText(i, k)
		} else {
			cases[i] = indent(fmt.Sprintf("case %d: %s; break;", i, l.writeAlike(k, number[k.calls[0]])))
		}
	}
	b := &l.g.code
	what := "n"
	if len(kinds) < len(of) {
		what = l.kinds + "[n]"
		ctype := "unsigned char"
		if len(kinds) > math.MaxUint16 {
			ctype = "int"
		} else if len(kinds) > math.MaxUint8 {
			ctype = "unsigned short"
		}
		writeNumbers(b, ctype, l.kinds, of)
	}
	if len(cases) <= mostCases {
		fmt.Fprintf(b, "static void %s(int n)\n{\n    switch (%s) {\n%s    }\n}\n\n", l.call, what, strings.Join(cases, ""))
		return number
	}
	var chosen strings.Builder
	for from := 0; from < len(cases); from += mostCases {
		text := strings.Join(cases[from:min(from+mostCases, len(cases))], "")
		name := l.g.unique(fmt.Sprintf("%s_%d", l.call, from))
		unused := ""
		if !strings.Contains(text, "[n - ") {
			unused = "    (void)n;\n"
		}
		fmt.Fprintf(b, "static void %s(int kind, int n)\n{\n%s    switch (kind) {\n%s    }\n}\n\n", name, unused, text)
		fmt.Fprintf(&chosen, "    case %d: %s(kind, n); break;\n", from/mostCases, name)
	}
	fmt.Fprintf(b, "static void %s(int n)\n{\n    int kind = %s;\n    switch (kind / %d) {\n%s    }\n}\n\n", l.call, what, mostCases, chosen.String())
	return number
}

// caseText is a case that is a statement.
func (l *lists) caseText(i int, k *kind) string {
	x := l.calls[k.calls[0]]
	if len(x.lines) > caseLines {
		x = l.g.define(x, x.hint)
	}
	if len(x.lines) == 1 {
		return indent(fmt.Sprintf("case %d: %s break;", i, x.lines[0]))
	}
	var b strings.Builder
	b.WriteString(indent(fmt.Sprintf("case %d:", i)))
	for _, s := range x.lines {
		b.WriteString(indent("    " + s))
	}
	b.WriteString(indent("    break;"))
	return b.String()
}

// group puts statements that are alike together, in the order of their first ones.
func (l *lists) group() []*kind {
	bodies := l.tableReads()
	columns, tables := map[string]bool{}, map[string]bool{}
	for _, name := range l.g.columns {
		columns[name] = true
	}
	for _, name := range l.g.arrays {
		tables[name] = true
	}
	byKey := map[string]*kind{}
	var found []*kind
	for i, x := range l.calls {
		s := scanner{text: strings.Join(x.lines, "\n"), bodies: bodies, columns: columns, tables: tables}
		pieces, key := s.pieces()
		k := byKey[key]
		if k == nil {
			k = &kind{hint: x.hint}
			byKey[key] = k
			found = append(found, k)
		}
		k.calls, k.pieces = append(k.calls, i), append(k.pieces, pieces)
	}
	var out []*kind
	for _, k := range found {
		if len(k.calls) >= leastAlike {
			out = append(out, k)
			continue
		}
		for _, c := range k.calls {
			out = append(out, &kind{calls: []int{c}})
		}
	}
	return out
}

var tableRead = regexp.MustCompile(`^static long (\w+)\(void\)\n\{\n    return ([^;\n]{1,80});\n\}\n\n$`)

// tableReads are the functions that return no more than a number from a table, with what they return.
func (l *lists) tableReads() map[string]string {
	out := map[string]string{}
	for _, f := range l.g.values {
		if m := tableRead.FindStringSubmatch(f.text); m != nil && strings.Contains(m[2], "_table") && !strings.Contains(m[2], "()") {
			out[m[1]+"()"] = "(" + m[2] + ")"
		}
	}
	return out
}

// writeAlike writes the table and the function of calls that are alike, the first of which has number n, and returns the statement that makes one.
func (l *lists) writeAlike(k *kind, n int) string {
	b := &l.g.code
	name := l.g.unique(orElse(k.hint, "calls"))
	rows := l.g.unique(name + "_rows")
	var fields []field
	used := map[string]bool{}
	text := strings.Builder{}
	for h, p := range k.pieces[0] {
		if p.kind == 0 {
			text.WriteString(p.text)
			continue
		}
		f := fieldOf(k, h)
		if f.same {
			text.WriteString(p.text)
			continue
		}
		i := 0
		for i < len(fields) && !(fields[i].ctype == f.ctype && equalHoles(k, fields[i].hole, h)) {
			i++
		}
		if i == len(fields) {
			f.name = p.field
			for n := 2; used[f.name]; n++ {
				f.name = fmt.Sprintf("%s%d", p.field, n)
			}
			used[f.name] = true
			fields = append(fields, f)
		}
		text.WriteString("row->" + fields[i].name)
	}
	fmt.Fprintf(b, "static const struct %s {%s } %s[] = {\n", name, memberList(fields), rows)
	line := "   "
	for i := range k.calls {
		var vals []string
		for _, f := range fields {
			vals = append(vals, k.pieces[i][f.hole].text)
		}
		s := " {" + strings.Join(vals, ", ") + "}"
		if i < len(k.calls)-1 {
			s += ","
		}
		if len(line)+len(s) > lineLength {
			b.WriteString(line + "\n")
			line = "   "
		}
		line += s
	}
	fmt.Fprintf(b, "%s};\nstatic void %s(const struct %s *row)\n{\n", line, name, name)
	for _, s := range strings.Split(text.String(), "\n") {
		b.WriteString(indent(s))
	}
	b.WriteString("}\n\n")
	return fmt.Sprintf("%s(&%s[n - %d])", name, rows, n)
}

// A field is a member of the rows of calls that are alike.
type field struct {
	hole        int
	name, ctype string
	same        bool // in all of them
}

// fieldOf says what a hole needs.
func fieldOf(k *kind, hole int) field {
	f := field{hole: hole, same: true, ctype: "int"}
	switch k.pieces[0][hole].kind {
	case realNumber:
		f.ctype = "double"
	case columnHole:
		f.ctype = "struct column *"
	case tableHole:
		f.ctype = "const long *"
	}
	for _, p := range k.pieces {
		text := p[hole].text
		f.same = f.same && text == k.pieces[0][hole].text
		if strings.HasSuffix(text, "L") && p[hole].kind == wholeNumber {
			f.ctype = "long"
		}
	}
	return f
}

func equalHoles(k *kind, a, b int) bool {
	for _, p := range k.pieces {
		if p[a].text != p[b].text {
			return false
		}
	}
	return true
}

// memberList is the declaration of fields, those of one type together if they follow each other.
func memberList(fields []field) string {
	var b strings.Builder
	for i, f := range fields {
		switch {
		case i > 0 && fields[i-1].ctype == f.ctype && !strings.HasSuffix(f.ctype, "*"):
			b.WriteString(", " + f.name)
		case strings.HasSuffix(f.ctype, "*"):
			b.WriteString(semicolon(i) + " " + f.ctype + f.name)
		default:
			b.WriteString(semicolon(i) + " " + f.ctype + " " + f.name)
		}
	}
	return b.String() + ";"
}

func semicolon(i int) string {
	if i > 0 {
		return ";"
	}
	return ""
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// A scanner takes a statement to pieces.
type scanner struct {
	text            string
	bodies          map[string]string // what functions return
	columns, tables map[string]bool

	out    []fragment
	plain  strings.Builder
	key    strings.Builder
	frames []frame
	last   string // the identifier just before
}

// A frame is an open parenthesis.
type frame struct {
	name string // what is before it
	at   int    // how many commas there were
	call bool
}

func (s *scanner) pieces() ([]fragment, string) {
	for i := 0; i < len(s.text); {
		i = s.token(i)
	}
	s.flush()
	return s.out, s.key.String()
}

func (s *scanner) flush() {
	if s.plain.Len() > 0 {
		s.out = append(s.out, fragment{text: s.plain.String()})
		s.key.WriteString(s.plain.String())
		s.plain.Reset()
	}
}

func (s *scanner) hole(text string, kind holeKind, field string) {
	s.flush()
	s.out = append(s.out, fragment{text, kind, field})
	s.key.WriteByte(0)
	s.key.WriteByte(byte(kind))
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// token takes in what is at i and returns where it ends.
func (s *scanner) token(i int) int {
	c := s.text[i]
	j := i + 1
	switch {
	case c == '"':
		for j < len(s.text) && s.text[j] != '"' {
			if s.text[j] == '\\' {
				j++
			}
			j++
		}
		j = min(j+1, len(s.text))
	case isLetter(c):
		for j < len(s.text) && (isLetter(s.text[j]) || isDigit(s.text[j])) {
			j++
		}
		return s.word(i, j)
	case isDigit(c):
		return s.number(i)
	case c == '(' || c == '[' || c == '{':
		s.frames = append(s.frames, frame{name: s.last, call: c == '('})
	case (c == ')' || c == ']' || c == '}') && len(s.frames) > 0:
		s.frames = s.frames[:len(s.frames)-1]
	case c == ',' && len(s.frames) > 0:
		s.frames[len(s.frames)-1].at++
	}
	s.last = ""
	s.plain.WriteString(s.text[i:j])
	return j
}

var numbered = regexp.MustCompile(`(_table)?(_\d+)?$`)

// word takes in an identifier.
func (s *scanner) word(i, j int) int {
	name := s.text[i:j]
	s.last = name
	switch plain := s.plain.String(); {
	case s.tables[name]:
		s.hole(name, tableHole, member(numbered.ReplaceAllString(name, "")))
	case s.columns[name] && strings.HasSuffix(plain, "&") && !strings.HasSuffix(plain, "&&"):
		s.plain.Reset()
		s.plain.WriteString(strings.TrimSuffix(plain, "&"))
		s.hole("&"+name, columnHole, member(numbered.ReplaceAllString(name, "")))
	case strings.HasPrefix(s.text[j:], "()") && s.bodies[name+"()"] != "":
		inner := scanner{text: s.bodies[name+"()"], columns: s.columns, tables: s.tables}
		inner.plain, s.plain = strings.Builder{}, strings.Builder{}
		inner.plain.WriteString(plain)
		pieces, key := inner.pieces()
		s.out = append(s.out, pieces...)
		s.key.WriteString(key)
		return j + 2
	default:
		s.plain.WriteString(name)
	}
	return j
}

// number takes in a number.
func (s *scanner) number(i int) int {
	j, kind := i, wholeNumber
	for j < len(s.text) && isDigit(s.text[j]) {
		j++
	}
	if j < len(s.text) && (s.text[j] == 'x' || s.text[j] == 'X') {
		for j < len(s.text) && (isLetter(s.text[j]) || isDigit(s.text[j])) {
			j++
		}
		s.plain.WriteString(s.text[i:j])
		return j
	}
	for j < len(s.text) && (isDigit(s.text[j]) || s.text[j] == '.' || s.text[j] == 'e' || (s.text[j] == '-' || s.text[j] == '+') && s.text[j-1] == 'e') {
		j++
		kind = realNumber
	}
	if j < len(s.text) && s.text[j] == 'L' {
		j++
	}
	before := s.plain.String()
	if strings.HasSuffix(before, "[") && (strings.HasSuffix(before, "][") || strings.HasPrefix(s.text[j:], "]){")) { // of a type
		s.plain.WriteString(s.text[i:j])
		return j
	}
	sign := ""
	if rest := strings.TrimSuffix(before, "-"); rest != before {
		if bare := strings.TrimRight(rest, " "); bare != "" && strings.ContainsRune("(,[{=?:", rune(bare[len(bare)-1])) {
			sign, before = "-", rest
			s.plain.Reset()
			s.plain.WriteString(rest)
		}
	}
	field := s.field(before)
	s.hole(sign+s.text[i:j], kind, field)
	return j
}

// field is what a number is called by its place.
func (s *scanner) field(before string) string {
	if before = strings.TrimRight(before, " "); strings.HasSuffix(before, " +") || strings.HasSuffix(before, " -") {
		return "offset"
	}
	for k := len(s.frames) - 1; k >= 0; k-- {
		f := s.frames[k]
		switch {
		case !f.call && (f.name == "heap" || f.name == "own"):
			return "block"
		case !f.call && f.name != "":
			return member(f.name)
		case f.call && f.name == "keep":
			return "kept"
		case f.call && f.name == "compute":
			return "seconds"
		case f.call && strings.HasPrefix(f.name, "MPI_"):
			if fn := spec.ByName(f.name); fn != nil && f.at < len(fn.Params) {
				return member(fn.Params[f.at].Name)
			}
			return "number"
		}
	}
	return "number"
}

// member is a name for a member of a structure.
func member(name string) string {
	if name == "" || keyword[name] {
		return name + "_"
	}
	return name
}

var keyword = func() map[string]bool {
	out := map[string]bool{}
	for _, s := range strings.Fields(`auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while`) {
		out[s] = true
	}
	return out
}()

// numberLines is numbers as the initialiser of a table.
func numberLines(vals []int64) string {
	var b strings.Builder
	line := 0
	for i, v := range vals {
		s := literal(v, nil)
		if i > 0 {
			b.WriteByte(',')
			if line += len(s) + 2; line > 110 {
				b.WriteString("\n    ")
				line = 4
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteString(s)
	}
	return b.String()
}
