// Package files tells what was done to each file: who read and wrote how much, in accesses of which sizes, in
// which order, and how long it took.
//
// It goes through the recorded calls of POSIX I/O, stdio and MPI-IO once, with little memory for each file and rank.
// Which file a call is on follows from the call that opened its descriptor: threads of a process share those,
// so that their calls are taken in the order in which they returned.
//
// # MPI-IO
//
// Bytes are those that a call asks for. Offsets are known of calls that name one, as long as the file has no view;
// others count as accesses without order. What MPI does in the file to do that is not recorded.
package files

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Result is what was done to all files.
type Result struct {
	// Files are all that were accessed or asked about, those that took most time first.
	Files []*File
	// Unnamed counts accesses to files that no recorded call has opened.
	Unnamed uint64
	// Contention is how much longer reads and writes take while others access files, see contention.go.
	Contention [2]Contention
	// Map is bytes over time and offset, if it was asked for and there is one file.
	Map *Map
}

// Options are what Of is to find besides.
type Options struct {
	// Path chooses files: those whose path it matches, or the last part of it, as filepath.Match does; "" for all.
	Path string
	// Map asks for Result.Map, and for File.ByRank.
	Map bool
}

// File is what was done to one file.
type File struct {
	// Path is absolute if the directory is known that the program was in.
	Path string
	// Ranks are the processes that read or wrote it, in order.
	Ranks         []int
	Reads, Writes Access
	// Opens and Meta are calls that move no data: all of them, those that open the file included, and their time.
	Opens, Meta uint64
	MetaTime    time.Duration
	// Failed counts calls that returned an error.
	Failed uint64
	// ByRank is the bytes that each of Ranks read or wrote, if maps were asked for.
	ByRank []int64
	// Slowest and Fastest are the ranks with the most and the least time in reads and writes.
	Slowest, Fastest RankTime

	ranks map[int]*[2]sequence
}

// RankTime is the time of a rank.
type RankTime struct {
	Rank int           `json:"rank"`
	Time time.Duration `json:"time_ns"`
}

// Time is that of all calls on the file, of all ranks together.
func (f *File) Time() time.Duration { return f.Reads.Time + f.Writes.Time + f.MetaTime }

// Shared tells whether several processes read or wrote it.
func (f *File) Shared() bool { return len(f.Ranks) > 1 }

// SizeBounds are the upper bounds of Access.Sizes in bytes; the last class has none.
var SizeBounds = []int64{100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30}

// Small is the size below which an access is small, in bytes, and Block what aligned offsets are multiples of.
const (
	Small = 4096
	Block = 4096
)

// Access is reads, or writes.
type Access struct {
	Calls uint64
	Bytes int64
	Time  time.Duration
	// Unplaced are accesses whose offset is not known; they are in no class of the order.
	Unplaced uint64
	// Consecutive accesses begin where the rank's last one on the file ended; Forward ones behind that, Backward ones
	// before it. The first access of a rank is none of them.
	Consecutive, Forward, Backward uint64
	// Strided are accesses as far from the one before as that from the one before it.
	Strided uint64
	// Sizes are accesses by their bytes, in the classes of SizeBounds.
	Sizes [10]uint64
	// SmallCalls moved less than Small bytes, Unaligned ones began at no multiple of Block.
	SmallCalls, Unaligned uint64
	// Pattern is the offsets as a formula of the rank and the number of the access, nil if there is none.
	Pattern *Pattern
}

// Of goes through the selected calls.
func Of(a *archive.Archive, chosen *selection.Resolved, o Options) (*Result, error) {
	if _, err := filepath.Match(o.Path, ""); err != nil {
		return nil, fmt.Errorf("%q is no pattern of paths: %w", o.Path, err)
	}
	r := &reader{archive: a, chosen: chosen, opts: o, files: map[string]*File{}}
	processes := map[int][]*archive.Stream{}
	var order []int
	for s := range a.Streams() {
		if processes[s.Process()] == nil {
			order = append(order, s.Process())
		}
		processes[s.Process()] = append(processes[s.Process()], s)
	}
	for _, p := range order {
		if err := r.process(processes[p]); err != nil {
			return nil, err
		}
	}
	res := &Result{Unnamed: r.unnamed, Contention: r.samples.contention()}
	for _, f := range r.files {
		if f != nil {
			f.finish(o.Map)
			res.Files = append(res.Files, f)
		}
	}
	if o.Map && len(res.Files) == 1 && r.placed != nil {
		res.Map = r.placed.finish()
	}
	slices.SortFunc(res.Files, func(a, b *File) int {
		return cmp.Or(cmp.Compare(b.Time(), a.Time()), cmp.Compare(b.Reads.Bytes+b.Writes.Bytes,
			a.Reads.Bytes+a.Writes.Bytes),
			cmp.Compare(a.Path, b.Path))
	})
	return res, nil
}

