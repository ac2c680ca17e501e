package archive

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/spec"
)

// metaReader turns the tables of the meta section into values. Errors stick.
type metaReader struct {
	*parts
	err error
}

func (m *metaReader) fail(part uint32, row int, format string, args ...any) {
	if m.err == nil {
		s := schemaOf(secMeta, part)
		m.err = broken(m.section+"/"+s.name, -1, "row %d: %s", row, fmt.Sprintf(format, args...))
	}
}

func (m *metaReader) str(part uint32, row int, id int64) string {
	p := m.pools[partStrings]
	if id < 0 || id >= int64(p.len()) {
		m.fail(part, row, "string %d does not exist (there are %d)", id, p.len())
		return ""
	}
	return string(p.at(int(id)))
}

// number checks that a value of a table is in a range.
func (m *metaReader) number(part uint32, row int, what string, v, lo, hi int64) int {
	if v < lo || v > hi {
		m.fail(part, row, "%s %d is not in %d..%d", what, v, lo, hi)
		return 0
	}
	return int(v)
}

func (a *Archive) readMeta(p *parts) error {
	m := &metaReader{parts: p}
	a.strings = p.pools[partStrings]
	a.readRun(m)
	a.modules = m.readModules()
	a.sites = m.readSites(a.modules)
	m.readTrees(a.sites)
	if m.err != nil {
		return m.err
	}
	var err error
	a.timings, err = a.placeBlobs(secTiming, "meta/timings", p.tables[partTimings].cols[0])
	return err
}

func (a *Archive) readRun(m *metaReader) {
	t := m.tables[partMeta]
	option := ""
	for i := range t.rows {
		key, v := t.cols[0][i], t.cols[1][i]
		switch key {
		case keyCommand:
			a.meta.Command = append(a.meta.Command, m.str(partMeta, i, v))
		case keyMPI:
			a.meta.MPI = m.str(partMeta, i, v)
		case keyABI:
			a.meta.ABI = spec.ABI(m.number(partMeta, i, "ABI", v, 0, math.MaxUint8))
		case keyCreated:
			a.meta.Created = time.Unix(0, v)
		case keyPartial:
			a.meta.Partial = v == 1
		case keyTool:
			a.meta.Tool = m.str(partMeta, i, v)
		case keyOptionName:
			option = m.str(partMeta, i, v)
		case keyOptionValue:
			if a.meta.Options == nil {
				a.meta.Options = make(map[string]string)
			}
			a.meta.Options[option] = m.str(partMeta, i, v)
		}
	}
}

func (m *metaReader) readModules() []Module {
	t := m.tables[partModules]
	modules := make([]Module, t.rows)
	for i := range modules {
		modules[i] = Module{
			Path:    m.str(partModules, i, t.cols[0][i]),
			BuildID: m.str(partModules, i, t.cols[1][i]),
			Size:    uint64(t.cols[2][i]),
		}
	}
	return modules
}

// readSites groups rows of frames by site; sites are numbered without gaps.
func (m *metaReader) readSites(modules []Module) []Site {
	t := m.tables[partFrames]
	frames := make([]Frame, t.rows)
	var sites []Site
	for i := range frames {
		n := int64(len(sites))
		site := t.cols[0][i]
		if site != n && site != n-1 || site < 0 {
			m.fail(partFrames, i, "site %d does not follow site %d", site, n-1)
			return nil
		}
		frames[i] = Frame{
			Module: m.number(partFrames, i, "module", t.cols[1][i], -1, int64(len(modules))-1),
			Offset: uint64(t.cols[2][i]),
			Func:   m.str(partFrames, i, t.cols[3][i]),
			File:   m.str(partFrames, i, t.cols[4][i]),
			Line:   m.number(partFrames, i, "line", t.cols[5][i], 0, math.MaxInt32),
		}
		if k := frames[i].Module; k >= 0 && k < len(modules) {
			file := modules[k].Path
			frames[i].Image = file[strings.LastIndexByte(file, '/')+1:]
		}
		if site == n {
			sites = append(sites, Site{Frames: frames[i : i+1 : i+1]})
		} else {
			s := &sites[site]
			s.Frames = frames[i-len(s.Frames) : i+1 : i+1]
		}
	}
	return sites
}

// readTrees adds the trees of calls to the sites. A row with a count of 0 begins a tree and has its function, the
// others have what it called.
func (m *metaReader) readTrees(sites []Site) {
	t := m.tables[partTrees]
	last := -1
	for i := range t.rows {
		n := m.number(partTrees, i, "site", t.cols[0][i], 0, int64(len(sites))-1)
		count := t.cols[2][i]
		if m.err != nil {
			return
		}
		switch {
		case count == 0 && n > last:
			f := m.number(partTrees, i, "function", t.cols[1][i], 0, int64(len(sites)))
			sites[n].Tree, last = &Tree{Func: uint32(f)}, n
		case count <= 0 || n != last:
			m.fail(partTrees, i, "site %d does not follow site %d", n, last)
		default:
			c := m.number(partTrees, i, "called site", t.cols[1][i], 1, int64(len(sites)))
			tree := sites[n].Tree
			tree.Calls = append(tree.Calls, Called{uint32(c), uint64(count)})
		}
	}
	if err := LinkTrees(sites); err != nil {
		m.fail(partTrees, 0, "%v", err)
	}
}

// LinkTrees gives trees the frames of their functions, and sequences a frame that names what is in them. Trees must be
// made of functions, and of trees before them.
func LinkTrees(sites []Site) error {
	for n := range sites {
		t := sites[n].Tree
		if t == nil {
			continue
		}
		sites[n].Frames = nil
		if f := int(t.Func); f > len(sites) || f > 0 && sites[f-1].Tree != nil {
			return fmt.Errorf("site %d is no function", f-1)
		} else if f > 0 {
			sites[n].Frames = sites[f-1].Frames
		}
		for _, c := range t.Calls {
			if k := int(c.Site) - 1; k < 0 || k >= len(sites) || k >= n && (k == n || sites[k].Tree != nil) {
				return fmt.Errorf("site %d has site %d in it", n, k)
			}
		}
		if t.Func == 0 {
			sites[n].Frames = []Frame{{Module: -1, Func: sequenceName(sites, t)}}
		}
	}
	return nil
}

// maxNamed is how many calls of a sequence its name has.
const maxNamed = 4

// sequenceName names what is in a tree without function.
func sequenceName(sites []Site, t *Tree) string {
	var names []string
	for i, c := range t.Calls {
		if i == maxNamed {
			names = append(names, "...")
			break
		}
		name := "?"
		if f := sites[c.Site-1].Frames; len(f) > 0 && f[0].Func != "" {
			name = f[len(f)-1].Func
		}
		if c.Count > 1 {
			name += fmt.Sprintf(" x%d", c.Count)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
