package foreign

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/functions"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/otf2"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/symbol"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// importer makes a recording of an archive of OTF2.
type importer struct {
	*otf2.Archive
	o       Options
	r       Result
	left    counts
	kinds   map[uint32]*region
	comms   map[uint32]*comm
	members map[uint64]int // ranks by location
	abi     spec.ABI
	any     [2]int32 // MPI_ANY_SOURCE, MPI_ANY_TAG
	pairs   []uint64
	raw     map[string]uint64 // handles of predefined objects
	site    uint32            // the attribute with the place of a call; Undefined: there is none
	offset  uint32            // that with the offset of an access to a file
}

// region is what a region becomes.
type region struct {
	f     *spec.Func // what is called; region_begin or function_open
	def   *otf2.RegionDef
	calls bool
}

// comm is a communicator.
type comm struct {
	id    uint32
	name  string
	raw   uint64
	ranks map[int]int // of processes, by their ranks in MPI_COMM_WORLD; nil: not known
	size  int
	told  bool // it is no predefined one
}

// OTF2 imports the archive that a path names: its anchor file, or its directory.
func OTF2(path string, o Options) (*Result, error) {
	a, err := otf2.Open(path)
	if err != nil {
		return nil, err
	}
	return ofArchive(a, o)
}

func ofArchive(a *otf2.Archive, o Options) (*Result, error) {
	x := &importer{Archive: a, o: o, left: counts{}, kinds: map[uint32]*region{}, comms: map[uint32]*comm{},
		members: map[uint64]int{}, abi: spec.OpenMPI, raw: map[string]uint64{}, site: otf2.Undefined,
		offset: otf2.Undefined}
	if len(a.Locations) == 0 {
		return nil, fmt.Errorf("%s has no locations: nothing was recorded", a.Path)
	}
	x.predefine()
	x.communicators()
	if strings.HasPrefix(a.Creator, otf2.Creator) { // others may mean something else by these names
		for id, name := range a.Attributes {
			switch name {
			case otf2.SiteAttribute:
				x.site = id
			case otf2.OffsetAttribute:
				x.offset = id
			}
		}
	}
	p, err := x.processes()
	if err != nil {
		return nil, err
	}
	return x.finish(p)
}

// predefine gives the predefined objects that are needed handles.
func (x *importer) predefine() {
	for i, name := range []string{mpi.CommWorld, mpi.CommSelf, mpi.Byte, mpi.RequestNull} {
		k, _ := spec.PredefinedByName(name)
		x.raw[name] = uint64(0x1000 * (i + 1))
		x.pairs = append(x.pairs, uint64(k), x.raw[name])
	}
	source, _ := x.abi.Const(mpi.AnySource)
	tag, _ := x.abi.Const(mpi.AnyTag)
	x.any = [2]int32{int32(source), int32(tag)}
}

// Handles of objects that the archive numbers: these bits tell their classes apart.
const (
	commHandle    = 1 << 44
	requestHandle = 1 << 45
	fileHandle    = 1 << 46
	ioRequest     = 1 << 47 // of a nonblocking access to a file
)

// communicators finds out who is in which.
func (x *importer) communicators() {
	for i, loc := range x.Members {
		if _, twice := x.members[loc]; !twice {
			x.members[loc] = i
		}
	}
	world := false
	for _, d := range x.Comms {
		c := &comm{id: d.ID, name: d.Name, raw: commHandle | uint64(d.ID)<<8}
		x.comms[d.ID] = c
		g, ok := x.Groups[d.Group]
		switch {
		case !ok && len(x.Members) > 0 && !world, ok && !world && len(x.Members) > 0 &&
			inOrder(g.Members, len(x.Members)):
			// some tools give both groups of MPI_COMM_WORLD one number
			world, c.raw, c.size = true, x.raw[mpi.CommWorld], len(x.Members)
			c.ranks = map[int]int{}
			for r := range x.Members {
				c.ranks[r] = r
			}
		case ok && g.Type == otf2.CommSelf:
			c.raw, c.size = x.raw[mpi.CommSelf], 1
		case ok && g.Type == otf2.CommGroup:
			c.told, c.size, c.ranks = true, len(g.Members), make(map[int]int, len(g.Members))
			for r, m := range g.Members {
				if m < uint64(len(x.Members)) {
					c.ranks[int(m)] = r
				}
			}
		}
	}
}

