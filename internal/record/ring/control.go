package ring

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/spec"
)

// ControlFile is the name of the control page in a state directory.
const ControlFile = "control"

// Config is what the launcher decides for a job and the runtime obeys.
type Config struct {
	StartOff      bool          // tracing is off until the program switches it on
	NoTiming      bool          // no time stamps
	Callsites     uint32        // SitesOff, SitesCaller, SitesStack
	Filter        []uint16      // ids of functions that are filtered out
	EventsOff     uint32        // kinds of events that are not recorded: a bit for each spec.EventKind
	FunctionTimes uint32        // of calls of functions: TimesOff, TimesEntry, TimesAll
	FunctionDepth uint32        // functions in so many others are not recorded; 0: no limit
	In            string        // regions that recording is limited to (CheckIn); empty: it is not
	SegmentBytes  int64         // size of a segment file, header included, but for the first ones; 0: 4 MiB
	SegmentsMax   int           // segments of a thread before it waits; 0: 32
	SpillBytes    int64         // per process, beside rings; 0: 4 GiB
	DeadAfter     time.Duration // age of a heartbeat that counts as death; 0: 5 s
	SummaryWait   time.Duration // rank 0 waits for the summary at its end; 0: 5 s
	Merge         bool          // collectors unite their archives inside MPI_Finalize
	Clocks        bool          // collectors measure the clocks of their nodes inside MPI_Finalize
	LocalRanks    int           // how many ranks belong to the collector, 0 unknown
	Spill         bool          // where a ring is full, the program spills and does not wait
	MergeWait     time.Duration // until all ranks are in MPI_Finalize; 0: 20 s
	MergeTime     time.Duration // for the exchange then; 0: 30 s
	Lost          string        // what to print if the collector is lost
}

// Control is the mapped control page of a state directory.
type Control struct {
	page *controlPage
	m    *mapping
}

func orDefault[T int | int64 | time.Duration](v, def T) T {
	if v == 0 {
		return def
	}
	return v
}

// CreateControl writes the control page of a state directory. Of several processes that do so
// at once one wins; the others get an error that is os.ErrExist and go on with OpenControl.
func CreateControl(d *safefile.Dir, c Config) error {
	p := c.page()
	return d.WriteNew(ControlFile, unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)))
}

func (c Config) page() *controlPage {
	p := &controlPage{
		Magic: ControlMagic, Version: Version,
		SegmentBytes:  uint64(orDefault(c.SegmentBytes, 4<<20)),
		SegmentsMax:   uint32(orDefault(c.SegmentsMax, 32)),
		SpillBytes:    uint64(orDefault(c.SpillBytes, 4<<30)),
		DeadAfterNS:   uint64(orDefault(c.DeadAfter, 5*time.Second)),
		SummaryWaitNS: uint64(orDefault(c.SummaryWait, 5*time.Second)),
		Callsites:     c.Callsites,
		EventsOff:     c.EventsOff,
		FunctionTimes: c.FunctionTimes,
		FunctionDepth: c.FunctionDepth,
		Heartbeat:     MonotonicNS(),
		Leader:        ^uint32(0),
		LocalRanks:    uint32(c.LocalRanks),
		MergeWaitNS:   uint64(orDefault(c.MergeWait, 20*time.Second)),
		MergeTimeNS:   uint64(orDefault(c.MergeTime, 30*time.Second)),
	}
	copy(p.In[:len(p.In)-1], c.In)
	copy(p.Summary[:len(p.Summary)-1], c.Lost)
	for bit, on := range map[uint32]bool{
		CtlStartOff: c.StartOff, CtlNoTiming: c.NoTiming, CtlFilter: len(c.Filter) > 0,
		CtlMerge: c.Merge, CtlClocks: c.Clocks, CtlSpill: c.Spill,
	} {
		if on {
			p.Flags |= bit
		}
	}
	for _, id := range c.Filter {
		p.Filter[id/8] |= 1 << (id % 8)
	}
	return p
}

// LostControl is in the place of a control page whose file is gone.
func LostControl(c Config) *Control {
	p := c.page()
	p.CollectorState = CollectorDone
	mem := unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	control := &Control{page: p, m: &mapping{mem: mem, owned: true}}
	control.m.lost.Store(true)
	return control
}

