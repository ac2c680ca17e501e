package cgen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// text is a string.
func (k *oneCall) text(p *program.Param, quote func(string) *cc.Expr) *cc.Expr {
	v, ranks := k.t.slot(p.Before), k.c.Ranks()
	switch {
	case v.kind == archive.Hole:
		return k.textColumn(p, v, quote)
	case v.kind != archive.Str:
		return cc.Null
	case v.strs == nil:
		return quote(v.str)
	}
	return k.g.choose(ranks, p.Name, "const char *", func(r int) *cc.Expr {
		if i := v.strs.Index(ranks, r); i >= 0 {
			return quote(v.strs.Values[i])
		}
		return cString("")
	})
}

// textColumn is a string that differs from call to call.
func (k *oneCall) textColumn(p *program.Param, v *value, quote func(string) *cc.Expr) *cc.Expr {
	if len(k.columnsOf(v.at)) == 0 {
		return cString("")
	}
	numbers := map[string]int64{}
	var texts []*cc.Expr
	// Strings are numbered by stream.
	col := k.g.columnBy(k.c, k.t.id, v.at, 0, p.Name, func(rank int, i int64) int64 {
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
		return cString("")
	}
	return cc.Index(cc.List("const char *[]", texts...), cc.Call("next", col))
}

// texts is a list of strings.
func texts(v *archive.Value) *cc.Expr {
	if v == nil || v.Kind != archive.List {
		return cc.Null
	}
	var parts []*cc.Expr
	for i := range v.List {
		parts = append(parts, cString(v.List[i].Str))
	}
	return cc.List("char *[]", append(parts, cc.Null)...)
}

// cString is a string literal.
func cString(s string) *cc.Expr { return cc.Name(quoted(s)) }

// quoted is the text of a string literal.
func quoted(s string) string {
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
