package collect

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/safefile"
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
		eachEntry(root, func(d *safefile.Dir, name string) {
			dir := d.Join(name)
			if st, err := d.Stat(name); err != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
				return
			}
			if strings.HasSuffix(name, SpillSuffix) || strings.Contains(name, removedMark) {
				debris = append(debris, dir)
				return
			}
			l := examine(dir)
			for _, d := range l.Dirs[1:] {
				owned[d] = true
			}
			found = append(found, l)
		})
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
	used := func(key string) bool {
		found := false
		for _, r := range roots {
			eachEntry(r, func(_ *safefile.Dir, name string) {
				found = found || strings.HasPrefix(name, key) && !strings.HasSuffix(name, SpillSuffix)
			})
		}
		return found
	}
	for _, root := range roots {
		eachEntry(root, func(d *safefile.Dir, name string) {
			key, spill := strings.CutSuffix(name, SpillSuffix)
			st, err := d.Stat(name)
			if spill && err == nil && time.Since(time.Unix(st.Mtim.Unix())) >= settleTime && !used(key) {
				d.RemoveDir(name) // nothing happens unless it is empty
			}
		})
	}
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
	if spill := SpillOf(l.Output, dir); spill != "" && l.Output != "" {
		l.Dirs = append(l.Dirs, spill)
	}
	if d, err := safefile.OpenPrivate(dir); err == nil {
		defer d.Close()
		_ = ring.Guarded(func() error {
			c, err := ring.OpenControl(d)
			if err == nil {
				l.Collector = c.CollectorAlive()
				c.Close()
			}
			return err
		})
		l.Processes = running(d)
	}
	for _, d := range l.Dirs {
		l.Bytes += diskBytes(d)
	}
	return l
}

// running counts the registered processes that live.
func running(d *safefile.Dir) int {
	n := 0
	names, _ := d.Names()
	for _, name := range names {
		if !strings.HasPrefix(name, rankPrefix) {
			continue
		}
		r, err := readRegistration(d, name)
		if err != nil {
			continue
		}
		w := newWatch(r.ProcessID)
		if w.alive() {
			n++
		}
		w.close()
	}
	return n
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
