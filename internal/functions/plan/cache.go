package plan

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// cacheVersion changes with everything that makes other plans of the same images.
const cacheVersion = 5

// maxCached bounds a file of the cache; keepCached is how many there may be.
const (
	maxCached  = 1 << 30
	keepCached = 512
)

// Cached is Make, with the plan in the user's cache directory from the second time on. Only images with a build id are
// kept there, by it and by their size: the program without its symbols has the same.
func Cached(path string) (*Plan, error) {
	if err := Possible(path); err != nil {
		return nil, err
	}
	key := cacheKey(path)
	if key == "" {
		return Make(path)
	}
	d := cacheDir()
	if d == nil {
		return Make(path)
	}
	defer d.Close()
	if b, err := d.ReadFile(key, maxCached); err == nil {
		if p := unpack(b); p != nil && p.valid() {
			p.Path = path
			return p, nil
		}
		d.Remove(key)
	}
	p, err := Make(path)
	if err != nil {
		return nil, err
	}
	trim(d)
	d.WriteFile(key, p.pack(), false)
	return p, nil
}

// valid says that nothing in a plan goes beyond what templates have room for.
func (p *Plan) valid() bool {
	for i := range p.Functions {
		f := &p.Functions[i]
		if f.Refused != "" {
			continue
		}
		if len(f.Displaced) > maxDisplaced || len(f.Original) != f.bytes(p.AArch64) || !f.entryFits(p.AArch64) {
			return false
		}
		for _, x := range f.Fixups {
			if int(x.At)+x.Kind.bytes() > len(f.Displaced) || x.Kind.isA64() != p.AArch64 {
				return false
			}
		}
	}
	return true
}

// entryFits says that what changes begins where it may.
func (f *Function) entryFits(aarch64 bool) bool {
	if aarch64 {
		return f.Entry <= 2*a64Size && f.Entry%a64Size == 0 && !f.Short
	}
	return f.Entry <= maxEntry+xraySled && (!f.Short || f.Entry <= maxEntry)
}

func cacheKey(path string) string {
	f, err := safefile.OpenELF(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	st, err := os.Stat(path)
	id := buildID(f.File)
	if err != nil || id == "" {
		return ""
	}
	return fmt.Sprintf("%s-%d-v%d", id, st.Size(), cacheVersion)
}

// cacheDir is where plans are kept, nil if there is no place that is this user's alone.
func cacheDir() *safefile.Dir {
	home, err := safefile.UserCache()
	if err != nil {
		return nil
	}
	base, err := safefile.MakePrivate(filepath.Join(home, "tabard"))
	if err != nil {
		return nil
	}
	defer base.Close()
	d, err := base.MakePrivate("plans")
	if err != nil {
		return nil
	}
	return d
}

// trim empties a cache that has grown too large.
func trim(d *safefile.Dir) {
	if names, err := d.Names(); err == nil && len(names) >= keepCached {
		d.Clear(func(string) bool { return true })
	}
}
