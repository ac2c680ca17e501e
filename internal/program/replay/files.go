package replay

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
)

// fileName is the name in the scratch directory of a file of the program; executor/force.c makes
// the same one. A colon ends the kind of a file system for ROMIO, which then opens what follows it,
// in another directory.
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

// filesOf finds out what a rank of a recording expects of files: which there are before, and how
// large they are. It looks at one rank of each class and at this one's streams.
func filesOf(a *archive.Archive, own []*archive.Stream) (*expectations, error) {
	var mine program.Files
	others := program.Files{NamesOnly: true}
	for _, s := range own {
		if err := mine.Add(s, nil); err != nil {
			return nil, err
		}
	}
	for _, c := range a.Classes() {
		if g := c.Group(); g.Unranked || g.World != 0 {
			continue
		}
		if err := others.Add(c.Stream(c.Ranks().At(0)), nil); err != nil {
			return nil, err
		}
	}
	x := &expectations{used: mine.Used || others.Used, present: map[string]int64{}}
	for name, f := range mine.Files {
		if o := others.Files[name]; o != nil {
			f.Created = f.Created || o.Created
		}
		if f.There() {
			x.present[name] = f.Size()
		}
	}
	return x, nil
}

// expectations is what the program expected of its files.
type expectations struct {
	used    bool             // there are calls that name files
	present map[string]int64 // those that must be there, and how large they are
}

// make makes the files that must be there.
func (x *expectations) make(dir string) error {
	for name, size := range x.present {
		path := filepath.Join(dir, fileName(name))
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		if st, e := f.Stat(); e == nil && st.Size() < size {
			err = f.Truncate(size)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
