package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// What a state directory should have free for each local rank
// and on top; places with less are the last choice.
const (
	roomPerRank = 24 << 20
	roomBase    = 64 << 20
)

// state finds the state directory of this job on this node or makes it.
func (l *launcher) state(output string, try int) (string, error) {
	id, alone := jobIdentity(l.env)
	if alone {
		l.env.localSize = 1
	}
	if l.share().count > 1 {
		id += fmt.Sprintf(" collector %d", l.share().index)
	}
	key := collect.StateKey(output, id)
	if try > 2 { // what has ended there cannot be moved out of the way
		key += fmt.Sprintf("-%d", try)
	}
	var err error
	for range 4 { // somebody may be changing what there is
		var dir string
		if dir, err = l.findOrMake(output, key); err == nil || !errors.Is(err, safefile.ErrNotPrivate) {
			return dir, err
		}
	}
	return "", err
}

// roots are the places for the state, best first.
func (l *launcher) roots(output string) ([]string, error) {
	roots := collect.StateRoots(output)
	if l.o.State != "" {
		abs, err := filepath.Abs(l.o.State)
		if err != nil {
			return nil, err
		}
		os.MkdirAll(abs, 0o700) // asked for; no other place is made
		if own := collect.RootIn(abs); own != "" {
			roots = append([]string{own}, slices.DeleteFunc(roots, func(r string) bool { return r == own })...)
		}
	}
	return roots, nil
}

func (l *launcher) findOrMake(output, key string) (string, error) {
	roots, err := l.roots(output)
	if err != nil {
		return "", err
	}
	want := uint64(roomBase + roomPerRank*max(1, l.share().ranks))
	var errs []error
	var job *collect.Job
	for _, least := range []uint64{want, 0} {
		for i, root := range roots {
			// Another rank may have decided since we last looked.
			if dir := existing(roots, key); dir != "" {
				return dir, nil
			}
			d, err := safefile.MakePrivate(root)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			defer d.Close()
			if d.Room() < least {
				continue
			}
			spill := makeSpill(output, roots[i+1:], d, key)
			dir := d.Join(key)
			job = l.job(output)
			if _, err = collect.CreateState(dir, job, l.config()); err == nil {
				return dir, nil
			}
			collect.RemoveEmpty(spill)
			errs = append(errs, err)
		}
	}
	if job != nil {
		job.GiveUp()
	}
	return "", fmt.Errorf(
		"no place for the state of the recording (set TABARD_STATE to a directory with some room): %w",
		errors.Join(errs...),
	)
}

// existing finds the state directory of a job that another rank made.
func existing(roots []string, key string) string {
	for _, r := range roots {
		root, err := safefile.OpenPrivate(r)
		if err != nil {
			continue
		}
		d, err := root.OpenPrivate(key)
		root.Close()
		if err != nil {
			continue
		}
		made := d.Has(ring.ControlFile)
		d.Close()
		if made {
			return d.Path()
		}
	}
	return ""
}

// makeSpill makes a second place for segments and says where: in the next root on another file system, on a disk if
// there is one, since what nobody collects must not fill the memory. It is empty if there is none.
func makeSpill(output string, others []string, root *safefile.Dir, key string) string {
	for _, memory := range []bool{false, true} {
		for _, r := range others {
			d, err := safefile.MakePrivate(r)
			if err != nil {
				continue
			}
			spill := ""
			if !sameDevice(d, root) && d.InMemory() == memory {
				if s, err := d.MakePrivate(key + collect.SpillSuffix); err == nil {
					s.Close()
					spill = s.Path()
				}
			}
			d.Close()
			if spill != "" {
				collect.LinkRoot(r, output)
				return spill
			}
		}
	}
	return ""
}

func sameDevice(a, b *safefile.Dir) bool {
	x, err1 := a.Self()
	y, err2 := b.Self()
	return err1 == nil && err2 == nil && x.Dev == y.Dev
}

// config is the control page's content.
func (l *launcher) config() ring.Config {
	o := l.o
	c := ring.Config{
		StartOff:      o.StartOff,
		NoTiming:      o.NoTiming,
		EventsOff:     o.EventsOff,
		FunctionTimes: o.FunctionTimes,
		FunctionDepth: o.FunctionDepth,
		In:            o.In,
		Callsites:     o.Callsites,
		Filter:        o.Filter,
		SegmentBytes:  o.SegmentBytes,
		SegmentsMax:   o.SegmentsMax,
		SpillBytes:    o.SpillBytes,
		Spill:         o.CPUs > 0,
	}
	c.Merge, c.Clocks, c.MergeWait = l.meets()
	c.LocalRanks = l.share().ranks
	c.Lost = render.OneLine("tabard: the collector was lost; complete the recording with: tabard recover " + o.Output)
	return c
}
