package cgen

import (
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// mostSetup is how many columns get their values by a statement each.
const mostSetup = 100

// A columnSetup is a column that gets its values where a condition holds.
type columnSetup struct {
	condition     *cc.Expr
	column, table string
}

// statement gives the column its values.
func (v *columnSetup) statement() *cc.Stmt {
	return cc.Do(cc.Assign(cc.Name(v.column+".code"), cc.Name(v.table)))
}

// setColumn gives a column, which is not declared yet, its values at ranks: a statement of the
// function start, and a row of a table if there are many.
func (g *generator) setColumn(name string, values []columnSetup) {
	many := len(g.columns) > mostSetup
	if many && len(values) == 1 && values[0].condition.IsInt(1) {
		fmt.Fprintf(&g.variables, "static struct column %s = {.code = %s};\n", name, values[0].table)
		return
	}
	fmt.Fprintf(&g.variables, "static struct column %s;\n", name)
	for _, v := range values {
		if many {
			g.columnSetups = append(g.columnSetups, v)
		} else {
			g.setup = append(g.setup, onlyIf(v.condition, v.statement()))
		}
	}
}

// setColumns writes the tables of columns, one for each condition.
func (g *generator) setColumns() {
	rows := map[string][]columnSetup{}
	var conditions []string
	for _, v := range g.columnSetups {
		c := v.condition.String()
		if rows[c] == nil {
			conditions = append(conditions, c)
		}
		rows[c] = append(rows[c], v)
	}
	for _, c := range conditions {
		list := rows[c]
		if len(list) == 1 {
			g.setup = append(g.setup, cc.If(list[0].condition, list[0].statement()))
			continue
		}
		name := g.unique("columns")
		var cells []string
		for _, v := range list {
			cells = append(cells, fmt.Sprintf("{&%s, %s}", v.column, v.table))
		}
		fmt.Fprintf(&g.variables, "static const struct { struct column *column; const long *code; } %s[] = {\n%s};\n",
			name, wrapped(cells))
		n := cc.Paren(cc.Choice(cc.Operand(list[0].condition), cc.Int(len(list)), cc.Int(0)))
		set := cc.Do(cc.Assign(cc.Name(name+"[i].column->code"), cc.Name(name+"[i].code")))
		g.setup = append(g.setup, cc.Under(cc.For("int", "i", n), set))
	}
}

// wrapped is the rows of a table, as many on a line as it holds.
func wrapped(cells []string) string {
	var b strings.Builder
	line := "   "
	for i, s := range cells {
		s = " " + s
		if i < len(cells)-1 {
			s += ","
		}
		if len(line)+len(s) > cc.LineLength {
			b.WriteString(line + "\n")
			line = "   "
		}
		line += s
	}
	return b.String() + line
}
