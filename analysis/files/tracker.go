package files

import (
	"iter"
	"path/filepath"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Handle is an open file: a descriptor, a stream, a directory, a mapping, a file of MPI.
type Handle struct {
	// Path is absolute if the directory is known that the program was in; "" if it is not known.
	Path string
	// viewed is set if the file has a view of its own.
	viewed bool
}

// object is what calls name a handle by. It stands for another one when that is closed.
type object struct {
	class spec.Class
	code  int64
}

// Tracker follows the calls of a process: which files they are on.
type Tracker struct {
	cwd  string
	open map[object]*Handle
}

// NewTracker begins with the process of a stream.
func NewTracker(s *archive.Stream) *Tracker {
	return &Tracker{cwd: s.Rank().Info["cwd"], open: map[object]*Handle{}}
}

// Use is what a call is on.
type Use struct {
	// Path is that of the file, "" if it is not known.
	Path string
	// Handle is the one that the call is given, nil for none or one that nothing is known of. Made is the one that it
	// makes.
	Handle, Made *Handle
}

// Use takes in the next call of the process, in the order in which they returned (see InOrder). It is nil if the call
// is not about files.
func (t *Tracker) Use(c *archive.Call) *Use {
	f := c.Func
	if !used(f) {
		return nil
	}
	u := &Use{}
	if i := f.Slot(spec.RolePath); i >= 0 && c.Slots[i].Kind == archive.Str {
		u.Path = t.absolute(c.Slots[i].Str)
	}
	if i := f.Slot(spec.RoleOn); i >= 0 && c.Slots[i].Kind == archive.Ref && u.Path == "" {
		if u.Handle = t.open[object{c.Slots[i].Class, c.Slots[i].N}]; u.Handle != nil {
			u.Path = u.Handle.Path
		}
	}
	if i := f.Slot(spec.RoleNew); i >= 0 && c.Slots[i].Kind == archive.Ref {
		u.Made = &Handle{Path: u.Path}
		t.open[object{c.Slots[i].Class, c.Slots[i].N}] = u.Made
	}
	if f.Op == spec.OpFileView && u.Handle != nil {
		u.Handle.viewed = true
	}
	return u
}

// used tells whether calls of a function are about files.
func used(f *spec.Func) bool { return f.API == "posixio" || f.Activity == spec.ActivityIo }

// fileCalls are the calls of a stream that are about files.
func fileCalls(s *archive.Stream) iter.Seq2[*archive.Call, error] {
	return func(yield func(*archive.Call, error) bool) {
		sigs, err := s.Signatures()
		if err != nil {
			yield(nil, err)
			return
		}
		s.IterOnly(func(t uint32) bool { return used(spec.ByID(sigs[t].Func)) })(yield)
	}
}

func (t *Tracker) absolute(path string) string {
	if filepath.IsAbs(path) || t.cwd == "" {
		return filepath.Clean(path)
	}
	return filepath.Join(t.cwd, path)
}

// Next is a call, or the error that came in its place.
type Next struct {
	*archive.Call
	Err error
}

// InOrder yields the calls about files of the streams of a process as they returned, with the index of the stream.
func InOrder(streams []*archive.Stream) iter.Seq2[int, Next] {
	return func(yield func(int, Next) bool) {
		if len(streams) == 1 {
			for c, err := range fileCalls(streams[0]) {
				if !yield(0, Next{c, err}) || err != nil {
					return
				}
			}
			return
		}
		heads := make([]Next, len(streams))
		pulls := make([]func() (*archive.Call, error, bool), len(streams))
		advance := func(i int) {
			c, err, ok := pulls[i]()
			heads[i] = Next{c, err}
			if !ok {
				heads[i] = Next{}
			}
		}
		for i, s := range streams {
			pull, stop := iter.Pull2(fileCalls(s))
			defer stop()
			pulls[i] = pull
			advance(i)
		}
		for {
			best := -1
			for i, h := range heads {
				if h.Err != nil {
					yield(i, h)
					return
				}
				if h.Call != nil && (best < 0 || h.End < heads[best].End) {
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
