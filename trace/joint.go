package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"tabard/internal/adapt"
	"tabard/internal/column"
	"tabard/trace/internal/container"
)

// Columns that are irregular say the same things many times: the size and tag of a message are in the call that
// sends it, in the one that receives it, in its status, and in what the program does with that. So such columns of many
// streams are coded together, as a bundle: the streams are walked call by call, and each number is guessed from
// what came before it, in the call, in the stream, and at the other end of the message. What is stored is which of the
// guesses was right, by an adaptive arithmetic code, or the number if none was.
//
// A bundle gives back the encoded columns byte by byte, so that nothing but files knows of bundles. A column of which
// that cannot be had stays as it is.

// Limits of bundles.
const (
	bundleValues   = 1 << 19 // numbers after which a bundle ends; one stream may have more
	maxJointValues = 1 << 22 // numbers of a bundle
	maxJointWork   = 1 << 26 // numbers that walking a bundle looks at
	maxJointTotal  = 1 << 24 // numbers of all bundles that a writer makes
	minJointBytes  = 256     // of columns that are worth a bundle
	eventsPerValue = 64      // of a stream that is worth walking, and
	eventsFree     = 1 << 16 // so many without any
	minJointTable  = 10      // binary logarithm of the entries of the table of contexts
	maxJointTable  = 20
	// Bounds of what a walk keeps.
	maxJointKeys     = 1 << 12
	maxJointMail     = 1 << 20
	maxJointRequests = 1 << 16
)

// jointSource is what bundles refer to, of a content that is written or an archive that is read.
type jointSource struct {
	class    func(i int) (*classLayout, error)
	group    func(i int) *Group
	plain    func(blob int) ([]byte, error)
	owner    []int32 // 1 + the bundle, by column; 0 for columns that are stored as they are
	maxArray int
}

// jointOwner is a stream that has columns of a bundle first.
type jointOwner struct {
	class, rank int
	blobs       []int // and
	places      []uint32
	values      int
}

// owners finds the streams that have columns first for which want says so, by class and rank.
func (src *jointSource) owners(classes []int, want func(blob int) bool) ([]*jointOwner, error) {
	seen := map[int]bool{}
	var out []*jointOwner
	for _, i := range classes {
		c, err := src.class(i)
		if err != nil {
			return nil, err
		}
		byRank := map[int]*jointOwner{}
		for place := range c.Columns {
			cases := &c.Columns[place]
			for k := range cases.Values {
				v := &cases.Values[k]
				if v.Blob < 0 || v.Clock || seen[v.Blob] || !want(v.Blob) {
					continue
				}
				seen[v.Blob] = true
				rank := cases.Ranks(c.Ranks, k).Min()
				o := byRank[rank]
				if o == nil {
					o = &jointOwner{class: i, rank: rank}
					byRank[rank] = o
					out = append(out, o)
				}
				o.blobs, o.places = append(o.blobs, v.Blob), append(o.places, uint32(place))
			}
		}
	}
	slices.SortFunc(out, func(x, y *jointOwner) int { return cmp.Or(cmp.Compare(x.class, y.class), cmp.Compare(x.rank, y.rank)) })
	return out, nil
}

// layout is the layout of a stream.
func (src *jointSource) layout(o *jointOwner) (*layout, error) {
	c, err := src.class(o.class)
	if err != nil {
		return nil, err
	}
	l := &layout{classLayout: c, sigs: c.sigs, x: c.x}
	return l, l.fill(src.maxArray, o.rank)
}

