package view

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

// What is found out of large recordings is kept in the user's cache folder, so that the first picture is there at once
// the next time. A file is named by the content of the recording; what is damaged is not used.
const (
	cachePrefix = "tiles-"
	firstSuffix = "-first" // of the file of the first picture alone, which is there before the rest has been read
	leastCached = 1 << 20  // calls of a recording
	mostCached  = 1 << 30  // bytes of all files
)

// cacheDir opens the folder, which belongs to this user alone.
func cacheDir() (*safefile.Dir, error) {
	base, err := safefile.UserCache()
	if err != nil {
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
	b, err := r.cached("", timeline.MaxSaved)
	return err == nil && t.Load(b)
}

// save puts into the cache what was found.
func (r *recording) save(t *timeline.Tiler) { r.cache("", timeline.MaxSaved, t.Save) }

// loadFirst takes the first picture from the cache: the tile as it is sent, and its sum.
func (r *recording) loadFirst() {
	b, err := r.cached(firstSuffix, maxPacked)
	g := r.firstGrid()
	if err != nil || g == nil || len(b) < 4 {
		return
	}
	if end := len(b) - 4; firstSum(b[:end]) == binary.BigEndian.Uint32(b[end:]) {
		r.packed.put(firstKey(g), b[:end:end])
	}
}

// saveFirst makes the first picture, row by row, and puts it into the cache.
func (r *recording) saveFirst(t *timeline.Tiler, g *api.Grid, ahead func() bool) {
	if g == nil {
		return
	}
	for first := 0; first < g.Lines; first += g.Group {
		if !ahead() {
			return
		}
		row := &timeline.Tile{Level: g.Level, First: first, Group: g.Group, Rows: 1}
		if err := t.Fill(row); err != nil {
			return // whoever asks for the tile gets the error
		}
	}
	x := wholeTile(g, time.Time{})
	if err := t.Fill(x); err != nil || !x.Exact() {
		return
	}
	b, err := packed(r.calls, t, x, "time")
	if err != nil {
		return
	}
	r.packed.put(firstKey(g), b)
	r.cache(firstSuffix, maxPacked, func(w io.Writer) error {
		_, err := w.Write(binary.BigEndian.AppendUint32(slices.Clip(b), firstSum(b)))
		return err
	})
}

// firstSum is the CRC-32C of a tile and of the version of the program, which knows what tiles look like.
func firstSum(tile []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(report.NewVersion().String()), castagnoli), castagnoli, tile)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// cached reads a file of the recording in the cache.
func (r *recording) cached(suffix string, most int64) ([]byte, error) {
	name := r.cacheName()
	if name == "" {
		return nil, errNotCached
	}
	d, err := cacheDir()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.ReadFile(name+suffix, most)
}

// errNotCached is the error for recordings that have no place in the cache.
var errNotCached = errors.New("nothing is kept of this recording")

// cache writes a file of the recording into the cache. An error is nobody's loss.
func (r *recording) cache(suffix string, most uint64, write func(io.Writer) error) {
	name := r.cacheName()
	if name == "" {
		return
	}
	d, err := cacheDir()
	if err != nil {
		return
	}
	defer d.Close()
	if d.Room() < 2*most { // of quotas nothing is known
		return
	}
	f, err := d.Temp(safefile.TempPrefix, 0o600)
	if err != nil {
		return
	}
	temp := safefile.Name(f)
	w := bufio.NewWriterSize(f, 1<<20)
	err = cmp.Or(write(w), w.Flush(), f.Close())
	if err == nil {
		err = d.Rename(temp, name+suffix)
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
