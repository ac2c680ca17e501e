package view

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/view/api"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// Limits of classes: how many are listed, how long the list of ranks of one is, and how many bands are asked for at
// once.
const (
	maxClasses  = 256
	maxRankText = 4096
	maxBands    = 16
)

// byClass is the order of lines in which those of a class follow one another.
const byClass = "class"

// classes answers /api/classes.
func classes(q *question) (any, error) { return q.rec.classes() }

// classes lists the classes, as far as nothing has to be decoded for that.
func (r *recording) classes() (*api.Classes, error) {
	all := r.calls.Classes()
	list := &api.Classes{Total: len(all), Classes: []api.Class{}}
	first := 0
	for i, c := range all[:min(len(all), maxClasses)] {
		some := c.Stream(c.Ranks().Min())
		x := api.Class{Class: i, First: first, Lines: c.Ranks().Len(), World: some.Rank().World, Thread: c.Thread()}
		if x.Ranks = report.RankList(slices.Collect(c.Ranks().All())); len(x.Ranks) > maxRankText {
			x.Ranks = ""
		}
		var err error
		if x.Calls, err = c.ProgramCalls(); err != nil {
			return nil, err
		}
		first += x.Lines
		list.Classes = append(list.Classes, x)
	}
	return list, nil
}

// spent answers /api/spent: the classes with the time that each spends.
func spent(q *question) (any, error) {
	list, err := q.rec.classes()
	if err != nil {
		return nil, err
	}
	if timed, _, err := q.rec.times(); !timed || err != nil {
		return list, err
	}
	t, err := q.rec.tiler(selection.Flags{}, byClass, false)
	if err != nil {
		return nil, err
	}
	level := q.rec.firstGrid().Level
	return list, workers.Each(len(list.Classes), func(i int) error {
		return timesOf(t, &list.Classes[i], level, q.wanted)
	})
}

// timesOf adds up what a class spends in the whole run.
func timesOf(t *timeline.Tiler, c *api.Class, level int, wanted func() error) error {
	x := &timeline.Tile{Level: level, First: c.First, Group: c.Lines, Rows: 1, Stop: wanted}
	if err := t.Fill(x); err != nil {
		return err
	}
	for bin := range tileBins {
		for k := range timeline.NumCategories {
			if ns := x.Time(0, bin, k); k == timeline.Computation {
				c.Computation += ns
			} else {
				c.InCalls += ns
			}
		}
	}
	return nil
}

// inCalls is what bands are of by default: all that is no computation. Else it is a category.
const inCalls = "mpi"

