package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// Volume is an amount of data.
type Volume struct {
	Messages uint64
	// Bytes is the sum of their sizes, as far as they are known.
	Bytes int64
	// Time is what the sender spends in the calls that send point to point, or that put, get or
	// accumulate; 0 unless Matrix.AddTimes was called.
	Time time.Duration
}

func (v *Volume) add(o Volume) {
	v.Messages += o.Messages
	v.Bytes += o.Bytes
	v.Time += o.Time
}

func (v *Volume) sub(o Volume) {
	v.Messages -= o.Messages
	v.Bytes -= o.Bytes
	v.Time -= o.Time
}

// times is n volumes.
func (v Volume) times(n int) Volume {
	return Volume{v.Messages * uint64(n), v.Bytes * int64(n), v.Time * time.Duration(n)}
}

// Cell is what one process sends to another. Processes are numbered as in package calls: those of
// the first world by rank.
type Cell struct {
	From, To int32
	Volume
}

// Matrix is the communication matrix. It is sparse: what a process sends to all others of a group
// is kept as one entry. So it takes space proportional to processes and pairs that exchange
// messages.
type Matrix struct {
	// Processes is the number of rows and columns: of processes in all worlds, whether recorded or
	// not.
	Processes int
	// Missing is how many of them were not recorded or not selected. What they send is not known.
	Missing int
	// Worlds are where the processes of each world begin.
	Worlds []comms.World
	// Nowhere is messages of each kind whose partner is not known.
	Nowhere [NumKinds]Volume
	// Unsized is the number of messages of each kind whose size is not known: they count as 0 bytes.
	Unsized [NumKinds]uint64

	rows [NumKinds][]row
	fans [NumKinds]map[fanKey]*fan
}

// row is the cells of one process.
type row struct {
	cells []Cell
	at    map[int32]int // once there are many
}

// maxSearch is how many cells of a row are searched one by one.
const maxSearch = 12

func (r *row) add(from, to int32, v Volume) {
	if r.at == nil && len(r.cells) > maxSearch { // the matrix was finished before
		r.index()
	}
	if r.at != nil {
		if i, ok := r.at[to]; ok {
			r.cells[i].add(v)
			return
		}
		r.at[to] = len(r.cells)
	} else {
		for i := range r.cells {
			if r.cells[i].To == to {
				r.cells[i].add(v)
				return
			}
		}
		if len(r.cells) == maxSearch {
			r.index()
			r.at[to] = len(r.cells)
		}
	}
	r.cells = append(r.cells, Cell{from, to, v})
}

func (r *row) index() {
	r.at = map[int32]int{}
	for i := range r.cells {
		r.at[r.cells[i].To] = i
	}
}

// fanKey names a group of partners.
type fanKey struct {
	group *comms.Members
	later bool
}

// fan is what processes send to all other members of a group, or to those with a greater rank.
type fan struct {
	group   *comms.Members
	later   bool
	volumes map[int32]*spoke
	sources []spoke // sorted by From, when complete
}

// spoke is what a process sends to each partner.
type spoke struct {
	from int32
	rank int // in the group, -1 if it is no member
	Volume
}

// MatrixOf is the communication matrix of the selected calls.
func MatrixOf(r *selection.Resolved) (*Matrix, error) {
	w, err := newWalker(r)
	if err != nil {
		return nil, err
	}
	m := &Matrix{}
	for k := range m.fans {
		m.fans[k] = map[fanKey]*fan{}
	}
	if err := m.number(w); err != nil {
		return nil, err
	}
	w.peers, w.yield = true, m.take
	for u, err := range r.Units() {
		if err != nil {
			return nil, err
		}
		if err := w.unit(u); err != nil {
			return nil, err
		}
	}
	m.finish()
	return m, nil
}

