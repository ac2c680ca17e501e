package export

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/files"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/otf2"
	"github.com/tabard-hpc/tabard/spec"
)

// otf2Files numbers files and their handles, before the calls are written: threads of a process share descriptors.
type otf2Files struct {
	paths   map[string]uint32
	handles []otf2.Handle
	// idle are handles of closed files, which stand for files that are opened later.
	idle map[idleHandle][]uint32
}

// idleHandle is what a handle is used again for.
type idleHandle struct {
	process  int
	file     uint32
	paradigm otf2.IOParadigm
}

// openFile is a handle of a process. It has a number when a selected call is on it.
type openFile struct {
	idleHandle
	number  uint32
	known   bool // it has a number
	created bool // in a selected call
}

// fileNote is set in the values of notes about files: the low half of the value is the handle that the call is on, the
// source that which it makes. Bytes are what was asked for, where a seek ended, or how a file was opened; communicator
// and tag together are the bytes that were moved. Of accesses, the source and the rest of the value are the offset.
const fileNote = 1 << 63

// splitNotes tells notes about messages from that about files, which is the last one.
func splitNotes(list []note) (messages []note, file *note) {
	if n := len(list) - 1; n >= 0 && list[n].value&fileNote != 0 {
		return list[:n], &list[n]
	}
	return list, nil
}

func (n *note) on() uint32   { return uint32(n.value) }
func (n *note) made() uint32 { return uint32(n.source) }
func (n *note) moved() uint64 {
	return uint64(uint32(n.comm)) | uint64(uint32(n.tag))<<32
}

// noOffset is the offset that is not known.
const noOffset = 1<<63 - 1

func (n *note) setOffset(v uint64) {
	n.value |= v >> 32 << 32
	n.source = int32(v)
}

func (n *note) offset() uint64 { return (n.value&^fileNote)>>32<<32 | uint64(uint32(n.source)) }

func packOpening(o otf2.Opening) int64 {
	return int64(o.Mode) | int64(o.Creation)<<8 | int64(o.Status)<<24
}

func unpackOpening(v int64) otf2.Opening {
	return otf2.Opening{Mode: otf2.AccessMode(v), Creation: uint32(v>>8) & 0xffff, Status: uint32(v>>24) & 0xffff}
}

// usesFiles tells whether calls of a stream are about files.
func usesFiles(s *archive.Stream) (bool, error) {
	sigs, err := s.Signatures()
	if err != nil {
		return false, err
	}
	for i := range sigs {
		if spec.ByID(sigs[i].Func).Activity == spec.ActivityIo {
			return true, nil
		}
	}
	return false, nil
}

// noteFiles notes for each selected call on files which ones these are.
func (x *otf2Archive) noteFiles() error {
	x.files = otf2Files{paths: map[string]uint32{}, idle: map[idleHandle][]uint32{}}
	processes := map[int]bool{}
	for _, p := range x.parts {
		processes[p.Stream.Process()] = true
	}
	streams := map[int][]*archive.Stream{}
	var order []int
	for s := range x.Archive.Streams() {
		if !processes[s.Process()] {
			continue
		}
		if uses, err := usesFiles(s); err != nil || !uses {
			if err != nil {
				return err
			}
			continue
		}
		if streams[s.Process()] == nil {
			order = append(order, s.Process())
		}
		streams[s.Process()] = append(streams[s.Process()], s)
	}
	for _, p := range order {
		if err := x.noteFilesOf(p, streams[p]); err != nil {
			return err
		}
	}
	return nil
}

// noteFilesOf does so for a process.
func (x *otf2Archive) noteFilesOf(process int, streams []*archive.Stream) error {
	chosen := x.sel.Chooser()
	tracker := files.NewTracker(streams[0])
	open := map[*files.Handle]*openFile{}
	for i, c := range files.InOrder(streams) {
		if c.Err != nil {
			return c.Err
		}
		u := tracker.Use(c.Call)
		if u == nil {
			continue
		}
		selected := !c.Func.Own() && chosen(streams[i].Index(), c.Terminal, c.Index)
		on, made := open[u.Handle], (*openFile)(nil)
		if u.Made != nil && opens(c.Func) {
			made = x.openFile(process, c.Func, u.Path, selected)
			open[u.Made] = made
		}
		if selected && (on != nil || made != nil) {
			n := note{stream: int32(streams[i].Index()), call: c.Index, value: fileNote | uint64(x.number(on)),
				message: message{source: int32(x.number(made))}}
			n.describe(x.Archive.Meta().ABI, c.Call)
			if err := x.arrows.add(n); err != nil {
				return err
			}
		}
		if on != nil && frees(c.Func) {
			delete(open, u.Handle)
			if on.known {
				x.files.idle[on.idleHandle] = append(x.files.idle[on.idleHandle], on.number)
			}
		}
	}
	return nil
}

