package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// commGroup is communicators that one creation made, or equal subtrees.
type commGroup struct {
	first *comms.Comm
	rest  []*comms.Comm
}

// commTree is all communicators.
type commTree struct {
	result   *comms.Result
	children [][]*commGroup // by communicator
}

// maxParts is how many communicators of one creation the text form lists.
const maxParts = 8

// maxDepth is how deep the tree is that the text form shows.
const maxDepth = 20

// Comms shows communicators as a tree of what was made from what.
func Comms(out io.Writer, r *comms.Result) error {
	tree := &commTree{r, make([][]*commGroup, len(r.Comms))}
	var roots []*commGroup
	for _, c := range r.Comms {
		group := &roots
		if c.Parent != nil {
			group = &tree.children[c.Parent.ID]
		}
		if last := len(*group) - 1; last >= 0 && sameCreation((*group)[last].first, c) {
			(*group)[last].rest = append((*group)[last].rest, c)
			continue
		}
		*group = append(*group, &commGroup{first: c})
	}
	w := &errWriter{w: out}
	t := render.NewTable("COMMUNICATOR", "SIZE", "MEMBERS", "MADE BY")
	for _, g := range joinEqual(roots, tree.shape) {
		tree.printGroup(t, g, 0)
	}
	if err := t.WriteText(w); err != nil {
		return err
	}
	for i, n := range r.Notes {
		if i == 0 {
			fmt.Fprintln(w)
		}
		if i == maxMissing && len(r.Notes) > maxMissing+1 {
			render.Printf(w, "and %d more notes (--json lists all)\n", len(r.Notes)-i)
			break
		}
		times := ""
		if n.Count > 1 {
			times = fmt.Sprintf(" (%s)", plural(uint64(n.Count), "time"))
		}
		render.Printf(w, "%s: %s%s\n", n.Kind, n.Text, times)
	}
	return w.err
}

// sameCreation tells whether two communicators are parts of one creation.
func sameCreation(a, b *comms.Comm) bool {
	switch a.How {
	case "split", "split_type", "cart_sub", "create":
		return a.Parent == b.Parent && a.Creation == b.Creation && a.Func == b.Func && a.Site == b.Site
	}
	return false
}

// joinEqual joins the roots of equal trees: what every process makes for itself.
func joinEqual(roots []*commGroup, shape func(*commGroup) string) []*commGroup {
	var out []*commGroup
	seen := map[string]*commGroup{}
	for _, g := range roots {
		if g.first.Members.Len() != 1 {
			out = append(out, g)
			continue
		}
		key := shape(g)
		if s := seen[key]; s != nil {
			s.rest = append(s.rest, g.first)
			continue
		}
		seen[key] = g
		out = append(out, g)
	}
	return out
}

// shape is what a tree looks like apart from its members.
func (t *commTree) shape(g *commGroup) string {
	var b strings.Builder
	type level struct {
		c     *comms.Comm
		depth int
	}
	stack := []level{{g.first, 0}}
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		render.Printf(&b, "%d %s %s\n", l.depth, l.c.Short(), made(l.c, false))
		for _, child := range t.children[l.c.ID] {
			for _, c := range append([]*comms.Comm{child.first}, child.rest...) {
				stack = append(stack, level{c, l.depth + 1})
			}
		}
	}
	return b.String()
}

// printGroup prints the communicators of a creation and what was made on them.
func (t *commTree) printGroup(w *render.Table, g *commGroup, depth int) {
	if g.first.Parent == nil && len(g.rest) > 0 {
		text := fmt.Sprintf("each of %s", t.processText(g))
		line(w, g.first, depth, text, false)
		t.printChildren(w, g.first, depth, true)
		return
	}
	all := append([]*comms.Comm{g.first}, g.rest...)
	for i, c := range all {
		if i == maxParts && len(all) > maxParts+1 {
			more := plural(uint64(len(all)-i), "more part") + " of this creation (--json lists all)"
			w.Row(strings.Repeat("  ", depth)+"...", "", "", more)
			break
		}
		line(w, c, depth, t.membersText(c), true)
		t.printChildren(w, c, depth, false)
	}
}