type reader struct {
	archive *archive.Archive
	chosen  *selection.Resolved
	opts    Options
	files   map[string]*File // nil: not chosen
	unnamed uint64
	samples samples
	placed  *placed // accesses of the only file so far
	// program has what MPI's handles mean; nil until a call of MPI-IO needs it
	program *calls.Program

	// Of the process at hand.
	rank    int
	tracker *Tracker
	streams []*archive.Stream
	ops     []*opReader
}

// process takes in the streams of one process.
func (r *reader) process(streams []*archive.Stream) error {
	r.rank, r.tracker = streams[0].WorldRank(), NewTracker(streams[0])
	r.streams, r.ops = streams, make([]*opReader, len(streams))
	any := false
	parts := make([]*selection.Part, len(streams))
	for i, s := range streams {
		var err error
		if parts[i], err = r.chosen.Part(s); err != nil {
			return err
		}
		any = any || parts[i] != nil
	}
	if !any || !r.chosen.Selection.Rank(r.rank) {
		return nil
	}
	for i, c := range InOrder(streams) {
		if c.Err != nil {
			return c.Err
		}
		selected := false
		if p := parts[i]; p != nil && p.Range.From <= c.Index && c.Index < p.Range.To {
			var err error
			if selected, err = p.Has(c.Call); err != nil {
				return err
			}
		}
		if err := r.call(i, c.Call, selected); err != nil {
			return err
		}
	}
	return nil
}

// call takes in a call of a stream of the process: what it opens, and what it does if it is selected.
func (r *reader) call(stream int, c *archive.Call, selected bool) error {
	on := r.tracker.Use(c)
	if on == nil || !selected || c.Func.Own() {
		return nil
	}
	if on.Path == "" {
		r.unnamed++
		return nil
	}
	of := r.file(on.Path)
	if of == nil {
		return nil
	}
	a, err := r.access(stream, c, on.Handle)
	if err != nil {
		return err
	}
	of.take(r.rank, c, a)
	if a != nil {
		r.samples.add(a)
		if r.placed != nil && a.offset >= 0 {
			r.placed.add(a)
		}
	}
	return nil
}

// access is a read or write.
type access struct {
	begin, end time.Duration
	offset     int64 // -1: not known
	bytes      int64
	writes     bool
}

// access is what a call reads or writes, nil if it does not.
func (r *reader) access(stream int, c *archive.Call, on *Handle) (*access, error) {
	f := c.Func
	if c.Func.API != "posixio" {
		return r.collective(stream, c, on)
	}
	offset, bytes := f.Slot(spec.RoleOffset), f.Slot(spec.RoleMoved)
	if offset < 0 || bytes < 0 || c.Slots[bytes].Kind != archive.Int {
		return nil, nil
	}
	at := int64(-1)
	if c.Slots[offset].Kind == archive.Int {
		at = c.Slots[offset].N
	}
	return &access{c.Start, c.End, at, c.Slots[bytes].N, f.Op == spec.OpWrite}, nil
}

// file is the file with a path, nil if it is not chosen.
func (r *reader) file(path string) *File {
	f, ok := r.files[path]
	if ok {
		return f
	}
	if r.chosenPath(path) {
		f = &File{Path: path, ranks: map[int]*[2]sequence{}}
		if r.placed = nil; r.opts.Map && !r.any() {
			r.placed = newPlaced()
		}
	}
	r.files[path] = f
	return f
}

// any tells whether a file is chosen already.
func (r *reader) any() bool {
	for _, f := range r.files {
		if f != nil {
			return true
		}
	}
	return false
}

func (r *reader) chosenPath(path string) bool {
	if r.opts.Path == "" {
		return true
	}
	for _, part := range []string{path, filepath.Base(path)} {
		if ok, err := filepath.Match(r.opts.Path, part); ok && err == nil {
			return true
		}
	}
	return false
}

// take counts a call on the file, and what it reads or writes.
func (f *File) take(rank int, c *archive.Call, a *access) {
	if c.Flags&archive.Failed != 0 {
		f.Failed++
	}
	if a == nil {
		f.Meta++
		f.MetaTime += c.Duration()
		if (c.Func.Op == spec.OpFileOpenByName || c.Func.Op == spec.OpFileOpen) && c.Flags&archive.Failed == 0 {
			f.Opens++
		}
		return
	}
	to, way := &f.Reads, 0
	if a.writes {
		to, way = &f.Writes, 1
	}
	of := f.ranks[rank]
	if of == nil {
		of = &[2]sequence{}
		f.ranks[rank] = of
	}
	to.add(&of[way], a.offset, a.bytes, c.Duration())
}
