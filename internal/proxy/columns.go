package proxy

import (
	"fmt"
	"slices"

	"tabard/internal/rankfn"
)

// maxColumn is how many values of a column the program holds for a rank.
const maxColumn = 1 << 24

// columnValues are the values of a column at a rank.
func (g *generator) columnValues(c *class, t uint32, slot, field, rank int) ([]int64, error) {
	k := columnAt{columnKey{c.index, t, slot, field}, rank}
	if vals, ok := g.recent[k]; ok {
		return vals, nil
	}
	col, err := c.Stream(rank).Column(t, slot, field)
	if err != nil || col == nil {
		return nil, err
	}
	n := col.Len()
	if n > maxColumn {
		return nil, fmt.Errorf("a parameter has %d different values at rank %d: that is too much for a source file", n, rank)
	}
	vals := make([]int64, n)
	col.Read(0, vals)
	if g.recentSize += len(vals); g.recentSize > maxRecent || g.recent == nil {
		g.recent, g.recentSize = map[columnAt][]int64{}, len(vals)
	}
	g.recent[k] = vals
	return vals, nil
}

// maxRecent is how many values of columns are kept.
const maxRecent = 1 << 22

// columnAt is a column at a rank.
type columnAt struct {
	columnKey
	rank int
}

// columnKey says which column it is; class is that of the generator.
type columnKey struct {
	class       int
	term        uint32
	slot, field int
}

// column is the name of a variable of type struct column with the values of a column. change may be nil.
func (g *generator) column(c *class, t uint32, slot, field int, hint string, change func(int64) int64) string {
	if change == nil {
		return g.columnBy(c, t, slot, field, hint, nil)
	}
	return g.columnBy(c, t, slot, field, hint, func(_ int, v int64) int64 { return change(v) })
}

// columnBy is column with a change that depends on the rank.
func (g *generator) columnBy(c *class, t uint32, slot, field int, hint string, change func(rank int, v int64) int64) string {
	return g.columnOf(c, columnKey{c.index, t, slot, field}, hint, func(r int) []int64 {
		vals, err := g.columnValues(c, t, slot, field, r)
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

// columnOf is the name of a variable of type struct column with these values at each rank of a class.
func (g *generator) columnOf(c *class, k columnKey, hint string, values func(rank int) []int64) string {
	if name := g.columns[k]; name != "" {
		return name
	}
	name := g.unique(hint)
	g.columns[k] = name
	var parts []choice
	at := map[string]int{}
	for r := range c.Ranks().All() {
		if g.err != nil {
			break
		}
		vals := values(r)
		code := g.constants(name, compact(vals))
		i, ok := at[code]
		if !ok {
			i = len(parts)
			at[code] = i
			parts = append(parts, choice{text: code})
		}
		parts[i].ranks = append(parts[i].ranks, r)
	}
	where := g.condition(c.Ranks(), g.all)
	setups := make([]columnSetup, 0, len(parts))
	for i := range parts {
		cond := where
		if len(parts) > 1 {
			cond = g.condition(rankfn.NewSet(parts[i].ranks), g.all)
		}
		setups = append(setups, columnSetup{cond, name, parts[i].text})
	}
	g.setColumn(name, setups)
	g.need("next")
	return name
}

// compact is a sequence as code for next(): a count of values and a step, then the first value; the step
// "literal" has that many values. At the end it begins again: values that repeat are there once.
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

// period is the least number of values that the sequence repeats, from the failure function of Knuth, Morris and Pratt.
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

// constants is the name of an array of numbers.
func (g *generator) constants(hint string, vals []int64) string {
	text := numberLines(vals)
	if name := g.arrays[text]; name != "" {
		return name
	}
	name := g.unique(hint + "_table")
	g.arrays[text] = name
	fmt.Fprintf(&g.tables, "static const long %s[] = {\n    %s};\n", name, text)
	return name
}

// holes tells how an array in columns is read: its length and its elements.
func (g *generator) arrayColumns(c *class, t *terminal, slot int, hint string) (length, elements string) {
	for _, s := range t.tm.Signature.Columns() {
		if s.Slot == slot && s.Array {
			if s.Field == -1 {
				length = g.column(c, t.id, slot, -1, hint+"_count", nil)
			} else {
				elements = g.column(c, t.id, slot, s.Field, hint, nil)
			}
		}
	}
	return length, elements
}
