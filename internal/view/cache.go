package view

import (
	"bufio"
	"cmp"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// What is found out of large recordings is kept in the user's cache folder, so that the first picture is there at once
// the next time. A file is named by the content of the recording; what is damaged is not used.
const (
	cachePrefix = "tiles-"
	leastCached = 1 << 20 // calls of a recording
	mostCached  = 1 << 30 // bytes of all files
)

// cacheDir opens the folder, which belongs to this user alone.
func cacheDir() (*safefile.Dir, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, err
	}
	return safefile.MakePrivate(filepath.Join(base, "tabard"))
}

// cacheName is the file of a recording, "" if it has none.
func (r *recording) cacheName() string {
	calls := uint64(0)
	for _, c := range r.calls.Classes() {
		n, err := c.ProgramCalls()
		if err != nil {
			return ""
		}
		calls += n
	}
	id := r.whole.Identity()
	if calls < leastCached || id == [len(id)]byte{} {
		return ""
	}
	return cachePrefix + hex.EncodeToString(id[:16])
}

// load takes what is in the cache. It is not ok if that is nothing, or damaged.
func (r *recording) load(t *timeline.Tiler) (ok bool) {
	name := r.cacheName()
	if name == "" {
		return false
	}
	d, err := cacheDir()
	if err != nil {
		return false
	}
	defer d.Close()
	b, err := d.ReadFile(name, timeline.MaxSaved)
	return err == nil && t.Load(b)
}

// save puts into the cache what was found. An error is nobody's loss.
func (r *recording) save(t *timeline.Tiler) {
	name := r.cacheName()
	if name == "" {
		return
	}
	d, err := cacheDir()
	if err != nil {
		return
	}
	defer d.Close()
	if d.Room() < 2*timeline.MaxSaved { // of quotas nothing is known
		return
	}
	f, err := d.Temp(safefile.TempPrefix, 0o600)
	if err != nil {
		return
	}
	temp := safefile.Name(f)
	w := bufio.NewWriterSize(f, 1<<20)
	err = cmp.Or(t.Save(w), w.Flush(), f.Close())
	if err == nil {
		err = d.Rename(temp, name)
	}
	if err != nil {
		d.Remove(temp)
		return
	}
	trimCache(d)
}

// trimCache removes the files that were made first, as long as there are too many bytes.
func trimCache(d *safefile.Dir) {
	type file struct {
		name       string
		size, made int64
	}
	names, err := d.Names()
	if err != nil {
		return
	}
	var files []file
	sum := int64(0)
	for _, name := range names {
		if st, err := d.Stat(name); err == nil && strings.HasPrefix(name, cachePrefix) {
			files = append(files, file{name, st.Size, st.Mtim.Nano()})
			sum += st.Size
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.made, b.made) })
	for _, f := range files {
		if sum <= mostCached {
			return
		}
		if d.Remove(f.name) == nil {
			sum -= f.size
		}
	}
}
