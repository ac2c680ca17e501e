package merge

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// Names of options in archive.Meta of archives that belong together.
const (
	// OptionRun names the run of several collectors that an archive is part of.
	OptionRun = "run"
	// OptionPartOf is the name of the file that the archive is to become part of.
	OptionPartOf = "part_of"
)

// Provisional is the RankData.End of processes whose node's archive was taken over inside
// MPI_Finalize: how they ended was not known there.
const Provisional = "reached MPI_Finalize"

// A Source is an archive to be united with others.
type Source struct {
	Name    string
	Content *archive.Content
}

// Outcome says what became of a source.
type Outcome struct {
	Name string
	// Added is the number of processes that came from it, without those that an earlier source has,
	// too. Replaced is how many processes of earlier sources it knows better.
	Added, Replaced int
	// Foreign says why it is of another run and was left out, empty if it was not.
	Foreign string
}

// Assemble merges archives of one run. Unlike the parts that Merge takes, they may have processes
// in common: each stays once, in the version that knows its end. The first source decides what the
// run is; sources of other runs are left out. Sources of the same run that do not say so are
// recognised by command, size and time if guess is set, else believed. Spawned worlds are numbered
// by their nodes, so worlds that differ get different numbers.
func Assemble(sources []Source, guess bool) (*Part, []Outcome, error) {
	u := &union{}
	outcomes := make([]Outcome, len(sources))
	for i, s := range sources {
		outcomes[i].Name = s.Name
		if why := u.foreign(s.Content, guess); why != "" {
			outcomes[i].Foreign = why
			continue
		}
		u.add(s.Content, &outcomes[i])
	}
	p, err := u.merge()
	return p, outcomes, err
}

// SourceOrder is the order in which sources are best united: by least rank.
func SourceOrder(a, b Source) int {
	return cmp.Or(cmp.Compare(leastRank(a.Content), leastRank(b.Content)), cmp.Compare(a.Name, b.Name))
}

func leastRank(c *archive.Content) int {
	least := math.MaxInt
	for _, g := range c.Groups {
		if g.World == 0 && !g.Unranked && g.Ranks.Len() > 0 {
			least = min(least, g.Ranks.Min())
		}
	}
	return least
}

// union is the sources so far; no process is in two of them.
type union struct{ contents []*archive.Content }

// member is a process in a content.
type member struct {
	g  *archive.Group
	id int
}

func (m member) clock() archive.Clock {
	if cs := archive.ParseClocks(m.g.Clocks.At(m.id)); len(cs) > 0 {
		return cs[0]
	}
	return archive.Clock{}
}

func (m member) host() string {
	if m.g.Unranked {
		return m.g.Host
	}
	if i := m.g.Hosts.Index(m.g.Ranks, m.id); i >= 0 {
		return m.g.Hosts.Values[i]
	}
	return ""
}

func (m member) pid() int64 {
	if m.g.Unranked {
		return int64(m.id)
	}
	return m.g.PID.At(m.id)
}

// same says that both are one process.
func (m member) same(n member) bool {
	return m.pid() == n.pid() && m.host() == n.host() && m.clock() == n.clock()
}

func (m member) provisional() bool {
	i := m.g.Ends.Index(m.g.Ranks, m.id)
	return i >= 0 && m.g.Ends.Values[i] == Provisional
}

// find looks for the process that stands where id of g does.
func (u *union) find(world int, g *archive.Group, id int) (member, bool) {
	for _, c := range u.contents {
		for _, h := range c.Groups {
			if h.World == world && h.Unranked == g.Unranked && (!h.Unranked || h.Host == g.Host) &&
				h.Ranks.Contains(id) {
				return member{h, id}, true
			}
		}
	}
	return member{}, false
}

// foreign says why c is not of the same run, "" if it is.
func (u *union) foreign(c *archive.Content, guess bool) string {
	if len(u.contents) == 0 {
		return ""
	}
	first := u.contents[0]
	a, b := first.Meta.Options[OptionRun], c.Meta.Options[OptionRun]
	if a != "" && b != "" && a != b {
		return "it is of another run"
	}
	if x, y := worldSize(u.contents...), worldSize(c); x > 0 && y > 0 && x != y {
		return fmt.Sprintf("its MPI_COMM_WORLD has %d ranks, not %d", y, x)
	}
	for _, g := range c.Groups {
		if g.World != 0 || g.Unranked {
			continue
		}
		for id := range g.Ranks.All() {
			if m, ok := u.find(0, g, id); ok && !m.same(member{g, id}) {
				return fmt.Sprintf("its rank %d is another process", id)
			}
		}
	}
	if !guess {
		return ""
	}
	if (a == "" || b == "") && !slices.Equal(first.Meta.Command, c.Meta.Command) {
		return "it is of another command"
	}
	if !u.overlaps(c) {
		return "it was recorded at another time"
	}
	return ""
}

