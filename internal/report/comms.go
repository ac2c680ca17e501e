package report

import (
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// CommsSchema names the form of Comms.
const CommsSchema = "tabard.comms/1"

var _ = register[Comms](CommsSchema, "info --comms --json")

// Comms is the communicators of a recording. Communicators are
// named by their place in the list, processes by their number in the archive.
// Lists of ranks are ranges: "0-3,8,16-28:4" has steps of 4, "3-0" descends,
// "w1:0-3" are ranks of spawned world 1. Their order is that of the ranks in
// the communicator.
type Comms struct {
	Schema    string        `json:"schema"`
	File      string        `json:"file"`
	Worlds    []World       `json:"worlds"`
	Comms     []Comm        `json:"communicators"`
	Processes []Memberships `json:"processes"`
	Notes     []comms.Note  `json:"notes"`
}

// World is the processes that one launch or spawn started.
type World struct {
	World int `json:"world"`
	Size  int `json:"size"`
}

// Comm is a communicator, or all that one call site made again and again for the same members.
type Comm struct {
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

// Memberships are the communicator objects of a process.
type Memberships struct {
	Process int      `json:"process"`
	World   int      `json:"world"`
	Rank    int      `json:"rank"`
	Objects []Object `json:"objects"`
}

// Object is a communicator as one process sees it. Group is 1 in the second group of an
// intercommunicator.
type Object struct {
	Object string `json:"object"`
	Comm   *int   `json:"communicator"`
	Group  int    `json:"group"`
	Rank   int    `json:"rank"`
	Made   int    `json:"made"`
	Freed  bool   `json:"freed"`
}

// NewComms lists the communicators that an analysis found in an archive.
func NewComms(arch *archive.Archive, r *comms.Result) *Comms {
	info := &Comms{Schema: CommsSchema, File: arch.File(), Worlds: []World{}, Comms: []Comm{},
		Processes: []Memberships{}, Notes: r.Notes}
	if info.Notes == nil {
		info.Notes = []comms.Note{}
	}
	for _, w := range r.Worlds {
		info.Worlds = append(info.Worlds, World{w.Number, w.Size})
	}
	for _, c := range r.Comms {
		info.Comms = append(info.Comms, newComm(r, c))
	}
	for i, p := range r.Processes {
		rank := arch.Rank(i)
		m := Memberships{Process: i, World: rank.World, Rank: rank.Rank, Objects: []Object{}}
		for _, o := range p.Objects {
			m.Objects = append(m.Objects, Object{Object: comms.RefText(o.Ref), Comm: idOf(o.Comm), Group: o.Side,
				Rank: o.Rank,
				Made: o.Times, Freed: o.Freed})
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

func newComm(r *comms.Result, c *comms.Comm) Comm {
	out := Comm{ID: c.ID, Name: c.Name, How: c.How, Func: c.Func, Parent: idOf(c.Parent), Remote: idOf(c.Remote),
		Peer: idOf(c.Peer), Creation: c.Creation, Size: c.Members.Len(), Members: r.Text(c.Members, 0), Inter: c.Inter,
		Topology: c.Topology, Labels: c.Labels,
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
