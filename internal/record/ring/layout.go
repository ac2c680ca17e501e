// Package ring is the Go side of the shared memory between the traced program
// and the collector: control page, segments, records. It mirrors capture/core/ring.h,
// where the protocol is described; a test compares the two.
package ring

// Values of capture/core/ring.h. The names follow the C names.
const (
	ControlMagic = 0x31434452414241ff
	SegmentMagic = 0x31534452414241ff
	Version      = 6
	// HeaderBytes precede the records in a segment file.
	HeaderBytes = 4096
	// IDs is more than any id of a function.
	IDs = 1 << 16

	// Flags of the control page.
	CtlStartOff = 1
	CtlNoTiming = 2
	CtlFilter   = 8
	CtlMerge    = 16
	CtlClocks   = 32
	CtlSpill    = 64

	// Requests of a node's leader to its collector, and an answer.
	MergeUnite  = 1
	MergeKeep   = 2
	MergeTaken  = 3
	MergeFailed = 4

	// States of the collector.
	CollectorStarting = 0
	CollectorRunning  = 1
	CollectorDone     = 2

	// How far the collector is with the archive.
	ArchiveNone    = 0
	ArchiveWriting = 1
	ArchiveDone    = 2

	// Call-site modes.
	SitesOff    = 0
	SitesCaller = 1
	SitesStack  = 2

	// Which times calls of functions have.
	TimesOff   = 0
	TimesEntry = 1
	TimesAll   = 2

	// States of a segment.
	SegFree   = 0
	SegActive = 1
	SegFull   = 2

	// Flags of a record.
	FNested  = 1
	FEnter   = 2
	FExit    = 4
	FStack   = 8
	FHidden  = 16
	FRef     = 32
	FIgnored = 64

	// Kinds of arrays.
	APlain    = 0
	AList     = 1
	AStatus   = 2
	ASentinel = 3

	// Classes of segment words.
	WLiteral  = 0
	WHeap     = 1
	WModule   = 2
	WStack    = 3
	WFunction = 4
	WTree     = 5
	WRaw      = 15

	// RequestDone is set in the word of a request whose handle others may have, too; RequestPlace are the bits that say
	// where the program keeps it.
	RequestDone  = 1 << 63
	RequestPlace = 1<<48 - 1

	// Ids of the runtime's own records.
	RPad      = 0
	RProcess  = 1
	RABI      = 2
	RWorld    = 3
	RModule   = 4
	RStack    = 5
	RLost     = 6
	RControl  = 7
	RClock    = 8
	REnd      = 9
	RDef      = 10
	RTree     = 11
	RSegAlloc = 16
	RSegFree  = 17
	RCreate   = 18
	RBegin    = 19
	RJoin     = 20

	// Numbers of definitions: see RDef in ring.h.
	DefMax         = 1 << 20
	DefGenerations = 1 << 12

	// Clocks of RClock.
	ClockTSC     = 1
	ClockGettime = 2

	// Kinds of memory of RSegAlloc.
	MemHeap       = 1
	MemMap        = 2
	MemMPI        = 3
	MemGPU        = 4
	MemGPUManaged = 5
	MemGPUHost    = 6
)

// controlPage is struct tb_control.
type controlPage struct {
	Magic          uint64
	Version        uint32
	Flags          uint32
	Heartbeat      uint64
	CollectorPID   uint32
	CollectorState uint32
	SegmentBytes   uint64
	SegmentsMax    uint32
	Callsites      uint32
	SpillBytes     uint64
	DeadAfterNS    uint64
	SummaryWaitNS  uint64
	Finalized      uint32
	SummaryLen     uint32
	Leader         uint32
	MergeRequest   uint32
	MergeAnswer    uint32
	Initialized    uint32
	LocalRanks     uint32
	Archive        uint32
	Files          uint32
	Said           uint32
	ArrivedNS      uint64
	MergeReceived  uint64
	MergeWaitNS    uint64
	MergeTimeNS    uint64
	Filter         [IDs / 8]byte
	Unseen         uint32
	EventsOff      uint32
	FunctionTimes  uint32
	Bell           uint32
	FunctionDepth  uint32
	In             [508]byte
	InEntered      uint64
	_              [488]byte
	Summary        [1024]byte
}

// segmentHeader is struct tb_segment.
type segmentHeader struct {
	Magic    uint64
	Version  uint32
	PID      uint32
	PIDStart uint64
	Thread   uint32
	TID      uint32
	Seq      uint64
	Capacity uint64
	Once     uint64
	_        uint64

	Published uint64
	Pending   uint64
	InCall    uint32
	State     uint32
	_         [5]uint64

	Consumed uint64
}