// bands answers /api/bands: of classes, and of each bin of time, the least, the median and the greatest share of the
// time that one of its threads spends in something.
func bands(q *question) (any, error) {
	of, err := q.choice("of", append([]string{inCalls}, categories()...)...)
	if err != nil {
		return nil, err
	}
	all := q.rec.calls.Classes()
	b := &banded{of: of}
	var first, rows, level int64
	for _, p := range []struct {
		to          *int64
		key         string
		least, most int64
	}{{&level, "level", 0, timeline.MaxTileLevel}, {&b.x, "x", 0, 1 << 54},
		{&first, "first", 0, int64(len(all))}, {&rows, "rows", 1, maxBands}} {
		if *p.to, err = q.number(p.key, p.least, p.least, p.most); err != nil {
			return nil, err
		}
	}
	if err := afterTime(level, b.x); err != nil {
		return nil, err
	}
	b.level = int(level)
	key := fmt.Sprintf("bands %s %s %d %d %d %d", tilerKey(q.flags, byClass, false), of, level, b.x, first, rows)
	if done := q.rec.packed.get(key); done != nil {
		return done, nil
	}
	if b.tiler, err = q.rec.tiler(q.flags, byClass, false); err != nil {
		return nil, err
	}
	b.add(all, int(first), int(rows))
	b = q.rec.bands.of(key, b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.read(time.Now().Add(tileTime)); err != nil {
		return nil, err
	}
	answer, exact, err := b.packed()
	if err == nil && exact {
		q.rec.packed.put(key, answer)
		q.rec.bands.drop(key)
	}
	return answer, err
}

// banded are the bands of some classes in a tile's bins.
type banded struct {
	mu    sync.Mutex
	tiler *timeline.Tiler
	level int
	x     int64
	of    string
	rows  []*band
}

// band is that of a class. It is counted how many of its threads have each share, so that what it takes does not depend
// on how many there are.
type band struct {
	class int
	lines int
	// left are the lines that have not been read, and counts how many of the others have a share in a bin: the shares
	// are those of tiles, from 0 to 255.
	left   []int32
	counts []uint32
}

// shares is how many shares are told apart.
const shares = 256

// add makes the bands of classes, of which nothing is read.
func (b *banded) add(all []*archive.Class, first, rows int) {
	line := 0
	for i, c := range all[:min(len(all), first+rows)] {
		n := c.Ranks().Len()
		if i >= first {
			r := &band{class: i, lines: n, left: make([]int32, n)}
			for k, at := range rand.New(rand.NewPCG(1, 1)).Perm(n) { // those that are read first are of all parts
				r.left[k] = int32(line + at)
			}
			b.rows = append(b.rows, r)
		}
		line += n
	}
}

// atOneTime is how many lines are read together.
const atOneTime = 16

// read reads as much as there is time for, of each class the same.
func (b *banded) read(until time.Time) error {
	begin := time.Now()
	for i, r := range b.rows {
		share := begin.Add(until.Sub(begin) * time.Duration(i+1) / time.Duration(len(b.rows)))
		if r.counts == nil {
			r.counts = make([]uint32, tileBins*shares)
		}
		for again := true; again && len(r.left) > 0; again = time.Now().Before(share) {
			if err := b.some(r, share); err != nil {
				return err
			}
		}
	}
	return nil
}

// some reads some lines. What could not be read in time is left for later.
func (b *banded) some(r *band, until time.Time) error {
	next := r.left[:min(len(r.left), atOneTime)]
	var late []int32
	var mu sync.Mutex
	err := workers.Each(len(next), func(i int) error {
		// A little time is there for each, so that there is progress.
		until := until
		if least := time.Now().Add(time.Millisecond); until.Before(least) {
			until = least
		}
		x := &timeline.Tile{Level: b.level, X: b.x, First: int(next[i]), Group: 1, Rows: 1, Until: until}
		if err := b.tiler.Fill(x); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if !x.Exact() {
			late = append(late, next[i])
			return nil
		}
		for bin := range tileBins {
			r.counts[bin*shares+int(timeline.Share(b.time(x, bin), 1, b.level))]++
		}
		return nil
	})
	r.left = append(r.left[len(next):], late...)
	return err
}

// time is that of a bin which bands are of.
func (b *banded) time(x *timeline.Tile, bin int) (ns float64) {
	for c := range timeline.NumCategories {
		if b.of == c.String() || b.of == inCalls && c != timeline.Computation {
			ns += x.Time(0, bin, c)
		}
	}
	return ns
}

// packed is the answer.
func (b *banded) packed() (answer []byte, exact bool, err error) {
	head := api.BandHead{Level: b.level, X: b.x, Bins: tileBins, Of: b.of, Rows: []api.BandRow{}}
	cells := make([]byte, 0, len(b.rows)*tileBins*3)
	exact = true
	for _, r := range b.rows {
		read := r.lines - len(r.left)
		head.Rows = append(head.Rows, api.BandRow{Class: r.class, Lines: r.lines, Read: read})
		exact = exact && len(r.left) == 0
		for _, rank := range []int{1, (read + 1) / 2, read} { // the first, the middle and the last in order of shares
			for bin := range tileBins {
				cells = append(cells, nth(r.counts[bin*shares:][:shares], rank))
			}
		}
	}
	head.Exact = exact
	text, err := json.Marshal(&head)
	if err != nil {
		return nil, false, err
	}
	return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...), cells...), exact, nil
}

// nth is the share of the thread that is the n-th one, from 1, in the order of shares.
func nth(counts []uint32, n int) byte {
	for v, c := range counts {
		if n -= int(c); n <= 0 {
			return byte(v)
		}
	}
	return 0
}

// openBands is how many answers are kept that are not complete. Each has a quarter of a megabyte for each of its
// classes.
const openBands = 8

// keptBands are those that were asked for last and are not complete.
type keptBands struct {
	mu    sync.Mutex
	keys  []string // the latest last
	bands map[string]*banded
}

// of is what is known, or the new one.
func (k *keptBands) of(key string, b *banded) *banded {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old := k.bands[key]; old != nil {
		b = old
		k.forget(key)
	}
	if k.bands == nil {
		k.bands = map[string]*banded{}
	}
	if len(k.keys) == openBands {
		k.forget(k.keys[0])
	}
	k.keys = append(k.keys, key)
	k.bands[key] = b
	return b
}

func (k *keptBands) drop(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget(key)
}

func (k *keptBands) forget(key string) {
	delete(k.bands, key)
	k.keys = slices.DeleteFunc(k.keys, func(x string) bool { return x == key })
}