// walk codes the columns of bundle number k. all gives the numbers of a column when encoding.
func (src *jointSource) walk(m *jointModel, k int, owners []*jointOwner, all func(blob int) []int64) (map[int]*jointBlob, error) {
	blobs := map[int]*jointBlob{}
	for i, o := range owners {
		l, err := src.layout(o)
		if err != nil {
			return nil, err
		}
		g := src.group(l.Group)
		rank := o.rank
		if g.Unranked {
			rank = -1
		}
		for n, id := range o.blobs {
			b := &jointBlob{id: id}
			if all != nil {
				b.all = all(id)
			} else if column := &l.specs[o.places[n]]; !column.Array || column.Field < 0 {
				if l.occ[l.owner[o.places[n]]] > uint64(m.left) {
					return nil, errJointValues
				}
			}
			blobs[id] = b
		}
		if n := l.x.Len(); n > uint64(m.work) {
			return nil, errJointWork
		} else {
			m.work -= int(n)
		}
		cols := src.columns(l, o, k, blobs)
		if err := newJointStream(m, l, g.World, rank, uint64(i)+1, cols).run(); err != nil {
			return nil, err
		}
	}
	return blobs, nil
}

// columns are the columns of a stream. What cannot be read is not known.
func (src *jointSource) columns(l *layout, o *jointOwner, bundle int, blobs map[int]*jointBlob) []jointCol {
	cols := make([]jointCol, len(l.Columns))
	for place := range cols {
		cases := &l.Columns[place]
		i := cases.Index(l.Ranks, o.rank)
		if i < 0 || cases.Values[i].Clock {
			continue
		}
		v := &cases.Values[i]
		var b []byte
		switch {
		case v.Blob < 0:
			if segs, ok := v.segments(o.rank, l.specs[place].Array && l.specs[place].Field >= 0, l.occ[l.owner[place]]); ok {
				b = column.AppendSegments(nil, segs)
			}
		case src.owner[v.Blob] == int32(bundle)+1:
			cols[place].blob = blobs[v.Blob]
		case src.owner[v.Blob] == 0:
			b, _ = src.plain(v.Blob)
		}
		if r, err := column.Open(b); err == nil {
			cols[place].r = r
		}
	}
	return cols
}

// decode reads bundle k, whose code is b.
// costs, unless it is nil, is told the bits that each parameter takes.
// What was looked at is taken off limit.
func (src *jointSource) decode(k int, owners []*jointOwner, b []byte, limit *uint64, costs func(id keyID, bits float64)) (map[int][]byte, error) {
	m := newJointModel(adapt.NewDecoder(b))
	m.costs = costs != nil
	m.left, m.work = int(min(*limit, maxJointValues)), int(min(*limit, maxJointWork))
	defer func(work int) { *limit -= uint64(work - max(m.work, 0)) }(m.work)
	blobs, err := src.walk(m, k, owners, nil)
	if err != nil {
		return nil, err
	}
	for id, key := range m.keys {
		if m.costs {
			costs(id, key.cost)
		}
	}
	out := make(map[int][]byte, len(blobs))
	for id, x := range blobs {
		c := column.NewBuilder()
		for _, v := range x.vals {
			c.Append(v)
		}
		out[id] = c.Encode(nil)
	}
	return out, nil
}

// encode is the reverse of decode.
func (src *jointSource) encode(k int, owners []*jointOwner) ([]byte, error) {
	m := newJointModel(adapt.NewEncoder())
	_, err := src.walk(m, k, owners, func(id int) []int64 {
		b, _ := src.plain(id)
		vals, _ := columnValues(b)
		return vals
	})
	return m.c.Bytes(), err
}

// columnValues are the numbers of an encoded column, if encoding them gives it again.
func columnValues(b []byte) ([]int64, bool) {
	r, err := column.Open(b)
	if err != nil || r.Len() == 0 || r.Len() > maxJointValues {
		return nil, false
	}
	vals := make([]int64, r.Len())
	if n := r.Read(0, vals); n < len(vals) { // a block at a time
		for n < len(vals) {
			k := r.Read(uint64(n), vals[n:])
			if k == 0 {
				return nil, false
			}
			n += k
		}
	}
	c := column.NewBuilder()
	for _, v := range vals {
		c.Append(v)
	}
	return vals, r.Err() == nil && bytes.Equal(c.Encode(nil), b)
}

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

