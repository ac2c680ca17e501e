package cli

import (
	"fmt"
	"io"
	"strings"

	"tabard/internal/comms"
	"tabard/trace"
)

// commsInfo is the schema of `tabard info --comms --json`. Communicators are
// named by their place in the list, processes by their number in the archive.
// Lists of ranks are ranges: "0-3,8,16-28:4" has steps of 4, "3-0" descends,
// "w1:0-3" are ranks of spawned world 1. Their order is that of the ranks in
// the communicator.
type commsInfo struct {
	Schema    string         `json:"schema"`
	File      string         `json:"file"`
	Worlds    []worldInfo    `json:"worlds"`
	Comms     []commInfo     `json:"communicators"`
	Processes []memberships  `json:"processes"`
	Notes     []comms.Note   `json:"notes"`
	result    *comms.Result  // for the text form
	children  [][]*commGroup // by communicator
}

type worldInfo struct {
	World int `json:"world"`
	Size  int `json:"size"`
}

type commInfo struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	How      string `json:"how"`
	Func     string `json:"function,omitempty"`
	Parent   *int   `json:"parent,omitempty"`
	Remote   *int   `json:"remote_parent,omitempty"`
	Peer     *int   `json:"peer,omitempty"`
	Creation int    `json:"creation"`
	Color    *int64 `json:"color,omitempty"`
	Size     int    `json:"size"`
	Members  string `json:"members"`
	Inter    bool   `json:"inter"`
	// RemoteSize and RemoteMembers are of the second group of an
	// intercommunicator; they are left out if it is not known.
	RemoteSize    *int            `json:"remote_size,omitempty"`
	RemoteMembers *string         `json:"remote_members,omitempty"`
	Topology      *comms.Topology `json:"topology,omitempty"`
	Labels        []string        `json:"labels,omitempty"`
	Site          string          `json:"site,omitempty"`
	// Made counts the communicators that this stands for, Freed those that
	// all recorded members freed.
	Made    int    `json:"made"`
	Freed   int    `json:"freed"`
	Partial string `json:"partial,omitempty"`
	Assumed string `json:"assumed,omitempty"`
}

// memberships are the communicator objects of a process.
type memberships struct {
	Process int          `json:"process"`
	World   int          `json:"world"`
	Rank    int          `json:"rank"`
	Objects []objectInfo `json:"objects"`
}

type objectInfo struct {
	Object string `json:"object"`
	Comm   *int   `json:"communicator"`
	Group  int    `json:"group"`
	Rank   int    `json:"rank"`
	Made   int    `json:"made"`
	Freed  bool   `json:"freed"`
}

// showComms is `tabard info --comms`.
func (a *app) showComms(archive *trace.Archive, asJSON bool) error {
	result, err := comms.Analyze(archive)
	if err != nil {
		return err
	}
	info := newCommsInfo(archive, result)
	if asJSON {
		return a.printJSON(info)
	}
	return info.print(a.out)
}

func newCommsInfo(archive *trace.Archive, r *comms.Result) *commsInfo {
	info := &commsInfo{Schema: "tabard.comms/1", File: archive.File(), Worlds: []worldInfo{}, Comms: []commInfo{},
		Processes: []memberships{}, Notes: r.Notes, result: r}
	if info.Notes == nil {
		info.Notes = []comms.Note{}
	}
	for _, w := range r.Worlds {
		info.Worlds = append(info.Worlds, worldInfo{w.Number, w.Size})
	}
	for _, c := range r.Comms {
		info.Comms = append(info.Comms, newCommInfo(r, c))
	}
	for i, p := range r.Processes {
		rank := archive.Rank(i)
		m := memberships{Process: i, World: rank.World, Rank: rank.Rank, Objects: []objectInfo{}}
		for _, o := range p.Objects {
			m.Objects = append(m.Objects, objectInfo{Object: comms.RefText(o.Ref), Comm: idOf(o.Comm), Group: o.Side, Rank: o.Rank, Made: o.Times, Freed: o.Freed})
		}
		info.Processes = append(info.Processes, m)
	}
	return info
}

func idOf(c *comms.Comm) *int {
	if c == nil {
		return nil
	}
	return &c.ID
}

func newCommInfo(r *comms.Result, c *comms.Comm) commInfo {
	out := commInfo{ID: c.ID, Name: c.Name, How: c.How, Func: c.Func, Parent: idOf(c.Parent), Remote: idOf(c.Remote), Peer: idOf(c.Peer),
		Creation: c.Creation, Size: c.Members.Len(), Members: r.Text(c.Members, 0), Inter: c.Inter, Topology: c.Topology, Labels: c.Labels,
		Made: c.Times, Freed: c.Freed, Partial: c.Partial, Assumed: c.Assumed}
	if c.Colored {
		out.Color = &c.Color
	}
	if c.RemoteMembers != nil {
		n, text := c.RemoteMembers.Len(), r.Text(c.RemoteMembers, 0)
		out.RemoteSize, out.RemoteMembers = &n, &text
	}
	if c.Site != nil {
		out.Site = c.Site.String()
	}
	return out
}

// commGroup is communicators that one creation made, or equal subtrees.
type commGroup struct {
	first *comms.Comm
	rest  []*comms.Comm
}

// maxParts is how many communicators of one creation the text form lists.
const maxParts = 8