func inOrder(list []uint64, n int) bool {
	if len(list) != n {
		return false
	}
	for i, v := range list {
		if v != uint64(i) {
			return false
		}
	}
	return true
}

// mpiNames are the functions of MPI by their names in lower case, as Fortran has them, too.
var mpiNames = func() map[string]*spec.Func {
	m := map[string]*spec.Func{}
	for _, f := range spec.Functions() {
		if f.API == "mpi" && !f.Own() {
			m[strings.ToLower(f.Name)] = f
		}
	}
	return m
}()

var regionBegin, regionEnd = spec.ByName("region_begin"), spec.ByName("region_end")
var regionMark, regionValue = spec.ByName("region_mark"), spec.ByName("region_value")
var functionOpen, functionClose = spec.ByName("function_open"), spec.ByName("function_close")

// region says what a region becomes.
func (x *importer) region(id uint32) *region {
	if k := x.kinds[id]; k != nil {
		return k
	}
	d, ok := x.Regions[id]
	if !ok {
		d = otf2.RegionDef{Name: fmt.Sprintf("region %d", id)}
	}
	k := &region{def: &d, calls: true}
	x.kinds[id] = k
	if k.f = mpiNames[strings.TrimRight(strings.ToLower(d.Name), "_")]; k.f != nil {
		return k
	}
	own := d.Paradigm == otf2.User || d.Paradigm == otf2.Compiler || d.Paradigm == otf2.OpenMP
	if f := spec.ByName(d.Name); f != nil && !own && !f.Own() && f.Shape == spec.ShapeCall {
		k.f = f
		return k
	}
	k.f, k.calls = regionBegin, false
	if d.Paradigm == otf2.Compiler {
		k.f = functionOpen
	}
	return k
}

// processes reads the events of all locations.
func (x *importer) processes() (*merge.Part, error) {
	of := map[uint32][]*otf2.LocationDef{}
	for i := range x.Locations {
		l := &x.Locations[i]
		of[l.Process] = append(of[l.Process], l)
	}
	defs := slices.Clone(x.Archive.Processes)
	known := map[uint32]bool{}
	for _, d := range defs {
		known[d.ID] = true
	}
	for _, l := range x.Locations {
		if !known[l.Process] { // a group that is not defined
			known[l.Process] = true
			defs = append(defs, otf2.ProcessDef{ID: l.Process, Node: otf2.Undefined})
		}
	}
	clocks, err := x.clocks()
	if err != nil {
		return nil, err
	}
	p := merge.New()
	seen := map[int]bool{}
	for i := range defs {
		locations := of[defs[i].ID]
		if len(locations) == 0 {
			continue
		}
		q := &process{
			importer: x,
			rank:     -1,
			off:      collect.NewOffline(x.o.Timing.Kind != timing.Off),
			sites:    map[frame]uint64{},
			freed:    map[*comm]bool{},
			files:    map[uint32]bool{},
		}
		for _, l := range locations {
			if r, ok := x.members[l.ID]; ok && !seen[r] {
				q.rank = r
				seen[r] = true
				break
			}
		}
		slices.SortStableFunc(locations, func(a, b *otf2.LocationDef) int { return q.order(a) - q.order(b) })
		if err := q.read(locations); err != nil {
			return nil, err
		}
		d, streams, err := q.data(&defs[i], clocks)
		if err == nil {
			err = p.Add(d, streams)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", x.Path, defs[i].Name, err)
		}
	}
	return p, nil
}

// order puts the location that communicates first.
func (q *process) order(l *otf2.LocationDef) int {
	if r, ok := q.members[l.ID]; ok && r == q.rank {
		return 0
	}
	return 1
}

// host is the node that a process ran on.
func (x *importer) host(d *otf2.ProcessDef) string {
	if n, ok := x.Nodes[d.Node]; ok && n.Name != "" {
		return n.Name
	}
	return "unknown"
}

