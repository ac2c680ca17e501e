package program

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// A File is what the calls of some streams say of a file.
type File struct {
	// Found is set if a stream opened it first without creating it, Deleted if a stream deleted it
	// first, Created if a stream created it first.
	Found, Deleted, Created bool
	asked, read             int64 // -1 for a size that nobody asked for
}

// There tells whether the file was there before the recorded run, as far as the calls tell: one
// that was found by one process and created by another one was made in the run.
func (f *File) There() bool { return f.Deleted || f.Found && !f.Created }

// Size is how large the file was in bytes, or at least what is enough for all that was read of it.
// It is at most 2^40.
func (f *File) Size() int64 {
	if f.asked >= 0 {
		return f.asked
	}
	return f.read
}

// commSelf is how calls refer to MPI_COMM_SELF.
var commSelf = func() int64 {
	k, ok := spec.PredefinedByName(mpi.CommSelf)
	if !ok {
		panic("program: " + mpi.CommSelf + " is not known")
	}
	return archive.PredefinedRef(k)
}()

// maxFile bounds the size of a file.
const maxFile = 1 << 40

// Files are the files that streams name, by path.
type Files struct {
	// Used is set if there are calls that name files, also such that failed: they may succeed when
	// they are made again.
	Used  bool
	Files map[string]*File
	// NamesOnly leaves sizes out, which takes less time.
	NamesOnly bool
}

// Add goes through the calls of a stream that have to do with files. If again is not nil, it gets
// terminals that demand that there is no file, though they have made it before: the program removed
// it by other means than MPI.
func (x *Files) Add(s *archive.Stream, again map[uint32]bool) error {
	sigs, err := s.Signatures()
	if err != nil {
		return err
	}
	w := &fileWalk{x: x, s: s, abi: s.Archive().Meta().ABI, again: again, objects: map[int64]*openFile{},
		exists: map[string]bool{}, seen: map[string]bool{}, changed: map[string]bool{},
		ranks: int64(max(s.Class().Group().Size, 1))}
	if x.Files == nil {
		x.Files = map[string]*File{}
	}
	any, wanted := false, make([]bool, len(sigs))
	for t, sig := range sigs {
		f := FuncOf(sig.Func)
		if !concernsFiles[f.Op] || sig.Flags&(archive.Nested|archive.Unfinished) != 0 {
			continue
		}
		names := f.Op == spec.OpFileOpen || f.Op == spec.OpFileDelete
		x.Used = x.Used || names
		w.views = w.views || f.Op == spec.OpFileView
		if sig.Flags&archive.Failed == 0 && (names || !x.NamesOnly) {
			wanted[t] = true
			any = any || names
		}
	}
	if !any {
		return nil
	}
	n := 0
	for c, err := range archive.Only(s, func(t uint32) bool { return wanted[t] }) {
		if err != nil {
			return err
		}
		if n++; n > mostFileCalls {
			break
		}
		w.call(&fileCall{c, FuncOf(c.Func.ID)})
	}
	return nil
}

// concernsFiles are the operations that tell what was in files.
var concernsFiles = map[spec.Operation]bool{
	spec.OpFileOpen: true, spec.OpFileDelete: true, spec.OpFileView: true, spec.OpFileSize: true,
	spec.OpFileResize: true, spec.OpRead: true, spec.OpWrite: true,
}

// A fileCall is a terminal that has to do with files.
type fileCall struct {
	*archive.Call
	f *Func
}

type openFile struct {
	path string
	file *File
	at   int64 // how much has been read from where the file pointer is
	all  int64 // how many processes read
}

// A fileWalk goes through the calls of a stream that have to do with files.
type fileWalk struct {
	x                     *Files
	s                     *archive.Stream
	abi                   spec.ABI
	again                 map[uint32]bool
	views                 bool
	ranks                 int64
	objects               map[int64]*openFile // by the codes of file handles
	exists, seen, changed map[string]bool
}

// mostFileCalls is how many calls of a stream are looked at.
var mostFileCalls = 1 << 20

// call notes what a call says.
func (w *fileWalk) call(c *fileCall) {
	if c.f.Op == spec.OpFileOpen || c.f.Op == spec.OpFileDelete {
		w.named(c)
		return
	}
	o := w.objects[c.before("fh").N]
	if o == nil {
		return
	}
	switch c.f.Op {
	case spec.OpFileSize:
		if o.file.Found && !w.changed[o.path] {
			o.file.asked = min(max(o.file.asked, c.after("size").N), maxFile)
		}
	case spec.OpRead:
		w.reads(c, o)
	case spec.OpWrite, spec.OpFileResize:
		w.changed[o.path] = true
	}
}

// named notes a call that opens or deletes a file.
func (w *fileWalk) named(c *fileCall) {
	path := c.before("filename").Str
	f := w.x.Files[path]
	if f == nil {
		f = &File{asked: -1}
		w.x.Files[path] = f
	}
	first := !w.seen[path]
	w.seen[path] = true
	if c.f.Op == spec.OpFileDelete {
		f.Deleted = f.Deleted || first
		w.exists[path] = false
		return
	}
	mode := c.before("amode").N
	create, _ := w.abi.Const(mpi.ModeCreate)
	exclusive, _ := w.abi.Const(mpi.ModeExcl)
	if mode&create != 0 {
		f.Created = f.Created || first
		if mode&exclusive != 0 && w.exists[path] && w.again != nil {
			w.again[c.Terminal] = true
		}
	}
	f.Found = f.Found || first && mode&create == 0
	w.exists[path] = true
	o := &openFile{path: path, file: f, all: w.ranks}
	if v := c.before("comm"); v.Kind == archive.Ref && v.N == commSelf {
		o.all = 1
	}
	w.objects[c.after("fh").N] = o
}

// reads notes how far a call reads. Neither the position of the file pointer nor what lies before
// the parts of other processes is known. Both are taken for all that was read, by as many processes
// as have the file open.
func (w *fileWalk) reads(c *fileCall, o *openFile) {
	n := c.bytesRead()
	if p := c.before("offset"); p.Kind != archive.Absent {
		at := p.N
		if w.views { // offsets count elements
			at = min(max(at, 0), maxFile) * 8
		}
		o.file.read = min(max(o.file.read, at+n), maxFile)
		return
	}
	o.at = min(o.at+n, maxFile)
	o.file.read = max(o.file.read, o.at*min(o.all, maxFile/max(o.at, 1)))
}

// bytesRead is how much a call reads: what its status says, or about as much as it asks for.
func (c *fileCall) bytesRead() int64 {
	if v := c.after("status"); v.Kind == archive.Stat {
		return min(max(v.Stat.Bytes, 0), maxFile)
	}
	return 8 * min(max(c.before("count").N, 0), maxFile/8)
}

// before and after are the values of a parameter, which are absent if it has none.
func (c *fileCall) before(name string) archive.Value {
	return c.value(name, func(p *Param) int { return p.Before })
}

func (c *fileCall) after(name string) archive.Value {
	return c.value(name, func(p *Param) int { return p.After })
}

func (c *fileCall) value(name string, slot func(*Param) int) archive.Value {
	if p := c.f.Param(name); p != nil && slot(p) >= 0 {
		return c.Slots[slot(p)]
	}
	return archive.Value{}
}
