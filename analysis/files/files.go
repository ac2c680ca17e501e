// Package files tells what was done to each file: who read and wrote how much, in accesses of which sizes, in
// which order, and how long it took.
//
// It goes through the recorded calls of POSIX I/O and stdio once, with little memory for each file and rank.
// Which file a call is on follows from the call that opened its descriptor: threads of a process share those,
// so that their calls are taken in the order in which they returned.
package files

import (
	"cmp"
	"iter"
	"path/filepath"
	"slices"
	"time"

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

	ranks map[int]*[2]sequence
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

// Pattern says that access i of a rank begins at Base + PerRank*rank + Step*i.
type Pattern struct {
	Base, PerRank, Step int64
	// Calls is the number of accesses of each rank, Bytes what each moves; -1 if they differ.
	Calls, Bytes int64
}

// sequence is the accesses of one rank to one file, in one direction.
type sequence struct {
	calls, first, last, end, step, bytes int64
	regular, equal                       bool // one step; one size
}

// Of goes through the selected calls.
func Of(a *archive.Archive, chosen *selection.Resolved) (*Result, error) {
	r := &reader{chosen: chosen, files: map[string]*File{}}
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
	res := &Result{Unnamed: r.unnamed}
	for _, f := range r.files {
		f.finish()
		res.Files = append(res.Files, f)
	}
	slices.SortFunc(res.Files, func(a, b *File) int {
		return cmp.Or(cmp.Compare(b.Time(), a.Time()), cmp.Compare(b.Reads.Bytes+b.Writes.Bytes, a.Reads.Bytes+a.Writes.Bytes),
			cmp.Compare(a.Path, b.Path))
	})
	return res, nil
}

type object struct {
	class spec.Class
	code  int64
}

type reader struct {
	chosen  *selection.Resolved
	files   map[string]*File
	unnamed uint64

	// Of the process at hand.
	rank int
	cwd  string
	open map[object]string
}

// process takes in the streams of one process.
func (r *reader) process(streams []*archive.Stream) error {
	r.rank, r.cwd, r.open = streams[0].WorldRank(), streams[0].Rank().Info["cwd"], map[object]string{}
	parts := make([]*selection.Part, len(streams))
	any := false
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
	for i, c := range inOrder(streams) {
		if c.err != nil {
			return c.err
		}
		selected := false
		if p := parts[i]; p != nil && p.Range.From <= c.call.Index && c.call.Index < p.Range.To {
			var err error
			if selected, err = p.Has(c.call); err != nil {
				return err
			}
		}
		r.call(c.call, selected)
	}
	return nil
}

type next struct {
	call *archive.Call
	err  error
}

// inOrder yields the calls of all streams as they returned, with the index of the stream.
func inOrder(streams []*archive.Stream) iter.Seq2[int, next] {
	return func(yield func(int, next) bool) {
		if len(streams) == 1 {
			for c, err := range streams[0].Iter(0) {
				if !yield(0, next{c, err}) || err != nil {
					return
				}
			}
			return
		}
		heads := make([]next, len(streams))
		pulls := make([]func() (*archive.Call, error, bool), len(streams))
		advance := func(i int) {
			c, err, ok := pulls[i]()
			heads[i] = next{c, err}
			if !ok {
				heads[i] = next{}
			}
		}
		for i, s := range streams {
			pull, stop := iter.Pull2(s.Iter(0))
			defer stop()
			pulls[i] = pull
			advance(i)
		}
		for {
			best := -1
			for i, h := range heads {
				if h.err != nil {
					yield(i, h)
					return
				}
				if h.call != nil && (best < 0 || h.call.End < heads[best].call.End) {
					best = i
				}
			}
			if best < 0 || !yield(best, heads[best]) {
				return
			}
			advance(best)
		}
	}
}

// call takes in a call: what it opens, and what it does if it is selected.
func (r *reader) call(c *archive.Call, selected bool) {
	f := c.Func
	if f.API != "posixio" {
		return
	}
	path := ""
	if i := f.Slot(spec.RolePath); i >= 0 && c.Slots[i].Kind == archive.Str {
		path = r.absolute(c.Slots[i].Str)
	}
	if i := f.Slot(spec.RoleOn); i >= 0 && c.Slots[i].Kind == archive.Ref && path == "" {
		path = r.open[object{c.Slots[i].Class, c.Slots[i].N}]
	}
	if i := f.Slot(spec.RoleNew); i >= 0 && c.Slots[i].Kind == archive.Ref {
		r.open[object{c.Slots[i].Class, c.Slots[i].N}] = path
	}
	if !selected || f.Own() {
		return
	}
	if path == "" {
		r.unnamed++
		return
	}
	r.file(path).take(r.rank, c)
}

func (r *reader) absolute(path string) string {
	if filepath.IsAbs(path) || r.cwd == "" {
		return filepath.Clean(path)
	}
	return filepath.Join(r.cwd, path)
}

func (r *reader) file(path string) *File {
	f := r.files[path]
	if f == nil {
		f = &File{Path: path, ranks: map[int]*[2]sequence{}}
		r.files[path] = f
	}
	return f
}

// take counts a call on the file.
func (f *File) take(rank int, c *archive.Call) {
	if c.Flags&archive.Failed != 0 {
		f.Failed++
	}
	offset, bytes := c.Func.Slot(spec.RoleOffset), c.Func.Slot(spec.RoleMoved)
	if offset < 0 || bytes < 0 || c.Slots[bytes].Kind != archive.Int {
		f.Meta++
		f.MetaTime += c.Duration()
		if c.Func.Op == spec.OpFileOpenByName && c.Flags&archive.Failed == 0 {
			f.Opens++
		}
		return
	}
	a, way := &f.Reads, 0
	if c.Func.Op == spec.OpWrite {
		a, way = &f.Writes, 1
	}
	of := f.ranks[rank]
	if of == nil {
		of = &[2]sequence{}
		f.ranks[rank] = of
	}
	a.add(&of[way], c.Slots[offset].N, c.Slots[bytes].N, c.Duration())
}

func (a *Access) add(s *sequence, offset, bytes int64, d time.Duration) {
	a.Calls++
	a.Bytes += bytes
	a.Time += d
	if offset%Block != 0 {
		a.Unaligned++
	}
	if bytes < Small {
		a.SmallCalls++
	}
	class := 0
	for class < len(SizeBounds) && bytes > SizeBounds[class] {
		class++
	}
	a.Sizes[class]++
	step := offset - s.last
	switch {
	case s.calls == 0:
		s.first, s.bytes, s.regular, s.equal = offset, bytes, true, true
	case offset == s.end:
		a.Consecutive++
	case offset > s.end:
		a.Forward++
	default:
		a.Backward++
	}
	if s.calls > 1 && step == s.step && offset != s.end {
		a.Strided++
	}
	if s.calls > 1 && step != s.step {
		s.regular = false
	}
	if bytes != s.bytes {
		s.equal = false
	}
	s.calls, s.last, s.end, s.step = s.calls+1, offset, offset+bytes, step
}

// finish works out what follows from the ranks together.
func (f *File) finish() {
	for rank := range f.ranks {
		f.Ranks = append(f.Ranks, rank)
	}
	slices.Sort(f.Ranks)
	f.Reads.Pattern = f.pattern(0)
	f.Writes.Pattern = f.pattern(1)
	f.ranks = nil
}

// pattern finds the formula of offsets that holds for all accesses, if there is one.
func (f *File) pattern(way int) *Pattern {
	var p *Pattern
	first := 0
	for _, rank := range f.Ranks {
		s := &f.ranks[rank][way]
		if s.calls == 0 {
			continue
		}
		if !s.regular {
			return nil
		}
		step := s.step
		if s.calls == 1 {
			step = 0
		}
		bytes := s.bytes
		if !s.equal {
			bytes = -1
		}
		switch {
		case p == nil:
			p, first = &Pattern{Base: s.first, Step: step, Calls: s.calls, Bytes: bytes}, rank
			continue
		case step != p.Step:
			return nil
		case p.PerRank == 0 && s.first != p.Base:
			if (s.first-p.Base)%int64(rank-first) != 0 || rank != second(f, way, first) {
				return nil
			}
			p.PerRank = (s.first - p.Base) / int64(rank-first)
		case s.first != p.Base+p.PerRank*int64(rank-first):
			return nil
		}
		if s.calls != p.Calls {
			p.Calls = -1
		}
		if bytes != p.Bytes {
			p.Bytes = -1
		}
	}
	if p != nil {
		p.Base -= p.PerRank * int64(first)
	}
	return p
}

// second is the rank after first that has accesses.
func second(f *File, way, first int) int {
	for _, rank := range f.Ranks {
		if rank > first && f.ranks[rank][way].calls > 0 {
			return rank
		}
	}
	return -1
}
