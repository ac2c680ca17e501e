package archive

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// Cost is what some bytes of an archive are for.
type Cost struct {
	// Section is the section that the bytes are in.
	Section string
	// Kind is what they are: "templates", "grammars", "rank sets", "values", "columns", ...
	Kind string
	// Name is which of them: a function or a parameter, empty for all.
	Name string
	// Count is the number of items: of templates, of classes that have the value.
	Count int
	// Bytes is their number before compression; Stored is the same share of
	// the section as stored, an estimate.
	Bytes  int64
	Stored float64
}

// Kinds of costs of the fields of a class; those of values and columns are found by their names.
var classKinds = map[string]string{
	"group": "classes", "thread": "classes", "ranks": "rank sets", "terminals": "terminals", "grammar": "grammars",
	"trips": "trip counts", "calls": "numbers of calls", "texts": "strings of columns", "timing": "timing references",
}

// withinField has the names of fields that belong to the one before them.
var withinField = map[string]bool{
	"of":       true,
	"form":     true,
	"segments": true,
	"segment":  true,
	"value":    true,
	"blob":     true,
	"strings":  true,
	"string":   true,
	"times":    true,
}

// Costs says what the bytes of the meta, structure and columns sections are for, the dearest first.
// It decodes all classes.
func (a *Archive) Costs() ([]Cost, error) {
	c := &costs{a: a, of: map[Cost]*Cost{}}
	for _, p := range a.stats.Parts {
		switch p.Name {
		case "templates", "classes":
		case "heads", "shapes":
			c.add("structure", "templates", "all: "+p.Name, 1, p.Bytes)
		case "bodies":
			c.add("structure", "grammars", "shared rules", a.items.bodies.len(), p.Bytes)
		case "sequences":
			c.add("structure", "grammars", "sequences", 1, p.Bytes)
		case "columns", "timings":
			c.add(p.Section, "lengths of "+p.Name, "", 1, p.Bytes)
		default:
			c.add(p.Section, p.Name, "", 1, p.Bytes)
		}
	}
	for i := range a.templates {
		t, err := a.template(i)
		if err != nil {
			return nil, err
		}
		c.add("structure", "templates", spec.ByID(t.Func).Name, 1, int64(len(a.items.templates.at(i))))
	}
	for i := range a.classes {
		if err := c.class(i); err != nil {
			return nil, named(err, a.file)
		}
	}
	if err := c.bundles(); err != nil {
		return nil, err
	}
	return c.list(), nil
}

type costs struct {
	a    *Archive
	of   map[Cost]*Cost  // by section, kind and name
	seen map[uint32]bool // columns
}

func (c *costs) add(section, kind, name string, count int, bytes int64) {
	k := Cost{Section: section, Kind: kind, Name: name}
	if c.of[k] == nil {
		x := k
		c.of[k] = &x
	}
	c.of[k].Count += count
	c.of[k].Bytes += bytes
}

func (c *costs) class(i int) error {
	w := &costWalker{decWalker: c.a.classWalker(i), at: map[string]int{}}
	d := &ClassData{}
	walkClass(w, d, c.a.context)
	if err := w.end(); err != nil {
		return within(err, "class %d", i)
	}
	for name, bytes := range w.at {
		kind, ok := classKinds[name]
		if ok {
			name = ""
		} else if kind = "values"; w.cases[name] {
			kind = "columns"
		}
		c.add("structure", kind, name, 1, int64(bytes))
	}
	return c.columns(d)
}

// columns adds the encoded columns that are used here first.
func (c *costs) columns(d *ClassData) error {
	if c.seen == nil {
		c.seen = map[uint32]bool{}
	}
	k := 0
	for _, id := range d.Terminals {
		t, err := c.a.template(id)
		if err != nil {
			return err
		}
		for _, s := range t.Columns() {
			for i := range d.Columns[k].Values {
				b := d.Columns[k].Values[i].Blob
				if b < 0 || d.Columns[k].Values[i].Clock || c.seen[uint32(b)] || c.a.bundled(b) {
					continue
				}
				c.seen[uint32(b)] = true
				n := c.a.columns.ends[b]
				if b > 0 {
					n -= c.a.columns.ends[b-1]
				}
				c.add("columns", "columns", columnName(t, &s), 1, n)
			}
			k++
		}
	}
	return nil
}

// list sorts the costs and estimates what they take as stored.
func (c *costs) list() []Cost {
	raw := map[string]int64{}
	for _, x := range c.of {
		raw[x.Section] += x.Bytes
	}
	st := c.a.stats
	stored := map[string]int64{"meta": st.Meta, "structure": st.Structure, "columns": st.Columns}
	var out []Cost
	for _, x := range c.of {
		x.Stored = float64(stored[x.Section]) * float64(x.Bytes) / float64(max(raw[x.Section], 1))
		out = append(out, *x)
	}
	slices.SortFunc(out, func(x, y Cost) int {
		return cmp.Or(
			cmp.Compare(y.Stored, x.Stored),
			cmp.Compare(fmt.Sprint(x.Section, x.Kind, x.Name), fmt.Sprint(y.Section, y.Kind, y.Name)),
		)
	})
	return out
}

// costWalker reads a class and counts the bytes of each field.
type costWalker struct {
	*decWalker
	name  string
	from  int
	at    map[string]int
	cases map[string]bool // fields that are cases
}

// took counts what was read since the last time.
func (w *costWalker) took(name string) {
	if !withinField[name] {
		w.name = name
	}
	w.at[w.name] += w.Pos - w.from
	w.from = w.Pos
}

func (w *costWalker) num(name string, v *int, max int) {
	w.decWalker.num(name, v, max)
	if _, known := classKinds[name]; !known && !withinField[name] { // heads of columns
		w.isCases(name)
	}
	w.took(name)
}

func (w *costWalker) sized(name string, v *int64, size int) {
	w.decWalker.sized(name, v, size)
	w.took(name)
}

func (w *costWalker) str(name string, v *string) {
	w.decWalker.str(name, v)
	w.took(name)
}
func (w *costWalker) count(name string, n int) int {
	n = w.decWalker.count(name, n)
	w.isCases(name)
	w.took(name)
	return n
}

func (w *costWalker) isCases(name string) {
	if w.cases == nil {
		w.cases = map[string]bool{}
	}
	w.cases[name] = true
}
func (w *costWalker) set(name string, ctx *rankfunc.Context, v **RankSet, in *RankSet) {
	w.decWalker.set(name, ctx, v, in)
	w.took(name)
}
func (w *costWalker) fn(name string, ctx *rankfunc.Context, ranks *RankSet, v **RankFunc) {
	w.decWalker.fn(name, ctx, ranks, v)
	w.took(name)
}
func (w *costWalker) vec(name string, ctx *rankfunc.Context, ranks *RankSet, v **RankVec) {
	w.decWalker.vec(name, ctx, ranks, v)
	w.took(name)
}
func (w *costWalker) params(name string, ctx *rankfunc.Context, ranks *RankSet, ps []*Param, bases *[]*Base) {
	w.decWalker.params(name, ctx, ranks, ps, bases)
	w.took(name)
}
func (w *costWalker) ids(name string, v *[]int, n int) {
	w.decWalker.ids(name, v, n)
	w.took(name)
}
func (w *costWalker) ref(name string, v *int, n int, none bool) {
	w.decWalker.ref(name, v, n, none)
	w.took(name)
}
func (w *costWalker) grammar(name string, size int, v **Grammar) {
	w.decWalker.grammar(name, size, v)
	w.took(name)
}