// OpenControl maps the control page of a state directory. The error is ErrShortened if there is none any more.
func OpenControl(d *safefile.Dir) (*Control, error) {
	f, err := d.OpenFile(ControlFile, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	mem, err := safefile.Map(f, int64(unsafe.Sizeof(controlPage{})))
	if st, e := f.Stat(); e == nil && st.Size() < int64(unsafe.Sizeof(controlPage{})) {
		err = fmt.Errorf("%s: %w", f.Name(), ErrShortened)
	}
	if err != nil {
		return nil, err
	}
	c := &Control{page: (*controlPage)(unsafe.Pointer(&mem[0])), m: newMapping(mem)}
	c.m.first = bytes.Clone(mem)
	if c.page.Magic == 0 {
		c.Close()
		return nil, fmt.Errorf("%s: %w", f.Name(), ErrShortened)
	}
	if c.page.Magic != ControlMagic || c.page.Version != Version {
		c.Close()
		return nil, fmt.Errorf("%s was written by another version of tabard, which can read it; or remove %s", f.Name(),
			d.Path())
	}
	return c, nil
}

// Close unmaps the page.
func (c *Control) Close() error {
	c.page = nil
	return c.m.close()
}

// Lost tells whether the file is gone: what the program says, and what is said to it, does not arrive.
func (c *Control) Lost() bool { return c.m.lost.Load() }

// MonotonicNS is CLOCK_MONOTONIC, the clock of heartbeats.
func MonotonicNS() uint64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return uint64(ts.Nano())
}

// Beat says that the collector lives.
func (c *Control) Beat() { atomic.StoreUint64(&c.page.Heartbeat, MonotonicNS()) }

// SetCollector announces the collector's state (Collector constants).
func (c *Control) SetCollector(state uint32) {
	atomic.StoreUint32(&c.page.CollectorPID, uint32(syscall.Getpid()))
	atomic.StoreUint32(&c.page.CollectorState, state)
	c.Beat()
}

// Finalized is the number of processes that returned from MPI_Finalize.
func (c *Control) Finalized() int { return int(atomic.LoadUint32(&c.page.Finalized)) }

// Arrived tells whether a process is in MPI_Finalize where collectors meet.
func (c *Control) Arrived() bool { return atomic.LoadUint64(&c.page.ArrivedNS) != 0 }

// Initialized is the number of processes, but for spawned ones, that returned from MPI_Init.
func (c *Control) Initialized() int { return int(atomic.LoadUint32(&c.page.Initialized)) }

// SetArrived is for tests that play another process, which came to MPI_Finalize at that time of CLOCK_MONOTONIC.
func (c *Control) SetArrived(ns uint64) { atomic.StoreUint64(&c.page.ArrivedNS, ns) }

// SetInitialized is for tests that play the program.
func (c *Control) SetInitialized(n int) { atomic.StoreUint32(&c.page.Initialized, uint32(n)) }

// Files counts the registrations and segments that have appeared in the directories.
func (c *Control) Files() uint32 { return atomic.LoadUint32(&c.page.Files) }

// AddFile says that one more is there, ready to be read.
func (c *Control) AddFile() { atomic.AddUint32(&c.page.Files, 1) }

// Bell counts what the program wants the collector to look at soon.
func (c *Control) Bell() uint32 { return atomic.LoadUint32(&c.page.Bell) }

// Wait waits until there is something after heard, a result of Bell, but no longer than atMost.
func (c *Control) Wait(heard uint32, atMost time.Duration) {
	began := time.Now()
	for atMost > 0 && c.Bell() == heard {
		ts := unix.NsecToTimespec(int64(atMost))
		_, _, err := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&c.page.Bell)), futexWait, uintptr(heard),
			uintptr(unsafe.Pointer(&ts)), 0, 0)
		if err != 0 && err != unix.EINTR && err != unix.EAGAIN && err != unix.ETIMEDOUT {
			time.Sleep(atMost) // the file is gone
		}
		atMost -= time.Since(began)
		began = time.Now()
	}
}

const futexWait = 0 // FUTEX_WAIT of linux/futex.h

