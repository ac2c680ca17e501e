package infer

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// withoutIgnored is a recording without the statuses that the program ignored
// (archive.Value.Ignored): which messages wildcards take in a job of another size nobody knows, and
// the program does not ask.
func withoutIgnored(c *archive.Content) *archive.Content {
	ignores := func(t *archive.Template) bool {
		return slices.ContainsFunc(t.Slots, func(v archive.Value) bool { return v.Ignored })
	}
	if !slices.ContainsFunc(c.Templates, ignores) {
		return c
	}
	out := *c
	out.Templates = slices.Clone(c.Templates)
	for i, t := range out.Templates {
		if !ignores(t) {
			continue
		}
		x := *t
		x.Slots = slices.Clone(t.Slots)
		for s := range x.Slots {
			if x.Slots[s].Ignored {
				x.Slots[s] = archive.Value{}
			}
		}
		out.Templates[i] = &x
	}
	out.Classes = slices.Clone(c.Classes)
	for i, d := range out.Classes {
		x := *d
		x.Columns = nil
		from := 0
		for _, id := range d.Terminals {
			t := c.Templates[id]
			for k, s := range t.Columns() {
				if s.Slot < 0 || !t.Slots[s.Slot].Ignored {
					x.Columns = append(x.Columns, d.Columns[from+k])
				}
			}
			from += len(t.Columns())
		}
		out.Classes[i] = &x
	}
	return &out
}
