package program

import (
	"errors"
	"fmt"

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
	w := &fileWalk{x: x, s: s, abi: s.Archive().Meta().ABI, again: again, calls: make([]*fileCall, len(sigs)),
		objects: map[int64]*openFile{}, exists: map[string]bool{}, seen: map[string]bool{}, changed: map[string]bool{},
		ranks: int64(max(s.Class().Group().Size, 1))}
	if x.Files == nil {
		x.Files = map[string]*File{}
	}
	any := false
	for t, sig := range sigs {
		f := FuncOf(sig.Func)
		if !concernsFiles[f.Op] || sig.Flags&(archive.Nested|archive.Unfinished) != 0 {
			continue
		}
		names := f.Op == spec.OpFileOpen || f.Op == spec.OpFileDelete
		x.Used = x.Used || names
		w.views = w.views || f.Op == spec.OpFileView
		if sig.Flags&archive.Failed == 0 && (names || !x.NamesOnly) {
			w.calls[t] = &fileCall{f: f, sig: sig, t: uint32(t)}
			any = any || names
		}
	}
	if !any {
		return nil
	}
	return w.walk()
}

// concernsFiles are the operations that tell what was in files.
var concernsFiles = map[spec.Operation]bool{
	spec.OpFileOpen: true, spec.OpFileDelete: true, spec.OpFileView: true, spec.OpFileSize: true,
	spec.OpFileResize: true, spec.OpRead: true, spec.OpWrite: true,
}

// A fileCall is a terminal that has to do with files.
type fileCall struct {
	f       *Func
	sig     *archive.Signature
	t       uint32
	columns map[[2]int]*fileColumn
}

// A fileColumn is a column that is read value by value.
type fileColumn struct {
	c      *archive.Column
	at     uint64
	values []int64
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
	calls                 []*fileCall
	views                 bool
	ranks                 int64
	objects               map[int64]*openFile // by the codes of file handles
	exists, seen, changed map[string]bool
}

// mostFileCalls is how many calls of a stream are looked at, and rules.
var mostFileCalls = 1 << 20

// walk goes through the grammar, past what has nothing to do with files.
func (w *fileWalk) walk() error {
	g, err := w.s.Grammar()
	if err != nil {
		return err
	}
	concerned := RulesWith(g, func(t uint32) bool { return w.calls[t] != nil })
	type frame struct {
		rule  int
		next  int
		times uint64
	}
	stack := []frame{{0, 0, 1}}
	for n := 0; len(stack) > 0 && n < mostFileCalls; {
		f := &stack[len(stack)-1]
		if f.next == len(g.Rules[f.rule]) {
			if f.next = 0; f.times <= 1 {
				stack = stack[:len(stack)-1]
			} else {
				f.times--
			}
			continue
		}
		s := g.Rules[f.rule][f.next]
		f.next++
		switch {
		case s.IsRule():
			if r := s.Rule(); concerned[r] && s.Count > 0 {
				stack = append(stack, frame{r, 0, s.Count})
				n++
			}
		case w.calls[s.ID] != nil:
			for i := uint64(0); i < s.Count && n < mostFileCalls; i++ {
				if err := w.call(w.calls[s.ID]); err != nil {
					return err
				}
				n++
			}
		}
	}
	return nil
}

// call notes what a call says.
func (w *fileWalk) call(c *fileCall) error {
	if c.f.Op == spec.OpFileOpen || c.f.Op == spec.OpFileDelete {
		return w.named(c)
	}
	code, err := w.number(c, c.before("fh"), 0)
	if err != nil {
		return err
	}
	o := w.objects[code]
	if o == nil {
		return nil
	}
	switch c.f.Op {
	case spec.OpFileSize:
		size, err := w.number(c, c.after("size"), 0)
		if o.file.Found && !w.changed[o.path] && err == nil {
			o.file.asked = min(max(o.file.asked, size), maxFile)
		}
		return err
	case spec.OpRead:
		return w.reads(c, o)
	case spec.OpWrite, spec.OpFileResize:
		w.changed[o.path] = true
	}
	return nil
}