// CollectorAlive reports whether a collector shows signs of life, as the program judges it too.
func (c *Control) CollectorAlive() bool {
	beat, now := atomic.LoadUint64(&c.page.Heartbeat), MonotonicNS()
	return atomic.LoadUint32(&c.page.CollectorState) != CollectorDone && now < beat+c.page.DeadAfterNS
}

// NoTiming reports whether records carry no time stamps.
func (c *Control) NoTiming() bool { return c.page.Flags&CtlNoTiming != 0 }

// Partial reports whether calls are left out on purpose, from the beginning at least.
func (c *Control) Partial() bool {
	return c.page.Flags&CtlStartOff != 0 || c.page.In[0] != 0 || c.page.Flags&CtlFilter != 0 && !c.withoutMPI()
}

// maxInNames is how many names the regions that recording is limited to may have, those around them included.
const maxInNames = 63

// CheckIn tells whether the runtime has room for regions that recording is limited to, in a list with commas.
func CheckIn(list string) error {
	if n := strings.Count(list, ",") + strings.Count(list, "/") + 1; n > maxInNames {
		return fmt.Errorf("%d names of regions: at most %d; * stands for anything in a name", n, maxInNames)
	}
	if most := len(controlPage{}.In) - 1; len(list) > most {
		return fmt.Errorf("names of regions are %d bytes long: at most %d; * stands for anything in a name", len(list),
			most)
	}
	return nil
}

// Entered tells whether a process has entered the i-th of the regions that recording is limited to.
func (c *Control) Entered(i int) bool { return atomic.LoadUint64(&c.page.InEntered)>>i&1 != 0 }

// Instead are the kinds of events that are recorded where those of MPI are not, nil where they are.
func (c *Control) Instead() (kinds []string) {
	if c.page.Flags&CtlFilter == 0 || !c.withoutMPI() {
		return nil
	}
	for k := 1; k < len(spec.EventKinds); k++ {
		if c.page.EventsOff>>k&1 == 0 {
			kinds = append(kinds, spec.EventKinds[k].Name)
		}
	}
	return kinds
}

// withoutMPI tells whether all of MPI's functions are filtered out and no others: its events were not asked for.
func (c *Control) withoutMPI() bool {
	for _, f := range spec.Functions() {
		out := c.page.Filter[f.ID/8]>>(f.ID%8)&1 != 0
		if !f.Own() && out != (f.Kind == 0) {
			return false
		}
	}
	return true
}

// Say says that the summary is being printed, by the caller if that is the first one.
func (c *Control) Say() bool { return atomic.SwapUint32(&c.page.Said, 1) == 0 }

// Unseen is the number of processes that had an MPI library and ended without a call that came to the runtime.
func (c *Control) Unseen() int { return int(atomic.LoadUint32(&c.page.Unseen)) }

// SetSummary publishes what rank 0 prints at its end, cut to what fits.
func (c *Control) SetSummary(line string) {
	n := copy(c.page.Summary[:len(c.page.Summary)-1], line)
	c.page.Summary[n] = 0
	atomic.StoreUint32(&c.page.SummaryLen, uint32(n))
}

// SetArchive says how far the collector is with the archive (Archive constants): processes wait for that at their end.
func (c *Control) SetArchive(state uint32) { atomic.StoreUint32(&c.page.Archive, state) }

// MergeRequest is what the node's leader asks for (Merge constants; 0 nothing), and how many files
// the leader received.
func (c *Control) MergeRequest() (request uint32, received int) {
	request = atomic.LoadUint32(&c.page.MergeRequest)
	return request, int(min(c.page.MergeReceived, 1<<20))
}

// AnswerMerge says that a request is done, or MergeFailed.
func (c *Control) AnswerMerge(answer uint32) { atomic.StoreUint32(&c.page.MergeAnswer, answer) }

// RequestMerge plays the leader: it makes a request.
func (c *Control) RequestMerge(request uint32, received int) {
	c.page.MergeReceived = uint64(received)
	atomic.StoreUint32(&c.page.MergeRequest, request)
}

// MergeAnswer is what the leader sees of the collector.
func (c *Control) MergeAnswer() uint32 { return atomic.LoadUint32(&c.page.MergeAnswer) }
