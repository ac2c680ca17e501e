package archive

import (
	"runtime"
	"slices"
	"sync"

	"github.com/tabard-hpc/tabard/internal/archive/bundle"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// bundleSet is the bundles of an archive.
type bundleSet struct {
	bundleSource
	classes *items
	models  []bundle.Model // nil if they are Messages

	mu    sync.Mutex
	cache []*openBundle // used last comes last
	kept  int           // bytes of those that are decoded
	left  uint64        // numbers that may still be looked at
	last  int           // the bundle that was asked for last: -1 if the first one is next, -2 if nothing is known
	begun *begunBundle  // the one of which a part was decoded last
	room  chan struct{} // see bundlesAtOnce
}

// openBundle is a bundle that is decoded, or is being decoded.
type openBundle struct {
	k        int
	decoding workers.Group // what follows is set once it has ended
	decoded  bool          // as the lock says
	blobs    map[int][]byte
	err      error
	bytes    int
	work     uint64 // numbers that were looked at, not yet taken off the set's left
}

// begunBundle is the beginning of a bundle that was decoded apart.
type begunBundle struct {
	k     int
	part  beginning
	blobs map[int][]byte
}

// beginning is the first events of a stream.
type beginning struct {
	class, rank int
	events      uint64
}

// keptBundles is how many bytes of bundles stay decoded, at least. All bundles that a writer makes
// fit in. Otherwise streams that are read side by side would decode the same ones again and again.
const keptBundles = 1 << 27

// bundlesAtOnce is how many bundles are decoded at the same time: each takes some dozens of megabytes.
const bundlesAtOnce = 2

// find is a bundle that is in the cache, nil if it is not.
func (j *bundleSet) find(k int) *openBundle {
	for _, b := range j.cache {
		if b.k == k {
			return b
		}
	}
	return nil
}

// ReadInOrder says that streams will be read in order and as a whole: what is decoded together is decoded ahead from
// the first on.
func (a *Archive) ReadInOrder() {
	if j := a.bundles; j != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.last = -1
	}
}

// openBundle gives the columns of bundle k. Who asks for one after the other finds the next one decoded, or begun.
func (a *Archive) openBundle(k int) (map[int][]byte, error) {
	j := a.bundles
	j.mu.Lock()
	b := j.find(k)
	if b == nil {
		b = a.beginBundle(k)
	} else { // used last
		at := slices.Index(j.cache, b)
		j.cache = append(slices.Delete(j.cache, at, at+1), b)
	}
	follows := k == j.last+1
	j.last = k
	j.mu.Unlock()
	b.decoding.Wait()

	j.mu.Lock()
	defer j.mu.Unlock()
	if b.err == nil && b.work > j.left { // it was begun before others had taken what is left
		b.err = a.bundleLimit(k, bundle.ErrWork)
	}
	j.left -= min(j.left, b.work)
	b.work = 0
	if b.err != nil {
		j.remove(b) // errors are not kept
		return nil, b.err
	}
	if next := k + 1; follows && next < j.classes.len()-1 && j.find(next) == nil && j.kept < keptBundles/2 &&
		runtime.GOMAXPROCS(0) > 1 {
		a.beginBundle(next)
	}
	return b.blobs, nil
}

// beginBundle begins to decode a bundle that is not in the cache. The caller has the lock.
func (a *Archive) beginBundle(k int) *openBundle {
	j := a.bundles
	for i := 0; i < len(j.cache) && j.kept > keptBundles; {
		if b := j.cache[i]; b.decoded {
			j.remove(b)
		} else {
			i++
		}
	}
	b := &openBundle{k: k}
	j.cache = append(j.cache, b)
	left := j.left
	b.decoding.Go(func() {
		j.room <- struct{}{}
		defer func() { <-j.room }()
		before := left
		b.blobs, b.err = a.readBundle(k, nil, &left, nil)
		b.work = before - left
		for _, x := range b.blobs {
			b.bytes += len(x)
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		b.decoded = true
		if slices.Contains(j.cache, b) {
			j.kept += b.bytes
		}
	})
	return b
}

// remove takes a bundle out of the cache, if it is there. The caller has the lock.
func (j *bundleSet) remove(b *openBundle) {
	at := slices.Index(j.cache, b)
	if at < 0 {
		return
	}
	j.cache = slices.Delete(j.cache, at, at+1)
	if b.decoded {
		j.kept -= b.bytes
	}
}
