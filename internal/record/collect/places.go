package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Where state lies. A root is a private directory of this user, tabard-UID in a place that may be everybody's. Where
// somebody else was first with that name, or changed it, the root has the next one, tabard-UID.1 and so on: all
// processes of a user come to the same. A root that is not private is never looked into. Names in it are derived from
// the output and the job: what a file in it says is not needed to find anything.

// rootTries bounds the names of a root in a place.
const rootTries = 4

func rootName(i int) string {
	name := fmt.Sprintf("tabard-%d", os.Getuid())
	if i > 0 {
		name += fmt.Sprintf(".%d", i)
	}
	return name
}

// places are the directories that roots may be in: what the environment names, and where every later command looks,
// whatever its environment.
func places(output string) (named, fixed []string) {
	run := fmt.Sprintf("/run/user/%d", os.Getuid())
	fixed = []string{"/dev/shm", run, "/tmp", filepath.Dir(output)}
	// What is in XDG_RUNTIME_DIR takes memory that sessions need: not the first choice.
	for _, dir := range []string{
		os.Getenv("TABARD_STATE"), "/dev/shm", os.Getenv("XDG_RUNTIME_DIR"), os.Getenv("TMPDIR"), "/tmp",
		filepath.Dir(output),
	} {
		if filepath.IsAbs(dir) && !slices.Contains(named, filepath.Clean(dir)) {
			named = append(named, filepath.Clean(dir))
		}
	}
	return named, fixed
}

// RootIn is where this user's root in a place is, or can be made; empty if there is no name left.
func RootIn(place string) string {
	for i := range rootTries {
		root := filepath.Join(place, rootName(i))
		if d, err := safefile.OpenPrivate(root); err == nil ||
			!errors.Is(err, safefile.ErrNotPrivate) && !isDenied(err) {
			d.Close()
			return root
		}
	}
	return ""
}

func isDenied(err error) bool { return errors.Is(err, fs.ErrPermission) }

// StateRoots lists the places where the state directory of a recording to
// output may be, best first.
func StateRoots(output string) []string {
	named, _ := places(output)
	var roots []string
	for _, p := range named {
		if r := RootIn(p); r != "" {
			roots = append(roots, r)
		}
	}
	return roots
}

// existingRoots are the roots that there are in some places.
func existingRoots(places ...string) []string {
	var roots []string
	for _, p := range places {
		for i := range rootTries {
			root := filepath.Join(p, rootName(i))
			if slices.Contains(roots, root) {
				continue
			}
			if d, err := safefile.OpenPrivate(root); err == nil {
				d.Close()
				roots = append(roots, root)
			}
		}
	}
	return roots
}

// StateKey names the state directory of a job that records to output.
func StateKey(output, job string) string { return outputKey(output) + "-" + Hash(job+" "+output) }

// outputKey is the same for numbered names of an output: which of them it is to be is decided later.
func outputKey(output string) string { return Hash(family(output)) }

// Hash is a short name that stands for a text.
func Hash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:8])
}

// CanonicalOutput makes path absolute with the symbolic links of its directory resolved, so that
// one file has one state key. A directory that does not exist stays as it is.
func CanonicalOutput(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	return abs, nil
}

// knownRoots are the roots that may have something of a recording to output.
func knownRoots(output string) []string {
	named, fixed := places(output)
	roots := existingRoots(slices.Concat(named, fixed)...)
	return linked(roots, existingRoots(fixed...), outputKey(output)+linkMark)
}

// allRoots are the roots that may have something of any recording, as far as that can be known.
func allRoots(output string) []string {
	named, fixed := places(output)
	roots := existingRoots(slices.Concat(named, fixed)...)
	return linked(roots, existingRoots(fixed...), linkMark)
}

// linked adds the roots that links in some others lead to, of links with mark in their names.
func linked(roots, from []string, mark string) []string {
	for _, r := range from {
		eachEntry(r, func(d *safefile.Dir, name string) {
			to, err := d.Readlink(name)
			if err != nil || !strings.Contains(name, mark) || slices.Contains(roots, to) {
				return
			}
			if t, err := safefile.OpenPrivate(to); err == nil {
				t.Close()
				roots = append(roots, to)
			}
		})
	}
	return roots
}