// maxDepth is how deep the tree is that the text form shows.
const maxDepth = 20

func (info *commsInfo) print(out io.Writer) error {
	info.children = make([][]*commGroup, len(info.Comms))
	var roots []*commGroup
	for _, c := range info.result.Comms {
		group := &roots
		if c.Parent != nil {
			group = &info.children[c.Parent.ID]
		}
		if last := len(*group) - 1; last >= 0 && sameCreation((*group)[last].first, c) {
			(*group)[last].rest = append((*group)[last].rest, c)
			continue
		}
		*group = append(*group, &commGroup{first: c})
	}
	w := &errWriter{w: out}
	t := table(w)
	fmt.Fprintf(t, "COMMUNICATOR\tSIZE\tMEMBERS\tMADE BY\n")
	for _, g := range joinEqual(roots, info.shape) {
		info.printGroup(t, g, 0)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i, n := range info.Notes {
		if i == 0 {
			fmt.Fprintln(w)
		}
		if i == maxMissing && len(info.Notes) > maxMissing+1 {
			fmt.Fprintf(w, "and %d more notes (--json lists all)\n", len(info.Notes)-i)
			break
		}
		times := ""
		if n.Count > 1 {
			times = fmt.Sprintf(" (%s)", plural(uint64(n.Count), "time"))
		}
		fmt.Fprintf(w, "%s: %s%s\n", n.Kind, n.Text, times)
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
func (info *commsInfo) shape(g *commGroup) string {
	var b strings.Builder
	type level struct {
		c     *comms.Comm
		depth int
	}
	stack := []level{{g.first, 0}}
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		fmt.Fprintf(&b, "%d %s %s\n", l.depth, l.c.Short(), made(l.c, false))
		for _, child := range info.children[l.c.ID] {
			for _, c := range append([]*comms.Comm{child.first}, child.rest...) {
				stack = append(stack, level{c, l.depth + 1})
			}
		}
	}
	return b.String()
}

// printGroup prints the communicators of a creation and what was made on them.
func (info *commsInfo) printGroup(w io.Writer, g *commGroup, depth int) {
	if g.first.Parent == nil && len(g.rest) > 0 {
		text := fmt.Sprintf("each of %s", info.processText(g))
		line(w, g.first, depth, text, false)
		info.printChildren(w, g.first, depth, true)
		return
	}
	all := append([]*comms.Comm{g.first}, g.rest...)
	for i, c := range all {
		if i == maxParts && len(all) > maxParts+1 {
			fmt.Fprintf(w, "%s\t\t\t%s\n", strings.Repeat("  ", depth)+"...", plural(uint64(len(all)-i), "more part")+" of this creation (--json lists all)")
			break
		}
		line(w, c, depth, info.membersText(c), true)
		info.printChildren(w, c, depth, false)
	}
}

// printChildren prints what was made on c; without members if c stands for
// the communicators of several processes.
func (info *commsInfo) printChildren(w io.Writer, c *comms.Comm, depth int, each bool) {
	if depth == maxDepth && len(info.children[c.ID]) > 0 {
		fmt.Fprintf(w, "%s\t\t\tand what was made on it (--json lists all)\n", strings.Repeat("  ", depth+1)+"...")
		return
	}
	for _, g := range info.children[c.ID] {
		if !each {
			info.printGroup(w, g, depth+1)
			continue
		}
		line(w, g.first, depth+1, "likewise", false)
		info.printChildren(w, g.first, depth+1, true)
	}
}

// line prints one communicator, with the names that the program gave it if labels is set.
func line(w io.Writer, c *comms.Comm, depth int, members string, labels bool) {
	size := fmt.Sprint(c.Members.Len())
	if c.Partial != "" {
		size = "?"
	}
	if c.Inter && c.RemoteMembers != nil {
		size += fmt.Sprintf("+%d", c.RemoteMembers.Len())
	} else if c.Inter {
		size += "+?"
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", strings.Repeat("  ", depth)+c.Short(), size, members, made(c, labels))
}

func (info *commsInfo) membersText(c *comms.Comm) string {
	text := info.result.Text(c.Members, comms.MaxText)
	switch {
	case c.Inter && c.RemoteMembers == nil:
		return text + " | ?"
	case c.Inter:
		return text + " | " + info.result.Text(c.RemoteMembers, comms.MaxText)
	}
	return text
}

// processText lists the processes whose own communicators look alike.
func (info *commsInfo) processText(g *commGroup) string {
	var members []int
	for _, c := range append([]*comms.Comm{g.first}, g.rest...) {
		members = append(members, c.Members.At(0))
	}
	return info.result.Text(comms.NewMembers(members), comms.MaxText)
}

// made says how a communicator came about and what it is like.
func made(c *comms.Comm, labels bool) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch {
	case c.How == "world":
		add("MPI_COMM_WORLD")
	case c.How == "self":
		add("MPI_COMM_SELF")
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
	return fmt.Sprintf("%s of %s, degrees %s in, %s out", text, plural(uint64(t.Edges), "edge"), rangeOf(t.In), rangeOf(t.Out))
}

func rangeOf(r comms.Range) string {
	if r.Min == r.Max {
		return fmt.Sprint(r.Min)
	}
	return fmt.Sprintf("%d-%d", r.Min, r.Max)
}
