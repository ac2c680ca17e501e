package proxy

import (
	"fmt"
	"strconv"
	"strings"

	"tabard/internal/rerun"
	"tabard/trace"
)

// text is a string.
func (k *call) text(p *rerun.Param, v *value) string {
	if p.Name == "filename" {
		return k.fileName(p, v)
	}
	return k.textOf(p, v, cString)
}

// textOf is a string; quote writes it in C.
func (k *call) textOf(p *rerun.Param, v *value, quote func(string) string) string {
	switch {
	case v.kind == trace.Hole:
		if len(k.columnsOf(v.at)) == 0 {
			return `""`
		}
		return k.textColumn(p, v, quote)
	case v.kind != trace.Str:
		return "NULL"
	case v.strs == nil:
		return quote(v.str)
	}
	return k.g.choose(k.c.Ranks(), p.Name, "const char *", func(r int) string {
		i := v.strs.Index(k.c.Ranks(), r)
		if i < 0 {
			return `""`
		}
		return quote(v.strs.Values[i])
	})
}

// textColumn is a string that differs from call to call.
func (k *call) textColumn(p *rerun.Param, v *value, quote func(string) string) string {
	numbers := map[string]int64{}
	var texts []string
	col := k.g.columnBy(k.c, k.t.id, v.at, 0, p.Name, func(rank int, i int64) int64 { // strings are numbered by stream
		text, err := k.c.Stream(rank).String(i)
		k.g.fail(err)
		if n, ok := numbers[text]; ok {
			return n
		}
		n := int64(len(texts))
		numbers[text] = n
		texts = append(texts, quote(text))
		return n
	})
	if len(texts) == 0 {
		return `""`
	}
	return fmt.Sprintf("(const char *[]){%s}[next(&%s)]", strings.Join(texts, ", "), col)
}

func (k *call) texts(v *value) string {
	if v == nil || v.kind != trace.List {
		return "NULL"
	}
	var parts []string
	for i := range v.list {
		parts = append(parts, cString(v.list[i].str))
	}
	return fmt.Sprintf("(char *[]){%s}", strings.Join(append(parts, "NULL"), ", "))
}

// status is room for statuses.
func (k *call) status(p *rerun.Param, v *value) string {
	ignore := map[bool]string{true: "MPI_STATUSES_IGNORE", false: "MPI_STATUS_IGNORE"}[p.Role == rerun.StatusesOut]
	if v == nil || v.kind == trace.Absent || v.ignored {
		return ignore
	}
	if p.Role == rerun.StatusOut {
		k.g.statuses = max(k.g.statuses, 1)
		return "&status[0]"
	}
	n := max(k.roomFor(p), 1)
	if n > 1<<12 {
		return fmt.Sprintf("room(%d * sizeof(MPI_Status))", n)
	}
	k.g.statuses = max(k.g.statuses, n)
	return "status"
}

// cString is a string literal.
func cString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '?': // trigraphs
			b.WriteString("\\?")
		case c < ' ' || c >= 0x7f:
			b.WriteString(`\` + fmt.Sprintf("%03s", strconv.FormatInt(int64(c), 8)))
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}
