package cgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
	"github.com/tabard-hpc/tabard/internal/program/memory"
	"github.com/tabard-hpc/tabard/spec"
)

// program is the text of a program for any number of ranks that does what list says.
func (x *anysize) program(list []*cc.Stmt) string {
	g := x.g
	code := g.text(list...)
	values := g.values.usedBy(g.words)
	maps.Copy(g.mentioned, g.words)
	for range x.named {
		g.need("reserved")
	}
	objects := x.objectText()
	main := x.mainText(code)
	maps.Copy(g.used, g.words)
	g.used["balanced"] = slices.ContainsFunc(x.m.Grids, (*formula.Grid).Balances)

	var b strings.Builder
	b.WriteString(x.header())
	g.declare(&b, "size", x.hasArray)
	for _, name := range x.blockNames() {
		fmt.Fprintf(&b, "static char *%s;\n", name)
	}
	b.WriteString("\n" + g.local(helpers(g.used)))
	if len(x.m.Grids) > 0 {
		b.WriteString("/* The sizes of grids of ranks. */\n" + formula.Grids(x.m.Grids) + "\n")
	}
	g.writeCallbacks(&b)
	b.WriteString(objects)
	section(&b, g.tables.String())
	b.WriteString(values.String() + main)
	return b.String()
}

// hasArray tells whether the objects of a class are in an array of a known length.
func (x *anysize) hasArray(class spec.Class) bool { return !x.computed[class] }

// arraysOf are the names of the arrays of a known length of a class.
func (x *anysize) arraysOf(class spec.Class) []string {
	if !x.hasArray(class) {
		return nil
	}
	return []string{handleClasses[class].array}
}

// header is the comment at the top, and what is included.
func (x *anysize) header() string {
	h := &heading{with: ", with any number of ranks", run: "-n N", mapped: true}
	for _, a := range x.m.Assumptions {
		h.assumed = append(h.assumed, a.String())
	}
	sizes := make([]string, len(x.m.Sizes))
	for i, n := range x.m.Sizes {
		sizes[i] = fmt.Sprint(n)
	}
	h.facts = append(h.facts, fmt.Sprintf(" *   ranks      were %s\n", strings.Join(sizes, " and ")))
	h.facts = append(h.facts, fmt.Sprintf(" *   for        %s\n", clean(x.admits.String())))
	for _, grid := range x.m.Grids {
		h.facts = append(h.facts, fmt.Sprintf(" *   grid       %s\n", clean(grid.String())))
	}
	if x.g.words["grow_memory"] {
		h.defines = fmt.Sprintf("#define RANKS %d /* that were recorded, at least */\n", slices.Min(x.m.Sizes))
	}
	return x.g.header(h)
}

// objectText is the functions that find objects whose numbers are computed.
func (x *anysize) objectText() string {
	var b strings.Builder
	for class := spec.Comm; class < spec.NumClasses; class++ {
		h := handleClasses[class]
		if h.array == "" || !x.computed[class] && !x.sought[class] {
			continue
		}
		write := func(name string) {
			b.WriteString(frame(name, "T", h.ctype, "A", h.array, "N", h.null, "M", fmt.Sprint(mostObjects)))
		}
		at := x.g.words[h.array+"_at"] || x.sought[class] || class == spec.Request && x.gathers
		switch {
		case !x.computed[class]:
			write("any_fixed")
		case at:
			write("any_objects")
			write("any_at")
		default:
			write("any_objects")
		}
		if x.sought[class] {
			write("any_code")
		}
		if class == spec.Request && x.gathers {
			write("any_requests")
		}
	}
	return b.String()
}

// blockNames are the names of blocks of memory, sorted.
func (x *anysize) blockNames() []string {
	var names []string
	for k := range x.named {
		names = append(names, variable(&memory.Segment{Key: k}))
	}
	slices.Sort(names)
	return names
}

// mainText is the function main with its calls, and what it calls first.
func (x *anysize) mainText(code string) string {
	var b strings.Builder
	grids := ""
	if len(x.m.Grids) > 0 {
		var what []string
		for _, grid := range x.m.Grids {
			what = append(what, grid.String())
		}
		grids = frame("any_grids", "GIVEN", x.givenDims(), "GRIDS", quoted(strings.Join(what, ", ")))
	}
	admitted := ""
	if !x.admits.all() {
		if strings.Contains(x.admits.condition(), "is_power") {
			b.WriteString(frame("any_is_power"))
		}
		b.WriteString(frame("any_admits", "CONDITION", x.admits.condition()))
		admitted = frame("any_admitted", "SIZES", quoted(x.admits.String()))
	}
	b.WriteString(frame("any_find_rank", "ADMITTED", admitted, "GRIDS", grids))
	b.WriteString(x.g.startFiles() + "int main(int argc, char **argv)\n{\n")
	x.g.writeMainBegin(&b)
	b.WriteString("    find_rank(0);\n")
	if !x.initialises {
		b.WriteString("    if (size <= 0) rank = 0, size = 1; /* nobody started it */\n")
	}
	b.WriteString(cc.Flat(x.g.noObjects(x.arraysOf)))
	for _, name := range x.blockNames() {
		fmt.Fprintf(&b, "    %s = reserved(1);\n", name)
	}
	b.WriteString(code + "    return 0;\n}\n")
	return b.String()
}

// givenDims is the statements that set the sizes of grids that the user gave.
func (x *anysize) givenDims() string {
	out := ""
	for _, d := range x.dims {
		product := 1
		for _, n := range d {
			product *= n
		}
		for _, grid := range x.m.Grids {
			if grid.Axes != len(d) {
				continue
			}
			out += fmt.Sprintf("    if (size == %d) {\n        fits = 1;\n", product)
			for i, n := range d {
				out += fmt.Sprintf("        grid%d[%d] = %d;\n", grid.ID, i, n)
			}
			out += "    }\n"
		}
	}
	return out
}