// eachEntry goes through a private directory, if it is one.
func eachEntry(dir string, f func(d *safefile.Dir, name string)) {
	d, err := safefile.OpenPrivate(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Names()
	for _, n := range names {
		f(d, n)
	}
}

// jobState is a state directory and the job that it is of.
type jobState struct {
	dir string
	job *Job
}

// statesOf lists the state directories of recordings to output, and to numbered names of it, oldest first.
func statesOf(output string) (found []jobState) {
	for _, root := range knownRoots(output) {
		eachEntry(root, func(d *safefile.Dir, name string) {
			if !strings.HasPrefix(name, outputKey(output)+"-") || strings.Contains(name, removedMark) {
				return
			}
			if job, err := ReadJob(d.Join(name)); err == nil {
				found = append(found, jobState{d.Join(name), job})
			}
		})
	}
	slices.SortFunc(found, func(a, b jobState) int { return a.job.Created.Compare(b.job.Created) })
	return found
}

// FindStates lists the state directories of recordings to output, oldest first.
func FindStates(output string) (dirs []string) {
	for _, s := range statesOf(output) {
		if s.job.Output == output {
			dirs = append(dirs, s.dir)
		}
	}
	return dirs
}

// Numbered lists what else was being recorded to output: recordings that took the next free names,
// and of which state is left, oldest first.
func Numbered(output string) []string {
	output, err := CanonicalOutput(output)
	if err != nil {
		return nil
	}
	var outputs []string
	for _, s := range statesOf(output) {
		name := s.job.Output
		if name != output && family(name) == output && !slices.Contains(outputs, name) {
			outputs = append(outputs, name)
		}
	}
	return outputs
}

// SpillSuffix is in the names of second places for segments.
const SpillSuffix = ".spill"

// SpillOf finds the second place for segments of the state directory dir, empty if there is none. It is
// derived from the name of dir.
func SpillOf(output, dir string) string {
	key, _, _ := strings.Cut(filepath.Base(dir), keptMark)
	for _, root := range append(knownRoots(output), filepath.Dir(dir)) {
		d, err := safefile.OpenPrivate(root)
		if err != nil {
			continue
		}
		spill, err := d.OpenPrivate(key + SpillSuffix)
		d.Close()
		if err == nil {
			spill.Close()
			return filepath.Join(root, key+SpillSuffix)
		}
	}
	return ""
}

// linkMark is in the names of links to roots elsewhere: record --state, TABARD_STATE and TMPDIR
// need not be repeated to a command that reads the recording.
const linkMark = ".at-"

// LinkRoot makes sure that later commands find a root.
func LinkRoot(root, output string) {
	_, fixed := places(output)
	if slices.Contains(fixed, filepath.Dir(root)) {
		return
	}
	for _, p := range fixed {
		if strings.HasPrefix(p, "/run/") {
			continue
		}
		d, err := safefile.MakePrivate(RootIn(p))
		if err != nil {
			continue
		}
		err = d.Symlink(root, outputKey(output)+linkMark+Hash(root))
		d.Close()
		if err == nil || errors.Is(err, fs.ErrExist) {
			return
		}
	}
}

// tidyRoot removes what collectors that were killed left of state directories that were no longer
// needed, empty second places, the links of a root without a recording to output, and those that
// lead nowhere.
func tidyRoot(root, output string) {
	tidySpills(output)
	left := false
	eachEntry(root, func(d *safefile.Dir, name string) {
		if strings.Contains(name, removedMark) {
			d.RemoveAll(name, ofState)
		}
		left = left || strings.HasPrefix(name, outputKey(output)+"-") && d.Has(name)
	})
	_, fixed := places(output)
	for _, f := range existingRoots(fixed...) {
		eachEntry(f, func(d *safefile.Dir, name string) {
			to, err := d.Readlink(name)
			if err != nil || !strings.Contains(name, linkMark) {
				return
			}
			_, gone := os.Lstat(to)
			if errors.Is(gone, fs.ErrNotExist) || to == root && !left &&
				strings.HasPrefix(name, outputKey(output)+linkMark) {
				d.Remove(name)
			}
		})
	}
}
