package proxy

import "fmt"

// mostSetup is how many columns get their values by a statement each.
const mostSetup = 100

// A columnSetup is a column that gets its values where a condition holds.
type columnSetup struct{ condition, column, table string }

// setColumn gives a column, which is not declared yet, its values at ranks: a statement of the function start, and a row of a table if there are many.
func (g *generator) setColumn(name string, values []columnSetup) {
	many := len(g.columns) > mostSetup
	if many && len(values) == 1 && values[0].condition == "1" {
		fmt.Fprintf(&g.variables, "static struct column %s = {.code = %s};\n", name, values[0].table)
		return
	}
	fmt.Fprintf(&g.variables, "static struct column %s;\n", name)
	for _, v := range values {
		switch {
		case many:
			g.columnSetups = append(g.columnSetups, v)
		case v.condition == "1":
			fmt.Fprintf(&g.setup, "    %s.code = %s;\n", name, v.table)
		default:
			fmt.Fprintf(&g.setup, "    if (%s) %s.code = %s;\n", v.condition, name, v.table)
		}
	}
}

// setColumns writes the tables of columns, one for each condition.
func (g *generator) setColumns() {
	rows := map[string][]columnSetup{}
	var conditions []string
	for _, v := range g.columnSetups {
		if rows[v.condition] == nil {
			conditions = append(conditions, v.condition)
		}
		rows[v.condition] = append(rows[v.condition], v)
	}
	for _, c := range conditions {
		if len(rows[c]) == 1 {
			fmt.Fprintf(&g.setup, "    if (%s) %s.code = %s;\n", c, rows[c][0].column, rows[c][0].table)
			continue
		}
		name := g.unique("columns")
		fmt.Fprintf(&g.variables, "static const struct { struct column *column; const long *code; } %s[] = {\n", name)
		line := "   "
		for i, v := range rows[c] {
			s := fmt.Sprintf(" {&%s, %s}", v.column, v.table)
			if i < len(rows[c])-1 {
				s += ","
			}
			if len(line)+len(s) > lineLength {
				g.variables.WriteString(line + "\n")
				line = "   "
			}
			line += s
		}
		fmt.Fprintf(&g.variables, "%s};\n", line)
		fmt.Fprintf(&g.setup, "    for (int i = 0; i < (%s ? %d : 0); i++) %s[i].column->code = %s[i].code;\n", operand(c), len(rows[c]), name, name)
	}
}
