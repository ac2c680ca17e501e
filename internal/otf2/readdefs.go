package otf2

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Archive is an archive of any tool, opened for reading.
type Archive struct {
	// Path is that of the anchor file.
	Path string
	// Version is that of the library that wrote it; Creator and Description are what the tool says.
	Version, Machine, Creator, Description string
	// Defined is what the definitions that hold for all locations say.
	Defined

	dir           string
	open          Opener
	events, chunk int // sizes of chunks
}

// Opener opens the files of an archive by their names; errors are as those of os.Open.
type Opener func(path string) (io.ReadCloser, error)

// Defined is definitions by their numbers. Names are already the texts that they refer to.
type Defined struct {
	// Resolution is ticks a second; First is when the archive begins, Length how long it is, in ticks. Real is First in
	// nanoseconds since 1970, Undefined64 if it is not known.
	Resolution, First, Length, Real uint64

	Strings    map[uint32]string
	Attributes map[uint32]string
	Nodes      map[uint32]SystemNode
	Processes  []ProcessDef
	Locations  []LocationDef
	Regions    map[uint32]RegionDef
	Places     map[uint32]PlaceDef
	// Callers are the regions that call a region from a place.
	Callers map[CallerKey]uint32
	// Groups are all but that of locations, which is Members: the locations of all that communicate by MPI, in order.
	Groups   map[uint32]GroupDef
	Members  []uint64
	Comms    []CommDef
	Contexts map[uint32]ContextDef
	// Metrics are classes of metrics, whose members are MetricMembers; Parameters are names.
	Metrics       map[uint32]MetricClass
	MetricMembers map[uint32]MetricMember
	Parameters    map[uint32]string
	// Files are paths; Handles are open files.
	Files   map[uint32]string
	Handles map[uint32]Handle
	// Unknown counts kinds of definitions that nothing is made of.
	Unknown map[uint8]uint64
}

// Definitions that are read.
type (
	// SystemNode is a node of the system tree.
	SystemNode struct {
		Name, Class string
		Parent      uint32
	}
	// ProcessDef is a group of locations.
	ProcessDef struct {
		ID, Node uint32
		Name     string
	}
	// LocationDef is a location.
	LocationDef struct {
		ID      uint64
		Name    string
		Process uint32
	}
	// RegionDef is a region.
	RegionDef struct {
		Name, File string
		Line       uint32
		Paradigm   Paradigm
	}
	// PlaceDef is a place in the source.
	PlaceDef struct {
		File string
		Line uint32
	}
	// CallerKey is what a call site is found by.
	CallerKey struct {
		Place  PlaceDef
		Region uint32
	}
	// GroupDef is a group.
	GroupDef struct {
		Type    GroupType
		Members []uint64
	}
	// CommDef is a communicator.
	CommDef struct {
		ID, Group, Parent uint32
		Name              string
	}
	// ContextDef is a calling context.
	ContextDef struct{ Region, Place uint32 }
)

const defContext = 34

// Open opens the archive that a path names: its anchor file, or its directory.
func Open(path string) (*Archive, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		found, _ := filepath.Glob(filepath.Join(path, "*.otf2"))
		if len(found) != 1 {
			return nil, fmt.Errorf("%s is a directory with %d anchor files (*.otf2): name one", path, len(found))
		}
		path = found[0]
	}
	return OpenBy(path, func(path string) (io.ReadCloser, error) { return safefile.OpenInput(path) })
}

// OpenBy opens the archive with an anchor file whose files open opens.
func OpenBy(path string, open Opener) (*Archive, error) {
	a := &Archive{Path: path, dir: strings.TrimSuffix(path, filepath.Ext(path)), open: open}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := a.readAnchor(f); err != nil {
		return nil, err
	}
	g, err := open(a.dir + ".def")
	if err != nil {
		return nil, err
	}
	defer g.Close()
	return a, a.readGlobal(g, a.dir+".def")
}

// mostAnchor is how long an anchor file is at most.
const mostAnchor = 1 << 24

func (a *Archive) readAnchor(in io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(in, mostAnchor))
	if err != nil {
		return err
	}
	r := &reader{name: a.Path, b: b, off: int64(len(b)), done: true}
	head := r.take(len(anchorHead))
	if string(head) != anchorHead {
		if len(head) > 1 && head[1] == bigEndian {
			return fmt.Errorf("%s: big-endian archives are not understood", a.Path)
		}
		return fmt.Errorf("%s is no anchor file of an OTF2 archive: name the file that ends in .otf2", a.Path)
	}
	if v := r.take(5); v != nil {
		a.Version = fmt.Sprintf("%d.%d.%d", v[2], v[3], v[4])
	}
	events, chunk := r.full(), r.full()
	substrate, compression := r.u8(), r.u8()
	r.full() // locations: their definitions say it
	r.full()
	a.Machine, a.Creator, a.Description = r.text(), r.text(), r.text()
	switch {
	case r.err != nil:
		return r.err
	case substrate != 1:
		return fmt.Errorf("%s: the archive is not made of plain files (SIONlib): copy it to such first", a.Path)
	case compression != 1:
		return fmt.Errorf("%s: %w", a.Path, errCompressed)
	case events < leastChunk || events > mostChunk || chunk < leastChunk || chunk > mostChunk:
		return fmt.Errorf("%s: chunks of %d and %d bytes are out of range", a.Path, events, chunk)
	}
	a.events, a.chunk = int(events), int(chunk)
	return nil
}

