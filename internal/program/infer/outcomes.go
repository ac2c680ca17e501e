package infer

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// chance tells whether a value of a call is an outcome of which nobody knows what it is in a job of
// another size: what a clock shows, or a status that the program ignored (archive.Value.Ignored),
// as wildcards may take any message and the program does not ask which.
func chance(t *archive.Template, slot int) bool {
	return t.Slots[slot].Ignored || spec.ByID(t.Func).Clock(slot)
}

// withoutChance is a recording without outcomes of chance.
func withoutChance(c *archive.Content) *archive.Content {
	cuts := make([]*cut, len(c.Templates))
	out := *c
	out.Templates = slices.Clone(c.Templates)
	for i, t := range c.Templates {
		if cuts[i] = cutOf(t); cuts[i] != nil {
			out.Templates[i] = cuts[i].template(t)
		}
	}
	if !slices.ContainsFunc(cuts, func(l *cut) bool { return l != nil }) {
		return c
	}
	out.Classes = slices.Clone(c.Classes)
	for i, d := range out.Classes {
		x := *d
		x.Columns, x.Params = nil, slices.Clone(d.Params)
		from := 0
		for t, id := range d.Terminals {
			columns := c.Templates[id].Columns()
			for k, s := range columns {
				if l := cuts[id]; l == nil || s.Slot < 0 || !l.slots[s.Slot] {
					x.Columns = append(x.Columns, d.Columns[from+k])
				}
			}
			from += len(columns)
			if cuts[id] != nil {
				x.Params[t] = cuts[id].params(d.Params[t])
			}
		}
		out.Classes[i] = &x
	}
	return &out
}

// cut is what a template loses: slots, and which of its leaves are in them.
type cut struct {
	slots  []bool
	leaves []bool
	open   []bool // of the template
}

// cutOf is what a template loses, nil for nothing.
func cutOf(t *archive.Template) *cut {
	var c *cut
	for s := range t.Slots {
		if !chance(t, s) || t.Slots[s].Kind == archive.Absent {
			continue
		}
		if c == nil {
			c = &cut{slots: make([]bool, len(t.Slots)), open: t.Open}
		}
		c.slots[s] = true
	}
	if c != nil {
		for _, l := range archive.Leaves(nil, &t.Signature) {
			c.leaves = append(c.leaves, c.slots[l.Slot()])
		}
	}
	return c
}

func (c *cut) template(t *archive.Template) *archive.Template {
	x := *t
	x.Slots, x.Open = slices.Clone(t.Slots), nil
	for s := range x.Slots {
		if c.slots[s] {
			x.Slots[s] = archive.Value{}
		}
	}
	for i, gone := range c.leaves {
		if !gone {
			x.Open = append(x.Open, t.Open[i])
		}
	}
	return &x
}

// params are those of a terminal, of the leaves that are left.
func (c *cut) params(all []archive.Param) (out []archive.Param) {
	k := 0
	for i, gone := range c.leaves {
		if !c.open[i] {
			continue
		}
		if !gone {
			out = append(out, all[k])
		}
		k++
	}
	return out
}