// printChildren prints what was made on c; without members if c stands for
// the communicators of several processes.
func (t *commTree) printChildren(w *render.Table, c *comms.Comm, depth int, each bool) {
	if depth == maxDepth && len(t.children[c.ID]) > 0 {
		w.Row(strings.Repeat("  ", depth+1)+"...", "", "", "and what was made on it (--json lists all)")
		return
	}
	for _, g := range t.children[c.ID] {
		if !each {
			t.printGroup(w, g, depth+1)
			continue
		}
		line(w, g.first, depth+1, "likewise", false)
		t.printChildren(w, g.first, depth+1, true)
	}
}

// line prints one communicator, with the names that the program gave it if labels is set.
func line(w *render.Table, c *comms.Comm, depth int, members string, labels bool) {
	size := fmt.Sprint(c.Members.Len())
	if c.Partial != "" {
		size = "?"
	}
	if c.Inter && c.RemoteMembers != nil {
		size += fmt.Sprintf("+%d", c.RemoteMembers.Len())
	} else if c.Inter {
		size += "+?"
	}
	w.Row(strings.Repeat("  ", depth)+c.Short(), size, members, made(c, labels))
}

func (t *commTree) membersText(c *comms.Comm) string {
	text := t.result.Text(c.Members, comms.MaxText)
	switch {
	case c.Inter && c.RemoteMembers == nil:
		return text + " | ?"
	case c.Inter:
		return text + " | " + t.result.Text(c.RemoteMembers, comms.MaxText)
	}
	return text
}

// processText lists the processes whose own communicators look alike.
func (t *commTree) processText(g *commGroup) string {
	var members []int
	for _, c := range append([]*comms.Comm{g.first}, g.rest...) {
		members = append(members, c.Members.At(0))
	}
	return t.result.Text(comms.NewMembers(members), comms.MaxText)
}

// made says how a communicator came about and what it is like.
func made(c *comms.Comm, labels bool) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch {
	case c.How == "world":
		add(mpi.CommWorld)
	case c.How == "self":
		add(mpi.CommSelf)
	default:
		text := c.Func
		if c.Site != nil {
			text += " @ " + c.Site.String()
		}
		add("%s", text)
	}
	if c.Times > 1 {
		freed := "all freed"
		if c.Freed < c.Times {
			freed = fmt.Sprintf("%d freed", c.Freed)
		}
		add("%d times, %s", c.Times, freed)
	} else if c.Freed > 0 {
		add("freed")
	}
	if t := c.Topology; t != nil {
		add("%s", topologyText(t))
	}
	if labels {
		for _, l := range c.Labels {
			add("%q", l)
		}
	}
	if c.Partial != "" {
		add("incomplete: %s", c.Partial)
	}
	if c.Assumed != "" {
		add("assumed: %s", c.Assumed)
	}
	return strings.Join(parts, "; ")
}

func topologyText(t *comms.Topology) string {
	switch t.Kind {
	case "cart":
		if len(t.Dims) == 0 {
			return "grid without dimensions"
		}
		dims := make([]string, len(t.Dims))
		for i, d := range t.Dims {
			dims[i] = fmt.Sprint(d)
			if i < len(t.Periods) && t.Periods[i] {
				dims[i] += "p"
			}
		}
		return "grid " + strings.Join(dims, "x")
	}
	text := strings.ReplaceAll(t.Kind, "_", " ")
	if t.Kind == "dist_graph" {
		text = "distributed graph"
	}
	if !t.DegreesKnown {
		return text
	}
	return fmt.Sprintf("%s of %s, degrees %s in, %s out", text, plural(uint64(t.Edges), "edge"), degrees(t.In),
		degrees(t.Out))
}

func degrees(r comms.Range) string {
	if r.Min == r.Max {
		return fmt.Sprint(r.Min)
	}
	return fmt.Sprintf("%d-%d", r.Min, r.Max)
}