// opens tells whether a function makes a handle of a file; mappings are none, nor are handlers of errors.
func opens(f *spec.Func) bool {
	return f.Op == spec.OpFileOpen || f.Op == spec.OpFileOpenByName || f.Op == spec.OpFileDup
}

// frees tells whether a function closes the file that it is on.
func frees(f *spec.Func) bool {
	i := f.Slot(spec.RoleOn)
	return i >= 0 && f.Slots[i].Life == spec.Free
}

// openFile is a handle that a call makes.
func (x *otf2Archive) openFile(process int, f *spec.Func, path string, selected bool) *openFile {
	file, ok := x.files.paths[path]
	if !ok {
		file = uint32(len(x.files.paths))
		x.files.paths[path] = file
	}
	paradigm := otf2.MPIIO
	if f.API == "posixio" {
		if paradigm = otf2.PosixIO; f.Chapter == "stdio" {
			paradigm = otf2.StreamIO
		}
	}
	return &openFile{idleHandle: idleHandle{process, file, paradigm}, created: selected}
}

// number is the number of a handle in the archive.
func (x *otf2Archive) number(h *openFile) uint32 {
	if h == nil {
		return otf2.Undefined
	}
	if !h.known {
		h.known = true
		if list := x.files.idle[h.idleHandle]; len(list) > 0 && h.created {
			h.number = list[len(list)-1]
			x.files.idle[h.idleHandle] = list[:len(list)-1]
		} else {
			h.number = uint32(len(x.files.handles))
			x.files.handles = append(x.files.handles, otf2.Handle{File: h.file, Paradigm: h.paradigm,
				PreCreated: !h.created})
		}
	}
	return h.number
}

// fromStart is the whence of seeks from the start of a file; archives have Linux's numbers.
const fromStart = 0

// describe notes what the call's values say.
func (n *note) describe(abi spec.ABI, c *archive.Call) {
	f := c.Func
	value := func(slot int) int64 {
		if slot >= 0 && c.Slots[slot].Kind == archive.Int {
			return c.Slots[slot].N
		}
		return 0
	}
	switch f.Op {
	case spec.OpRead, spec.OpWrite:
		n.bytes = value(f.Slot(spec.RoleAsked))
		moved := value(f.Slot(spec.RoleMoved))
		n.comm, n.tag = int32(moved), int32(moved>>32)
		offset := uint64(noOffset)
		if i := f.Slot(spec.RoleOffset); i >= 0 && c.Slots[i].Kind == archive.Int && c.Slots[i].N >= 0 {
			offset = uint64(c.Slots[i].N)
		}
		n.setOffset(offset)
	case spec.OpFileSeek:
		n.bytes, n.tag = value(f.Slot(spec.RoleOffset)), int32(value(f.In("whence")))
	case spec.OpFileOpen, spec.OpFileOpenByName:
		n.bytes = packOpening(opening(abi, c))
	}
}

// opening is how a call opens a file.
func opening(abi spec.ABI, c *archive.Call) otf2.Opening {
	for i := range c.Func.Slots {
		s := &c.Func.Slots[i]
		if s.Param < 0 || s.Out {
			continue
		}
		switch c.Func.Params[s.Param].Kind {
		case "FLAGS":
			return otf2.LinuxOpening(c.Slots[i].N)
		case "ACCESS_MODE":
			return otf2.MPIOpening(c.Slots[i].N, abi)
		case "STREAM_MODE":
			return otf2.StreamOpening(c.Slots[i].Str)
		}
	}
	return otf2.Opening{Mode: otf2.ReadWrite}
}