// named is a definition whose texts are still numbers.
type named struct {
	d    *Defined
	late []func()
}

// readGlobal reads the definitions that hold for all locations.
func (a *Archive) readGlobal(in io.Reader, name string) error {
	a.Defined = Defined{Resolution: 1e9, Real: Undefined64, Strings: map[uint32]string{},
		Attributes: map[uint32]string{},
		Nodes:      map[uint32]SystemNode{}, Regions: map[uint32]RegionDef{}, Places: map[uint32]PlaceDef{},
		Callers: map[CallerKey]uint32{}, Groups: map[uint32]GroupDef{}, Contexts: map[uint32]ContextDef{},
		Metrics: map[uint32]MetricClass{}, MetricMembers: map[uint32]MetricMember{}, Parameters: map[uint32]string{},
		Files: map[uint32]string{}, Handles: map[uint32]Handle{}, Unknown: map[uint8]uint64{}}
	n := &named{d: &a.Defined}
	r := newReader(in, name, a.chunk)
	for {
		kind, ok := r.kind()
		if !ok {
			break
		}
		v := r.sized()
		if !n.define(kind, &v) {
			a.Unknown[kind]++
		}
		if r.err == nil {
			r.err = v.err
		}
	}
	if r.err != nil {
		return r.err
	}
	for _, f := range n.late {
		f()
	}
	if a.Resolution == 0 {
		return fmt.Errorf("%s: the clock has no resolution", name)
	}
	return nil
}

// define takes in a definition, and tells whether anything is made of it.
func (n *named) define(kind uint8, r *reader) bool {
	d := n.d
	switch kind {
	case defClock:
		d.Resolution, d.First, d.Length = r.u64(), r.u64(), r.u64()
		if len(r.b) > 0 {
			d.Real = r.u64()
		}
	case defString:
		id := r.u32()
		d.Strings[id] = r.text()
	case defAttribute:
		id, name := r.u32(), r.u32()
		n.late = append(n.late, func() { d.Attributes[id] = d.Strings[name] })
	case defNode:
		id, name, class, parent := r.u32(), r.u32(), r.u32(), r.u32()
		n.late = append(n.late, func() { d.Nodes[id] = SystemNode{d.Strings[name], d.Strings[class], parent} })
	case defLocationGroup:
		id, name := r.u32(), r.u32()
		r.u8()
		p := ProcessDef{ID: id, Node: r.u32()}
		i := len(d.Processes)
		d.Processes = append(d.Processes, p)
		n.late = append(n.late, func() { d.Processes[i].Name = d.Strings[name] })
	case defLocation:
		id, name := r.u64(), r.u32()
		r.u8()
		r.u64()
		i := len(d.Locations)
		d.Locations = append(d.Locations, LocationDef{ID: id, Process: r.u32()})
		n.late = append(n.late, func() { d.Locations[i].Name = d.Strings[name] })
	case defRegion:
		n.region(r)
	case defPlace:
		id, file, line := r.u32(), r.u32(), r.u32()
		n.late = append(n.late, func() { d.Places[id] = PlaceDef{d.Strings[file], line} })
	case defCallsite:
		r.u32()
		file, line, to, from := r.u32(), r.u32(), r.u32(), r.u32()
		n.late = append(n.late, func() { d.Callers[CallerKey{PlaceDef{d.Strings[file], line}, to}] = from })
	case defGroup:
		n.group(r)
	case defComm:
		id, name, group, parent := r.u32(), r.u32(), r.u32(), r.u32()
		i := len(d.Comms)
		d.Comms = append(d.Comms, CommDef{ID: id, Group: group, Parent: parent})
		n.late = append(n.late, func() { d.Comms[i].Name = d.Strings[name] })
	case defMetricMember:
		n.member(r)
	case defMetricClass:
		n.metric(r)
	case defMetricInstance:
		id, class := r.u32(), r.u32()
		n.late = append(n.late, func() { d.Metrics[id] = d.Metrics[class] })
	case defParameter:
		id, name := r.u32(), r.u32()
		n.late = append(n.late, func() { d.Parameters[id] = d.Strings[name] })
	case defContext:
		id := r.u32()
		d.Contexts[id] = ContextDef{r.u32(), r.u32()}
	case defRegularFile, defDirectory:
		id, name := r.u32(), r.u32()
		n.late = append(n.late, func() { d.Files[id] = d.Strings[name] })
	case defHandle:
		id := r.u32()
		r.u32() // name
		h := Handle{File: r.u32()}
		r.u8() // paradigm
		h.PreCreated = r.u32()&1 != 0
		d.Handles[id] = h
	case defParadigm, defDomain, defIOParadigm, defPreCreated: // say nothing that events need
	default:
		return false
	}
	return true
}

