package replay

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"tabard/spec"
	"tabard/trace"
)

// fileName is the name in the scratch directory of a file of the program; executor/force.c makes the same one.
// A colon ends the kind of a file system for ROMIO, which then opens what follows it, in another directory.
func fileName(name string) string {
	name = name[max(0, len(name)-maxFileName):]
	if name == "." || name == ".." {
		return strings.ReplaceAll(name, ".", "%")
	}
	return fileReplacer.Replace(name)
}

var fileReplacer = strings.NewReplacer("/", "%", ":", "%")

// maxFileName is the length of the longest name in a directory that force.c makes.
const maxFileName = 254

// maxFile bounds the size of a file that is made for reading.
const maxFile = 1 << 40

// expectations is what the program expected of its files.
type expectations struct {
	used bool // there are calls that name files
	// present are files that are opened, or deleted, without being created: they must be there. A file that some rank
	// creates exclusively must not.
	present, exclusive map[string]bool
	size               int64 // of any of them, as far as reads tell
}

// filesOf finds out what a rank of a recording expects. It looks at one rank of each class and at this one's streams.
func filesOf(a *trace.Archive, own []*trace.Stream) (*expectations, error) {
	x := &expectations{present: map[string]bool{}, exclusive: map[string]bool{}}
	for _, s := range own {
		if err := x.add(s, true); err != nil {
			return nil, err
		}
	}
	for _, c := range a.Classes() {
		if g := c.Group(); g.Unranked || g.World != 0 {
			continue
		}
		if err := x.add(c.Stream(c.Ranks().At(0)), false); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// add looks at a stream; own says that it is one of this rank's.
func (x *expectations) add(s *trace.Stream, own bool) error {
	sigs, err := s.Signatures()
	if err != nil {
		return err
	}
	var occ []uint64
	for t, sig := range sigs {
		f := spec.ByID(sig.Func)
		names := f.Name == "MPI_File_open" || f.Name == "MPI_File_delete"
		x.used = x.used || names // also if it failed: what did not succeed there may succeed here
		if !strings.HasPrefix(f.Name, "MPI_File_") || sig.Flags&(trace.Nested|trace.Failed|trace.Unfinished) != 0 {
			continue
		}
		c := trace.Call{Func: f, Slots: sig.Slots}
		switch {
		case names:
			names, err := fileNames(s, uint32(t), sig)
			if err != nil {
				return err
			}
			mode, _ := c.In("amode")
			x.opened(s.Archive().Meta().ABI, names, mode, own)
		case f.Name == "MPI_File_get_size" && own:
			v, _ := c.Out("size")
			if err := x.grow(s, uint32(t), sig, v, "size", 0, 1); err != nil {
				return err
			}
		case strings.Contains(f.Name, "read") && own:
			if occ == nil {
				if occ, err = s.Occurrences(); err != nil {
					return err
				}
			}
			v, _ := c.Out("status")
			if err := x.grow(s, uint32(t), sig, v, "status", 2, occ[t]); err != nil {
				return err
			}
		}
	}
	return nil
}

// opened notes files that are opened, or, with a mode that is absent, deleted.
func (x *expectations) opened(abi spec.ABI, names []string, mode trace.Value, own bool) {
	create, _ := abi.Const("MPI_MODE_CREATE")
	excl, _ := abi.Const("MPI_MODE_EXCL")
	for _, n := range names {
		switch {
		case mode.Kind == trace.Int && mode.N&create != 0 && mode.N&excl != 0:
			x.exclusive[n] = true
		case own && (mode.Kind != trace.Int || mode.N&create == 0):
			x.present[n] = true
		}
	}
}

// fileNames are the names in the first parameter that is a string.
func fileNames(s *trace.Stream, t uint32, sig *trace.Signature) ([]string, error) {
	f := spec.ByID(sig.Func)
	for i := range f.Slots {
		if f.Slots[i].Codec != spec.String {
			continue
		}
		if sig.Slots[i].Kind != trace.Hole {
			return []string{sig.Slots[i].Str}, nil
		}
		c, err := s.Column(t, i, 0)
		if err != nil {
			return nil, err
		}
		seen := map[int64]bool{}
		var names []string
		err = eachValue(c, func(v int64) error {
			if seen[v] {
				return nil
			}
			seen[v] = true
			n, err := s.String(v)
			names = append(names, n)
			return err
		})
		return names, err
	}
	return nil, nil
}

// eachValue goes through a column.
func eachValue(c *trace.Column, f func(int64) error) error {
	buf := make([]int64, 512)
	for at := uint64(0); at < c.Len(); {
		n := c.Read(at, buf)
		if n == 0 {
			return errors.Join(c.Err(), fmt.Errorf("a column ends at value %d of %d", at, c.Len()))
		}
		for _, v := range buf[:n] {
			if err := f(v); err != nil {
				return err
			}
		}
		at += uint64(n)
	}
	return nil
}

// grow adds what a result says about the sizes of files: a size itself, or bytes read, times.
func (x *expectations) grow(s *trace.Stream, t uint32, sig *trace.Signature, v trace.Value, name string, field int, times uint64) error {
	add := func(n int64) {
		switch {
		case field == 0:
			x.size = max(x.size, n)
		case n > 0 && n < maxFile && times < maxFile:
			x.size += min(n, maxFile/int64(max(times, 1))) * int64(times)
		}
		x.size = min(x.size, maxFile)
	}
	switch v.Kind {
	case trace.Int:
		add(v.N)
	case trace.Stat:
		add(v.Stat.Bytes)
	case trace.Hole:
		f := spec.ByID(sig.Func)
		for i := range f.Slots {
			if sl := &f.Slots[i]; sl.Out && trace.SlotName(f, sl) == name {
				c, err := s.Column(t, i, field)
				if err != nil {
					return err
				}
				times = 1
				return eachValue(c, func(n int64) error { add(n); return nil })
			}
		}
	}
	return nil
}

// make makes the files that must be there.
func (x *expectations) make(dir string) error {
	for name := range x.present {
		if x.exclusive[name] {
			continue
		}
		path := filepath.Join(dir, fileName(name))
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		if st, e := f.Stat(); e == nil && st.Size() < x.size {
			err = f.Truncate(min(x.size, math.MaxInt64))
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
