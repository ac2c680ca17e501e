package otf2

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
)

// Kinds of definitions.
const (
	defClock         = 5
	defParadigm      = 6
	defString        = 10
	defAttribute     = 11
	defNode          = 12
	defLocationGroup = 13
	defLocation      = 14
	defRegion        = 15
	defCallsite      = 16
	defGroup         = 18
	defComm          = 22
	defWindow        = 24
	defDomain        = 27
	defPlace         = 33
)

// order is the order of definitions in the file: none comes before what it refers to.
var order = []uint8{defString, defClock, defParadigm, defAttribute, defNode, defDomain, defLocationGroup, defLocation,
	defRegion, defPlace, defCallsite, defMetricMember, defMetricClass, defParameter, defGroup, defComm, defWindow,
	defIOParadigm, defRegularFile, defHandle, defPreCreated}

// Domain says what a node of the system tree is.
type Domain uint8

// Domains.
const (
	Machine      Domain = 0
	SharedMemory Domain = 1
)

// Role says what a region is.
type Role uint8

// Roles of regions.
const (
	RoleFunction    Role = 1
	RoleCode        Role = 4
	RoleBarrier     Role = 15
	RoleOneToAll    Role = 23
	RoleAllToOne    Role = 24
	RoleAllToAll    Role = 25
	RoleCollective  Role = 26
	RoleFile        Role = 27
	RolePointToPt   Role = 28
	RoleRemoteWrite Role = 29
)

// Paradigm says whose a region is.
type Paradigm uint8

// Paradigms.
const (
	Unknown  Paradigm = 0
	User     Paradigm = 1
	Compiler Paradigm = 2
	OpenMP   Paradigm = 3
	MPI      Paradigm = 4
	CUDA     Paradigm = 5
)

// GroupType says what the members of a group are.
type GroupType uint8

// Types of groups.
const (
	CommLocations GroupType = 4 // locations, of all processes that communicate
	CommGroup     GroupType = 5 // places in the group of CommLocations
	CommSelf      GroupType = 6 // of communicators of the process alone; has no members
)

// CollectiveOp says what a collective does.
type CollectiveOp uint8

// Operations of collectives.
const (
	OpBarrier CollectiveOp = iota
	OpBcast
	OpGather
	OpGatherv
	OpScatter
	OpScatterv
	OpAllgather
	OpAllgatherv
	OpAlltoall
	OpAlltoallv
	OpAlltoallw
	OpAllreduce
	OpReduce
	OpReduceScatter
	OpScan
	OpExscan
	OpReduceScatterBlock
	OpCreateHandle
	OpDestroyHandle
)

// Region is a function, or a part of the program.
type Region struct {
	Name, Description, File string
	Line                    uint32
	Role                    Role
	Paradigm                Paradigm
}

// Definitions are those of an archive. They are in memory until they are written.
type Definitions struct {
	kinds   [64]struct{ b, ends []byte } // records, and where each ends
	count   uint64
	longest int
	rec     record

	strings map[string]uint32
	regions map[Region]uint32
	places  map[place]uint32
	sites   map[site]bool
	attrs   uint32
	metrics map[string]uint32
	marks   bool // their parameter is defined
}

// place is a line of a source file.
type place struct {
	file string
	line uint32
}

// site is a place that calls a region.
type site struct{ place, region uint32 }

// NewDefinitions are none yet.
func NewDefinitions() *Definitions {
	return &Definitions{strings: map[string]uint32{}, regions: map[Region]uint32{}, places: map[place]uint32{},
		sites: map[site]bool{}, metrics: map[string]uint32{}}
}

// put adds the definition whose values are in rec.
func (d *Definitions) put(kind uint8) {
	k := &d.kinds[kind]
	before := len(k.b)
	k.b = appendRecord(k.b, kind, d.rec.b)
	k.ends = binary.AppendUvarint(k.ends, uint64(len(k.b)-before))
	d.longest = max(d.longest, len(k.b)-before)
	d.count++
	d.rec.b = d.rec.b[:0]
}

