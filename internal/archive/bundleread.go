package archive

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive/bundle"
	"github.com/tabard-hpc/tabard/internal/codec/column"
)

// partOfBundle is how many times as many events a stream has as the beginning of it that is decoded apart.
const partOfBundle = 8

// readBundles takes over the bundles and their models. It returns the number of columns.
func (a *Archive) readBundles(p *items, t *table) (int, error) {
	if p.len() == 0 {
		return a.columns.len(), nil
	}
	n := a.columns.len() - (p.len() - 1)
	r, err := column.Open(p.at(0))
	if n < 0 || err != nil || r.Len() != uint64(n) {
		return 0, broken("structure/bundles", p.offset(0), "not a column of the bundles of %d columns: %v", n, err)
	}
	owner := make([]int32, n)
	var buf [512]int64
	for i := 0; i < n; {
		k := r.Read(uint64(i), buf[:])
		if k == 0 || r.Err() != nil {
			return 0, broken("structure/bundles", p.offset(0), "unreadable: %v", r.Err())
		}
		for _, v := range buf[:k] {
			if v < 0 || v >= int64(p.len()) {
				return 0, broken("structure/bundles", p.offset(0),
					"bundle %d does not exist (there are %d)", v-1, p.len()-1)
			}
			if v > 0 && a.columns.size(i) != 0 {
				return 0, broken("structure/bundles", p.offset(0),
					"column %d is in a bundle, and has bytes of its own", i)
			}
			owner[i] = int32(v)
			i++
		}
	}
	models, err := bundleModels(t, p.len()-1)
	if err != nil {
		return 0, err
	}
	a.bundles = &bundleSet{classes: p, models: models, left: a.maxWork, last: -2, room: make(chan struct{}, bundlesAtOnce),
		bundleSource: bundleSource{
			owner: owner, maxArray: a.maxArray(),
			class: func(i int) (*classLayout, error) { return a.classes[i].open() },
			group: func(i int) *Group { return a.groups[i] },
			plain: func(id int) ([]byte, error) { return a.blob(&a.columns, uint32(id)) },
		}}
	return n, nil
}

// bundleModels are the models of n bundles.
func bundleModels(t *table, n int) ([]bundle.Model, error) {
	if t.rows == 0 {
		return make([]bundle.Model, n), nil
	}
	if t.rows != n {
		return nil, broken("structure/models", -1, "%d models of %d bundles", t.rows, n)
	}
	models := make([]bundle.Model, n)
	for i, m := range t.cols[0] {
		if m < 0 || m >= int64(bundle.NumModels) {
			return nil, &FormatError{Section: "structure/models", Offset: -1, Hint: hintNewer,
				Msg: fmt.Sprintf("bundle %d has model %d, but this reader does not know it", i, m)}
		}
		models[i] = bundle.Model(m)
	}
	return models, nil
}

// bundled tells whether column i is in a bundle.
func (a *Archive) bundled(i int) bool { return a.bundles != nil && a.bundles.owner[i] > 0 }

// column loads encoded column i.
func (a *Archive) column(i int) ([]byte, error) {
	if a.projection != nil {
		return a.projection.of.column(i)
	}
	j := a.bundles
	if !a.bundled(i) {
		return a.blob(&a.columns, uint32(i))
	}
	k := int(j.owner[i]) - 1
	blobs, err := a.openBundle(k)
	if err != nil {
		return nil, err
	}
	out, ok := blobs[i]
	if !ok {
		return nil, a.broken("structure/bundles", -1, "column %d is not in bundle %d", i, k)
	}
	return out, nil
}

// columnBefore is encoded column i of a stream with at least the values of the first events of the stream: if these
// are few, and the column is not decoded yet, with not many more.
func (a *Archive) columnBefore(i int, s *Stream, l *layout, events uint64) ([]byte, error) {
	if a.projection != nil || !a.bundled(i) || events == 0 || events > l.x.Len()/partOfBundle {
		return a.column(i)
	}
	j, k := a.bundles, int(a.bundles.owner[i])-1
	j.mu.Lock()
	part := beginning{s.class.index, s.rank, events}
	whole := j.find(k)
	known := whole != nil && whole.decoded && whole.err == nil
	if b := j.begun; !known && (b == nil || b.k != k || b.part != part) {
		j.begun = nil
		blobs, err := a.readBundle(k, &part, &j.left, nil)
		if err != nil {
			j.mu.Unlock()
			return nil, err
		}
		j.begun = &begunBundle{k: k, part: part, blobs: blobs}
	}
	var out []byte
	if !known {
		out = j.begun.blobs[i]
	}
	j.mu.Unlock()
	if out == nil { // it is in the cache, or another stream has the column first
		return a.column(i)
	}
	return out, nil
}

// readBundle decodes bundle k; of a part of it, the columns that its stream has first. It takes what it looks at off
// left.
func (a *Archive) readBundle(k int, part *beginning, left *uint64, costs bundleCosts) (map[int][]byte, error) {
	j := a.bundles
	d := decode(j.classes.at(k+1), "structure/bundles", j.classes.offset(k+1))
	ids := d.ids(len(a.classes), "class")
	if err := d.end(); err != nil {
		return nil, named(err, a.file)
	}
	classes := make([]int, len(ids))
	for i, id := range ids {
		if classes[i] = int(id); i > 0 && classes[i] <= classes[i-1] {
			return nil, a.broken("structure/bundles", d.Base, "bundle %d: classes are not in order", k)
		}
	}
	members, err := j.members(classes, func(id int) bool { return j.owner[id] == int32(k)+1 })
	if err != nil {
		return nil, named(err, a.file)
	}
	code, err := a.blob(&a.columns, uint32(len(j.owner)+k))
	if err != nil {
		return nil, err
	}
	events := uint64(0)
	if part != nil {
		at := slices.IndexFunc(members, func(o *bundleMember) bool { return o.class == part.class && o.rank == part.rank })
		if at < 0 {
			return nil, nil
		}
		members, events = members[:at+1], part.events
	}
	blobs, err := j.decode(k, members, events, j.models[k], code, left, costs)
	if part != nil {
		own := members[len(members)-1].blobs
		maps.DeleteFunc(blobs, func(id int, _ []byte) bool { return !slices.Contains(own, id) })
	}
	if fe := (*FormatError)(nil); errors.As(err, &fe) {
		return nil, named(err, a.file)
	} else if errors.Is(err, bundle.ErrWork) || errors.Is(err, bundle.ErrValues) {
		return nil, a.bundleLimit(k, err)
	} else if err != nil {
		return nil, a.broken("columns", -1, "bundle %d: %v", k, err)
	}
	return blobs, nil
}

// size is the length of blob i.
func (b *blobs) size(i int) int64 {
	if i == 0 {
		return b.ends[0]
	}
	return b.ends[i] - b.ends[i-1]
}

// bundleLimit is the error where a bundle exceeds a limit.
func (a *Archive) bundleLimit(k int, err error) error {
	return &FormatError{File: a.file, Section: "columns", Offset: -1, Msg: fmt.Sprintf("bundle %d: %v", k, err),
		Hint: hintWork}
}