// number finds the processes.
func (m *Matrix) number(w *walker) error {
	recorded := 0
	if w.world != nil {
		m.Processes = w.world.Members.Len()
		m.Worlds = []comms.World{{Size: m.Processes}}
		for _, g := range w.r.Archive.Groups() {
			recorded += w.r.Selection.Ranks.Of(g.Ranks).Len()
		}
	} else {
		p, err := w.program()
		if err != nil {
			return err
		}
		m.Worlds = p.Comms.Worlds
		for _, x := range m.Worlds {
			m.Processes = max(m.Processes, x.First+x.Size)
		}
		for i := range p.Processes() {
			m.Processes = max(m.Processes, int(p.Number(i))+1)
			if w.r.Selection.Rank(w.r.Archive.Rank(i).Rank) {
				recorded++
			}
		}
	}
	m.Missing = m.Processes - recorded
	if m.Processes > archive.MaxProcesses {
		return &archive.FormatError{File: w.r.Archive.File(), Section: "meta/groups", Offset: -1,
			Hint: "the file is damaged: copy it again",
			Msg:  fmt.Sprintf("there are %d processes, and at most %d are possible", m.Processes, archive.MaxProcesses)}
	}
	return nil
}

// take adds an entry.
func (m *Matrix) take(e *Entry) error {
	if e.Target == Nobody || e.Kind == Collective && e.Target != Parts && e.Bytes == 0 {
		return nil
	}
	one := func(to int32, bytes int64) {
		v := Volume{Messages: e.N}
		if bytes < 0 {
			m.Unsized[e.Kind] += e.N
		} else {
			v.Bytes = bytes * int64(e.N)
		}
		from := e.From
		if to < 0 || int(to) >= m.Processes {
			m.Nowhere[e.Kind].add(v)
			return
		}
		if e.Get {
			from, to = to, from
		}
		m.add(e.Kind, from, to, v)
	}
	if e.Target != One && e.Group == nil {
		one(calls.UnknownPeer, e.Data())
		return nil
	}
	switch e.Target {
	case One:
		one(e.To, e.Bytes)
	case Parts:
		for i, n := range e.Parts {
			if to := int32(e.Group.At(i)); to != e.From && n != 0 {
				one(to, n)
			}
		}
	default:
		m.fan(e)
	}
	return nil
}

func (m *Matrix) add(k Kind, from, to int32, v Volume) {
	if n := int(from) + 1; n > len(m.rows[k]) {
		m.rows[k] = slices.Grow(m.rows[k], n-len(m.rows[k]))[:n]
	}
	m.rows[k][from].add(from, to, v)
}

func (m *Matrix) fan(e *Entry) {
	key := fanKey{e.Group, e.Target == Later}
	f := m.fans[e.Kind][key]
	if f == nil {
		f = &fan{group: e.Group, later: key.later, volumes: map[int32]*spoke{}}
		m.fans[e.Kind][key] = f
	}
	s := f.volumes[e.From]
	if s == nil {
		s = &spoke{from: e.From, rank: e.Rank}
		f.volumes[e.From] = s
	}
	v := Volume{Messages: e.N}
	if e.Bytes < 0 {
		m.Unsized[e.Kind] += e.N * uint64(f.partners(s))
	} else {
		v.Bytes = e.Bytes * int64(e.N)
	}
	s.add(v)
}

// partners is how many processes a source sends to.
func (f *fan) partners(s *spoke) int {
	switch n := f.group.Len(); {
	case f.later:
		return n - 1 - s.rank
	case s.rank >= 0:
		return n - 1
	default:
		return n
	}
}

// finish sorts.
func (m *Matrix) finish() {
	for k := range m.rows {
		for i := range m.rows[k] {
			r := &m.rows[k][i]
			slices.SortFunc(r.cells, func(a, b Cell) int { return cmp.Compare(a.To, b.To) })
			r.at = nil
		}
		for _, f := range m.fans[k] {
			if f.volumes == nil { // it was finished before
				continue
			}
			for _, s := range f.volumes {
				f.sources = append(f.sources, *s)
			}
			slices.SortFunc(f.sources, func(a, b spoke) int { return cmp.Compare(a.from, b.from) })
			f.volumes = nil
		}
	}
}
