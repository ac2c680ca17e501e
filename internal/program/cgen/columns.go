package cgen

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// columnKey says which column it is; class is that of the generator.
type columnKey struct {
	class       int
	term        uint32
	slot, field int
}

// column is the address of a variable of type struct column with the values of a column. change may
// be nil.
func (g *generator) column(c *class, t uint32, slot, field int, hint string, change func(int64) int64) *cc.Expr {
	if change == nil {
		return g.columnBy(c, t, slot, field, hint, nil)
	}
	return g.columnBy(c, t, slot, field, hint, func(_ int, v int64) int64 { return change(v) })
}

// columnBy is column with a change that depends on the rank.
func (g *generator) columnBy(c *class, t uint32, slot, field int, hint string,
	change func(rank int, v int64) int64) *cc.Expr {
	return g.columnOf(c, columnKey{c.Index, t, slot, field}, hint, func(r int) []int64 {
		vals, err := c.Values(program.Column{Terminal: t, Slot: slot, Field: field, Rank: r})
		g.fail(err)
		if change != nil {
			vals = slices.Clone(vals)
			for i := range vals {
				vals[i] = change(r, vals[i])
			}
		}
		return vals
	})
}

// columnOf is the address of a variable of type struct column with these values at each rank of a
// class.
func (g *generator) columnOf(c *class, k columnKey, hint string, values func(rank int) []int64) *cc.Expr {
	if column := g.columns[k]; column != nil {
		return column
	}
	column := cc.Column(g.unique(hint), hint)
	g.columns[k] = column
	var parts []choice
	at := map[string]int{}
	for r := range c.Ranks().All() {
		if g.err != nil {
			break
		}
		vals := values(r)
		code := g.constants(column.Text, compact(vals))
		i, ok := at[code.Text]
		if !ok {
			i = len(parts)
			at[code.Text] = i
			parts = append(parts, choice{e: code})
		}
		parts[i].ranks = append(parts[i].ranks, r)
	}
	where := g.condition(c.Ranks(), g.all)
	setups := make([]columnSetup, 0, len(parts))
	for i := range parts {
		cond := where
		if len(parts) > 1 {
			cond = g.condition(rankfunc.NewSet(parts[i].ranks), g.all)
		}
		setups = append(setups, columnSetup{cond, column.Text, parts[i].e.Text})
	}
	g.setColumn(column.Text, setups)
	g.need("next")
	return column
}

// compact is a sequence as code for next(): a count of values and a step, then the first value;
// after the step "literal" come that many values. At its end the sequence begins again, so that
// values that repeat are there once.
func compact(vals []int64) []int64 {
	if n := period(vals); n < len(vals) {
		vals = vals[:n]
	}
	var out []int64
	for i := 0; i < len(vals); {
		n := affine(vals[i:])
		if n >= 3 || n == len(vals)-i {
			step := int64(0)
			if n > 1 {
				step = vals[i+1] - vals[i]
			}
			out = append(out, int64(n), step, vals[i])
			i += n
			continue
		}
		j := i
		for j < len(vals) && affine(vals[j:]) < 4 {
			j++
		}
		out = append(out, -int64(j-i))
		out = append(out, vals[i:j]...)
		i = j
	}
	return append(out, 0)
}

// affine is how many values from the first on have a constant distance.
func affine(vals []int64) int {
	if len(vals) < 3 {
		return len(vals)
	}
	n := 2
	for n < len(vals) && vals[n]-vals[n-1] == vals[1]-vals[0] {
		n++
	}
	return n
}

// period is the least number of values that the sequence repeats, from the failure function of
// Knuth, Morris and Pratt.
func period(vals []int64) int {
	fail := make([]int, len(vals)+1)
	k := 0
	for i := 1; i < len(vals); i++ {
		for k > 0 && vals[i] != vals[k] {
			k = fail[k]
		}
		if vals[i] == vals[k] {
			k++
		}
		fail[i+1] = k
	}
	return len(vals) - fail[len(vals)]
}

// mostTables is how many bytes of C arrays of numbers may take in all. No compiler takes much more.
const mostTables = 100_000_000

// constants is an array of numbers.
func (g *generator) constants(hint string, vals []int64) *cc.Expr {
	text := numberLines(vals)
	if len(text) > mostTables-g.tables.Len() {
		g.fail(fmt.Errorf("what varies from call to call would take more than %d MB of C; tabard replay makes the calls "+
			"without a program", mostTables/1_000_000))
		text = ""
	}
	sum := sha256.Sum256([]byte(text))
	if table := g.arrays[sum]; table != nil {
		return table
	}
	table := cc.Table(g.unique(hint+"_table"), hint)
	g.arrays[sum] = table
	fmt.Fprintf(&g.tables, "static const long %s[] = {\n    %s};\n", table.Text, text)
	return table
}

// arrayColumns are the columns that an array is read from: its length and its elements, nil if
// there are none. change may be nil.
func (g *generator) arrayColumns(c *class, t *terminal, slot int, hint string,
	change func(int64) int64) (length, elements *cc.Expr) {
	for _, s := range t.tm.Signature.Columns() {
		if s.Slot != slot || !s.Array {
			continue
		}
		if s.Field == -1 {
			length = g.column(c, t.id, slot, -1, hint+"_count", nil)
		} else {
			elements = g.column(c, t.id, slot, s.Field, hint, change)
		}
	}
	if length == nil || elements == nil {
		return nil, nil
	}
	return cc.Call("next", length), elements
}

// numberLines is numbers as the initialiser of a table, or the begin of it if it is longer than any may be.
func numberLines(vals []int64) string {
	var b strings.Builder
	line := 0
	for i, v := range vals {
		s := literal(v, nil).String()
		if i > 0 {
			b.WriteByte(',')
			if line += len(s) + 2; line > 110 {
				b.WriteString("\n    ")
				line = 4
			} else {
				b.WriteByte(' ')
			}
		}
		if b.WriteString(s); b.Len() > mostTables {
			break
		}
	}
	return b.String()
}