// String is the number of a text.
func (d *Definitions) String(s string) uint32 {
	id, ok := d.strings[s]
	if !ok {
		id = uint32(len(d.strings))
		d.strings[s] = id
		var rec record // another definition may be in the making
		rec.u32(id)
		rec.text(s)
		rec, d.rec = d.rec, rec
		d.put(defString)
		d.rec = rec
	}
	return id
}

// Clock says what times are: nanoseconds, from first to last, and when 0 was in nanoseconds since 1970.
func (d *Definitions) Clock(first, last, real uint64) {
	d.rec.u64(1e9)
	d.rec.u64(first)
	d.rec.u64(last - first)
	d.rec.u64(real)
	d.put(defClock)
}

// MPI says that processes communicate by MPI.
func (d *Definitions) MPI() {
	const ofProcesses = 0
	d.rec.u8(uint8(MPI))
	d.rec.u32(d.String("MPI"))
	d.rec.u8(ofProcesses)
	d.put(defParadigm)
}

// Attribute numbers a kind of attribute: of numbers, or of places in the source.
func (d *Definitions) Attribute(name string, source bool) uint32 {
	d.rec.u32(d.attrs)
	d.rec.u32(d.String(name))
	if source {
		d.rec.u8(typeSourceCode)
	} else {
		d.rec.u8(typeUint64)
	}
	d.rec.u32(d.String(""))
	d.put(defAttribute)
	d.attrs++
	return d.attrs - 1
}

// Node is a node of the system tree.
func (d *Definitions) Node(id uint32, name, class string, parent uint32, domain Domain) {
	d.rec.u32(id)
	d.rec.u32(d.String(name))
	d.rec.u32(d.String(class))
	d.rec.u32(parent)
	d.put(defNode)
	d.rec.u32(id)
	d.rec.u8(uint8(domain))
	d.put(defDomain)
}

// Process is a process on a node.
func (d *Definitions) Process(id uint32, name string, node uint32) {
	const process = 1
	d.rec.u32(id)
	d.rec.u32(d.String(name))
	d.rec.u8(process)
	d.rec.u32(node)
	d.rec.u32(Undefined)
	d.put(defLocationGroup)
}

// Location is a thread of a process, with its number of events.
func (d *Definitions) Location(id uint64, name string, events uint64, process uint32) {
	const thread = 1
	d.rec.u64(id)
	d.rec.u32(d.String(name))
	d.rec.u8(thread)
	d.rec.u64(events)
	d.rec.u32(process)
	d.put(defLocation)
}

// Region numbers a region; equal ones have one number.
func (d *Definitions) Region(r Region) uint32 {
	id, ok := d.regions[r]
	if ok {
		return id
	}
	id = uint32(len(d.regions))
	d.regions[r] = id
	d.rec.u32(id)
	d.rec.u32(d.String(r.Name))
	d.rec.u32(d.String(r.Description))
	d.rec.u8(0) // what came before role and paradigm
	d.rec.u32(d.String(r.File))
	d.rec.u32(r.Line)
	d.rec.u32(0)
	d.rec.u32(d.String(r.Name))
	d.rec.u8(uint8(r.Role))
	d.rec.u8(uint8(r.Paradigm))
	d.rec.u32(0)
	d.put(defRegion)
	return id
}

// Place numbers a line of a file.
func (d *Definitions) Place(file string, line int) uint32 {
	p := place{file, uint32(max(line, 0))}
	id, ok := d.places[p]
	if ok {
		return id
	}
	id = uint32(len(d.places))
	d.places[p] = id
	d.rec.u32(id)
	d.rec.u32(d.String(p.file))
	d.rec.u32(p.line)
	d.put(defPlace)
	return id
}

// Callsite says that a place, in the region from, calls a region.
func (d *Definitions) Callsite(file string, line int, region, from uint32) {
	s := site{d.Place(file, line), region}
	if d.sites[s] {
		return
	}
	d.rec.u32(uint32(len(d.sites)))
	d.sites[s] = true
	d.rec.u32(d.String(file))
	d.rec.u32(uint32(max(line, 0)))
	d.rec.u32(region)
	d.rec.u32(from)
	d.put(defCallsite)
}

