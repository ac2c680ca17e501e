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
	quote := func(s string) string {
		if p.Name == "filename" {
			return fmt.Sprintf("scratch_file(%s)", cString(scratchName(s)))
		}
		return cString(s)
	}
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
	byRank := func(rank int) func(int64) int64 {
		s := k.c.Stream(rank)
		return func(i int64) int64 {
			text, err := s.String(i)
			k.g.fail(err)
			if n, ok := numbers[text]; ok {
				return n
			}
			n := int64(len(texts))
			numbers[text] = n
			texts = append(texts, quote(text))
			return n
		}
	}
	// Strings are numbered by stream; those of the first rank are taken for all that share its numbers.
	first := byRank(k.c.Ranks().Min())
	col := k.g.column(k.c, k.t.id, v.at, 0, p.Name, first)
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

// callback is a neutral function.
func (k *call) callback(p *rerun.Param, v *value) string {
	object := "MPI_Comm"
	for _, s := range []struct{ part, class string }{{"Type", "MPI_Datatype"}, {"Win", "MPI_Win"}, {"File", "MPI_File"}, {"Session", "MPI_Session"}} {
		if strings.Contains(p.CType, s.part) {
			object = s.class
		}
	}
	use := func(key, name string) string {
		k.g.callbacks[strings.ReplaceAll(callbackText[key], "#", object)] = true
		return strings.ReplaceAll(name, "#", object)
	}
	switch p.Callback {
	case rerun.OpFunction:
		k.g.need("reduce")
		return "reduce"
	case rerun.OpFunctionLarge:
		k.g.need("reduce_large")
		return "reduce_large"
	case rerun.CopyAttribute:
		return use("copy", "copy_#")
	case rerun.DeleteAttribute:
		return use("delete", "delete_#")
	case rerun.ErrhandlerFunction:
		return use("handler", "handler_#")
	case rerun.GrequestQuery:
		return use("query", "query")
	case rerun.GrequestFree:
		return use("free", "free_request")
	case rerun.GrequestCancel:
		return use("cancel", "cancel")
	case rerun.DatarepExtent:
		return use("extent", "extent")
	case rerun.DatarepConversion:
		if v != nil && v.kind == trace.Addr && v.mem == trace.Literal {
			return "MPI_CONVERSION_FN_NULL"
		}
		return use("convert", "convert")
	}
	return "NULL"
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

// scratchName is the name of a file in the folder for files: without its own folder and, before that, what ROMIO takes as the kind
// of the file system, which ends with a colon.
func scratchName(path string) string {
	if kind, rest, ok := strings.Cut(path, ":"); ok && !strings.Contains(kind, "/") {
		path = rest
	}
	switch name := strings.ReplaceAll(baseName(path), ":", "_"); name {
	case "", ".", "..":
		return "file"
	default:
		return name
	}
}

func baseName(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[i+1:]
	}
	return path
}
