package foreign

import (
	"math"

	"github.com/tabard-hpc/tabard/internal/otf2"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

var inheritedFunc = spec.ByName("tabard_inherited")

// isFile tells events about files.
func isFile(k otf2.Kind) bool {
	switch k {
	case otf2.HandleCreate, otf2.HandleDestroy, otf2.HandleDuplicate, otf2.SeekFile, otf2.IOBegin, otf2.IOIssued,
		otf2.IOComplete:
		return true
	}
	return false
}

func rawFile(handle uint32) uint64 { return fileHandle | uint64(handle)<<8 }

// used tells of a file that was open before, the first time that it is used.
func (t *thread) used(e *otf2.Event, at uint64, f *spec.Func) error {
	if e.Kind == otf2.HandleCreate {
		t.files[e.IO.Handle] = true
		return nil
	}
	if e.Kind == otf2.HandleDuplicate {
		t.files[e.IO.Other] = true
	}
	slot := f.Slot(spec.RoleOn)
	if t.files[e.IO.Handle] || e.IO.Handle == otf2.Undefined || slot < 0 {
		return nil
	}
	t.files[e.IO.Handle] = true
	path, ok := t.path(e.IO.Handle)
	if !ok || f.Slots[slot].Class != inheritedFunc.Makes() {
		return nil
	}
	var c call
	c.reset(inheritedFunc)
	c.set(inheritedFunc.Slot(spec.RolePath), text(path)...)
	c.set(inheritedFunc.Slot(spec.RoleNew), rawFile(e.IO.Handle))
	t.rec = c.record(t.rec, at, at, 0, 0)
	return t.off.RecordOf(t.number, t.rec)
}

// path is that of an open file. It is not ok if the archive does not define it.
func (t *thread) path(handle uint32) (string, bool) {
	h, ok := t.Handles[handle]
	if !ok {
		return "", false
	}
	path, ok := t.Files[h.File]
	return path, ok
}

// file gives a call what an event says of a file.
func (t *thread) file(e *otf2.Event) bool {
	f, c := t.call.f, &t.call
	on, made := f.Slot(spec.RoleOn), f.Slot(spec.RoleNew)
	switch e.Kind {
	case otf2.HandleCreate:
		if made < 0 {
			return false
		}
		if path, ok := t.path(e.IO.Handle); ok {
			c.set(f.Slot(spec.RolePath), text(path)...)
		}
		t.opening(e.IO.Opening)
		c.set(made, rawFile(e.IO.Handle))
	case otf2.HandleDuplicate:
		if made < 0 || on < 0 {
			return false
		}
		c.set(on, rawFile(e.IO.Handle))
		c.set(made, rawFile(e.IO.Other))
	case otf2.HandleDestroy:
		if on < 0 || f.Slots[on].Life != spec.Free {
			return false
		}
		c.set(on, rawFile(e.IO.Handle))
		c.after(on, 0)
	case otf2.SeekFile:
		if on < 0 || f.Op != spec.OpFileSeek || e.IO.Bytes > math.MaxInt64 {
			return false
		}
		c.set(on, rawFile(e.IO.Handle))
		c.set(f.In("whence"), uint64(e.IO.Whence))
		c.set(f.Slot(spec.RoleOffset), e.IO.Bytes)
	default:
		return t.operates(e)
	}
	return true
}

// opening sets how a file is opened, in the words of the function that does it.
func (t *thread) opening(o otf2.Opening) {
	f := t.call.f
	for i := range f.Slots {
		s := &f.Slots[i]
		if s.Param < 0 || s.Out {
			continue
		}
		switch f.Params[s.Param].Kind {
		case "FLAGS":
			t.call.set(i, uint64(o.Linux()))
		case "ACCESS_MODE":
			t.call.set(i, uint64(o.MPI(t.abi)))
		case "STREAM_MODE":
			t.call.set(i, text(o.Stream())...)
		}
	}
}

// operates gives a call the file that it works on, and how much it moves.
func (t *thread) operates(e *otf2.Event) bool {
	f, c := t.call.f, &t.call
	on := f.Slot(spec.RoleOn)
	if e.Kind == otf2.IOComplete && f.Op == spec.OpComplete {
		return true // see completion
	}
	if on < 0 || f.Op != spec.OpRead && f.Op != spec.OpWrite && f.Op != spec.OpFileSync && f.Op != spec.OpFileEnd {
		return false
	}
	c.set(on, rawFile(e.IO.Handle))
	known := e.IO.Bytes <= math.MaxInt64
	switch {
	case e.Kind == otf2.IOBegin && f.Op == spec.OpRead:
		t.amount(spec.RoleRecvCount, spec.RoleRecvType, e.IO.Bytes)
	case e.Kind == otf2.IOBegin && f.Op == spec.OpWrite:
		t.amount(spec.RoleSendCount, spec.RoleSendType, e.IO.Bytes)
	case e.Kind == otf2.IOComplete && known:
		c.set(f.Slot(spec.RoleMoved), e.IO.Bytes)
		if at := f.Slot(spec.RoleStatus); at >= 0 && f.Op == spec.OpRead {
			w := ring.Status{Source: t.any[0], Tag: t.any[1], Bytes: int64(e.IO.Bytes)}.Words()
			c.set(at, w[:]...)
		}
	}
	if e.Kind == otf2.IOBegin {
		if known {
			c.set(f.Slot(spec.RoleAsked), e.IO.Bytes)
		}
		c.set(f.Slot(spec.RoleRequest), ioRequest|e.Request<<8)
	}
	return true
}