// Group is a list of members.
func (d *Definitions) Group(id uint32, name string, t GroupType, n int, member func(i int) uint64) {
	d.rec.u32(id)
	d.rec.u32(d.String(name))
	d.rec.u8(0) // the type of version 1.1
	d.rec.u32(uint32(n))
	for i := range n {
		d.rec.u64(member(i))
	}
	d.rec.u8(uint8(t))
	d.rec.u8(uint8(MPI))
	d.rec.u32(0)
	d.put(defGroup)
}

// Comm is a communicator.
func (d *Definitions) Comm(id uint32, name string, group, parent uint32) {
	d.rec.u32(id)
	d.rec.u32(d.String(name))
	d.rec.u32(group)
	d.rec.u32(parent)
	d.rec.u32(0)
	d.put(defComm)
}

// Window is a window of one-sided communication.
func (d *Definitions) Window(id uint32, name string, comm uint32) {
	d.rec.u32(id)
	d.rec.u32(d.String(name))
	d.rec.u32(comm)
	d.rec.u32(0)
	d.put(defWindow)
}

// Sizes of chunks of definitions: the usual one, and the largest that readers take.
const (
	usualChunk = 4 << 20
	mostChunk  = 16 << 20
)

// chunk is how large chunks of definitions are.
func (d *Definitions) chunk() (int, error) {
	need := d.longest + headerBytes + 16
	if need > mostChunk {
		return 0, fmt.Errorf("a definition takes %d bytes, and OTF2 has %d at most: choose fewer ranks", need,
			mostChunk)
	}
	if need > usualChunk {
		return mostChunk, nil
	}
	return usualChunk, nil
}

// Write writes the file of definitions that hold for all locations.
func (d *Definitions) Write(w io.Writer) error {
	size, err := d.chunk()
	if err != nil {
		return err
	}
	c := newChunks(w, size)
	for _, kind := range order {
		k := d.kinds[kind]
		for len(k.ends) > 0 {
			n, used := binary.Uvarint(k.ends)
			if err := c.room(int(n)); err != nil {
				return err
			}
			c.b = append(c.b, k.b[:n]...)
			k.b, k.ends = k.b[n:], k.ends[used:]
		}
	}
	return c.close()
}

// WriteEmpty writes the definitions of a location: there are none.
func WriteEmpty(w io.Writer) error { return newChunks(w, usualChunk).close() }

// Anchor is what the anchor file says.
type Anchor struct {
	Locations                     uint64
	Machine, Creator, Description string
}

// anchorHead is how anchor files begin; behind it come the formats' versions.
const anchorHead = "\x03\x42OTF2\x00"

// IsAnchor tells whether a file that begins with head is the anchor of an archive of this creator.
func IsAnchor(head []byte, creator string) bool {
	return bytes.HasPrefix(head, []byte(anchorHead)) && bytes.Contains(head, []byte("\x00"+creator))
}

// WriteAnchor writes the anchor file.
func (d *Definitions) WriteAnchor(w io.Writer, a *Anchor) error {
	size, err := d.chunk()
	if err != nil {
		return err
	}
	r := record{b: []byte(anchorHead)}
	r.b = append(r.b, 3, 2, 3, 0, 0) // of anchor and trace; of the library
	r.b = binary.LittleEndian.AppendUint64(r.b, EventChunk)
	r.b = binary.LittleEndian.AppendUint64(r.b, uint64(size))
	r.b = append(r.b, 1, 1) // files, not compressed
	r.b = binary.LittleEndian.AppendUint64(r.b, a.Locations)
	r.b = binary.LittleEndian.AppendUint64(r.b, d.count)
	r.text(a.Machine)
	r.text(a.Creator)
	r.text(a.Description)
	r.b = binary.LittleEndian.AppendUint32(r.b, 0) // properties
	h := fnv.New64a()
	h.Write(r.b) // to memory
	for i := range d.kinds {
		h.Write(d.kinds[i].b)
	}
	r.b = binary.LittleEndian.AppendUint64(r.b, h.Sum64())
	r.b = binary.LittleEndian.AppendUint64(r.b, 0) // snapshots and thumbnails
	_, err = w.Write(append(r.b, endOfFile, endOfBuffer, endOfChunk))
	return err
}
