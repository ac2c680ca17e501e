package trace

import (
	"bytes"
	"slices"

	"tabard/internal/column"
	"tabard/trace/internal/container"
)

// bundled is the columns of a content as they are stored.
type bundled struct {
	columns [][]byte // with the codes of bundles at the end
	items   []string // of the part; nil if there are no bundles
}

// bundle codes columns together where that makes them smaller.
func (c *Content) bundle() *bundled {
	plain := &bundled{columns: c.Columns}
	total := 0
	for _, b := range c.Columns {
		total += len(b)
	}
	if total < minJointBytes {
		return plain
	}
	w := &bundler{c: c, layouts: map[int]*classLayout{}}
	w.src = jointSource{class: w.class, group: func(i int) *Group { return c.Groups[i] }, owner: make([]int32, len(c.Columns)),
		plain: func(id int) ([]byte, error) { return c.Columns[id], nil }, maxArray: maxJointWork}
	out := &bundled{columns: slices.Clone(c.Columns)}
	for _, owners := range w.plan() {
		k := len(out.items)
		code, classes, ok := w.try(k, owners)
		if !ok {
			continue
		}
		for _, o := range owners {
			for _, id := range o.blobs {
				out.columns[id] = nil
			}
		}
		out.columns = append(out.columns, code)
		out.items = append(out.items, classes)
	}
	if len(out.items) == 0 {
		return plain
	}
	b := column.NewBuilder()
	for _, k := range w.src.owner {
		b.Append(int64(k))
	}
	out.items = append([]string{string(b.Encode(nil))}, out.items...)
	return out
}

type bundler struct {
	c       *Content
	src     jointSource
	layouts map[int]*classLayout
}

func (w *bundler) class(i int) (*classLayout, error) {
	if l := w.layouts[i]; l != nil {
		return l, nil
	}
	l := &classLayout{ClassData: w.c.Classes[i]}
	err := l.prepare(func(i int) (*Template, error) { return w.c.Templates[i], nil }, maxJointWork)
	w.layouts[i] = l
	return l, err
}

// plan finds the streams and columns that are worth it.
func (w *bundler) plan() [][]*jointOwner {
	classes := make([]int, 0, len(w.c.Classes))
	for i, c := range w.c.Classes {
		if !slices.ContainsFunc(c.Columns, func(c Cases[ColumnData]) bool {
			return slices.ContainsFunc(c.Values, func(v ColumnData) bool { return v.Blob >= 0 && !v.Clock })
		}) {
			continue
		}
		if _, err := w.class(i); err == nil {
			classes = append(classes, i)
		}
	}
	shared := w.sharedLengths(classes)
	owners, err := w.src.owners(classes, func(id int) bool { return len(w.c.Columns[id]) > 0 && !shared[id] })
	if err != nil {
		return nil
	}
	var out [][]*jointOwner
	values, total := 0, 0
	for _, o := range owners {
		if !w.choose(o) || total+o.values > maxJointTotal {
			continue
		}
		if len(out) == 0 || values+o.values > bundleValues {
			out = append(out, nil)
			values = 0
		}
		out[len(out)-1] = append(out[len(out)-1], o)
		values += o.values
		total += o.values
	}
	return out
}

// sharedLengths are the columns that hold numbers of elements of several streams. They stay as they are: walking a stream
// needs its own, and streams may be in different bundles.
func (w *bundler) sharedLengths(classes []int) map[int]bool {
	users := map[int]int{}
	for _, i := range classes {
		l, _ := w.class(i)
		for place := range l.Columns {
			if s := &l.specs[place]; s.Field >= 0 || s.Slot < 0 {
				continue
			}
			cases := &l.Columns[place]
			for k := range cases.Values {
				if v := &cases.Values[k]; v.Blob >= 0 && !v.Clock {
					users[v.Blob] += cases.Ranks(l.Ranks, k).Len()
				}
			}
		}
	}
	shared := map[int]bool{}
	for id, n := range users {
		if n > 1 {
			shared[id] = true
		}
	}
	return shared
}

// choose leaves the columns of a stream that can be coded, and tells whether they are worth it.
func (w *bundler) choose(o *jointOwner) bool {
	l, err := w.src.layout(o)
	if err != nil {
		return false
	}
	blobs, places := o.blobs, o.places
	o.blobs, o.places = nil, nil
	for i, id := range blobs {
		r, err := column.Open(w.c.Columns[id])
		if err != nil {
			continue
		}
		spec, t := &l.specs[places[i]], l.owner[places[i]]
		if n := l.occ[t]; spec.Array && spec.Field >= 0 || r.Len() == n && n > 0 {
			o.blobs, o.places = append(o.blobs, id), append(o.places, places[i])
			o.values += int(min(r.Len(), maxJointValues+1))
		}
	}
	return o.values > 0 && o.values <= maxJointValues && l.x.Len() <= uint64(eventsFree+eventsPerValue*o.values)
}

// try makes bundle k of some streams, if that is worth it and reading it gives the same columns again.
func (w *bundler) try(k int, owners []*jointOwner) (code []byte, classes string, ok bool) {
	var raw []byte
	var ids []uint32
	for _, o := range owners {
		blobs, places := o.blobs, o.places
		o.blobs, o.places, o.values = nil, nil, 0
		for i, id := range blobs {
			if vals, ok := columnValues(w.c.Columns[id]); ok {
				o.blobs, o.places = append(o.blobs, id), append(o.places, places[i])
				o.values += len(vals)
				raw = append(raw, w.c.Columns[id]...)
				w.src.owner[id] = int32(k) + 1
			}
		}
		if len(ids) == 0 || ids[len(ids)-1] != uint32(o.class) {
			ids = append(ids, uint32(o.class))
		}
	}
	defer func() {
		if ok {
			return
		}
		for _, o := range owners {
			for _, id := range o.blobs {
				w.src.owner[id] = 0
			}
		}
	}()
	if len(raw) < minJointBytes {
		return nil, "", false
	}
	var err error
	if code, err = w.src.encode(k, owners); err != nil {
		return nil, "", false
	}
	var e encoder
	e.ids(ids)
	if len(code)+len(e.b) >= container.PackedLen(raw) {
		return nil, "", false
	}
	limit := uint64(maxJointWork)
	back, err := w.src.decode(k, w.reread(k, ids), code, &limit, nil)
	if err != nil {
		return nil, "", false
	}
	for _, o := range owners {
		for _, id := range o.blobs {
			if !bytes.Equal(back[id], w.c.Columns[id]) {
				return nil, "", false
			}
		}
	}
	return code, string(e.b), true
}

// reread finds the owners as a reader does.
func (w *bundler) reread(k int, ids []uint32) []*jointOwner {
	classes := make([]int, len(ids))
	for i, id := range ids {
		classes[i] = int(id)
	}
	owners, _ := w.src.owners(classes, func(id int) bool { return w.src.owner[id] == int32(k)+1 })
	return owners
}
