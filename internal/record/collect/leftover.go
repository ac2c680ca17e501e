package collect

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// Leftover is a state directory that exists: of a recording that is going on,
// or of one that was interrupted.
type Leftover struct {
	Dir string
	// Output is the absolute path of the archive, empty if Dir does not tell.
	Output  string
	Created time.Time
	// Bytes is how much room it takes, in the second place for segments too.
	Bytes int64
	// Collector: one is at work. Processes is the number of the program's that run.
	Collector bool
	Processes int
	// Kept: the archive lies there in full because it could not be written.
	Kept bool
	// Dirs are all directories that belong to it.
	Dirs []string
}

// Running says that it is no leftover yet.
func (l *Leftover) Running() bool { return l.Collector || l.Processes > 0 }

// spillSuffix is in the names of second places for segments.
const spillSuffix = ".spill"

// settleTime is how old a directory without a recording must be to count: a
// launcher may be about to make one.
const settleTime = time.Minute

// Leftovers lists the state directories of this user in all places where those of a
// recording to output can be, and where others said that theirs are; oldest first.
func Leftovers(output string) []Leftover {
	var found []Leftover
	var debris []string
	owned := map[string]bool{} // second places
	for _, root := range allRoots(output) {
		if checkPrivate(root) != nil {
			continue
		}
		entries, _ := os.ReadDir(root)
		for _, e := range entries {
			dir := filepath.Join(root, e.Name())
			if !e.IsDir() {
				continue
			}
			if strings.HasSuffix(e.Name(), spillSuffix) || strings.Contains(e.Name(), removedMark) {
				debris = append(debris, dir)
				continue
			}
			l := examine(dir)
			for _, d := range l.Dirs[1:] {
				owned[d] = true
			}
			found = append(found, l)
		}
	}
	for _, dir := range debris {
		if st, err := os.Stat(dir); err == nil && !owned[dir] && time.Since(st.ModTime()) > settleTime {
			if n := diskBytes(dir); n > 0 { // see tidySpills for the others
				found = append(found, Leftover{Dir: dir, Created: st.ModTime(), Bytes: n, Dirs: []string{dir}})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Leftover) int { return a.Created.Compare(b.Created) })
	return found
}

// tidySpills removes second places for segments that are empty and whose
// recording is gone: a launcher that was killed leaves them.
func tidySpills(output string) {
	roots := allRoots(output)
	for _, root := range roots {
		spills, _ := filepath.Glob(filepath.Join(globQuote(root), "*"+spillSuffix))
		for _, dir := range spills {
			if st, err := os.Stat(dir); err != nil || time.Since(st.ModTime()) < settleTime {
				continue
			}
			key := strings.TrimSuffix(filepath.Base(dir), spillSuffix)
			used := slices.ContainsFunc(roots, func(r string) bool {
				states, _ := filepath.Glob(filepath.Join(globQuote(r), key+"*"))
				return len(
					slices.DeleteFunc(states, func(s string) bool { return strings.HasSuffix(s, spillSuffix) }),
				) > 0
			})
			if !used {
				os.Remove(dir) // nothing happens unless it is empty
			}
		}
	}
}

// allRoots are the places that Leftovers looks at.
func allRoots(output string) []string {
	roots := slices.Concat(StateRoots(output), fixedRoots(output))
	for _, f := range fixedRoots(output) {
		if checkPrivate(f) != nil {
			continue
		}
		links, _ := filepath.Glob(filepath.Join(globQuote(f), "*"+linkMark+"*"))
		for _, link := range links {
			if root, err := os.Readlink(link); err == nil {
				roots = append(roots, root)
			}
		}
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}

// examine looks at a state directory and leaves it as it is: no lock is taken,
// which a launcher might want at that moment.
func examine(dir string) Leftover {
	l := Leftover{Dir: dir, Dirs: []string{dir}}
	if st, err := os.Stat(dir); err == nil {
		l.Created = st.ModTime()
	}
	if job, err := ReadJob(dir); err == nil {
		l.Output, l.Created, l.Kept = job.Output, job.Created, job.Archive != ""
	}
	if c, err := ring.OpenControl(dir); err == nil {
		l.Collector = c.CollectorAlive()
		if d := c.SpillDir(); d != "" {
			if _, err := os.Stat(d); err == nil {
				l.Dirs = append(l.Dirs, d)
			}
		}
		c.Close()
	}
	ranks, _ := filepath.Glob(filepath.Join(globQuote(dir), rankPrefix+"*"))
	for _, path := range ranks {
		r, err := readRegistration(path)
		if err != nil {
			continue
		}
		w := newWatch(r.PID, r.Start)
		if w.alive() {
			l.Processes++
		}
		w.close()
	}
	for _, d := range l.Dirs {
		l.Bytes += diskBytes(d)
	}
	return l
}

// diskBytes is what the files in dir take.
func diskBytes(dir string) int64 {
	n := int64(0)
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it may be going away
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				n += st.Blocks * 512
			}
		}
		return nil
	})
	return n
}
