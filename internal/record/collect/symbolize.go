package collect

import (
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/symbol"
	"github.com/tabard-hpc/tabard/internal/resolve"
)

// names resolves the places in modules that an archive refers to, for all
// processes together: each file is read once.
type names struct {
	cache map[string]map[resolve.Query]resolve.Location
	open  map[string][]resolve.Query // not looked up yet
}

func newNames() *names {
	return &names{cache: map[string]map[resolve.Query]resolve.Location{}, open: map[string][]resolve.Query{}}
}

// pythonFunction is how the build id of a module begins that is a function of Python: its name
// follows, and places in it are lines of the file. See capture/sites/python.c.
const pythonFunction = "python:"

// maxData bounds the names of static data kept for one process.
const maxData = 4096

func (n *names) add(m symbol.Module, q resolve.Query) {
	if m.Path == "" || strings.HasPrefix(m.BuildID, pythonFunction) {
		return
	}
	k := m.Path + "\x00" + m.BuildID
	if n.cache[k] == nil {
		n.cache[k] = map[resolve.Query]resolve.Location{}
	}
	if _, ok := n.cache[k][q]; !ok {
		n.cache[k][q] = resolve.Location{}
		n.open[k] = append(n.open[k], q)
	}
}

func (n *names) get(m symbol.Module, q resolve.Query) resolve.Location {
	return n.cache[m.Path+"\x00"+m.BuildID][q]
}

// want collects what has to be resolved for a process.
func (n *names) want(syms *symbol.Process) {
	mods := syms.Modules()
	for _, site := range syms.Sites() {
		for _, f := range site {
			if f.Known {
				n.add(mods[f.Module], query(f))
			}
		}
	}
	eachData(syms, func(module uint32, offset uint64) {
		n.add(mods[module], resolve.Query{Offset: offset, Kind: resolve.Data})
	})
}

// eachData calls f for the places in static data that signatures refer to.
func eachData(syms *symbol.Process, f func(module uint32, offset uint64)) {
	left := maxData
	seen := map[[2]uint64]bool{}
	var walk func(v *archive.Value)
	walk = func(v *archive.Value) {
		if v.Kind == archive.Addr && v.Mem == archive.Static && v.N >= 0 {
			k := [2]uint64{uint64(v.Seg), uint64(v.N)}
			if !seen[k] && left > 0 {
				left--
				seen[k] = true
				f(v.Seg, uint64(v.N))
			}
		}
		for i := range v.List {
			walk(&v.List[i])
		}
	}
	for i := range syms.Signatures() {
		sig := syms.Signature(uint32(i))
		for k := range sig.Slots {
			walk(&sig.Slots[k])
		}
	}
}

// resolve looks everything up. Files that cannot be read leave places nameless.
func (n *names) resolve(tick func()) {
	for k, qs := range n.open {
		tick()
		path, id, _ := strings.Cut(k, "\x00")
		locs, err := resolve.File(path, id, qs)
		if err != nil {
			continue
		}
		for i, q := range qs {
			n.cache[k][q] = locs[i]
		}
	}
	clear(n.open)
}

// fill puts the sites of a process and the names of its static data into d.
// Static data at module m, offset o is Info["data m+0xo"], symbol+distance.
func (n *names) fill(d *archive.RankData, syms *symbol.Process) {
	mods := syms.Modules()
	for i, site := range syms.Sites() {
		s := archive.Site{Tree: syms.Tree(uint32(i + 1))}
		for _, f := range site {
			s.Frames = append(s.Frames, n.frames(mods, f)...)
		}
		d.Sites = append(d.Sites, s)
	}
	eachData(syms, func(module uint32, offset uint64) {
		l := n.get(mods[module], resolve.Query{Offset: offset, Kind: resolve.Data})
		if l.Symbol == "" {
			return
		}
		name := l.Symbol
		if l.Delta != 0 {
			name += fmt.Sprintf("+%d", l.Delta)
		}
		d.Info[fmt.Sprintf("data %d+%#x", module, offset)] = name
	})
}

// frames is a frame with the functions that were put in line there, innermost first.
func (n *names) frames(mods map[uint32]symbol.Module, f symbol.Frame) []archive.Frame {
	m, ok := mods[f.Module]
	if !f.Known || !ok {
		return []archive.Frame{{Module: -1, Offset: f.Offset}}
	}
	if name, ok := strings.CutPrefix(m.BuildID, pythonFunction); ok {
		line := archive.Frame{Module: int(f.Module), Offset: f.Offset, Func: name, File: m.Path, Line: int(f.Offset)}
		return []archive.Frame{line}
	}
	l := n.get(m, query(f))
	if f.Entry && len(l.Frames) > 1 { // what was put in line at its beginning
		l.Frames = l.Frames[len(l.Frames)-1:]
	}
	if len(l.Frames) == 0 {
		return []archive.Frame{{Module: int(f.Module), Offset: f.Offset}}
	}
	out := make([]archive.Frame, len(l.Frames))
	for i, g := range l.Frames {
		out[i] = archive.Frame{Module: int(f.Module), Offset: f.Offset, Func: g.Func, File: g.File, Line: g.Line}
	}
	return out
}

// query asks about a frame.
func query(f symbol.Frame) resolve.Query {
	if f.Entry {
		return resolve.Query{Offset: f.Offset, Kind: resolve.Code}
	}
	return resolve.Query{Offset: f.Offset, Kind: resolve.Return}
}
