package otf2

// Kinds of definitions about files. Their handles are numbered in one row for all processes.
const (
	defIOParadigm  = 8
	defRegularFile = 38
	defDirectory   = 39
	defHandle      = 40
	defPreCreated  = 41
)

// IOParadigm says by which interface files are accessed.
type IOParadigm uint8

// Interfaces of files, by the numbers that archives of this package give them.
const (
	PosixIO IOParadigm = iota
	StreamIO
	MPIIO
)

// ioParadigms are their names, as Score-P has them, and whether several processes open a file together.
var ioParadigms = [...]struct {
	id, name string
	parallel uint8
	flags    uint32
}{{"POSIX", "POSIX I/O", 0, 1}, {"ISOC", "ISO C I/O", 0, 0}, {"MPI-IO", "MPI-IO", 1, 0}}

// Opening says how a file is opened.
type Opening struct {
	Mode             AccessMode
	Creation, Status uint32 // bits
}

// AccessMode says what can be done with a file.
type AccessMode uint8

// Modes of access; Linux has the same numbers.
const (
	ReadOnly AccessMode = iota
	WriteOnly
	ReadWrite
)

// Bits of Opening.Creation and of Opening.Status.
const (
	Create            = 1 << 0
	Truncate          = 1 << 1
	Exclusive         = 1 << 3
	NoTerminal        = 1 << 4
	PathOnly          = 1 << 6
	Temporary         = 1 << 7
	NoSeek            = 1 << 9
	Unique            = 1 << 10
	StatusCloseOnExec = 1 << 0
	StatusAppend      = 1 << 1
	StatusNonblocking = 1 << 2
	StatusSync        = 1 << 4
	StatusDataSync    = 1 << 5
	StatusNoTime      = 1 << 7
	StatusDelete      = 1 << 8
)

// Handle is an open file.
type Handle struct {
	File     uint32
	Paradigm IOParadigm
	// PreCreated is set if it was open already where the archive begins.
	PreCreated bool
}

// IOMode says what an operation on a file does.
type IOMode uint8

// Operations on files, and bits that tell more of them.
const (
	ReadFile IOMode = iota
	WriteFile
	FlushFile

	IONonblocking = 1 << 0
	IOCollective  = 1 << 1
)

// IOParadigms defines the interfaces of files.
func (d *Definitions) IOParadigms() {
	for i, p := range ioParadigms {
		d.rec.u8(uint8(i))
		d.rec.u32(d.String(p.id))
		d.rec.u32(d.String(p.name))
		d.rec.u8(p.parallel)
		d.rec.u32(p.flags)
		d.rec.u8(0) // properties
		d.put(defIOParadigm)
	}
}

// File is a file, which the processes on a node of the system tree can see.
func (d *Definitions) File(id uint32, path string, node uint32) {
	d.rec.u32(id)
	d.rec.u32(d.String(path))
	d.rec.u32(node)
	d.put(defRegularFile)
}

// Handle is an open file.
func (d *Definitions) Handle(id uint32, h *Handle) {
	flags := uint32(0)
	if h.PreCreated {
		flags = 1
	}
	d.rec.u32(id)
	d.rec.u32(d.String(""))
	d.rec.u32(h.File)
	d.rec.u8(uint8(h.Paradigm))
	d.rec.u32(flags)
	d.rec.u32(Undefined) // communicator
	d.rec.u32(Undefined) // the handle that it is made of
	d.put(defHandle)
	if h.PreCreated {
		d.rec.u32(id)
		d.rec.u8(uint8(ReadWrite))
		d.rec.u32(0)
		d.put(defPreCreated)
	}
}

// Kinds of events about files.
const (
	evHandleCreate    = 69
	evHandleDestroy   = 70
	evHandleDuplicate = 71
	evSeek            = 72
	evIOBegin         = 75
	evIOIssued        = 77
	evIOComplete      = 78
)

// HandleCreate opens a file.
func (e *Events) HandleCreate(t uint64, handle uint32, o Opening) error {
	e.values.u32(handle)
	e.values.u8(uint8(o.Mode))
	e.values.u32(o.Creation)
	e.values.u32(o.Status)
	return e.put(t, evHandleCreate, true)
}

// HandleDestroy closes a file.
func (e *Events) HandleDestroy(t uint64, handle uint32) error {
	e.values.u32(handle)
	return e.put(t, evHandleDestroy, true)
}

// HandleDuplicate makes another handle of an open file.
func (e *Events) HandleDuplicate(t uint64, handle, other uint32) error {
	e.values.u32(handle)
	e.values.u32(other)
	e.values.u32(0) // status
	return e.put(t, evHandleDuplicate, true)
}

// Seek moves the position in a file to an offset.
func (e *Events) Seek(t uint64, handle uint32, distance int64, whence uint8, offset uint64) error {
	e.values.u32(handle)
	e.values.u64(uint64(distance))
	e.values.u8(whence)
	e.values.u64(offset)
	return e.put(t, evSeek, true)
}

// IOBegin begins an operation on a file; IOComplete has the same id.
func (e *Events) IOBegin(t uint64, handle uint32, mode IOMode, flags uint32, bytes, id uint64) error {
	e.values.u32(handle)
	e.values.u8(uint8(mode))
	e.values.u32(flags)
	e.values.u64(bytes)
	e.values.u64(id)
	return e.put(t, evIOBegin, true)
}

// IOIssued is where the call returns that begins a nonblocking operation.
func (e *Events) IOIssued(t uint64, handle uint32, id uint64) error {
	e.values.u32(handle)
	e.values.u64(id)
	return e.put(t, evIOIssued, true)
}

// IOComplete ends an operation, which moved bytes.
func (e *Events) IOComplete(t uint64, handle uint32, bytes, id uint64) error {
	e.values.u32(handle)
	e.values.u64(bytes)
	e.values.u64(id)
	return e.put(t, evIOComplete, true)
}

// IOEvent is what events about files have.
type IOEvent struct {
	Handle, Other uint32 // Other is what HandleDuplicate makes
	Opening
	Mode     IOMode
	Flags    uint32 // of operations
	Whence   uint8
	Distance int64
	Bytes    uint64 // asked for, moved, or the offset after Seek
}

// values reads an event about files; its number is that of an operation.
func (x *IOEvent) values(kind Kind, v *reader, handle func(uint32) uint32) (id uint64) {
	*x = IOEvent{Handle: handle(v.u32())}
	switch kind {
	case HandleCreate:
		x.Opening = Opening{AccessMode(v.u8()), v.u32(), v.u32()}
	case HandleDuplicate:
		x.Other = handle(v.u32())
	case SeekFile:
		x.Distance, x.Whence, x.Bytes = int64(v.u64()), v.u8(), v.u64()
	case IOBegin:
		x.Mode, x.Flags, x.Bytes, id = IOMode(v.u8()), v.u32(), v.u64(), v.u64()
	case IOIssued:
		id = v.u64()
	case IOComplete:
		x.Bytes, id = v.u64(), v.u64()
	}
	return id
}