// worldSize is the size of the first MPI_COMM_WORLD, 0 if unknown.
func worldSize(cs ...*archive.Content) int {
	size := 0
	for _, c := range cs {
		for _, g := range c.Groups {
			if g.World == 0 {
				size = max(size, g.Size)
			}
		}
	}
	return size
}

// skew is how much the clocks of nodes may differ.
const skew = 2 * time.Second

// overlaps says whether c was recorded while one of the others was. A content
// without a process tells no end.
func (u *union) overlaps(c *archive.Content) bool {
	from, to := span(c)
	return slices.ContainsFunc(u.contents, func(d *archive.Content) bool {
		f, t := span(d)
		return !from.After(t.Add(skew)) && !f.After(to.Add(skew))
	})
}

// span is the time from the start of a recording to the last reading of a clock.
func span(c *archive.Content) (from, to time.Time) {
	from = c.Meta.Created
	last := from.UnixNano()
	for _, g := range c.Groups {
		for id := range g.Ranks.All() {
			for _, k := range archive.ParseClocks(g.Clocks.At(id)) {
				last = max(last, k.RealNS)
			}
		}
	}
	return from, time.Unix(0, last)
}

// add takes in a content of the same run.
func (u *union) add(c *archive.Content, o *Outcome) {
	c = u.renumber(c)
	c.Meta.Options = maps.Clone(c.Meta.Options)
	delete(c.Meta.Options, OptionPartOf)
	drop, replace := map[*archive.Group]map[int]bool{}, map[*archive.Group]map[int]bool{}
	note := func(to map[*archive.Group]map[int]bool, g *archive.Group, id int) {
		if to[g] == nil {
			to[g] = map[int]bool{}
		}
		to[g][id] = true
	}
	for _, g := range c.Groups {
		o.Added += g.Ranks.Len()
		for id := range g.Ranks.All() {
			m, ok := u.find(g.World, g, id)
			switch {
			case !ok:
			case m.provisional() && !(member{g, id}).provisional():
				note(replace, m.g, id)
				o.Replaced++
				o.Added--
			default:
				note(drop, g, id)
				o.Added--
			}
		}
	}
	if len(replace) > 0 {
		for i, d := range u.contents {
			u.contents[i] = restrict(d, func(g *archive.Group, id int) bool { return !replace[g][id] })
		}
	}
	if len(drop) > 0 {
		c = restrict(c, func(g *archive.Group, id int) bool { return !drop[g][id] })
	}
	u.contents = append(u.contents, c)
}

// renumber returns a copy of c whose spawned worlds have the numbers that they have here, or
// ones that no other has.
func (u *union) renumber(c *archive.Content) *archive.Content {
	next := 1
	for _, d := range u.contents {
		for _, g := range d.Groups {
			next = max(next, g.World+1)
		}
	}
	numbers := map[int]int{0: 0}
	for _, g := range c.Groups {
		if _, ok := numbers[g.World]; !ok {
			if n, ok := u.known(g); ok {
				numbers[g.World] = n
			}
		}
	}
	out := *c
	out.Groups = slices.Clone(c.Groups)
	for i, g := range out.Groups {
		n, ok := numbers[g.World]
		if !ok {
			n = next
			next++
			numbers[g.World] = n
		}
		if n != g.World {
			h := *g
			h.World = n
			out.Groups[i] = &h
		}
	}
	return &out
}

// known looks for the world of a group by a member that is there already.
func (u *union) known(g *archive.Group) (int, bool) {
	for _, c := range u.contents {
		for _, h := range c.Groups {
			if h.World == 0 || h.Unranked != g.Unranked {
				continue
			}
			for id := range g.Ranks.All() {
				if !h.Ranks.Contains(id) {
					continue
				}
				if (member{h, id}).same(member{g, id}) {
					return h.World, true
				}
				break
			}
		}
	}
	return 0, false
}

// merge merges the contents two by two: equals with equals.
func (u *union) merge() (*Part, error) {
	var parts []*Part
	for _, c := range u.contents {
		p, err := FromContent(c)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return New(), nil
	}
	for len(parts) > 1 {
		var next []*Part
		for i := 0; i < len(parts); i += 2 {
			p := parts[i]
			if i+1 < len(parts) {
				var err error
				if p, err = Merge(p, parts[i+1]); err != nil {
					return nil, err
				}
			}
			next = append(next, p)
		}
		parts = next
	}
	return parts[0], nil
}