func (n *named) region(r *reader) {
	d := n.d
	id, name := r.u32(), r.u32()
	r.u32() // description
	r.u8()  // what came before role and paradigm
	file, line := r.u32(), r.u32()
	r.u32() // end
	x := RegionDef{Line: line}
	if len(r.b) > 0 { // canonical name, role
		r.u32()
		r.u8()
		x.Paradigm = Paradigm(r.u8())
	}
	n.late = append(n.late, func() {
		x.Name, x.File = d.Strings[name], d.Strings[file]
		d.Regions[id] = x
	})
}

func (n *named) group(r *reader) {
	id := r.u32()
	r.u32() // name
	r.u8()  // type of version 1.1
	count := r.u32()
	if uint64(count) > uint64(len(r.b)) {
		r.fail("a group of %d members in %d bytes", count, len(r.b))
		return
	}
	g := GroupDef{Members: make([]uint64, count)}
	for i := range g.Members {
		g.Members[i] = r.u64()
	}
	paradigm := MPI
	if len(r.b) > 0 {
		g.Type, paradigm = GroupType(r.u8()), Paradigm(r.u8())
	}
	switch {
	case g.Type == CommLocations && paradigm == MPI:
		n.d.Members = g.Members
	case g.Type != CommLocations:
		n.d.Groups[id] = g
	}
}

// local is what the definitions of a location say about its events.
type local struct {
	maps    [16]map[uint64]uint64
	clock   []clockOffset
	current int
}

// clockOffset is what is to be added to times from a time on, until the next one.
type clockOffset struct {
	at     uint64
	offset int64
}

// Kinds of definitions of a location, and of the numbers that they map.
const (
	localMapping     = 5
	localClockOffset = 6
	mapString        = 0
	mapRegion        = 3
	mapMetric        = 5
	mapComm          = 6
	mapParameter     = 7
	mapWindow        = 8
	mapPlace         = 9
	mapContext       = 10
	mapHandle        = 13
)

func readLocal(in io.Reader, name string, chunk int) (*local, error) {
	l := &local{}
	r := newReader(in, name, chunk)
	for {
		kind, ok := r.kind()
		if !ok {
			return l, r.err
		}
		v := r.sized()
		switch kind {
		case localMapping:
			l.mapping(&v)
		case localClockOffset:
			o := clockOffset{at: v.full(), offset: int64(v.u64())}
			if n := len(l.clock); n > 0 && l.clock[n-1].at >= o.at {
				v.fail("clock offsets do not rise")
			}
			l.clock = append(l.clock, o)
		}
		if r.err == nil {
			r.err = v.err
		}
	}
}

func (l *local) mapping(r *reader) {
	of, n, sparse := r.u8(), r.u64(), r.u8() == 1
	if int(of) >= len(l.maps) {
		return
	}
	if n > uint64(len(r.b)) {
		r.fail("a table of %d numbers in %d bytes", n, len(r.b))
		return
	}
	m := make(map[uint64]uint64, n)
	for i := range n {
		if sparse {
			i = r.u64()
		}
		m[i] = r.u64()
	}
	l.maps[of] = m
}

// global is what a number of a location stands for.
func (l *local) global(of int, id uint32) uint32 {
	if m := l.maps[of]; m != nil && id != Undefined {
		if g, ok := m[uint64(id)]; ok {
			return uint32(g)
		}
	}
	return id
}

// time is a time by the common clock: between two offsets they are interpolated, behind the last two it goes on so.
func (l *local) time(t uint64) uint64 {
	n := len(l.clock)
	if n < 2 {
		return t // as the library does: one offset is no interval
	}
	for l.current < n-2 && t > l.clock[l.current+1].at {
		l.current++
	}
	a, b := l.clock[l.current], l.clock[l.current+1]
	slope := float64(b.offset-a.offset) / float64(b.at-a.at)
	diff := float64(t - a.at)
	if t < a.at {
		diff = -float64(a.at - t)
	}
	return t + uint64(a.offset) + uint64(int64(math.RoundToEven(slope*diff)))
}