// named notes a call that opens or deletes a file.
func (w *fileWalk) named(c *fileCall) error {
	path, err := w.text(c)
	if err != nil {
		return err
	}
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
		return nil
	}
	mode, err := w.number(c, c.before("amode"), 0)
	if err != nil {
		return err
	}
	create, _ := w.abi.Const(mpi.ModeCreate)
	exclusive, _ := w.abi.Const(mpi.ModeExcl)
	if mode&create != 0 {
		f.Created = f.Created || first
		if mode&exclusive != 0 && w.exists[path] && w.again != nil {
			w.again[c.t] = true
		}
	}
	f.Found = f.Found || first && mode&create == 0
	w.exists[path] = true
	code, err := w.number(c, c.after("fh"), 0)
	if err != nil {
		return err
	}
	o := &openFile{path: path, file: f, all: w.ranks}
	if v := c.value(c.before("comm")); v != nil && v.Kind == archive.Ref && v.N == commSelf {
		o.all = 1
	}
	w.objects[code] = o
	return nil
}

// reads notes how far a call reads. Neither the position of the file pointer nor what lies before
// the parts of other processes is known. Both are taken for all that was read, by as many processes
// as have the file open.
func (w *fileWalk) reads(c *fileCall, o *openFile) error {
	n, err := w.bytesRead(c)
	if err != nil {
		return err
	}
	if p := c.before("offset"); p >= 0 {
		at, err := w.number(c, p, 0)
		if err != nil {
			return err
		}
		if w.views { // offsets count elements
			at = min(max(at, 0), maxFile) * 8
		}
		o.file.read = min(max(o.file.read, at+n), maxFile)
		return nil
	}
	o.at = min(o.at+n, maxFile)
	o.file.read = max(o.file.read, o.at*min(o.all, maxFile/max(o.at, 1)))
	return nil
}

// bytesRead is how much a call reads: what its status says, or about as much as it asks for.
func (w *fileWalk) bytesRead(c *fileCall) (int64, error) {
	if p := c.after("status"); p >= 0 {
		switch v := c.value(p); v.Kind {
		case archive.Stat:
			return min(max(v.Stat.Bytes, 0), maxFile), nil
		case archive.Hole:
			n, err := w.number(c, p, 2)
			return min(max(n, 0), maxFile), err
		}
	}
	n, err := w.number(c, c.before("count"), 0)
	return 8 * min(max(n, 0), maxFile/8), err
}

// before and after are the slots of a parameter, -1 for none.
func (c *fileCall) before(name string) int {
	for i := range c.f.Params {
		if c.f.Params[i].Name == name {
			return c.f.Params[i].Before
		}
	}
	return -1
}

func (c *fileCall) after(name string) int {
	for i := range c.f.Params {
		if c.f.Params[i].Name == name {
			return c.f.Params[i].After
		}
	}
	return -1
}

func (c *fileCall) value(slot int) *archive.Value {
	if slot < 0 {
		return nil
	}
	return &c.sig.Slots[slot]
}

// number is the value of a slot, or the next one of its column.
func (w *fileWalk) number(c *fileCall, slot, field int) (int64, error) {
	v := c.value(slot)
	switch {
	case v == nil:
		return 0, nil
	case v.Kind == archive.Hole:
		return w.next(c, slot, field)
	}
	return v.N, nil
}

// text is the name of the file, or the next one of its column.
func (w *fileWalk) text(c *fileCall) (string, error) {
	slot := c.before("filename")
	v := c.value(slot)
	if v == nil || v.Kind != archive.Hole {
		if v == nil {
			return "", nil
		}
		return v.Str, nil
	}
	n, err := w.next(c, slot, 0)
	if err != nil {
		return "", err
	}
	return w.s.String(n)
}

// next is the next value of a column.
func (w *fileWalk) next(c *fileCall, slot, field int) (int64, error) {
	k := [2]int{slot, field}
	col := c.columns[k]
	if col == nil {
		r, err := w.s.Column(c.t, slot, field)
		if err != nil {
			return 0, err
		}
		if r == nil {
			return 0, fmt.Errorf("%s has no column for parameter %d", c.f.Name, slot)
		}
		if c.columns == nil {
			c.columns = map[[2]int]*fileColumn{}
		}
		col = &fileColumn{c: r}
		c.columns[k] = col
	}
	if len(col.values) == 0 {
		buf := make([]int64, 512)
		n := col.c.Read(col.at, buf)
		if n == 0 {
			return 0, errors.Join(col.c.Err(), fmt.Errorf("a column of %s ends at value %d", c.f.Name, col.at))
		}
		col.at += uint64(n)
		col.values = buf[:n]
	}
	v := col.values[0]
	col.values = col.values[1:]
	return v, nil
}