// clocks are the readings that relate the archive's ticks to time: they begin where the archive does, or with the first
// event if that is before.
func (x *importer) clocks() ([]archive.Clock, error) {
	first := x.First
	for i := range x.Locations {
		e, err := x.Events(&x.Locations[i])
		if err != nil {
			return nil, err
		}
		ev, err := e.Next()
		e.Close()
		if err != nil {
			return nil, err
		}
		if ev != nil {
			first = min(first, ev.Time)
		}
	}
	real := x.created().UnixNano() - int64(x.nanos(x.First-first))
	length := max(x.Length, x.Resolution)
	return []archive.Clock{{Ticks: first, RealNS: real},
		{Ticks: first + length, RealNS: real + int64(x.nanos(length)), MonoNS: int64(x.nanos(length))}}, nil
}

func (x *importer) nanos(ticks uint64) uint64 {
	const most = math.MaxInt64 / 4
	hi, lo := bits.Mul64(ticks, 1e9) // in floating point, ticks of a nanosecond could become one less
	if hi >= x.Resolution {
		return most
	}
	ns, _ := bits.Div64(hi, lo, x.Resolution)
	return min(ns, most)
}

// created is when the archive begins: as it says, else when its anchor was written.
func (x *importer) created() time.Time {
	if x.Real != otf2.Undefined64 && x.Real != 0 && x.Real < math.MaxInt64/2 {
		return time.Unix(0, int64(x.Real))
	}
	if st, err := os.Stat(x.Path); err == nil {
		return st.ModTime()
	}
	return time.Unix(0, 0)
}

// finish makes the recording.
func (x *importer) finish(p *merge.Part) (*Result, error) {
	from := "OTF2 " + x.Version
	if x.Creator != "" {
		from += " by " + x.Creator
	}
	x.r.Left = x.left.list()
	m := archive.Meta{Command: strings.Fields(x.Description), ABI: x.abi, Created: x.created(), Tool: x.o.Tool,
		Partial: true, Options: map[string]string{OptionFrom: from, "timing": x.o.Timing.String()}}
	if len(m.Command) == 0 {
		dir, _ := filepath.Abs(filepath.Dir(x.Path))
		m.Command = []string{filepath.Base(dir)}
	}
	if text := LeftText(x.r.Left); text != "" {
		m.Options[OptionLeft] = text
	}
	if x.r.Functions > 0 {
		m.Options[functions.OptionTimes] = "entry"
	}
	p.SetMeta(m)
	if err := comms.Relate(p); err != nil {
		return nil, err
	}
	c, err := p.Content()
	if err != nil {
		return nil, err
	}
	if k := x.o.Timing.Kind; k != timing.Lossless && k != timing.Off {
		a, err := c.Archive()
		if err != nil {
			return nil, err
		}
		if c, err = retimed(a, x.o.Timing); err != nil {
			return nil, err
		}
	}
	x.r.Content = c
	return &x.r, nil
}

// retimed is an archive with its times in another mode, and without those that it had.
func retimed(a *archive.Archive, m timing.Mode) (*archive.Content, error) {
	c, err := a.Retimed(m)
	if err != nil {
		return nil, err
	}
	p, err := merge.FromContent(c)
	if err != nil {
		return nil, err
	}
	return p.Content()
}

// data is what an archive needs of a process.
func (q *process) data(
	def *otf2.ProcessDef,
	clocks []archive.Clock,
) (d archive.RankData, s []archive.StreamData, err error) {
	frames := make([]frame, len(q.sites))
	for f, at := range q.sites {
		frames[at/siteStep-1] = f
	}
	d, s, err = q.off.Data(func(_ symbol.Module, offset uint64) archive.Frame {
		if i := offset/siteStep - 1; i < uint64(len(frames)) {
			f := frames[i]
			return archive.Frame{Func: f.name, File: f.file, Line: int(f.line)}
		}
		return archive.Frame{}
	})
	if err != nil {
		return d, nil, err
	}
	for i := range d.Sites {
		for k := range d.Sites[i].Frames {
			f := &d.Sites[i].Frames[k]
			f.Module, f.Offset = -1, 0
		}
	}
	d.Modules, d.Info = nil, map[string]string{}
	d.Rank, d.Size = q.rank, 0
	if q.rank >= 0 {
		d.Size = len(q.Members)
	}
	d.Host, d.PID, d.Complete, d.End, d.Clocks = q.host(def), int(def.ID), !q.open, "not known", clocks
	return d, s, nil
}

// ringABI is the record about the handles of predefined objects.
func (x *importer) ringABI() ring.Record {
	return about(ring.RABI, ring.AppendWords([]uint64{uint64(x.abi), 64}, x.pairs)...)
}