// define writes the definitions of files and handles.
func (o *otf2Files) define(d *otf2.Definitions, node uint32) {
	if len(o.handles) == 0 {
		return
	}
	d.IOParadigms()
	paths := make([]string, len(o.paths))
	for path, id := range o.paths {
		paths[id] = path
	}
	for id, path := range paths {
		d.File(uint32(id), path, node)
	}
	for id := range o.handles {
		d.Handle(uint32(id), &o.handles[id])
	}
}

// otf2Operation is an operation on a file that is under way.
type otf2Operation struct {
	id, bytes uint64
	handle    uint32
}

// operation tells whether a call works on a file, and how.
func operation(f *spec.Func) (mode otf2.IOMode, ok bool) {
	switch f.Op {
	case spec.OpRead:
		return otf2.ReadFile, true
	case spec.OpWrite:
		return otf2.WriteFile, true
	case spec.OpFileSync:
		return otf2.FlushFile, true
	}
	return 0, false
}

// beginsIO writes the begin of what a call does to a file.
func (s *otf2Stream) beginsIO(op *calls.Op, n *note, t uint64) error {
	mode, ok := operation(op.Func)
	if !ok || n.on() == otf2.Undefined {
		return nil
	}
	asked, moved := uint64(n.bytes), n.moved()
	if op.Class == spec.File { // what MPI moves follows from counts and datatypes
		side := &op.Send
		if mode == otf2.ReadFile {
			side = &op.Recv
		}
		asked = size(side.Bytes)
		moved = asked
	}
	s.next++
	s.io = append(s.io, otf2Operation{s.next, moved, n.on()})
	flags := uint32(0)
	if op.Func.Has(spec.Nonblocking) {
		flags |= otf2.IONonblocking
	}
	if op.Func.Has(spec.Collective) {
		flags |= otf2.IOCollective
	}
	return s.ev.IOBegin(t, n.on(), mode, flags, asked, s.next)
}

// offsetName is the attribute with the offset of an access to a file, as the call has it.
const offsetName = otf2.OffsetAttribute

// offset is the attributes of a call on a file.
func (s *otf2Stream) offset(x *otf2Term, op *calls.Op, n *note) []otf2.Attribute {
	if op.Func.Op != spec.OpRead && op.Func.Op != spec.OpWrite || n.offset() == noOffset {
		return x.site
	}
	s.attrs = append(s.attrs[:0], x.site...)
	s.add(offsetName, int64(n.offset()))
	return s.attrs
}

// endsIO writes what a call has done to a file.
func (s *otf2Stream) endsIO(op *calls.Op, n *note, t uint64) error {
	f := op.Func
	if _, ok := operation(f); ok && n.on() != otf2.Undefined {
		o := s.io[len(s.io)-1]
		s.io = s.io[:len(s.io)-1]
		if !f.Has(spec.Nonblocking) {
			return s.ev.IOComplete(t, o.handle, o.bytes, o.id)
		}
		if op.Request < 0 { // the call that ends it has the file, too
			s.split[o.handle] = o
		} else if r := s.lanes[op.Request]; r != nil {
			r.io = &o
		}
		return s.ev.IOIssued(t, o.handle, o.id)
	}
	switch {
	case f.Op == spec.OpFileEnd:
		o, ok := s.split[n.on()]
		if !ok {
			return nil
		}
		delete(s.split, n.on())
		return s.ev.IOComplete(t, o.handle, o.bytes, o.id)
	case f.Op == spec.OpFileDup && n.on() != otf2.Undefined && n.made() != otf2.Undefined:
		return s.ev.HandleDuplicate(t, n.on(), n.made())
	case n.made() != otf2.Undefined:
		return s.ev.HandleCreate(t, n.made(), unpackOpening(n.bytes))
	case f.Op == spec.OpFileSeek && n.on() != otf2.Undefined:
		distance := int64(0) // is not recorded
		if n.tag == fromStart {
			distance = n.bytes
		}
		return s.ev.Seek(t, n.on(), distance, uint8(n.tag), uint64(n.bytes))
	case frees(f) && n.on() != otf2.Undefined:
		return s.ev.HandleDestroy(t, n.on())
	}
	return nil
}