// joint is the bundles of an archive.
type joint struct {
	jointSource
	classes *items

	mu    sync.Mutex
	cache []*jointBundle // used last comes last
	left  uint64         // numbers that may still be looked at
}

type jointBundle struct {
	k     int
	blobs map[int][]byte
}

// keptBundles is how many bundles stay decoded.
const keptBundles = 8

// readBundles takes over the part. It returns the number of columns.
func (a *Archive) readBundles(p *items) (int, error) {
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
				return 0, broken("structure/bundles", p.offset(0), "bundle %d does not exist (there are %d)", v-1, p.len()-1)
			}
			if v > 0 && a.columns.size(i) != 0 {
				return 0, broken("structure/bundles", p.offset(0), "column %d is in a bundle, and has bytes of its own", i)
			}
			owner[i] = int32(v)
			i++
		}
	}
	a.joint = &joint{classes: p, left: a.maxWork, jointSource: jointSource{owner: owner, maxArray: a.maxArray(),
		class: func(i int) (*classLayout, error) { return a.classes[i].open() },
		group: func(i int) *Group { return a.groups[i] },
		plain: func(id int) ([]byte, error) { return a.blob(&a.columns, uint32(id)) }}}
	return n, nil
}

// bundled tells whether column i is in a bundle.
func (a *Archive) bundled(i int) bool { return a.joint != nil && a.joint.owner[i] > 0 }

// column loads encoded column i.
func (a *Archive) column(i int) ([]byte, error) {
	j := a.joint
	if !a.bundled(i) {
		return a.blob(&a.columns, uint32(i))
	}
	k := int(j.owner[i]) - 1
	j.mu.Lock()
	defer j.mu.Unlock()
	at := slices.IndexFunc(j.cache, func(b *jointBundle) bool { return b.k == k })
	var b *jointBundle
	if at >= 0 {
		b = j.cache[at]
		j.cache = slices.Delete(j.cache, at, at+1)
	} else {
		blobs, err := a.readBundle(k, nil)
		if err != nil {
			return nil, err
		}
		b = &jointBundle{k, blobs}
		if len(j.cache) == keptBundles {
			j.cache = slices.Delete(j.cache, 0, 1)
		}
	}
	j.cache = append(j.cache, b)
	out, ok := b.blobs[i]
	if !ok {
		return nil, a.broken("structure/bundles", -1, "column %d is not in bundle %d", i, k)
	}
	return out, nil
}

// readBundle decodes bundle k.
func (a *Archive) readBundle(k int, costs func(id keyID, bits float64)) (map[int][]byte, error) {
	j := a.joint
	d := &decoder{b: j.classes.at(k + 1), section: "structure/bundles", base: j.classes.offset(k + 1)}
	ids := d.ids(len(a.classes), "class")
	if err := d.end(); err != nil {
		return nil, named(err, a.file)
	}
	classes := make([]int, len(ids))
	for i, id := range ids {
		if classes[i] = int(id); i > 0 && classes[i] <= classes[i-1] {
			return nil, a.broken("structure/bundles", d.base, "bundle %d: classes are not in order", k)
		}
	}
	owners, err := j.owners(classes, func(id int) bool { return j.owner[id] == int32(k)+1 })
	if err != nil {
		return nil, named(err, a.file)
	}
	code, err := a.blob(&a.columns, uint32(len(j.owner)+k))
	if err != nil {
		return nil, err
	}
	blobs, err := j.decode(k, owners, code, &j.left, costs)
	if errors.Is(err, errJointWork) || errors.Is(err, errJointValues) {
		return nil, &FormatError{File: a.file, Section: "columns", Offset: -1, Msg: fmt.Sprintf("bundle %d: %v", k, err),
			Hint: "raise the limit with trace.MaxWork if you trust the file"}
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
